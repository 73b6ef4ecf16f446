"""Regex text put together from parts, with its size counted while it is built.

Only syntax that every automaton-based engine takes is emitted: literals, classes,
non-capturing groups, alternation and greedy repeats. No look-around, no anchors, no
back-references: an engine that turns the regex into an automaton refuses those, and
matches the whole output anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ...errors import TextError, UnsupportedError

_META: Final = frozenset("\\.+*?()|[]{}^$")
_NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def regex_escape(text: str) -> str:
    r"""A regex that matches exactly ``text``, for ``re``, ``regex`` and Rust's engines alike.

    Metacharacters get a backslash, control characters are spelled ``\n``, ``\r``, ``\t`` or
    ``\xHH``; everything else stands for itself. (``re.escape`` also escapes spaces and ``<``
    or ``~``, which Rust's syntax either rejects or gives another meaning.) Not for use inside
    a character class, nor under a verbose flag.

    Raises:
        TypeError: ``text`` is not a string.
        TextError: it has a lone surrogate, which no UTF-8 text can contain.
    """
    if not isinstance(text, str):
        raise TypeError(f"regex_escape: expected str, not {type(text).__name__}")
    return "".join(map(_escape_one, text))


def _escape_one(char: str) -> str:
    if char in _META:
        return "\\" + char
    if char in _NAMED:
        return _NAMED[char]
    if char < " " or char == "\x7f":
        return f"\\x{ord(char):02x}"
    if "\ud800" <= char <= "\udfff":
        raise TextError(f"lone surrogate U+{ord(char):04X} can't be matched in UTF-8 text")
    return char


class Part:
    """A piece of a regex, or of a grammar that is made of regexes, tokens and rules."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Fragment(Part):
    """A piece of a regex.

    ``text`` may stand next to other pieces as it is. ``positions`` counts the characters and
    classes that it has once counted repeats are written out: the order of the size of the
    automaton that an engine builds. ``atomic``: a quantifier may follow directly. ``exact``:
    the only text that it matches, if that is known.
    """

    text: str
    positions: int
    atomic: bool = False
    exact: str | None = None


EMPTY: Final = Fragment("", 0, False, "")


def fragment(part: Part) -> Fragment:
    """A part that is known to be a piece of a regex."""
    assert isinstance(part, Fragment)
    return part


def literal(text: str) -> Fragment:
    """Exactly this text."""
    escaped = regex_escape(text)
    return Fragment(escaped, len(text), len(text) == 1, text)


class Structure(Protocol):
    """What a writer joins parts with: a :class:`Composer`, or one that makes a grammar.

    ``place``: the JSON pointer of what is being written, for errors.
    """

    place: str

    def seq(self, parts: Iterable[Part]) -> Part:
        """One after the other."""

    def alt(self, parts: Sequence[Part]) -> Part:
        """Any one of them; at least one is given."""

    def repeat(self, part: Part, low: int, high: int | None) -> Part:
        """``part`` from ``low`` to ``high`` times; None: without end."""

    def optional(self, part: Part) -> Part:
        """``part`` or nothing."""

    def share(self, part: Part) -> Part:
        """A part that is going to be used more than once."""


class Composer:
    """Joins fragments, and refuses what grows past ``limit`` positions.

    ``place`` (a JSON pointer, kept up to date by the caller) is what the error names. The text
    itself is bounded too: one position takes at most some fifty characters.
    """

    def __init__(
        self, limit: int, what: str = "as a regex", advice: str = ", or use a grammar"
    ) -> None:
        self.limit = limit
        self.place = ""
        self._what = what
        self._advice = advice

    def check(self, positions: int) -> int:
        """The size that something has, unless it is too large."""
        if positions > self.limit:
            raise UnsupportedError(
                self.place,
                f"{self._what} this takes more than max_positions={self.limit} positions"
                " (characters and classes, with counted repeats written out);"
                f" bound lengths and item counts lower{self._advice}",
            )
        return positions

    def seq(self, parts: Iterable[Part]) -> Fragment:
        """One after the other."""
        kept = [p for p in map(fragment, parts) if p.text]
        if len(kept) == 1:
            return kept[0]
        positions = self.check(sum(p.positions for p in kept))
        texts = [p.exact for p in kept if p.exact is not None]
        exact = "".join(texts) if len(texts) == len(kept) else None
        return Fragment("".join(p.text for p in kept), positions, False, exact)

    def alt(self, parts: Sequence[Part]) -> Fragment:
        """Any one of them (at least one is given); the same one twice counts once."""
        unique = list({p.text: p for p in map(fragment, parts)}.values())
        if len(unique) == 1:
            return unique[0]
        positions = self.check(sum(p.positions for p in unique))
        return Fragment(f"(?:{'|'.join(p.text for p in unique)})", positions, True)

    def repeat(self, part: Part, low: int, high: int | None) -> Fragment:
        """``part`` from ``low`` to ``high`` times (``None``: without end)."""
        part = fragment(part)
        if high == 0 or not part.text:
            return EMPTY
        if low == high == 1:
            return part
        times = max(low, 1) if high is None else high
        positions = self.check(part.positions * times)
        inner = part.text if part.atomic else f"(?:{part.text})"
        return Fragment(inner + _quantifier(low, high), positions)

    def optional(self, part: Part) -> Fragment:
        """``part`` or nothing."""
        return self.repeat(part, 0, 1)

    def share(self, part: Part) -> Fragment:
        """The part itself: a regex can't refer to one of its parts."""
        return fragment(part)


def joined(parts: Iterable[Part], structure: Structure, scalars: Composer) -> Part:
    """Parts in order, neighbouring regexes as one."""
    merged: list[Part] = []
    for part in parts:
        if merged and isinstance(part, Fragment) and isinstance(merged[-1], Fragment):
            merged[-1] = scalars.seq([merged[-1], part])
        else:
            merged.append(part)
    return structure.seq(merged)


def _quantifier(low: int, high: int | None) -> str:
    if high is None:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    if (low, high) == (0, 1):
        return "?"
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"
