"""WordPiece, WordLevel and Unigram, against the reference: trained models and made-up ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import tokenizers
import trained
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers
from unicode_tables.graphemes import charsmap

from textcore import Tokenizer
from textcore.errors import SpecError, TextcoreError

FIELDS = (
    "ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask",
    "word_ids", "sequence_ids",
)  # fmt: skip


def bert() -> tokenizers.Tokenizer:
    """WordPiece as BERT has it."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=600,
        limit_alphabet=200,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(trained.CORPUS, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def xlm() -> tokenizers.Tokenizer:
    """Unigram as XLM-RoBERTa has it, with a compiled normalization."""
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=500, special_tokens=["<s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(trained.CORPUS, trainer)
    spec = json.loads(tokenizer.to_str())
    replaced = {"\t": " ", "\n": " ", "\r": " ", "\u3000": " ", "e\u0301": "é", "ﬁ": "fi"}
    spec["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap(replaced)}
    return tokenizers.Tokenizer.from_str(json.dumps(spec))


def t5() -> tokenizers.Tokenizer:
    """Unigram with byte fallback, behind two splits."""
    spec = json.loads(xlm().to_str())
    spec["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        ],
    }
    spec["model"]["vocab"] += [[f"<0x{byte:02X}>", -20.0] for byte in range(0x80, 0x100)]
    spec["model"]["byte_fallback"] = True
    return tokenizers.Tokenizer.from_str(json.dumps(spec))


def words() -> tokenizers.Tokenizer:
    """WordLevel behind Whitespace."""
    tokenizer = tokenizers.Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(
        vocab_size=90, special_tokens=["<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(trained.CORPUS, trainer)
    return tokenizer


FAMILIES: dict[str, Callable[[], tokenizers.Tokenizer]] = {
    name: cache(make)
    for name, make in (("bert", bert), ("xlm", xlm), ("t5", t5), ("words", words))
}
families = pytest.mark.parametrize("family", FAMILIES)
PIECES = [
    "the ",
    "quick",
    "[UNK]",
    "<unk>",
    "fox",
    "  ",
    "\n",
    "中国",
    "é",
    "e\u0301",
    "ﬁ",
    "▁",
    "_",
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=10).map("".join)


@cache
def ours(family: str) -> Tokenizer:
    return Tokenizer.from_str(FAMILIES[family]().to_str())


def check(tokenizer: Tokenizer, reference: tokenizers.Tokenizer, text: str) -> None:
    expected = reference.encode(text)
    got = tokenizer.encoding(text)
    for name in FIELDS:
        assert getattr(got, name) == getattr(expected, name), name
    plain = reference.encode(text, add_special_tokens=False).ids
    assert tokenizer.encode(text) == plain
    assert tokenizer.encode(text) == plain, "from the cache"
    assert tokenizer.decode(plain) == reference.decode(plain, skip_special_tokens=False)


@families
@pytest.mark.parametrize("text", trained.HARD, ids=range(len(trained.HARD)))
def test_hard_strings(family, text):
    check(ours(family), FAMILIES[family](), text)


@families
@given(text=texts)
def test_texts(family, text):
    check(ours(family), FAMILIES[family](), text)


@families
def test_no_regex_and_no_python_on_the_way(family):
    assert ours(family).split_engine == "automaton"


@families
def test_the_vocabulary(family):
    reference, tokenizer = FAMILIES[family](), ours(family)
    assert tokenizer.vocab_size == reference.get_vocab_size()
    assert tokenizer.get_vocab() == reference.get_vocab()
    ids = range(-1 + reference.get_vocab_size() + 2)
    assert [tokenizer.id_to_token(i) for i in ids] == [reference.id_to_token(i) for i in ids]


# ------------------------------------------------------------ made-up models

short = st.text("ab#▁é", max_size=4)
words_of_few = st.text("abc#▁é日 \n", max_size=14)


def pair(model: dict[str, Any], **parts: Any) -> tuple[Tokenizer, tokenizers.Tokenizer]:
    spec = {"version": "1.0", "added_tokens": [], "model": model, **parts}
    return Tokenizer(spec), tokenizers.Tokenizer.from_str(json.dumps(spec))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or that it fails."""
    try:
        return call()
    except Exception:
        return "an error"


def compare(model: dict[str, Any], text: str, **parts: Any) -> None:
    tokenizer, reference = pair(model, **parts)
    expected = outcome(lambda: reference.encode(text))
    if expected == "an error":
        for call in (tokenizer.encode, tokenizer.encoding):
            with pytest.raises(ValueError, match=r"needed|not in the vocabulary"):
                call(text)
        return
    got = tokenizer.encoding(text)
    assert [getattr(got, name) for name in FIELDS] == [getattr(expected, name) for name in FIELDS]
    assert tokenizer.encode(text) == expected.ids


SPLITS = [
    None,
    {"type": "WhitespaceSplit"},
    {"type": "BertPreTokenizer"},
    {"type": "FixedLength", "length": 3},
    *[
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme in ("always", "first", "never")
        for split in (True, False)
    ],
]
splits = st.sampled_from(SPLITS)


@given(
    vocab=st.dictionaries(short | st.just("[UNK]"), st.integers(0, 9), max_size=12),
    prefix=st.sampled_from(["##", "", "#", "é"]),
    limit=st.sampled_from([0, 1, 3, 100, 2**64 - 1]),
    split=splits,
    text=words_of_few,
)
@settings(max_examples=400)
def test_wordpiece(vocab, prefix, limit, split, text):
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": limit,
        "vocab": vocab,
    }
    compare(model, text, pre_tokenizer=split)


@given(
    vocab=st.dictionaries(short | st.just("<u>"), st.integers(0, 9), max_size=12),
    split=splits,
    text=words_of_few,
)
@settings(max_examples=200)
def test_wordlevel(vocab, split, text):
    model = {"type": "WordLevel", "unk_token": "<u>", "vocab": vocab}
    compare(model, text, pre_tokenizer=split)


@pytest.mark.parametrize("scheme", ["always", "first", "never"])
@given(
    normalizer=st.sampled_from(
        [
            {"type": "Lowercase"},
            {"type": "Prepend", "prepend": " "},
            {"type": "Strip", "strip_left": True, "strip_right": True},
            {"type": "Replace", "pattern": {"String": "b"}, "content": "▁"},
            {"type": "Replace", "pattern": {"String": " a"}, "content": ""},
        ]
    ),
    text=st.text("ab▁A ", max_size=8).map(lambda text: text.replace("A", "[X]")),
)
@settings(max_examples=100)
def test_metaspace_after_a_normalizer(scheme, normalizer, text):
    """Where the text starts, seen through normalizers and added tokens."""
    vocab = {token: index for index, token in enumerate(["<u>", "▁", "a", "b", "▁a", "▁b", "[X]"])}
    added = {"id": 6, "content": "[X]", "special": True, "normalized": False}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    compare(
        {"type": "WordLevel", "unk_token": "<u>", "vocab": vocab},
        text,
        added_tokens=[{**added, **flags}],
        normalizer=normalizer,
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme},
    )


# Scores that tie, that tie but for rounding, and that make unknown characters cheap.
scores = st.sampled_from(
    [0.0, -1.0, -2.0, -0.1, -0.2, -0.30000000000000004, 0.3, 7.5, 40.0, 1e300]
)
pieces = st.lists(st.tuples(st.text("ab▁é", max_size=5) | st.just("<u>"), scores), max_size=12)
byte_pieces = st.lists(st.sampled_from([0x63, 0xC3, 0xA9, 0x0A, 0x61]), max_size=5, unique=True)


@st.composite
def unigrams(draw: Callable[[Any], Any]) -> dict[str, Any]:
    vocab = [list(piece) for piece in draw(pieces)]
    vocab += [[f"<0x{byte:02X}>", draw(scores)] for byte in draw(byte_pieces)]
    unk = draw(st.none() | st.integers(0, len(vocab) - 1)) if vocab else None
    return {
        "type": "Unigram",
        "vocab": vocab,
        "unk_id": unk,
        "byte_fallback": draw(st.booleans()),
    }


@given(model=unigrams(), split=splits, text=st.text("abcé▁<u> \n日", max_size=14))
@settings(max_examples=600)
@example(  # two unknown characters together are a known piece
    model={
        "type": "Unigram",
        "vocab": [["<u>", 0.0], ["cc", 40.0], ["z", 39.0]],
        "unk_id": 0,
        "byte_fallback": False,
    },
    split=None,
    text="ccc",
)
def test_unigram(model, split, text):
    compare(model, text, pre_tokenizer=split)


@given(data=st.data())
@settings(max_examples=100)
def test_unigram_rounds_as_the_reference(data):
    """Sums of many different scores: only the same order of additions breaks ties the same."""
    score = st.floats(-12, -0.5).map(lambda value: round(value, 3))
    vocab = [["<u>", 0.0]] + [
        ["a" * length, data.draw(score)] for length in range(1, data.draw(st.integers(2, 9)))
    ]
    model = {"type": "Unigram", "vocab": vocab, "unk_id": 0, "byte_fallback": False}
    compare(model, "a" * data.draw(st.integers(1, 60)))


# ------------------------------------------------------------ files without a type

WORDPIECE = {
    "unk_token": "a",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 9,
    "vocab": {"a": 0, "##b": 1},
}


@pytest.mark.parametrize(
    "model",
    [
        {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
        WORDPIECE,
        {"unk_token": "a", "vocab": {"a": 0, "ab": 1}},
        {"vocab": [["a", -1.0], ["b", -2.0], ["ab", -1.5]], "unk_id": 0},
        {"vocab": [["a", -1], ["b", -2]], "unk_token": "b"},
        {"vocab": {"a": 0, "ab": 1}, "unk_token": "a", "merges": ["a b"]},
        {**WORDPIECE, "max_input_chars_per_word": "many"},
        {"vocab": {"b": 0, "ab": 1}, "merges": [["a", "b"]], "fuse_unk": 3, "unk_token": "b"},
        {"vocab": {"a": 0, "ab": 1}, "merges": [["a", "c"]], "unk_token": "a"},
    ],
    ids=str,
)
def test_a_model_without_a_type(model):
    compare(model, "ab")
    compare(model, "aab")
    # A vocabulary and merges are read into tables from text, which other models don't take.
    _, reference = pair(model)
    text = json.dumps({"version": "1.0", "model": model})
    assert Tokenizer.from_str(text).encode("ab") == reference.encode("ab").ids


def refused(model: Any, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        Tokenizer({"version": "1.0", "model": model})
    assert place in str(caught.value)
    assert isinstance(caught.value, TextcoreError)


UNIGRAM = {"type": "Unigram", "vocab": [["a", -1.0], ["b", -2.0]], "unk_id": 0}


@pytest.mark.parametrize(
    ("model", "place"),
    [
        ({}, "model.vocab: missing"),
        ({"type": "Oracle", "vocab": {}}, "model.type: model 'Oracle' is not supported"),
        ({"type": None, "vocab": {}}, "model.type: model None is not supported"),
        ({**UNIGRAM, "vocab": {"a": 0}}, "model.vocab: expected a list"),
        ({**UNIGRAM, "vocab": [["a", -1.0], "b"]}, "model.vocab[1]: expected [piece, score]"),
        ({**UNIGRAM, "vocab": [["a", -1.0, 2]]}, "model.vocab[0]: expected [piece, score]"),
        ({**UNIGRAM, "vocab": [[3, -1.0]]}, "model.vocab[0][0]: expected a string"),
        ({**UNIGRAM, "vocab": [["\ud800", -1.0]]}, "model.vocab[0][0]: '\\ud800' has a lone"),
        ({**UNIGRAM, "vocab": [["a", None]]}, "model.vocab[0][1]: expected a finite number"),
        ({**UNIGRAM, "vocab": [["a", True]]}, "model.vocab[0][1]: expected a finite number"),
        ({**UNIGRAM, "vocab": [["a", float("nan")]]}, "model.vocab[0][1]: expected a finite"),
        ({**UNIGRAM, "vocab": [["a", float("inf")]]}, "model.vocab[0][1]: expected a finite"),
        ({**UNIGRAM, "vocab": [["a", 10**400]]}, "model.vocab[0][1]: expected a finite number"),
        ({**UNIGRAM, "vocab": []}, "model.unk_id: 0 is no index of a vocab of 0"),
        ({**UNIGRAM, "unk_id": 2}, "model.unk_id: 2 is no index of a vocab of 2"),
        ({**UNIGRAM, "unk_id": -1}, "model.unk_id: -1 is no index"),
        ({**UNIGRAM, "unk_id": "a"}, "model.unk_id: expected an integer"),
        ({**UNIGRAM, "byte_fallback": None}, "model.byte_fallback: expected true or false"),
        ({**WORDPIECE, "type": "WordPiece", "vocab": [1]}, "model.vocab: expected an object"),
        (
            {**WORDPIECE, "type": "WordPiece", "max_input_chars_per_word": -1},
            "model.max_input_chars_per_word: expected an integer from 0",
        ),
        (
            {**WORDPIECE, "type": "WordPiece", "continuing_subword_prefix": None},
            "model.continuing_subword_prefix: expected a string",
        ),
        ({"type": "WordPiece", "vocab": {}}, "model.unk_token: missing"),
        ({"type": "WordLevel", "vocab": {}}, "model.unk_token: missing"),
        ({"type": "WordLevel", "vocab": {"a": -1}, "unk_token": "a"}, "model.vocab['a']"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(model, place):
    refused(model, place)


def test_a_long_word():
    tokenizer, reference = pair(UNIGRAM)
    text = "ab" * 50_000
    assert tokenizer.encode(text) == reference.encode(text).ids
