r"""Case folding as each regex dialect applies it for ``(?i:…)``.

The Rust crates compare single characters ("simple" folding). Oniguruma also lets one character
match two or three: ``(?i:ß)`` matches ``SS``, and ``(?i:ss)`` matches ``ẞ``. Both were read out
of the engines (``scripts/make_unicode_tables.py``) and checked over all scalar values.

Two characters match each other if they have the same *representative*: the first lower-case
letter of the set of characters that all match each other. Dialects are those of
`textcore.unicode.properties`.
"""

from __future__ import annotations

import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from textcore.unicode.properties import DIALECTS
from textcore.unicode.store import Ranges


class _Tables(NamedTuple):
    classes: dict[str, str]  # every member -> the whole class, representative first
    expansions: dict[str, str]
    contractions: dict[str, str]


@cache
def _tables(dialect: str) -> _Tables:
    if dialect not in DIALECTS:
        raise ValueError(f"unknown regex dialect {dialect!r}, expected one of {DIALECTS}")
    path = Path(__file__).parent / "folding.bin"
    data: dict[str, Any] = json.loads(zlib.decompress(path.read_bytes()))[dialect]
    classes = {char: members for members in data["classes"] for char in members}
    contractions: dict[str, str] = data["sequences"]
    expansions = {char: sequence for sequence, chars in contractions.items() for char in chars}
    return _Tables(classes, expansions, contractions)


def equivalents(char: str, dialect: str) -> str:
    """All single characters that match `char` without regard to case, itself included.

    In one string, the representative first; a character without case is alone.
    """
    return _tables(dialect).classes.get(char, char)


def representative(char: str, dialect: str) -> str:
    """The character that stands for all those that match `char`."""
    return equivalents(char, dialect)[0]


def expansion(char: str, dialect: str) -> str:
    """The two or three characters that `char` also matches, as representatives, or ``""``.

    ``expansion("ẞ", "oniguruma") == "ss"``: any spelling of each of the two matches.
    Always empty in "rust".
    """
    return _tables(dialect).expansions.get(char, "")


def contractions(sequence: str, dialect: str) -> str:
    """The single characters that also match `sequence` (two or three characters), in one string.

    ``contractions("Ss", "oniguruma") == "ßẞ"``.
    """
    tables = _tables(dialect)
    key = "".join(tables.classes.get(char, char)[0] for char in sequence)
    return tables.contractions.get(key, "")


def closure(ranges: Ranges, dialect: str) -> Ranges:
    """`ranges` with all single characters that match one of theirs without regard to case."""
    classes = _tables(dialect).classes
    spans = list(ranges)
    for members in {classes[char] for char in classes if _contains(ranges, ord(char))}:
        spans += [(ord(char), ord(char)) for char in members]
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def _contains(ranges: Ranges, point: int) -> bool:
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if ranges[middle][1] < point:
            low = middle + 1
        else:
            high = middle
    return low < len(ranges) and ranges[low][0] <= point
