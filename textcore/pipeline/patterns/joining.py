"""Several splits in turn as one cutting table.

Each split sees a piece of the one before it as a text of its own. A state here is a state
of each split's cutting table (:mod:`textcore.pipeline.patterns.cutting`): a character moves
them all, and where one of them cuts, those after it see the end of a text, and start anew.

A cutting table is run again from any cut, and, where a move is slow, from the last match
that was recorded. So at each such place the splits that do not cut there themselves have to
be as if they began there. Splits of which that can't be shown are not joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textcore.pipeline.patterns.cutting import SHIFT, Move, Rows, open_states

# Plain numbers: the flags' own operators are slow.
_CUT, _BACK, _RECORD, _SLOW = map(int, (Move.CUT, Move.BACK, Move.RECORD, Move.SLOW))
_FLAGS = (1 << SHIFT) - 1

MAX_STATES = 500
#: The classes of characters that the joint table may have.
MAX_SYMBOLS = 250


class Apart(Exception):
    """The splits can't be joined."""


@dataclass(frozen=True)
class Joint:
    """A cutting table of several splits, and its classes of characters, as in ``Tables``."""

    block_of: tuple[int, ...]
    blocks: bytes
    cuts: tuple[tuple[int, ...], ...]

    def symbol(self, code: int) -> int:
        """The class of a code point."""
        return self.blocks[self.block_of[code >> 8] * 256 + (code & 255)]

    def goes_on(self) -> bool:
        """Whether no cut comes where one is already, so that a scan always gets further."""
        first = {entry >> SHIFT for entry in self.cuts[0][:-1]}
        first |= {e >> SHIFT for row in self.cuts for e in row if e & _CUT and not e & _BACK}
        return not any(entry & _CUT for entry in self.cuts[0][:-1]) and not any(
            entry & _BACK for state in first for entry in self.cuts[state]
        )


class _State(NamedTuple):
    """Where all the splits are.

    ``pending``: the splits that recorded a match at the last place where any did, if nothing
    was cut since, and a search may begin there. ``fresh``: where each would be had its text
    begun with the last character, if one may yet cut before that; ``apart``: those that may
    not do so, because the splits below had to know.
    """

    states: tuple[int, ...]
    pending: frozenset[int] = frozenset()
    fresh: tuple[int, ...] = ()
    apart: frozenset[int] = frozenset()


class _Joiner:
    def __init__(self, rows: Sequence[Rows], symbols: Sequence[tuple[int, ...]]) -> None:
        self.rows = [_without_idle_records(cuts) for cuts in rows]
        self.symbols = symbols
        self.ends = [len(cuts[0]) - 1 for cuts in rows]
        # The states from which a cut may come before the character just read.
        self.late = [
            {state for state, row in enumerate(cuts) if any(e & _BACK for e in row)}
            for cuts in rows
        ]
        self.same = [_same_after_a_cut(cuts) for cuts in self.rows]

    def move(self, state: _State, symbol: tuple[int, ...]) -> tuple[_State, int]:
        """The state after a character, and what the move says."""
        begun = self.begun(symbol)
        before = list(state.states)
        after: list[int] = []
        back = cut = -1
        for level, cuts in enumerate(self.rows):
            if cut >= 0:
                if cuts[before[level]][self.ends[level]] & _SLOW:
                    return self.again(state, level)
                after.append(begun[level])
                continue
            entry = cuts[before[level]][symbol[level]]
            if entry & _SLOW:
                # Before this character there may yet be a cut, which would be the end for it.
                if back >= 0 or any(
                    inner in late for inner, late in zip(after, self.late, strict=False)
                ):
                    raise Apart
                return self.again(state, level)
            if entry & _BACK and back < 0:
                if level in state.apart or not self.rejoins(state, symbol, level):
                    raise Apart
                back = level
                before[level + 1 :] = state.fresh[level + 1 :]
            elif entry & _CUT and not entry & _BACK:
                # A move tells of one cut only.
                if back >= 0 or not self.alike(before, symbol, level):
                    raise Apart
                cut = level
            after.append(entry >> SHIFT)
        if cut >= 0:
            return self.packed(begun, frozenset(), begun, frozenset()), _CUT
        apart, recorded, restarts = set(), False, set()
        for level, cuts in enumerate(self.rows):
            whole = self.whole(before, symbol, level)
            if not whole:
                apart.add(level)
            if cuts[before[level]][symbol[level]] & _RECORD:
                recorded = True
                if whole and self.alike(before, symbol, level):
                    restarts.add(level)
        says = (_CUT | _BACK if back >= 0 else 0) | (_RECORD if recorded else 0)
        pending = state.pending if not says else frozenset(restarts)
        return self.packed(tuple(after), pending, begun, frozenset(apart)), says

    def begun(self, symbol: tuple[int, ...]) -> tuple[int, ...]:
        """The states after the first character of a text."""
        entries = [cuts[0][s] for cuts, s in zip(self.rows, symbol, strict=True)]
        if any(entry & _FLAGS for entry in entries):
            raise Apart
        return tuple(entry >> SHIFT for entry in entries)

    def packed(
        self,
        states: tuple[int, ...],
        pending: frozenset[int],
        begun: tuple[int, ...],
        apart: frozenset[int],
    ) -> _State:
        """A state, without what does not matter."""
        late = {level for level, inner in enumerate(states) if inner in self.late[level]}
        if not late:
            return _State(states, pending)
        return _State(states, pending, begun, apart & late)

    def alike(self, before: list[int], symbol: tuple[int, ...], level: int) -> bool:
        """Whether the splits above one go on as if they began with this character."""
        for above, cuts in zip(range(level), self.rows, strict=False):
            entry = cuts[before[above]][symbol[above]]
            pair = entry >> SHIFT, cuts[0][symbol[above]] >> SHIFT
            if entry & _FLAGS or (pair[0] != pair[1] and pair not in self.same[above]):
                return False
        return True

    def rejoins(self, state: _State, symbol: tuple[int, ...], level: int) -> bool:
        """Whether the splits above one go on as if they had begun with the last character."""
        for above, cuts in zip(range(level), self.rows, strict=False):
            entry = cuts[state.states[above]][symbol[above]]
            if entry & _FLAGS or entry != cuts[state.fresh[above]][symbol[above]]:
                return False
        return True

    def whole(self, before: list[int], symbol: tuple[int, ...], level: int) -> bool:
        """Whether the splits below one cut nothing more if their text ends before this character.

        Nor may this character tell of a cut before the last one, if their text goes on.
        """
        return not any(
            self.rows[below][before[below]][self.ends[below]] & _SLOW
            or self.rows[below][before[below]][symbol[below]] & (_BACK | _SLOW)
            for below in range(level + 1, len(self.rows))
        )

    def again(self, state: _State, level: int) -> tuple[_State, int]:
        """A slow move, because of one split."""
        if level not in state.pending:
            raise Apart
        return _State(()), _SLOW

    def end(self, state: _State) -> int:
        """What the end of the text says."""
        for level, cuts in enumerate(self.rows):
            if cuts[state.states[level]][self.ends[level]] & _SLOW:
                return self.again(state, level)[1]
        return _CUT

    def run(self) -> list[tuple[int, ...]]:
        start = _State((0,) * len(self.rows))
        numbers = {start: 0}
        order = [start]
        rows: list[tuple[int, ...]] = []
        for state in order:
            row = []
            for symbol in self.symbols:
                following, says = self.move(state, symbol)
                if says & _SLOW:
                    row.append(_SLOW)
                    continue
                if following not in numbers:
                    if len(order) == MAX_STATES:
                        raise Apart
                    numbers[following] = len(order)
                    order.append(following)
                row.append(numbers[following] << SHIFT | says)
            row.append(self.end(state) if rows else _SLOW)
            rows.append(tuple(row))
        return rows


