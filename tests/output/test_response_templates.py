"""Response templates against ``transformers``: the same messages, regions and refusals."""

from __future__ import annotations

import copy
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.response_parser import ResponseParser as Reference
from transformers.utils.chat_parsing.response_templates import load_response_template

from textcore.errors import SpecError
from textcore.output.templates import ResponseTemplate, ResponseTemplateParser, parse_response

ANCHOR = "<|im_start|>assistant\n"
CALL = {"type": "function", "function": "{content}"}
TEMPLATES: dict[str, dict[str, Any]] = {
    "hermes": {
        "start_anchor": ANCHOR,
        "defaults": {"role": "assistant"},
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>"},
            "content": {"close": ["<|im_end|>", "<|im_end|>\n"]},
            "tool_calls": {
                "open": "<tool_call>",
                "close": "</tool_call>",
                "content": "json",
                "repeats": True,
                "transform": CALL,
            },
        },
    },
    "xml": {
        "start_anchor_pattern": r"<\|im_start\|>\w+\n",
        "fields": {
            "content": {"content_args": {"strip": False}, "repeats": True, "join": "|"},
            "tool_calls": {
                "open_pattern": r"<tool_call>\s*<function=(?P<name>\w+)>",
                "close_pattern": r"</function>\s*</tool_call>",
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": r"<parameter=(?P<key>\w+)>\n?(?P<value>.*?)\n?</parameter>",
                    "merge_duplicates": True,
                },
                "repeats": True,
                "transform": {
                    "type": "function",
                    "function": {"name": "{name}", "arguments": "{content}"},
                },
            },
        },
    },
    "lax": {
        "start_anchor": ["<a>", "<a><b>"],
        "fields": {
            "thinking": {"open": ["<think>", "<think>\n"], "close_pattern": r"</think>|$"},
            "tool_calls": {
                "open": "call:",
                "close": "\n",
                "content": "json",
                "content_args": {
                    "unquoted_keys": True,
                    "string_delims": [["<|", "|>"]],
                    "allow_non_json": True,
                },
                "repeats": True,
            },
            "score": {"open": "score=", "close": ";", "content": "float"},
            "count": {"open": "count=", "close_pattern": r"\b|$", "content": "int"},
            "facts": {"open": "[[", "close": "]]", "content": "kv-lines"},
        },
    },
    "python": {
        "start_anchor": ANCHOR,
        "fields": {
            "content": {},
            "tool_calls": {
                "open_pattern": r"<\|tool_call_start\|>(?=\[)",
                "close": "<|tool_call_end|>",
                "content": "python-call-list",
                "transform": {
                    "type": "function",
                    "function": {"name": "{name}", "arguments": "{arguments}"},
                },
                "transform_each": True,
            },
        },
    },
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": ["integer", "null"]},
                    "c": {"anyOf": [{"type": "number"}, {"type": "boolean"}]},
                    "d": {"type": "array"},
                },
            },
        },
    }
]
parts = st.sampled_from(
    [
        *("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>", "<|im_end|>\n"),
        *("<tool", "_call>", "<", "\n", " ", "a", "text é漢", "<function=f>", "</function>"),
        *("<parameter=a>", "<parameter=b>", "</parameter>", "5", "3.0", "true", "null", "[1]"),
        *('{"name": "f", "arguments": {"a": 1}}', "{", "}", '"', "call:", "{a: <|x|>}", "score="),
        *("1.5", ";", "count=", "12 ", "[[", "]]", "k: v\n", "<|tool_call_start|>"),
        *("<|tool_call_end|>", "[f(a='x\\n', b=1)]", "[g()]", "[", "]", "f(", "a=", "'q'", ")"),
        *("<tool_call>\n<function=f>\n<parameter=c>\n1\n</parameter>\n</function>\n</tool_call>",),
        '<tool_call>{"name": "f", "arguments": {"b": "7", "d": "[]"}}</tool_call>',
    ]
)
texts = st.lists(parts, max_size=12).map("".join)
prefixes = st.sampled_from(["", ANCHOR, "user" + ANCHOR + "<think>\n", "<a>", "<a><b>call:", "x"])


def run(make: Any, pieces: list[str]) -> tuple[list[Any], Any]:
    """The events, and the message or that there is none."""
    events: list[Any] = []
    try:
        parser = make()
        events += parser.initial_events
        for piece in pieces:
            events.append(parser.feed(piece))
        message, last = parser.finalize()
        events.append(last)
    except (ValueError, KeyError):
        return events, "refused"
    return events, message


