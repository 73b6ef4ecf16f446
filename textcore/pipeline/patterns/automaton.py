"""A program of ordered threads made deterministic: the tables of an :class:`Automaton`.

A state is the list of the program's threads in order of priority, as backtracking would
try them. Reading the next symbol, every thread is followed to where it reads a character;
a thread that reaches the match ends the list, for whatever is below it can never win
(leftmost-first order). Since the next symbol is known at that moment, conditions on it
are decided then and there, and "a match ends before this symbol" is a mark of the
transition. The end of the text is one more symbol.
"""

from __future__ import annotations

from dataclasses import dataclass

from textcore.core.scanner import Automaton
from textcore.pipeline.patterns import charset
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.cutting import cutting_rows, failing_states
from textcore.pipeline.patterns.program import (
    Condition,
    Program,
    Symbols,
    Unfit,
    compile_program,
)
from textcore.pipeline.patterns.syntax import Node
from textcore.pipeline.patterns.windows import Windows, find_windows

__all__ = ["Tables", "Unfit", "from_tables", "tables"]

MAX_STATES = 2_000
MAX_CLASSES = 250
#: Bounds the time of making an automaton (a second, about), whatever the pattern.
MAX_STEPS = 3_000_000


@dataclass(frozen=True)
class Tables:
    """A deterministic automaton.

    ``block_of``: for each 256 code points, the index of their block in ``blocks``,
    which gives one class a code point. ``moves[state][symbol]`` is the next state, doubled,
    plus one where a match ends before the symbol; symbols are the classes and then the end
    of the text. State 0 is dead. ``starts[symbol]`` is the state in which a match begins
    after that symbol (the last: at the start of the text).
    """

    block_of: tuple[int, ...]
    blocks: bytes
    moves: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]

    def symbol(self, code: int) -> int:
        """The class of a code point."""
        return self.blocks[self.block_of[code >> 8] * 256 + (code & 255)]


def from_tables(
    made: Tables, windows: Windows | None = None, find: bool = True
) -> tuple[Automaton, Windows | None]:
    """The automaton of tables, and its windows: those given, or found if ``find``."""
    cuts = cutting_rows(made.moves, made.starts)
    covering = covers(made)
    automaton = Automaton(
        made.block_of,
        made.blocks,
        made.moves,
        made.starts,
        cuts,
        covers=covering,
        linear=linear(made),
    )
    if find and cuts:
        windows = find_windows(cuts, made.symbol)
    return automaton, windows


def tables(tree: Node) -> Tables:
    """The minimal tables of a resolved tree."""
    return _Determinizer(compile_program(tree)).run()


def covers(made: Tables) -> bool:
    """Whether the matches leave nothing out of any text, and none is empty.

    So it is if from every start, whatever character follows, no match ends before that
    character, and whatever comes then, some match ends before the automaton dies.
    """
    failing = failing_states(made.moves)
    return all(
        not move & 1 and move >> 1 not in failing
        for start in set(made.starts)
        for move in made.moves[start][:-1]
    )


def linear(made: Tables) -> bool:
    """Whether successive searches take linear time in total on every text.

    A search may read on beyond the match that it finds for as long as its moves carry no
    match (a *quiet* path), and what it read there is read again by the search after it.
    That is harmless where quiet paths are short, or where the next match covers what was
    read in vain, but for a bounded rest. Shown here by running both side by side: the
    quiet path ``ahead``, and the next search, ``behind`` it, over the same characters.
    """
    endless = _reach_cycle(
        [{m >> 1 for m in row[:-1] if m > 1 and not m & 1} for row in made.moves]
    )
    if not endless:
        return True
    starts = set(made.starts)
    pairs: set[tuple[int, int]] = set()
    for row in made.moves:
        for start in starts:
            for move, beside in zip(row[:-1], made.moves[start][:-1], strict=True):
                if move & 1 and move >> 1 in endless:
                    pairs.add((move >> 1, beside >> 1))
    for first in starts:
        for move in made.moves[first][:-1]:
            if not move & 1 and move >> 1 in endless:
                pairs.update((move >> 1, start) for start in starts)
    return _covered(made, endless, pairs)


