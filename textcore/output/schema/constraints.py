"""What a schema says, sorted by type, and what follows from two schemas together.

A ``Schema`` is a union: constraints, each on values of one type, and single values. Merging
two schemas (``allOf``, ``$ref`` with neighbours, ``anyOf`` beside other keywords) intersects
them type by type. Here a constraint has its full JSON Schema meaning, in which an object may
have properties that nobody mentions; only the writer leaves those out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

from ...errors import UnsupportedError
from .languages import Pattern
from .limits import DEPTH_LIMIT, Work
from .numbers import EVERYWHERE, Range, common_multiple
from .values import exact, is_number, key_of


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """Values of one type. ``place``: the pointer of the schema that says so first.

    ``avoid``: schemas (and where they stand) that a value must not satisfy, from ``oneOf`` and
    ``not``; the writer has to prove that none does.
    """

    place: str = ""
    avoid: tuple[tuple[Schema, str], ...] = ()

    def accepts(self, value: Any, work: Work) -> bool:
        """Whether a value satisfies this."""
        return self._fits(value, work) and not any(s.accepts(value, work) for s, _ in self.avoid)

    def _fits(self, value: Any, work: Work) -> bool:
        raise NotImplementedError

    def is_vacuous(self) -> bool:
        """Whether no value can satisfy this, as far as is seen at once."""
        return False


@dataclass(frozen=True, kw_only=True)
class Number(Constraint):
    """Numbers in a range; ``multiple``: only multiples of it."""

    integer: bool = False
    range: Range = EVERYWHERE
    multiple: Fraction | None = None

    def _fits(self, value: Any, work: Work) -> bool:
        if not is_number(value):
            return False
        number = exact(value)
        if self.integer and number.denominator != 1:
            return False
        if self.multiple is not None and (number / self.multiple).denominator != 1:
            return False
        return self.range.contains(number)

    def is_vacuous(self) -> bool:
        if self.range.is_empty():
            return True
        if not self.integer:
            return False
        low, high = self.range.multiples(Fraction(1))
        return low is not None and high is not None and low > high


@dataclass(frozen=True, kw_only=True)
class String(Constraint):
    """Strings of ``low`` to ``high`` code points that are in every pattern's set."""

    low: int = 0
    high: int | None = None
    patterns: tuple[Pattern, ...] = ()

    def _fits(self, value: Any, work: Work) -> bool:
        if not isinstance(value, str) or len(value) < self.low:
            return False
        if self.high is not None and len(value) > self.high:
            return False
        return all(pattern.matches(value) for pattern in self.patterns)

    def is_vacuous(self) -> bool:
        return self.high is not None and self.high < self.low


@dataclass(frozen=True, kw_only=True)
class Array(Constraint):
    """Arrays: a schema for each of the first items, and ``rest`` for the others.

    ``rest`` None: nothing is said about the others (so they may be anything).
    """

    prefix: tuple[Schema, ...] = ()
    rest: Schema | None = None
    low: int = 0
    high: int | None = None

    def item(self, index: int) -> Schema:
        """What the item at ``index`` must satisfy."""
        if index < len(self.prefix):
            return self.prefix[index]
        return ANYTHING if self.rest is None else self.rest

    def longest(self) -> int | None:
        """The most items that are written: none past ``prefix`` where nothing is said."""
        closed = len(self.prefix) if self.prefix and self.rest is None else None
        bounds = [n for n in (closed, self.high) if n is not None]
        return min(bounds) if bounds else None

    def _fits(self, value: Any, work: Work) -> bool:
        if not isinstance(value, list) or len(value) < self.low:
            return False
        if self.high is not None and len(value) > self.high:
            return False
        return all(self.item(i).accepts(item, work) for i, item in enumerate(value))

    def is_vacuous(self) -> bool:
        return self.high is not None and self.high < self.low


