"""Compiled patterns and how they are iterated over a text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType

import regex

from textcore.core.scanner import Automaton
from textcore.errors import SpecError, TextError, UnsupportedError
from textcore.pipeline.patterns import oniguruma, rust
from textcore.pipeline.patterns.automaton import (
    Tables,
    Unfit,
    from_tables,
    tables,
)
from textcore.pipeline.patterns.cutting import cutting_rows
from textcore.pipeline.patterns.folding import resolve
from textcore.pipeline.patterns.joining import Joint, join
from textcore.pipeline.patterns.rewrite import rewrite, too_large
from textcore.pipeline.patterns.syntax import Node
from textcore.pipeline.patterns.windows import Windows, find_windows

_PARSERS: dict[str, Callable[[str, str], Node]] = {
    "oniguruma": oniguruma.parse,
    "rust": rust.parse,
}

#: Seconds that the ``regex`` engine may spend on one text, and on each character of it
#: beyond. Patterns are not trusted, and backtracking can be exponential; honest ones need
#: well under a microsecond a character.
BASE_SECONDS = 5.0
SECONDS_PER_CHARACTER = 20e-6


class Pattern:
    """One compiled pattern; immutable, and safe to share between threads.

    ``engine`` is ``"automaton"`` or ``"regex"``. ``automaton`` is there for compiled code
    that searches match by match: None with the latter, and for the rare pattern whose
    searches so made could take quadratic time (:meth:`finditer` is linear for it, too).
    ``tables`` are what it is made of; None with the other engine.
    ``windows``: see :mod:`textcore.pipeline.patterns.windows`; None where there are none.
    """

    __slots__ = (
        "_automaton",
        "_regex",
        "automaton",
        "dialect",
        "engine",
        "pattern",
        "place",
        "tables",
        "windows",
    )

    def __init__(self, pattern: str, dialect: str, place: str, tree: Node) -> None:
        self.pattern = pattern
        self.dialect = dialect
        self.place = place
        self._automaton: Automaton | None
        self.tables: Tables | None
        self.windows: Windows | None
        try:
            self.tables = tables(tree)
            self._automaton, self.windows = from_tables(self.tables)
            self.engine = "automaton"
            self._regex = None
        except Unfit:
            self._automaton = self.tables = self.windows = None
            self.engine = "regex"
            self._regex = _compiled(tree, place)
        made = self._automaton
        self.automaton = made if made is not None and made.linear else None

    @classmethod
    def prepared(
        cls, pattern: str, dialect: str, place: str, made_of: Tables, windows: Windows | None
    ) -> Pattern:
        """A pattern whose tables were made before, by :func:`prepare`."""
        made = cls.__new__(cls)
        made.pattern, made.dialect, made.place = pattern, dialect, place
        made.tables = made_of
        automaton, made.windows = from_tables(made_of, windows, find=False)
        made._automaton = automaton
        made.engine, made._regex = "automaton", None
        made.automaton = automaton if automaton.linear else None
        return made

    @property
    def key(self) -> Key:
        """What the pattern is known by: its dialect and text."""
        return self.dialect, self.pattern

    def __repr__(self) -> str:
        return f"Pattern({self.pattern!r}, {self.dialect!r}, engine={self.engine!r})"

    def finditer(self, text: str) -> list[tuple[int, int]]:
        """The spans, in characters, of the successive matches in ``text``.

        Each search starts where the match before ended; an empty match right there is no
        match, and the search goes on one character later (as the reference's iterators
        do it). What a look-behind sees begins with ``text``.

        Raises :class:`~textcore.errors.TextError` for a text with a lone surrogate, and
        :class:`~textcore.errors.SpecError` where matching takes too long.
        """
        try:
            if self._automaton is not None:
                return self._automaton.find_spans(text)
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise TextError(f"the text has a lone surrogate at {error.start}") from None
        return self._backtrack(text)

    def _backtrack(self, text: str) -> list[tuple[int, int]]:
        assert self._regex is not None
        search = self._regex.search
        deadline = time.monotonic() + BASE_SECONDS + SECONDS_PER_CHARACTER * len(text)
        spans = []
        position = 0
        last_end = -1
        while position <= len(text):
            try:
                match = search(text, position, timeout=max(deadline - time.monotonic(), 1e-3))
            except TimeoutError:
                raise SpecError(
                    self.place, f"the pattern takes too long on a text of {len(text)} characters"
                ) from None
            if match is None:
                break
            start, end = match.span()
            if start == end == last_end:
                position += 1
            else:
                spans.append((start, end))
                position = last_end = end
        return spans


def _compiled(tree: Node, place: str) -> regex.Pattern[str]:
    if too_large(tree):
        raise UnsupportedError(place, "the pattern is too large, or its repeats multiply")
    try:
        return regex.compile(rewrite(tree), regex.V0, cache_pattern=False)
    except (regex.error, OverflowError, MemoryError) as error:
        raise UnsupportedError(
            place, f"the pattern is beyond the regex package: {error}"
        ) from None


def compile_pattern(pattern: str, dialect: str, place: str = "") -> Pattern:
    """Compile a pattern of one dialect.

    ``dialect``: ``"oniguruma"`` (a tokenizer.json, as Hugging Face ``tokenizers`` compiles
    it) or ``"rust"`` (``fancy-regex``, as ``tiktoken`` does). ``place`` says in errors
    where the pattern stands.

    Raises :class:`~textcore.errors.SpecError` for a pattern that the dialect's own engine
    refuses, and :class:`~textcore.errors.UnsupportedError` for one that is not supported.
    """
    known = _PREPARED.get().patterns.get((dialect, pattern))
    if known is not None:
        return Pattern.prepared(pattern, dialect, place, *known)
    if dialect not in _PARSERS:
        raise SpecError(place, f"unknown dialect {dialect!r}; known: {', '.join(_PARSERS)}")
    try:
        tree = resolve(_PARSERS[dialect](pattern, place))
        return Pattern(pattern, dialect, place, tree)
    except RecursionError:
        raise UnsupportedError(place, "the pattern is nested too deep") from None


Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """Splits in turn that run as one.

    ``patterns`` says which (dialect and text of each). Of a single one ``joint`` is None: it is
    the pattern's own automaton.
    """

    patterns: tuple[Key, ...]
    joint: Joint | None
    automaton: Automaton
    windows: Windows | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What patterns, and patterns in turn, are made of, so that nothing needs compiling."""

    patterns: Mapping[Key, tuple[Tables, Windows | None]]
    joints: Mapping[tuple[Key, ...], Run]


