"""Pieces of JSON strings, against the standard library."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.jsontext import json_string_part

TEXT = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=("Cs",)),
        st.sampled_from('"\\\n\r\t\b\f\x00\x1f\x7f/<é漢😀'),
    )
)


@given(TEXT)
def test_a_part_is_what_the_library_writes_but_for_surrogates(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    expected = "".join(
        f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in written
    )
    assert json_string_part(text) == expected


@given(TEXT, TEXT)
def test_parts_can_be_joined(first: str, second: str) -> None:
    joined = json_string_part(first) + json_string_part(second)
    assert joined == json_string_part(first + second)


def test_ordinary_text_is_not_copied() -> None:
    text = "plain é漢😀 text"
    assert json_string_part(text) is text


def test_only_text_is_taken() -> None:
    with pytest.raises(TypeError, match="a text is a str, not bytes"):
        json_string_part(b"a")  # type: ignore[arg-type]
