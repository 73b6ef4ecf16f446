"""What can be done with a pattern's language: match, compare, bound the length.

Matching simulates the nondeterministic automaton (Thompson, "Regular expression search
algorithm", 1968), so its time is bounded by text times automaton whatever the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ...errors import UnsupportedError
from .limits import Work
from .patterns import (
    ANY_CHAR,
    ANY_TEXT,
    EMPTY,
    NOTHING,
    Alt,
    Cat,
    Chars,
    Node,
    Ranges,
    Repeat,
    complement,
    parse_pattern,
    ranges_of,
)

PAIR_LIMIT: Final = 2_000
"""Most pairs of state sets visited before two patterns count as possibly overlapping."""

NAME_LIMIT: Final = 64
"""Longest property name that can be kept out of a set of names."""


class _Automaton:
    """States with character edges and empty edges; state 0 starts, ``final`` accepts."""

    def __init__(self, node: Node, place: str, work: Work) -> None:
        self.place = place
        self.work = work
        self.edges: list[tuple[Ranges, int] | None] = []
        self.empty: list[list[int]] = []
        start = self._state()
        self.final = self._add(node, start)

    def _state(self) -> int:
        self.work.spend(5, self.place)
        self.edges.append(None)
        self.empty.append([])
        return len(self.edges) - 1

    def _add(self, node: Node, start: int) -> int:
        if isinstance(node, Chars):
            end = self._state()
            self.edges[start] = (node.ranges, end)
            return end
        if isinstance(node, Cat):
            for part in node.parts:
                start = self._add(part, self._next(start))
            return start
        if isinstance(node, Alt):
            end = self._state()
            for part in node.parts:
                self.empty[self._add(part, self._next(start))].append(end)
            return end
        assert isinstance(node, Repeat)
        for _ in range(node.low):
            start = self._add(node.part, self._next(start))
        if node.high is None:
            loop = self._next(start)
            self.empty[self._add(node.part, self._next(loop))].append(loop)
            return self._next(loop)
        end = self._state()
        for _ in range(node.high - node.low):
            self.empty[start].append(end)
            start = self._add(node.part, self._next(start))
        self.empty[start].append(end)
        return end

    def _next(self, start: int) -> int:
        state = self._state()
        self.empty[start].append(state)
        return state

    def closure(self, states: set[int]) -> frozenset[int]:
        todo, seen = list(states), set(states)
        while todo:
            for state in self.empty[todo.pop()]:
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
        return frozenset(seen)

    def step(self, states: frozenset[int], code: int) -> frozenset[int]:
        self.work.spend(len(states), self.place)
        reached = set()
        for state in states:
            edge = self.edges[state]
            if edge is not None and any(low <= code <= high for low, high in edge[0]):
                reached.add(edge[1])
        return self.closure(reached)

    def cuts(self, states: frozenset[int]) -> set[int]:
        """One code point of every kind that these states tell apart."""
        edges = [edge for state in states if (edge := self.edges[state]) is not None]
        return {low for ranges, _ in edges for low, _ in ranges} | {
            high + 1 for ranges, _ in edges for _, high in ranges
        }


@dataclass(frozen=True)
class Pattern:
    """A set of strings: those that ``source`` matches. ``place`` is where it is said."""

    source: str
    place: str = field(compare=False)
    node: Node = field(compare=False, repr=False)
    work: Work = field(compare=False, repr=False)

    @classmethod
    def parse(cls, source: str, place: str, work: Work) -> Pattern:
        """Read an ECMAScript pattern; raises as ``parse_pattern`` does."""
        work.spend(len(source), place)
        return cls(source, place, parse_pattern(source, place), work)

    @cached_property
    def _automaton(self) -> _Automaton:
        return _Automaton(self.node, self.place, self.work)

    def matches(self, text: str) -> bool:
        """Whether the string is in the set."""
        automaton = self._automaton
        states = automaton.closure({0})
        for char in text:
            if not states:
                return False
            states = automaton.step(states, ord(char))
        return automaton.final in states

    def disjoint(self, other: Pattern) -> bool:
        """Whether certainly no string is in both (False also where that took too long)."""
        one, two = self._automaton, other._automaton
        start = (one.closure({0}), two.closure({0}))
        todo, seen = [start], {start}
        while todo:
            left, right = todo.pop()
            if one.final in left and two.final in right:
                return False
            for code in one.cuts(left) | two.cuts(right):
                pair = (one.step(left, code), two.step(right, code))
                if all(pair) and pair not in seen:
                    seen.add(pair)
                    todo.append(pair)
            if len(seen) > PAIR_LIMIT:
                return False
        return True

    def of_length(self, low: int, high: int | None) -> Node:
        """The strings in the set with ``low`` to ``high`` code points.

        Raises:
            UnsupportedError: the pattern's lengths vary in a way that can't be restricted.
        """
        return _Clamp(self).clamp(self.node, low, high)


def lengths(node: Node) -> tuple[int, int | None]:
    """Shortest and longest string of a language; (1, 0) where it is empty."""
    if isinstance(node, Chars):
        return (1, 1) if node.ranges else (1, 0)
    if isinstance(node, Alt):
        spans = [s for s in map(lengths, node.parts) if s != (1, 0)]
        if not spans:
            return (1, 0)
        tops = _known([high for _, high in spans])
        return min(low for low, _ in spans), None if tops is None else max(tops)
    if isinstance(node, Cat):
        spans = [lengths(part) for part in node.parts]
        if (1, 0) in spans:
            return (1, 0)
        tops = _known([high for _, high in spans])
        return sum(low for low, _ in spans), None if tops is None else sum(tops)
    assert isinstance(node, Repeat)
    low, high = lengths(node.part)
    if (low, high) == (1, 0):
        return (0, 0) if node.low == 0 else (1, 0)
    if high == 0:
        return 0, 0
    endless = high is None or node.high is None
    return low * node.low, None if endless else (high or 0) * (node.high or 0)


def size(node: Node) -> int:
    """How many nodes a language is made of."""
    if isinstance(node, Cat | Alt):
        return 1 + sum(map(size, node.parts))
    return 1 + size(node.part) if isinstance(node, Repeat) else 1


def _known(values: list[int | None]) -> list[int] | None:
    """The values, or None if one of them is None."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


