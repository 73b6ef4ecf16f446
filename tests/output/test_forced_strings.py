"""Strings that look like delimiters, in every format: what a constraint accepts is read back."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Iterable
from typing import Any

import pytest
from constrained import Engine, with_control_tokens

from textcore.output.control import _literals
from textcore.output.formats import FORMATS, OutputFormat, TaggedParameters, get_format
from textcore.output.parser import OutputParser
from textcore.output.tool_choice import tool_call_pattern

# The constraint is tried as a regex over text, for control tokens as well.
FAMILIES = [
    pytest.param(dataclasses.replace(form, control=False), id=form.name) for form in FORMATS
]
HERE = "SENTINEL"
STRING = {"type": "string"}
PIECES = [
    *("\n", " ", "\t", "\r", "\u2028", "</", "<", "a", "{", "}", "[", "]", '"', "'", "\\", ","),
    *(":", "=", "(", ")", "null", "5", "true", "None", '{"at": "x"}', '{"z": 1}', "é", "\x00"),
    *("at", "to", "more"),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(with_control_tokens(tokens=()))


def tool(**properties: Any) -> list[dict[str, Any]]:
    required = [name for name in properties if name != "more"]
    parameters = {"type": "object", "properties": properties, "required": required}
    return [{"name": "look", "parameters": parameters}]


def adversarial(form: OutputFormat, rng: random.Random, count: int) -> Iterable[str]:
    """Strings of pieces of the format's own delimiters."""
    pieces = [text for text in _literals(form) if text and not re.search("[\ud800-\udfff]", text)]
    body = form.body
    if isinstance(body, TaggedParameters):
        ends = [end for end, _ in body.key_ends]
        pieces += [body.parameter + name + end for name in ("to", "more", "x") for end in ends] * 2
    pieces = sorted(set(pieces)) + PIECES
    for _ in range(count):
        some = rng.choices(pieces, k=rng.randrange(1, 6))
        text = "".join(piece[: rng.choice([len(piece), rng.randrange(9)])] for piece in some)
        yield rng.choice(["", "", " ", "\n"]) + text + rng.choice(["", "", " ", "\n", "\n\n"])


def skeleton(engine: Engine, form: OutputFormat, value: Any) -> str:
    """A call as the constraint writes it."""
    tools = tool(at={"const": value}, to={"const": "ZZ"})
    pattern = tool_call_pattern(tools, format=form).replace("/", r"\/")
    ids = engine.sample(f"start: TEXT\nTEXT: /{pattern}/\n", random.Random(1), [])
    return engine.tok.decode(ids)


def within(text: str, value: str) -> str:
    """A call with a string in the sentinel's place, escaped as the quotes around it ask for."""
    before, _, behind = text.partition(HERE)
    if before.endswith("'"):
        short = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        value = "".join(short.get(c) or (f"\\x{ord(c):02x}" if c < " " else c) for c in value)
    elif before.endswith('"'):
        value = json.dumps(value, ensure_ascii=False)[1:-1]
    return before + value + behind


def read(form: OutputFormat, tools: Any, pieces: Iterable[str]) -> tuple[str, list[Any]]:
    """Content, and the arguments of calls."""
    parser = OutputParser(False, tools, format=form)
    content, arguments = "", []
    for piece in (*pieces, None):
        for delta in parser.feed(piece or "", final=piece is None):
            content += delta.get("content", "")
            for part in delta.get("tool_calls", ()):
                arguments += [""] if "id" in part else []
                arguments[-1] += part["function"]["arguments"]
    assert not parser.incomplete
    return content, [json.loads(text) for text in arguments]


