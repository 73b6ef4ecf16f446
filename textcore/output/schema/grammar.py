"""Grammars put together from parts: regexes, control tokens, and rules that may be recursive.

Engines that run grammars cut the text into lexemes first, each the longest match of a regex
that may stand there, and do not go back. So regexes are never joined across the structure of
a value: brackets, commas and keys are lexemes of their own wherever they come from, and what
may follow a lexeme never begins like what may continue it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from ...errors import SpecError
from .fragments import EMPTY, Composer, Fragment, Part


@dataclass(frozen=True, slots=True)
class Token(Part):
    """One token, by its id; ``text`` is what it is called."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Sequenced(Part):
    """Parts, one after the other."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Choice(Part):
    """Any one of several parts."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeated(Part):
    """A part from ``low`` to ``high`` times (None: without end)."""

    part: Part
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Rule(Part):
    """Whatever the rule of this name says."""

    name: str


class GrammarComposer:
    """Joins parts into a grammar, and refuses what grows past ``limit`` positions.

    The same methods as :class:`Composer`, whose place it takes in a writer; ``scalars`` is one
    that makes regexes, for what is one lexeme.
    """

    def __init__(self, limit: int) -> None:
        self.scalars = Composer(limit, "as a grammar", "")
        self._names: dict[Hashable, str] = {}
        self._rules: dict[str, Part | None] = {}
        self._pending: list[tuple[str, Callable[[], Part | None]]] = []
        self._sizes: dict[str, int] = {}
        self._needed: list[tuple[Part, str]] = []

    @property
    def place(self) -> str:
        """The JSON pointer of what is being written, for errors."""
        return self.scalars.place

    @place.setter
    def place(self, place: str) -> None:
        self.scalars.place = place

    def seq(self, parts: Iterable[Part]) -> Part:
        """One after the other."""
        kept: list[Part] = []
        for part in parts:
            kept += part.parts if isinstance(part, Sequenced) else (part,)
        kept = [part for part in kept if part != EMPTY]
        if not kept:
            return EMPTY
        return kept[0] if len(kept) == 1 else Sequenced(tuple(kept))

    def alt(self, parts: Sequence[Part]) -> Part:
        """Any one of them; regexes become one, as no lexeme of a choice hides another."""
        regexes = [part for part in parts if isinstance(part, Fragment)]
        others = dict.fromkeys(part for part in parts if not isinstance(part, Fragment))
        joined: list[Part] = [self.scalars.alt(regexes)] if regexes else []
        joined += others
        return joined[0] if len(joined) == 1 else Choice(tuple(joined))

    def repeat(self, part: Part, low: int, high: int | None) -> Part:
        """``part`` from ``low`` to ``high`` times (None: without end)."""
        if high == 0 or part == EMPTY:
            return EMPTY
        return part if low == high == 1 else Repeated(part, low, high)

    def optional(self, part: Part) -> Part:
        """``part`` or nothing."""
        return self.repeat(part, 0, 1)

    def share(self, part: Part) -> Part:
        """A part that is going to be used more than once: a rule, if it is large."""
        if isinstance(part, Fragment | Token | Rule):
            return part
        return self.rule(part, lambda: part)

    def rule(self, key: Hashable, make: Callable[[], Part | None]) -> Part:
        """The rule of a key, to be made later; the same key is the same rule."""
        if key not in self._names:
            self._names[key] = f"r{len(self._names) + 1}"
            self._pending.append((self._names[key], make))
        return Rule(self._names[key])

    def need(self, part: Part, place: str) -> None:
        """Remember that there must be some text for a part; errors name the place."""
        self._needed.append((part, place))

    def finish(self, start: Part) -> Grammar:
        """Make all rules; leave out what no text is long enough for.

        Raises:
            SpecError: a part that is needed is left out.
            UnsupportedError: the grammar has too many positions.
        """
        while self._pending:
            name, make = self._pending.pop()
            self._rules[name] = make()
            self._count(self._rules[name])
        self._count(start)
        productive = self._productive()
        for needed, place in self._needed:
            if _pruned(needed, productive) is None:
                raise SpecError(place, "no value satisfies the schema: all would be endless")
        pruned = _pruned(start, productive)
        assert pruned is not None
        rules: dict[str, Part] = {}
        todo = [pruned]
        while todo:
            for name in _names(todo.pop()):
                part = self._rules[name]
                if name not in rules and part is not None:
                    kept = _pruned(part, productive)
                    assert kept is not None
                    rules[name] = kept
                    todo.append(kept)
        return Grammar(pruned, rules)

    def _count(self, part: Part | None) -> None:
        """Add up the positions of all regexes, each once, and of what joins them."""
        todo = [] if part is None else [part]
        while todo:
            item = todo.pop()
            if isinstance(item, Fragment):
                self._sizes[item.text] = item.positions
            else:
                self._sizes["parts"] = self._sizes.get("parts", 0) + 1
            todo += _children(item)
        self.scalars.check(sum(self._sizes.values()))

    def _productive(self) -> set[str]:
        """The rules that match some text, found from those that need no others."""
        known: set[str] = set()
        while True:
            found = {
                name
                for name, part in self._rules.items()
                if name not in known and part is not None and _pruned(part, known) is not None
            }
            if not found:
                return known
            known |= found


@dataclass(frozen=True)
class Grammar:
    """Where a text begins, and the rules that this leads to."""

    start: Part
    rules: dict[str, Part]


def _children(part: Part) -> tuple[Part, ...]:
    if isinstance(part, Sequenced | Choice):
        return part.parts
    return (part.part,) if isinstance(part, Repeated) else ()


def _names(part: Part) -> Iterable[str]:
    """The rules that a part names."""
    todo = [part]
    while todo:
        item = todo.pop()
        if isinstance(item, Rule):
            yield item.name
        todo += _children(item)


def _pruned(part: Part, known: set[str]) -> Part | None:
    """A part without what needs a rule that is not known; None if nothing is left."""
    if isinstance(part, Rule):
        return part if part.name in known else None
    if isinstance(part, Sequenced):
        kept = [_pruned(inner, known) for inner in part.parts]
        return None if None in kept else Sequenced(tuple(p for p in kept if p is not None))
    if isinstance(part, Choice):
        some = [inner for inner in (_pruned(p, known) for p in part.parts) if inner is not None]
        return (some[0] if len(some) == 1 else Choice(tuple(some))) if some else None
    if isinstance(part, Repeated):
        inner = _pruned(part.part, known)
        if inner is None:
            return EMPTY if part.low == 0 else None
        return Repeated(inner, part.low, part.high)
    return part
