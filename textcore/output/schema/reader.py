"""Reads a JSON Schema (draft 2020-12, and what older drafts spell differently) into constraints.

Every keyword is honoured, an annotation, or an error at its JSON pointer; see ``KEYWORDS`` and
``ANNOTATIONS``. Source: JSON Schema Core and Validation, draft 2020-12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final
from urllib.parse import unquote

from ...errors import SpecError, UnsupportedError
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
    expanded,
    intersect,
    unconstrained,
)
from .formats import FORMATS
from .languages import Pattern
from .limits import DEPTH_LIMIT, Work
from .numbers import DIGITS_LIMIT, Range
from .values import check_text, check_value, exact, is_number, key_of

ANNOTATIONS: Final = frozenset(
    (
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("$comment", "$schema", "$id", "$anchor", "$defs", "definitions"),
        *("contentEncoding", "contentMediaType", "contentSchema", "discriminator"),
    )
)
"""Keywords that say nothing about which values are valid (or only hold other schemas)."""

_NUMBER_KEYS: Final = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
)
_STRING_KEYS: Final = frozenset(("minLength", "maxLength", "pattern", "format"))
_ARRAY_KEYS: Final = frozenset(
    (
        *("items", "prefixItems", "additionalItems", "minItems"),
        *("maxItems", "uniqueItems"),
    )
)
_OBJECT_KEYS: Final = frozenset(
    (
        *("properties", "required", "additionalProperties", "patternProperties"),
        *("propertyNames", "minProperties", "maxProperties"),
    )
)
_TYPED: Final = _NUMBER_KEYS | _STRING_KEYS | _ARRAY_KEYS | _OBJECT_KEYS
KEYWORDS: Final = _TYPED | frozenset(
    ["type", "enum", "const", "allOf", "anyOf", "oneOf", "not", "$ref"]
)
"""Keywords that are honoured (some of them only where a regex can)."""

_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_READ_COST: Final = 100


def step(place: str, token: str | int) -> str:
    """The pointer one token further; long names are cut, they only serve error messages."""
    text = str(token).replace("~", "~0").replace("/", "~1")
    return f"{place}/{text if len(text) <= 80 else text[:77] + '...'}"


class Reader:
    """Reads one schema document: ``root``, which ``place`` (ending in ``#``) names in errors.

    ``late``: what a ``$ref`` leads to is read when it is asked for, once for all references to
    it, so it may lead back to itself; otherwise it stands wherever the reference does.
    """

    def __init__(self, root: Any, place: str, work: Work, late: bool = False) -> None:
        self.root = root
        self.place = place
        self.work = work
        self._late = late
        self._open: dict[int, str] = {}
        self._referred: dict[int, Schema] = {}

    def read(self) -> Schema:
        """The whole document."""
        return self._schema(self.root, self.place, 0)

    def _schema(self, node: Any, place: str, depth: int) -> Schema:
        self.work.spend(_READ_COST, place)
        if node is True:
            return ANYTHING
        if node is False:
            return Schema(place=place, reason=f"{place} is the schema `false`")
        if not isinstance(node, dict):
            raise SpecError(place, f"expected a schema, not {_shown(node)}")
        if id(node) in self._open:
            raise UnsupportedError(
                place,
                f"leads back to {self._open[id(node)]}, inside which it stands: a recursive schema"
                " has no regex, use a grammar",
            )
        if depth > DEPTH_LIMIT:
            raise UnsupportedError(place, f"schemas nested deeper than {DEPTH_LIMIT} levels")
        self._open[id(node)] = place
        result = self._keywords(node, place, depth + 1)
        del self._open[id(node)]
        return result

    def _keywords(self, node: dict[str, Any], place: str, depth: int) -> Schema:
        for key in node:
            if key not in KEYWORDS and key not in ANNOTATIONS:
                raise UnsupportedError(
                    step(place, key), f"the keyword {_shown(key)} can't be honoured as a regex"
                )
        if "$id" in node and depth > 1:
            self._no_references(node, place)
        schema = self._base(node, place, depth)
        if "$ref" in node:
            schema = intersect(schema, self._reference(node["$ref"], place, depth), self.work)
        for part, where in self._listed(node, "allOf", place):
            schema = intersect(schema, self._schema(part, where, depth), self.work)
        if "anyOf" in node:
            branches = [self._schema(s, w, depth) for s, w in self._listed(node, "anyOf", place)]
            schema = self._union([intersect(schema, b, self.work) for b in branches], place)
        if "oneOf" in node:
            schema = self._one_of(schema, node, place, depth)
        if "not" in node:
            where = step(place, "not")
            schema = self._without(schema, [(self._schema(node["not"], where, depth), where)])
        return schema

    def _no_references(self, node: dict[str, Any], place: str) -> None:
        """A nested ``$id`` changes what a ``$ref`` below it means: refuse the combination."""
        todo: list[Any] = [node]
        while todo:
            self.work.spend(1, place)
            item = todo.pop()
            if isinstance(item, dict):
                if "$ref" in item:
                    raise UnsupportedError(
                        step(place, "$id"), "a $ref inside a subschema that has its own $id"
                    )
                todo += item.values()
            elif isinstance(item, list):
                todo += item

    def _listed(self, node: dict[str, Any], key: str, place: str) -> Iterator[tuple[Any, str]]:
        if key not in node:
            return
        where = step(place, key)
        if not isinstance(node[key], list) or not node[key]:
            raise SpecError(where, f"expected a non-empty array, not {_shown(node[key])}")
        for index, item in enumerate(node[key]):
            yield item, step(where, index)

    # Applicators.

    def _reference(self, ref: Any, place: str, depth: int) -> Schema:
        where = step(place, "$ref")
        if not isinstance(ref, str):
            raise SpecError(where, f"expected a string, not {_shown(ref)}")
        if ref != "#" and not ref.startswith("#/"):
            raise UnsupportedError(
                where, f"{_shown(ref)}: only JSON pointers within the schema (#/...) are supported"
            )
        target, found = self.root, self.place
        for token in ref[2:].split("/") if len(ref) > 1 else ():
            name = unquote(token).replace("~1", "/").replace("~0", "~")
            found = step(found, name)
            if isinstance(target, dict) and name in target:
                target = target[name]
            elif isinstance(target, list) and name.isdecimal() and len(name) < 10:
                if int(name) >= len(target):
                    raise SpecError(where, f"{_shown(ref)} leads nowhere")
                target = target[int(name)]
            else:
                raise SpecError(where, f"{_shown(ref)} leads nowhere")
        if self._late and isinstance(target, dict):
            return self._referred_to(target, found)
        if isinstance(target, dict) and id(target) in self._open:
            raise UnsupportedError(
                where,
                f"{_shown(ref)} is recursive: a recursive schema has no regex, use a grammar",
            )
        return self._schema(target, found, depth)

    def _referred_to(self, target: dict[str, Any], place: str) -> Schema:
        """What is read late, the same for every reference to it."""
        if id(target) not in self._referred:
            later = Deferred(place, lambda: self._schema(target, place, 0))
            self._referred[id(target)] = Schema(place=place, references=(later,))
        return self._referred[id(target)]

    def _union(self, branches: list[Schema], place: str) -> Schema:
        if any(branch.anything for branch in branches):
            return ANYTHING
        values = {k: v for branch in branches for k, v in branch.values.items()}
        alternatives = tuple(c for branch in branches for c in branch.alternatives)
        reason = next((b.reason for b in branches if b.reason), "")
        references = tuple(dict.fromkeys(r for branch in branches for r in branch.references))
        return Schema(
            place=place,
            alternatives=alternatives,
            values=values,
            reason=reason,
            references=references,
        )

    def _one_of(self, schema: Schema, node: dict[str, Any], place: str, depth: int) -> Schema:
        read = [(self._schema(s, w, depth), w) for s, w in self._listed(node, "oneOf", place)]
        branches = []
        for index, (branch, _) in enumerate(read):
            others = read[:index] + read[index + 1 :]
            self.work.spend(len(others), place)
            branches.append(self._without(intersect(schema, branch, self.work), others))
        return self._union(branches, place)

    def _without(self, schema: Schema, others: list[tuple[Schema, str]]) -> Schema:
        """The values that satisfy none of ``others``: single ones now, the rest when written."""
        if not others:
            return schema
        if schema.references or any(other.references for other, _ in others):
            settled = [(other.resolved, where) for other, where in others]
            later = Deferred(
                others[0][1],
                lambda: self._without(schema.resolved(), [(s(), w) for s, w in settled]),
            )
            return Schema(place=schema.place, references=(later,))
        schema = expanded(schema)
        return Schema(
            place=schema.place,
            values={
                k: v
                for k, v in schema.values.items()
                if not any(other.accepts(v, self.work) for other, _ in others)
            },
            alternatives=tuple(replace(c, avoid=(*c.avoid, *others)) for c in schema.alternatives),
            reason=f"{others[0][1]} leaves no value",
        )

    # Keywords about the value itself.

    def _base(self, node: dict[str, Any], place: str, depth: int) -> Schema:
        types = self._types(node, place)
        if types is None and _TYPED.isdisjoint(node):
            schema = ANYTHING
        else:
            schema = self._typed(node, types, place, depth)
        for key in ("enum", "const"):
            if key in node:
                schema = intersect(schema, self._values(node, key, place), self.work)
        return schema

    def _types(self, node: dict[str, Any], place: str) -> list[str] | None:
        if "type" not in node:
            return None
        where, given = step(place, "type"), node["type"]
        types = given if isinstance(given, list) else [given]
        if not types:
            raise SpecError(where, "an empty list of types")
        for name in types:
            if not isinstance(name, str) or name not in _TYPES:
                raise SpecError(where, f"{_shown(name)} is not a type ({', '.join(_TYPES)})")
        return types

    def _values(self, node: dict[str, Any], key: str, place: str) -> Schema:
        where = step(place, key)
        values = [node[key]]
        if key == "enum":
            values = [value for value, _ in self._listed(node, key, place)]
        keyed: dict[Any, Any] = {}
        for index, value in enumerate(values):
            check_value(value, step(where, index) if key == "enum" else where, self.work)
            keyed.setdefault(key_of(value), value)
        return Schema(place=where, values=keyed)

    def _typed(
        self, node: dict[str, Any], types: list[str] | None, place: str, depth: int
    ) -> Schema:
        """The types that are allowed, each with the keywords that concern it."""
        built = unconstrained(place)
        if not _NUMBER_KEYS.isdisjoint(node):
            built["number"] = self._number(node, place)
        if not _STRING_KEYS.isdisjoint(node):
            built["string"] = self._string(node, place)
        if not _ARRAY_KEYS.isdisjoint(node):
            built["array"] = self._array(node, place, depth)
        if types is not None or not _OBJECT_KEYS.isdisjoint(node):
            built["object"] = self._object(node, place, depth)
        named = set(types or _TYPES)
        kept = [constraint for name, constraint in built.items() if name in named]
        if "integer" in named and "number" not in named:
            kept.append(_integral(built["number"]))
        return Schema(
            place=place,
            values={
                k: v for name in CONSTANTS if name in named for k, v in CONSTANTS[name].items()
            },
            alternatives=tuple(c for c in kept if not c.is_vacuous()),
            reason=f"{place} contradicts itself",
        )

    def _number(self, node: dict[str, Any], place: str) -> Number:
        range_ = Range()
        makers: dict[str, Callable[[Decimal], Range]] = {
            "minimum": lambda v: Range(low=v),
            "exclusiveMinimum": lambda v: Range(low=v, low_open=True),
            "maximum": lambda v: Range(high=v),
            "exclusiveMaximum": lambda v: Range(high=v, high_open=True),
        }
        for key, make in makers.items():
            if key in node:
                range_ = range_.intersect(make(_decimal(node[key], step(place, key))))
        multiple = None
        if "multipleOf" in node:
            where = step(place, "multipleOf")
            multiple = Fraction(_decimal(node["multipleOf"], where))
            if multiple <= 0:
                raise SpecError(where, "must be greater than 0")
        return Number(place=place, range=range_, multiple=multiple)

    def _string(self, node: dict[str, Any], place: str) -> String:
        patterns = []
        if "pattern" in node:
            where = step(place, "pattern")
            check_text(node["pattern"], where, self.work)
            patterns.append(Pattern.parse(node["pattern"], where, self.work))
        if "format" in node:
            where, name = step(place, "format"), node["format"]
            if not isinstance(name, str):
                raise SpecError(where, f"expected a string, not {_shown(name)}")
            if name not in FORMATS:
                raise UnsupportedError(
                    where, f"{_shown(name)} is not a supported format ({', '.join(FORMATS)})"
                )
            patterns.append(Pattern.parse(f"^(?:{FORMATS[name]})$", where, self.work))
        low, high = _bounds(node, "minLength", "maxLength", place)
        return String(place=place, low=low, high=high, patterns=tuple(patterns))

    def _array(self, node: dict[str, Any], place: str, depth: int) -> Array:
        prefix, rest_key = "prefixItems", "items"
        if isinstance(node.get("items"), list):  # as drafts before 2020-12 spell it
            if "prefixItems" in node:
                raise SpecError(step(place, "items"), "expected a schema beside prefixItems")
            prefix, rest_key = "items", "additionalItems"
        elif "additionalItems" in node:
            raise UnsupportedError(
                step(place, "additionalItems"), "only has a meaning beside an array of `items`"
            )
        rest = None
        if rest_key in node:
            rest = self._schema(node[rest_key], step(place, rest_key), depth)
        low, high = _bounds(node, "minItems", "maxItems", place)
        unique = node.get("uniqueItems", False)
        if not isinstance(unique, bool):
            raise SpecError(step(place, "uniqueItems"), "expected true or false")
        if unique and (high is None or high > 1):
            raise UnsupportedError(
                step(place, "uniqueItems"), "can't be honoured as a regex for several items"
            )
        items = [self._schema(s, w, depth) for s, w in self._listed(node, prefix, place)]
        return Array(place=place, prefix=tuple(items), rest=rest, low=low, high=high)

    def _object(self, node: dict[str, Any], place: str, depth: int) -> Object:
        patterns = []
        for source, schema, where in self._members(node, "patternProperties", place):
            read = self._schema(schema, where, depth)
            patterns.append((Pattern.parse(source, where, self.work), read))
        properties = {}
        for name, schema, where in self._members(node, "properties", place):
            read = self._schema(schema, where, depth)
            for pattern, other in patterns:
                if pattern.matches(name):
                    read = intersect(read, other, self.work)
            properties[name] = read
        extra: dict[str, Schema | None] = {"additionalProperties": None, "propertyNames": None}
        for key in extra:
            if key in node:
                extra[key] = self._schema(node[key], step(place, key), depth)
        names = extra["propertyNames"]
        if names is not None:
            strings = Schema(place=place, alternatives=(String(place=names.place),))
            names = intersect(names, strings, self.work)
        low, high = _bounds(node, "minProperties", "maxProperties", place)
        return Object(
            place=place,
            properties=properties,
            required=self._required(node, place),
            patterns=tuple(patterns),
            additional=extra["additionalProperties"],
            names=names,
            low=low,
            high=high,
        )

    def _members(
        self, node: dict[str, Any], key: str, place: str
    ) -> Iterator[tuple[str, Any, str]]:
        where, members = step(place, key), node.get(key, {})
        if not isinstance(members, dict):
            raise SpecError(where, f"expected an object, not {_shown(members)}")
        for name, schema in members.items():
            check_text(name, where, self.work)
            yield name, schema, step(where, name)

    def _required(self, node: dict[str, Any], place: str) -> tuple[str, ...]:
        where, names = step(place, "required"), node.get("required", [])
        if not isinstance(names, list):
            raise SpecError(where, f"expected an array of names, not {_shown(names)}")
        for index, name in enumerate(names):
            check_text(name, step(where, index), self.work)
        return tuple(dict.fromkeys(names))


def _integral(constraint: Constraint) -> Constraint:
    assert isinstance(constraint, Number)
    return replace(constraint, integer=True)


def _decimal(value: Any, place: str) -> Decimal:
    if not is_number(value) or value != value or value in (float("inf"), -float("inf")):
        raise SpecError(place, f"expected a number, not {_shown(value)}")
    too_long = UnsupportedError(place, f"a bound with more than {DIGITS_LIMIT} digits")
    if isinstance(value, int) and value.bit_length() > 4 * DIGITS_LIMIT:
        raise too_long
    number = Decimal(value if isinstance(value, int) else repr(value))
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    if number and (number.adjusted() >= DIGITS_LIMIT or exponent < -DIGITS_LIMIT):
        raise too_long
    return number or Decimal(0)


def _bounds(
    node: Mapping[str, Any], low_key: str, high_key: str, place: str
) -> tuple[int, int | None]:
    low = _count(node, low_key, place)
    return low or 0, _count(node, high_key, place)


def _count(node: Mapping[str, Any], key: str, place: str) -> int | None:
    if key not in node:
        return None
    value = node[key]
    if not is_number(value) or value != value or exact_or_none(value) is None or value < 0:
        raise SpecError(step(place, key), f"expected a count, not {_shown(value)}")
    return int(value)


def exact_or_none(value: int | float) -> int | None:
    """The integer that a number equals, if it does."""
    if isinstance(value, float) and (value in (float("inf"), -float("inf"))):
        return None
    number = exact(value)
    return number.numerator if number.denominator == 1 else None


def _shown(value: Any) -> str:
    """A short form of a value for an error message."""
    if isinstance(value, str):
        return repr(value if len(value) <= 80 else value[:77] + "...")
    if value is None or isinstance(value, bool | float):
        return repr(value)
    return f"a value of type {type(value).__name__}"
