"""Sampling at random under a constraint, and asking whether a text keeps to one.

``llguidance`` runs the grammars, over a vocabulary that a textcore tokenizer has. What is
sampled is read by ``OutputParser``, and its calls are checked by ``jsonschema``.
scripts/check_forcing.py does the same at length.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import llguidance
import numpy as np
from jsonschema import Draft202012Validator

import textcore
from textcore import Tokenizer
from textcore.output.formats import NamedValue, NestedElements, OutputFormat, TaggedParameters
from textcore.output.parser import OutputParser

# What the families' tokenizers have as control tokens, as far as calls and text need them.
CONTROL = (
    *("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"),
    *("<|tool_call|>", "<|START_ACTION|>", "<|END_ACTION|>", "<|START_RESPONSE|>"),
    *("<|END_RESPONSE|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_TEXT|>"),
    *("<|END_TEXT|>", "<|action_start|>", "<|action_end|>", "<|plugin|>", "<|role_sep|>"),
    *("<|message_sep|>", "<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>"),
    *("<|inner_suffix|>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁sep｜>"),
    *("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<|tool_calls_section_begin|>"),
    *("<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>"),
    *("<|tool_call_argument_begin|>", "<|start|>", "<|channel|>", "<|message|>", "<|call|>"),
    *("<|end|>", "<|return|>", "<|constrain|>", "<|channel>", "<channel|>", "<|tool_call>"),
    *("<tool_call|>", '<|"|>', "<|tool_response>", "<start_function_call>", "<escape>"),
    *("<end_function_call>", "<start_function_response>", "<|tool_call_start|>"),
    *("<|tool_call_end|>", "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", "<｜tool_sep｜>"),
    *(
        "<｜tool_call_begin｜>",
        "<｜tool_call_end｜>",
        "｜DSML｜",
        "<|open|>",
        "<|close|>",
        "<|sep|>",
    ),
    *("<|tool_call:start|>", "<|tool_call:end|>", "<|tool_arg:start|>", "<|tool_arg:value|>"),
    *("<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_calls|>"),
    *("<|calls|>", "<|begin|>", "<|think|>", "<|content|>", "<|function_call|>"),
    *("<|sep|>", "<|tool_arg:end|>", "<|python_tag|>", "<|python_start|>", "<|python_end|>"),
)

END = "<|the_end|>"
DEFAULT = Path(textcore.__file__).parent / "data" / "default" / "tokenizer.json"


def with_control_tokens(source: Path = DEFAULT, tokens: Iterable[str] = CONTROL) -> Tokenizer:
    """A tokenizer with these control tokens added to its own, and one that ends the output."""
    spec = json.loads(source.read_text(encoding="utf-8"))
    tok = Tokenizer.from_str(json.dumps(spec))
    known = tok.get_vocab()
    added = [token for token in dict.fromkeys((*tokens, END)) if token not in known]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    for index, token in enumerate(added, max(known.values()) + 1):
        spec["added_tokens"].append({"id": index, "content": token, **flags, "special": True})
    return Tokenizer.from_str(json.dumps(spec, ensure_ascii=False))


class Engine:
    """``llguidance`` over a tokenizer's vocabulary."""

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok
        end = tok.token_to_id(END)
        assert end is not None
        self.end = end
        self.tokens = tok.vocab_bytes()
        for content, index in tok.added_tokens.items():
            self.tokens[index] = content.encode()
        self._ll = llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Wrapped(self)))

    def matcher(self, lark: str) -> Any:
        made = llguidance.LLMatcher(self._ll, llguidance.LLMatcher.grammar_from_lark(lark))
        assert made.get_error() == "", made.get_error()
        return made

    def endings(self, form: OutputFormat) -> list[list[int]]:
        """What ends a value or a name in a format, as tokens, the surest first."""
        body = form.body
        texts = [*form.channels.ends] if form.channels else []
        if isinstance(body, TaggedParameters):
            newline = "\n" if body.newline else ""
            texts += [body.verbatim.close + body.value_close] if body.verbatim else []
            texts += [newline + body.value_close, *(end for end, _ in body.key_ends)]
        if isinstance(body, NestedElements):
            texts += [f"{body.mark}</"]
        if isinstance(body, NamedValue) and body.value not in ("json", "python"):
            texts += [body.value, ":"]
        texts += ['"', "'", "=", "}", "]", ")"]
        texts += [form.reasoning.close] if form.reasoning else []
        return [self.tok.encode(text) for text in texts]

    def sample(
        self, lark: str, rng: random.Random, endings: list[list[int]], limit: int = 4000
    ) -> list[int]:
        """Token ids chosen at random among those allowed, to the end of the output.

        One time in four it is tried to end something, and after ``limit // 8`` tokens always,
        so that samples end.
        """
        state = self.matcher(lark)
        ids: list[int] = []
        while len(ids) < limit:
            allowed = np.frombuffer(state.compute_logit_bias(), np.uint8)[: len(self.tokens)]
            choices = np.flatnonzero(allowed)
            assert len(choices), ("nothing is allowed", self.tok.decode(ids))
            hurried = len(ids) > limit // 8
            if allowed[self.end] and (hurried or len(choices) == 1 or rng.random() < 0.3):
                return ids
            chosen = [int(choices[rng.randrange(len(choices))])]
            if hurried or rng.random() < 0.25:
                fitting = [e for e in endings if state.validate_tokens(e) == len(e)]
                if fitting:
                    chosen = fitting[0] if rng.random() < 0.7 else rng.choice(fitting)
            if chosen != [self.end]:
                assert state.consume_tokens(chosen), state.get_error()
                ids += chosen
        raise AssertionError(f"no end in sight: {self.tok.decode(ids)[-2000:]!r}")

    def accepts(self, lark: str, ids: Sequence[int]) -> tuple[bool, str]:
        """Whether an output is allowed; and how much of it is."""
        state = self.matcher(lark)
        taken = state.try_consume_tokens(list(ids))
        done = taken == len(ids) and state.is_accepting()
        return done, self.tok.decode(ids[:taken])