_NOTHING = Prepared(MappingProxyType({}), MappingProxyType({}))
_PREPARED: ContextVar[Prepared] = ContextVar("prepared patterns", default=_NOTHING)


@contextmanager
def with_prepared(known: Prepared) -> Iterator[None]:
    """While this lasts, in this thread, these patterns (dialect, text) are not compiled."""
    token = _PREPARED.set(known)
    try:
        yield
    finally:
        _PREPARED.reset(token)


def runs(patterns: Sequence[Pattern]) -> list[Run]:
    """Splits in turn, each with an automaton, as few as can be: those joined that can be."""
    made: list[Run] = []
    at = 0
    while at < len(patterns):
        stops = range(len(patterns), at + 1, -1)
        run = next(filter(None, (_joined(patterns[at:stop]) for stop in stops)), None)
        if run is None:
            pattern = patterns[at]
            assert pattern.automaton is not None
            run = Run((pattern.key,), None, pattern.automaton, pattern.windows)
        made.append(run)
        at += len(run.patterns)
    return made


def _joined(patterns: Sequence[Pattern]) -> Run | None:
    keys = tuple(pattern.key for pattern in patterns)
    known = _PREPARED.get().joints.get(keys)
    if known is not None:
        return known
    parts = [pattern.tables for pattern in patterns if pattern.tables is not None]
    joint = join([(t.block_of, t.blocks, cutting_rows(t.moves, t.starts)) for t in parts])
    if joint is None:
        return None
    return joint_run(keys, joint, find_windows(joint.cuts, joint.symbol))


def joint_run(patterns: tuple[Key, ...], joint: Joint, windows: Windows | None) -> Run:
    """Splits in turn, joined. Raises ValueError for tables that no splits have."""
    if not joint.goes_on():
        raise ValueError("a joint cutting table cuts twice at one place")
    # A joint is never searched match by match, and so has no moves for that.
    idle = (0,) * len(joint.cuts[0])
    automaton = Automaton(joint.block_of, joint.blocks, (idle,), idle, joint.cuts)
    return Run(patterns, joint, automaton, windows)
