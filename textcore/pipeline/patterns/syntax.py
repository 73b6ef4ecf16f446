"""The syntax tree of a pattern, the same for every dialect.

The parsers resolve what a dialect writes (properties, classes, options) to explicit sets
of code points, so a tree means one thing, whatever dialect it was written in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from textcore.pipeline.patterns.charset import Ranges

#: How deep a pattern may nest. Every walk over a tree recurses, so this bounds the stack;
#: patterns in use nest less than ten deep.
MAX_DEPTH = 50

Greed = OneOf["greedy", "lazy", "possessive"]
Place = OneOf[
    "text_start",
    "text_end",
    "text_end_or_last_newline",
    "line_start",
    "line_end",
    "search_start",
]


@dataclass(frozen=True)
class Set:
    """One character out of a set."""

    ranges: Ranges


@dataclass(frozen=True)
class Literal:
    """A run of literal characters that case folding sees as one string."""

    codes: tuple[int, ...]
    ignore_case: bool = False


@dataclass(frozen=True)
class Sequence:
    """One node after the other; without any, the empty match."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """The first of the nodes, in order, with which the whole pattern matches."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """``body`` between ``low`` and ``high`` times (None: without bound)."""

    body: Node
    low: int
    high: int | None
    greed: Greed


@dataclass(frozen=True)
class Group:
    """A capturing group, numbered from 1."""

    body: Node
    number: int


@dataclass(frozen=True)
class BackReference:
    """What the last of these groups that took part has matched, once more."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Atomic:
    """``body``, never re-entered by backtracking once it has matched."""

    body: Node


@dataclass(frozen=True)
class Look:
    """An assertion about what follows (or precedes, ``behind``), of either sign."""

    body: Node
    behind: bool
    negative: bool


@dataclass(frozen=True)
class Anchor:
    """An assertion about the position; newline is ``\\n`` alone."""

    place: Place


@dataclass(frozen=True)
class WordBoundary:
    """A change between characters in ``word`` and others (``negative``: no change).

    The text counts as surrounded by characters outside the set.
    """

    word: Ranges
    negative: bool


@dataclass(frozen=True)
class Keep:
    """``\\K``: the match that is reported starts here."""


Node = (
    Set
    | Literal
    | Sequence
    | Choice
    | Repeat
    | Group
    | BackReference
    | Atomic
    | Look
    | Anchor
    | WordBoundary
    | Keep
)