@dataclass(frozen=True, kw_only=True)
class Object(Constraint):
    """Objects. ``stated`` False: no schema spoke of objects, any will do.

    ``additional`` None: nothing is said about properties that neither ``properties`` nor
    ``patterns`` name. ``names``: what every property's name must satisfy.
    """

    properties: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    patterns: tuple[tuple[Pattern, Schema], ...] = ()
    additional: Schema | None = None
    names: Schema | None = None
    low: int = 0
    high: int | None = None
    stated: bool = True

    def member(self, name: str, work: Work) -> Schema:
        """What the value of a property must satisfy."""
        if name in self.properties:
            return self.properties[name]
        matched = [schema for pattern, schema in self.patterns if pattern.matches(name)]
        if not matched:
            return ANYTHING if self.additional is None else self.additional
        result = matched[0]
        for schema in matched[1:]:
            result = intersect(result, schema, work)
        return result

    def is_closed(self) -> bool:
        """Whether only declared and required properties are written."""
        if not self.stated or self.patterns:
            return False
        return self.additional is None or self.additional.is_never()

    def _fits(self, value: Any, work: Work) -> bool:
        if not isinstance(value, dict) or len(value) < self.low:
            return False
        if self.high is not None and len(value) > self.high:
            return False
        if not all(name in value for name in self.required):
            return False
        if self.names is not None and not all(self.names.accepts(n, work) for n in value):
            return False
        return all(self.member(n, work).accepts(item, work) for n, item in value.items())

    def is_vacuous(self) -> bool:
        return self.high is not None and self.high < max(self.low, len(self.required))


class Deferred:
    """A schema that is made when it is asked for, so that one may refer to itself.

    ``place``: where it stands.
    """

    __slots__ = ("_made", "_make", "place")

    def __init__(self, place: str, make: Callable[[], Schema]) -> None:
        self.place = place
        self._make: Callable[[], Schema] | None = make
        self._made: Schema | None = None

    def schema(self) -> Schema:
        """The schema.

        Raises:
            UnsupportedError: it is needed to make itself.
        """
        if self._made is None:
            make, self._make = self._make, None
            if make is None:
                raise UnsupportedError(self.place, "a schema that is defined by itself")
            self._made = make()
        return self._made


@dataclass(frozen=True, kw_only=True, eq=False)
class Schema:
    """A union of constraints, of single values (by ``key_of``) and of schemas that are made
    later; or any value at all.

    ``reason``: why no value satisfies it, where that is known.
    """

    place: str = ""
    alternatives: tuple[Constraint, ...] = ()
    values: Mapping[Any, Any] = field(default_factory=dict)
    anything: bool = False
    reason: str = ""
    references: tuple[Deferred, ...] = ()

    def is_never(self) -> bool:
        """Whether no value satisfies it, as far as is seen at once."""
        return not (self.alternatives or self.values or self.anything or self.references)

    def resolved(self) -> Schema:
        """The same schema without references; what they lead to is part of it."""
        if not self.references:
            return self
        values, alternatives = dict(self.values), [*self.alternatives]
        todo, seen = [*self.references], set(self.references)
        while todo:
            schema = todo.pop(0).schema()
            if schema.anything:
                return ANYTHING
            values.update(schema.values)
            alternatives += schema.alternatives
            todo += [later for later in schema.references if later not in seen]
            seen.update(schema.references)
        return Schema(
            place=self.place,
            alternatives=tuple(alternatives),
            values=values,
            reason=self.reason or f"{self.place} leads to itself only",
        )

    def accepts(self, value: Any, work: Work) -> bool:
        """Whether a value satisfies it."""
        work.spend(1, self.place)
        if self.references:
            return self.resolved().accepts(value, work)
        if self.anything or (self.values and key_of(value) in self.values):
            return True
        return any(constraint.accepts(value, work) for constraint in self.alternatives)


ANYTHING: Final = Schema(anything=True)


CONSTANTS: Final[Mapping[str, Mapping[Any, Any]]] = {
    "null": {key_of(None): None},
    "boolean": {key_of(value): value for value in (True, False)},
}
"""The types that have few enough values to list them."""


def unconstrained(place: str) -> dict[str, Constraint]:
    """One constraint that says nothing, for each of the other types."""
    return {
        "number": Number(place=place),
        "string": String(place=place),
        "array": Array(place=place),
        "object": Object(place=place, stated=False),
    }