class _Clamp:
    """Restricts a language to a range of lengths, within a budget of parts."""

    def __init__(self, pattern: Pattern) -> None:
        self.place = pattern.place
        self.work = pattern.work

    def lengths(self, node: Node) -> tuple[int, int | None]:
        self.work.spend(5 * size(node), self.place)
        return lengths(node)

    def clamp(self, node: Node, low: int, high: int | None) -> Node:
        shortest, longest = self.lengths(node)
        if (shortest, longest) == (1, 0) or (high is not None and high < max(shortest, low)):
            return NOTHING
        if longest is not None and longest < low:
            return NOTHING
        if shortest >= low and (high is None or (longest is not None and longest <= high)):
            return node
        if isinstance(node, Alt):
            return _alt([self.clamp(part, low, high) for part in node.parts])
        if isinstance(node, Cat):
            return self._cat(node.parts, low, high)
        assert isinstance(node, Repeat)
        return self._repeat(node, low, high)

    def _refuse(self) -> UnsupportedError:
        return UnsupportedError(
            self.place,
            "pattern (or format) can't be combined with these minLength and maxLength as a"
            " regex; put the lengths into the pattern, or use a grammar",
        )

    def _repeat(self, node: Repeat, low: int, high: int | None) -> Node:
        shortest, longest = self.lengths(node.part)
        if shortest != longest or not shortest:
            raise self._refuse()
        least = max(node.low, -(-low // shortest))
        most = node.high if high is None else high // shortest
        if node.high is not None and most is not None:
            most = min(most, node.high)
        if most is not None and most < least:
            return NOTHING
        return Repeat(node.part, least, most)

    def _cat(self, parts: tuple[Node, ...], low: int, high: int | None) -> Node:
        """Split at the first part of varying length: every length of it, with the others'."""
        spans = [self.lengths(part) for part in parts]
        index = next(i for i, (least, most) in enumerate(spans) if least != most)
        fixed = sum(least for least, _ in spans[:index])
        shortest, longest = spans[index]
        head, part, tail = parts[:index], parts[index], Cat(parts[index + 1 :])
        low, high = max(low - fixed, 0), None if high is None else high - fixed
        tail_shortest, tail_longest = self.lengths(tail)
        if tail_shortest == tail_longest:
            inner = self.clamp(
                part,
                max(low - tail_shortest, 0),
                None if high is None else high - tail_shortest,
            )
            return NOTHING if inner == NOTHING else Cat((*head, inner, *tail.parts))
        branches = []
        # From `stop` on, the tail's own shortest string satisfies `low`.
        stop = max(low - tail_shortest, 0) if high is None else high - tail_shortest + 1
        if longest is not None:
            stop = min(stop, longest + 1)
        for size in range(shortest, stop):
            rest = self.clamp(tail, max(low - size, 0), None if high is None else high - size)
            if rest != NOTHING:
                branches.append(_both(self.clamp(part, size, size), rest))
        if high is None and (longest is None or stop <= longest):
            branches.append(_both(self.clamp(part, stop, None), tail))
        both = _alt(branches)
        return NOTHING if both == NOTHING else Cat((*head, both))


def _both(first: Node, second: Node) -> Node:
    return NOTHING if NOTHING in (first, second) else Cat((first, second))


def _alt(parts: list[Node]) -> Node:
    kept = tuple(part for part in parts if part != NOTHING)
    return kept[0] if len(kept) == 1 else Alt(kept)


def plain(low: int, high: int | None) -> Node:
    """Any string of ``low`` to ``high`` code points."""
    return Repeat(ANY_CHAR, low, high)


def text_language(text: str) -> Node:
    """This one string."""
    return Cat(tuple(Chars(((ord(char), ord(char)),)) for char in text))


def excluding(words: list[str]) -> Node:
    """Any string but these: along the tree of their beginnings, leave it or stop early."""
    by_head: dict[str, list[str]] = {}
    for word in words:
        if word:
            by_head.setdefault(word[0], []).append(word[1:])
    others = complement(ranges_of((ord(head), ord(head)) for head in by_head))
    branches: list[Node] = [] if "" in words else [EMPTY]
    branches.append(Cat((Chars(others), ANY_TEXT)))
    for head, rests in by_head.items():
        branches.append(Cat((Chars(((ord(head), ord(head)),)), excluding(rests))))
    return Alt(tuple(branches))
