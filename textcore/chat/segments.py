"""A prompt cut at its tokens, to be shown to people."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from textcore.tokenizer import Tokenizer

# Format characters that are seen only in what they join.
_JOINERS = "‌‍"
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


class Segment(NamedTuple):
    """A piece of a prompt and its ids.

    There are several ids where one character is several tokens, and none where the tokenizer
    left the text out. ``is_control`` is of the added tokens that are not only white space.
    """

    text: str
    ids: list[int]
    is_control: bool


def prompt_segments(tok: Tokenizer, prompt: str) -> list[Segment]:
    """The segments of a rendered prompt; their texts joined are the prompt.

    The ids are those of ``apply_chat_template``. Raises TextError.
    """
    added = tok.added_tokens
    encoding = tok.encoding(
        prompt,
        add_special_tokens=False,
        allowed_special=frozenset(added),
        truncation=False,
        padding=False,
    )
    control = {id for token, id in added.items() if token.strip()}
    segments: list[Segment] = []
    position = 0
    for id, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
        if segments and end <= position:
            segments[-1].ids.append(id)
            continue
        if start > position:
            segments.append(Segment(prompt[position:start], [], False))
        segments.append(Segment(prompt[max(start, position) : end], [id], id in control))
        position = end
    if position < len(prompt):
        segments.append(Segment(prompt[position:], [], False))
    return segments


def ids_of(segments: Iterable[Segment]) -> list[int]:
    """All ids, in order."""
    return [id for segment in segments for id in segment.ids]


def is_hidden(character: str) -> bool:
    """Whether a character, shown as it is, can't be seen or changes what is around it."""
    return (
        unicodedata.category(character) in _HIDDEN
        and character not in "\n\t"
        and character not in _JOINERS
    )


def code_point(character: str) -> str:
    """``U+202E`` and so on."""
    return f"U+{ord(character):04X}"


def visible(text: str) -> str:
    """A text with its hidden characters as ``<U+202E>`` and so on."""
    return "".join(f"<{code_point(c)}>" if is_hidden(c) else c for c in text)
