"""Every declared format, forced: what is sampled under the constraint parses as valid calls, and
what the families' templates render keeps to it.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from constrained import END, Engine, calls_of, check_calls, tools_for, with_control_tokens
from jsonschema import Draft202012Validator
from own_templates import CALLS, MARKERS, template
from wire_texts import PUBLISHED, RENDERED, Wire

from textcore import Tokenizer
from textcore.errors import SpecError, UnsupportedError
from textcore.output.formats import (
    FORMATS,
    JsonObject,
    Layout,
    NamedValue,
    NestedElements,
    OutputFormat,
    get_format,
)
from textcore.output.parser import OutputParser
from textcore.output.probing.roundtrip import (
    call,
    full_schema_of,
    generated,
    generation_prompt,
    render,
    schema_of,
)
from textcore.output.tool_choice import tool_call_grammar, tool_call_pattern

FORCED = list(FORMATS)
FAMILIES = [pytest.param(form, id=form.name) for form in FORCED]
TEXT_FAMILIES = [pytest.param(form, id=form.name) for form in FORCED if not form.control]
SMALL = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "parameters": {
                "type": "object",
                "properties": {"at": {"type": "string"}, "times": {"type": "integer"}},
                "required": ["at"],
            },
        },
    },
    {"name": "now"},
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(with_control_tokens())


def sampled(
    engine: Engine, form: OutputFormat, tools: Any, seeds: range, **options: Any
) -> Iterator[list[int]]:
    grammar = tool_call_grammar(tools, format=form, tokenizer=engine.tok, **options)
    for seed in seeds:
        yield engine.sample(grammar.lark, random.Random(seed), engine.endings(form))


@pytest.mark.parametrize("form", FAMILIES)
def test_required_gives_valid_calls(engine: Engine, form: OutputFormat) -> None:
    for index, tool in enumerate(tools_for(form)):
        for ids in sampled(engine, form, [tool], range(index, index + 1), tool_choice="required"):
            calls = calls_of(engine.tok, form, [tool], ids)
            assert calls
            check_calls(calls, [tool])


@pytest.mark.parametrize("form", FAMILIES)
def test_any_of_several_tools_is_called(engine: Engine, form: OutputFormat) -> None:
    names = set()
    counts = set()
    for ids in sampled(engine, form, SMALL, range(12), tool_choice="required"):
        calls = calls_of(engine.tok, form, SMALL, ids)
        check_calls(calls, SMALL)
        names.update(name for name, _ in calls)
        counts.add(len(calls))
    assert names == {"look", "now"}
    assert max(counts) > 1


@pytest.mark.parametrize("form", FAMILIES)
def test_one_call_where_parallel_ones_are_not_wanted(engine: Engine, form: OutputFormat) -> None:
    options = {"tool_choice": "required", "parallel_tool_calls": False}
    for ids in sampled(engine, form, SMALL, range(4), **options):
        assert len(calls_of(engine.tok, form, SMALL, ids)) == 1


@pytest.mark.parametrize("form", FAMILIES)
def test_a_named_tool_is_called_once(engine: Engine, form: OutputFormat) -> None:
    choice = {"type": "function", "function": {"name": "look"}}
    for ids in sampled(engine, form, SMALL, range(3), tool_choice=choice):
        calls = calls_of(engine.tok, form, SMALL, ids)
        assert [name for name, _ in calls] == ["look"]
        check_calls(calls, SMALL)


@pytest.mark.parametrize("form", FAMILIES)
def test_none_gives_no_calls(engine: Engine, form: OutputFormat) -> None:
    for ids in sampled(engine, form, SMALL, range(6), tool_choice="none"):
        parser = OutputParser(False, SMALL, format=form, tokenizer=engine.tok)
        assert not any("tool_calls" in delta for delta in parser.feed_ids(ids, final=True))


@pytest.mark.parametrize("form", FAMILIES)
def test_auto_gives_text_and_valid_calls(engine: Engine, form: OutputFormat) -> None:
    for ids in sampled(engine, form, SMALL, range(8), tool_choice="auto"):
        parser = OutputParser(False, SMALL, format=form, tokenizer=engine.tok)
        arguments: list[list[str]] = []
        for delta in parser.feed_ids(ids, final=True):
            for part in delta.get("tool_calls", ()):
                if "id" in part:
                    arguments.append([part["function"]["name"], ""])
                arguments[part["index"]][1] += part["function"]["arguments"]
        assert not parser.incomplete
        check_calls([(name, json.loads(text)) for name, text in arguments], SMALL)


@pytest.mark.parametrize("form", FAMILIES)
def test_reasoning_may_come_first(engine: Engine, form: OutputFormat) -> None:
    for ids in sampled(engine, form, SMALL, range(4), tool_choice="required", reasoning=True):
        calls = calls_of(engine.tok, form, SMALL, ids)
        assert calls
        check_calls(calls, SMALL)


@pytest.mark.parametrize("form", TEXT_FAMILIES)
def test_a_regex_gives_valid_calls(engine: Engine, form: OutputFormat) -> None:
    pattern = tool_call_pattern(SMALL, format=form, parallel_tool_calls=True)
    lark = f"start: TEXT\nTEXT: /{pattern.replace('/', chr(92) + '/')}/\n"
    for seed in range(4):
        ids = engine.sample(lark, random.Random(seed), engine.endings(form))
        text = engine.tok.decode(ids)
        assert re.fullmatch(pattern, text)
        parser = OutputParser(False, SMALL, format=form)
        deltas = parser.feed(text, final=True)
        assert not any("content" in delta for delta in deltas)
        assert any("tool_calls" in delta for delta in deltas)
        assert not parser.incomplete


# The other direction: what templates render is accepted.


def tools_of(wire: Wire) -> list[dict[str, Any]]:
    """Tools that take the arguments of a text's calls, in the order in which they stand."""
    nested = isinstance(get_format(wire.format).body, NestedElements)
    described = full_schema_of if nested else schema_of
    found: dict[str, dict[str, Any]] = {}
    for name, arguments in wire.calls:
        properties = found.setdefault(name, {})
        for key, value in arguments.items():
            properties.setdefault(key, described(value))
    return [
        {"name": name, "parameters": {"type": "object", "properties": properties}}
        for name, properties in (found or {"other": {}}).items()
    ]


