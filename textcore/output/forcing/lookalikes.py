"""Strings written without quotes, kept apart from what their reader takes for another type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..schema.languages import Pattern, text_language
from ..schema.limits import Work
from ..schema.patterns import (
    ANY_CHAR,
    ANY_TEXT,
    NOTHING,
    Alt,
    Cat,
    Chars,
    Node,
    Ranges,
    Repeat,
    complement,
    parse_pattern,
    ranges_of,
)
from ..schema.patterns import EMPTY as EMPTY_TEXT
from .fences import Fence
from .texts import SPACES, without

_WORDS: Final = {"boolean": ("true", "True", "false", "False"), "null": ("null", "None")}
_STARTS: Final = {"number": "-+0123456789", "integer": "-+0123456789", "array": "[", "object": "{"}
# What a text that may be no string looks like, by type.
LOOKS: Final = {
    "boolean": r"^\s*([tT]rue|[fF]alse)\s*$",
    "null": r"^\s*(null|None)\s*$",
    "number": r"^\s*[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?\s*$",
    "integer": r"^\s*[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?\s*$",
    "array": r"^\s*\[",
    "object": r"^\s*\{",
}


def unmistakable(
    language: Node, others: tuple[str, ...], opener: str, fence: Fence, place: str, work: Work
) -> Node | None:
    """The strings of a language that are read back as strings; None where that can't be said.

    Args:
        language: the strings.
        others: the types, other than string, that the value may have.
        opener: what begins a value that is written in another way; may be empty.
        fence: the tags that would end the value, and so are not in it.
        place: where the language is declared.
        work: the budget.
    """
    if not others and not opener:
        return fence.around(language, place, work)
    if isinstance(language, Repeat) and language.part == ANY_CHAR:
        words = [word for name in others for word in _WORDS.get(name, ())]
        starts = "".join(_STARTS.get(name, "") for name in others) + opener[:1]
        first = ranges_of((ord(char), ord(char)) for char in starts)
        if others:
            first = ranges_of((*first, *SPACES))
        return clear(words, complement(first), language.low, language.high, fence)
    hazards: list[Node] = [parse_pattern(LOOKS[name], place) for name in others]
    if opener:
        hazards.append(Cat((text_language(opener), ANY_TEXT)))
    hazard = Pattern(" ", place, Alt(tuple(hazards)), work)
    if not Pattern("", place, language, work).disjoint(hazard):
        return None
    return fence.around(language, place, work)


def clear(words: list[str], allowed: Ranges, low: int, high: int | None, fence: Fence) -> Node:
    """Texts that are none of ``words``, nor one of them and whitespace; without a fence's tags.

    They begin with a character of ``allowed``, and have ``low`` to ``high`` characters.
    """
    if high is not None:
        return _bounded(words, allowed, low, high, fence)
    left = _left(words, allowed, low, fence)
    ended, begun = fence.begun()
    ways, leaves = [left.stops], [left.leaves]
    if left.turns != NOTHING and low <= 1:
        ways.append(Cat((left.turns, ended)) if ended != NOTHING else NOTHING)
        leaves += [Cat((left.turns, begun))] if begun != NOTHING else []
    ways.append(Cat((Alt(tuple(leaves)), fence.at_least(max(low - 1, 0)))))
    return Alt(tuple(way for way in ways if way != NOTHING))


@dataclass(frozen=True)
class _Left:
    """How texts part from words: by a character that none has there, by their end, or by the
    beginning of a tag, which ``turns`` are followed by.
    """

    leaves: Node
    stops: Node
    turns: Node


def _left(words: list[str], allowed: Ranges, low: int, fence: Fence) -> _Left:
    ends, rests = _by_head(words)
    outside = [*complement(allowed), *_taken(rests, fence), *(SPACES if ends else ())]
    leaves: list[Node] = [Chars(complement(ranges_of(outside)))]
    stops: list[Node] = [EMPTY_TEXT] if low <= 0 and not ends else []
    turns: list[Node] = []
    if all(_is_in(char, allowed) and char not in rests for char in fence.firsts):
        turns.append(EMPTY_TEXT)
    for char, rest in rests.items():
        if _is_in(char, allowed) and char not in fence.firsts:
            inner = _left(rest, ANY_CHAR.ranges, low - 1, fence)
            leaves.append(Cat((text_language(char), inner.leaves)))
            if inner.stops != NOTHING:
                stops.append(Cat((text_language(char), inner.stops)))
            if inner.turns != NOTHING:
                turns.append(Cat((text_language(char), inner.turns)))
    if ends:
        more = Chars(complement(ranges_of((*SPACES, *fence.first_ranges))))
        leaves.append(Cat((Repeat(Chars(SPACES), 1, None), more)))
        turns.append(Repeat(Chars(SPACES), 1, None))
    return _Left(*(Alt(tuple(ways)) if ways else NOTHING for ways in (leaves, stops, turns)))


def _bounded(words: list[str], allowed: Ranges, low: int, high: int, fence: Fence) -> Node:
    """The same for texts of a bounded length; none has a tag's first character."""
    ends, rests = _by_head(words)
    outside = [*complement(allowed), *_taken(rests, fence), *(SPACES if ends else ())]
    branches: list[Node] = [EMPTY_TEXT] if low <= 0 and not ends else []
    if high > 0:
        behind = Repeat(without(ANY_CHAR, fence.first_ranges), max(low - 1, 0), high - 1)
        branches.append(Cat((Chars(complement(ranges_of(outside))), behind)))
        for char, rest in rests.items():
            if _is_in(char, allowed):
                inner = _bounded(rest, ANY_CHAR.ranges, low - 1, high - 1, fence)
                branches.append(Cat((text_language(char), inner)))
    return Alt(tuple(branches))


def _by_head(words: list[str]) -> tuple[bool, dict[str, list[str]]]:
    """Whether a word ends here, and the rests of the others by their first characters."""
    rests: dict[str, list[str]] = {}
    for word in words:
        if word:
            rests.setdefault(word[0], []).append(word[1:])
    return "" in words, rests


def _taken(rests: Iterable[str], fence: Fence) -> Ranges:
    return ranges_of((ord(char), ord(char)) for char in (*rests, *fence.firsts))


def _is_in(char: str, ranges: Ranges) -> bool:
    return any(low <= ord(char) <= high for low, high in ranges)
