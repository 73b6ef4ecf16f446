"""The wire format of protocol buffers, as far as reading a file takes it.

Ours rather than a library's: the messages that are read here have a dozen fields, and a
library would be the only dependency that most users never need. Every length is checked
against what is there before anything is copied, groups (long deprecated) are refused, and
nothing nests, so no input takes more memory than its own size. Source: the Protocol
Buffers documentation, "Encoding".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from textcore.errors import SpecError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def _varint(data: bytes, at: int, end: int, place: str) -> tuple[int, int]:
    """An unsigned number of up to 64 bits, and where it ends."""
    value = shift = 0
    while True:
        if at >= end:
            raise SpecError(place, f"ends inside a number, at byte {at}")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > 63:
            raise SpecError(place, f"a number of more than 64 bits before byte {at}")
    return value & 0xFFFF_FFFF_FFFF_FFFF, at


def fields(
    data: bytes, place: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int, int, int, int]]:
    """The fields of a message in ``data[start:end]``, in order.

    Each is (number, wire type, value, start, end): the value of a number, or the span of
    its bytes. Raises SpecError.
    """
    end = len(data) if end is None else end
    at = start
    while at < end:
        key, at = _varint(data, at, end, place)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise SpecError(place, f"no protocol buffer: field 0 before byte {at}")
        if kind == VARINT:
            value, at = _varint(data, at, end, place)
            yield number, kind, value, at, at
            continue
        if kind == BYTES:
            size, at = _varint(data, at, end, place)
        elif kind == FIXED32:
            size = 4
        elif kind == FIXED64:
            size = 8
        else:
            raise SpecError(place, f"no protocol buffer: wire type {kind} before byte {at}")
        if size > end - at:
            raise SpecError(
                place, f"field {number} of {size} bytes at byte {at}; {end - at} are left"
            )
        yield number, kind, 0, at, at + size
        at += size


def expect(kind: int, wanted: int, place: str) -> None:
    """Raise SpecError where a field's wire type is not the one of its declaration."""
    if kind != wanted:
        raise SpecError(place, f"wire type {kind}; expected {wanted}")


def float32(data: bytes, start: int) -> float:
    """The little-endian float at ``start``."""
    value: float = struct.unpack_from("<f", data, start)[0]
    return value


def text(data: bytes, start: int, end: int, place: str) -> str:
    """A string field's text. Raises SpecError where it is not UTF-8."""
    try:
        return data[start:end].decode("utf-8")
    except UnicodeDecodeError:
        raise SpecError(place, "not UTF-8") from None
