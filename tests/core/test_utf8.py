"""The incremental UTF-8 decoder against Python's own codec."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.utf8 import Utf8Decoder

# Bytes near every boundary of the table of well-formed sequences, so that ill-formed
# ones of every kind come up.
BYTES = st.sampled_from(
    bytes.fromhex("00417f80858f909fa0a9bfc0c1c2c3dfe0e1e2ecedeeeff0f1f3f4f5f8ff")
).map(lambda byte: bytes([byte]))
CHARACTERS = st.text(st.sampled_from("aé€한😀👩\u200d💻\ufeff\x00"), max_size=3).map(str.encode)
CHUNKS = st.lists(st.lists(BYTES | CHARACTERS, max_size=6).map(b"".join), max_size=12)


@settings(deadline=None)
@given(CHUNKS)
def test_pieces_joined_equal_the_whole_decoded(chunks: list[bytes]) -> None:
    decoder = Utf8Decoder()
    pieces = [decoder.decode(chunk) for chunk in chunks]
    pieces.append(decoder.flush())
    assert "".join(pieces) == b"".join(chunks).decode("utf-8", "replace")


@settings(deadline=None)
@given(CHUNKS)
def test_each_piece_comes_as_early_as_from_the_codec(chunks: list[bytes]) -> None:
    decoder = Utf8Decoder()
    codec = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for chunk in chunks:
        assert decoder.decode(chunk) == codec.decode(chunk)
        assert decoder.pending == codec.getstate()[0]


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(1, 5))
def test_any_bytes_in_even_chunks(data: bytes, size: int) -> None:
    decoder = Utf8Decoder()
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    text = "".join(decoder.decode(chunk) for chunk in chunks) + decoder.decode(b"", final=True)
    assert text == data.decode("utf-8", "replace")


@pytest.mark.parametrize("cut", range(1, 4))
def test_held_bytes_before_a_long_chunk(cut: int) -> None:
    data = "😀".encode() + "é".encode() * 5000
    decoder = Utf8Decoder()
    assert decoder.decode(data[:cut]) == ""
    assert decoder.pending == data[:cut]
    assert decoder.decode(data[cut:]) == data.decode()
    assert decoder.pending == b""


def test_final_ends_the_stream_and_begins_anew() -> None:
    decoder = Utf8Decoder()
    assert decoder.decode(b"a\xe2\x82", final=True) == "a\ufffd"
    assert decoder.decode(b"\xac", final=True) == "\ufffd"
    assert decoder.decode("€".encode(), final=True) == "€"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_takes_any_bytes_like_object(kind: type) -> None:
    assert Utf8Decoder().decode(kind("né".encode())) == "né"


@pytest.mark.parametrize("wrong", ["text", None, 3, [65]])
def test_refuses_what_is_not_bytes(wrong: object) -> None:
    with pytest.raises(TypeError):
        Utf8Decoder().decode(wrong)  # type: ignore[arg-type]