class _Wrapped:
    """What llguidance asks of a tokenizer."""

    bos_token_id = None

    def __init__(self, engine: Engine) -> None:
        self.eos_token_id = engine.end
        self.tokens = engine.tokens
        self.special_token_ids = engine.tok.special_ids
        self._tok = engine.tok

    def __call__(self, text: str | bytes) -> list[int]:
        shown = text if isinstance(text, str) else text.decode()
        return self._tok.encode(shown, allowed_special=())


def calls_of(
    tok: Tokenizer, form: OutputFormat, tools: Any, ids: Sequence[int], prompt: str | None = None
) -> list[tuple[str, Any]]:
    """The calls that an output's tokens are, nothing else being in it but reasoning."""
    parser = OutputParser(True, tools, format=form, tokenizer=tok, prompt=prompt)
    found: list[list[str]] = []
    for delta in parser.feed_ids(ids, final=True):
        assert "content" not in delta, (delta, tok.decode(ids))
        for part in delta.get("tool_calls", ()):
            if "id" in part:
                found.append([part["function"]["name"], ""])
            found[part["index"]][1] += part["function"]["arguments"]
    assert not parser.incomplete, tok.decode(ids)
    return [(name, json.loads(arguments)) for name, arguments in found]


def check_calls(calls: Sequence[tuple[str, Any]], tools: Sequence[Any]) -> None:
    """Every call is of one of the tools, and its arguments satisfy the tool's schema."""
    functions = {f["name"]: f for f in (tool.get("function", tool) for tool in tools)}
    for name, arguments in calls:
        schema = functions[name].get("parameters") or {"maxProperties": 0}
        Draft202012Validator(schema).validate(arguments)


def _object(**properties: Any) -> dict[str, Any]:
    """An object of which the first property is required."""
    return {"type": "object", "properties": properties, "required": [*properties][:1]}


