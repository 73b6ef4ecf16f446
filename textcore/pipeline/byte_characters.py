"""The printable characters that stand for bytes (GPT-2's ``bytes_to_unicode``)."""

from __future__ import annotations

from textcore.core.bytelevel import bytes_to_unicode

# At a byte's place, the character that stands for it: a table for ``str.translate``.
BYTE_CHARACTERS = "".join(bytes_to_unicode().values())


def to_byte_characters(text: str) -> str:
    """A text with each byte of its UTF-8 as the printable character that stands for it."""
    return text.encode("utf-8").decode("latin-1").translate(BYTE_CHARACTERS)