def in_order(wire: Wire) -> Wire:
    """Gemma's template sorts arguments."""
    if wire.format != "gemma4":
        return wire
    return wire._replace(calls=[(name, dict(sorted(a.items()))) for name, a in wire.calls])


# Its template writes the content behind the calls, where nothing says that no call follows.
BEHIND_CALLS = {wire.text for wire in RENDERED if wire.text.endswith("ZETA.<|tool_response>")}


def begun_otherwise(wire: Wire) -> bool:
    """Whether the declaration lists what begins the calls as a further way to begin them.

    Such calls are read. A constraint has the family's own ones only.
    """
    form = get_format(wire.format)
    own, *further = form.ways
    others = [tag for way in further for tag in way.openers]
    if not form.bare or wire.content:
        others += form.inline
    tags = sorted((*own.openers, *others), key=len, reverse=True)
    found = re.search("|".join(map(re.escape, tags)), wire.text) if wire.calls and tags else None
    return found is not None and found[0] in others


def is_python(calls: str) -> bool:
    """Whether a text is Python calls whose arguments are values that JSON has."""
    words = {"true": True, "false": False, "null": None}
    try:
        read = ast.parse(calls.strip())
        for node in ast.walk(read):
            if isinstance(node, ast.keyword):
                name = node.value.id if isinstance(node.value, ast.Name) else ""
                json.dumps(words[name] if name else ast.literal_eval(node.value))
    except (SyntaxError, ValueError, TypeError, KeyError):
        return False
    return True


def guessed(wire: Wire) -> bool:
    """Whether values are not spelled as the declaration says, so that the reader has to guess.

    Python calls that are no Python, or whose values JSON doesn't have; and values that are no
    strings between the marks of strings.
    """
    form = get_format(wire.format)
    if not isinstance(form.body, NamedValue) or form.body.value == "json" or not wire.calls:
        return False
    if form.body.value.endswith("python"):
        assert form.section is not None
        calls = wire.text.rpartition(form.section.open)[2].removesuffix(form.section.close)
        return not is_python(calls)
    mark = form.body.value
    values = [value for _, arguments in wire.calls for value in arguments.values()]
    return any(
        f":{mark}{value}{mark}" in wire.text for value in values if not isinstance(value, str)
    )