def expanded(schema: Schema) -> Schema:
    """The same schema with its types spelled out, also where it allows anything."""
    if not schema.anything:
        return schema
    return Schema(
        place=schema.place,
        alternatives=tuple(unconstrained(schema.place).values()),
        values={**CONSTANTS["null"], **CONSTANTS["boolean"]},
    )


def intersect(first: Schema, second: Schema, work: Work) -> Schema:
    """The values that satisfy both."""
    if first.anything or first is second:
        return second
    if second.anything:
        return first
    place = first.place or second.place
    if first.references or second.references:
        return _meet_later(first, second, place, work)
    work.spend(20 + 20 * len(first.alternatives) * len(second.alternatives), place)
    values = {k: v for k, v in first.values.items() if second.accepts(v, work)}
    for key, value in second.values.items():
        if key not in values and first.accepts(value, work):
            values[key] = value
    met = [_meet(a, b, work) for a in first.alternatives for b in second.alternatives]
    kept = tuple(m for m in met if m is not None and not m.is_vacuous())
    reasons = [s.reason for s in (first, second) if s.is_never()]
    reason = reasons[0] if reasons else f"{first.place} and {second.place} share no value"
    return Schema(place=place, alternatives=kept, values=values, reason=reason)


def _meet_later(first: Schema, second: Schema, place: str, work: Work) -> Schema:
    """The values that satisfy both, found out later; the same question has the same answer."""
    work.spend(20, place)
    key = (id(first), id(second))
    if key not in work.meetings:
        later = Deferred(place, lambda: intersect(first.resolved(), second.resolved(), work))
        work.meetings[key] = (first, second, Schema(place=place, references=(later,)))
    met: Schema = work.meetings[key][2]
    return met


def _optional(first: Schema | None, second: Schema | None, work: Work) -> Schema | None:
    if first is None or second is None:
        return second if first is None else first
    return intersect(first, second, work)


def _least(first: int | None, second: int | None) -> int | None:
    known = [n for n in (first, second) if n is not None]
    return min(known) if known else None


def _meet(a: Constraint, b: Constraint, work: Work) -> Constraint | None:
    avoid = tuple(dict.fromkeys((*a.avoid, *b.avoid)))
    if isinstance(a, Number) and isinstance(b, Number):
        units = [n.multiple for n in (a, b) if n.multiple is not None]
        both = common_multiple(*units) if len(units) == 2 else (units[0] if units else None)
        return replace(
            a,
            integer=a.integer or b.integer,
            range=a.range.intersect(b.range),
            multiple=both,
            avoid=avoid,
        )
    if isinstance(a, String) and isinstance(b, String):
        return replace(
            a,
            low=max(a.low, b.low),
            high=_least(a.high, b.high),
            patterns=tuple(dict.fromkeys((*a.patterns, *b.patterns))),
            avoid=avoid,
        )
    if isinstance(a, Array) and isinstance(b, Array):
        count = max(len(a.prefix), len(b.prefix))
        work.spend(count, a.place)
        return replace(
            a,
            prefix=tuple(intersect(a.item(i), b.item(i), work) for i in range(count)),
            rest=_optional(a.rest, b.rest, work),
            low=max(a.low, b.low),
            high=_least(a.high, b.high),
            avoid=avoid,
        )
    if isinstance(a, Object) and isinstance(b, Object):
        if not (a.stated and b.stated):
            return replace(b if b.stated else a, avoid=avoid)
        return replace(_meet_objects(a, b, work), avoid=avoid)
    return replace(a, avoid=avoid) if type(a) is type(b) else None


