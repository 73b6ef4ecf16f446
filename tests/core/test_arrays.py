"""Arrays for ids and offsets."""

import numpy
import pytest

from textcore.core.arrays import empty_array


@pytest.mark.parametrize("n", [0, 1, 1000, 1 << 14, (1 << 14) + 1, 100_000, 1_000_001])
def test_an_array_has_the_size_asked_for_and_memory_for_little_more(n):
    array = empty_array(n)
    assert array.shape == (n,)
    assert array.dtype == numpy.uint32
    whole = array if array.base is None else array.base
    assert n <= len(whole) <= n + n // 8 + 1


def test_offsets_are_wide():
    assert empty_array(3, wide=True).dtype == numpy.uint64


def test_large_arrays_of_about_a_size_have_memory_of_the_same():
    assert len(empty_array(100_000).base) == len(empty_array(100_500).base)
