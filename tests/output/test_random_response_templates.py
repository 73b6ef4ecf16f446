"""Response templates made at random against ``transformers``: the same messages and regions."""

from __future__ import annotations

import copy
import random
from functools import partial
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_response_templates import TOOLS, run
from transformers.utils.chat_parsing.response_parser import ResponseParser as Reference

from textcore.errors import SpecError, TextError
from textcore.output.templates import ResponseTemplate, ResponseTemplateParser

LITERALS = [
    *("<t>", "</t>", "<call>", "</call>", "\n", "<", ">>", "[[", "]]", "<a", "<a>", "aa", "a"),
    *("call:", '{"', '"}', ";", "<|x|>", "<|x", "|>", " "),
]
# None that matches nothing: two of those at one place make the reference go round for ever.
PATTERNS = [
    *(r"<(?P<name>\w+)>", r"</\w+>", r"\n+", r"call:\s*(?P<name>\w+)\s*", r"[ab]+", r"\d+;?"),
    *(r"</call>\s*", r"a+?b", r"<call>(?=\{)", r"(?<=>)\n", r"(?:<t>){2,}"),
]
CONTENTS = [
    *("text", "text", "text", "int", "float", "bool", "json", "json"),
    *("xml-inline", "kv-lines", "python-call-list"),
]
TAGS = [r"<p=(?P<key>\w+)>(?P<value>.*?)</p>", r"(?P<key>\w+)=(?P<value>\w*)", r"<(?P<key>\w+)>"]
TRANSFORMS: list[Any] = [
    *("{content}", "{name}", "fixed", 3, {"x": "{missing}"}),
    {"type": "function", "function": "{content}"},
    {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    {"n": "{content.name}", "a": ["{content.arguments}", 1]},
]
TEXTS = [
    *("a", "b", "ab", "\n", " ", "5", "3.0", "true", "1;", "null", "[1]", "{a: 1}", "k: v", "k=v"),
    *('{"name": "f", "arguments": {"b": "7", "d": "[]"}}', "[f(a=1), g()]", "k: 1\nj: 2"),
    *("<p=a>1</p>", "<p=a>x</p><p=a>2</p>", "call: f ", "{", "}", '"', "`q`", "<|s|>", "é漢"),
    *("\u2028", "\x01", "1e5", "-1", "nan", "1_0", "True", "٣", "0x1", '"\\ud800"', "NaN"),
]


def field(chance: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for side in ("open", "close"):
        kind = chance.random()
        if kind < 0.35:
            made[side] = chance.choice(LITERALS)
        elif kind < 0.6:
            made[side] = [chance.choice(LITERALS) for _ in range(chance.randint(1, 3))]
        elif kind < 0.8:
            made[f"{side}_pattern"] = chance.choice(PATTERNS)
    content = made["content"] = chance.choice(CONTENTS)
    options: dict[str, Any] = {"strip": chance.random() < 0.5}
    if content == "json":
        options = {
            "allow_non_json": chance.random() < 0.5,
            "unquoted_keys": chance.random() < 0.4,
            "string_delims": [["<|", "|>"]] if chance.random() < 0.4 else [],
        }
    if content in ("kv-lines", "xml-inline") and chance.random() < 0.5:
        options["value_parser"] = {"name": chance.choice(["json", "int", "text", "bool"])}
    if content == "xml-inline":
        options |= {"tag_pattern": chance.choice(TAGS), "merge_duplicates": chance.random() < 0.5}
    made["content_args"] = options
    made["repeats"] = chance.random() < 0.5
    if chance.random() < 0.2:
        made["join"] = chance.choice(["|", "", " "])
    if chance.random() < 0.2:
        made["optional"] = chance.random() < 0.6
    if chance.random() < 0.5:
        made["transform"] = chance.choice(TRANSFORMS)
        made["transform_each"] = chance.random() < 0.2
    return made


def spec(chance: random.Random) -> dict[str, Any]:
    names = chance.sample(
        ["content", "reasoning_content", "tool_calls", "x"], chance.randint(1, 4)
    )
    return {
        "start_anchor": chance.choice(["<s>", "<s>\n", ["<s>", "<s>a"]]),
        "fields": {name: field(chance) for name in names},
        "defaults": chance.choice([{}, {"role": "assistant"}, {"y": []}]),
    }


def text(chance: random.Random, template: dict[str, Any]) -> str:
    """Text with much of what the template looks for."""
    known = ["<t>"]
    for one in template["fields"].values():
        for side in ("open", "close"):
            found = one.get(side, [])
            known += [found] if isinstance(found, str) else found
    return "".join(
        chance.choice(known if chance.random() < 0.45 else TEXTS)
        for _ in range(chance.randint(0, 10))
    )


@hypothesis.settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_messages_and_regions_are_those_of_transformers(seed: int) -> None:
    chance = random.Random(seed)
    template = spec(chance)
    try:
        Reference(copy.deepcopy(template), "")
    except ValueError:
        with pytest.raises(SpecError):
            ResponseTemplate(template)
        return
    for _ in range(4):
        output = text(chance, template)
        prefix = chance.choice(["", "<s>", "<s>a", "u<s>\n" + text(chance, template)])
        tools = chance.choice([None, TOOLS])
        size = chance.randint(1, 5)
        pieces = [output[at : at + size] for at in range(0, len(output), size)]
        for cut in ([output], list(output), pieces):
            reference = partial(Reference, copy.deepcopy(template), prefix, tools=tools)
            ours = partial(ResponseTemplateParser, template, prefix, tools=tools)
            assert repr(run(ours, cut)) == repr(run(reference, cut))


@pytest.mark.parametrize("options", [{}, {"join": "|"}])
def test_a_default_that_values_cannot_be_added_to_is_refused(options: dict[str, Any]) -> None:
    template = {
        "start_anchor": "<s>",
        "defaults": {"x": {}},
        "fields": {"x": {"open": "<x>", "close": "</x>", "repeats": True, **options}},
    }
    with pytest.raises(TextError, match=r"defaults\.x: expected a"):
        ResponseTemplateParser(template, "").feed("<x>a</x>")


def test_a_region_that_opens_and_closes_on_nothing_is_refused() -> None:
    template = {
        "start_anchor": "<s>",
        "fields": {"x": {"open_pattern": "(?<=>)", "close_pattern": r"\b|$"}},
    }
    with pytest.raises(TextError, match=r"fields\.x: opens and closes again and again"):
        ResponseTemplateParser(template, "").feed("<a>b c")
