"""Texts of a few words, which are encoded in one step where nothing about them is rare."""

from __future__ import annotations

import inspect
import json
from functools import cache

import pytest
import tokenizers
import trained
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.core.encode import Encoder


@cache
def spaced() -> tokenizers.Tokenizer:
    """As Mistral's is: no split, spaces as ▁ and one before the text."""
    spec = json.loads(trained.sentencepiece_style().to_str())
    spec["normalizer"] = None
    spec["pre_tokenizer"] = {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": "first",
        "split": False,
    }
    return tokenizers.Tokenizer.from_str(json.dumps(spec))


FAMILIES = {**trained.FAMILIES, "spaced": spaced}
families = pytest.mark.parametrize("family", FAMILIES)
one_step = pytest.mark.parametrize("family", ["qwen", "sentencepiece", "spaced"])
PIECES = [
    "<|im_end|>", "<think>", "</s>", "<", "it's", "'LL", "the", "quick", " ", "  ", "\n", "\r\n",
    "\t", ",", ".", "12345", "\x00", "x" * 31, "y" * 32, "é", "中国", "don't",
]  # fmt: skip
short = st.lists(st.sampled_from(PIECES) | st.text("ab Z9_-", max_size=5), max_size=14).map(
    lambda pieces: "".join(pieces)[:70]
)


@cache
def ours(family: str) -> Tokenizer:
    return Tokenizer.from_str(FAMILIES[family]().to_str())


def encoder_of(tokenizer: Tokenizer) -> Encoder:
    assert tokenizer._encoder is not None
    return tokenizer._encoder


def at_once(tokenizer: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text that has been met before, if it is encoded in one step."""
    tokenizer.encode(text)
    return encoder_of(tokenizer).encode_at_once(text, None, None)


@families
@settings(max_examples=300)
@given(text=short)
def test_ids(family, text):
    expected = FAMILIES[family]().encode(text, add_special_tokens=False).ids
    tokenizer = ours(family)
    assert tokenizer.encode(text) == expected
    # Its words are remembered now.
    assert tokenizer.encode(text) == expected
    assert tokenizer.count(text) == len(expected)
    assert tokenizer.encode_batch([text]) == [expected]


@one_step
@given(text=short)
def test_one_step_is_taken_back_or_right(family, text):
    tokenizer = ours(family)
    found = at_once(tokenizer, text)
    assert found is None or found == tokenizer.encode(text, allowed_special="none")


@one_step
@pytest.mark.parametrize("text", ["the", "the quick, brown", "the quick fox"])
def test_usual_texts_take_one_step(family, text):
    tokenizer = ours(family)
    # The processor may lack what it needs, or be told to.
    assert (at_once(tokenizer, text) is not None) == encoder_of(tokenizer).has_quick_way


@one_step
@pytest.mark.parametrize("size", [63, 64, 65])
def test_the_longest_texts(family, size):
    text = ("the quick fox, " * 5)[:size]
    expected = FAMILIES[family]().encode(text, add_special_tokens=False).ids
    assert ours(family).encode(text) == ours(family).encode(text) == expected


def test_the_end_of_a_text_begins_no_added_token():
    tokenizer = ours("qwen")
    for text in ("the <", "the <t", "<|im_en", "<think>", "<|im_end|> the"):
        expected = FAMILIES["qwen"]().encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text) == tokenizer.encode(text) == expected


def test_lists_are_the_callers_own():
    tokenizer = ours("qwen")
    first, second = tokenizer.encode("the quick"), tokenizer.encode("the quick")
    first.append(1)
    assert second == tokenizer.encode("the quick")


@pytest.mark.parametrize("text", ["", "the quick"])
def test_a_kind_of_str(text):
    class Text(str):
        pass

    assert ours("qwen").encode(Text(text)) == ours("qwen").encode(text)


def test_the_signature_can_be_asked_for():
    assert str(inspect.signature(Tokenizer.encode)) == (
        "(self, /, text, *, add_special_tokens=False, allowed_special='all')"
    )
