"""Token ids of every kind of Python sequence and buffer."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.ids import IdArray

IDS = st.lists(st.integers(0, 2**32 - 1))
INTEGERS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]


class Index:
    """An integer by ``__index__`` only."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@settings(deadline=None)
@given(
    IDS, st.sampled_from([list, tuple, iter, np.array, lambda ids: [np.uint64(i) for i in ids]])
)
def test_keeps_the_ids(ids: list[int], make: Any) -> None:
    made = make(ids) if ids or make is not np.array else np.array(ids, "i8")
    assert IdArray(made).tolist() == ids


@pytest.mark.parametrize("kind", INTEGERS)
@settings(deadline=None)
@given(data=st.data())
def test_every_integer_type_and_stride(kind: str, data: st.DataObject) -> None:
    limits = np.iinfo(kind)
    values = st.integers(0, min(int(limits.max), 2**32 - 1))
    ids = data.draw(st.lists(values))
    step = data.draw(st.sampled_from([1, 2, -1, -3]))
    assert IdArray(np.array(ids, kind)[::step]).tolist() == ids[::step]


def test_other_integers() -> None:
    assert IdArray([True, np.int8(3), Index(7)]).tolist() == [1, 3, 7]
    assert IdArray(array.array("I", [1, 2])).tolist() == [1, 2]
    assert IdArray(memoryview(array.array("q", [5]))).tolist() == [5]
    assert IdArray(range(3)).tolist() == [0, 1, 2]


def test_an_unaligned_buffer() -> None:
    packed = np.zeros(4, dtype=[("pad", "u1"), ("id", "<u4")])
    packed["id"] = [1, 2, 3, 2**32 - 1]
    assert IdArray(packed["id"]).tolist() == [1, 2, 3, 2**32 - 1]
    shifted = np.frombuffer(b"\0" + np.array([7, 8], "<u4").tobytes(), "<u4", offset=1)
    assert IdArray(shifted).tolist() == [7, 8]


@pytest.mark.parametrize("bad", [-1, 2**32, 2**63 - 1, -(2**63)])
def test_out_of_range_in_a_list_and_in_a_buffer(bad: int) -> None:
    with pytest.raises(ValueError, match=rf"ids\[1\]: .*not {bad}"):
        IdArray([0, bad])
    with pytest.raises(ValueError, match=rf"ids\[1\]: .*not {bad}"):
        IdArray(np.array([0, bad], "i8"))


@pytest.mark.parametrize("bad", [2**64, -(2**200), 10**5000], ids=["65", "201", "16610"])
def test_integers_of_any_size_have_a_short_error(bad: int) -> None:
    with pytest.raises(ValueError, match=r"ids\[0\]: .*not one of [0-9]+ bits"):
        IdArray([bad])


def test_the_largest_unsigned_value_is_not_taken_for_minus_one() -> None:
    with pytest.raises(ValueError, match="not 18446744073709551615"):
        IdArray(np.array([2**64 - 1], "u8"))


@pytest.mark.parametrize("bad", ["1", 1.0, None, [1], np.float32(1)])
def test_elements_that_are_no_integers(bad: object) -> None:
    with pytest.raises(TypeError, match=r"ids\[1\]: a token id is an int, not"):
        IdArray([0, bad])


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        ("12", "not str"),
        (b"12", "not bytes"),
        (None, "not NoneType"),
        (5, "not int"),
        (np.array([1.0]), "holds integers"),
        (np.array([True]), "holds integers"),
        (np.array(["a"]), "holds integers"),
        (np.array([[1]]), "1 dimension, not 2"),
        (np.array(1), "1 dimension, not 0"),
        (np.array([1], ">u4"), "native byte order"),
    ],
)
def test_what_is_no_sequence_of_ids(ids: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        IdArray(ids)


def test_an_index_that_shortens_the_list() -> None:
    ids: list[Any] = []

    class Shorten:
        def __index__(self) -> int:
            del ids[1:]
            return 9

    ids += [Shorten(), 1, 2, 3]
    assert IdArray(ids).tolist() == [9]


def test_errors_of_an_index_pass() -> None:
    class Broken:
        def __index__(self) -> int:
            raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        IdArray([Broken()])
