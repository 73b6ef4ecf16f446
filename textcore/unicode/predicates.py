r"""The kinds of characters that the components of `tokenizers` tell apart.

Each is a set, read out of a component that uses it (``scripts/make_unicode_tables.py``):

======================= ====================================================================
``is_whitespace``       Rust's ``char::is_whitespace``: WhitespaceSplit, Strip, Bert
``is_numeric``          Rust's ``char::is_numeric``: Digits
``is_punctuation``      general category P and ASCII's punctuation: Punctuation, Bert
``word``, ``space``     ``\w`` and ``\s`` of the Rust crate `regex`: Whitespace, added tokens
``combining_mark``      what StripAccents removes
``nonspacing_mark``     what BertNormalizer removes as an accent, after NFD
``bert_removed``        what BertNormalizer's ``clean_text`` removes
``bert_whitespace``     what BertNormalizer's ``clean_text`` makes a space
``bert_chinese``        what BertNormalizer puts spaces around
======================= ====================================================================

``is_alphabetic`` and ``is_alphanumeric`` (Rust's, of the same Unicode version as ``is_numeric``)
show in no component, so they are the Rust regex crate's sets, ``\p{Alphabetic}`` and with
``\p{N}``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from textcore.core.charset import CharSet
from textcore.unicode import properties
from textcore.unicode.store import Ranges, Store

_DERIVED = {"is_alphabetic": ("Alphabetic",), "is_alphanumeric": ("Alphabetic", "N")}


@cache
def _store() -> Store:
    return Store(Path(__file__).parent / "predicates.bin")


def names() -> frozenset[str]:
    """The names of all kinds."""
    return _store().names | frozenset(_DERIVED)


def ranges(name: str) -> Ranges:
    """The characters of a kind, as sorted inclusive ranges. KeyError for an unknown name."""
    if name in _DERIVED:
        parts = [properties.ranges(part, "rust") for part in _DERIVED[name]]
        return _union(*parts)
    return _store().ranges(name)


@cache
def charset(name: str) -> CharSet:
    """The characters of a kind, made for looking up. KeyError for an unknown name."""
    return CharSet(ranges(name))


def _union(*parts: Ranges) -> Ranges:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(pair for part in parts for pair in part):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)