ALL_WIRES = [in_order(wire) for wire in (*RENDERED, *PUBLISHED)]
FORCIBLE = [wire for wire in ALL_WIRES if get_format(wire.format) in FORCED]
WIRES = [
    pytest.param(wire, id=f"{wire.format}-{index}")
    for index, wire in enumerate(ALL_WIRES)
    if wire in FORCIBLE
    and wire.text not in BEHIND_CALLS
    and not begun_otherwise(wire)
    and not guessed(wire)
]
OTHERWISE = [
    pytest.param(wire, id=f"{wire.format}-{index}")
    for index, wire in enumerate(ALL_WIRES)
    if wire in FORCIBLE and (begun_otherwise(wire) or guessed(wire))
]


def spacing(wire: Wire) -> dict[str, int]:
    """The option that JSON with a line for each member needs: the deepest indentation."""
    lines = re.findall(r"\n +(?=[\"{\[\]}0-9])", wire.text)
    indented = isinstance(get_format(wire.format).body, JsonObject) and "{\n" in wire.text
    return {"whitespace": max(map(len, lines))} if indented else {}


def grammar_of(engine: Engine, wire: Wire, choice: str = "auto") -> str:
    return tool_call_grammar(
        tools_of(wire),
        choice,
        format=wire.format,
        tokenizer=engine.tok,
        reasoning=True,
        prompt=wire.prompt,
        **spacing(wire),
    ).lark


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_template_renders_is_accepted(engine: Engine, wire: Wire) -> None:
    choices = ["auto"]
    if not wire.content:
        choices.append("required")
    if not wire.calls:
        choices = ["auto", "none"]
    ids = engine.tok.encode(wire.text.rstrip())
    for choice in choices:
        accepted, text = engine.accepts(grammar_of(engine, wire, choice), ids)
        assert accepted, (choice, text, wire.text[len(text) :][:100])


@pytest.mark.parametrize("wire", OTHERWISE)
def test_calls_spelled_otherwise_are_not_written(engine: Engine, wire: Wire) -> None:
    ids = engine.tok.encode(wire.text.rstrip())
    assert not engine.accepts(grammar_of(engine, wire), ids)[0]


FURTHER = [
    pytest.param(
        form.name,
        dataclasses.replace(
            form,
            call=way.call,
            body=way.body,
            section=way.section,
            bare=False,
            other_calls=(),
            layout=Layout(free=True),
        ),
        id=f"{form.name}-{index}",
    )
    for form in FORCED
    for index, way in enumerate(form.other_calls)
]


@pytest.mark.parametrize(("name", "first"), FURTHER)
def test_a_further_way_is_written_where_a_declaration_has_it_first(
    engine: Engine, name: str, first: OutputFormat
) -> None:
    for ids in sampled(engine, first, SMALL, range(3), tool_choice="required"):
        assert engine.tok.decode(ids).startswith(first.openers)
        check_calls(calls_of(engine.tok, get_format(name), SMALL, ids), SMALL)
    texts = [wire for wire in ALL_WIRES if wire.format == name and begun_otherwise(wire)]
    for wire in texts:
        if any(opener in wire.text for opener in first.openers):
            grammar = tool_call_grammar(tools_of(wire), format=first, tokenizer=engine.tok)
            accepted, text = engine.accepts(grammar.lark, engine.tok.encode(wire.text.rstrip()))
            assert accepted, (text, wire.text[len(text) :][:100])


def test_calls_with_wrong_arguments_are_refused(engine: Engine) -> None:
    for wire in FORCIBLE:
        if wire.calls and wire.text not in BEHIND_CALLS:
            tools = tools_of(wire)
            tools[0]["parameters"]["properties"] = {
                key: {"type": "null"} for key in tools[0]["parameters"]["properties"]
            }
            grammar = tool_call_grammar(
                tools,
                format=wire.format,
                tokenizer=engine.tok,
                reasoning=True,
                prompt=wire.prompt,
            )
            assert not engine.accepts(grammar.lark, engine.tok.encode(wire.text.rstrip()))[0]


