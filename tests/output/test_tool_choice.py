"""tool_call_pattern: which calls it lets through, and which definitions it refuses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.errors import SpecError, UnsupportedError
from textcore.output.schema import json_schema_to_regex
from textcore.output.tool_choice import tool_call_pattern

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "description": "Now", "parameters": CITY, "strict": True},
}
CLOCK = {"type": "function", "function": {"name": "clock"}}


def call(name: str, arguments: Any) -> str:
    """A call as the Hermes and Qwen templates render it."""
    inner = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{inner}\n</tool_call>"


def accepts(tools: list[Any], text: str, name: str | None = None) -> bool:
    return re.fullmatch(tool_call_pattern(tools, name), text) is not None


def test_required_is_any_of_the_tools() -> None:
    assert accepts([WEATHER, CLOCK], call("weather", {"city": 'Zürich "old"\n'}))
    assert accepts([WEATHER, CLOCK], call("clock", {}))
    assert not accepts([WEATHER, CLOCK], call("weather", {}))
    assert not accepts([WEATHER, CLOCK], call("clock", {"city": "x"}))
    assert not accepts([WEATHER, CLOCK], call("other", {}))


def test_named_is_that_tool_only() -> None:
    assert accepts([WEATHER, CLOCK], call("clock", {}), "clock")
    assert not accepts([WEATHER, CLOCK], call("weather", {"city": "x"}), "clock")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure! " + call("clock", {}),
        call("clock", {}) + "\n",
        call("clock", {}) + "\n" + call("clock", {}),
        '<tool_call>{"name": "clock", "arguments": {}}</tool_call>',
        '<tool_call>\n{"arguments": {}, "name": "clock"}\n</tool_call>',
        '<tool_call>\n{"name": "clock"}\n</tool_call>',
        '<tool_call>\n{"name": "clock", "arguments": "{}"}\n</tool_call>',
    ],
)
def test_nothing_but_one_whole_call(text: str) -> None:
    assert not accepts([WEATHER, CLOCK], text)


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "clock"},
        {"type": "function", "name": "clock", "parameters": None},
        {"type": "function", "function": {"name": "clock", "parameters": {}}},
        {"function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}},
    ],
)
def test_a_tool_without_parameters_takes_an_empty_object(tool: Any) -> None:
    assert accepts([tool], call("clock", {}))
    assert not accepts([tool], call("clock", {"a": 1}))
    assert not accepts([tool], call("clock", None))


def test_arguments_are_an_object_even_where_the_schema_forgets_to_say_so() -> None:
    tool = {"name": "f", "parameters": {"properties": {"a": {"type": "null"}}}}
    assert accepts([tool], call("f", {"a": None}))
    assert not accepts([tool], call("f", "text"))


@settings(deadline=None)
@given(st.text(min_size=1), st.text())
def test_any_name_is_spelled_as_json(name: str, city: str) -> None:
    tool = {"name": name, "parameters": CITY}
    assert accepts([tool, CLOCK | {}], call(name, {"city": city}), name)
    assert not accepts([tool], call(name + "x", {"city": city}))


def test_the_arguments_are_those_of_json_schema_to_regex() -> None:
    assert json_schema_to_regex(CITY) in tool_call_pattern([WEATHER])


@pytest.mark.parametrize(
    ("tools", "place", "problem"),
    [
        ([], "tools", "an empty list"),
        (None, "tools", "expected a list of tools, not NoneType"),
        ("tools", "tools", "expected a list of tools, not str"),
        ({"name": "a"}, "tools", "expected a list of tools, not dict"),
        ([3], "tools[0]", "expected a tool definition, not int"),
        ([{}], "tools[0].name", "expected a non-empty string, not None"),
        ([{"name": ""}], "tools[0].name", "expected a non-empty string"),
        ([{"name": "\ud800"}], "tools[0].name", "surrogate"),
        ([{"type": "function", "function": 3}], "tools[0].function", "expected an object"),
        ([{"function": {"name": 3}}], "tools[0].function.name", "expected a non-empty string"),
        ([{"name": "a", "description": 3}], "tools[0].description", "expected a str"),
        ([{"name": "a", "strict": "yes"}], "tools[0].strict", "expected a bool"),
        ([{"name": "a", "parameters": 3}], "tools[0].parameters#", "expected a schema"),
        ([{"name": "a", "parameters": {"type": "string"}}], "tools[0].parameters#", "no value"),
        ([WEATHER, CLOCK, WEATHER], "tools[2].function", "a second tool of the name 'weather'"),
    ],
)
def test_malformed_tools_are_named(tools: Any, place: str, problem: str) -> None:
    with pytest.raises(SpecError, match=re.escape(problem)) as caught:
        tool_call_pattern(tools)
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("tools", "place"),
    [
        ([{"type": "custom", "name": "a"}], "tools[0].type"),
        ([{"name": "a", "surprise": 1}], "tools[0]"),
        ([{"type": "function", "function": {"name": "a"}, "x": 1}], "tools[0]"),
        ([CLOCK, {"name": "a", "parameters": {"if": True}}], "tools[1].parameters#/if"),
        (
            [{"function": {"name": "a", "parameters": {"properties": {"x": {"$ref": "#"}}}}}],
            "tools[0].function.parameters#/properties/x/$ref",
        ),
    ],
)
def test_what_cannot_be_honoured_is_named(tools: Any, place: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        tool_call_pattern(tools)
    assert caught.value.place == place


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(SpecError, match=r"no tool is called 'x'; there are 'weather', 'clock'"):
        tool_call_pattern([WEATHER, CLOCK], "x")
    with pytest.raises(TypeError, match="name: expected a string"):
        tool_call_pattern([CLOCK], 3)  # type: ignore[arg-type]


def test_an_unknown_format_lists_those_there_are() -> None:
    with pytest.raises(UnsupportedError, match="supported: hermes"):
        tool_call_pattern([CLOCK], format="nonesuch")


def test_only_the_named_tool_needs_a_regex() -> None:
    recursive = {"name": "tree", "parameters": {"properties": {"t": {"$ref": "#"}}}}
    assert accepts([recursive, CLOCK], call("clock", {}), "clock")
