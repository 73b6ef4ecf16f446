"""Places found out from ids: the reference's, and without the way that carries alignments."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from trained import CORPUS, FAMILIES, HARD

from textcore import Tokenizer
from textcore.pipeline.aligned import AlignedPath

FIELDS = (
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "special_tokens_mask",
    "sequence_ids",
)
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = list("abcdeu▁")
PIECES = ["ab", "cd", "abc", "▁a", "▁ab", "de", "<unk>", "é", "日"]


def metaspace(scheme: str, split: bool) -> dict[str, Any]:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


def bpe(**model: Any) -> dict[str, Any]:
    tokens = ["<unk>", *LETTERS, *BYTE_TOKENS, "ab", "cd", "abc", "▁a", "▁ab"]
    merges = [["a", "b"], ["c", "d"], ["ab", "c"], ["▁", "a"], ["▁", "ab"]]
    vocab = {token: index for index, token in enumerate(tokens)}
    return {"type": "BPE", "vocab": vocab, "merges": merges, "unk_token": "<unk>", **model}


def unigram(**model: Any) -> dict[str, Any]:
    pieces = ["<unk>", *LETTERS, *PIECES[:-3], "é", *(BYTE_TOKENS if model else [])]
    scores = [[piece, -1.0 - index / 8] for index, piece in enumerate(pieces)]
    return {"type": "Unigram", "vocab": scores, "unk_id": 0, **model}


WORDPIECE = {
    "type": "WordPiece",
    "vocab": {
        token: index
        for index, token in enumerate(
            ["[UNK]", "a", "b", "ab", "##b", "##c", "##ab", "##", "e", "##e", "日", "##日", "##bc"]
        )
    },
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 6,
}
SUFFIXED = {
    "type": "BPE",
    "vocab": {
        t: i for i, t in enumerate(["<unk>", *"abc", "a</w>", "b</w>", "c</w>", "ab", "ab</w>"])
    },
    "merges": [["a", "b"], ["a", "b</w>"]],
    "unk_token": "<unk>",
    "end_of_word_suffix": "</w>",
}
BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}


def sequence(*normalizers: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(normalizers)}


def replace(text: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


PREPEND = {"type": "Prepend", "prepend": "▁"}
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
STRIP = {"type": "Strip", "strip_left": True, "strip_right": True}
# (normalizer, pre-tokenizer, model)
PIPELINES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "byte fallback": (
        sequence(PREPEND, replace(" ", "▁")),
        None,
        bpe(fuse_unk=True, byte_fallback=True),
    ),
    "metaspace first": (None, metaspace("first", False), bpe(fuse_unk=True, byte_fallback=True)),
    "metaspace always, split": (None, metaspace("always", True), bpe()),
    "metaspace never": ({"type": "NFKC"}, metaspace("never", True), bpe(fuse_unk=True)),
    "spaces replaced": (sequence(SPACES, STRIP), metaspace("always", True), unigram()),
    "unigram": (
        sequence({"type": "NFKD"}, {"type": "StripAccents"}),
        metaspace("always", True),
        unigram(),
    ),
    "unigram, bytes": (None, metaspace("always", True), unigram(byte_fallback=True)),
    "unigram, whole": ({"type": "Nmt"}, None, unigram()),
    "wordpiece": (BERT, {"type": "BertPreTokenizer"}, WORDPIECE),
    "wordpiece, spaces": (None, {"type": "WhitespaceSplit"}, WORDPIECE),
    "suffixes": ({"type": "Lowercase"}, {"type": "WhitespaceSplit"}, SUFFIXED),
    "deleted": (replace("b", ""), {"type": "Whitespace"}, bpe()),
    "longer": (replace("a", "ab"), {"type": "Whitespace"}, bpe()),
}
ADDED = [
    {"content": "<x>", "lstrip": True, "rstrip": True, "normalized": False},
    {"content": "<y>", "lstrip": False, "rstrip": True, "normalized": True},
    {"content": "cad", "single_word": True, "normalized": True},
]


def spec(name: str) -> dict[str, Any]:
    normalizer, pre_tokenizer, model = PIPELINES[name]
    size = len(model["vocab"])
    defaults = {"single_word": False, "lstrip": False, "rstrip": False, "special": True}
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": size + index, **defaults, **token} for index, token in enumerate(ADDED)
        ],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<x>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "<y>", "type_id": 1}},
            ],
            "pair": [
                {"Sequence": {"id": "B", "type_id": 1}},
                {"SpecialToken": {"id": "<x>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "special_tokens": {
                name: {"id": name, "ids": [size + index], "tokens": [name]}
                for index, name in enumerate(["<x>", "<y>"])
            },
        },
        "model": model,
    }


TOKENIZERS = {
    name: (Tokenizer(spec(name)), tokenizers.Tokenizer.from_str(json.dumps(spec(name))))
    for name in PIPELINES
}
parts = st.sampled_from(
    [*"aabbcde", " ", "  ", "▁", "é", "e\u0301", "日本", "ﬁ", "\n", "<x>", "##"]
)
more = st.sampled_from(["<y>", "##", "cad", " <x>  ", "\u200b", "\x00", "🙂", "Ab", "</w>"])
texts = st.lists(parts | more | st.characters(codec="utf-8"), max_size=12).map("".join)


@pytest.mark.parametrize("name", PIPELINES)
@given(text=texts, pair=st.none() | texts)
def test_the_same_as_the_reference(name: str, text: str, pair: str | None) -> None:
    ours, theirs = TOKENIZERS[name]
    found, expected = ours.encoding(text, pair), theirs.encode(text, pair)
    for field in FIELDS:
        assert (field, getattr(found, field)) == (field, getattr(expected, field))


@pytest.mark.parametrize("name", PIPELINES)
@given(words=st.lists(texts, max_size=4))
def test_words_that_are_given(name: str, words: list[str]) -> None:
    ours, theirs = TOKENIZERS[name]
    found = ours.encoding(words, is_pretokenized=True)
    expected = theirs.encode(words, is_pretokenized=True)
    for field in FIELDS:
        assert (field, getattr(found, field)) == (field, getattr(expected, field))


def _no_way(self: AlignedPath, text: str, *arguments: object) -> object:
    raise AssertionError(f"alignments were carried for {text!r}")


@pytest.mark.parametrize("name", PIPELINES)
def test_nothing_is_left_to_the_slower_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AlignedPath, "_tokenized", _no_way)
    tokenizer = TOKENIZERS[name][0]
    for text in (*CORPUS[:10], *HARD, "ab <x> cad é日本 <y>"):
        assert len(tokenizer.encoding(text, text).offsets) == len(tokenizer.encoding(text, text))


def test_byte_level(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = FAMILIES["qwen"]()
    tokenizer = Tokenizer.from_str(trained.to_str())
    monkeypatch.setattr(AlignedPath, "_tokenized", _no_way)
    for text in (*CORPUS[:10], *HARD):
        found, expected = tokenizer.encoding(text), trained.encode(text)
        assert [getattr(found, f) for f in FIELDS] == [getattr(expected, f) for f in FIELDS]


def roberta(trim: bool, prefixed: bool) -> dict[str, Any]:
    ends = {"sep": ["</s>", 2], "cls": ["<s>", 0]}
    return {
        "type": "RobertaProcessing",
        "trim_offsets": trim,
        "add_prefix_space": prefixed,
        **ends,
    }


@pytest.mark.parametrize("prefixed", [True, False])
@pytest.mark.parametrize("trims", [1, 2])
def test_trimmed_offsets(trims: int, prefixed: bool) -> None:
    described = json.loads(FAMILIES["qwen"]().to_str())
    first = {
        "type": "ByteLevel",
        "add_prefix_space": not prefixed,
        "trim_offsets": True,
        "use_regex": True,
    }
    processors = [first, roberta(True, prefixed)][-trims:]
    described["post_processor"] = {"type": "Sequence", "processors": processors}
    described["added_tokens"].append(
        {"id": 9000, "content": " <x>", "single_word": False, "lstrip": False, "rstrip": True}
        | {"normalized": False, "special": True}
    )
    theirs = tokenizers.Tokenizer.from_str(json.dumps(described))
    ours = Tokenizer(described)
    assert ours._pipeline.aligned.quick.frame(True) is not None
    for text in (*CORPUS[:10], *HARD, "  a  <x>  b \n", " <x>"):
        for pair in (None, " a"):
            found, expected = ours.encoding(text, pair), theirs.encode(text, pair)
            assert [getattr(found, f) for f in FIELDS] == [getattr(expected, f) for f in FIELDS]


@pytest.mark.parametrize("family", ["gpt2"])
def test_a_pre_tokenizer_in_python_is_left_to_the_other_way(family: str) -> None:
    assert Tokenizer.from_str(FAMILIES[family]().to_str())._pipeline.aligned.finder is None
