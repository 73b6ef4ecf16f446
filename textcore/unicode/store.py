"""The file format of the pinned Unicode tables: named sets of code points, compactly.

A table file is the zlib stream of three parts:

* one line of JSON: the facts about the reference the tables were read from;
* one line a table, ``<bytes> <name> <name> …``: how many bytes its ranges take, and every
  name it goes by (most references know one set under several names);
* an empty line, then the ranges of all tables, one after another. A range is two LEB128
  numbers: the gap since the end of the range before it, and its length less one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

Ranges = tuple[tuple[int, int], ...]
"""Sorted, disjoint, inclusive ``(first, last)`` pairs of code points."""


def write_varint(value: int) -> bytes:
    """`value` (not negative) as a LEB128 number."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varints(data: bytes) -> list[int]:
    """All the LEB128 numbers that `data` consists of."""
    numbers = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
        else:
            numbers.append(value)
            value = shift = 0
    return numbers


def encode_ranges(ranges: Iterable[tuple[int, int]]) -> bytes:
    """Ranges as gaps and lengths (see the module's text)."""
    out = bytearray()
    end = 0
    for first, last in ranges:
        out += write_varint(first - end) + write_varint(last - first)
        end = last + 1
    return bytes(out)


def decode_ranges(data: bytes) -> Ranges:
    """The inverse of `encode_ranges`."""
    ranges = []
    end = 0
    numbers = iter(read_varints(data))
    for gap, length in zip(numbers, numbers, strict=True):
        first = end + gap
        end = first + length + 1
        ranges.append((first, end - 1))
    return tuple(ranges)


def pack(facts: Mapping[str, str], tables: Mapping[str, Ranges]) -> bytes:
    """A table file's uncompressed content. Equal tables are stored once."""
    names: dict[Ranges, list[str]] = {}
    for name, ranges in sorted(tables.items()):
        names.setdefault(ranges, []).append(name)
    lines = [json.dumps(facts, sort_keys=True)]
    bodies = []
    for ranges, aliases in names.items():
        body = encode_ranges(ranges)
        bodies.append(body)
        lines.append(" ".join([str(len(body)), *aliases]))
    return "\n".join(lines).encode("ascii") + b"\n\n" + b"".join(bodies)


class Store:
    """The tables of one file, read once; a table's ranges are decoded when first asked for.

    Safe to share between threads: two of them may decode the same table, with equal results.
    """

    def __init__(self, path: Path) -> None:
        head, _, self._bodies = zlib.decompress(path.read_bytes()).partition(b"\n\n")
        facts, *lines = head.decode("ascii").split("\n")
        self.facts: dict[str, str] = json.loads(facts)
        self._spans: dict[str, tuple[int, int]] = {}
        self._decoded: dict[tuple[int, int], Ranges] = {}
        start = 0
        for line in lines:
            size, *names = line.split(" ")
            span = (start, start + int(size))
            self._spans.update(dict.fromkeys(names, span))
            start = span[1]

    @property
    def names(self) -> frozenset[str]:
        """Every name of every table."""
        return frozenset(self._spans)

    def __contains__(self, name: str) -> bool:
        return name in self._spans

    def ranges(self, name: str) -> Ranges:
        """The ranges of the table called `name`, exactly so spelled; KeyError if there is none."""
        span = self._spans[name]
        ranges = self._decoded.get(span)
        if ranges is None:
            ranges = self._decoded[span] = decode_ranges(self._bodies[slice(*span)])
        return ranges
