"""Hostile schemas: refused with a clear error, in bounded time and memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from textcore.errors import SpecError, UnsupportedError
from textcore.output.schema import json_schema_to_regex


def nested(key: str, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "null"}
    for _ in range(depth):
        schema = {"properties": {"a": schema}} if key == "properties" else {key: schema}
        schema["type"] = "object" if key == "properties" else "array"
        if key in ("anyOf", "allOf", "oneOf"):
            schema = {key: [schema[key]]}
    return schema


def containing_itself() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"a": {"items": schema}}
    return schema


def laughs(key: str) -> dict[str, Any]:
    """Each definition refers to the next ten times."""

    def level(n: int) -> dict[str, Any]:
        refs = [{"$ref": f"#/$defs/{n + 1}"} for _ in range(10)]
        if key == "properties":
            return {"type": "object", key: {str(i): ref for i, ref in enumerate(refs)}}
        return {key: refs}

    definitions = {str(n): level(n) for n in range(20)}
    definitions["20"] = {"type": "string"}
    return {"$defs": definitions, "$ref": "#/$defs/0"}


def shared_value() -> list[Any]:
    value: list[Any] = []
    for _ in range(40):
        value = [value, value]
    return value


def shared_schema() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(40):
        schema = {"prefixItems": [schema, schema]}
    return schema


def ring() -> dict[str, Any]:
    one, other = {"$ref": "#/$defs/b"}, {"$ref": "#/$defs/a"}
    return {"$defs": {"a": one, "b": other}, "$ref": "#/$defs/a"}


def matrix(size: int) -> dict[str, Any]:
    row = {"type": "array", "items": {"type": "boolean"}, "maxItems": size}
    return {"type": "array", "items": row, "maxItems": size}


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    start = time.perf_counter()
    yield
    assert time.perf_counter() - start < 10  # a second at most on an idle machine


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (nested("items", 100_000), "nested deeper"),
        (nested("properties", 100_000), "nested deeper"),
        (nested("anyOf", 100_000), "nested deeper"),
        (nested("not", 100_000), "nested deeper"),
        (containing_itself(), "leads back to #"),
        ({"properties": {"a": {"$ref": "#"}}}, "'#' is recursive"),
        ({"$ref": "#"}, "'#' is recursive"),
        (ring(), "recursive"),
        (laughs("anyOf"), "too many steps"),
        (laughs("allOf"), "too many steps"),
        (laughs("oneOf"), "too many steps"),
        (laughs("prefixItems"), "too many steps"),
        (laughs("properties"), "too many steps"),
        (shared_schema(), "too many steps"),
        ({"const": shared_value()}, "too many steps"),
        ({"type": "string", "maxLength": 10**9}, "max_positions"),
        ({"type": "string", "minLength": 10**9}, "max_positions"),
        ({"type": "string", "maxLength": 10**400}, "max_positions"),
        ({"type": "array", "items": True, "maxItems": 10**9}, "max_positions"),
        ({"prefixItems": [True], "items": True, "minItems": 10**9}, "max_positions"),
        (matrix(1000), "max_positions"),
        (nested("items", 40), "max_positions"),
        ({"type": "string", "pattern": "^(a{1000}){1000}$"}, "max_positions"),
        ({"type": "string", "pattern": "^(a{1000}){1000}$", "enum": ["a"]}, "too many steps"),
        ({"type": "string", "pattern": "a.*b.*c", "maxLength": 10**9}, "too many steps"),
        ({"type": "string", "pattern": "^(a|bc)*$", "maxLength": 10}, "can't be combined"),
        ({"type": "object", "required": ["x" * 65], "additionalProperties": True}, "64 char"),
        ({"enum": [10**5000]}, "bits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_schemas_are_refused(schema: Any, problem: str) -> None:
    with pytest.raises(UnsupportedError, match=problem) as caught:
        json_schema_to_regex(schema)
    assert caught.value.place.startswith("#")
    assert len(str(caught.value)) < 2000


def test_memory_is_bounded() -> None:
    schema = laughs("properties")
    tracemalloc.start()
    with pytest.raises(UnsupportedError):
        json_schema_to_regex(schema)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


def test_the_error_names_the_large_part() -> None:
    big = {"type": "string", "maxLength": 10**9}
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": big}}
    with pytest.raises(UnsupportedError) as caught:
        json_schema_to_regex(schema)
    assert caught.value.place == "#/properties/b"


def test_the_error_names_the_recursive_reference() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}
    with pytest.raises(UnsupportedError, match="use a grammar") as caught:
        json_schema_to_regex({"$defs": {"tree": tree}, "$ref": "#/$defs/tree"})
    assert caught.value.place == "#/$defs/tree/properties/next/$ref"


def test_max_positions_is_a_parameter() -> None:
    schema = {"type": "string", "maxLength": 100}
    with pytest.raises(UnsupportedError, match="max_positions=1000"):
        json_schema_to_regex(schema, max_positions=1000)
    assert json_schema_to_regex(schema, max_positions=2000)


def test_large_but_honest_schemas_pass() -> None:
    properties = {f"field_{i}": {"type": "string", "description": "x" * 50} for i in range(300)}
    assert json_schema_to_regex({"type": "object", "properties": properties})
    assert json_schema_to_regex({"enum": [f"value {i}" for i in range(5000)]})
    assert json_schema_to_regex(nested("items", 6))


def test_the_deepest_schema_that_is_read_is_also_written() -> None:
    pattern = "(?:" * 45 + "a" + ")" * 45
    schema: Any = {"type": "string", "pattern": pattern}
    for _ in range(48):
        properties = {"a": schema, "x" * 64: {"type": "null"}}
        schema = {"type": "object", "properties": properties, "required": ["a"]}
    assert json_schema_to_regex(schema | {"additionalProperties": {"type": "null"}})


def test_a_subclass_of_value_error() -> None:
    with pytest.raises(ValueError, match="#/type"):
        json_schema_to_regex({"type": 3})
    assert issubclass(UnsupportedError, SpecError)
