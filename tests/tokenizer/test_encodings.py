"""Encodings, field by field, against the reference's with the same truncation and padding."""

from __future__ import annotations

import json
import pickle
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trained import CORPUS, FAMILIES, HARD

from textcore import Tokenizer

FIELDS = (
    "ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask",
    "word_ids", "sequence_ids", "n_sequences",
)  # fmt: skip


def facts(encoding: Any) -> dict[str, Any]:
    known = {name: getattr(encoding, name) for name in FIELDS}
    known["overflowing"] = [facts(piece) for piece in encoding.overflowing]
    known["char_to_token"] = [
        encoding.char_to_token(at, sequence) for at in range(8) for sequence in (0, 1)
    ]
    known["word_to_tokens"] = [
        encoding.word_to_tokens(at, sequence) for at in range(4) for sequence in (0, 1)
    ]
    return known


@cache
def ours(family: str) -> Tokenizer:
    return Tokenizer.from_str(FAMILIES[family]().to_str())


families = st.sampled_from(sorted(FAMILIES))
texts = st.one_of(
    st.sampled_from([*CORPUS[:10], *HARD]).map(lambda text: text[:200]),
    st.text(max_size=30).filter(lambda text: text.isprintable() or not text.isascii()),
    st.text(alphabet=" abé字👍▁\n<>/|s'1.\u0301", max_size=20),
).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
words = st.lists(texts, max_size=4)
plain = st.tuples(texts, st.none() | texts)
pretokenized = st.tuples(words, st.none() | words)


def theirs_of(
    family: str,
    inputs: list[Any],
    is_pretokenized: bool,
    truncation: dict[str, Any] | None,
    padding: dict[str, Any] | None,
    add_special_tokens: bool,
) -> list[Any]:
    reference = FAMILIES[family]()
    if truncation:
        reference.enable_truncation(**truncation)
    if padding is not None:
        reference.enable_padding(**padding)
    try:
        return reference.encode_batch(
            [text if pair is None else (text, pair) for text, pair in inputs],
            is_pretokenized=is_pretokenized,
            add_special_tokens=add_special_tokens,
        )
    finally:
        reference.no_truncation()
        reference.no_padding()


def ours_of(
    family: str,
    inputs: list[Any],
    is_pretokenized: bool,
    truncation: dict[str, Any] | None,
    padding: dict[str, Any] | None,
    add_special_tokens: bool,
) -> list[Any]:
    options: dict[str, Any] = {}
    if truncation:
        options = {
            "truncation": truncation["strategy"],
            "max_length": truncation["max_length"],
            "stride": truncation["stride"],
            "truncation_side": truncation["direction"],
        }
    if padding is not None:
        options["padding"] = padding["length"] or True
        options["padding_side"] = padding["direction"]
        options["pad_to_multiple_of"] = padding["pad_to_multiple_of"]
        options |= {name: padding[name] for name in ("pad_id", "pad_type_id", "pad_token")}
    return ours(family).encoding_batch(
        [text if pair is None else (text, pair) for text, pair in inputs],
        is_pretokenized=is_pretokenized,
        add_special_tokens=add_special_tokens,
        **options,
    )


@settings(deadline=None, max_examples=150)
@given(families, st.lists(plain, min_size=1, max_size=3), st.booleans())
def test_texts_and_pairs(family: str, inputs: list[Any], add: bool):
    got = ours_of(family, inputs, False, None, None, add)
    wanted = theirs_of(family, inputs, False, None, None, add)
    assert list(map(facts, got)) == list(map(facts, wanted))


@settings(deadline=None, max_examples=80)
@given(families, st.lists(pretokenized, min_size=1, max_size=3), st.booleans())
def test_pretokenized(family: str, inputs: list[Any], add: bool):
    got = ours_of(family, inputs, True, None, None, add)
    wanted = theirs_of(family, inputs, True, None, None, add)
    assert list(map(facts, got)) == list(map(facts, wanted))


paddings = st.fixed_dictionaries(
    {
        "length": st.none() | st.integers(1, 40),
        "direction": st.sampled_from(["left", "right"]),
        "pad_to_multiple_of": st.none() | st.integers(1, 8),
        "pad_id": st.integers(0, 5),
        "pad_type_id": st.integers(0, 2),
        "pad_token": st.sampled_from(["[PAD]", "<p>"]),
    }
)
truncations = st.fixed_dictionaries(
    {
        # Room for special tokens and for more than the stride of each of a pair.
        "max_length": st.integers(10, 30),
        "strategy": st.just("longest_first"),
        "stride": st.integers(0, 1),
        "direction": st.sampled_from(["left", "right"]),
    }
)


@settings(deadline=None, max_examples=120)
@given(families, st.lists(plain, min_size=1, max_size=3), truncations, paddings, st.booleans())
def test_truncated_and_padded(
    family: str,
    inputs: list[Any],
    truncation: dict[str, Any],
    padding: dict[str, Any],
    add: bool,
):
    got = ours_of(family, inputs, False, truncation, padding, add)
    wanted = theirs_of(family, inputs, False, truncation, padding, add)
    assert list(map(facts, got)) == list(map(facts, wanted))


