"""Which JSON a parameter's text stands for, by its tool's schema or by what it looks like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from textcore.core.jsonscan import JsonScanner
from textcore.core.literals import LiteralScanner

Types = frozenset[str]
ToolTypes = Mapping[str, Mapping[str, Types]]

ANY: Types = frozenset()
STRING: Types = frozenset({"string"})
# References and alternatives are followed this far; a schema may refer to itself.
DEPTH = 16

_OF_VALUE = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
_WORDS = {"true": "true", "True": "true", "false": "false", "False": "false"}
_NULLS = ("null", "None")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.0+)?")
_SPECIAL = re.compile('["\\\\\x00-\x1f\ud800-\udfff]')
_SURROGATE = re.compile("[\ud800-\udfff]")


def tool_types(tools: Iterable[Mapping[str, Any]]) -> ToolTypes:
    """For each function of a request's tools, the types of its parameters.

    Malformed schemas say nothing: it is not the output's fault.
    """
    found: dict[str, dict[str, Types]] = {}
    for tool in tools:
        function = tool.get("function", tool)
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        schema = function.get("parameters")
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if isinstance(properties, Mapping):
            found[function["name"]] = {
                key: types_of(value, schema) for key, value in properties.items()
            }
        else:
            found[function["name"]] = {}
    return found


def types_of(schema: Any, root: Any = None, depth: int = DEPTH) -> Types:
    """The JSON types that a schema allows; empty where it does not say."""
    if not isinstance(schema, Mapping) or not depth:
        return ANY
    declared = schema.get("type")
    if isinstance(declared, str):
        return _nullable(schema, frozenset({declared}))
    if isinstance(declared, list):
        return frozenset(name for name in declared if isinstance(name, str))
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


def _nullable(schema: Mapping[str, Any], types: Types) -> Types:
    return types | {"null"} if schema.get("nullable") is True else types


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


def json_string_part(text: str) -> str:
    """A piece of a string as it stands within a JSON string, lone surrogates escaped."""
    if not _SPECIAL.search(text):
        return text
    part = json.dumps(text, ensure_ascii=False)[1:-1]
    if not text.isascii():
        part = _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", part)
    return part


def can_only_be_string(beginning: str, types: Types) -> bool:
    """Whether a text that begins so is a string, whatever follows.

    ``beginning`` has a character that is not whitespace.
    """
    if types:
        return types == STRING
    return beginning.lstrip()[0] not in "[{-0123456789tfnTFN"


def json_value(text: str, types: Types) -> str:
    """The JSON of a parameter's text: of the types allowed the most special that fits.

    A text that fits none of them is a string, as an unreadable value must not be lost.
    """
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


def is_json(text: str) -> bool:
    """Whether the whole of a text is one JSON value."""
    scanner = JsonScanner()
    return scanner.feed(text) == len(text) and scanner.finish()
