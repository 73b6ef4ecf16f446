"""Text to ids and back, against the reference."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy
import pytest
import tokenizers
import trained
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.errors import TextError


@cache
def ours(family: str) -> Tokenizer:
    return Tokenizer.from_str(trained.FAMILIES[family]().to_str())


families = pytest.mark.parametrize("family", trained.FAMILIES)
PIECES = [
    "<|im_start|>", "<|im_end|>", "<think>", "</s>", "<unk>", "<tool", "it's", "'LL", " the",
    "  ", "\n", "\r\n", "\t", "中国", "ひら", "é", "e\u0301", "\u0301", "👩‍👩‍👧", "ſ", "\x00", "▁",
    "12345", "x" * 40, "\u3000", "\u00a0", "ǅ", "İ", "\uac00", "\u11a8",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12).map("".join)


@families
@pytest.mark.parametrize("text", trained.HARD, ids=range(len(trained.HARD)))
def test_hard_strings(family, text):
    reference = trained.FAMILIES[family]()
    expected = reference.encode(text, add_special_tokens=False).ids
    ids = ours(family).encode(text)
    assert ids == expected
    assert ours(family).decode(ids) == reference.decode(expected, skip_special_tokens=False)


@families
@settings(max_examples=150)
@given(text=texts)
def test_ids(family, text):
    expected = trained.FAMILIES[family]().encode(text, add_special_tokens=False).ids
    assert ours(family).encode(text) == expected


@families
@given(text=texts)
def test_ids_with_special_tokens(family, text):
    expected = trained.FAMILIES[family]().encode(text).ids
    assert ours(family).encode(text, add_special_tokens=True) == expected


@families
@given(text=texts, skip=st.booleans())
def test_decoded_text(family, text, skip):
    reference = trained.FAMILIES[family]()
    ids = reference.encode(text).ids
    assert ours(family).decode(ids, skip) == reference.decode(ids, skip_special_tokens=skip)


@families
@given(ids=st.lists(st.integers(0, 1200), max_size=30), skip=st.booleans())
def test_any_ids_decode(family, ids, skip):
    expected = trained.FAMILIES[family]().decode(ids, skip_special_tokens=skip)
    assert ours(family).decode(ids, skip) == expected


@families
@given(text=texts)
def test_every_way_to_encode_agrees(family, text):
    tokenizer = ours(family)
    ids = tokenizer.encode(text)
    array = tokenizer.encode_to_numpy(text)
    assert array.dtype == numpy.uint32
    assert array.tolist() == ids
    assert tokenizer.count(text) == len(ids)
    with_special = tokenizer.encode(text, add_special_tokens=True)
    assert tokenizer.count(text, add_special_tokens=True) == len(with_special)
    assert tokenizer.encoding(text, add_special_tokens=False).ids == ids


@families
@settings(max_examples=20)
@given(batch=st.lists(texts, max_size=40), threads=st.sampled_from([None, 1, 2, 3]))
def test_batches(family, batch, threads):
    tokenizer = ours(family)
    expected = [tokenizer.encode(text) for text in batch]
    assert tokenizer.encode_batch(batch, threads=threads) == expected
    ids, offsets = tokenizer.encode_batch_to_numpy(batch, threads=threads)
    assert (ids.dtype, offsets.dtype) == (numpy.uint32, numpy.uint64)
    cut = [ids[a:b].tolist() for a, b in pairwise(offsets)]
    assert cut == expected


@families
@given(text=texts)
def test_the_stages_are_the_references(family, text):
    reference = trained.FAMILIES[family]()
    normalizer, pre_tokenizer = reference.normalizer, reference.pre_tokenizer
    if normalizer is not None:
        text = normalizer.normalize_str(text)
    words = [text] if text else []
    if pre_tokenizer is not None:
        words = [word for word, _ in pre_tokenizer.pre_tokenize_str(text)]
    plain = ours(family)
    if normalizer is None or family == "qwen":
        assert plain.pre_tokenize(text) == words
    for word in words:
        assert plain.bpe(word) == [token.id for token in reference.model.tokenize(word)]


@families
def test_the_vocabulary(family):
    reference, tokenizer = trained.FAMILIES[family](), ours(family)
    assert tokenizer.get_vocab() == reference.get_vocab()
    assert tokenizer.get_vocab(False) == reference.get_vocab(False)
    assert tokenizer.vocab_size == reference.get_vocab_size()
    for token_id in range(reference.get_vocab_size() + 5):
        assert tokenizer.id_to_token(token_id) == reference.id_to_token(token_id)
    for token in [*reference.get_vocab(), "no such token"]:
        assert tokenizer.token_to_id(token) == reference.token_to_id(token)


def test_words_and_their_ids_make_the_encoding():
    tokenizer = ours("qwen")
    text = "Hello wörld, it's 12 中国人!"
    joined = [token for word in tokenizer.pre_tokenize(text) for token in tokenizer.bpe(word)]
    assert joined == tokenizer.encode(text)


def test_bpe_takes_plain_text_where_it_has_no_stand_in():
    tokenizer = ours("qwen")
    assert tokenizer.bpe(" 中国") == tokenizer.encode(" 中国")


def test_no_special_token_is_recognised_where_none_is_allowed():
    tokenizer = ours("qwen")
    text = "<|im_start|>user<think>"
    ids = tokenizer.encode(text, allowed_special="none")
    assert not set(ids) & set(tokenizer.special_ids)
    assert tokenizer.decode(ids) == text
    assert tokenizer.token_to_id("<think>") not in ids


def test_a_selection_of_added_tokens():
    tokenizer = ours("qwen")
    text = "<|im_start|>a<|im_end|><think>"
    ids = tokenizer.encode(text, allowed_special={"<|im_end|>", "<think>"})
    known = {tokenizer.token_to_id(t) for t in ("<|im_start|>", "<|im_end|>", "<think>")}
    found = [i for i in ids if i in known]
    assert found == [tokenizer.token_to_id("<|im_end|>"), tokenizer.token_to_id("<think>")]
    assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("method", ["encode", "count", "encode_to_numpy", "encoding"])
def test_an_unknown_allowed_token_is_named(method):
    with pytest.raises(ValueError, match="'<nope>' is not an added token"):
        getattr(ours("qwen"), method)("x", allowed_special=["<nope>"])


def test_another_word_for_allowed_is_refused():
    with pytest.raises(ValueError, match="'some'"):
        ours("qwen").encode("x", allowed_special="some")


@families
@pytest.mark.parametrize(
    "method",
    ["encode", "count", "encode_to_numpy", "encoding", "pre_tokenize", "bpe"],
)
def test_a_lone_surrogate_is_a_clear_error(family, method):
    with pytest.raises(TextError, match=r"lone surrogate, '\\ud800', at character 3"):
        getattr(ours(family), method)("abc\ud800d")


@families
@pytest.mark.parametrize("method", ["encode_batch", "encode_batch_to_numpy"])
def test_a_lone_surrogate_in_a_batch_is_a_clear_error(family, method):
    with pytest.raises(TextError, match="lone surrogate"):
        getattr(ours(family), method)(["fine", "abc\udfffd"])


@pytest.mark.parametrize("text", [None, b"bytes", 7, ["a"]])
def test_what_is_no_text_is_a_type_error(text):
    with pytest.raises(TypeError):
        ours("qwen").encode(text)


def test_a_batch_is_not_one_text():
    with pytest.raises(TypeError, match="several texts"):
        ours("qwen").encode_batch("text")


def test_a_batch_names_what_is_no_text():
    with pytest.raises(TypeError, match=r"texts\[1\]"):
        ours("qwen").encode_batch(["a", None])


def test_no_threads_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        ours("qwen").encode_batch(["a"], threads=0)


@families
def test_one_tokenizer_serves_many_threads(family):
    tokenizer = Tokenizer.from_str(trained.FAMILIES[family]().to_str(), cache_lines=64)
    expected = [tokenizer.encode(text) for text in trained.CORPUS]
    with ThreadPoolExecutor(8) as pool:
        rounds = pool.map(lambda _: [tokenizer.encode(t) for t in trained.CORPUS], range(64))
        assert all(result == expected for result in rounds)


@families
def test_a_tiny_cache_changes_nothing(family):
    small = Tokenizer.from_str(trained.FAMILIES[family]().to_str(), cache_lines=4)
    for text in trained.CORPUS + trained.HARD:
        assert small.encode(text) == ours(family).encode(text)


new_words = st.text(st.sampled_from("aeinorstlz é中国▁ \n"), min_size=1, max_size=16)


@families
@settings(max_examples=60, deadline=None)
@given(st.lists(new_words, min_size=30, max_size=300))
def test_many_new_words_at_once(family, words):
    """Batches in which so much is new that it is encoded several words at a time."""
    text = " ".join(words)
    expected = trained.FAMILIES[family]().encode(text, add_special_tokens=False).ids
    assert ours(family).encode(text) == expected


@families
@pytest.mark.parametrize("letters", ["a", "ab", "qz", "国", "é中"])
def test_a_long_word(family, letters):
    word = letters * (20_000 // len(letters))
    expected = trained.FAMILIES[family]().encode(word, add_special_tokens=False).ids
    assert ours(family).encode(word) == expected


@families
@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["abcdefghijklmnopqrstuvwxyz", "qz", "的一是不了人我在", "é中a=", "-"]
            ),
            st.integers(1, 12) | st.sampled_from([300, 700, 2500, 6000, 12_000]),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["", " "]),
    st.integers(),
)
def test_long_words_of_random_characters(family, parts, between, seed):
    """New ones, which are merged in stretches; then met again, and then remembered."""
    draw = random.Random(seed)
    text = between.join("".join(draw.choices(letters, k=size)) for letters, size in parts)
    expected = trained.FAMILIES[family]().encode(text, add_special_tokens=False).ids
    for _ in range(3):
        assert ours(family).encode(text) == expected


HALVES = (
    ["abcdefghijklm", "nopqrstuvwxyz"],
    ["的一是不了人我在有他这中", "大来上国个到说们为子和你"],
)


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(HALVES),
    st.sampled_from([[1, 4000], [20], [1, 8, 30, 300, 900]]),
    st.integers(2, 120),
    st.integers(),
)
def test_long_words_next_to_each_other(halves, sizes, count, seed):
    """Nothing is merged across the end of a word, though the vocabulary would have it."""
    draw = random.Random(seed)
    letters = "".join(halves)
    merges = [(a, b) for a in letters for b in letters if draw.random() < 0.9]
    vocab = {token: i for i, token in enumerate([*letters, "?", *(a + b for a, b in merges)])}
    reference = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocab, merges=merges, unk_token="?")
    )
    reference.pre_tokenizer = tokenizers.pre_tokenizers.Split(
        tokenizers.Regex("|".join(f"[{half}]+" for half in halves)), "isolated"
    )
    text = "".join(
        "".join(draw.choices(halves[i % 2], k=draw.choice(sizes))) for i in range(count)
    )
    ids = Tokenizer.from_str(reference.to_str()).encode(text)
    assert ids == reference.encode(text, add_special_tokens=False).ids


@families
def test_vocabulary_bytes_join_to_the_text(family):
    tokenizer = ours(family)
    vocab = tokenizer.vocab_bytes()
    text = "Hello world 中国 👍"
    ids = tokenizer.encode(text)
    assert b"".join(vocab[i] for i in ids).decode().strip() == text
    assert all(vocab[i] == b"" for i in tokenizer.special_ids)
    assert all(tokenizer.token_bytes(i) == vocab[i] for i in ids)


def test_an_added_token_that_is_not_special_is_ordinary_text():
    tokenizer = ours("qwen")
    assert tokenizer.vocab_bytes()[tokenizer.token_to_id("<think>")] == b"<think>"


@families
def test_decode_bytes_and_batch(family):
    tokenizer = ours(family)
    batch = [tokenizer.encode(text) for text in trained.CORPUS]
    assert tokenizer.decode_batch(batch) == [tokenizer.decode(ids) for ids in batch]
    assert [tokenizer.decode_bytes(ids).decode() for ids in batch] == [
        tokenizer.decode(ids) for ids in batch
    ]
