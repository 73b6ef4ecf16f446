"""A cursor over the text of a pattern, with errors that say where it stands."""

from __future__ import annotations

from typing import NoReturn

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.patterns.charset import LAST, Ranges
from textcore.pipeline.patterns.syntax import MAX_DEPTH
from textcore.unicode import properties

#: Longest pattern that is read; the longest in use has fewer than 2,000 characters.
MAX_LENGTH = 100_000

#: How many ranges of named sets a pattern may mention; those in use mention some 10,000.
MAX_RANGES = 400_000

#: What it costs to ignore the case of a set, in ranges.
FOLDING = 8_000


class Reader:
    """Reads one pattern of one dialect; ``place`` names it in errors."""

    dialect: str

    def __init__(self, pattern: str, place: str) -> None:
        self.pattern = pattern
        self.place = place
        self.position = 0
        self.depth = 0
        self.mentioned = 0
        if len(pattern) > MAX_LENGTH:
            self.unsupported(f"a pattern of {len(pattern)} characters (at most {MAX_LENGTH})")

    def invalid(self, problem: str) -> NoReturn:
        """Refuse a pattern that the reference refuses, too."""
        raise SpecError(self.place, f"invalid pattern at character {self.position}: {problem}")

    def unsupported(self, what: str) -> NoReturn:
        """Refuse what the reference knows and this reader doesn't."""
        raise UnsupportedError(
            self.place, f"unsupported in a pattern at character {self.position}: {what}"
        )

    @property
    def at_end(self) -> bool:
        """Whether everything is read."""
        return self.position >= len(self.pattern)

    def peek(self) -> str:
        """The next character, or the empty string at the end."""
        return self.pattern[self.position : self.position + 1]

    def looking_at(self, text: str) -> bool:
        """Whether ``text`` comes next."""
        return self.pattern.startswith(text, self.position)

    def take(self, expecting: str = "more") -> str:
        """The next character, which must be there."""
        if self.at_end:
            self.invalid(f"it ends where {expecting} should follow")
        char = self.pattern[self.position]
        self.position += 1
        return char

    def skip(self, text: str) -> bool:
        """Step over ``text`` if it comes next."""
        if self.looking_at(text):
            self.position += len(text)
            return True
        return False

    def take_while(self, allowed: str, limit: int) -> str:
        """The next characters out of ``allowed``, at most ``limit`` of them."""
        start = self.position
        end = min(len(self.pattern), start + limit)
        while self.position < end and self.pattern[self.position] in allowed:
            self.position += 1
        return self.pattern[start : self.position]

    def deeper(self) -> None:
        """Count one more level of nesting."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.unsupported(f"nesting deeper than {MAX_DEPTH} levels")

    def code_point(self, digits: str, base: int) -> int:
        """A scalar value written in digits."""
        code = int(digits, base) if digits else 0
        if code > LAST or 0xD800 <= code <= 0xDFFF:
            self.unsupported(f"{digits}, which is no Unicode scalar value")
        return code

    def property_ranges(self, name: str, bracketed: bool = False) -> Ranges:
        """The set of a property, shorthand or POSIX class of this dialect.

        ``bracketed``: as it is inside a class.
        """
        try:
            ranges = properties.ranges(name, self.dialect, bracketed)
        except KeyError:
            self.invalid(f"unknown property {name!r}")
        self.mention(len(ranges))
        return ranges

    def mention(self, count: int) -> None:
        """Count the ranges of sets that a pattern mentions, each of which takes time."""
        self.mentioned += count
        if self.mentioned > MAX_RANGES:
            self.unsupported(f"sets of more than {MAX_RANGES} ranges in all")