def _covered(made: Tables, endless: set[int], pairs: set[tuple[int, int]]) -> bool:
    """Whether from all pairs on, the search behind keeps matching while the one ahead is quiet."""
    waiting = list(pairs)
    steps = 0
    idle: dict[tuple[int, int], set[tuple[int, int]]] = {}
    while waiting:
        ahead, behind = pair = waiting.pop()
        idle[pair] = set()
        if behind == 0:
            return False
        for move, beside in zip(made.moves[ahead][:-1], made.moves[behind][:-1], strict=True):
            steps += 1
            following = (move >> 1, beside >> 1)
            if move & 1 or following[0] not in endless:
                continue
            if not beside & 1:
                idle[pair].add(following)
            if following not in pairs:
                pairs.add(following)
                waiting.append(following)
        if steps > MAX_STEPS // 10:
            return False
    numbers = {pair: number for number, pair in enumerate(idle)}
    return not _reach_cycle([{numbers[then] for then in thens} for thens in idle.values()])


def _reach_cycle(targets: list[set[int]]) -> set[int]:
    """The nodes of a graph from which a cycle can be reached."""
    sources: list[list[int]] = [[] for _ in targets]
    for node, nodes in enumerate(targets):
        for target in nodes:
            sources[target].append(node)
    left = [len(nodes) for nodes in targets]
    ready = [node for node, count in enumerate(left) if not count]
    remaining = set(range(len(targets)))
    while ready:
        node = ready.pop()
        remaining.discard(node)
        for source in sources[node]:
            left[source] -= 1
            if not left[source]:
                ready.append(source)
    return remaining


class _Alphabet:
    """The coarsest classes of code points that a program cannot tell apart."""

    def __init__(self, program: Program) -> None:
        sets: dict[Ranges, int] = {}
        for instruction in program.code:
            if instruction.ranges is not None:
                sets.setdefault(instruction.ranges, len(sets))
            for pair in instruction.condition or ():
                for symbols in pair:
                    sets.setdefault(symbols.ranges, len(sets))
        toggles: dict[int, int] = {0: 0, 0xE000: 0}
        for ranges, index in sets.items():
            for first, last in ranges:
                toggles[first] = toggles.get(first, 0) ^ (1 << index)
                toggles[last + 1] = toggles.get(last + 1, 0) ^ (1 << index)
        # Surrogates are in no text; they go on with the class before them, so as not to
        # need one of their own.
        self.spans: list[tuple[int, int]] = []
        classes: dict[int, int] = {}
        member = 0
        for start in sorted(toggles):
            member ^= toggles[start]
            if start <= charset.LAST and start != 0xD800:
                self.spans.append((start, classes.setdefault(member, len(classes))))
        if len(classes) > MAX_CLASSES:
            raise Unfit("too many classes of characters")
        self.size = len(classes)
        self._masks = {
            ranges: sum(1 << number for member, number in classes.items() if member >> index & 1)
            for ranges, index in sets.items()
        }

    def mask(self, ranges: Ranges) -> int:
        """The classes of a set, one bit each."""
        return self._masks[ranges]

    def symbols(self, symbols: Symbols) -> int:
        """The classes of symbols, and one more bit for the end of the text."""
        return self.mask(symbols.ranges) | (symbols.edge << self.size)

    def blocks(self) -> tuple[tuple[int, ...], bytes]:
        """The two-level table from a code point to its class."""
        flat = bytearray(charset.LAST + 1)
        for index, (start, number) in enumerate(self.spans):
            last = index + 1 == len(self.spans)
            end = charset.LAST + 1 if last else self.spans[index + 1][0]
            flat[start:end] = bytes([number]) * (end - start)
        seen: dict[bytes, int] = {}
        block_of = tuple(
            seen.setdefault(bytes(flat[start : start + 256]), len(seen))
            for start in range(0, len(flat), 256)
        )
        return block_of, b"".join(seen)


Threads = tuple[int, ...]


