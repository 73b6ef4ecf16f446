"""Text on its way through a pipeline, for code that looks at it step by step."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable
from typing import Any

from textcore.compat.tokenizers.component import behavior_of
from textcore.core import normalize as unicode
from textcore.encoding import Encoding
from textcore.pipeline.matches import Finder, Literal
from textcore.pipeline.normalized import NormalizedString as Text
from textcore.pipeline.normalized import PreTokenizedString as Pieces
from textcore.pipeline.patterns import compile_pattern

Offsets = tuple[int, int]


class Regex:
    """A regular expression, in Oniguruma's dialect. Raises where it is wrong."""

    def __init__(self, s: str) -> None:
        self.pattern = s
        self._finder = compile_pattern(s, "oniguruma", "pattern")


def pattern_spec(pattern: str | Regex) -> dict[str, str]:
    """A pattern as JSON has it."""
    if isinstance(pattern, Regex):
        return {"Regex": pattern.pattern}
    if not isinstance(pattern, str):
        raise TypeError(f"'{type(pattern).__name__}' object is not an instance of 'str'")
    return {"String": pattern}


def finder_of(pattern: str | Regex) -> Finder:
    """What finds a pattern in texts."""
    return pattern._finder if isinstance(pattern, Regex) else Literal(pattern)


class Token:
    """One token: its id, its text, and its (start, end)."""

    def __init__(self, id: int, value: str, offsets: Offsets) -> None:
        self._token = (id, value, (offsets[0], offsets[1]))

    @property
    def id(self) -> int:
        """The id."""
        return self._token[0]

    @property
    def value(self) -> str:
        """The token as the vocabulary spells it."""
        return self._token[1]

    @property
    def offsets(self) -> Offsets:
        """Its (start, end)."""
        return self._token[2]

    def as_tuple(self) -> tuple[int, str, Offsets]:
        """All three."""
        return self._token


class NormalizedString:
    """A text that is changed step by step, and still knows what it was."""

    def __init__(self, sequence: str) -> None:
        self._held: Text | None = Text(sequence)

    @classmethod
    def _of(cls, text: Text) -> NormalizedString:
        new = cls.__new__(cls)
        new._held = text
        return new

    @property
    def _text(self) -> Text:
        if self._held is None:
            raise Exception("Cannot use a NormalizedStringRefMut outside `normalize`")
        return self._held

    def _end(self) -> None:
        """Let nobody use the string from now on."""
        self._held = None

    @property
    def normalized(self) -> str:
        """The text as it is now."""
        return self._text.normalized

    @property
    def original(self) -> str:
        """The text as it was."""
        return self._text.original

    def __str__(self) -> str:
        return self._text.normalized

    def __repr__(self) -> str:
        original = json.dumps(self.original, ensure_ascii=False)
        normalized = json.dumps(self.normalized, ensure_ascii=False)
        return f"NormalizedString(original={original}, normalized={normalized})"

    def __getitem__(self, range: int | tuple[int, int] | slice) -> NormalizedString | None:
        return self.slice(range)

    def slice(self, range: int | tuple[int, int] | slice) -> NormalizedString | None:
        """The part of the normalized text in a range of characters."""
        size = len(self._text.normalized)
        if isinstance(range, int):
            if not -size <= range < size:
                raise IndexError("Index not found")
            start = range % size
            stop = start + 1
        elif isinstance(range, tuple):
            start, stop = range
        else:
            start, stop, _ = range.indices(size)
        if start > stop or stop > size:
            return None
        return NormalizedString._of(self._text.slice(start, stop))

    def append(self, s: str) -> None:
        """Put a text after the text."""
        self._text.append(s)

    def prepend(self, s: str) -> None:
        """Put a text before the text."""
        self._text.prepend(s)

    def clear(self) -> None:
        """Remove the text."""
        self._text.clear()

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters that ``func`` is true for."""
        self._text.filter(func)

    def for_each(self, func: Callable[[str], Any]) -> None:
        """Call ``func`` with each character."""
        for character in self._text.normalized:
            func(character)

    def map(self, func: Callable[[str], str]) -> None:
        """Replace each character by the one that ``func`` returns."""
        text = "".join(map(func, self._text.normalized))
        self._text.transform(text, array("i", bytes(4 * len(text))))

    def lowercase(self) -> None:
        """Put the text in lower case."""
        self._text.transform(*unicode.lowercase_with_changes(self._text.normalized))

    def uppercase(self) -> None:
        """Put the text in upper case."""
        parts = [character.upper() for character in self._text.normalized]
        changes = array("i", [int(at > 0) for part in parts for at in range(len(part))])
        self._text.transform("".join(parts), changes)

    def nfc(self) -> None:
        """Put the text in Unicode's form C."""
        self._text.transform(*unicode.nfc_with_changes(self._text.normalized))

    def nfd(self) -> None:
        """Put the text in Unicode's form D."""
        self._text.transform(*unicode.nfd_with_changes(self._text.normalized))

    def nfkc(self) -> None:
        """Put the text in Unicode's form KC."""
        self._text.transform(*unicode.nfkc_with_changes(self._text.normalized))

    def nfkd(self) -> None:
        """Put the text in Unicode's form KD."""
        self._text.transform(*unicode.nfkd_with_changes(self._text.normalized))

    def strip(self) -> None:
        """Remove whitespace at both ends."""
        self._text.strip()

    def lstrip(self) -> None:
        """Remove whitespace at the beginning."""
        self._text.lstrip()

    def rstrip(self) -> None:
        """Remove whitespace at the end."""
        self._text.rstrip()

    def replace(self, pattern: str | Regex, content: str) -> None:
        """Put ``content`` where a pattern matches."""
        self._text.replace(finder_of(pattern), content)

    def split(self, pattern: str | Regex, behavior: Any) -> list[NormalizedString]:
        """The pieces that a split at a pattern leaves."""
        pieces = self._text.split(finder_of(pattern), behavior_of(behavior))
        return [NormalizedString._of(piece) for piece in pieces]


