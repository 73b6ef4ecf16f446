"""Sets of code points behave as Python's sets do."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from textcore.pipeline.patterns import charset
from textcore.pipeline.patterns.charset import ALL, Ranges

# The borders of what can be in a set, and of what Unicode has.
CODES = st.one_of(
    st.integers(0, 40), st.integers(0xD7F8, 0xE008), st.integers(0x10FFF8, charset.LAST)
)
PAIRS = st.lists(st.tuples(CODES, CODES).map(lambda pair: (min(pair), max(pair))), max_size=6)
WHOLE = [*range(60), *range(0xD7F0, 0xD800), *range(0xE000, 0xE010), *range(0x10FFF0, 0x110000)]


def members(ranges: Ranges) -> set[int]:
    return {code for code in WHOLE if any(first <= code <= last for first, last in ranges)}


@given(PAIRS)
def test_normalized_ranges_are_sorted_disjoint_and_apart(pairs: list[tuple[int, int]]) -> None:
    ranges = charset.normalize(pairs)
    assert members(ranges) == {c for c in WHOLE if any(a <= c <= b for a, b in pairs)}
    assert all(first <= last for first, last in ranges)
    assert all(left[1] + 1 < right[0] for left, right in pairwise(ranges))
    assert not any(0xD800 <= code <= 0xDFFF for pair in ranges for code in pair)


@given(PAIRS, PAIRS)
def test_operations_are_those_of_sets(
    left_pairs: list[tuple[int, int]], right_pairs: list[tuple[int, int]]
) -> None:
    left, right = charset.normalize(left_pairs), charset.normalize(right_pairs)
    assert members(charset.union(left, right)) == members(left) | members(right)
    assert members(charset.intersect(left, right)) == members(left) & members(right)
    assert members(charset.difference(left, right)) == members(left) - members(right)
    assert charset.negate(charset.negate(left)) == left
    assert charset.union(left, charset.negate(left)) == ALL


@given(PAIRS, CODES)
def test_contains(pairs: list[tuple[int, int]], code: int) -> None:
    ranges = charset.normalize(pairs)
    assert charset.contains(ranges, code) == any(a <= code <= b for a, b in ranges)


def test_size_counts_code_points() -> None:
    assert charset.size(ALL) == 1_112_064
    assert charset.size(charset.of_codes([5, 6, 9])) == 3
