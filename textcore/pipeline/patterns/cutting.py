"""A table that cuts a text at all borders of matches, in one pass without going back.

An :class:`~textcore.core.scanner.Automaton` has to read the character after a match to know
that the match ends. In this table that move leads on into the next match (or into the gap
before it) at once, and says where to cut. What a single move cannot decide is marked slow,
and left to an ordinary search from the last cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag
from typing import Literal, NamedTuple

Rows = Sequence[Sequence[int]]


class Move(IntFlag):
    """What a move says, below the number of the next state (shifted by ``SHIFT``)."""

    CUT = 1  # cut before this character,
    BACK = 2  # or before the character before it
    RECORD = 4  # a match that can still grow ends before this character
    SLOW = 8  # search from the last cut instead


SHIFT = 4


class _State(NamedTuple):
    """Where a scan is, and in what state of the automaton.

    ``match``: in a match (found, or certain to be found) that begins at the last cut.
    ``maybe``: one character into what may become one, at the last cut.
    ``gap``: in a gap since the last cut (state 0), or one character into what may become
    a match that ends it.
    """

    kind: Literal["match", "maybe", "gap"]
    inner: int


def failing_states(moves: Rows) -> frozenset[int]:
    """The states from which an automaton may die before any match ends."""
    failing = {0}
    grew = True
    while grew:
        grew = False
        for state, row in enumerate(moves):
            if state not in failing and any(not m & 1 and m >> 1 in failing for m in row):
                failing.add(state)
                grew = True
    return frozenset(failing)


class _Cutter:
    def __init__(self, moves: Rows, start: int) -> None:
        self.moves = moves
        self.start = start
        self.failing = failing_states(moves)
        self.numbers: dict[_State, int] = {}
        self.order: list[_State] = []

    def number(self, state: _State) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.order)
            self.order.append(state)
        return self.numbers[state]

    def go(self, kind: Literal["match", "maybe", "gap"], inner: int, says: int = 0) -> int:
        return self.number(_State(kind, inner)) << SHIFT | int(says)

    def begin(self, symbol: int, in_gap: bool, says: int = 0) -> int:
        """The move on the first character at a cut, or within a gap."""
        inner = self.moves[self.start][symbol] >> 1
        if inner == 0:
            return self.go("gap", 0, says)
        if inner not in self.failing:
            return self.go("match", inner, says | (Move.CUT if in_gap else 0))
        return self.go("gap" if in_gap else "maybe", inner, says)

    def move(self, state: _State, symbol: int) -> int:
        kind, inner = state
        if kind == "gap" and inner == 0:
            return self.begin(symbol, in_gap=True)
        entry = self.moves[inner][symbol]
        following, ends = entry >> 1, entry & 1
        if following:
            if kind != "match" and not ends and following in self.failing:
                return Move.SLOW
            says = (Move.RECORD if ends else 0) | (Move.CUT | Move.BACK if kind == "gap" else 0)
            return self.go("match", following, says)
        if ends:
            return Move.SLOW if kind == "gap" else self.begin(symbol, False, Move.CUT)
        return Move.SLOW if kind == "match" else self.begin(symbol, in_gap=True)

    def ends_whole(self, state: _State) -> bool:
        """Whether what was read since the last cut is one piece where the text ends."""
        matches = bool(self.moves[state.inner][-1] & 1)
        return matches == (state.kind == "match") or state.kind == "maybe"

    def rows(self) -> tuple[tuple[int, ...], ...]:
        self.number(_State("match", self.start))
        last = len(self.moves[0]) - 1
        rows = []
        for position, state in enumerate(self.order):
            if position == 0:
                row = [self.begin(symbol, in_gap=False) for symbol in range(last)]
            else:
                row = [self.move(state, symbol) for symbol in range(last)]
            row.append(Move.CUT if position and self.ends_whole(state) else Move.SLOW)
            rows.append(tuple(map(int, row)))
        return tuple(rows)


def cutting_rows(moves: Rows, starts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The table for an automaton's ``moves``; empty where it has none.

    A row for each state, the first being that at a cut, with an entry for each class (a
    next state and what :class:`Move` says) and a last one for the end of the text. A
    pattern with empty matches, or whose matches depend on the character before, has none.
    """
    if len(set(starts)) > 1 or any(move & 1 for move in moves[starts[0]][:-1]):
        return ()
    return _Cutter(moves, starts[0]).rows()


def open_states(cuts: Rows) -> frozenset[int]:
    """The states from which a search may start anew no later than at the character just read."""
    slow, settled = int(Move.SLOW), int(Move.CUT | Move.RECORD)
    found = {s for s, row in enumerate(cuts) if any(entry & slow for entry in row)}
    grew = True
    while grew:
        grew = False
        for state, row in enumerate(cuts):
            if state not in found and any(
                not entry & settled and entry >> SHIFT in found for entry in row[:-1]
            ):
                found.add(state)
                grew = True
    return frozenset(found)
