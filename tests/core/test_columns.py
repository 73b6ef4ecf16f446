"""Lists out of arrays."""

from __future__ import annotations

import gc
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core import columns

SHARED = 1 << 18
ids = st.lists(st.integers(0, 2**32 - 1) | st.integers(SHARED - 2, SHARED + 2), max_size=20)
places = st.lists(st.integers(-(2**62), 2**62) | st.integers(-1, 2000), max_size=20)


@given(ids)
def test_numbers(values: list[int]) -> None:
    assert columns.numbers(array("I", values)) == values


@given(places)
def test_words(values: list[int]) -> None:
    expected = [None if value == -1 else value for value in values]
    assert columns.words(array("q", values)) == expected


@given(places)
def test_pairs(values: list[int]) -> None:
    starts, ends = array("q", values), array("q", reversed(values))
    found = columns.pairs(starts, ends)
    assert found == list(zip(values, reversed(values), strict=True))
    assert all(type(pair) is tuple for pair in found)


@given(st.lists(st.integers(0, 255), max_size=9))
def test_flags(values: list[int]) -> None:
    assert columns.flags(bytearray(values)) == values


def test_pairs_are_left_alone_by_the_collector() -> None:
    found = columns.pairs(array("q", [0, 5]), array("q", [5, 9]))
    assert not any(gc.is_tracked(pair) for pair in found)


def test_a_longer_list_of_shared_ints_leaves_the_shorter_ones_right() -> None:
    first = columns.numbers(array("I", range(50)))
    more = columns.numbers(array("I", [100_000, 7]))
    assert (first, more) == (list(range(50)), [100_000, 7])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (columns.numbers, (array("q", [1]),)),
        (columns.words, (array("I", [1]),)),
        (columns.pairs, (array("I", [1]), array("q", [1]))),
    ],
)
def test_other_typecodes_are_refused(function: object, arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="typecode"):
        function(*arguments)  # type: ignore[operator]


def test_pairs_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 starts and 1 ends"):
        columns.pairs(array("q", [1, 2]), array("q", [1]))
