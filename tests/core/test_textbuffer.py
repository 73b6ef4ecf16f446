"""TextBuffer: a str that grows at one end and shrinks at the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.textbuffer import TextBuffer

pieces = st.text(alphabet="ab\xe9\u6f22\ud800\U0001f600\x00", max_size=90)


@given(st.lists(st.one_of(pieces, st.none(), st.just(0))))
def test_it_is_a_str_that_grows(steps: list[str | int | None]) -> None:
    buffer, twin = TextBuffer(), ""
    for step in steps:
        if step is None:
            assert buffer.take() == twin
            twin = ""
        elif isinstance(step, int):
            buffer.clear()
            twin = ""
        else:
            buffer.append(step)
            twin += step
        assert len(buffer) == len(twin)
        assert buffer.text() == twin


@given(pieces, st.integers(0, 100), st.one_of(st.none(), st.integers(0, 100)))
def test_appending_a_part_is_appending_the_slice(text: str, start: int, end: int | None) -> None:
    buffer = TextBuffer()
    buffer.append("x")
    buffer.append(text, start, end)
    assert buffer.text() == "x" + text[start:end]


def test_bounds_and_types() -> None:
    buffer = TextBuffer()
    with pytest.raises(ValueError, match="negative"):
        buffer.append("abc", -1)
    with pytest.raises(ValueError, match="negative"):
        buffer.append("abc", 0, -1)
    with pytest.raises(TypeError):
        buffer.append(b"abc")  # type: ignore[arg-type]
    assert buffer.text() == ""
