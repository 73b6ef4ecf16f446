"""Languages over text as it stands: what may be written before a tag ends it."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ..formats.layout import Layout
from ..schema.fragments import EMPTY, Composer, Fragment, literal, regex_escape
from ..schema.languages import Pattern, text_language
from ..schema.limits import Work
from ..schema.patterns import (
    ANY_CHAR,
    ANY_TEXT,
    NOTHING,
    Alt,
    Cat,
    Chars,
    Node,
    Ranges,
    Repeat,
    complement,
    ranges_of,
)
from ..schema.patterns import EMPTY as EMPTY_TEXT
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


def overlaps(tag: str) -> bool:
    """Whether a tag ends as it begins, so that a text before it may complete it too soon."""
    return any(tag.startswith(tag[i:]) for i in range(1, len(tag)))


@lru_cache(maxsize=64)
def avoiding(tag: str) -> Node:
    """Any text in which ``tag`` does not occur, nor when the tag itself follows.

    The automaton that looks for the tag (Knuth, Morris and Pratt, "Fast pattern matching in
    strings", 1977), written as an expression: in state ``i``, the tag's first ``i`` characters
    stand at the end.
    """
    if overlaps(tag):
        return Repeat(but(tag[0]), 0, None)
    node: Node = EMPTY_TEXT
    returns = _returns(tag)
    for state in range(len(tag) - 1, -1, -1):
        loop = Repeat(returns[state][state], 0, None)
        node = Cat((loop, node)) if state == 0 else _perhaps(tag[state - 1], loop, node)
    return node


def avoiding_all(tags: Sequence[str]) -> Node:
    """Text in which none of several tags occurs.

    All such text for one tag, or for several that begin alike. Else no tag's first two
    characters stand together: several automata in one expression would be too large.
    """
    common = os.path.commonprefix(list(tags))  # noqa: RUF071
    if len(common) > 1 or len(set(tags)) == 1:
        return avoiding(common)
    firsts = "".join(sorted({tag[0] for tag in tags}))
    units: list[Node] = [but(firsts)]
    for first in firsts:
        alone = any(tag == first for tag in tags)
        seconds = "".join(tag[1:2] for tag in tags if tag[0] == first)
        if not alone:
            units.append(Cat((text_language(first), but(firsts + seconds))))
    return Repeat(Alt(tuple(units)), 0, None)


def _perhaps(char: str, *behind: Node) -> Node:
    return Alt((EMPTY_TEXT, Cat((text_language(char), *behind))))


def _returns(tag: str) -> list[list[Node]]:
    """For every state, the texts that lead from it to each one that is not beyond it."""
    known = sorted(set(tag))
    table: list[list[Node]] = [[] for _ in tag]
    for state in range(len(tag) - 1, -1, -1):
        targets: list[list[tuple[int, int]]] = [[] for _ in range(state + 1)]
        for char in known:
            if char != tag[state]:
                targets[_next(tag, state, char)].append((ord(char), ord(char)))
        ranges = [ranges_of(pairs) for pairs in targets]
        ranges[0] = ranges_of(
            (*ranges[0], *complement(ranges_of((ord(c), ord(c)) for c in known)))
        )
        for target in range(state + 1):
            direct: Node = Chars(ranges[target]) if ranges[target] else NOTHING
            table[state].append(_or(direct, _beyond(tag, table, state, target)))
    return table


def _next(tag: str, state: int, char: str) -> int:
    """The state behind another character."""
    text = tag[:state] + char
    return next(size for size in range(state, -1, -1) if text.endswith(tag[:size]))


def _beyond(tag: str, table: list[list[Node]], state: int, target: int) -> Node:
    """From a state one further, and then back."""
    if state + 1 == len(tag) or table[state + 1][target] == NOTHING:
        return NOTHING
    loop = table[state + 1][state + 1]
    middle = () if loop == NOTHING else (Repeat(loop, 0, None),)
    return Cat((text_language(tag[state]), *middle, table[state + 1][target]))


def _or(first: Node, second: Node) -> Node:
    kept = [node for node in (first, second) if node != NOTHING]
    return kept[0] if len(kept) == 1 else Alt(tuple(kept))


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


def fenced(node: Node, tag: str, place: str, work: Work) -> Node:
    """Strings of a language in which a tag does not occur.

    All of them where the language is any text, or where it never has the tag. Else those
    without the tag's first character: one regex can't say more without naming every state of
    both.
    """
    if not tag or _never_has(node, tag, place, work):
        return node
    if isinstance(node, Repeat) and node.part == ANY_CHAR and node.high is None:
        return open_text(node.low, tag)
    return without(node, ((ord(tag[0]), ord(tag[0])),))


def open_text(low: int, tag: str) -> Node:
    """Any text of at least ``low`` characters, without the tag if there is one."""
    if not tag:
        return Repeat(ANY_CHAR, low, None)
    if not low:
        return avoiding(tag)
    unit: Node = but(tag[0])
    if tag.count(tag[0]) == 1 and len(tag) > 1:
        # Two characters count as one: what begins like the tag and goes on otherwise.
        unit = Alt((unit, Cat((text_language(tag[0]), but(tag[:2])))))
    return Cat((Repeat(unit, low, low), avoiding(tag)))


def _never_has(node: Node, tag: str, place: str, work: Work) -> bool:
    if isinstance(node, Repeat) and node.part == ANY_CHAR:
        return False
    having = Pattern(tag, place, Cat((ANY_TEXT, text_language(tag), ANY_TEXT)), work)
    return Pattern("", place, node, work).disjoint(having)


def has(node: Node, text: str, place: str, work: Work) -> bool:
    """Whether a string is in a language."""
    return Pattern("", place, node, work).matches(text)
