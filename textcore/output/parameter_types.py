"""Which JSON a parameter's text stands for, by its tool's schema or by what it looks like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from textcore.core.jsonscan import JsonScanner
from textcore.core.jsontext import json_string_part
from textcore.core.literals import LiteralScanner

Types = frozenset[str]
ANY: Types = frozenset()
STRING: Types = frozenset({"string"})
# References and alternatives are followed this far; a schema may refer to itself.
DEPTH = 16
# Names come from the output: what is remembered of them has a bound.
REMEMBERED = 4096

_OF_VALUE = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
# What some tools' schemas call a type that JSON Schema calls otherwise.
_SPOKEN = {
    **dict.fromkeys(("str", "text", "varchar", "char", "enum"), "string"),
    **dict.fromkeys(("int", "int32", "int64", "uint", "long", "short"), "integer"),
    **dict.fromkeys(("float", "double", "float32", "float64", "decimal"), "number"),
    **dict.fromkeys(("bool", "binary"), "boolean"),
    **dict.fromkeys(("list", "arr", "tuple", "sequence"), "array"),
    **dict.fromkeys(("dict", "map", "mapping", "json"), "object"),
    **dict.fromkeys(("none", "nil"), "null"),
}
_NAMES = frozenset(_OF_VALUE.values())
# A text that is no longer than this may be a number or a word as far as it goes.
LONGEST_WORD = 64
_LOOSE_NUMBER = re.compile(r"([-+]?)0*([0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)")
_NUMBER_SO_FAR = re.compile(r"-?[0-9][0-9.eE+-]*\s*|-")
_WORDS = {"true": "true", "True": "true", "false": "false", "False": "false"}
_NULLS = ("null", "None")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.0+)?")


class ToolTypes:
    """What a request's tools say of their parameters.

    Malformed schemas say nothing: it is not the output's fault.

    Args:
        tools: the definitions.
    """

    __slots__ = ("_open", "_properties", "_schemas", "_types")

    def __init__(self, tools: Iterable[Mapping[str, Any]] = ()) -> None:
        self._schemas: dict[str, Any] = {}
        self._types: dict[tuple[str, str], Types] = {}
        self._properties: dict[str, frozenset[str]] = {}
        self._open: set[str] = set()
        for tool in tools:
            function = tool.get("function", tool)
            if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                schema = function.get("parameters")
                self._schemas[function["name"]] = schema
                self._properties[function["name"]] = properties_of(schema)
                if takes_others(schema):
                    self._open.add(function["name"])

    def has(self, name: str) -> bool:
        """Whether a function is among the tools, as far as they are known."""
        return not self._schemas or name in self._schemas

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._schemas)

    def knows(self, name: str) -> bool:
        """Whether a function is one of the tools."""
        return name in self._schemas

    def schema(self, name: str) -> Any:
        """The schema of a function's arguments, as it was given; None if there is none."""
        return self._schemas.get(name)

    def properties(self, name: str) -> frozenset[str]:
        """The names of a function's parameters; empty where nothing says them."""
        return self._properties.get(name, frozenset())

    def expects(self, name: str, key: str) -> bool:
        """Whether a function may have a parameter of a name, as far as its schema says."""
        known = self.properties(name)
        return not known or key in known or name in self._open

    def types(self, name: str, key: str) -> Types:
        """The types of a function's parameter; empty where nothing says them."""
        found = self._types.get((name, key))
        if found is None:
            schema = self._schemas.get(name)
            found = types_of(inner_schema(schema, key, schema), schema)
            if len(self._types) < REMEMBERED:
                self._types[name, key] = found
        return found


def inner_schema(schema: Any, key: str | int, root: Any, depth: int = DEPTH) -> Any:
    """The schema of a property, or of the item at an index; None where it is not said."""
    if not isinstance(schema, Mapping) or not depth:
        return None
    if isinstance(key, int):
        inner = _item_schema(schema, key)
    else:
        properties = schema.get("properties")
        inner = properties.get(key) if isinstance(properties, Mapping) else None
        if inner is None:
            inner = schema.get("additionalProperties")
    if isinstance(inner, Mapping):
        return inner
    if isinstance(schema.get("$ref"), str):
        return inner_schema(_resolved(schema["$ref"], root), key, root, depth - 1)
    for kind in ("anyOf", "oneOf", "allOf"):
        parts = schema.get(kind)
        for part in parts[:64] if isinstance(parts, list) else ():
            inner = inner_schema(part, key, root, depth - 1)
            if inner is not None:
                return inner
    return None


def _item_schema(schema: Mapping[str, Any], index: int) -> Any:
    """What a schema itself says of an item; older drafts have the first ones in ``items``."""
    for first, others in (("prefixItems", "items"), ("items", "additionalItems")):
        prefix = schema.get(first)
        if isinstance(prefix, list):
            return prefix[index] if index < len(prefix) else schema.get(others)
    return schema.get("items")


