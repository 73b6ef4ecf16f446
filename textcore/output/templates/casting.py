"""Arguments that came as text, cast to the types of their tool's schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

_TRUE, _FALSE = ("true", "1"), ("false", "0")


class ToolArguments:
    """Casts the arguments of tool calls, wherever one stands in a value."""

    def __init__(self, tools: Iterable[Mapping[str, Any]]) -> None:
        self._properties: dict[str, Mapping[str, Any]] = {}
        for tool in tools:
            function = tool.get("function", tool) if isinstance(tool, Mapping) else None
            if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                schema = function.get("parameters")
                properties = schema.get("properties") if isinstance(schema, Mapping) else None
                known = properties if isinstance(properties, Mapping) else {}
                self._properties[function["name"]] = known

    def __call__(self, value: Any) -> Any:
        """The value, in which calls of known tools have been cast in place."""
        if not self._properties:
            return value
        if isinstance(value, list):
            return [self(item) for item in value]
        function = value.get("function") if isinstance(value, dict) else None
        if not isinstance(function, dict):
            return value
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and isinstance(arguments, dict):
            for key, schema in self._properties.get(name, {}).items():
                types = _types(schema)
                if key in arguments and types:
                    arguments[key] = _cast_all(arguments[key], types)
        return value


def _cast_all(value: Any, types: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return _cast(value, types)
    if isinstance(value, list) and "array" not in types:
        # Several values of one key, which a region's parser has put together.
        return [_cast(item, types) if isinstance(item, str) else item for item in value]
    return value


def _types(schema: Any) -> tuple[str, ...]:
    """The types that a schema names, in its order."""
    if not isinstance(schema, dict):
        return ()
    declared = schema.get("type")
    types = [declared] if isinstance(declared, str) else []
    if isinstance(declared, list):
        types += [name for name in declared if isinstance(name, str)]
    for key in ("anyOf", "oneOf"):
        for choice in schema.get(key) or []:
            types += _types(choice)
    if schema.get("nullable") and "null" not in types:
        types.append("null")
    return tuple(types)


def _cast(text: str, types: tuple[str, ...]) -> Any:
    """The first of the types that the text can be; itself if it can be none."""
    for name in types:
        try:
            if name == "integer":
                return _integer(text)
            if name == "number":
                return _number(text)
            if name == "boolean" and text.strip().lower() in (*_TRUE, *_FALSE):
                return text.strip().lower() in _TRUE
            if name == "null" and text.strip() in ("null", "None"):
                return None
            if name in ("object", "array"):
                value = json.loads(text)
                if isinstance(value, dict if name == "object" else list):
                    return value
        except (ValueError, OverflowError, RecursionError):
            continue
    return text


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not number.is_integer():
            raise
        return int(number)


def _number(text: str) -> int | float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() and "." not in text else number
