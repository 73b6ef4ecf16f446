"""Structural tags: their form as xgrammar documents it, and the outputs that they describe.

The engine itself imports ``torch``, so it is left to ``scripts/check_forcing.py --engine
xgrammar``. Here the tags are read back as regexes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from constrained import CONTROL, tools_for, with_control_tokens

from textcore import Tokenizer
from textcore.output.formats import FORMATS, OutputFormat
from textcore.output.tool_choice import tool_call_grammar

# docs/structural_tag/structural_tag.md of mlc-ai/xgrammar: each type's fields, and their types.
DOCUMENTED: dict[str, dict[str, type]] = {
    "const_string": {"value": str},
    "regex": {"pattern": str},
    "grammar": {"grammar": str},
    "token": {"token": int},
    "sequence": {"elements": list},
    "or": {"elements": list},
    "optional": {"content": dict},
    "plus": {"content": dict},
    "star": {"content": dict},
    "repeat": {"min": int, "max": int, "content": dict},
}
SMALL = [
    {
        "name": "look",
        "parameters": {
            "type": "object",
            "properties": {"at": {"type": "string"}, "times": {"type": "integer"}},
            "required": ["at", "times"],
        },
    },
    {"name": "now"},
]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return with_control_tokens()


def formats(tag: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A format and all that are in it."""
    yield tag
    for inner in [*tag.get("elements", ()), *([tag["content"]] if "content" in tag else ())]:
        yield from formats(inner)


FORCED = list(FORMATS)


@pytest.mark.parametrize("form", FORCED, ids=lambda form: form.name)
@pytest.mark.parametrize("choice", ["required", "auto", "none"])
def test_the_form_is_the_documented_one(tok: Tokenizer, form: OutputFormat, choice: str) -> None:
    tag = tool_call_grammar(
        tools_for(form), choice, format=form, tokenizer=tok, reasoning=True
    ).structural_tag
    assert json.loads(json.dumps(tag)) == tag
    assert tag.keys() == {"type", "format"}
    assert tag["type"] == "structural_tag"
    for one in formats(tag["format"]):
        fields = DOCUMENTED[one["type"]]
        assert one.keys() == {"type", *fields}
        for name, kind in fields.items():
            assert isinstance(one[name], kind)
        if one["type"] in ("sequence", "or"):
            assert one["elements"]
        if one["type"] == "token":
            assert 0 <= one["token"] < tok.vocab_size
        if one["type"] == "grammar":
            check_ebnf(one["grammar"])


LITERAL = r'"(?:[^"\\\n]|\\.)*"'
EBNF_WORD = re.compile(
    rf"{LITERAL}|Regex\({LITERAL}\)|Token\([0-9]+\)|[a-z][a-z0-9]*|[()|?*+ ]|{{[0-9,]+}}"
)


def check_ebnf(grammar: str) -> None:
    """docs/defining_structures/ebnf_grammar.md: every rule is defined once, nothing is unknown."""
    rules = {}
    for line in grammar.splitlines():
        name, _, body = line.partition(" ::= ")
        assert name not in rules
        rules[name] = EBNF_WORD.findall(body)
        assert "".join(rules[name]) == body
    assert "root" in rules
    for words in rules.values():
        for word in words:
            if re.fullmatch("[a-z][a-z0-9]*", word):
                assert word in rules


def test_regexes_have_the_escapes_that_are_known(tok: Tokenizer) -> None:
    for form in FORCED:
        tag = tool_call_grammar(
            tools_for(form), "required", format=form, tokenizer=tok
        ).structural_tag
        text = json.dumps(tag["format"])
        assert not re.search(r"(?<!\\)(?:\\\\\\\\)*\\\\[U&~]", text), form.name