def _meet_objects(a: Object, b: Object, work: Work) -> Object:
    names = dict.fromkeys((*a.properties, *b.properties))
    work.spend(len(names), a.place)
    additional = _optional(a.additional, b.additional, work)
    if a.patterns and b.patterns:
        if [p for p, _ in a.patterns] != [p for p, _ in b.patterns]:
            raise UnsupportedError(
                f"{b.place}/patternProperties",
                f"can't be merged with the different patternProperties of {a.place}",
            )
        patterns = tuple(
            (pattern, intersect(one, two, work))
            for (pattern, one), (_, two) in zip(a.patterns, b.patterns, strict=True)
        )
    else:
        other = b if a.patterns else a
        patterns = tuple(
            (pattern, schema if other.additional is None
             else intersect(schema, other.additional, work))
            for pattern, schema in (a.patterns or b.patterns)
        )  # fmt: skip
    return Object(
        place=a.place,
        properties={n: intersect(a.member(n, work), b.member(n, work), work) for n in names},
        required=tuple(dict.fromkeys((*a.required, *b.required))),
        patterns=patterns,
        additional=additional,
        names=_optional(a.names, b.names, work),
        low=max(a.low, b.low),
        high=_least(a.high, b.high),
    )


# Proofs that schemas have nothing in common, for `oneOf` and `not`. They may fail to see it.


def excludes(first: Schema, second: Schema, work: Work) -> bool:
    """Whether no value that is written for ``first`` satisfies ``second``."""
    if work.depth >= DEPTH_LIMIT:
        return False
    work.depth += 1
    shown = _excludes(expanded(first.resolved()), expanded(second.resolved()), work)
    work.depth -= 1
    return shown


def _excludes(first: Schema, second: Schema, work: Work) -> bool:
    work.spend(1 + len(first.alternatives) * len(second.alternatives), first.place)
    if any(second.accepts(value, work) for value in first.values.values()):
        return False
    if any(first.accepts(value, work) for value in second.values.values()):
        return False
    return all(disjoint(a, b, work) for a in first.alternatives for b in second.alternatives)


def disjoint(a: Constraint, b: Constraint, work: Work) -> bool:
    """Whether no value that is written for ``a`` satisfies ``b``."""
    if type(a) is not type(b):
        return True
    if isinstance(a, Number) and isinstance(b, Number):
        both = _meet(replace(a, avoid=()), replace(b, avoid=()), work)
        return both is not None and both.is_vacuous()
    if isinstance(a, String) and isinstance(b, String):
        if String(low=max(a.low, b.low), high=_least(a.high, b.high)).is_vacuous():
            return True
        return any(p.disjoint(q) for p in a.patterns for q in b.patterns)
    if isinstance(a, Array) and isinstance(b, Array):
        longest = _least(a.longest(), b.high)
        low = max(a.low, b.low)
        if longest is not None and longest < low:
            return True
        checked = min(low, max(len(a.prefix), len(b.prefix)) + 1)
        return any(excludes(a.item(i), b.item(i), work) for i in range(checked))
    if isinstance(a, Object) and isinstance(b, Object):
        if a.is_closed():
            known = {*a.properties, *a.required}
            if any(name not in known for name in b.required):
                return True
        shared = dict.fromkeys((*a.required, *b.required))
        return any(excludes(a.member(n, work), b.member(n, work), work) for n in shared)
    return False


def covers(wide: Schema, narrow: Constraint) -> bool:
    """Whether every value of ``narrow`` certainly satisfies ``wide``."""
    wide = wide.resolved()
    return wide.anything or any(
        type(c) is type(narrow) and not c.avoid and _is_free(c, narrow) for c in wide.alternatives
    )


def _is_free(wide: Constraint, narrow: Constraint) -> bool:
    blank = replace(wide, place="", avoid=())
    if isinstance(wide, Object):
        return not wide.stated or blank == Object()
    if isinstance(wide, Number) and isinstance(narrow, Number):
        return blank == Number(integer=wide.integer and narrow.integer)
    return blank == type(wide)()


def lacks_proof(place: str) -> UnsupportedError:
    """The error for a ``oneOf`` or ``not`` whose exclusion could not be shown."""
    if place.endswith("/not"):
        problem = "can't be taken out by a regex; only single values and whole types can"
    else:
        problem = (
            "can't show that no value of the other alternatives satisfies this one too; tell them"
            " apart by type, by const or by a required property, or use anyOf"
        )
    return UnsupportedError(place, problem)
