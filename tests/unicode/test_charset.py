from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.charset import CharSet

POINTS = st.one_of(st.integers(0, 0x200), st.integers(0, 0x10FFFF))
RANGES = st.lists(st.tuples(POINTS, POINTS).map(lambda pair: (min(pair), max(pair))), max_size=6)
TEXTS = st.text(st.characters(max_codepoint=0x210) | st.characters(), max_size=60)


def is_in(ranges, char):
    return any(first <= ord(char) <= last for first, last in ranges)


@given(ranges=RANGES, text=TEXTS)
def test_membership_is_that_of_the_ranges(ranges, text):
    charset = CharSet(ranges)
    edges = [chr(point) for pair in ranges for point in pair]
    for char in [*text, *edges, "\0", "\U0010ffff"]:
        assert (char in charset) == is_in(ranges, char)


@given(ranges=RANGES, text=TEXTS)
def test_partition_and_spans_are_the_longest_runs(ranges, text):
    charset = CharSet(ranges)
    runs = charset.partition(text)
    assert "".join(text[start:end] for start, end, _ in runs) == text
    for start, end, inside in runs:
        assert start < end
        assert all(is_in(ranges, char) == inside for char in text[start:end])
    assert all(one[2] != other[2] for one, other in pairwise(runs))
    assert charset.spans(text) == [(start, end) for start, end, inside in runs if inside]


@given(ranges=RANGES, text=TEXTS)
def test_leading_and_trailing_count_members_at_the_ends(ranges, text):
    charset = CharSet(ranges)
    flags = "".join("x" if is_in(ranges, char) else "-" for char in text)
    assert charset.leading(text) == len(flags) - len(flags.lstrip("x"))
    assert charset.trailing(text) == len(flags) - len(flags.rstrip("x"))


@pytest.mark.parametrize("pair", [(-1, 3), (5, 4), (0, 0x110000)])
def test_no_range_is_a_value_error(pair):
    with pytest.raises(ValueError, match="no range"):
        CharSet([pair])


@pytest.mark.parametrize("char", ["", "ab"])
def test_only_characters_can_be_members(char):
    with pytest.raises(ValueError, match="not a character"):
        char in CharSet([(0, 9)])  # noqa: B015


@pytest.mark.parametrize("value", [None, 1, [1], [(1, 2, 3)], ["ab"], [(1.5, 2)]])
def test_other_types_are_refused(value):
    with pytest.raises((TypeError, ValueError)):
        CharSet(value)
