r"""Reading character classes out of the regex engines of the references.

All scalar values are put into one string, the engine finds a class in it, and what it found
is read back as ranges.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import tiktoken
from tokenizers import NormalizedString, Regex

Ranges = tuple[tuple[int, int], ...]

SCALARS = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
"""Every Unicode scalar value, once, in order: 1,112,064 characters."""

MAX = 0x10FFFF


def to_ranges(code_points: Iterable[int]) -> Ranges:
    """Ascending code points as inclusive ranges."""
    ranges: list[tuple[int, int]] = []
    for point in code_points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return tuple(ranges)


def split_at_surrogates(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Runs of `SCALARS` as ranges: there, U+E000 follows U+D7FF."""
    out: list[tuple[int, int]] = []
    for first, last in ranges:
        if first < 0xD800 and last > 0xDFFF:
            out += [(first, 0xD7FF), (0xE000, last)]
        else:
            out.append((first, last))
    return tuple(out)


class Oniguruma:
    """`tokenizers.Regex`: what `tokenizers` splits and replaces with."""

    def __init__(self) -> None:
        self._all = NormalizedString(SCALARS)

    def find(self, pattern: str) -> Ranges:
        """The characters that `pattern`, a class, matches. ValueError if it is no pattern."""
        try:
            regex = Regex(f"{pattern}+")
        except Exception as error:
            raise ValueError(f"not a pattern: {pattern}") from error
        ranges = []
        end = 0
        for rest in (piece.normalized for piece in self._all.split(regex, "removed")):
            if ord(rest[0]) > end:
                ranges.append((end, ord(rest[0]) - 1))
            end = ord(rest[-1]) + 1
        if end <= MAX:
            ranges.append((end, MAX))
        found = [(0xE000 if f == 0xD800 else f, 0xD7FF if t == 0xDFFF else t) for f, t in ranges]
        return split_at_surrogates((f, t) for f, t in found if f <= t)


class Rust:
    """The crates `regex` and `fancy-regex`, through the patterns of `tiktoken`.

    tiktoken drops what its pattern doesn't match, so with a vocabulary of single bytes the
    encoding of all characters is the UTF-8 of those that the pattern matches.
    """

    RANKS: ClassVar = {bytes([byte]): byte for byte in range(256)}

    def find(self, pattern: str) -> Ranges:
        """The characters that `pattern`, a class, matches. ValueError if it is no pattern."""
        try:
            encoding = tiktoken.Encoding(
                "probe", pat_str=pattern, mergeable_ranks=self.RANKS, special_tokens={}
            )
        except Exception as error:
            raise ValueError(f"not a pattern: {pattern}") from error
        return to_ranges(map(ord, bytes(encoding.encode_ordinary(SCALARS)).decode()))
