"""Arguments that are elements within elements, forced: what is written is what is read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from constrained import Engine, with_control_tokens

from textcore.errors import UnsupportedError
from textcore.output.parser import OutputParser
from textcore.output.tool_choice import tool_call_grammar, tool_call_pattern

MARK = "]<]minimax[>["
TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "v": {"type": "string"},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["v"],
        }
    },
    "$ref": "#/$defs/node",
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(with_control_tokens(tokens=()))


def tool_of(schema: Any) -> list[dict[str, Any]]:
    """A tool with one argument, which it needs."""
    defs = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
    parameters = {"type": "object", "properties": {"p": schema}, "required": ["p"], **defs}
    return [{"name": "f", "parameters": parameters}]


def written(elements: str) -> str:
    """A call with its argument, the mark before every tag."""
    inner = re.sub(r"<(?=/?\w+>)", f"{MARK}<", f"<p>{elements}</p>")
    return f'{MARK}<tool_call>\n{MARK}<invoke name="f">{inner}{MARK}</invoke>\n{MARK}</tool_call>'


def read(tools: list[dict[str, Any]], text: str) -> Any:
    """The argument, read one character at a time."""
    parser = OutputParser(False, tools, format="minimax_m3")
    deltas = [delta for char in text for delta in parser.feed(char)]
    deltas += parser.feed("", final=True)
    assert not parser.incomplete
    return json.loads(
        "".join(delta["tool_calls"][0]["function"]["arguments"] for delta in deltas)
    )["p"]


NUMBERS = {"type": "array", "items": {"type": "integer"}}
POINT = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "elements", "value"),
    [
        ({"type": "string"}, " a<b \n]<] ", " a<b \n]<] "),
        ({"type": "string"}, "", ""),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": ["string", "null"]}, "nullable", "nullable"),
        ({"type": ["string", "integer"]}, "5", 5),
        ({"type": "boolean"}, "true", True),
        (NUMBERS, "<item>1</item><item>-2</item>", [1, -2]),
        (NUMBERS, "", []),
        ({"type": ["array", "string"], "items": {"type": "string"}}, "[]", []),
        ({"type": ["array", "string"], "items": {"type": "string"}}, "<item>[</item>", ["["]),
        (POINT, "<x>1</x><y>5</y>", {"x": 1, "y": "5"}),
        (POINT, "<y></y>", {"y": ""}),
        (POINT, "", {}),
        ({"anyOf": [POINT, {"type": "string"}]}, "{}", {}),
        ({"type": "array", "items": POINT}, "<item><x>1</x></item><item></item>", [{"x": 1}, {}]),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "<item>5</item><item>5</item>",
            ["5", 5],
        ),
        ({"type": "object", "additionalProperties": True}, '{"a": [1]}', {"a": [1]}),
        ({"type": "object", "properties": {"a>": {"const": 1}}}, '{"a>": 1}', {"a>": 1}),
        ({}, "any text", "any text"),
        ({"enum": [[1, {"k": "v"}], "x", 7]}, "<item>1</item><item><k>v</k></item>", None),
        ({"enum": ["x", 7]}, "7", 7),
        ({"type": "object", "properties": {"item": {"const": 1}}}, "<item>1</item>", {"item": 1}),
    ],
)
def test_elements_are_written_as_they_are_read(
    engine: Engine, schema: Any, elements: str, value: Any
) -> None:
    tools = tool_of(schema)
    text = written(elements)
    lark = tool_call_grammar(tools, "required", format="minimax_m3").lark
    assert engine.accepts(lark, engine.tok.encode(text))[0]
    assert re.fullmatch(tool_call_pattern(tools, format="minimax_m3"), text)
    expected = [1, {"k": "v"}] if "enum" in schema and value is None else value
    assert read(tools, text) == expected


@pytest.mark.parametrize(
    ("schema", "elements"),
    [
        ({"type": "string"}, f"a{MARK}b"),
        ({"type": ["string", "null"]}, "null "),
        ({"type": ["array", "string"]}, "[1"),
        (NUMBERS, "<item>x</item>"),
        (NUMBERS, "[1]"),
        (POINT, "<y>a</y><x>1</x>"),
        (POINT, "<x>1</x>\n<y>a</y>"),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, "<item></item>" * 2),
        ({"anyOf": [POINT, {"type": "string"}]}, "{"),
    ],
)
def test_what_would_be_read_otherwise_is_not_written(
    engine: Engine, schema: Any, elements: str
) -> None:
    tools = tool_of(schema)
    lark = tool_call_grammar(tools, "required", format="minimax_m3").lark
    assert not engine.accepts(lark, engine.tok.encode(written(elements)))[0]
    pattern = tool_call_pattern(tools, format="minimax_m3")
    assert not re.fullmatch(pattern, written(elements))


def test_a_tree_is_a_grammar(engine: Engine) -> None:
    tools = tool_of(dict(TREE))
    lark = tool_call_grammar(tools, "required", format="minimax_m3").lark
    text = written("<v>a</v><kids><item><v>5</v><kids></kids></item><item><v></v></item></kids>")
    assert engine.accepts(lark, engine.tok.encode(text))[0]
    assert not engine.accepts(lark, engine.tok.encode(text.replace("<v>5", "<w>5")))[0]
    kids = [{"v": "5", "kids": []}, {"v": ""}]
    assert read(tools, text) == {"v": "a", "kids": kids}
    with pytest.raises(UnsupportedError, match="use a grammar"):
        tool_call_pattern(tools, format="minimax_m3")


@pytest.mark.parametrize(
    ("parameters", "pointer"),
    [
        ({"additionalProperties": {"type": "integer"}}, "/additionalProperties"),
        ({"additionalProperties": True}, "/additionalProperties"),
        ({"patternProperties": {"^a": {"type": "null"}}}, "/patternProperties/^a"),
        ({"properties": {"a>b": {"type": "string"}}}, "/properties/a>b"),
        ({"properties": {"/a": {"type": "string"}}}, "/properties/~1a"),
        ({"properties": {"a": {"enum": [f"x{MARK}"]}}}, "/properties/a/enum"),
        ({"properties": {"a": {"enum": ["5", 6]}}}, "/properties/a/enum"),
        (
            {"properties": {"a": {"type": ["string", "null"], "pattern": "^n"}}},
            "/properties/a/pattern",
        ),
        ({"properties": {"a": {"type": "array", "contains": {}}}}, "/properties/a/contains"),
    ],
)
def test_what_elements_cannot_say_is_named(parameters: Any, pointer: str) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", **parameters}}]
    for make in (tool_call_grammar, tool_call_pattern):
        with pytest.raises(UnsupportedError) as caught:
            make(tools, format="minimax_m3")
        assert caught.value.place == f"tools[0].parameters#{pointer}"