@settings(deadline=None, max_examples=200)
@given(
    families,
    plain,
    st.none() | truncations,
    st.sampled_from(["longest_first", "only_first"]),
    st.none() | paddings,
    st.booleans(),
    st.permutations(FIELDS),
)
def test_one_input_by_its_own_call(
    family: str,
    inputs: tuple[str, str | None],
    truncation: dict[str, Any] | None,
    strategy: str,
    padding: dict[str, Any] | None,
    add: bool,
    order: list[str],
):
    options: dict[str, Any] = {"truncation": False, "padding": False}
    if truncation is not None:
        truncation = truncation | {"strategy": strategy, "stride": 0}
        options |= {
            "truncation": strategy,
            "max_length": truncation["max_length"],
            "truncation_side": truncation["direction"],
        }
    if padding is not None:
        options["padding"] = padding["length"] or True
        options["padding_side"] = padding["direction"]
        options |= {
            name: padding[name]
            for name in ("pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token")
        }
    try:
        (wanted,) = theirs_of(family, [inputs], False, truncation, padding, add)
    except Exception:
        with pytest.raises(ValueError, match="truncation"):
            ours(family).encoding(*inputs, add_special_tokens=add, **options)
        return
    got = ours(family).encoding(*inputs, add_special_tokens=add, **options)
    # What was read first decides by which way the others are made.
    for field in order[:2]:
        assert getattr(got, field) == getattr(wanted, field)
    assert facts(got) == facts(wanted)
    assert facts(pickle.loads(pickle.dumps(got))) == facts(wanted)


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("stride", [0, 3])
@pytest.mark.parametrize("add", [True, False])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_all_that_overflows_of_a_cut_pair(family: str, direction: str, stride: int, add: bool):
    pair = [(" ".join(CORPUS[:2])[:150], HARD[0][:60] + CORPUS[3][:80])]
    truncation = {
        "max_length": 18,
        "strategy": "longest_first",
        "stride": stride,
        "direction": direction,
    }
    (got,) = ours_of(family, pair, False, truncation, None, add)
    (wanted,) = theirs_of(family, pair, False, truncation, None, add)
    assert len(got.overflowing) > 10
    assert facts(got) == facts(wanted)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_offsets_far_into_a_text(family: str):
    text = ("a" * 40 + " é日 b. ") * 800
    (wanted,) = theirs_of(family, [(text, None)], False, None, None, True)
    assert ours(family).encoding(text).offsets == wanted.offsets


def test_lists_are_the_callers_own():
    encoding = ours("qwen").encoding("Hello, world!")
    for name in ("ids", "offsets", "word_ids"):
        before = getattr(encoding, name)
        before.append(None)
        assert getattr(encoding, name) == before[:-1]


def test_what_overflows_is_padded_when_it_is_made():
    encoding = ours("qwen").encoding("Hello, world! " * 3, max_length=4)
    encoding.pad(6, pad_id=1)
    assert [len(piece) for piece in encoding.overflowing] == [6] * len(encoding.overflowing)
    assert encoding.overflowing[-1].attention_mask[-2:] == [0, 0]


def fitted(**sections: Any) -> Tokenizer:
    reference = FAMILIES["gpt2"]()
    try:
        reference.enable_truncation(max_length=8, stride=2)
        reference.enable_padding(pad_to_multiple_of=8, pad_id=3)
        spec = json.loads(reference.to_str())
    finally:
        reference.no_truncation()
        reference.no_padding()
    return Tokenizer({**spec, **sections})


def test_the_files_own_truncation_and_padding():
    tokenizer = fitted()
    encoding = tokenizer.encoding("numbers and so many words of it")
    assert len(encoding) == 8
    assert encoding.overflowing
    assert len(tokenizer.encoding("a")) == 8
    assert tokenizer.encoding("a").ids[-1] == 3


def test_truncation_and_padding_are_taken_off():
    tokenizer = fitted()
    ids = tokenizer.encode("numbers and so many words of it", add_special_tokens=True)
    got = tokenizer.encoding("numbers and so many words of it", truncation=False, padding=False)
    assert got.ids == ids


def test_a_length_alone_truncates():
    got = ours("gpt2").encoding("numbers and so many words of it", max_length=5)
    assert len(got) == 5


@pytest.mark.parametrize(
    "options",
    [
        {"truncation": True},
        {"truncation": "shortest", "max_length": 4},
        {"max_length": -1},
        {"padding": "most"},
        {"padding": True, "padding_side": "up"},
    ],
)
def test_options_that_are_wrong(options: dict[str, Any]):
    with pytest.raises(ValueError, match=r"truncation|max_length|padding"):
        ours("qwen").encoding("a", **options)


def test_a_lone_surrogate_is_refused_before_anything_is_read():
    with pytest.raises(ValueError, match="surrogate"):
        ours("qwen").encoding("a\ud800")


def test_details_come_when_they_are_asked_for_after_padding():
    encoding = ours("gpt2").encoding("the fox", padding=12, padding_side="left")
    wanted = theirs_of(
        "gpt2", [("the fox", None)], False, None, {"length": 12, "direction": "left"}, True
    )
    assert facts(encoding) == facts(wanted[0])


def test_pickled_before_its_details_are_read():
    encoding = ours("qwen").encoding("the quick fox", padding=9)
    assert facts(pickle.loads(pickle.dumps(encoding))) == facts(encoding)


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        ours("qwen").encoding("a").nothing  # noqa: B018
