"""Sampling at random under a constraint, and asking whether a text keeps to one.

``llguidance`` runs the grammars, over a vocabulary that a textcore tokenizer has.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import llguidance
import numpy as np

import textcore
from textcore import Tokenizer
from textcore.output.formats import NamedValue, OutputFormat, TaggedParameters

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
    *("<｜tool_call_begin｜>", "<｜tool_call_end｜>", "｜DSML｜", "<|open|>", "<|close|>", "<|sep|>"),
    *("<|tool_call:start|>", "<|tool_call:end|>", "<|tool_arg:start|>", "<|tool_arg:value|>"),
    *("<|tool_arg:end|>", "<|python_tag|>", "<|python_start|>", "<|python_end|>"),
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
        texts = []
        if isinstance(body, TaggedParameters):
            newline = "\n" if body.newline else ""
            texts += [newline + body.value_close, *(end for end, _ in body.key_ends)]
        if isinstance(body, NamedValue) and body.value not in ("json", "python"):
            texts += [body.value, ":"]
        texts += ['"', "'", "=", "}", "]", ")"]
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
