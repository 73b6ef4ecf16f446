"""Alignments of changed text, against lists that are changed the same way."""

from __future__ import annotations

import gc
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.alignment import Alignment, identity

Span = tuple[int, int]
sizes = st.integers(0, 12)


def test_identity() -> None:
    assert identity(3, 2).spans() == [(3, 4), (4, 5)]
    assert identity(3, 0).spans() == []


def test_slices_in_garbage() -> None:
    """What a collector finds is cleared before it goes, and no slice frees the whole's memory."""
    whole = identity(1, 9)
    holder: list[object] = [whole.slice(2, 5)]
    holder.append(holder)
    del holder
    gc.collect()
    assert whole.span(2, 5) == (3, 6)


@given(size=sizes, start=sizes, stop=sizes)
def test_slice(size: int, start: int, stop: int) -> None:
    whole = identity(1, size)
    if start <= stop <= size:
        part = whole.slice(start, stop)
        assert part.spans() == whole.spans()[start:stop]
        assert part.slice(0, len(part)).spans() == part.spans()
    else:
        with pytest.raises(IndexError):
            whole.slice(start, stop)


def test_a_slice_outlives_the_whole() -> None:
    part = identity(0, 1000).slice(10, 20)
    assert part.spans() == [(at, at + 1) for at in range(10, 20)]


@given(size=st.integers(1, 9), origin=st.lists(st.integers(0, 8), max_size=12))
def test_derive(size: int, origin: list[int]) -> None:
    origin = [at % size for at in origin]
    spans = identity(5, size).spans()
    assert identity(5, size).derive(array("q", origin)).spans() == [spans[at] for at in origin]


@pytest.mark.parametrize("origin", [[-1], [3]])
def test_derive_from_a_character_that_is_not_there(origin: list[int]) -> None:
    with pytest.raises(IndexError):
        identity(0, 3).derive(array("q", origin))


def transformed(spans: list[Span], changes: list[int], skip: int, first: int) -> list[Span]:
    made = []
    at = min(skip, len(spans))
    for change in changes:
        if change > 0:
            made.append(spans[at - 1] if at else (first, first))
        else:
            made.append(spans[at])
            at = min(at + 1 - change, len(spans))
    return made


@given(size=sizes, changes=st.lists(st.integers(-3, 1), max_size=12), skip=st.integers(0, 4))
def test_transform(size: int, changes: list[int], skip: int) -> None:
    whole = identity(7, size)
    try:
        expected = transformed(whole.spans(), changes, skip, 7)
    except IndexError:
        with pytest.raises(ValueError, match="replaces more than"):
            whole.transform(array("i", changes), skip, 7)
    else:
        assert whole.transform(array("i", changes), skip, 7).spans() == expected


def test_insert() -> None:
    assert identity(0, 2).insert(1, 2, 8, 9).spans() == [(0, 1), (8, 9), (8, 9), (1, 2)]
    assert identity(0, 0).insert(0, 1, 4, 4).spans() == [(4, 4)]


@given(size=sizes, cuts=st.lists(st.integers(0, 12), max_size=6), length=st.integers(0, 3))
def test_replace(size: int, cuts: list[int], length: int) -> None:
    edges = sorted(min(cut, size) for cut in cuts)
    matches = list(zip(edges[::2], edges[1::2], strict=False))
    spans = identity(2, size).spans()
    expected: list[Span] = []
    last = 0
    for start, end in matches:
        expected += spans[last:start] + [spans[end - 1] if end else (2, 2)] * length
        last = end
    made = identity(2, size).replace(matches, length, 2)
    assert made.spans() == expected + spans[last:]


@pytest.mark.parametrize("matches", [[(2, 1)], [(0, 9)], [(1, 2), (0, 1)], [(-1, 1)]])
def test_replace_out_of_order(matches: list[Span]) -> None:
    with pytest.raises(IndexError):
        identity(0, 3).replace(matches, 1, 0)


@pytest.mark.parametrize(("method", "kind"), [("derive", "i"), ("transform", "q")])
def test_other_typecodes_are_refused(method: str, kind: str) -> None:
    arguments = (array(kind, [0]),) if method == "derive" else (array(kind, [0]), 0, 0)
    with pytest.raises(TypeError, match="typecode"):
        getattr(Alignment, method)(identity(0, 1), *arguments)


def test_what_borrows_memory_is_never_cleared_by_the_collector():
    # If it were, it would take the other's memory for its own, and free it.
    assert not gc.is_tracked(identity(0, 4).slice(1, 3))
