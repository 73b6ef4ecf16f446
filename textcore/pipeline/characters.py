"""Finders of the characters that some components are about, whatever their options."""

from __future__ import annotations

from functools import cache

from textcore.pipeline.patterns import Pattern, compile_pattern
from textcore.unicode import predicates

# What Rust's ``char::is_whitespace`` is true for.
WHITESPACE = "".join(
    chr(point)
    for first, last in predicates.ranges("is_whitespace")
    for point in range(first, last + 1)
)


def _bracketed(name: str) -> str:
    # Spelled out: a class's name would mean what another version of the crate knows.
    return "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in predicates.ranges(name))


@cache
def single(name: str) -> Pattern:
    """Finds each single character of a kind that :mod:`textcore.unicode.predicates` names."""
    return compile_pattern(f"[{_bracketed(name)}]", "rust")


@cache
def words() -> Pattern:
    r"""Finds runs of ``\w``, and runs of what is neither that nor ``\s``."""
    word, space = _bracketed("word"), _bracketed("space")
    return compile_pattern(f"[{word}]+|[^{word}{space}]+", "rust")