@pytest.mark.parametrize("form", FAMILIES)
@pytest.mark.parametrize(
    ("schema", "around"),
    [
        (STRING, False),
        ({"type": ["string", "null", "integer"]}, False),
        ({"type": "array", "items": STRING}, True),
    ],
)
def test_what_a_constraint_accepts_is_read_back(
    engine: Engine, form: OutputFormat, schema: Any, around: bool
) -> None:
    rng = random.Random(form.name)
    tools = tool(more=STRING, at=schema, to=STRING)
    pattern = re.compile(tool_call_pattern(tools, format=form))
    outline = skeleton(engine, form, [HERE] if around else HERE)
    accepted = 0
    for value in adversarial(form, rng, 25):
        text = within(outline, value)
        if value.strip() not in ("null", "None", "5") and pattern.fullmatch(text):
            accepted += 1
            expected = ("", [{"at": [value] if around else value, "to": "ZZ"}])
            assert read(form, tools, text) == expected
            assert read(form, tools, [text]) == expected
    assert accepted


CUT = [
    ("qwen3_coder", "a\n<parameter=to>\nb"),
    ("qwen3_coder", "a<parameter= more>b"),
    ("qwen3_coder", "</function>\n</tool_call>\n<tool_call>"),
    ("glm45", "a<arg_key>to</arg_key><arg_value>b"),
    ("minimax_m2", 'a<parameter name="to">b'),
    ("minimax_m2", "</invoke>\n</minimax:tool_call>"),
    ("seed_oss", "a<parameter=to>b"),
    ("minicpm5", 'a<param name="to">b'),
]
KEPT = [
    ("qwen3_coder", "a <parameter=other>, <p>, </div> and </parameters"),
    ("qwen3_coder", "<parameter=at>"),
    ("qwen3_coder", "<function=f> </function>"),
    ("glm45", "<arg_key>at</arg_key> <arg_key>x"),
    ("minimax_m2", '<parameter name="x"> <b></b>'),
]


@pytest.mark.parametrize(("name", "value"), CUT)
def test_a_string_has_nothing_that_would_cut_it(engine: Engine, name: str, value: str) -> None:
    form = get_format(name)
    tools = tool(more=STRING, at=STRING, to=STRING)
    text = within(skeleton(engine, form, HERE), value)
    assert not re.fullmatch(tool_call_pattern(tools, format=form), text)


@pytest.mark.parametrize(("name", "value"), KEPT)
def test_a_string_has_what_does_not_cut_it(engine: Engine, name: str, value: str) -> None:
    form = get_format(name)
    tools = tool(more=STRING, at=STRING, to=STRING)
    text = within(skeleton(engine, form, HERE), value)
    assert re.fullmatch(tool_call_pattern(tools, format=form), text)
    assert read(form, tools, text) == ("", [{"at": value, "to": "ZZ"}])


@pytest.mark.parametrize("name", ["qwen3_coder", "glm45", "minimax_m2"])
def test_a_nullable_string_may_begin_with_an_angle_bracket(engine: Engine, name: str) -> None:
    form = get_format(name)
    tools = tool(at={"type": ["string", "null"]}, to=STRING)
    text = within(skeleton(engine, form, HERE), "<b>null</b>")
    assert re.fullmatch(tool_call_pattern(tools, format=form), text)
    assert read(form, tools, text) == ("", [{"at": "<b>null</b>", "to": "ZZ"}])


def test_an_object_in_a_parameter_that_no_property_names_is_its_value(engine: Engine) -> None:
    form = get_format("qwen3_coder")
    parameters = {"properties": {"x": {"type": "integer"}}, "additionalProperties": {}}
    tools = [{"name": "look", "parameters": parameters}]
    text = (
        '<tool_call>\n<function=look>\n<parameter=at>\n{"x": 1}\n</parameter>\n</function>\n'
        "</tool_call>"
    )
    assert re.fullmatch(tool_call_pattern(tools, format=form), text)
    assert read(form, tools, text) == ("", [{"at": {"x": 1}}])


def test_free_text_has_any_tag_but_those_that_begin_a_call() -> None:
    pattern = tool_call_pattern([{"name": "f"}], format="qwen3_coder", tool_choice="none")
    for text in ("<table><form></form>", "a < b <tool", "<function", "</tool_call>"):
        assert re.fullmatch(pattern, text)
    for text in ("<tool_call>", "x<function=f>"):
        assert not re.fullmatch(pattern, text)
