"""Where a pattern matches, and what a split makes of it.

The behaviours are those of Hugging Face ``tokenizers`` (``SplitDelimiterBehavior``). All
positions here count characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

Span = tuple[int, int]

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


class Finder(Protocol):
    """Anything that finds its successive matches in a text."""

    def finditer(self, text: str) -> list[Span]:
        """The (start, end) of each match, in order, none overlapping another."""


class Literal:
    """A :class:`Finder` for a fixed string; the empty one matches at every position."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def finditer(self, text: str) -> list[Span]:
        """The (start, end) of each occurrence, leftmost first."""
        needle, size = self.text, len(self.text)
        if not size:
            return [(at, at) for at in range(len(text) + 1)] if text else []
        found = []
        at = text.find(needle)
        while at >= 0:
            found.append((at, at + size))
            at = text.find(needle, at + size)
        return found


def cover(spans: Iterable[Span], length: int, invert: bool) -> list[tuple[int, int, bool]]:
    """A whole text as consecutive (start, end, is_match), from the matches in it."""
    covered = []
    last = 0
    for start, end in spans:
        if start != last:
            covered.append((last, start, invert))
        covered.append((start, end, not invert))
        last = end
    if last != length:
        covered.append((last, length, invert))
    return covered


def split_ranges(finder: Finder, text: str, behavior: str, invert: bool = False) -> list[Span]:
    """The (start, end) of the parts that a split of ``text`` keeps; none of them is empty.

    ``invert`` takes what lies between the matches as the matches.
    """
    if not text:
        return []
    spans = finder.finditer(text)
    if behavior == "Isolated":
        return _isolated(spans, len(text))
    covered = cover(spans, len(text), invert)
    if behavior == "Removed":
        parts = [(start, end) for start, end, is_match in covered if not is_match]
    elif behavior == "Contiguous":
        parts = _contiguous(covered)
    elif behavior == "MergedWithPrevious":
        parts = _merged_with_previous(covered)
    else:
        parts = _merged_with_next(covered)
    return [part for part in parts if part[0] < part[1]]


def _isolated(spans: list[Span], length: int) -> list[Span]:
    parts = []
    last = 0
    for span in spans:
        start, end = span
        if start > last:
            parts.append((last, start))
        if end > start:
            parts.append(span)
        last = end
    if last < length:
        parts.append((last, length))
    return parts


def _contiguous(covered: list[tuple[int, int, bool]]) -> list[Span]:
    parts: list[Span] = []
    previous = False
    for start, end, is_match in covered:
        if is_match == previous and parts:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
        previous = is_match
    return parts


def _merged_with_previous(covered: list[tuple[int, int, bool]]) -> list[Span]:
    parts: list[Span] = []
    previous = False
    for start, end, is_match in covered:
        if is_match and not previous and parts:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
        previous = is_match
    return parts


def _merged_with_next(covered: list[tuple[int, int, bool]]) -> list[Span]:
    parts: list[Span] = []
    previous = False
    for start, end, is_match in reversed(covered):
        if is_match and not previous and parts:
            parts[-1] = (start, parts[-1][1])
        else:
            parts.append((start, end))
        previous = is_match
    parts.reverse()
    return parts
