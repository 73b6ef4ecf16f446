"""Writes constraints as a regex or a grammar over the text of values, JSON or another."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...errors import UnsupportedError
from .arrays import items
from .constraints import (
    ANYTHING,
    CONSTANTS,
    Array,
    Constraint,
    Deferred,
    Number,
    Object,
    Schema,
    String,
    covers,
    excludes,
    lacks_proof,
)
from .fragments import EMPTY, Composer, Fragment, Part, Structure, literal
from .grammar import GrammarComposer
from .languages import plain
from .limits import DEPTH_LIMIT, Work
from .numbers import alternatives, decimals, integers, multiples
from .objects import Braces, Frame, ObjectWriter
from .patterns import Node
from .spelling import Spelling
from .values import text_of


class Writer:
    """Writes values in a ``spelling``.

    With a :class:`Composer` the result is a regex, and ``any_depth`` is how many levels of
    arrays and objects there are in a value about which nothing is said. With a
    :class:`GrammarComposer` it is a grammar, and there is no such bound.
    """

    def __init__(
        self, composer: Composer | GrammarComposer, spelling: Spelling, any_depth: int, work: Work
    ) -> None:
        self.composer: Structure = composer
        self.grammar = composer if isinstance(composer, GrammarComposer) else None
        self.scalars = composer.scalars if isinstance(composer, GrammarComposer) else composer
        self.spelling = spelling
        self.work = work
        self.comma = spelling.comma
        self.colon = spelling.colon
        self.braces = Braces(self)
        self._depth = 0
        self._any_depth = any_depth
        self._any_texts: list[Part] = []

    def write(self, schema: Schema) -> Part | None:
        """The texts of the values that satisfy a schema; None if there are none."""
        self.work.spend(1, schema.place)
        if schema.anything:
            return self._anything(self._any_depth)
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise UnsupportedError(schema.place, f"nested deeper than {DEPTH_LIMIT} levels")
        parts = [self.constant(value) for value in schema.values.values()]
        parts += [self.constraint(constraint) for constraint in schema.alternatives]
        parts += [self._later(reference) for reference in schema.references]
        self._depth -= 1
        written = [part for part in parts if part is not None]
        return self.composer.alt(written) if written else None

    def _later(self, reference: Deferred) -> Part | None:
        """What a reference leads to, by a rule of its own."""
        assert self.grammar is not None

        def make() -> Part | None:
            depth, self._depth = self._depth, 0
            written = self.write(reference.schema().resolved())
            self._depth = depth
            return written

        return self.grammar.rule(("schema", id(self), reference), make)

    def constant(self, value: Any) -> Part | None:
        """The text of one value."""
        if isinstance(value, str):
            return self.spelling.constant(value)
        if value is None or isinstance(value, bool):
            return self.spelling.word(value)
        if isinstance(value, dict):
            return self._members(
                "{",
                [(self.spelling.key(name), self.constant(item)) for name, item in value.items()],
                "}",
            )
        if isinstance(value, list):
            return self._members("[", [(EMPTY, self.constant(item)) for item in value], "]")
        return literal(text_of(value, (", ", ": ")))

    def _members(
        self, opening: str, members: list[tuple[Fragment | None, Part | None]], closing: str
    ) -> Part | None:
        parts: list[Part] = [self.opening(opening)]
        for index, (key, item) in enumerate(members):
            if key is None or item is None:
                return None
            parts += [self.comma] if index else []
            parts.append(item if key == EMPTY else self.entry(key, item))
        return self.composer.seq([*parts, self.closing(closing)])

    def opening(self, bracket: str) -> Fragment:
        """A bracket that opens, with the whitespace that may stand behind it."""
        return self.scalars.seq([literal(bracket), self.spelling.gap])

    def closing(self, bracket: str) -> Fragment:
        """A bracket that closes, with the whitespace that may stand before it."""
        return self.scalars.seq([self.spelling.gap, literal(bracket)])

    def constraint(self, constraint: Constraint, frame: Frame | None = None) -> Part | None:
        """The texts of the values of one constraint; ``frame`` is what an object stands in."""
        outer, self.composer.place = self.composer.place, constraint.place
        written = self._constraint(constraint, frame) if self.allowed(constraint) else None
        self.composer.place = outer
        return written

    def allowed(self, constraint: Constraint) -> bool:
        """Whether anything is left of a constraint once what it must avoid is gone."""
        own = Schema(place=constraint.place, alternatives=(replace(constraint, avoid=()),))
        for other, place in constraint.avoid:
            if covers(other, constraint):
                return False
            if not excludes(own, other, self.work):
                raise lacks_proof(place)
        return True

    def _constraint(self, constraint: Constraint, frame: Frame | None) -> Part | None:
        if isinstance(constraint, Number):
            return self.number(constraint)
        if isinstance(constraint, String):
            return self.spelling.string(self.language(constraint))
        if isinstance(constraint, Array):
            return self._array(constraint)
        assert isinstance(constraint, Object)
        frame = frame or self.braces
        if not constraint.stated:
            constraint = replace(constraint, additional=ANYTHING)
        return ObjectWriter(self, constraint, frame).write()

    # Scalars.

    def number(self, number: Number) -> Fragment | None:
        """The texts of numbers."""
        if number.multiple is not None:
            found = multiples(number.multiple, number.range, whole=number.integer)
            if found is None:
                raise UnsupportedError(
                    f"{number.place}/multipleOf",
                    "as a regex, multiples of a number that divides no power of ten can only be"
                    " listed, between bounds, and not too many",
                )
            parts = found
        elif number.integer:
            parts = integers(*number.range.multiples(Fraction(1)))
        else:
            parts = decimals(number.range)
        if not parts:
            return None
        text = alternatives(parts)
        # Counted repeats in these texts are short: the text's length bounds their positions.
        return self.scalars.alt([Fragment(text, len(text))])

    def language(self, string: String) -> Node:
        """The set of strings that a constraint allows."""
        if not string.patterns:
            return plain(string.low, string.high)
        if len(string.patterns) > 1:
            raise UnsupportedError(
                string.patterns[1].place,
                f"can't be combined with {string.patterns[0].place} in one regex",
            )
        pattern = string.patterns[0]
        if string.low == 0 and string.high is None:
            return pattern.node
        return pattern.of_length(string.low, string.high)

    # Arrays.

    def _array(self, array: Array) -> Part | None:
        """``[``, the items, ``]``."""
        inside = items(
            self.composer, array, lambda index: self.write(array.item(index)), self.comma
        )
        if inside is None:
            return None
        return self.composer.seq([self.opening("["), inside, self.closing("]")])

    # Any value, and any object.

    def _anything(self, depth: int) -> Part:
        if self.grammar is not None:
            return self.grammar.rule(("anything", id(self)), self._recursive)
        if not self._any_texts:
            self._any_texts.append(self._any_scalar())
        while len(self._any_texts) <= depth:
            self._any_texts.append(self._any_around(self._any_texts[-1]))
        return self._any_texts[depth]

    def _recursive(self) -> Part:
        """Any value, in terms of any value."""
        return self._any_around(self._anything(0))

    def _any_scalar(self) -> Part:
        scalars = Schema(
            alternatives=(Number(), String()),
            values={**CONSTANTS["null"], **CONSTANTS["boolean"]},
        )
        written = self.write(scalars)
        assert written is not None
        return written

    def _any_around(self, inner: Part) -> Part:
        """A scalar, or an array or object of these."""
        scalar = self._any_texts[0] if self._any_texts else self._any_scalar()
        parts = [scalar, self._enclosed("[", inner, "]")]
        name = self.spelling.keys(plain(0, None))
        if name is not None:
            parts.append(self._enclosed("{", self.entry(name, inner), "}"))
        return self.composer.alt(parts)

    def _enclosed(self, opening: str, item: Part, closing: str) -> Part:
        """Any number of the same item."""
        item = self.composer.share(item)
        more = self.composer.repeat(self.composer.seq([self.comma, item]), 0, None)
        inside = self.composer.optional(self.composer.seq([item, more]))
        return self.composer.seq([self.opening(opening), inside, self.closing(closing)])

    def entry(self, name: Fragment, value: Part) -> Part:
        """A property; its name and what ends it are one lexeme."""
        return self.composer.seq([self.scalars.seq([name, self.colon]), value])
