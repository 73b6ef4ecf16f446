"""Classes of characters that components know by name, as the reference's Rust has them."""

from __future__ import annotations

from functools import cache

from textcore.pipeline.matches import Finder
from textcore.pipeline.patterns import compile_pattern
from textcore.unicode import properties

Ranges = tuple[tuple[int, int], ...]


def members(ranges: Ranges) -> str:
    """The characters of a class, which should be a small one."""
    return "".join(chr(code) for first, last in ranges for code in range(first, last + 1))


def finder(ranges: Ranges) -> Finder:
    """A finder for which each single character of a class is a match."""
    body = "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in ranges)
    return compile_pattern(f"[{body}]", "rust")


# White_Space of the Unicode Character Database, as Rust's ``char::is_whitespace``.
WHITESPACE = members(properties.ranges("White_Space", "rust"))


@cache
def whitespace() -> Finder:
    """Finds single characters for which Rust's ``char::is_whitespace`` is true."""
    return finder(properties.ranges("White_Space", "rust"))


@cache
def numeric() -> Finder:
    """Finds single characters for which Rust's ``char::is_numeric`` is true."""
    return finder(properties.predicate("numeric"))


@cache
def punctuation() -> Finder:
    """Finds single characters that the reference's Punctuation splits at."""
    return finder(properties.predicate("punctuation"))


@cache
def words() -> Finder:
    """Finds runs of word characters, and runs of what is neither that nor whitespace."""
    return compile_pattern(r"\w+|[^\w\s]+", "rust")
