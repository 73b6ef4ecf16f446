"""Where a text is cut, told from a few characters around each place.

The cutting table (:mod:`textcore.pipeline.patterns.cutting`) reads a text from its start,
one character after the other. Yet most places are decided by their surroundings: between
two letters there is no cut, whatever came before. This module finds out, for a pattern,
which surroundings decide: three characters before a place and two after it, each as one of
at most sixteen groups.

It runs the cutting table from *all* of its states at once over the three before, and
looks whether all states that are then possible agree. What it says is therefore true of
every text; where they disagree it says "unknown", and the table is run there.

A run of spaces is the one thing that is often longer than a window, and what ends it often
decides: of two characters after a place, the second may stand for a run of spaces and its end.

Behind a run of one group, what stands before the run may decide
(:mod:`~textcore.pipeline.patterns.lookback`).

The result are four tables of 256 entries, each indexed by two numbers below sixteen, so
that 64 places can be looked up at a time. Numbers run out where a pattern has too many
groups or sets of states: then such groups, or sets, are joined, which makes more places
unknown, and none wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product
from math import fsum, ldexp, log2

from textcore.pipeline.patterns.cutting import SHIFT, Move, Rows, open_states
from textcore.pipeline.patterns.lookback import find_lookback

# Plain numbers: the flags' own operators are slow, and these loops are long.
_CUT, _BACK, _RECORD, _SLOW = map(int, (Move.CUT, Move.BACK, Move.RECORD, Move.SLOW))

CUT = 1
UNKNOWN = 2
LIMIT = 16
#: The group of what is before the start of a text and after its end.
OUTSIDE = LIMIT - 1
#: So many groups characters may have. Between them and OUTSIDE: groups that, as the second
#: character after a place, stand for a run of spaces and what ends it.
PLAIN = 12
#: What a pass over a place says that is not the last one.
VOID = 3

States = frozenset[int]


@dataclass(frozen=True)
class Windows:
    """The tables; all values are below sixteen.

    ``groups``: a group for each symbol. ``second[g3 << 4 | g2]``: what is possible after the
    third and second character before a place; ``third[that << 4 | g1]``: after the first one,
    too. ``right[g0 << 4 | g_next]``: what follows. ``verdicts[third << 4 | right]``: CUT,
    UNKNOWN or neither. ``space`` is the group whose runs count as one, ``ends[g]`` the
    group that such a run is where one of group ``g`` ends it (0: it stays what it is).
    ``lengths``, ``row_of`` and ``rows`` are those of a
    :class:`~textcore.pipeline.patterns.lookback.Lookback`.
    """

    groups: bytes
    space: int
    ends: bytes
    second: bytes
    third: bytes
    right: bytes
    verdicts: bytes
    lengths: bytes
    row_of: bytes
    rows: bytes


class _Table:
    """The cutting table's questions, asked of sets of states and groups of symbols.

    A search that starts anew reads the same characters again, so a slow move can be passed
    over: of the passes over a place, the last one has none before it, and starts either
    before the window, in whatever state, or inside it, in state 0, where a pass before it
    recorded a match and went on to fail.
    """

    def __init__(self, cuts: Rows, groups: list[frozenset[int]], space: int) -> None:
        self.cuts = cuts
        self.groups = groups
        self.every: States = frozenset(range(len(cuts)))
        self.open = open_states(cuts)
        self.anywhere = _starts_anywhere(cuts)
        # A run of spaces is one group only if its characters are one symbol.
        self.runs = next(iter(groups[space])) if len(groups[space]) == 1 else None

    def step(self, states: States, group: int) -> States:
        """The states possible after one more character of a group."""
        if group == OUTSIDE:
            return frozenset({0})
        found: set[int] = set()
        for symbol in self.groups[group]:
            entries = [self.cuts[state][symbol] for state in states]
            if self.anywhere or any(e & _RECORD and e >> SHIFT in self.open for e in entries):
                entries.append(self.cuts[0][symbol])
            found.update(entry >> SHIFT for entry in entries if not entry & _SLOW)
        return frozenset(found)

    def says(self, state: int, here: int, following: int, run: bool) -> int:
        """What a pass in ``state`` says of a place before a character of group ``here``.

        ``following`` is the group of the next one or, with ``run``, of the one after the
        run of spaces that is next.
        """
        found = {
            self._one(state, symbol, then, run)
            for symbol in self.groups[here]
            for then in self.groups[following]
        }
        return found.pop() if len(found) == 1 else UNKNOWN

    def _one(self, state: int, symbol: int, then: int, run: bool) -> int:
        entry = self.cuts[state][symbol]
        if entry & _SLOW:
            # A match ended before this place, and the next search begins where it did.
            return VOID
        if entry & _CUT and not entry & _BACK:
            return CUT
        recorded = bool(entry & _RECORD)
        state = entry >> SHIFT
        if not run:
            return self._after(state, recorded, then, True)
        assert self.runs is not None
        said = set()
        seen: set[int] = set()
        first = True
        while state not in seen:
            seen.add(state)
            entry = self.cuts[state][self.runs]
            if entry & (_SLOW | _CUT | _RECORD):
                said.add(self._after(state, recorded, self.runs, first))
                break
            state = entry >> SHIFT
            first = False
            said.add(self._after(state, recorded, then, False))
        return said.pop() if len(said) == 1 else UNKNOWN

    def _after(self, state: int, recorded: bool, then: int, next_to_it: bool) -> int:
        """What the move on ``then`` says of the place; ``recorded``: a match may end there."""
        entry = self.cuts[state][then]
        if entry & _SLOW:
            # The last pass is another one, if the next search begins before the place. At the
            # end of the text it may begin anywhere.
            return CUT if recorded else UNKNOWN if then == len(self.cuts[0]) - 1 else VOID
        if entry & _CUT:
            return CUT if entry & _BACK and next_to_it else 0
        if entry & _RECORD or not (recorded or self.anywhere):
            # A new search begins at the last recorded match: later, or, again, before here.
            return 0
        return UNKNOWN if entry >> SHIFT in self.open else 0


def _starts_anywhere(cuts: Rows) -> bool:
    """Whether a search may start anew elsewhere than at the last recorded match.

    It does where a move is slow before any match since the last cut was recorded.
    """
    fresh = {0}
    todo = [0]
    while todo:
        for entry in cuts[todo.pop()][:-1]:
            if entry & _SLOW:
                return True
            if not entry & _RECORD and entry >> SHIFT not in fresh:
                fresh.add(entry >> SHIFT)
                todo.append(entry >> SHIFT)
    return False


def find_windows(cuts: Rows, symbol_of: Callable[[int], int]) -> Windows | None:
    """The tables for a pattern, or None where there are none.

    ``cuts``: its cutting table; ``symbol_of``: the symbol of a code point.
    """
    if not cuts or any(
        entry >> SHIFT == 0 and not entry & _SLOW for row in cuts for entry in row[:-1]
    ):
        return None
    sample = [symbol_of(ord(char)) for char in _SAMPLE]
    usual = _frequencies(sample, len(cuts[0]) - 1)
    symbols = _joined_symbols(cuts, usual, _visits(cuts, sample))
    of_symbol = {symbol: number for number, group in enumerate(symbols) for symbol in group}
    space = of_symbol[symbol_of(ord(" "))]
    groups = [frozenset(group) for group in symbols]
    groups += [frozenset[int]()] * (OUTSIDE - len(groups)) + [frozenset({len(usual)})]
    table = _Table(cuts, groups, space)
    used = [*range(len(symbols)), OUTSIDE]
    follows, ends = _followers(table, used, space)
    weight = [fsum(usual[symbol] for symbol in group) for group in symbols]
    weight += [RARE] * (LIMIT - len(weight))
    for run in follows:
        if run not in used:
            weight[run] = weight[space] / 4
    no, yes = [0] * len(cuts), [0] * len(cuts)
    for state, here in product(range(1, len(cuts)), used[:-1]):
        for follower, (following, run) in follows.items():
            said = table.says(state, here, following, run)
            bit = 1 << (here << 4 | follower)
            no[state] |= bit if said in (0, VOID) else 0
            yes[state] |= bit if said in (CUT, VOID) else 0

    def verdicts_of(states: States) -> tuple[int, int]:
        """For each pair of groups a bit: surely no cut; surely a cut."""
        surely_no = surely_yes = (1 << 256) - 1
        for state in states - {0}:
            surely_no &= no[state]
            surely_yes &= yes[state]
        # Void passes agree with everyone; where there are only such, nothing is known.
        both = surely_no & surely_yes
        return surely_no & ~both, surely_yes & ~both

    masses = _masses({(a << 4 | b): weight[a] * weight[b] for a, b in product(used, follows)})

    def cost(states: States) -> float:
        surely_no, surely_yes = verdicts_of(states)
        unknown = ~(surely_no | surely_yes)
        return fsum(mass * (unknown & bits).bit_count() for mass, bits in masses)

    def outlook(states: States) -> tuple[tuple[int, int], ...]:
        return tuple(verdicts_of(table.step(states, g)) for g in used)

    def later_cost(states: States) -> float:
        return fsum(weight[g] * cost(table.step(states, g)) for g in used)

    first = {g: table.step(table.every, g) for g in used}
    seconds = {(a, b): table.step(first[a], b) for a, b in product(used, used)}
    read = [OUTSIDE] * 3 + [of_symbol[symbol] for symbol in sample]
    often: Counter[States] = Counter(map(seconds.__getitem__, pairwise(read)))
    second_sets = _joined_sets(seconds.values(), outlook, later_cost, often)
    distinct = sorted(set(second_sets.values()), key=sorted)
    thirds = {(s, g): table.step(distinct[s], g) for s in range(len(distinct)) for g in used}
    place = {states: at for at, states in enumerate(distinct)}
    often = Counter(
        thirds[place[second_sets[seconds[a, b]]], c]
        for (a, b), c in zip(pairwise(read), read[2:], strict=False)
    )
    third_sets = _joined_sets(thirds.values(), verdicts_of, cost, often)
    last = sorted(set(third_sets.values()), key=sorted)

    told = [verdicts_of(states) for states in last]
    columns = {
        (here, then): tuple(_verdict(here << 4 | then, *said) for said in told)
        for here, then in product(used, follows)
    }
    right = _joined_columns(columns, weight)
    kinds = sorted(set(right.values()))
    verdicts = bytearray([UNKNOWN]) * 256
    for number, kind in enumerate(kinds):
        for index, verdict in enumerate(kind):
            verdicts[index << 4 | number] = verdict
    longer = find_lookback(
        cache(table.step),
        table.every,
        cache(verdicts_of),
        [group for group in used[:-1] if group != space],
        used,
        sum(1 << (here << 4 | then) for here, then in columns),
    )
    return Windows(
        bytes(of_symbol[symbol] for symbol in range(len(usual))),
        space,
        ends,
        _filled({pair: distinct.index(second_sets[s]) for pair, s in seconds.items()}),
        _filled({pair: last.index(third_sets[s]) for pair, s in thirds.items()}),
        _filled({pair: kinds.index(right[pair]) for pair in columns}),
        bytes(verdicts),
        longer.lengths,
        longer.row_of,
        longer.rows,
    )


def _masses(of_bit: dict[int, float]) -> list[tuple[float, int]]:
    """Weights of bits, rounded to powers of two: each weight and its bits."""
    bits: dict[float, int] = {}
    for bit, mass in of_bit.items():
        rounded = ldexp(1.0, round(log2(mass)))
        bits[rounded] = bits.get(rounded, 0) | 1 << bit
    return list(bits.items())


def _verdict(pair: int, surely_no: int, surely_yes: int) -> int:
    return 0 if surely_no >> pair & 1 else CUT if surely_yes >> pair & 1 else UNKNOWN


def _followers(
    table: _Table, used: list[int], space: int
) -> tuple[dict[int, tuple[int, bool]], bytes]:
    """What may stand second after a place, and what a run of spaces is by what ends it.

    The first result gives for each group the group itself, or the one that ends the run
    which it stands for (and True). Ends that always say the same share a group.
    """
    follows = {group: (group, False) for group in used}
    ends = bytearray(LIMIT)
    free = [group for group in range(OUTSIDE) if group not in used]
    kinds: dict[tuple[int, ...], int] = {}
    for end in used:
        if end == space or table.runs is None:
            continue
        says = tuple(
            table.says(state, here, end, True)
            for state in range(1, len(table.cuts))
            for here in used[:-1]
        )
        if says not in kinds and free:
            kinds[says] = free.pop(0)
            follows[kinds[says]] = (end, True)
        ends[end] = kinds.get(says, 0)
    return follows, bytes(ends)


def _filled(entries: dict[tuple[int, int], int]) -> bytes:
    table = bytearray(256)
    for (high, low), value in entries.items():
        table[high << 4 | low] = value
    return bytes(table)


#: What stands in text and code, and how often, roughly: what to spare from being unknown.
_SAMPLE = (
    "the of and to in is that it was for on are as with his they be at one have this from or had "
    "by hot but some what there we can out other were all your when up use word how said an each "
    "She told us: \"It's all very well, I've really never seen the letter\" (1984-1995, NASA).\n\n"
    "    def value(self, otherName=None) -> int:\n        return self.items[0] + len(x)  # ok\n"
    "    /* See http://example.org/a.html, or {name}.\n     */\n\n  - 12,345.67 (50%)\r\n"
    "\t\"key\": 'x'\n"
    '        raise ValueError(f"{name!r} isn\'t one of {sorted(known)}")  # see below ...\n\n\n'
    '    """The items."""\n    assert x[-1] == "", (a.b(), {"k": ["v"]})\n'
    '.IP "\\(bu" 4\nUse \\fB\\-\\-no\\-pager\\fR, if needed.\n.PP\n.SH "SEE ALSO"\n.BR ls (1).\n'
    "## News\n\n* **1.2.3**: [link](https://example.org/?q=1&r=2), `code`.\n\n| a |\n|---|\n"
    '<p class="x">\\frac{1}{2} & $x_i$</p>\n// TODO: done?!\n'
    "Über größere Städte, près de l'été; в начале было слово, "
    "人人生而自由，在尊严和权利上一律平等。"
    "すべての人間は、生まれながらにして自由であり、"
)
#: How often that stands which the sample lacks.
RARE = 0.0001


def _frequencies(sample: Sequence[int], count: int) -> list[float]:
    """How often each of ``count`` symbols stands in text."""
    usual = [RARE] * count
    for symbol in sample:
        usual[symbol] += 1 / len(sample)
    return usual


def _visits(cuts: Rows, sample: Sequence[int]) -> list[float]:
    """How often each state is met in text, roughly."""
    visits = [RARE] * len(cuts)
    state = 0
    for symbol in sample:
        visits[state] += 1 / len(sample)
        entry = cuts[state][symbol]
        if entry & _SLOW:
            entry = cuts[0][symbol]
        state = entry >> SHIFT
    return visits


def _joined_symbols(cuts: Rows, usual: Sequence[float], visits: Sequence[float]) -> list[set[int]]:
    """All symbols in at most PLAIN groups: those together that differ where few texts come."""
    columns: dict[tuple[int, ...], set[int]] = {}
    for symbol in range(len(usual)):
        columns.setdefault(tuple(row[symbol] for row in cuts), set()).add(symbol)
    groups = [(group, [column]) for column, group in columns.items()]

    def loss(pair: tuple[int, int]) -> float:
        apart = max(
            fsum(often for x, y, often in zip(a, b, visits, strict=True) if x != y)
            for a, b in product(groups[pair[0]][1], groups[pair[1]][1])
        )
        return apart * fsum(usual[symbol] for at in pair for symbol in groups[at][0])

    while len(groups) > PLAIN:
        one, other = min(combinations(range(len(groups)), 2), key=loss)
        group, members = groups.pop(other)
        groups[one] = (groups[one][0] | group, groups[one][1] + members)
    return [group for group, _ in groups]


def _joined_sets(
    given: Iterable[States],
    outlook: Callable[[States], Hashable],
    cost: Callable[[States], float],
    often: Mapping[States, int],
) -> dict[States, States]:
    """At most sixteen sets: for each given one, one that says no more than it does.

    ``outlook`` is all that matters of a set, ``cost`` how much it leaves unknown, ``often``
    how often it is met.
    """
    by_outlook: dict[Hashable, States] = {}
    goes = {states: by_outlook.setdefault(outlook(states), states) for states in set(given)}
    costs = {states: cost(states) for states in by_outlook.values()}
    weights: dict[States, float] = dict.fromkeys(costs, 0.1)
    for states, count in often.items():
        weights[goes[states]] += count
    while len(weights) > LIMIT:
        best = None
        for one, other in combinations(sorted(weights, key=sorted), 2):
            union = one | other
            if union not in costs:
                costs[union] = cost(union)
            loss = fsum(weights[part] * (costs[union] - costs[part]) for part in (one, other))
            if best is None or loss < best[0]:
                best = (loss, one, other, union)
        assert best is not None
        _, one, other, union = best
        together = weights.pop(one) + weights.pop(other)
        weights[union] = weights.get(union, 0.0) + together
        goes = {s: union if t in (one, other) else t for s, t in goes.items()}
    return goes


def _joined_columns(
    columns: dict[tuple[int, int], tuple[int, ...]], weight: Sequence[float]
) -> dict[tuple[int, int], tuple[int, ...]]:
    """At most sixteen columns of verdicts; joined ones are unknown where they disagree."""
    mass: dict[tuple[int, ...], float] = {}
    for (here, then), column in columns.items():
        mass[column] = mass.get(column, 0.0) + weight[here] * weight[then]
    goes = {column: column for column in mass}
    while len(mass) > LIMIT:

        def loss(pair: tuple[tuple[int, ...], tuple[int, ...]]) -> float:
            one, other = pair
            return sum(
                (mass[one] if x != UNKNOWN else 0) + (mass[other] if y != UNKNOWN else 0)
                for x, y in zip(one, other, strict=True)
                if x != y
            )

        one, other = min(combinations(sorted(mass), 2), key=loss)
        joined = tuple(x if x == y else UNKNOWN for x, y in zip(one, other, strict=True))
        total = mass.pop(one) + mass.pop(other)
        mass[joined] = mass.get(joined, 0.0) + total
        goes = {c: joined if g in (one, other) else g for c, g in goes.items()}
    return {pair: goes[column] for pair, column in columns.items()}
