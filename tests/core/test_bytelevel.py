"""The printable stand-ins of bytes."""

from hypothesis import given
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from textcore import bytes_to_unicode
from textcore.core.bytelevel import byte_contents, to_bytes


def test_the_alphabet_is_the_references():
    assert sorted(bytes_to_unicode().values()) == sorted(ByteLevel.alphabet())


def test_every_byte_comes_back():
    stand_ins = bytes_to_unicode()
    assert {byte: to_bytes(char) for byte, char in stand_ins.items()} == {
        byte: bytes([byte]) for byte in range(256)
    }


@given(st.text())
def test_a_text_shown_by_the_reference_comes_back(text):
    shown = "".join(piece for piece, _ in ByteLevel(False, use_regex=False).pre_tokenize_str(text))
    assert to_bytes(shown) == text.encode()


def test_only_stand_ins_are_bytes():
    known = set(bytes_to_unicode().values())
    for code in range(0x400):
        assert (to_bytes(chr(code)) is not None) == (chr(code) in known)


def test_a_token_with_another_character_has_no_bytes():
    assert byte_contents({"Ġa": 0, "a b": 1, "": 2, "｜": 3}) == {"Ġa": b" a", "": b""}