_NODE = {
    "oneOf": [
        {"type": "null"},
        {
            "type": "object",
            "properties": {
                "v": {"type": "string"},
                "left": {"$ref": "#/$defs/node"},
                "right": {"$ref": "#/$defs/node"},
            },
            "required": ["v"],
            "additionalProperties": False,
        },
    ]
}

SCHEMAS: dict[str, Any] = {
    "types": _object(
        a={"type": ["string", "null", "number", "boolean"]},
        b={"anyOf": [{"type": "string", "maxLength": 6}, {"type": "null"}]},
        c={"type": ["string", "integer"], "minLength": 2},
        d={"type": "boolean"},
    ),
    "strings": _object(
        a={"type": "string", "pattern": "^[a-z]{2,4}-[0-9]+$"},
        b={"type": "string", "minLength": 1},
        c={"anyOf": [{"type": "string", "format": "date-time"}, {"type": "integer"}]},
        d={"type": "string", "format": "uuid"},
        e={"type": "string", "minLength": 1, "maxLength": 3},
    ),
    "anything": _object(a={}, b={"type": "object"}, c={"type": "array", "items": {}}, d=True),
    "map": {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "additionalProperties": {"type": ["integer", "string"]},
    },
    "named_by_pattern": {
        "type": "object",
        "properties": {"z": {"type": "null"}},
        "patternProperties": {"^k": {"type": "integer"}, "^s_": {"type": "string"}},
        "additionalProperties": False,
    },
    "tree": {**_object(root={"$ref": "#/$defs/node"}), "$defs": {"node": _NODE}},
    "itself": {
        "type": "object",
        "properties": {
            "q": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#"}, "maxItems": 2},
        },
    },
    "merged": {
        "allOf": [{"$ref": "#/$defs/p"}, {"properties": {"x": {"maximum": 5}}}],
        "$defs": {
            "p": {
                "type": "object",
                "properties": {
                    "x": {"type": "integer", "minimum": 0},
                    "next": {"anyOf": [{"$ref": "#/$defs/p"}, {"type": "null"}]},
                },
                "required": ["x"],
            }
        },
    },
    "one_or_the_other": {
        "anyOf": [
            {**_object(t={"const": "a"}, v={"type": "integer"}), "required": ["t", "v"]},
            _object(t={"const": "b"}, w={"type": "array", "items": {"type": "string"}}),
        ]
    },
    "values": _object(
        a={"enum": ["x", "true story", None, 7, True, [1, {"k": "v"}], {"a": "b"}]},
        b={"const": {"deep": ["q", None]}},
        c={"enum": [1.5, 2, "z z"]},
    ),
    "numbers": _object(
        a={"type": "number", "minimum": -1.5, "exclusiveMaximum": 2},
        b={"type": "integer", "multipleOf": 5},
        c={"type": "number", "multipleOf": 0.25, "minimum": 0, "maximum": 10},
    ),
    "leaf_or_branch": _object(
        t={
            "anyOf": [
                {**_object(leaf={"type": "integer"}), "additionalProperties": False},
                {
                    **_object(kids={"type": "array", "items": {"$ref": "#/properties/t"}}),
                    "additionalProperties": False,
                },
            ]
        }
    ),
    "arrays": _object(
        a={
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "integer"}],
            "items": False,
            "minItems": 1,
        },
        b={
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}},
            "maxItems": 3,
        },
    ),
}
"""Arguments of many kinds, by the name of the tool that takes them."""

TOOLS: list[dict[str, Any]] = [
    *({"name": name, "parameters": schema} for name, schema in SCHEMAS.items()),
    {"name": "now"},
]


def tools_for(form: OutputFormat) -> list[dict[str, Any]]:
    """Those whose arguments a format can write.

    An element's closing tag repeats its name, which no grammar can do with a name that only a
    rule describes.
    """
    ruled = ("map", "named_by_pattern") if isinstance(form.body, NestedElements) else ()
    return [tool for tool in TOOLS if tool["name"] not in ruled]
