"""Models that no usual trainer makes and the reference loads: encodings beside its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.core.bytelevel import bytes_to_unicode

STAND_INS = bytes_to_unicode()
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
PAIRS = [("a", "b"), ("b", "a"), ("ab", "a"), ("Ã", "©"), ("a", "Ã"), ("Ġ", "a"), ("a", "</w>")]


def _spec(alphabet: list[str], pre_tokenizer: Any, **model: Any) -> dict[str, Any]:
    suffix = model.get("end_of_word_suffix", "")
    tokens = list(dict.fromkeys([*alphabet, *(char + suffix for char in alphabet[:2])]))
    merges = []
    # A merge continues a word, so it would need the prefix in its second part.
    for left, right in PAIRS if "continuing_subword_prefix" not in model else []:
        if left in tokens and right in tokens:
            merges.append([left, right])
            tokens.append(left + right)
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": pre_tokenizer,
        "model": {
            "type": "BPE",
            "vocab": {token: i for i, token in enumerate(dict.fromkeys(tokens))},
            "merges": merges,
            **model,
        },
    }


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
SPLIT = {"type": "WhitespaceSplit"}
SOME_BYTES = [STAND_INS[byte] for byte in b"ab " + "é日".encode()]
ODD = {
    "bytes are missing": _spec(SOME_BYTES, BYTE_LEVEL),
    "bytes are missing, words whole": _spec(SOME_BYTES, BYTE_LEVEL, ignore_merges=True),
    "bytes are missing, unknown": _spec(["<unk>", *SOME_BYTES], BYTE_LEVEL, unk_token="<unk>"),
    "bytes are missing, unknown fused": _spec(
        ["<unk>", *SOME_BYTES], BYTE_LEVEL, unk_token="<unk>", fuse_unk=True
    ),
    "characters are missing": _spec(["a", "b", "é"], None),
    "a suffix falls back": _spec(
        ["a", "b", "é", *BYTE_TOKENS], SPLIT, byte_fallback=True, end_of_word_suffix="</w>"
    ),
    "a prefix falls back": _spec(
        ["a", "b", "é", *BYTE_TOKENS], SPLIT, byte_fallback=True, continuing_subword_prefix="##"
    ),
    "words whole, with a suffix, behind a mark": _spec(
        ["▁", "a", "b", "▁</w>"],
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
        ignore_merges=True,
        end_of_word_suffix="</w>",
    ),
    "some bytes fall back": _spec(
        ["<unk>", "a", "b", *BYTE_TOKENS[:0xC4]], None, byte_fallback=True, unk_token="<unk>"
    ),
    "some bytes fall back, unknown fused": _spec(
        ["<unk>", "a", *BYTE_TOKENS[:0xC4]],
        None,
        byte_fallback=True,
        unk_token="<unk>",
        fuse_unk=True,
    ),
    "nothing": _spec([], BYTE_LEVEL),
}
texts = st.text(st.sampled_from("aabb c.éÜ日本€\u0301\n<#▁") | st.characters(), max_size=12)


@pytest.mark.parametrize("name", ODD)
@given(text=texts.filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)))
def test_an_encoding_of_an_odd_model(name, text):
    theirs = tokenizers.Tokenizer.from_str(json.dumps(ODD[name])).encode(text)
    tokenizer = Tokenizer(ODD[name])
    ours = tokenizer.encoding(text)
    assert tokenizer.encode(text) == theirs.ids
    assert (ours.ids, ours.tokens, ours.offsets, ours.word_ids) == (
        theirs.ids,
        theirs.tokens,
        theirs.offsets,
        theirs.word_ids,
    )


@pytest.mark.parametrize("method", ["encode", "count", "encoding", "bpe"])
def test_an_unknown_token_that_is_missing_is_named(method):
    tokenizer = Tokenizer(_spec(["a"], None, unk_token="<unk>"))
    assert tokenizer.encode("aa") == [0, 0]
    with pytest.raises(ValueError, match=r"model\.unk_token"):
        getattr(tokenizer, method)("b")
    assert tokenizer.encode("aa") == [0, 0]


@given(text=texts.filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)))
def test_the_words_of_a_pre_tokenizer_that_asks_where_a_piece_begins(text):
    first = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
    pre_tokenizer = {"type": "Sequence", "pretokenizers": [first, BYTE_LEVEL, first]}
    spec = _spec(SOME_BYTES, pre_tokenizer)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(spec)).pre_tokenizer
    expected = [word for word, _ in theirs.pre_tokenize_str(text)]
    assert Tokenizer(spec).pre_tokenize(text) == expected


INSERTING = [
    {"type": "Replace", "pattern": {"Regex": "^"}, "content": "x"},
    {"type": "Replace", "pattern": {"Regex": "c*"}, "content": "x"},
    {"type": "Prepend", "prepend": ""},
]


@pytest.mark.parametrize("normalizer", INSERTING)
@pytest.mark.parametrize("text", ["ab a", "a", "b a"])
def test_text_that_is_put_before_the_first_character(normalizer, text):
    """The reference's ByteLevel counts such a character twice, and panics or repeats text: its
    own normalizer and pre-tokenizer, one after the other, give what is given here."""
    vocab = {token: i for i, token in enumerate(["<unk>", *"abxcĠ", "ab", "Ġa"])}
    spec = {
        "added_tokens": [],
        "normalizer": normalizer,
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": True,
        },
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "vocab": vocab,
            "merges": [["a", "b"], ["Ġ", "a"]],
        },
    }
    expected = tokenizers.Tokenizer.from_str(json.dumps(spec))
    words = expected.pre_tokenizer.pre_tokenize_str(expected.normalizer.normalize_str(text))
    tokens = [token.value for word, _ in words for token in expected.model.tokenize(word)]
    ours = Tokenizer(spec)
    assert ours.encoding(text).tokens == tokens
    assert ours.encode(text) == ours.encoding(text).ids
    try:
        whole = expected.encode(text).tokens
    except BaseException as error:
        # Its panics are no Exception.
        whole = [type(error).__name__]
    assert whole != tokens


# A token that no merge makes: one id as a word, others as a piece of a long word.
UNMADE = _spec(
    [STAND_INS[byte] for byte in range(256)] + ["abc"],
    {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": r"\s+"},
                "behavior": "Isolated",
                "invert": False,
            },
            {**BYTE_LEVEL, "use_regex": False},
        ],
    },
    ignore_merges=True,
)


@given(st.lists(st.sampled_from(["abc", "abc" * 6, "ab", *"bcdefgh"]), max_size=40))
def test_a_word_that_is_a_token_and_a_piece_of_a_new_word(words):
    text = " ".join(words)
    tokenizer = Tokenizer(UNMADE)
    expected = tokenizers.Tokenizer.from_str(json.dumps(UNMADE)).encode(text).ids
    assert [tokenizer.encode(text), tokenizer.encode(text)] == [expected, expected]
