"""Decode plans: equal to the decoder on token strings, and to the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decoder_cases import (
    COMMON,
    DECODER,
    build,
    ids_of,
    reference_tokenizer,
    vocabularies,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.pipeline.decode_plan import DecodePlan, plan_decoder
from textcore.pipeline.decoders import SpaceJoin

SPECS = st.sampled_from(COMMON) | DECODER


def plan_of(
    spec: dict[str, Any] | None, vocabulary: dict[int, str], special: set[int]
) -> DecodePlan:
    return plan_decoder(None if spec is None else build(spec), vocabulary, special)


@settings(max_examples=400, deadline=None)
@given(SPECS, vocabularies(), st.data(), st.booleans())
def test_decodes_as_the_reference(
    spec: dict[str, Any] | None, vocabulary: dict[int, str], data: st.DataObject, skip: bool
) -> None:
    special = {i for i in data.draw(st.sets(st.sampled_from(sorted(vocabulary)))) if vocabulary[i]}
    ids = data.draw(ids_of(vocabulary))
    expected = reference_tokenizer(vocabulary, spec, special).decode(ids, skip_special_tokens=skip)
    assert plan_of(spec, vocabulary, special).decode(ids, skip) == expected


@settings(max_examples=200, deadline=None)
@given(SPECS, vocabularies(), st.data(), st.booleans())
def test_decodes_as_the_chain_of_decoders(
    spec: dict[str, Any] | None, vocabulary: dict[int, str], data: st.DataObject, skip: bool
) -> None:
    special = data.draw(st.sets(st.sampled_from(sorted(vocabulary))))
    ids = data.draw(ids_of(vocabulary))
    kept = [vocabulary[i] for i in ids if i in vocabulary and not (skip and i in special)]
    decoder = SpaceJoin() if spec is None else build(spec)
    assert plan_of(spec, vocabulary, special).decode(ids, skip) == decoder.decode(kept)


COMPILED = {0, 1, 2, 3, 5, 6, 7, 10}


@pytest.mark.parametrize("index", range(len(COMMON)))
def test_common_decoders_are_tables(index: int) -> None:
    vocabulary = {0: "a", 1: "<0x41>"}
    assert (plan_of(COMMON[index], vocabulary, set()).table is not None) == (index in COMPILED)


def test_byte_fallback_before_metaspace_is_the_chain() -> None:
    spec = COMMON[4]
    vocabulary = {0: "<0xE2>", 1: "<0x96>", 2: "<0x81>", 3: "a"}
    plan = plan_of(spec, vocabulary, set())
    assert plan.decode([0, 1, 2, 3, 0, 1, 2]) == "a "
    assert plan.vocab_bytes() == [b"\xe2", b"\x96", b"\x81", b"a"]


@settings(deadline=None)
@given(st.sampled_from(COMMON), vocabularies(), st.data(), st.booleans())
def test_decode_bytes_is_the_text_where_it_is_valid(
    spec: dict[str, Any] | None, vocabulary: dict[int, str], data: st.DataObject, skip: bool
) -> None:
    plan = plan_of(spec, {i: t for i, t in vocabulary.items() if t}, set())
    ids = data.draw(ids_of(vocabulary))
    raw = plan.decode_bytes(ids, skip)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        assert "\ufffd" in plan.decode(ids, skip)
    else:
        assert plan.decode(ids, skip) == text


LLAMA = COMMON[2]
LLAMA_VOCABULARY = {0: "<s>", 1: "▁Hi", 2: "<0xF0>", 3: "<0x9F>", 4: "▁", 6: "é", 7: "<think>"}


def test_bytes_of_a_byte_fallback_vocabulary() -> None:
    plan = plan_of(LLAMA, LLAMA_VOCABULARY, {0})
    assert plan.vocab_bytes() == [
        b"", b" Hi", b"\xf0", b"\x9f", b" ", b"", "é".encode(), b"<think>"
    ]  # fmt: skip
    assert plan.token_bytes(0) == b"<s>"
    assert plan.token_bytes(0, skip_special_tokens=True) == b""
    assert plan.token_bytes(5) == b""
    assert plan.decode_bytes([1, 2, 3, 4]) == b"Hi\xf0\x9f "
    assert plan.decode([1, 2, 3, 4]) == "Hi\ufffd\ufffd "


def test_bytes_of_a_byte_level_vocabulary() -> None:
    plan = plan_of(COMMON[1], {0: "Ġé", 1: "<a b>", 2: "<think>", 3: "Ċ", 4: "<end>"}, {4})
    assert plan.vocab_bytes() == [b" \xe9", b"<a b>", b"<think>", b"\n", b""]


@pytest.mark.parametrize(
    ("index", "token", "expected"),
    [
        (0, "word", b" word"),
        (5, "▁word", b" word"),
        (7, "##ing", b"ing"),
        (7, "word", b" word"),
        (8, "word</w>", b"word "),
        (9, "|", b" "),
        (10, "▁word", b" word"),
    ],
)
def test_token_bytes_are_those_inside_a_text(index: int, token: str, expected: bytes) -> None:
    plan = plan_of(COMMON[index], {3: token}, set())
    assert plan.token_bytes(3) == expected
    assert plan.vocab_bytes() == [b"", b"", b"", expected]


def test_a_sparse_vocabulary_is_not_listed() -> None:
    plan = plan_of(LLAMA, {0: "a", 2**32 - 1: "b"}, set())
    assert plan.decode([2**32 - 1, 5, 0]) == "ba"
    with pytest.raises(ValueError, match="2 tokens with ids up to 4294967295"):
        plan.vocab_bytes()


@pytest.mark.parametrize("index", [1, 8])
@pytest.mark.parametrize("make", [list, tuple, iter, np.array, lambda ids: np.array(ids, "u4")])
def test_takes_any_sequence_of_ids(index: int, make: Any) -> None:
    plan = plan_of(COMMON[index], {0: "a", 1: "b"}, set())
    assert plan.decode(make([0, 1, 9, 1])) == "abb"


@pytest.mark.parametrize("index", [1, 8])
@pytest.mark.parametrize(
    ("ids", "error"),
    [([-1], ValueError), ([2**32], ValueError), (["a"], TypeError), (3, TypeError)],
)
def test_refuses_what_is_no_id(index: int, ids: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        plan_of(COMMON[index], {0: "a"}, set()).decode(ids)


def test_an_empty_vocabulary() -> None:
    plan = plan_of(None, {}, set())
    assert plan.decode([0, 1]) == ""
    assert plan.vocab_bytes() == []
