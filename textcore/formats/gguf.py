"""Reading the tokenizer in a GGUF file's header; the tensors behind it are never read.

Source of the format: the GGUF specification of ``ggml`` (versions 2 and 3, little-endian).
The file is mapped into memory, and every length is checked against what is there before
anything is made of it.
"""

from __future__ import annotations

import mmap
import struct
from typing import Any, BinaryIO

from textcore.errors import SpecError, UnsupportedError
from textcore.formats.gguf_models import Bytes, Fields
from textcore.formats.huggingface import OWN_CONFIG, parse_json

MAGIC = b"GGUF"
# Values of a key, by the number of their type; strings are 8, arrays 9.
_NUMBERS = {
    0: ("<B", 1),
    1: ("<b", 1),
    2: ("<H", 2),
    3: ("<h", 2),
    4: ("<I", 4),
    5: ("<i", 4),
    6: ("<f", 4),
    7: ("<?", 1),
    10: ("<Q", 8),
    11: ("<q", 8),
    12: ("<d", 8),
}
_STRING, _ARRAY, _BOOL = 8, 9, 7
_PREFIX = "tokenizer."
_EMBEDDED = "tokenizer.huggingface.json"


class Header:
    """The keys of a header, read one after the other; only a tokenizer's are kept."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self._data = data
        self._at = 4
        self._size = len(data)
        self._place = "header"
        version = self._number("<I", 4)
        if version not in (2, 3):
            # A number of another byte order is a large one.
            raise UnsupportedError("header", f"GGUF version {version}; supported: 2, 3")
        self._number("<Q", 8)
        count = self._number("<Q", 8)
        # A key takes at least 13 bytes.
        if count > self._size // 13:
            raise SpecError("header", f"{count} keys in {self._size} bytes")
        self.values: dict[str, Any] = {}
        for index in range(count):
            self._place = f"header key {index}"
            key = self._text()
            self._place = key[:80]
            keep = key.startswith(_PREFIX)
            value = self._value(self._number("<I", 4), keep)
            if keep:
                self.values[key] = value

    def _take(self, size: int) -> int:
        at = self._at
        if size > self._size - at:
            raise SpecError(
                self._place, f"{size} bytes at byte {at}; the file has {self._size - at} more"
            )
        self._at = at + size
        return at

    def _number(self, layout: str, size: int) -> Any:
        return struct.unpack_from(layout, self._data, self._take(size))[0]

    def _text(self) -> str:
        size = self._number("<Q", 8)
        at = self._take(size)
        try:
            return self._data[at : at + size].decode("utf-8")
        except UnicodeDecodeError:
            raise SpecError(self._place, f"not UTF-8 at byte {at}") from None

    def _value(self, kind: int, keep: bool) -> Any:
        if kind == _STRING:
            if keep:
                return self._text()
            self._take(self._number("<Q", 8))
            return None
        if kind == _ARRAY:
            return self._array(keep)
        if kind not in _NUMBERS:
            raise SpecError(self._place, f"unknown type {kind}")
        return self._number(*_NUMBERS[kind])

    def _array(self, keep: bool) -> list[Any] | Bytes:
        kind = self._number("<I", 4)
        count = self._number("<Q", 8)
        if kind in _NUMBERS:
            layout, size = _NUMBERS[kind]
            at = self._take(count * size)
            if not keep:
                return []
            if size == 1 and kind != _BOOL:
                return Bytes(self._data[at : at + count])
            return list(struct.unpack_from(f"<{count}{layout[1]}", self._data, at))
        if kind != _STRING:
            raise SpecError(self._place, f"an array of type {kind} is not supported")
        if count > (self._size - self._at) // 8:
            raise SpecError(self._place, f"{count} strings at byte {self._at}")
        if keep:
            return [self._text() for _ in range(count)]
        for _ in range(count):
            self._take(self._number("<Q", 8))
        return []


def is_gguf(start: bytes) -> bool:
    """Whether a file that begins with ``start`` is a GGUF file."""
    return start[:4] == MAGIC


def gguf_spec(stream: BinaryIO) -> dict[str, Any]:
    """The specification of the tokenizer in a GGUF file. Raises SpecError."""
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        values = Header(data).values
    embedded = values.get(_EMBEDDED)
    if isinstance(embedded, str):
        # The tokenizer.json itself, beside what was made of it.
        spec = parse_json(embedded)
        return {**spec, OWN_CONFIG: Fields(values).config()}
    return Fields(values).spec()
