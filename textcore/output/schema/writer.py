"""Writes constraints as a regex over canonical JSON text."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...errors import UnsupportedError
from .constraints import (
    ANYTHING,
    CONSTANTS,
    Array,
    Constraint,
    Number,
    Object,
    Schema,
    String,
    covers,
    excludes,
    lacks_proof,
)
from .fragments import EMPTY, Composer, Fragment, literal
from .languages import NAME_LIMIT, Pattern, excluding, plain
from .limits import DEPTH_LIMIT, Work
from .numbers import alternatives, decimals, integers, multiples
from .patterns import Node
from .strings import quoted
from .values import text_of


class Writer:
    """``separators``: between items, and between a name and its value. ``any_depth``: levels of
    arrays and objects in a value about which nothing is said."""

    def __init__(
        self, composer: Composer, separators: tuple[str, str], any_depth: int, work: Work
    ) -> None:
        self.composer = composer
        self.separators = separators
        self.work = work
        self.comma = literal(separators[0])
        self.colon = literal(separators[1])
        self._depth = 0
        self._any_depth = any_depth
        self._any_texts: list[Fragment] = []

    def write(self, schema: Schema) -> Fragment | None:
        """The texts of the values that satisfy a schema; None if there are none."""
        self.work.spend(1, schema.place)
        if schema.anything:
            return self._anything(self._any_depth)
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise UnsupportedError(schema.place, f"nested deeper than {DEPTH_LIMIT} levels")
        parts = [literal(text_of(v, self.separators)) for v in schema.values.values()]
        for constraint in schema.alternatives:
            outer, self.composer.place = self.composer.place, constraint.place
            written = self._constraint(constraint) if self._allowed(constraint) else None
            self.composer.place = outer
            if written is not None:
                parts.append(written)
        self._depth -= 1
        return self.composer.alt(parts) if parts else None

    def _allowed(self, constraint: Constraint) -> bool:
        """Whether anything is left of a constraint once what it must avoid is gone."""
        own = Schema(place=constraint.place, alternatives=(replace(constraint, avoid=()),))
        for other, place in constraint.avoid:
            if covers(other, constraint):
                return False
            if not excludes(own, other, self.work):
                raise lacks_proof(place)
        return True

    def _constraint(self, constraint: Constraint) -> Fragment | None:
        if isinstance(constraint, Number):
            return self._number(constraint)
        if isinstance(constraint, String):
            return quoted(self._language(constraint), self.composer)
        if isinstance(constraint, Array):
            return self._array(constraint)
        assert isinstance(constraint, Object)
        return _ObjectWriter(self, constraint).write() if constraint.stated else self._map()

    # Scalars.

    def _number(self, number: Number) -> Fragment | None:
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
        return self.composer.alt([Fragment(text, len(text))])

    def _language(self, string: String) -> Node:
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

    def _array(self, array: Array) -> Fragment | None:
        """``[``, the first items (each only after the one before), as many others, ``]``."""
        longest = array.longest()
        if longest is not None and longest < array.low:
            return None
        places = len(array.prefix) if longest is None else min(longest, len(array.prefix))
        items: list[Fragment] = []
        for index in range(places):
            item = self.write(array.prefix[index])
            if item is None:
                longest = index
                break
            items.append(item)
        if longest is not None and longest < array.low:
            return None
        tail = self._rest(array, len(items), longest)
        if tail is None:
            return None
        for index in reversed(range(len(items))):
            comma = self.comma if index else EMPTY
            tail = self.composer.seq([comma, items[index], tail])
            if index >= array.low:
                tail = self.composer.optional(tail)
        return self.composer.seq([literal("["), tail, literal("]")])

    def _rest(self, array: Array, start: int, longest: int | None) -> Fragment | None:
        """The items from ``start`` on (each after a comma, but for the array's first)."""
        if longest is not None and longest <= start:
            return EMPTY
        item = self.write(ANYTHING if array.rest is None else array.rest)
        low = max(array.low - start, 0)
        high = None if longest is None else longest - start
        if item is None:
            return EMPTY if low == 0 else None
        more = self.composer.seq([self.comma, item])
        if start:
            return self.composer.repeat(more, low, high)
        others = self.composer.repeat(more, max(low - 1, 0), None if high is None else high - 1)
        some = self.composer.seq([item, others])
        return some if low else self.composer.optional(some)

    # Any value, and any object.

    def _anything(self, depth: int) -> Fragment:
        if not self._any_texts:
            scalars = Schema(
                alternatives=(Number(), String()),
                values={**CONSTANTS["null"], **CONSTANTS["boolean"]},
            )
            written = self.write(scalars)
            assert written is not None
            self._any_texts.append(written)
        while len(self._any_texts) <= depth:
            inner = self._any_texts[-1]
            self._any_texts.append(
                self.composer.alt(
                    [
                        self._any_texts[0],
                        self._enclosed("[", inner, "]"),
                        self._enclosed("{", self.entry(self.any_name(), inner), "}"),
                    ]
                )
            )
        return self._any_texts[depth]

    def _enclosed(self, opening: str, item: Fragment, closing: str) -> Fragment:
        """Any number of the same item."""
        more = self.composer.repeat(self.composer.seq([self.comma, item]), 0, None)
        inside = self.composer.optional(self.composer.seq([item, more]))
        return self.composer.seq([literal(opening), inside, literal(closing)])

    def any_name(self) -> Fragment:
        """Any property name."""
        written = quoted(plain(0, None), self.composer)
        assert written is not None
        return written

    def _map(self) -> Fragment:
        entry = self.entry(self.any_name(), self._anything(self._any_depth))
        return self._enclosed("{", entry, "}")

    def entry(self, name: Fragment, value: Fragment) -> Fragment:
        """A property."""
        return self.composer.seq([name, self.colon, value])


class _ObjectWriter:
    """One object: declared properties in order, then those that only a rule describes."""

    def __init__(self, writer: Writer, object_: Object) -> None:
        self.writer = writer
        self.composer = writer.composer
        self.object = object_

    def write(self) -> Fragment | None:
        entries = self._declared()
        if entries is None:
            return None
        extra = self._extra()
        inside = self._inside(entries, extra)
        if inside is None:
            return None
        return self.composer.seq([literal("{"), inside, literal("}")])

    def _declared(self) -> list[tuple[Fragment, bool]] | None:
        """The entries of the declared and the required properties; None: one can't be."""
        object_, writer = self.object, self.writer
        entries = []
        required = set(object_.required)
        for name in dict.fromkeys((*object_.properties, *object_.required)):
            value = None
            if object_.names is None or object_.names.accepts(name, writer.work):
                value = writer.write(object_.member(name, writer.work))
            if value is not None:
                key = literal(text_of(name, writer.separators))
                entries.append((writer.entry(key, value), name in required))
            elif name in required:
                return None
        return entries

    def _inside(
        self, entries: list[tuple[Fragment, bool]], extra: Fragment | None
    ) -> Fragment | None:
        object_, composer = self.object, self.composer
        needed = sum(required for _, required in entries)
        low = max(object_.low, needed)
        if extra is None:
            if low > len(entries):
                return None
            if object_.high is not None and object_.high < needed:
                return None
            if object_.high is not None and object_.high < len(entries):
                if object_.high > needed:
                    raise self._uncounted("maxProperties")
                entries = [entry for entry in entries if entry[1]]
            if low == len(entries):
                entries = [(text, True) for text, _ in entries]
            elif low > max(needed, 1):
                raise self._uncounted("minProperties")
            return self._listed(entries, may_be_empty=low == 0)
        more = composer.seq([self.writer.comma, extra])
        if low > max(needed, 1):
            raise self._uncounted("minProperties")
        if object_.high is None:
            chain = composer.seq([extra, composer.repeat(more, 0, None)])
            return self._listed([*entries, (chain, False)], may_be_empty=low == 0)
        if needed < len(entries):
            raise self._uncounted("maxProperties")
        left = object_.high - needed
        if left < 0:
            return None
        if left == 0:
            return self._listed(entries, may_be_empty=low == 0)
        chain = composer.seq([extra, composer.repeat(more, 0, left - 1)])
        return self._listed([*entries, (chain, False)], may_be_empty=low == 0)

    def _uncounted(self, key: str) -> UnsupportedError:
        return UnsupportedError(
            f"{self.object.place}/{key}",
            "can't be honoured as a regex beside this many optional properties",
        )

    def _listed(self, entries: list[tuple[Fragment, bool]], *, may_be_empty: bool) -> Fragment:
        """Entries in order, with commas between those that are there.

        Everything hangs on the first required entry: those before it bring the comma behind
        them, those after it the comma in front.
        """
        composer, comma = self.composer, self.writer.comma
        first = next((i for i, (_, required) in enumerate(entries) if required), None)
        if first is None:
            some = self._any_of([text for text, _ in entries])
            if some is None:
                return EMPTY
            return composer.optional(some) if may_be_empty else some
        before = [composer.optional(composer.seq([text, comma])) for text, _ in entries[:first]]
        after = []
        for text, required in entries[first + 1 :]:
            part = composer.seq([comma, text])
            after.append(part if required else composer.optional(part))
        return composer.seq([*before, entries[first][0], *after])

    def _any_of(self, entries: list[Fragment]) -> Fragment | None:
        """One or more optional entries in order, in O(n log n) of their size.

        Some of the first half and then perhaps some of the second, or some of the second only.
        """
        composer, comma = self.composer, self.writer.comma
        if len(entries) < 2:
            return entries[0] if entries else None
        middle = (len(entries) + 1) // 2
        left, right = self._any_of(entries[:middle]), self._any_of(entries[middle:])
        assert left is not None
        assert right is not None
        tail = [composer.optional(composer.seq([comma, text])) for text in entries[middle:]]
        return composer.alt([composer.seq([left, *tail]), right])

    # Properties that only a rule describes.

    def _extra(self) -> Fragment | None:
        """One entry whose name is not declared; None if there is to be none."""
        object_ = self.object
        if object_.patterns:
            return self._by_pattern()
        if object_.additional is None or object_.additional.is_never() or object_.high == 0:
            return None
        value = self.writer.write(object_.additional)
        name = self._undeclared() if value is not None else None
        return None if name is None or value is None else self.writer.entry(name, value)

    def _by_pattern(self) -> Fragment | None:
        object_, writer = self.object, self.writer
        place = object_.patterns[0][0].place
        if object_.additional is not None and not object_.additional.is_never():
            raise UnsupportedError(
                place, "can't be combined with an additionalProperties other than false"
            )
        if object_.names is not None:
            raise UnsupportedError(place, "can't be combined with propertyNames")
        entries = []
        for index, (pattern, schema) in enumerate(object_.patterns):
            self._apart(pattern, index)
            value = writer.write(schema)
            name = quoted(pattern.node, self.composer)
            if name is not None and value is not None:
                entries.append(writer.entry(name, value))
        return self.composer.alt(entries) if entries else None

    def _apart(self, pattern: Pattern, index: int) -> None:
        """Raise where a name could fall under two rules."""
        for name in dict.fromkeys((*self.object.properties, *self.object.required)):
            if pattern.matches(name):
                raise UnsupportedError(
                    pattern.place, f"also matches the declared property {name[:80]!r}"
                )
        for other, _ in self.object.patterns[:index]:
            if not pattern.disjoint(other):
                raise UnsupportedError(
                    pattern.place, f"may match the same property names as {other.place}"
                )

    def _undeclared(self) -> Fragment | None:
        object_, writer = self.object, self.writer
        declared = list(dict.fromkeys((*object_.properties, *object_.required)))
        if object_.names is None:
            for name in declared:
                writer.work.spend(len(name), object_.place)
                if len(name) > NAME_LIMIT:
                    raise UnsupportedError(
                        f"{object_.place}/additionalProperties",
                        f"beside a property name of more than {NAME_LIMIT} characters",
                    )
            return quoted(excluding(declared), self.composer)
        for name in declared:
            if object_.names.accepts(name, writer.work):
                raise UnsupportedError(
                    f"{object_.place}/propertyNames",
                    f"also matches the declared property {name[:80]!r}",
                )
        return writer.write(object_.names)
