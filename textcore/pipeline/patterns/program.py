"""A syntax tree as a program of an ordered (priority) nondeterministic automaton.

The program is Thompson's construction with the branches of every split in the order in
which backtracking would try them, and with zero-width conditions that depend on nothing
but the character before and the character after the position. A tree that needs more
raises :class:`Unfit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from textcore.pipeline.patterns import charset
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.syntax import (
    Anchor,
    Atomic,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    WordBoundary,
)

#: Longest program; the longest of a pattern in use has a few hundred instructions.
MAX_INSTRUCTIONS = 4_000


class Unfit(Exception):
    """There is no automaton for a tree, or none of an acceptable size."""


@dataclass(frozen=True)
class Symbols:
    """Characters and, with ``edge``, the end of the text (before or after them all)."""

    ranges: Ranges
    edge: bool

    def complement(self) -> Symbols:
        """Every other symbol."""
        return Symbols(charset.negate(self.ranges), not self.edge)

    def union(self, other: Symbols) -> Symbols:
        """The symbols of both."""
        return Symbols(charset.union(self.ranges, other.ranges), self.edge or other.edge)


ANY = Symbols(charset.ALL, True)
EDGE = Symbols((), True)
_NEWLINE = Symbols(charset.single(0x0A), False)

#: A condition holds if the symbols on both sides of the position are in one of the pairs.
Condition = tuple[tuple[Symbols, Symbols], ...]


@dataclass
class Instruction:
    """One of: read a set (``ranges``), hold a ``condition``, split, or match (none of them)."""

    targets: list[int]
    ranges: Ranges | None = None
    condition: Condition | None = None


@dataclass
class Program:
    """``code[start]`` is where it begins.

    ``promises`` are (instruction, set): a possessive repeat of the set is followed by that
    instruction, and equals the greedy one only if nothing that follows could use what a
    greedy repeat would give back.
    """

    code: list[Instruction] = field(default_factory=list)
    start: int = 0
    promises: list[tuple[int, Ranges]] = field(default_factory=list)

    def add(self, instruction: Instruction) -> int:
        """Append an instruction; its index."""
        if len(self.code) >= MAX_INSTRUCTIONS:
            raise Unfit("too many instructions")
        self.code.append(instruction)
        return len(self.code) - 1


def compile_program(tree: Node) -> Program:
    """The program of a resolved tree."""
    program = Program()
    final = program.add(Instruction([]))
    program.start = _emit(program, tree, final)
    return program


def _emit(program: Program, node: Node, after: int) -> int:
    """Add the instructions of ``node``, which go on at ``after``; where they begin."""
    if isinstance(node, Set):
        return program.add(Instruction([after], ranges=node.ranges))
    if isinstance(node, Sequence):
        for item in reversed(node.items):
            after = _emit(program, item, after)
        return after
    if isinstance(node, Choice):
        return program.add(Instruction([_emit(program, item, after) for item in node.items]))
    if isinstance(node, Repeat):
        return _emit_repeat(program, node, after)
    if isinstance(node, Group):
        return _emit(program, node.body, after)
    if isinstance(node, Atomic):
        return _emit_atomic(program, node.body, after)
    condition = _condition(node)
    return program.add(Instruction([after], condition=condition))


def _emit_repeat(program: Program, node: Repeat, after: int) -> int:
    if node.greed == "possessive":
        greedy = Repeat(node.body, node.low, node.high, "greedy")
        return _emit_atomic(program, greedy, after)
    lazy = node.greed == "lazy"
    copies = node.low
    if node.high is None:
        if nullable(node.body):
            raise Unfit("an unbounded repeat of what may be empty")
        loop = program.add(Instruction([]))
        again = _emit(program, node.body, loop)
        program.code[loop].targets = [after, again] if lazy else [again, after]
        entry = again if copies else loop
        copies = max(copies - 1, 0)
    else:
        entry = after
        for _ in range(node.high - node.low):
            once = _emit(program, node.body, entry)
            entry = program.add(Instruction([after, once] if lazy else [once, after]))
    for _ in range(copies):
        entry = _emit(program, node.body, entry)
    return entry


def _emit_atomic(program: Program, body: Node, after: int) -> int:
    """An atomic group, where giving up backtracking into it provably changes nothing."""
    if isinstance(body, Repeat) and isinstance(body.body, Set):
        high = body.low if body.greed == "lazy" else body.high
        if body.low != high:
            program.promises.append((after, body.body.ranges))
        return _emit_repeat(program, Repeat(body.body, body.low, high, "greedy"), after)
    if not _one_way(body):
        raise Unfit("an atomic group")
    return _emit(program, body, after)


def _one_way(node: Node) -> bool:
    """Whether a node can match in at most one way at any position."""
    if isinstance(node, (Set, Anchor, Look, WordBoundary)):
        return True
    if isinstance(node, Sequence):
        return all(_one_way(item) for item in node.items)
    if isinstance(node, (Group, Atomic)):
        return _one_way(node.body)
    if isinstance(node, Repeat):
        return node.low == node.high and _one_way(node.body)
    return isinstance(node, Choice) and all(isinstance(item, Set) for item in node.items)


def nullable(node: Node) -> bool:
    """Whether a node may match nothing."""
    if isinstance(node, Set):
        return False
    if isinstance(node, Sequence):
        return all(nullable(item) for item in node.items)
    if isinstance(node, Choice):
        return any(nullable(item) for item in node.items)
    if isinstance(node, Repeat):
        return node.low == 0 or nullable(node.body)
    if isinstance(node, (Group, Atomic)):
        return nullable(node.body)
    return True


def _condition(node: Node) -> Condition:
    """A zero-width node as a condition on the two neighbouring symbols."""
    if isinstance(node, WordBoundary):
        word = Symbols(node.word, False)
        other = word.complement()
        if node.negative:
            return ((word, word), (other, other))
        return ((word, other), (other, word))
    if isinstance(node, Anchor):
        if node.place == "text_start":
            return ((EDGE, ANY),)
        if node.place == "line_start":
            return ((EDGE, ANY), (_NEWLINE, EDGE.complement()))
        following = _next(node)
        return ((ANY, following),)
    if isinstance(node, Look):
        symbols = _previous(node.body) if node.behind else _next(node.body)
        if node.negative:
            symbols = symbols.complement()
        return ((symbols, ANY),) if node.behind else ((ANY, symbols),)
    raise Unfit("more than a condition on the neighbouring characters")


def _next(node: Node) -> Symbols:
    """The next symbols with which a look-ahead at ``node`` succeeds, if nothing else counts."""
    if isinstance(node, Set):
        return Symbols(node.ranges, False)
    if isinstance(node, Anchor) and node.place == "text_end":
        return EDGE
    if isinstance(node, Anchor) and node.place == "line_end":
        return _NEWLINE.union(EDGE)
    if isinstance(node, Look) and not node.behind:
        symbols = _next(node.body)
        return symbols.complement() if node.negative else symbols
    return _alike(node, ahead=True)


def _previous(node: Node) -> Symbols:
    """As :func:`_next`, for what a look-behind sees."""
    if isinstance(node, Set):
        return Symbols(node.ranges, False)
    if isinstance(node, Anchor) and node.place == "text_start":
        return EDGE
    return _alike(node, ahead=False)


def _alike(node: Node, ahead: bool) -> Symbols:
    side = _next if ahead else _previous
    if isinstance(node, Choice):
        symbols = Symbols((), False)
        for item in node.items:
            symbols = symbols.union(side(item))
        return symbols
    if isinstance(node, Sequence):
        # Parts that need not match anything are in no look-around's way at its far end.
        items = list(node.items if ahead else reversed(node.items))
        while items and isinstance(items[-1], Repeat) and items[-1].low == 0:
            items.pop()
        if not items:
            return ANY
        if len(items) == 1:
            return side(items[0])
    if isinstance(node, (Group, Atomic)):
        return side(node.body)
    if isinstance(node, Repeat):
        if node.low == 0:
            return ANY
        if node.low == 1:
            return side(node.body)
    raise Unfit("a look-around at more than one character")
