"""Finders of the characters that some components are about, whatever their options."""

from __future__ import annotations

from functools import cache, lru_cache

from textcore.pipeline.patterns import Pattern, compile_pattern
from textcore.unicode import predicates
from textcore.unicode.store import Ranges

# What Rust's ``char::is_whitespace`` is true for.
WHITESPACE = "".join(
    chr(point)
    for first, last in predicates.ranges("is_whitespace")
    for point in range(first, last + 1)
)


def _spelled(ranges: Ranges) -> str:
    return "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in ranges)


def _bracketed(name: str) -> str:
    # Spelled out: a class's name would mean what another version of the crate knows.
    return _spelled(predicates.ranges(name))


@cache
def single(name: str) -> Pattern:
    """Finds each single character of a kind that :mod:`textcore.unicode.predicates` names."""
    return compile_pattern(f"[{_bracketed(name)}]", "rust")


@cache
def words() -> Pattern:
    r"""Finds runs of ``\w``, and runs of what is neither that nor ``\s``."""
    word, space = _bracketed("word"), _bracketed("space")
    return compile_pattern(f"[{word}]+|[^{word}{space}]+", "rust")


def ranges_of(text: str) -> Ranges:
    """The characters of a text as ranges."""
    return tuple((ord(char), ord(char)) for char in sorted(set(text)))


@lru_cache(32)
def runs(ranges: Ranges) -> Pattern:
    """Matches that tile any text: runs of some characters, and runs of all others."""
    inside = _spelled(ranges)
    return compile_pattern(f"[{inside}]+|[^{inside}]+", "rust")


@cache
def bert_words() -> Pattern:
    """Matches that tile any text: whitespace, one punctuation character, runs of others."""
    space, mark = _bracketed("is_whitespace"), _bracketed("is_punctuation")
    return compile_pattern(f"[{space}]+|[{mark}]|[^{space}{mark}]+", "rust")


@lru_cache(32)
def begun_by(ranges: Ranges) -> Pattern:
    """Matches that tile any text: each of some characters begins one."""
    inside = _spelled(ranges)
    return compile_pattern(f"[{inside}][^{inside}]*|[^{inside}]+", "rust")


@lru_cache(32)
def ended_by(ranges: Ranges) -> Pattern:
    """Matches that tile any text: each of some characters ends one."""
    inside = _spelled(ranges)
    return compile_pattern(f"[^{inside}]+[{inside}]?|[{inside}]", "rust")


@lru_cache(32)
def each(ranges: Ranges) -> Pattern:
    """Matches that tile any text: single ones of some characters, and runs of all others."""
    inside = _spelled(ranges)
    return compile_pattern(f"[{inside}]|[^{inside}]+", "rust")


@cache
def words_and_gaps() -> Pattern:
    """Matches that tile any text: those of :func:`words`, and what lies between them."""
    word, space = _bracketed("word"), _bracketed("space")
    return compile_pattern(f"[{word}]+|[^{word}{space}]+|[{space}]+", "rust")