def properties_of(schema: Any) -> frozenset[str]:
    """The names of an object's properties; empty where the schema does not say them."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return frozenset()
    return frozenset(key for key in properties if isinstance(key, str))


def takes_others(schema: Any) -> bool:
    """Whether a schema says what properties there may be beside those that it names."""
    if not isinstance(schema, Mapping):
        return False
    others = schema.get("additionalProperties")
    return bool(schema.get("patternProperties")) or (others is not None and others is not False)


def types_of(schema: Any, root: Any = None, depth: int = DEPTH) -> Types:
    """The JSON types that a schema allows; empty where it does not say."""
    if not isinstance(schema, Mapping) or not depth:
        return ANY
    declared = schema.get("type")
    if isinstance(declared, str):
        return _nullable(schema, _named(declared))
    if isinstance(declared, list):
        kinds = [_named(name) for name in declared if isinstance(name, str)]
        return frozenset().union(*kinds) if all(kinds) else ANY
    if "const" in schema:
        return frozenset({_OF_VALUE.get(type(schema["const"]), "string")})
    if isinstance(schema.get("enum"), list):
        return frozenset(_OF_VALUE.get(type(value), "string") for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _union(schema[key], root, depth - 1)
    if isinstance(schema.get("allOf"), list):
        for part in schema["allOf"]:
            types = types_of(part, root, depth - 1)
            if types:
                return types
    if isinstance(schema.get("$ref"), str):
        return types_of(_resolved(schema["$ref"], root), root, depth - 1)
    if isinstance(schema.get("properties"), Mapping):
        return frozenset({"object"})
    return ANY


def _named(name: str) -> Types:
    """The type of a name, which may be another language's; unknown if nobody knows it."""
    name = _SPOKEN.get(name.lower(), name.lower())
    return frozenset({name}) if name in _NAMES else ANY


def _nullable(schema: Mapping[str, Any], types: Types) -> Types:
    return types | {"null"} if types and schema.get("nullable") is True else types


def _union(schemas: list[Any], root: Any, depth: int) -> Types:
    """The types of alternatives; unknown if one of them is."""
    types: Types = ANY
    for schema in schemas[:64]:
        some = types_of(schema, root, depth)
        if not some:
            return ANY
        types |= some
    return types


def _resolved(reference: str, root: Any) -> Any:
    """What a local reference points to."""
    if not reference.startswith("#/"):
        return None
    for part in reference[2:].split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(root, Mapping):
            return None
        root = root.get(part)
    return root


def can_only_be_string(beginning: str, types: Types) -> bool:
    """Whether a text that begins so is a string, whatever follows.

    ``beginning`` begins with a character that is not whitespace.
    """
    if types and "string" not in types:
        return False
    others = (types or _NAMES) - STRING
    first = beginning[0]
    if first == "[":
        return "array" not in others
    if first == "{":
        return "object" not in others
    word = beginning.rstrip()
    if "boolean" in others and any(one.startswith(word) for one in _WORDS):
        return False
    if "null" in others and any(one.startswith(word) for one in _NULLS):
        return False
    if not others & {"number", "integer"} or first not in "-0123456789":
        return True
    return len(beginning) <= LONGEST_WORD and not _NUMBER_SO_FAR.fullmatch(beginning)


def json_value(text: str, types: Types, announced: bool = False) -> str:
    """The JSON of a parameter's text: of the types allowed the most special that fits.

    A text that fits none of them is a string, as an unreadable value must not be lost.
    ``announced`` text is said to be JSON: what is, is taken as it stands, though a tool that
    wants a string gets the text of what is no string.
    """
    if announced and is_json(text) and (types != STRING or text.lstrip()[:1] == '"'):
        return text
    if types == STRING:
        return f'"{json_string_part(text)}"'
    value = text.strip()
    if value in _WORDS and (not types or "boolean" in types):
        return _WORDS[value]
    if value in _NULLS and (not types or "null" in types):
        return "null"
    found = _other_value(value, types)
    return f'"{json_string_part(text)}"' if found is None else found


def _other_value(value: str, types: Types) -> str | None:
    """A number, array or object as JSON, or None."""
    if not value:
        return None
    if types and "string" not in types and (loose := _LOOSE_NUMBER.fullmatch(value)):
        value = loose[1].replace("+", "") + loose[2]
    if value[0] in "-0123456789":
        if types and not types & {"number", "integer"}:
            return None
        if types and "number" not in types and not _INTEGER.fullmatch(value):
            return None
        return value if is_json(value) else None
    if value[0] not in "[{" or (types and ("array" if value[0] == "[" else "object") not in types):
        return None
    if is_json(value):
        return value
    scanner = LiteralScanner()
    if scanner.feed(value) == len(value) and scanner.done:
        return scanner.take()
    return None


def object_keys(text: str) -> frozenset[str]:
    """The keys of a text that is a JSON object; none of any other."""
    if text.lstrip()[:1] != "{" or not is_json(text):
        return frozenset()
    try:
        return frozenset(json.loads(text))
    except (ValueError, RecursionError):
        return frozenset()


def is_json(text: str) -> bool:
    """Whether the whole of a text is one JSON value."""
    scanner = JsonScanner()
    return scanner.feed(text) == len(text) and scanner.finish()
