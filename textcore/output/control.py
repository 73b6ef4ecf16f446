"""Control tokens: markers that count by their ids, not by their text.

A token that a format knows stands in the parser's text as one lone surrogate, which no
decoded text has: decoding replaces ill-formed bytes. The format's declaration is rewritten in the
same way, so the parser itself is none the wiser, and what it passes on is put back into words.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from textcore.errors import UnsupportedError
from textcore.output.detokenizer import HasDecodePlan, IncrementalDetokenizer
from textcore.output.formats.declaration import OutputFormat

T = TypeVar("T")

# The surrogates that stand for tokens: as many as there are low ones.
FIRST = 0xDC00
LIMIT = 1024
# A shorter token is no marker but a part of one.
SHORTEST = 3

_MARKED = re.compile("[\udc00-\udfff]")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u(d[c-f][0-9a-f]{2})")


class HasAddedTokens(HasDecodePlan, Protocol):
    """A tokenizer, as far as the parser of its output needs one."""

    @property
    def added_tokens(self) -> Mapping[str, int]:
        """The added tokens and their ids."""

    @property
    def special_ids(self) -> list[int]:
        """The ids of the special tokens."""


class ControlTokens:
    """The tokens of a tokenizer that are a format's markers, or whole parts of them.

    Attributes:
        format: the declaration with each such token as its surrogate.

    Raises:
        UnsupportedError: the tokenizer's decoder does not show such a token at once.
    """

    def __init__(self, form: OutputFormat, tok: HasAddedTokens) -> None:
        literals = "\0".join(_literals(form))
        added = tok.added_tokens
        contents = [
            content
            for content in added
            if len(content) >= SHORTEST and not content.isspace() and content in literals
        ]
        contents.sort(key=len, reverse=True)
        self.marks = {added[content]: chr(FIRST + i) for i, content in enumerate(contents[:LIMIT])}
        self._texts = {chr(FIRST + i): content for i, content in enumerate(contents[:LIMIT])}
        self.hidden = frozenset(tok.special_ids) - self.marks.keys()
        self.format = _rewritten(form, self._texts)
        for content in contents[:LIMIT]:
            if IncrementalDetokenizer(tok, False).add(added[content]) != content:
                raise UnsupportedError(
                    "tokenizer.decoder", f"does not show the token {content!r} as it stands"
                )

    def words(self, mark: str) -> str:
        """The token's own text."""
        return self._texts[mark]

    def marked(self, text: str) -> str:
        """A text that a template has rendered, with its control tokens as surrogates."""
        for mark, content in self._texts.items():
            text = text.replace(content, mark)
        return text

    def restored(self, deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Deltas with the tokens that were not markers after all in words again."""
        for delta in deltas:
            for kind, value in delta.items():
                if isinstance(value, str):
                    delta[kind] = self._words(value)
                else:
                    for part in value:
                        function = part["function"]
                        for key, text in function.items():
                            function[key] = self._words(text)
                        function["arguments"] = self._unescaped(function["arguments"])
        return deltas

    def _words(self, text: str) -> str:
        if text.isascii() or not _MARKED.search(text):
            return text
        return _MARKED.sub(lambda found: self._texts.get(found[0], found[0]), text)

    def _unescaped(self, arguments: str) -> str:
        """Arguments in which a token within a string has become an escape."""
        if "\\ud" not in arguments:
            return arguments

        def word(found: re.Match[str]) -> str:
            content = self._texts.get(chr(int(found[2], 16)))
            if content is None:
                return found[0]
            return found[1] + json.dumps(content, ensure_ascii=False)[1:-1]

        return _ESCAPED.sub(word, arguments)


class MarkedDetokenizer:
    """Turns ids into text with control tokens as surrogates, other special ones left out."""

    __slots__ = ("_control", "_special", "_stream")

    def __init__(self, tok: HasAddedTokens, control: ControlTokens) -> None:
        self._control = control
        self._special = control.marks.keys() | control.hidden
        self._stream = IncrementalDetokenizer(tok, False)

    def add(self, ids: Iterable[int]) -> str:
        """The text that the ids complete."""
        ids = list(ids)
        if self._special.isdisjoint(ids):
            return self._stream.add(ids)
        pieces = []
        for token_id in ids:
            if token_id in self._control.hidden:
                continue
            text = self._stream.add(token_id)
            mark = self._control.marks.get(token_id)
            if mark is not None:
                text = text[: len(text) - len(self._control.words(mark))] + mark
            pieces.append(text)
        return "".join(pieces)

    def flush(self) -> str:
        """End the stream; return what was held back."""
        return self._stream.flush()


def _literals(form: Any) -> Iterable[str]:
    """All strings of a declaration that may be markers."""
    if isinstance(form, str):
        yield form
        yield re.sub(r"\\(.)", r"\1", form)
    elif isinstance(form, tuple):
        for part in form:
            yield from _literals(part)
    elif dataclasses.is_dataclass(form):
        for field in dataclasses.fields(form):
            if field.name not in ("name", "aliases", "source", "turn") or not isinstance(
                form, OutputFormat
            ):
                yield from _literals(getattr(form, field.name))


def _rewritten(form: T, texts: Mapping[str, str]) -> T:
    """A declaration with each control token as its surrogate, in patterns too."""
    if isinstance(form, str):
        text: str = form
        for mark, content in texts.items():
            text = text.replace(content, mark).replace(re.escape(content), mark)
        return text  # type: ignore[return-value]
    if isinstance(form, tuple):
        return tuple(_rewritten(part, texts) for part in form)  # type: ignore[return-value]
    if dataclasses.is_dataclass(form) and not isinstance(form, type):
        changes = {
            field.name: _rewritten(getattr(form, field.name), texts)
            for field in dataclasses.fields(form)
            if field.name not in ("aliases", "source")
            and not (field.name == "name" and isinstance(form, OutputFormat))
        }
        return dataclasses.replace(form, **changes)
    return form
