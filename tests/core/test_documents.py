"""Documents in blocks of bytes, beside what Python's own methods find."""

from __future__ import annotations

from array import array

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textcore.core.documents import (
    Documents,
    encode_documents,
    first_invalid,
    invalid_utf8,
    sliced_documents,
    split_documents,
)
from textcore.data import default_tokenizer

# Bytes near every boundary of the table of well-formed sequences.
BYTES = st.sampled_from(
    bytes.fromhex("00417f80858f909fa0a9bfc0c1c2c3dfe0e1e2ecedeeeff0f1f3f4f5f8ff")
).map(lambda byte: bytes([byte]))
CHARACTERS = st.text(st.sampled_from("aé€한😀\ufeff\x00"), max_size=9).map(str.encode)
SEPARATORS = st.sampled_from([b"\n", b"\n\n", b"ab", b"aba", b"<|end|>"])
TOK = default_tokenizer()


def listed(documents: Documents) -> list[bytes]:
    return [documents[index] for index in range(len(documents))]


def split(text: bytes, separator: bytes) -> list[bytes]:
    return [part for part in text.split(separator) if part]


@given(st.lists(BYTES | CHARACTERS, max_size=12).map(b"".join))
def test_the_first_byte_that_is_not_utf8_is_where_pythons_codec_finds_it(data):
    try:
        data.decode("utf-8")
        expected = -1
    except UnicodeDecodeError as error:
        expected = error.start
    assert invalid_utf8(data) == expected


@given(st.text(alphabet="ab\n<|end|>", max_size=40).map(str.encode), SEPARATORS)
@example(b"aaaa", b"aa")
@example(b"", b"\n")
def test_documents_are_what_stands_between_separators(data, separator):
    documents = split_documents(data, separator)
    assert listed(documents) == split(data, separator)
    # What follows the last separator is a document only where it has text.
    parts = data.split(separator)
    assert documents.empty == len(parts) - len(documents) - (parts[-1] == b"")


def test_a_line_ends_with_a_carriage_return_or_without():
    documents = split_documents(b"one\r\ntwo\n\r\n\r\r\nlast\r", b"\n", True)
    assert listed(documents) == [b"one", b"two", b"\r", b"last"]
    assert documents.empty == 1


def test_an_empty_separator_is_refused():
    with pytest.raises(ValueError, match="separator"):
        split_documents(b"a", b"")


@pytest.mark.parametrize("offsets", [[0, 9], [2, 1], [-1, 1]])
def test_offsets_outside_are_refused(offsets):
    with pytest.raises(ValueError, match="offsets"):
        sliced_documents(b"abc", array("q", offsets))


def test_a_slice_that_is_not_utf8_by_itself_is_found():
    both = "aé".encode()
    assert first_invalid(sliced_documents(both, array("q", [0, 3]))) is None
    assert first_invalid(sliced_documents(both, array("q", [0, 0, 1, 2, 3]))) == (1, 0)


def encode(documents: Documents, prefix=(), suffix=(), width=4, **options):
    ids, lengths = encode_documents(
        TOK._pipeline.encoder,
        *TOK._matchers("all"),
        documents,
        prefix,
        suffix,
        lambda count: numpy.empty(count, f"u{width}"),
        lambda count: numpy.empty(count, "i4"),
        width,
        **options,
    )
    return ids.tolist(), lengths.tolist()


@given(st.lists(st.text(max_size=20), max_size=6), st.sampled_from([2, 4]))
def test_ids_are_the_tokenizers_with_what_goes_around_them(texts, width):
    data = [text.encode() for text in texts]
    offsets = numpy.cumsum([0, *map(len, data)], dtype="i8")
    ids, lengths = encode(sliced_documents(b"".join(data), offsets), [1, 2], [3], width)
    expected = [[1, 2, *TOK.encode(text), 3] for text in texts if text]
    assert ids == [token for each in expected for token in each]
    assert lengths == [len(each) for each in expected]


def test_parts_of_a_document_have_an_end_of_it_each():
    documents = split_documents(b"a\nb\nc", b"\n")
    a, b, c = (TOK.encode(text)[0] for text in "abc")
    ids, lengths = encode(documents, [1], [2], goes_on=True, stays_open=True)
    assert ids == [a, 2, 1, b, 2, 1, c]
    assert lengths == [2, 3, 2]


def test_an_id_without_room_is_refused():
    with pytest.raises(OverflowError):
        encode(split_documents(b"a", b"\n"), suffix=[1 << 16], width=2)


def test_documents_keep_what_they_are_in():
    documents = split_documents(bytes(bytearray(b"one\ntwo")), b"\n")
    assert listed(documents) == [b"one", b"two"]
    with pytest.raises(IndexError):
        documents[2]