# What is refused.


def test_control_tokens_have_no_regex() -> None:
    for form in FORMATS:
        if form.control:
            with pytest.raises(UnsupportedError, match="use tool_call_grammar"):
                tool_call_pattern(SMALL, format=form)


def test_a_tokenizer_shows_that_markers_are_special_tokens() -> None:
    tok = with_control_tokens(tokens=["<function=", "</function>"])
    with pytest.raises(UnsupportedError, match="use tool_call_grammar"):
        tool_call_pattern(SMALL, format="functionary_v3.1", tokenizer=tok)
    assert tool_call_pattern(SMALL, format="phi4_mini_json", tokenizer=tok)


def test_control_tokens_need_a_tokenizer_that_has_them() -> None:
    with pytest.raises(UnsupportedError, match="without the model's tokenizer"):
        tool_call_grammar(SMALL, format="gpt-oss")
    with pytest.raises(UnsupportedError, match="none of its tokens is a marker"):
        tool_call_grammar(SMALL, format="gpt-oss", tokenizer=with_control_tokens(tokens=[END]))


def test_control_tokens_are_named_by_their_ids(engine: Engine) -> None:
    lark = tool_call_grammar(SMALL, format="mistral", tokenizer=engine.tok).lark
    assert f"<[{engine.tok.token_to_id('[TOOL_CALLS]')}]>" in lark
    ordinary = engine.tok.encode("[TOOL_CALLS]", allowed_special=())
    assert len(ordinary) > 1
    required = tool_call_grammar(SMALL, "required", format="mistral", tokenizer=engine.tok).lark
    assert engine.matcher(required).try_consume_tokens(ordinary) == 0


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ("always", "expected none, auto, required or a named function"),
        (None, "expected none, auto, required or a named function"),
        ({"type": "function"}, "names no function"),
        ({"type": "function", "function": {"name": 3}}, "names no function"),
    ],
)
def test_an_unknown_tool_choice_is_refused(choice: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        tool_call_grammar(SMALL, choice)


def test_other_kinds_of_choices_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="only functions can be forced"):
        tool_call_grammar(SMALL, {"type": "allowed_tools"})


@pytest.mark.parametrize(
    ("format", "name"),
    [("qwen3_coder", "a b"), ("pythonic", "f("), ("kimi_k2", "a:b"), ("deepseek_v31", "x y")],
)
def test_a_name_that_the_format_cannot_write_is_named(
    engine: Engine, format: str, name: str
) -> None:
    with pytest.raises(UnsupportedError) as caught:
        tool_call_grammar([{"name": name}], format=format, tokenizer=engine.tok)
    assert caught.value.place == "tools[0].name"


@pytest.mark.parametrize(
    ("format", "properties", "pointer"),
    [
        ("qwen3_coder", {"a<b": {"type": "string"}}, "a<b"),
        ("pythonic", {"a b": {"type": "string"}}, "a b"),
        ("gemma4", {"a:b": {"type": "string"}}, "a:b"),
        ("glm45", {"a": {"enum": ["5", 6]}}, "a/enum"),
        ("glm45", {"a": {"enum": ["</arg_value>"]}}, "a/enum"),
        ("glm45", {"a": {"type": ["string", "null"], "pattern": "^n.*$"}}, "a/pattern"),
    ],
)
def test_arguments_that_the_format_cannot_write_are_named(
    engine: Engine, format: str, properties: Any, pointer: str
) -> None:
    tool = {"name": "f", "parameters": {"type": "object", "properties": properties}}
    with pytest.raises(UnsupportedError) as caught:
        tool_call_grammar([tool], format=format, tokenizer=engine.tok)
    assert caught.value.place.startswith(
        f"tools[0].parameters#/properties/{pointer.split('/')[0]}"
    )