def test_what_is_optional_is_counted_in_rules(tok: Tokenizer) -> None:
    # xgrammar takes a regex of EBNF that ends in an optional "ab*" to accept "b".
    for form in FORCED:
        tag = tool_call_grammar(
            tools_for(form), "required", format=form, tokenizer=tok
        ).structural_tag
        for one in formats(tag["format"]):
            for word in EBNF_WORD.findall(one.get("grammar", "")):
                if word.startswith("Regex"):
                    regex = re.sub(r"\\.|\[(\\.|[^\]\\])*\]|\(\?:", "", json.loads(word[6:-1]))
                    assert "?" not in regex, form.name


def test_a_recursive_schema_is_a_rule(tok: Tokenizer) -> None:
    tool = {
        "name": "f",
        "parameters": {"properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}},
    }
    tag = tool_call_grammar([tool], "required").structural_tag
    grammars = [one["grammar"] for one in formats(tag["format"]) if one["type"] == "grammar"]
    assert any(
        re.search(r"^(r[0-9]+) ::= .*\br[0-9]+", grammar, re.MULTILINE) for grammar in grammars
    )


def as_regex(tag: dict[str, Any], names: dict[int, str]) -> str:
    """A format without recursion as a regex, its control tokens as their texts."""
    kind = tag["type"]
    if kind == "const_string":
        return re.escape(tag["value"])
    if kind == "regex":
        return f"(?:{tag['pattern']})"
    if kind == "token":
        return re.escape(names[tag["token"]])
    if kind == "sequence":
        return "".join(as_regex(one, names) for one in tag["elements"])
    if kind == "or":
        return f"(?:{'|'.join(as_regex(one, names) for one in tag['elements'])})"
    if kind == "grammar":
        return f"(?:{rule_as_regex(tag['grammar'], 'root', names)})"
    inner = f"(?:{as_regex(tag['content'], names)})"
    if kind == "repeat":
        return inner + f"{{{tag['min']},{'' if tag['max'] < 0 else tag['max']}}}"
    return inner + {"optional": "?", "star": "*", "plus": "+"}[kind]


def rule_as_regex(grammar: str, name: str, names: dict[int, str]) -> str:
    """One rule of a grammar, the rules in it written out."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    parts = []
    for word in EBNF_WORD.findall(rules[name]):
        if word.startswith('"'):
            parts.append(re.escape(json.loads(word)))
        elif word.startswith("Regex"):
            parts.append(f"(?:{json.loads(word[6:-1])})")
        elif word.startswith("Token"):
            parts.append(re.escape(names[int(word[6:-1])]))
        elif word in rules:
            parts.append(f"(?:{rule_as_regex(grammar, word, names)})")
        elif word != " ":
            parts.append("(?:" if word == "(" else word)
    return "".join(parts)


OUTPUTS = {
    "hermes": (
        '<tool_call>\n{"name": "look", "arguments": {"at": "a\\n", "times": 2}}\n</tool_call>'
    ),
    "mistral": '[TOOL_CALLS]look[ARGS]{"at": "a", "times": 2}',
    "gpt-oss": (
        "<|channel|>commentary to=functions.look <|constrain|>json<|message|>"
        '{"at": "a", "times": 2}<|call|>'
    ),
    "deepseek_v31": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "gemma4": '<|tool_call>call:look{at:<|"|>a\n<|"|>,times:2}<tool_call|>',
    "qwen3_coder": (
        "<tool_call>\n<function=look>\n<parameter=at>\n<b>\n</parameter>\n"
        "<parameter=times>\n2\n</parameter>\n</function>\n</tool_call>"
    ),
    "pythonic": "[look(at='a', times=2), now()]",
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_tag_describes_calls_and_nothing_else(tok: Tokenizer, name: str) -> None:
    tag = tool_call_grammar(SMALL, "required", format=name, tokenizer=tok).structural_tag
    ids = {tok.token_to_id(text): text for text in (*CONTROL, *tok.added_tokens)}
    pattern = as_regex(tag["format"], {i: text for i, text in ids.items() if i is not None})
    assert re.fullmatch(pattern, OUTPUTS[name])
    assert not re.fullmatch(pattern, OUTPUTS[name].replace("look", "peek").replace("now", "then"))
    assert not re.fullmatch(pattern, "Well. " + OUTPUTS[name])