@hypothesis.settings(max_examples=300)
@given(
    st.sampled_from(sorted(TEMPLATES)),
    prefixes,
    texts,
    st.lists(st.integers(0, 9), max_size=30),
    st.booleans(),
)
def test_messages_and_events_are_those_of_transformers(
    name: str, prefix: str, text: str, sizes: list[int], with_tools: bool
) -> None:
    template = TEMPLATES[name]
    tools = TOOLS if with_tools else None
    pieces, rest = [], text
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    for cut in ([text], [*pieces, rest], list(text)):
        expected = run(lambda: Reference(copy.deepcopy(template), prefix, tools=tools), cut)
        assert run(lambda: ResponseTemplateParser(template, prefix, tools=tools), cut) == expected


CALL_LISTS = [
    *("[]", "[f()]", "[ f ( ) , g.h-i(a=1) ]", "[f(a=1,)]", "[f(1)]", "[f(a=1, a=2)]", "f()"),
    *(r"[f(a='\u00e9\ud83d\ude00\'')]", r"[f(a='\ud83d')]", r"[f(a='\x41')]", '[f(a="\n")]'),
    *("[f(a={'k': [1, -2.5e3, True, null]})]", "[f(a={1: 2})]", "[f(a=9007199254740992)]"),
    *("[f(a=1e999)]", "[f(a=01)]", "[f()] x", "[f(a=" + "[" * 101 + "]" * 101 + ")]", "[f(a=b)]"),
    *("[f(a=" + "[" * 100 + "]" * 100 + ")]", "[f(a={'k': 1, 'k': 2})]", "[1f()]", "[f(a=.5)]"),
]


@pytest.mark.parametrize("text", CALL_LISTS)
def test_lists_of_calls(text: str) -> None:
    whole = f"<|tool_call_start|>{text}<|tool_call_end|>"
    template = TEMPLATES["python"]
    expected = run(lambda: Reference(copy.deepcopy(template), ""), [whole])
    assert run(lambda: ResponseTemplateParser(template, ""), [whole]) == expected


MALFORMED: list[Any] = [
    [],
    {},
    {"fields": {}},
    {"fields": {"a": {}}},
    {"start_anchor": "a", "fields": {"a": {}, "b": {}}},
    {"start_anchor": "a", "start_anchor_pattern": "b", "fields": {"a": {}}},
    {"start_anchor": "", "fields": {"a": {}}},
    {"start_anchor": [], "fields": {"a": {}}},
    {"start_anchor_pattern": "(", "fields": {"a": {}}},
    {"start_anchor": "a", "version": 2, "fields": {"a": {}}},
    {"start_anchor": "a", "other": 1, "fields": {"a": {}}},
    {"start_anchor": "a", "defaults": [], "fields": {"a": {}}},
    *(
        {"start_anchor": "a", "fields": {"a": field}}
        for field in (
            [],
            {"other": 1},
            {"content": "yaml"},
            {"open": 1},
            {"open": "a", "open_pattern": "b"},
            {"open_pattern": "(?P<x>a)"},
            {"join": "a"},
            {"join": 1, "repeats": True},
            {"transform_each": True},
            {"transform_each": 1, "transform": "{content}"},
            {"transform": "a {content}"},
            {"transform": {"a": ["x{b}"]}},
        )
    ),
]


@pytest.mark.parametrize("spec", MALFORMED, ids=repr)
def test_a_malformed_template_is_refused_as_there(spec: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_response_template(copy.deepcopy(spec))
    with pytest.raises(SpecError, match=r"^response_template"):
        ResponseTemplate(spec)


def test_a_missing_field_and_a_second_end() -> None:
    template = {"start_anchor": "a", "fields": {"x": {"open": "<", "optional": False}}}
    with pytest.raises(ValueError, match="'x' is missing"):
        parse_response("text", template, prefix="")
    parser = ResponseTemplateParser(TEMPLATES["hermes"], "")
    parser.finalize()
    with pytest.raises(ValueError, match="end"):
        parser.feed("a")
    with pytest.raises(ValueError, match="twice"):
        parser.finalize()
    with pytest.raises(TypeError):
        ResponseTemplateParser(TEMPLATES["hermes"], None)  # type: ignore[arg-type]


def test_an_output_that_is_nested_deeply_is_refused() -> None:
    text = "<tool_call>" + "[" * 100_000 + "</tool_call>"
    with pytest.raises(ValueError, match="json"):
        parse_response(text, TEMPLATES["hermes"], prefix="")
