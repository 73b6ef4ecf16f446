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
``grapheme_…``          the kinds of :class:`textcore.core.graphemes.Graphemes`: Precompiled
``script_…``            the scripts that UnicodeScripts divides at, by their first character
======================= ====================================================================

The standard library of Rust knows a newer Unicode than the crate `regex`, and that a newer one
than the crates for general categories and normalization: ``is_numeric`` is no ``\p{N}`` here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from textcore.core.charset import CharSet
from textcore.unicode.store import Ranges, Store


@cache
def _store() -> Store:
    return Store(Path(__file__).parent / "predicates.bin")


def names() -> frozenset[str]:
    """The names of all kinds."""
    return _store().names


def ranges(name: str) -> Ranges:
    """The characters of a kind, as sorted inclusive ranges. KeyError for an unknown name."""
    return _store().ranges(name)


@cache
def charset(name: str) -> CharSet:
    """The characters of a kind, made for looking up. KeyError for an unknown name."""
    return CharSet(ranges(name))
