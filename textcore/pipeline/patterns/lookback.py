"""Places that three characters before them don't decide, but what a run of one group follows does.

After four digits a pattern that takes three at a time has cut or not, by where the digits begin;
after a long word of ASCII letters one that takes ``(word`` otherwise than `` word`` has cut before
an accent or not. A window of three characters sees nothing but the run. So for a run of each
group, by what stands before it and by how long it is, :func:`find_lookback` notes what is
then possible, as far as that says more than the run alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

States = frozenset[int]
#: What is said of each pair of groups from a place on: bits, for surely no cut, and for a cut.
Told = tuple[int, int]

#: How long a run may be, and of so many lengths it may matter which one it is.
LONGEST = 31
LENGTHS = 16
#: Rows of verdicts: numbers in a byte, the first one being that nothing is known.
MOST_ROWS = 255
ROW = 64
UNKNOWN = 2


@dataclass(frozen=True)
class Lookback:
    """What is known of places behind a run.

    ``row_of[(before << 4 | group) << 4 | lengths[length]]``: a row of ``rows`` for a run of a
    group and a length, and the group that stands before it. A row has two bits for each pair of
    groups from the place on (``here << 4 | following``, from the lowest bits of its first byte
    on): 1 for a cut, 0 for none, 2 where that is not known. Both are empty where there is no run
    of which more is known than three characters say.
    """

    lengths: bytes
    row_of: bytes
    rows: bytes


NOTHING = Lookback(b"", b"", b"")


def find_lookback(
    step: Callable[[States, int], States],
    every: States,
    told_of: Callable[[States], Told],
    groups: Iterable[int],
    before: Iterable[int],
    relevant: int,
) -> Lookback:
    """What is known behind runs of ``groups`` that have one of the groups ``before`` before them.

    ``step`` gives the states that are possible after one more character, ``every`` all of them,
    ``told_of`` what states say of a place; ``relevant`` are the pairs of groups that matter.
    """
    alone: dict[int, Told] = {}
    for group in groups:
        said = told_of(step(step(step(every, group), group), group))
        if relevant & ~(said[0] | said[1]):
            alone[group] = said
    runs = {
        (first, group): _lengths(step, step(every, first), group)
        for first, group in product(before, alone)
        if first != group
    }
    if not runs:
        return NOTHING
    start, period = _cycle(list(runs.values()))
    rows = [(0, 0)]
    row_of = bytearray(LENGTHS * 256)
    for (first, group), states in runs.items():
        returns = states[start] == states[start + period]
        for length in range(1, start + period if returns else start):
            said = told_of(states[length])
            if said == alone[group] or (said not in rows and len(rows) > MOST_ROWS):
                continue
            if said not in rows:
                rows.append(said)
            row_of[(first << 4 | group) << 4 | length] = rows.index(said)
    if len(rows) == 1:
        return NOTHING
    lengths = [n if n < start else start + (n - start) % period for n in range(LONGEST + 1)]
    return Lookback(bytes(lengths), bytes(row_of), b"".join(map(_packed, rows)))


def _lengths(step: Callable[[States, int], States], states: States, group: int) -> list[States]:
    """What is possible behind a run of each length below LENGTHS."""
    found = [states]
    while len(found) < LENGTHS:
        found.append(step(found[-1], group))
    return found


def _cycle(runs: list[list[States]]) -> tuple[int, int]:
    """From which length on, and after how many more, most runs say the same again."""
    choices = [(at, n) for at in range(1, LENGTHS) for n in range(1, LENGTHS - at)]
    return max(
        choices,
        key=lambda one: (sum(run[one[0]] == run[sum(one)] for run in runs), -sum(one)),
    )


def _packed(said: Told) -> bytes:
    no, yes = said
    row = 0
    for pair in range(256):
        verdict = 0 if no >> pair & 1 else 1 if yes >> pair & 1 else UNKNOWN
        row |= verdict << 2 * pair
    return row.to_bytes(ROW, "little")
