"""Which matches of a string or a pattern are certain in a text that still grows.

A string is found by its borders (Knuth, Morris and Pratt, 1977). A pattern's syntax tree
becomes a nondeterministic automaton (Thompson, 1968) that is a little too generous:
look-aheads and ends of text are branches that read on, and greed is ignored. So wherever
none of its threads is alive, no engine can read further either: whatever comes next, the
attempts to match that began before are decided.
"""

from __future__ import annotations

from bisect import bisect_right

from textcore.pipeline.patterns import oniguruma
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.folding import resolve
from textcore.pipeline.patterns.matching import Pattern
from textcore.pipeline.patterns.syntax import (
    Anchor,
    Atomic,
    Choice,
    Group,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
)

MAX_STATES = 500
MAX_VISITS = 10_000
MEMORY = 1 << 16

_ANY: Ranges = ((0, 0x10FFFF),)
_END = -1

# How many characters after a place tell whether it is this kind of end.
_LOOKS = {"text_end": 1, "line_end": 1, "text_end_or_last_newline": 2}


class Needle:
    """A string to be found, and the longest proper border of each of its prefixes.

    The border tells where to go on after a mismatch.
    """

    def __init__(self, literal: str) -> None:
        self.literal = literal
        self.borders = [0] * len(literal)
        border = 0
        for i in range(1, len(literal)):
            while border and literal[i] != literal[border]:
                border = self.borders[border - 1]
            border += literal[i] == literal[border]
            self.borders[i] = border


class Unfollowable(Exception):
    """The pattern looks behind, refers back, can match nothing, or is too large."""


class Follower:
    """The automaton of a pattern; shared by streams, and no different for it.

    Its states read one character each. ``starts`` are those in which an attempt to match
    begins. What a state reads is remembered, up to a bound.
    """

    def __init__(self, tree: Node) -> None:
        self._sets: list[Ranges] = []
        self._after: list[int] = []
        self._forks: dict[int, list[int]] = {}
        self._visits = 0
        begin = self._add(tree, _END)
        self.starts = self._closure(begin)
        if _END in self.starts:
            raise Unfollowable
        self._closures: dict[int, frozenset[int]] = {}
        self._memory: dict[tuple[int, str], bool] = {}

    def _new(self, characters: Ranges, after: int) -> int:
        if len(self._sets) >= MAX_STATES:
            raise Unfollowable
        self._sets.append(characters)
        self._after.append(after)
        return len(self._sets) - 1

    def _fork(self, states: list[int]) -> int:
        if len(self._forks) >= MAX_STATES:
            raise Unfollowable
        # Forks read nothing; they are numbered downwards, below the end.
        name = -2 - len(self._forks)
        self._forks[name] = states
        return name

    def _add(self, node: Node, after: int) -> int:
        """The state (or fork) in which ``node`` begins, with ``after`` following it."""
        # Repeats of what reads nothing multiply without making a state.
        self._visits += 1
        if self._visits > MAX_VISITS:
            raise Unfollowable
        if isinstance(node, Set):
            return self._new(node.ranges, after)
        if isinstance(node, Literal) and not node.ignore_case:
            for code in reversed(node.codes):
                after = self._new(((code, code),), after)
            return after
        if isinstance(node, Sequence):
            for item in reversed(node.items):
                after = self._add(item, after)
            return after
        if isinstance(node, Choice):
            return self._fork([self._add(item, after) for item in node.items])
        if isinstance(node, (Group, Atomic)):
            return self._add(node.body, after)
        if isinstance(node, Repeat):
            return self._add_repeat(node, after)
        if isinstance(node, Look) and not node.behind:
            return self._fork([self._add(node.body, _END), after])
        if isinstance(node, Anchor) and node.place in _LOOKS:
            look = _END
            for _ in range(_LOOKS[node.place]):
                look = self._new(_ANY, look)
            return self._fork([look, after])
        raise Unfollowable

    def _add_repeat(self, node: Repeat, after: int) -> int:
        if node.low > MAX_STATES or (node.high or 0) > MAX_STATES:
            raise Unfollowable
        if node.high is None:
            loop = self._fork([after])
            self._forks[loop].append(self._add(node.body, loop))
            after = loop
        else:
            done = after
            for _ in range(node.high - node.low):
                after = self._fork([done, self._add(node.body, after)])
        for _ in range(node.low):
            after = self._add(node.body, after)
        return after

    def _closure(self, state: int) -> frozenset[int]:
        """The states that read next, from ``state`` on; with the end, if it is reached."""
        found, seen, todo = set(), set(), [state]
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            if state in self._forks:
                todo += self._forks[state]
            else:
                found.add(state)
        return frozenset(found)

    def _targets(self, state: int) -> frozenset[int]:
        """The states that read next once ``state`` has read its character."""
        targets = self._closures.get(state)
        if targets is None:
            targets = self._closure(self._after[state]) - {_END}
            self._closures[state] = targets
        return targets

    def _reads(self, state: int, character: str) -> bool:
        key = state, character
        known = self._memory.get(key)
        if known is None:
            code = ord(character)
            ranges = self._sets[state]
            index = bisect_right(ranges, (code, 0x110000)) - 1
            known = index >= 0 and code <= ranges[index][1]
            if len(self._memory) < MEMORY:
                self._memory[key] = known
        return known

    def begins(self, character: str) -> bool:
        """Whether a match may begin with ``character``."""
        return any(self._reads(state, character) for state in self.starts)

    def step(self, threads: dict[int, int], character: str, position: int) -> dict[int, int]:
        """The threads after one more character, each with the earliest place it began at.

        A new attempt begins at ``position``, where the character stands.
        """
        after: dict[int, int] = {}
        for state in self.starts:
            if state not in threads and self._reads(state, character):
                for target in self._targets(state):
                    after.setdefault(target, position)
        for state, began in threads.items():
            if self._reads(state, character):
                for target in self._targets(state):
                    if after.get(target, position) >= began:
                        after[target] = began
        return after


def follower_of(pattern: Pattern) -> Follower | None:
    """The automaton that follows ``pattern``, or None where there is none."""
    if pattern.dialect != "oniguruma":
        return None
    try:
        return Follower(resolve(oniguruma.parse(pattern.pattern, pattern.place)))
    except Unfollowable:
        return None
