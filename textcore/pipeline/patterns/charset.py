"""Sets of Unicode scalar values, as sorted ranges.

A set is a tuple of inclusive ``(first, last)`` pairs, sorted, disjoint and not adjacent,
so that equal sets are equal tuples. Surrogates are in no set: no text holds them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
ALL: Ranges = ((0, 0xD7FF), (0xE000, LAST))


def normalize(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The set of any inclusive ranges, in whatever order and however they overlap."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            if last > merged[-1][1]:
                merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return _without_surrogates(merged)


def _without_surrogates(merged: list[tuple[int, int]]) -> Ranges:
    result = []
    for first, last in merged:
        if first < 0xD800:
            result.append((first, min(last, 0xD7FF)))
        if last > 0xDFFF:
            result.append((max(first, 0xE000), last))
    return tuple(result)


def single(code: int) -> Ranges:
    """The set of one code point."""
    return normalize([(code, code)])


def of_codes(codes: Iterable[int]) -> Ranges:
    """The set of these code points."""
    return normalize((code, code) for code in codes)


def union(*sets: Ranges) -> Ranges:
    """What is in any of the sets."""
    return normalize(pair for ranges in sets for pair in ranges)


def negate(ranges: Ranges) -> Ranges:
    """Every scalar value that is not in the set."""
    gaps = []
    start = 0
    for first, last in ranges:
        if first > start:
            gaps.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return normalize(gaps)


def intersect(left: Ranges, right: Ranges) -> Ranges:
    """What is in both sets."""
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        first = max(left[i][0], right[j][0])
        last = min(left[i][1], right[j][1])
        if first <= last:
            result.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def difference(left: Ranges, right: Ranges) -> Ranges:
    """What is in ``left`` and not in ``right``."""
    return intersect(left, negate(right))


def contains(ranges: Ranges, code: int) -> bool:
    """Whether a code point is in the set."""
    index = bisect_right(ranges, (code, LAST)) - 1
    return index >= 0 and code <= ranges[index][1]


def size(ranges: Ranges) -> int:
    """How many code points the set has."""
    return sum(last - first + 1 for first, last in ranges)
