"""Schemas in grammars: recursion, sharing, what can't be; arguments compared with jsonschema."""

from __future__ import annotations

import json
import re
from typing import Any

import llguidance
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from textcore.errors import SpecError, UnsupportedError
from textcore.output.schema import json_schema_to_regex
from textcore.output.tool_choice import tool_call_grammar, tool_call_pattern

BYTES = llguidance.LLTokenizer("byte")


def lark(schema: Any, **options: Any) -> str:
    return tool_call_grammar([{"name": "f", "parameters": schema}], "required", **options).lark


def matches(grammar: str, arguments: str) -> bool:
    made = llguidance.LLMatcher(BYTES, llguidance.LLMatcher.grammar_from_lark(grammar))
    assert made.get_error() == ""
    text = f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'.encode()
    return made.try_consume_tokens(list(text)) == len(text) and bool(made.is_accepting())


def accepts(schema: Any, arguments: Any) -> bool:
    return matches(lark(schema), json.dumps(arguments, ensure_ascii=False))


TREE = {
    "type": "object",
    "properties": {
        "v": {"type": "integer", "maximum": 9},
        "kids": {"type": "array", "items": {"$ref": "#"}, "maxItems": 2},
        "more": {"anyOf": [{"$ref": "#/$defs/list"}, {"type": "null"}]},
    },
    "required": ["v"],
    "$defs": {"list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/list"}, {}]}}},
}


def in_order(value: Any) -> Any:
    """A tree with its properties as the schema has them."""
    if not isinstance(value, dict):
        return value
    ordered = {key: value[key] for key in ("v", "kids", "more") if key in value}
    if "kids" in ordered:
        ordered["kids"] = list(map(in_order, ordered["kids"]))
    return ordered


@settings(deadline=None, max_examples=60)
@given(
    st.recursive(
        st.fixed_dictionaries({"v": st.integers(5, 11)}),
        lambda inner: st.fixed_dictionaries(
            {"v": st.integers(5, 9)},
            optional={
                "kids": st.lists(inner, max_size=3),
                "more": st.none() | st.lists(st.lists(st.integers(), max_size=2), max_size=2),
            },
        ),
        max_leaves=6,
    )
)
def test_recursion_accepts_what_jsonschema_does(value: Any) -> None:
    assert accepts(TREE, in_order(value)) == Draft202012Validator(TREE).is_valid(value)


def test_any_value_nests_to_any_depth() -> None:
    value: Any = 1
    for level in range(100):
        value = [value] if level % 2 else {"k": value}
    assert accepts({"properties": {"x": {}}}, {"x": value})


@pytest.mark.parametrize("value", [[3], [[5], 4], [6], [1, 2, 3], [[1, 2, 3]], [[[]]]])
def test_two_recursive_schemas_at_once(value: Any) -> None:
    schema = {
        "properties": {"x": {"allOf": [{"$ref": "#/$defs/any"}, {"$ref": "#/$defs/small"}]}},
        "$defs": {
            "any": {
                "anyOf": [
                    {"type": "integer"},
                    {"type": "array", "items": {"$ref": "#/$defs/any"}},
                ]
            },
            "small": {
                "anyOf": [
                    {"type": "integer", "maximum": 5},
                    {"type": "array", "items": {"$ref": "#/$defs/small"}, "maxItems": 2},
                ]
            },
        },
    }
    assert accepts(schema, {"x": value}) == Draft202012Validator(schema).is_valid({"x": value})


def test_one_of_with_itself() -> None:
    schema = {
        "type": "object",
        "properties": {"k": {"oneOf": [{"$ref": "#"}, {"type": "null"}]}},
        "additionalProperties": False,
    }
    assert accepts(schema, {"k": {"k": None}})
    assert not accepts(schema, {"k": {"k": 1}})


def test_a_reference_is_one_rule_however_often_it_is_used() -> None:
    definitions: dict[str, Any] = {"d0": {"type": "integer"}}
    for level in range(1, 40):
        inner = {"$ref": f"#/$defs/d{level - 1}"}
        definitions[f"d{level}"] = {"type": "object", "properties": {"a": inner, "b": inner}}
    schema = {"properties": {"x": {"$ref": "#/$defs/d39"}}, "$defs": definitions}
    assert len(lark(schema)) < 3000
    assert accepts(schema, {"x": {"a": {"b": {}}}})
    with pytest.raises(UnsupportedError):
        tool_call_pattern([{"name": "f", "parameters": schema}])


def test_an_array_of_arrays_is_not_written_twice() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(30):
        schema = {"type": "array", "items": schema}
    assert len(lark({"properties": {"x": schema}})) < 4000


def test_an_optional_property_that_no_value_has_is_left_out() -> None:
    endless = {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}
    schema = {
        "properties": {"q": {"$ref": "#/$defs/n"}, "b": {"type": "null"}},
        "$defs": {"n": endless},
    }
    grammar = lark(schema)
    assert matches(grammar, '{"b": null}')
    assert '"q"' not in grammar


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]},
        {"$ref": "#"},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"], "$defs": {"a": False}},
        {
            "properties": {"a": {"$ref": "#/$defs/a"}},
            "required": ["a"],
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        },
    ],
)
def test_a_schema_without_values_names_its_tool(schema: Any) -> None:
    with pytest.raises(SpecError, match="no value satisfies") as caught:
        tool_call_grammar([{"name": "now"}, {"name": "f", "parameters": schema}])
    assert caught.value.place == "tools[1].parameters#"


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"properties": {"x": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"if": {}}}}, "$defs/t/if"),
        ({"properties": {"x": {"uniqueItems": True}}}, "properties/x/uniqueItems"),
        ({"properties": {"x": {"$ref": "other.json"}}}, "properties/x/$ref"),
        (
            {"properties": {"x": {"enum": [1], "$ref": "#/properties/x"}}},
            "properties/x/enum",
        ),
    ],
)
def test_keywords_that_cannot_be_honoured_are_named(schema: Any, place: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        lark(schema)
    assert caught.value.place == f"tools[0].parameters#/{place}"


def test_a_grammar_that_is_too_large_names_the_place() -> None:
    schema = {"properties": {"x": {"type": "string", "pattern": "^a{0,2000}$"}}}
    with pytest.raises(UnsupportedError, match="as a grammar this takes more than") as caught:
        lark(schema, max_positions=1000)
    assert caught.value.place == "tools[0].parameters#/properties/x"


@pytest.mark.parametrize("indent", [None, 0, 1, 3])
def test_whitespace_may_be_left_to_the_model(indent: int | None) -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "integer"}},
            "b": {"const": {"x": [1]}},
        },
    }
    pattern, grammar = json_schema_to_regex(schema, whitespace=10), lark(schema, whitespace=10)
    for value in ({}, {"a": []}, {"a": [1, 2], "b": {"x": [1]}}):
        text = json.dumps(value, indent=indent)
        assert re.fullmatch(pattern, text), text
        assert matches(grammar, text), text
    assert not re.fullmatch(pattern, '{"a":' + 11 * " " + "[]}")
    assert not re.fullmatch(json_schema_to_regex(schema), '{"a":[]}')


@pytest.mark.parametrize("whitespace", [-1, 1.5, True, "8"])
def test_whitespace_is_a_count(whitespace: Any) -> None:
    with pytest.raises(ValueError, match="whitespace: expected an integer"):
        json_schema_to_regex(True, whitespace=whitespace)