def join(parts: Sequence[tuple[Sequence[int], bytes, Rows]]) -> Joint | None:
    """One cutting table of several splits, each with its classes (``block_of``, ``blocks``).

    None where that can't be shown to cut the same.
    """
    if not all(cuts for _, _, cuts in parts):
        return None
    try:
        block_of, blocks, symbols = _common(parts)
        rows = _Joiner([cuts for _, _, cuts in parts], symbols).run()
    except Apart:
        return None
    rows = _minimised(rows)
    columns: dict[tuple[int, ...], int] = {}
    merged = bytes(
        columns.setdefault(tuple(row[symbol] for row in rows), len(columns))
        for symbol in range(len(symbols))
    )
    cuts = tuple(
        (*entries, row[-1]) for entries, row in zip(zip(*columns, strict=True), rows, strict=True)
    )
    return Joint(block_of, blocks.translate(merged.ljust(256, b"\0")), cuts)


def _common(
    parts: Sequence[tuple[Sequence[int], bytes, Rows]],
) -> tuple[tuple[int, ...], bytes, list[tuple[int, ...]]]:
    """Classes that tell apart what any of the splits does, and for each class theirs."""
    symbols: dict[tuple[int, ...], int] = {}
    seen: dict[tuple[int, ...], int] = {}
    found: dict[bytes, int] = {}
    block_of = []
    for numbers in zip(*(block_of for block_of, _, _ in parts), strict=True):
        if numbers not in seen:
            classes = zip(
                *(
                    blocks[number * 256 : number * 256 + 256]
                    for number, (_, blocks, _) in zip(numbers, parts, strict=True)
                ),
                strict=True,
            )
            block = [symbols.setdefault(those, len(symbols)) for those in classes]
            if len(symbols) > MAX_SYMBOLS:
                raise Apart
            seen[numbers] = found.setdefault(bytes(block), len(found))
        block_of.append(seen[numbers])
    return tuple(block_of), b"".join(found), list(symbols)


def _same_after_a_cut(cuts: Rows) -> set[tuple[int, int]]:
    """Pairs of states that say the same if there is a cut before the character just read.

    The first one may still say that there is.
    """
    found: set[tuple[int, int]] = set()
    for one, row in enumerate(cuts):
        told = [e & ~(_CUT | _BACK) if e & _BACK else e for e in row]
        if told != list(row):
            found.update((one, other) for other, that in enumerate(cuts) if list(that) == told)
    return found


def _without_idle_records(cuts: Rows) -> Rows:
    """The same table, records left out that no search can start anew from."""
    searched = open_states(cuts)
    return [
        [e if e & _SLOW or e >> SHIFT in searched else e & ~_RECORD for e in row] for row in cuts
    ]


def _minimised(rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The rows with equivalent states merged; the first stays by itself."""
    group = [0, *[1] * (len(rows) - 1)]
    count = 0
    while True:
        keys: dict[tuple[int, ...], int] = {}
        group = [
            keys.setdefault(
                (
                    group[state],
                    *(group[e >> SHIFT] << SHIFT | e & _FLAGS for e in row[:-1]),
                    row[-1],
                ),
                len(keys),
            )
            for state, row in enumerate(rows)
        ]
        if len(keys) == count:
            break
        count = len(keys)
    merged: list[tuple[int, ...]] = [()] * count
    for state, row in enumerate(rows):
        merged[group[state]] = (
            *(group[e >> SHIFT] << SHIFT | e & _FLAGS for e in row[:-1]),
            row[-1],
        )
    return merged
