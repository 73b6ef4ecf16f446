"""Byte tables and token streams against their plain definitions."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.detokenize import ByteTable, TokenStream
from textcore.pipeline.decoders import (
    STAND_INS,
    ByteFallback,
    byte_level_bytes,
    fallback_byte,
)

TOKEN = st.text(st.sampled_from("aĠ ðŁĺĢéÃ©中😀\u0144\xad"), max_size=40) | st.sampled_from(
    ["", "<0x41>", "<0xe4>", "<0xB8>", "<0xAD>", "<0x+1>", "<0xG1>"]
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], list[str]]:
    id_range = draw(st.sampled_from([10, 3000, 2**32 - 1]))
    ids = draw(st.lists(st.integers(0, id_range), unique=True, max_size=8))
    return ids, draw(st.lists(TOKEN, min_size=len(ids), max_size=len(ids)))


def kept(ids: list[int], table: dict[int, str], special: set[int], skip: bool) -> list[str]:
    return [table[i] for i in ids if i in table and not (skip and i in special)]


def raw(token: str, stand_ins: bool, byte_fallback: bool) -> bytes:
    byte = fallback_byte(token) if byte_fallback else None
    if byte is not None:
        return bytes([byte])
    return byte_level_bytes(token) if stand_ins else token.encode()


@settings(deadline=None)
@given(tables(), st.booleans(), st.booleans(), st.booleans(), st.data())
def test_join_is_the_tokens_bytes(
    entries: tuple[list[int], list[str]],
    stand_ins: bool,
    byte_fallback: bool,
    skip: bool,
    data: st.DataObject,
) -> None:
    known, strings = entries
    special = data.draw(st.sets(st.sampled_from([0, *known])))
    table = ByteTable(known, strings, special, stand_ins=stand_ins, byte_fallback=byte_fallback)
    some = st.sampled_from([0, 5, 2**32 - 1, *known])
    ids = data.draw(st.lists(some))
    vocabulary = dict(zip(known, strings, strict=True))
    tokens = kept(ids, vocabulary, special, skip)
    expected = b"".join(raw(token, stand_ins, byte_fallback) for token in tokens)
    assert table.join(ids, skip) == expected
    assert table.join(np.array(ids, "u4"), skip) == expected
    for i in ids:
        assert table.token(i, skip) == table.join([i], skip)
    if table.max_id < 5000:
        assert table.tokens(skip) == [table.token(i, skip) for i in range(table.max_id + 1)]


@settings(deadline=None)
@given(tables(), st.data())
def test_runs_that_are_not_utf8_show_one_sign_a_byte(
    entries: tuple[list[int], list[str]], data: st.DataObject
) -> None:
    known, strings = entries
    table = ByteTable(known, strings, byte_fallback=True)
    ids = data.draw(st.lists(st.sampled_from([7, *known])))
    vocabulary = dict(zip(known, strings, strict=True))
    assert table.decode(ids) == ByteFallback().decode(kept(ids, vocabulary, set(), False))


RUN = st.lists(st.integers(0, 255), max_size=6) | st.text(max_size=3).map(lambda t: [*t.encode()])


@settings(deadline=None)
@given(RUN, RUN)
def test_which_runs_are_utf8(before: list[int], after: list[int]) -> None:
    tokens = [f"<0x{byte:02X}>" for byte in range(256)] + ["|"]
    table = ByteTable(list(range(257)), tokens, byte_fallback=True)
    ids = [*before, 256, *after]
    assert table.decode(ids) == ByteFallback().decode([tokens[i] for i in ids])


def test_every_pair_of_bytes_as_a_run() -> None:
    tokens = [f"<0x{byte:02X}>" for byte in range(256)] + ["|"]
    table = ByteTable(list(range(257)), tokens, byte_fallback=True)
    for tail in ([], [0x80], [0x80, 0x80], [0x80, 0xC0], [0x41]):
        runs = [[a, b, *tail, 256] for a in range(0x7F, 256) for b in (*range(0x7E, 0xC2), 0xFF)]
        expected = ""
        for *run, _ in runs:
            try:
                expected += bytes(run).decode() + "|"
            except UnicodeDecodeError:
                expected += "\ufffd" * len(run) + "|"
        assert table.decode([i for run in runs for i in run]) == expected


@settings(deadline=None)
@given(st.lists(st.binary(max_size=4)), st.integers(0, 3))
def test_byte_level_text_is_replaced_and_stripped(parts: list[bytes], count: int) -> None:
    stand_in = {byte_level_bytes(chr(c)): chr(c) for c in range(0x144) if chr(c).isprintable()}
    strings = ["".join(stand_in.get(bytes([b]), "\u0100") for b in part) for part in parts]
    ids = list(range(len(strings)))
    table = ByteTable(ids, strings, stand_ins=True, strip=" ", strip_count=count)
    whole = b"".join(byte_level_bytes(string) for string in strings)
    lead = min(len(whole) - len(whole.lstrip(b" ")), count)
    assert table.join(ids) == whole[lead:]
    assert table.decode(ids) == whole[lead:].decode("utf-8", "replace")


def test_a_table_of_distant_ids_is_as_small_as_its_tokens() -> None:
    ids = [i * 40_000_003 % 2**32 for i in range(100)]
    table = ByteTable(ids, [f"{i}," for i in ids])
    assert not table.is_dense
    assert table.join(ids) == "".join(f"{i}," for i in ids).encode()
    assert ByteTable(list(range(100)), ["a"] * 100).is_dense
    assert ByteTable([2**32 - 1], ["a"]).join([2**32 - 1, 0, 1, 2**31]) == b"a"


def test_long_tokens_and_many_ids_make_the_buffer_grow() -> None:
    strings = ["x" * size for size in (0, 15, 16, 17, 1000)]
    table = ByteTable([0, 1, 2, 3, 4], strings)
    ids = [4, 0, 1, 2, 3] * 500
    assert table.join(ids) == "".join(strings[i] for i in ids).encode()


def test_the_first_token_kept_has_its_own_form() -> None:
    calls = []

    def first(token: int) -> bytes:
        calls.append(token)
        return b"<%d>" % token

    table = ByteTable([0, 1, 2], ["a", "b", "c"], {0}, first=first)
    assert table.decode([9, 0, 1, 2, 1], True) == "<1>cb"
    assert table.decode([0], True) == ""
    assert calls == [1]
    stream = TokenStream(table, None, True)
    assert [stream.add(i) for i in ([], 9, [0, 9], [0, 2, 1], 2)] == ["", "", "", "<2>b", "c"]
    assert calls == [1, 2]


def test_an_error_of_the_first_form_passes() -> None:
    def first(token: int) -> bytes:
        raise KeyError(token)

    with pytest.raises(KeyError, match="3"):
        ByteTable([3], ["a"], first=first).decode([3])


def test_errors_of_construction() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        ByteTable([0], ["a\ud800"])
    with pytest.raises(ValueError, match="surrogate"):
        ByteTable([0], ["\ud800"], stand_ins=True)
    with pytest.raises(ValueError, match="as many ids as strings"):
        ByteTable([0, 1], ["a"])
    with pytest.raises(ValueError, match=r"ids\[1\]"):
        ByteTable([0, 2**32], ["a", "b"])
    with pytest.raises(TypeError):
        ByteTable([0], [b"a"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="one character"):
        ByteTable([0], ["a"], strip="ab")
    with pytest.raises(ValueError, match="a table or a pipeline"):
        TokenStream()


def test_the_strings_of_a_vocabulary_do_not_grow() -> None:
    tokens = ["é" * 100, "中" * 100]
    sizes = [sys.getsizeof(token) for token in tokens]
    ByteTable([0, 1], tokens).decode([0, 1])
    assert [sys.getsizeof(token) for token in tokens] == sizes


BYTES = ByteTable(
    list(range(258)), [f"<0x{b:02X}>" for b in range(256)] + ["", "ok"], byte_fallback=True
)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([0x41, 0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0x80, 256, 257]), max_size=12),
    st.data(),
)
def test_a_stream_shows_ill_formed_runs_as_the_codec(ids: list[int], data: st.DataObject) -> None:
    expected, run = "", b""
    for i in [*ids, 256]:
        if i < 256:
            run += bytes([i])
        else:
            expected += run.decode("utf-8", "replace") + ("ok" if i == 257 else "")
            run = b""
    stream = TokenStream(BYTES, None, False)
    at = 0
    while at < len(ids):
        step = data.draw(st.integers(1, 4))
        stream.add(ids[at : at + step])
        at += step
    stream.flush()
    assert stream.text == expected


def test_strip_at_the_start_of_a_stream() -> None:
    table = ByteTable([0, 1, 2], [" ", "  a", "b"], strip=" ", strip_count=2)
    stream = TokenStream(table, None, False)
    assert [stream.add(i) for i in (0, 1, 0, 2)] == ["", " a", " ", "b"]
    assert TokenStream(table, None, False).add([2, 0, 0]) == "b  "


@pytest.mark.parametrize("ids", [np.uint32(1), np.array(1), np.array([1], "i8"), (1,), True])
def test_single_ids_of_every_kind(ids: Any) -> None:
    table = ByteTable([0, 1], ["a", "b"])
    assert TokenStream(table, None, False).add(ids) == "b"


@pytest.mark.parametrize(
    ("ids", "error"),
    [(-1, ValueError), ([0, 2**32], ValueError), ([0, "a"], TypeError), ("a", TypeError),
     (1.0, TypeError), (None, TypeError)],
)  # fmt: skip
def test_an_error_leaves_the_stream_as_it_was(ids: Any, error: type[Exception]) -> None:
    table = ByteTable([0, 1], ["a", "<0xC3>"], byte_fallback=True)
    stream = TokenStream(table, None, False)
    stream.add([0, 1])
    with pytest.raises(error):
        stream.add(ids)
    assert stream.text + stream.flush() == "a\ufffd"


def test_the_stream_ends_with_flush() -> None:
    stream = TokenStream(ByteTable([0], ["a"]), None, False)
    stream.add(0)
    assert stream.flush() == ""
    assert stream.flush() == ""
    with pytest.raises(ValueError, match="flushed"):
        stream.add(0)
    assert stream.text == "a"


def test_text_of_many_pieces() -> None:
    stream = TokenStream(ByteTable([0, 1], ["ab", "é"]), None, False)
    for i in range(10_000):
        stream.add(i % 2)
        if i == 5000:
            assert stream.text == "abé" * 2500 + "ab"
    assert stream.text == "abé" * 5000
    assert stream.text is stream.text


@settings(deadline=None)
@given(
    st.text(st.sampled_from("a é中😀\u0100\u07ff\u0800\uffff\U0010ffff"), max_size=6),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.binary(max_size=4),
    st.integers(0, 40),
)
def test_long_texts_of_every_width(some: str, other: str, tail: bytes, ascii_size: int) -> None:
    whole = (some * 30 + "x" * ascii_size + other * 30).encode() + tail
    stand_in = {byte: character for character, byte in STAND_INS.items()}
    table = ByteTable([0], ["".join(stand_in[byte] for byte in whole)], stand_ins=True)
    expected = whole.decode("utf-8", "replace")
    text = table.decode([0])
    assert text == expected
    assert text.isascii() == expected.isascii()
    assert sys.getsizeof(text) == sys.getsizeof(expected)


@pytest.mark.parametrize("pad", ["x" * 150, "é" * 150, "中" * 150, "😀" * 150])
def test_every_pair_of_bytes_in_a_long_text(pad: str) -> None:
    stand_in = {byte: character for character, byte in STAND_INS.items()}
    byte_ids = list(range(256))
    table = ByteTable([*byte_ids, 256], [*map(stand_in.get, byte_ids), "pad"], stand_ins=True,
                      first=lambda _: pad.encode())  # fmt: skip
    leads = [0x41, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, *range(0xE0, 0xF8), 0xFF]
    seconds = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC3]
    for lead in leads:
        for second in seconds:
            for tail in ([], [0x80], [0x80, 0xBF], [0x80, 0xC0], [0x41, 0x80]):
                data = [lead, second, *tail]
                expected = pad + bytes(data).decode("utf-8", "replace")
                assert table.decode([256, *data]) == expected
