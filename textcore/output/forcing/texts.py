"""Languages over text as it stands: what may be written before a tag ends it."""

from __future__ import annotations

from typing import Final

from ..formats.layout import Layout
from ..schema.fragments import EMPTY, Composer, Fragment, literal, regex_escape
from ..schema.languages import Pattern
from ..schema.limits import Work
from ..schema.patterns import (
    Alt,
    Cat,
    Chars,
    Node,
    Ranges,
    Repeat,
    complement,
    ranges_of,
)
from ..schema.strings import char_class

_FREE_SPACE: Final = 8
# Everything that str.strip takes off.
SPACES: Final = ranges_of((i, i) for i in range(0x3001) if chr(i).isspace())


def raw(node: Node, composer: Composer) -> Fragment | None:
    """A language as a regex over the text itself; None when it is empty."""
    if isinstance(node, Chars):
        if not node.ranges:
            return None
        (low, high), *more = node.ranges
        if low == high and not more:
            return Fragment(regex_escape(chr(low)), 1, True, chr(low))
        return Fragment(char_class(node.ranges), 1, True)
    if isinstance(node, Cat):
        written = [raw(part, composer) for part in node.parts]
        return None if None in written else composer.seq(p for p in written if p)
    if isinstance(node, Alt):
        kept = [p for p in (raw(part, composer) for part in node.parts) if p is not None]
        some = [p for p in kept if p.text]
        if not some:
            return EMPTY if kept else None
        joined = composer.alt(some)
        return joined if len(some) == len(kept) else composer.optional(joined)
    assert isinstance(node, Repeat)
    inner = raw(node.part, composer)
    if inner is None:
        return EMPTY if node.low == 0 else None
    return composer.repeat(inner, node.low, node.high)


def space(layout: Layout, text: str, composer: Composer) -> Fragment:
    """Whitespace that a layout has somewhere, as exactly as the layout knows it."""
    if layout.free:
        return composer.repeat(Fragment(r"[ \n]", 1, True), 0, _FREE_SPACE)
    part = literal(text)
    return composer.optional(part) if layout.loose else part


def but(characters: str) -> Chars:
    """Any one character, except these."""
    return Chars(complement(ranges_of((ord(c), ord(c)) for c in characters)))


def without(node: Node, ranges: Ranges) -> Node:
    """The strings of a language that have none of these characters."""
    return within(node, complement(ranges))


def within(node: Node, ranges: Ranges) -> Node:
    """The strings of a language that have these characters only."""
    if isinstance(node, Chars):
        outside = (*complement(node.ranges), *complement(ranges))
        return Chars(complement(ranges_of((*outside, (0xD800, 0xDFFF)))))
    if isinstance(node, Cat):
        return Cat(tuple(within(part, ranges) for part in node.parts))
    if isinstance(node, Alt):
        return Alt(tuple(within(part, ranges) for part in node.parts))
    assert isinstance(node, Repeat)
    return Repeat(within(node.part, ranges), node.low, node.high)


def has(node: Node, text: str, place: str, work: Work) -> bool:
    """Whether a string is in a language."""
    return Pattern("", place, node, work).matches(text)
