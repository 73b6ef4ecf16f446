"""Tags that must not occur in a text, and the texts without them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from os.path import commonprefix
from typing import Any

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
from .texts import but, without

# A tree of tags by their characters; where one is complete, there is nothing behind it.
Tree = dict[str, Any]


class Fence:
    """Tags of which none may occur in a text, nor be completed by what closes the text.

    The texts without one tag, or without several in which no tag's first character occurs
    again, are described exactly. Of other tags, what stands before such a character is taken for
    the tag.
    """

    __slots__ = ("firsts", "seconds", "tags")

    def __init__(self, tags: Iterable[str]) -> None:
        kept = sorted(set(filter(None, tags)), key=len)
        short: list[str] = []
        for tag in kept:
            if not any(one in tag for one in short):
                short.append(tag)
        self.tags = tuple(short)
        self.firsts = "".join(sorted({tag[0] for tag in short}))
        self.seconds = "".join(sorted({tag[1:2] for tag in short}))

    def __bool__(self) -> bool:
        return bool(self.tags)

    def __contains__(self, text: str) -> bool:
        """Whether a text has one of the tags."""
        return any(tag in text for tag in self.tags)

    @property
    def first_ranges(self) -> Ranges:
        """The characters with which tags begin."""
        return ranges_of((ord(char), ord(char)) for char in self.firsts)

    def text(self) -> Node:
        """Any text in which no tag occurs."""
        return _free(self.tags) if self.tags else ANY_TEXT

    def begun(self) -> tuple[Node, Node]:
        """Such text that begins with a tag's first character: to its end, and before more of it.

        Neither has any texts where that can't be said.
        """
        return _begun(self.tags) if _plain(self.tags) else (NOTHING, NOTHING)

    def at_least(self, low: int) -> Node:
        """Such text of at least ``low`` characters."""
        if not self.tags:
            return Repeat(ANY_CHAR, low, None)
        if not low:
            return self.text()
        unit: Node = but(self.firsts)
        if _plain(self.tags) and all(len(tag) > 1 for tag in self.tags):
            # Two characters count as one: what begins like a tag and goes on otherwise.
            other = but(self.firsts + self.seconds)
            unit = Alt((unit, Cat((Chars(self.first_ranges), other))))
        return Cat((Repeat(unit, low, low), self.text()))

    def around(self, node: Node, place: str, work: Work) -> Node:
        """Strings of a language in which no tag occurs.

        All of them where the language is any text, or where it never has a tag. Else those
        without the tags' first characters: one regex can't say more without naming every state
        of both.
        """
        having = [tag for tag in self.tags if not _never_has(node, tag, place, work)]
        if not having:
            return node
        if isinstance(node, Repeat) and node.part == ANY_CHAR and node.high is None:
            return self.at_least(node.low)
        return without(node, ranges_of((ord(tag[0]), ord(tag[0])) for tag in having))


def _never_has(node: Node, tag: str, place: str, work: Work) -> bool:
    if isinstance(node, Repeat) and node.part == ANY_CHAR:
        return False
    having = Pattern(tag, place, Cat((ANY_TEXT, text_language(tag), ANY_TEXT)), work)
    return Pattern("", place, node, work).disjoint(having)


@lru_cache(maxsize=256)
def _free(tags: tuple[str, ...]) -> Node:
    """Text in which none of some tags occurs.

    With one character that begins all tags and is nowhere else in them: other characters, or
    that one, again and again with a proper beginning of a tag behind it, until a character comes
    with which no tag goes on.
    """
    if len(tags) == 1:
        return avoiding(tags[0])
    common = commonprefix(list(tags))  # noqa: RUF071
    if len(common) > 1 and not _plain(tags):
        return avoiding(common)
    attempts, escape, others = _steps(tags)
    unit = Cat((attempts, escape)) if escape != NOTHING else NOTHING
    units = tuple(part for part in (others, unit) if part != NOTHING)
    return Cat((Repeat(Alt(units), 0, None), attempts))


@lru_cache(maxsize=256)
def _begun(tags: tuple[str, ...]) -> tuple[Node, Node]:
    attempts, escape, _ = _steps(tags)
    if not isinstance(attempts, Repeat):
        return NOTHING, NOTHING
    left = Cat((attempts, escape)) if escape != NOTHING else NOTHING
    return Repeat(attempts.part, 1, None), left


def _steps(tags: tuple[str, ...]) -> tuple[Node, Node, Node]:
    """Beginnings of tags that begin anew, one that goes on otherwise, and other characters."""
    firsts = {tag[0] for tag in tags}
    tree: Tree = {}
    for tag in tags:
        node = tree
        for char in tag[0] + _before(tag[1:], firsts):
            node = node.setdefault(char, {})
        node[""] = {}
    stops = "".join(sorted(firsts))
    begun: list[Node] = []
    left: list[Node] = []
    for char, node in sorted(tree.items()):
        if "" not in node:
            begun.append(Cat((text_language(char), _inside(node))))
            left.append(Cat((text_language(char), _leaving(node, stops))))
    attempts = Repeat(Alt(tuple(begun)), 0, None) if begun else EMPTY_TEXT
    return attempts, Alt(tuple(left)) if left else NOTHING, but(stops)


def _before(text: str, chars: set[str]) -> str:
    """What stands before any of some characters."""
    return text[: next((i for i, char in enumerate(text) if char in chars), len(text))]


def _inside(node: Tree) -> Node:
    """The beginnings of tags from here on, an empty one as well."""
    ways: list[Node] = [EMPTY_TEXT]
    for char, inner in sorted(node.items()):
        if "" not in inner:
            ways.append(Cat((text_language(char), _inside(inner))))
    return Alt(tuple(ways)) if len(ways) > 1 else EMPTY_TEXT


def _leaving(node: Tree, stops: str) -> Node:
    """Such a beginning, and a character that no tag has behind it."""
    ways: list[Node] = [but(stops + "".join(node))]
    for char, inner in sorted(node.items()):
        if "" not in inner:
            ways.append(Cat((text_language(char), _leaving(inner, stops))))
    return Alt(tuple(ways)) if len(ways) > 1 else ways[0]


def _plain(tags: tuple[str, ...]) -> bool:
    """Whether no tag has a first character inside it."""
    firsts = {tag[0] for tag in tags}
    return all(firsts.isdisjoint(tag[1:]) for tag in tags)


# One tag.


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
