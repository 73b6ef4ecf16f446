"""Calls as they come: when they are announced, what becomes of broken ones, typed values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat.chat_completion_chunk import ChatCompletionChunk

from textcore.output.bodies.reader import Unescaper
from textcore.output.parameter_types import ToolTypes, json_value, types_of
from textcore.output.parser import OutputParser


def message(parser: OutputParser, pieces: list[str]) -> tuple[str, list[tuple[str, str]]]:
    content = ""
    calls: list[list[str]] = []
    deltas = [delta for piece in pieces for delta in parser.feed(piece)]
    for delta in deltas + parser.feed("", final=True):
        content += delta.get("content", "")
        for part in delta.get("tool_calls", ()):
            if "id" in part:
                calls.append([part["function"]["name"], ""])
            calls[part["index"]][1] += part["function"]["arguments"]
    return content, [(name, arguments) for name, arguments in calls]


@pytest.mark.parametrize(
    ("text", "content", "calls", "incomplete"),
    [
        # Broken before the name is complete: content.
        ('<tool_call>{"name": "f', '<tool_call>{"name": "f', [], []),
        ('<tool_call>{"nom": "f"}</tool_call>', '<tool_call>{"nom": "f"}</tool_call>', [], []),
        # Cut off behind it: what could be read.
        ('<tool_call>{"name": "f"', "", [("f", "")], [0]),
        ('<tool_call>{"name": "f", "arguments": {"a', "", [("f", '{"a')], [0]),
        # Malformed behind it: the rest is content.
        (
            '<tool_call>{"name": "f", "arguments": {"a": 01}}</tool_call> b',
            "1}}</tool_call> b",
            [("f", '{"a": 0')],
            [0],
        ),
        # A call that follows a broken one is a call.
        (
            '<tool_call>{"name": "f", "arguments": [}</tool_call>'
            '<tool_call>{"name": "g"}</tool_call>',
            "}</tool_call>",
            [("f", "["), ("g", "{}")],
            [0],
        ),
        # Of keys that come twice, and of two keys for the arguments, the first counts.
        (
            '<tool_call>{"name": "f", "parameters": {"a": 1}, "name": "g", "arguments": 2}',
            "",
            [("f", '{"a": 1}')],
            [],
        ),
        # The name may come last.
        ('<tool_call>{"arguments": {"a": 1.0}, "name": "f"}', "", [("f", '{"a": 1.0}')], []),
        # Arguments that are a string are JSON escaped once more.
        (
            r'<tool_call>{"name": "f", "arguments": "{\"a\": \"\u00e9\ud83d\ude00\"}"}',
            "",
            [("f", '{"a": "é😀"}')],
            [],
        ),
        ('<tool_call>{"name": "f", "arguments": ""}', "", [("f", "")], []),
    ],
)
def test_a_call_that_is_announced_stays_one(
    text: str, content: str, calls: list[tuple[str, str]], incomplete: list[int]
) -> None:
    for pieces in ([text], list(text), [text[:30], text[30:]]):
        parser = OutputParser(tools=True, stream_arguments=True)
        assert message(parser, pieces) == (content, calls)
        assert parser.incomplete == incomplete


def test_the_name_comes_at_once() -> None:
    parser = OutputParser(tools=True, stream_arguments=True)
    assert parser.feed('<tool_call>{"name": "f') == []
    (begun,) = parser.feed('"')
    assert begun["tool_calls"][0]["function"] == {"name": "f", "arguments": ""}
    assert parser.feed(', "arguments": ') == []
    for piece in ('{"a', '": [1', ", 2", "]}"):
        (delta,) = parser.feed(piece)
        assert delta == {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
    assert parser.feed("}\n</tool_call>") == []
    assert parser.feed("", final=True) == []


@given(st.text(), st.lists(st.integers(0, 5), max_size=30), st.booleans())
def test_an_escaped_string_in_pieces(text: str, sizes: list[int], ascii_only: bool) -> None:
    literal = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    unescaper, found, rest = Unescaper(), "", literal
    for size in sizes:
        found += unescaper.feed(rest[:size])
        rest = rest[size:]
    assert found + unescaper.feed(rest, True) == json.loads(f'"{literal}"')


SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "size": {"type": "number"},
        "flag": {"type": "boolean"},
        "none": {"type": "null"},
        "many": {"type": "array"},
        "more": {"type": "object"},
        "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "either": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        "choice": {"enum": ["1", "2"]},
        "fixed": {"const": 5},
        "shared": {"$ref": "#/$defs/name"},
        "all": {"allOf": [{"description": "x"}, {"type": "string"}]},
        "open": {},
        "loop": {"$ref": "#/properties/loop"},
    },
    "$defs": {"name": {"type": "string"}},
}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("text", "5", '"5"'),
        ("text", "true", '"true"'),
        ("text", '{"a": 1}', '"{\\"a\\": 1}"'),
        ("text", " a\t\ud800", '" a\\t\\ud800"'),
        ("count", " 5 ", "5"),
        ("count", "5.0", "5.0"),
        ("count", "5.5", '"5.5"'),
        ("count", "9" * 5000, "9" * 5000),
        ("size", "1E400", "1E400"),
        ("size", "abc", '"abc"'),
        ("flag", "True", "true"),
        ("flag", "false", "false"),
        ("flag", "yes", '"yes"'),
        ("none", "None", "null"),
        ("many", "[1, {'a': None}]", '[1, {"a": null}]'),
        ("many", "[1, 2", '"[1, 2"'),
        ("many", '{"a": 1}', '"{\\"a\\": 1}"'),
        ("more", '{ "a" : 1, "a": 2 }', '{ "a" : 1, "a": 2 }'),
        ("maybe", "null", "null"),
        ("maybe", "5", '"5"'),
        ("either", "5", "5"),
        ("either", "x", '"x"'),
        ("choice", "1", '"1"'),
        ("fixed", "5", "5"),
        ("shared", "5", '"5"'),
        ("all", "5", '"5"'),
        ("open", "5", "5"),
        ("open", "word", '"word"'),
        ("open", '"quoted"', '"\\"quoted\\""'),
        ("loop", "5", "5"),
        ("unknown", "[]", "[]"),
        ("unknown", "nothing", '"nothing"'),
    ],
)
@pytest.mark.parametrize("format", ["qwen3_coder", "glm45"])
def test_values_are_what_the_schema_says(format: str, key: str, value: str, expected: str) -> None:
    if format == "glm45":
        text = f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>"
        text = f"<tool_call>f\n{text}\n</tool_call>"
    else:
        text = (
            f"<tool_call>\n<function=f>\n<parameter={key}>\n{value}\n</parameter>\n</function>\n"
            "</tool_call>"
        )
    for pieces in ([text], list(text)):
        found = message(OutputParser(tools=TOOLS, format=format), pieces)
        assert found == ("", [("f", f'{{"{key}": {expected}}}')])


def test_schemas_that_say_nothing() -> None:
    for schema in (None, 5, [], {"type": 5}, {"anyOf": [{}]}, {"$ref": "elsewhere"}, {"$ref": 1}):
        assert types_of(schema) == frozenset()
    tools = ToolTypes([{"function": 5}, {"name": 5}, {"name": "g", "parameters": []}])
    for name in ("f", "g"):
        assert tools.types(name, "a") == frozenset()
    assert json_value("", frozenset()) == '""'


def test_the_clients_accumulated_stream_is_the_message() -> None:
    text = (
        "Hm.\n<tool_call>\n<function=f>\n<parameter=text>\na\nb\n</parameter>\n<parameter=many>\n"
        "[1]\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=f>\n</function>\n"
        "</tool_call>"
    )
    parser = OutputParser(tools=TOOLS, format="qwen3_coder")
    state = ChatCompletionStreamState()
    for piece in [*text, None]:
        for delta in parser.feed(piece or "", final=piece is None):
            chunk = {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
            }
            state.handle_chunk(ChatCompletionChunk.model_validate(chunk, strict=True))
    whole = message(OutputParser(tools=TOOLS, format="qwen3_coder"), [text])
    told = state.current_completion_snapshot.choices[0].message
    assert told.content == whole[0]
    assert [(c.function.name, c.function.arguments) for c in told.tool_calls or []] == whole[1]


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>\n<function=f>\n<parameter=text>\nx\n</parameter>\n</tool_call>\n",
        "<tool_call>\n<function=f>\n<parameter=text>\nx\n</parameter>\n</function>\n",
        "<tool_call><function=f><parameter=text>x</parameter></function></tool_call>",
    ],
)
def test_a_closing_tag_may_be_missing(text: str) -> None:
    for pieces in ([text + "ok"], [*text, "ok"]):
        parser = OutputParser(tools=TOOLS, format="qwen3_coder")
        assert message(parser, pieces) == ("ok", [("f", '{"text": "x"}')])
        assert parser.incomplete == []