def test_a_declaration_must_say_how_names_are_written() -> None:
    form = get_format("qwen3_coder")
    silent = dataclasses.replace(form, layout=Layout())
    with pytest.raises(UnsupportedError, match="can't be written in the format"):
        tool_call_grammar(SMALL, format=silent)


# Values that their reader could take for others.


@pytest.mark.parametrize(
    ("schema", "fits", "fails"),
    [
        ({"type": "string"}, ["null", "5", " x ", "<b>", "a</parameter", ""], ["a</parameter>b"]),
        ({"type": ["string", "null"]}, ["nullx", "null", "null x", "New"], [" null"]),
        ({"type": ["string", "boolean"]}, ["true", "True", "truest", "tru"], ["true "]),
        ({"type": ["string", "integer"]}, ["5", "x5"], ["5 apples"]),
        ({"type": "string", "maxLength": 3}, ["abc", ""], ["abcd"]),
        ({"type": "string", "minLength": 2}, ["ab", "<b>"], ["a"]),
        ({"enum": ["a", 2, None]}, ["a", "2", "null"], ["b"]),
        ({"type": "array", "items": {"type": "string"}}, ['["<b>"]'], ['["</parameter>"]']),
    ],
)
def test_texts_of_parameters(
    engine: Engine, schema: Any, fits: list[str], fails: list[str]
) -> None:
    tool = {
        "name": "f",
        "parameters": {"type": "object", "properties": {"p": schema}, "required": ["p"]},
    }
    lark = tool_call_grammar([tool], "required", format="qwen3_coder").lark
    pattern = tool_call_pattern([tool], format="qwen3_coder")
    for text in (*fits, *fails):
        whole = (
            f"<tool_call>\n<function=f>\n<parameter=p>\n{text}\n</parameter>\n</function>\n"
            "</tool_call>"
        )
        accepted = engine.accepts(lark, engine.tok.encode(whole, allowed_special=()))[0]
        assert accepted == (text in fits), text
        assert bool(re.fullmatch(pattern, whole)) == (text in fits), text
        if accepted:
            parser = OutputParser(False, [tool], format="qwen3_coder", stream_arguments=False)
            delta = parser.feed(whole, final=True)
            arguments = delta[1]["tool_calls"][0]["function"]["arguments"]
            Draft202012Validator(tool["parameters"]).validate(json.loads(arguments))


def test_the_tokenizer_of_these_tests_has_the_control_tokens(engine: Engine) -> None:
    assert isinstance(engine.tok, Tokenizer)
    for form in FORCED:
        grammar = tool_call_grammar(SMALL, format=form, tokenizer=engine.tok)
        assert not form.control or "<[" in grammar.lark, form.name


# Formats that were found by their templates' renderings.

OWN = [
    pytest.param(kind, markers, id=f"{kind}-{index}")
    for kind in CALLS
    for index, markers in enumerate(MARKERS)
]


@pytest.mark.parametrize(("kind", "markers"), OWN)
def test_a_format_that_was_found_is_forced(
    engine: Engine, kind: str, markers: dict[str, str]
) -> None:
    detection = OutputParser.for_template(template(kind, markers)).detection
    assert detection is not None
    for ids in sampled(engine, detection.format, SMALL, range(4), tool_choice="required"):
        calls = calls_of(engine.tok, detection.format, SMALL, ids)
        assert calls
        check_calls(calls, SMALL)


@pytest.mark.parametrize(("kind", "markers"), [one for one in OWN if one.values[0] != "list"])
def test_a_found_format_accepts_what_its_template_renders(
    engine: Engine, kind: str, markers: dict[str, str]
) -> None:
    source = template(kind, markers)
    detection = OutputParser.for_template(source).detection
    assert detection is not None
    arguments = {"at": "a \"b\" 'c'\n<b>", "times": -3}
    calls = [call("look", arguments), call("now", {})]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    text = render(source, message, {})
    output = generated(text, generation_prompt(source, {}), detection.format)[1]
    grammar = tool_call_grammar(SMALL, format=detection.format, tokenizer=engine.tok)
    accepted, taken = engine.accepts(grammar.lark, engine.tok.encode(output.rstrip()))
    assert accepted, (taken, output[len(taken) :])