class _Determinizer:
    """Subset construction over ordered lists."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.alphabet = alphabet = _Alphabet(program)
        self.end = alphabet.size
        self.reads = [
            0 if instruction.ranges is None else alphabet.mask(instruction.ranges)
            for instruction in program.code
        ]
        self.steps = 0
        self._number_conditions()
        for after, ranges in program.promises:
            if not self._harmless(after, alphabet.mask(ranges)):
                raise Unfit("a possessive repeat")

    def _number_conditions(self) -> None:
        """Which next symbols each condition lets pass, by the symbol before."""
        distinct: dict[Condition, int] = {}
        self.condition_of = [
            -1
            if instruction.condition is None
            else distinct.setdefault(instruction.condition, len(distinct))
            for instruction in self.program.code
        ]
        contexts: dict[tuple[int, ...], int] = {}
        self.context_after = []
        for symbol in range(self.end + 1):
            passes = []
            for condition in distinct:
                mask = 0
                for before, after in condition:
                    if self.alphabet.symbols(before) >> symbol & 1:
                        mask |= self.alphabet.symbols(after)
                passes.append(mask)
            self.context_after.append(contexts.setdefault(tuple(passes), len(contexts)))
        self.contexts = list(contexts)

    def _harmless(self, after: int, given: int) -> bool:
        """Whether nothing from ``after`` on can use a character that a repeat gave back.

        So it is if what follows always succeeds where the repeat ends, or never begins
        with one of the repeat's own characters (``given``, as classes).
        """
        if self._sure(after):
            return True
        every = (2 << self.end) - 1
        best: dict[int, int] = {}
        stack = [(after, every)]
        while stack:
            at, allowed = stack.pop()
            if not allowed & ~best.get(at, 0):
                continue
            best[at] = best.get(at, 0) | allowed
            instruction = self.program.code[at]
            if instruction.ranges is not None:
                if self.reads[at] & allowed & given:
                    return False
                continue
            if self.condition_of[at] >= 0:
                reach = 0
                for context in self.contexts:
                    reach |= context[self.condition_of[at]]
                allowed &= reach
            elif not instruction.targets and allowed & given:
                return False
            stack.extend((target, allowed) for target in instruction.targets)
        return True

    def _sure(self, after: int) -> bool:
        """Whether the match is reached from ``after`` without reading and without a condition."""
        seen: set[int] = set()
        stack = [after]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            instruction = self.program.code[at]
            if instruction.ranges is None and self.condition_of[at] < 0:
                if not instruction.targets:
                    return True
                stack.extend(instruction.targets)
        return False

    def _move(self, threads: Threads, context: int, symbol: int) -> tuple[Threads, bool]:
        """The threads after a symbol, and whether a match ends before it."""
        passes = self.contexts[context]
        bit = 1 << symbol
        seen: set[int] = set()
        result: dict[int, None] = {}
        for thread in threads:
            stack = [thread]
            while stack:
                at = stack.pop()
                self.steps += 1
                if at in seen:
                    continue
                seen.add(at)
                instruction = self.program.code[at]
                if instruction.ranges is not None:
                    if self.reads[at] & bit:
                        result[instruction.targets[0]] = None
                elif self.condition_of[at] >= 0:
                    if passes[self.condition_of[at]] & bit:
                        stack.append(instruction.targets[0])
                elif instruction.targets:
                    stack.extend(reversed(instruction.targets))
                else:
                    return tuple(result), True
        if self.steps > MAX_STEPS:
            raise Unfit("too much work")
        return tuple(result), False

    def run(self) -> Tables:
        """All states that can be reached, minimised."""
        dead: tuple[int, Threads] = (0, ())
        numbers = {dead: 0}
        order = [dead]

        def number(context: int, threads: Threads) -> int:
            key = (context, threads) if threads else dead
            if key not in numbers:
                if len(numbers) >= MAX_STATES:
                    raise Unfit("too many states")
                numbers[key] = len(order)
                order.append(key)
            return numbers[key]

        starts = tuple(
            number(self.context_after[symbol], (self.program.start,))
            for symbol in range(self.end + 1)
        )
        moves = []
        for context, threads in order:
            row = []
            for symbol in range(self.end):
                after, matched = self._move(threads, context, symbol)
                row.append(number(self.context_after[symbol], after) * 2 + matched)
            row.append(int(self._move(threads, context, self.end)[1]))
            moves.append(tuple(row))
        moves_, starts = _minimised(moves, starts)
        block_of, blocks = self.alphabet.blocks()
        return Tables(block_of, blocks, moves_, starts)


def _minimised(
    moves: list[tuple[int, ...]], starts: tuple[int, ...]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The tables with equivalent states merged (Moore's partition refinement)."""
    group = [0] * len(moves)
    count = 0
    while True:
        keys: dict[tuple[int, ...], int] = {}
        group = [
            keys.setdefault(
                (group[state], *(group[move >> 1] * 2 + (move & 1) for move in row)), len(keys)
            )
            for state, row in enumerate(moves)
        ]
        if len(keys) == count:
            break
        count = len(keys)
    rows: list[tuple[int, ...]] = [()] * count
    for state, row in enumerate(moves):
        rows[group[state]] = tuple(group[move >> 1] * 2 + (move & 1) for move in row)
    return tuple(rows), tuple(group[state] for state in starts)