class PreTokenizedString:
    """A text that is split step by step."""

    def __init__(self, s: str) -> None:
        self._text = Pieces(s)

    @classmethod
    def _of(cls, text: Pieces) -> PreTokenizedString:
        new = cls.__new__(cls)
        new._text = text
        return new

    def split(self, func: Callable[[int, NormalizedString], Iterable[NormalizedString]]) -> None:
        """Replace each piece by those that ``func(index, piece)`` returns."""
        self._text.split(
            lambda index, piece: [
                part._text for part in func(index, NormalizedString._of(piece)) if part is not None
            ]
        )

    def normalize(self, func: Callable[[NormalizedString], Any]) -> None:
        """Call ``func`` with each piece, which it changes."""
        self._text.normalize(lambda piece: func(NormalizedString._of(piece)))

    def tokenize(self, func: Callable[[str], Iterable[Token]]) -> None:
        """Give each piece the tokens that ``func`` returns for its text."""
        self._text.tokenize(lambda text: [token.as_tuple() for token in func(text)])

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """The tokens as an Encoding."""
        return self._text.into_encoding(word_idx, type_id)

    def get_splits(
        self, offset_referential: Any = "original", offset_type: Any = "char"
    ) -> list[tuple[str, Offsets, list[Token] | None]]:
        """Each piece as (text, (start, end), tokens).

        Offsets are of the text as it was ("original") or as it is now ("normalized"), in
        "char" or "byte".
        """
        splits = []
        normalized = getattr(offset_referential, "value", offset_referential) == "normalized"
        in_bytes = getattr(offset_type, "value", offset_type) == "byte"
        at = 0
        whole = self._text.splits[0].normalized.source if self._text.splits else ""
        for text, (start, stop), tokens in self._text.get_splits():
            if normalized:
                size = len(text.encode()) if in_bytes else len(text)
                start, stop = at, at + size
                at = stop
            elif in_bytes:
                start, stop = len(whole[:start].encode()), len(whole[:stop].encode())
            made = None if tokens is None else [Token(*token) for token in tokens]
            splits.append((text, (start, stop), made))
        return splits
