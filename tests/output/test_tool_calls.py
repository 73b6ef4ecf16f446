"""Calls in the OpenAI API's shape."""

from __future__ import annotations

import re
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessageToolCall

from textcore.errors import TextcoreError, UnsupportedError
from textcore.output.tool_calls import openai_tool_call, parse_tool_calls


def test_the_shape_is_the_openai_clients() -> None:
    call = openai_tool_call({"name": "f", "arguments": {"city": "Zürich 漢", "n": [1, None]}})
    assert re.fullmatch("call_[0-9a-f]{24}", call["id"])
    assert call["type"] == "function"
    assert call["function"] == {"name": "f", "arguments": '{"city": "Zürich 漢", "n": [1, null]}'}
    checked = ChatCompletionMessageToolCall.model_validate(call, strict=True)
    assert checked.to_dict() == call


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({}, "{}"),
        ({"parameters": {"a": 1}}, '{"a": 1}'),
        ({"arguments": {"a": 1}, "parameters": {"b": 2}}, '{"a": 1}'),
        ({"arguments": '{"a" :1E400}'}, '{"a" :1E400}'),
        ({"arguments": "not json"}, "not json"),
        ({"arguments": None}, "null"),
        ({"arguments": {}}, "{}"),
    ],
)
def test_arguments(given: dict[str, Any], arguments: str) -> None:
    assert openai_tool_call({"name": "f", **given})["function"]["arguments"] == arguments


def test_ids() -> None:
    assert openai_tool_call({"name": "f"}, id="call_1")["id"] == "call_1"
    assert len({openai_tool_call({"name": "f"})["id"] for _ in range(100)}) == 100


@pytest.mark.parametrize("call", [{}, {"name": None}, {"name": ""}, {"name": 5}])
def test_a_call_needs_a_name(call: dict[str, Any]) -> None:
    with pytest.raises(TextcoreError, match="name"):
        openai_tool_call(call)


def nested() -> list[Any]:
    inner: list[Any] = []
    for _ in range(100_000):
        inner = [inner]
    return inner


def endless() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


@pytest.mark.parametrize("arguments", [float("nan"), float("inf"), nested(), endless()])
def test_arguments_that_json_cannot_carry(arguments: Any) -> None:
    with pytest.raises(TextcoreError, match="arguments"):
        openai_tool_call({"name": "f", "arguments": arguments})


@pytest.mark.parametrize("call", ["f", None, ["name"]])
def test_a_call_is_a_mapping(call: Any) -> None:
    with pytest.raises(TypeError, match="mapping"):
        openai_tool_call(call)


def test_text_without_calls_is_content() -> None:
    assert parse_tool_calls("Hello\n") == ("Hello\n", [])
    assert parse_tool_calls("") == ("", [])


def test_content_and_calls_are_separated() -> None:
    content, calls = parse_tool_calls(
        "One.\n<tool_call>\n"
        '{"name": "a", "arguments": {"x": "</tool_call>"}}\n</tool_call>\n\n'
        'Two.\n<tool_call>{"name": "b", "parameters": "{}"}'
    )
    assert content == "One.Two."
    assert [call["function"] for call in calls] == [
        {"name": "a", "arguments": '{"x": "</tool_call>"}'},
        {"name": "b", "arguments": "{}"},
    ]
    for call in calls:
        ChatCompletionMessageToolCall.model_validate(call, strict=True)


def test_an_unknown_format_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(UnsupportedError, match="hermes"):
        parse_tool_calls("", format="Hermes")
    with pytest.raises(TypeError):
        parse_tool_calls(b"")  # type: ignore[arg-type]
