"""The printable characters that stand for bytes (GPT-2's ``bytes_to_unicode``)."""

from __future__ import annotations


def _printable_bytes() -> str:
    """The character that stands for each byte (GPT-2's ``bytes_to_unicode``)."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    stands = {byte: chr(byte) for byte in shown}
    stands.update((byte, chr(256 + index)) for index, byte in enumerate(hidden))
    return "".join(stands[byte] for byte in range(256))


BYTE_CHARACTERS = _printable_bytes()


def to_byte_characters(text: str) -> str:
    """A text with each byte of its UTF-8 as the printable character that stands for it."""
    return text.encode("utf-8").decode("latin-1").translate(BYTE_CHARACTERS)
