"""Encoding, against the reference's through the same series of operations."""

from __future__ import annotations

import inspect
import pickle
from array import array
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.encoding import Encoding

PROPERTIES = (
    "ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask",
    "word_ids", "sequence_ids", "n_sequences",
)  # fmt: skip
LOOKUPS = ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars")
VOCABULARY = {token: index for index, token in enumerate(["a", "b", "c", "dd", "eee", "[UNK]"])}


def facts(encoding: Any) -> dict[str, Any]:
    known: dict[str, Any] = {name: getattr(encoding, name) for name in PROPERTIES}
    known["length"] = len(encoding)
    known["repr"] = repr(encoding)
    indexes = range(len(encoding) + 2)
    for name in ("token_to_chars", "token_to_word"):
        known[name] = [getattr(encoding, name)(index) for index in indexes]
    for name in LOOKUPS:
        method = getattr(encoding, name)
        known[name] = [method(index, sequence) for index in range(12) for sequence in range(3)]
    known["overflowing"] = [facts(piece) for piece in encoding.overflowing]
    return known


@pytest.fixture(scope="module")
def tokenizer() -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return tokenizer


def mirrored(theirs: tokenizers.Encoding) -> Encoding:
    """The same tokens as an encoding of ours."""
    return Encoding.from_parts(theirs.ids, theirs.tokens, theirs.offsets, theirs.word_ids)


class Known:
    """What a deferred encoding asks for, known from an encoding of the reference."""

    def __init__(self, theirs: tokenizers.Encoding) -> None:
        self._full = mirrored(theirs)

    def ranges(self) -> dict[int, range]:
        return self._full.ranges

    def type_ids(self) -> Any:
        return array("I", self._full.type_ids)

    def special(self) -> bytearray:
        return bytearray(self._full.special_tokens_mask)

    def attention(self) -> bytearray:
        return bytearray(self._full.attention_mask)

    def tokens(self) -> list[str]:
        return self._full.tokens

    def places(self) -> Any:
        return self._full.places()


def deferred(theirs: tokenizers.Encoding) -> Encoding:
    """The same, all but the ids made when it is read."""
    return Encoding.deferred(array("I", theirs.ids), Known(theirs))


Operation = Callable[[list[Any]], None]
positions = st.integers(0, 2)
directions = st.sampled_from(["left", "right"])


@st.composite
def truncation(draw: st.DrawFn) -> Operation:
    at, length, direction = draw(positions), draw(st.integers(0, 5)), draw(directions)
    stride = draw(st.integers(0, max(length - 1, 0)))
    return lambda encodings: encodings[at].truncate(length, stride, direction)


@st.composite
def padding(draw: st.DrawFn) -> Operation:
    at, length, direction = draw(positions), draw(st.integers(0, 8)), draw(directions)
    options = {"pad_id": draw(st.integers(0, 9)), "pad_type_id": draw(st.integers(0, 3))}
    return lambda encodings: encodings[at].pad(
        length, direction=direction, pad_token="<pad>", **options
    )


@st.composite
def sequence_id(draw: st.DrawFn) -> Operation:
    at, sequence = draw(positions), draw(positions)
    return lambda encodings: encodings[at].set_sequence_id(sequence)


@st.composite
def merging(draw: st.DrawFn) -> Operation:
    target, parts, growing = (
        draw(positions),
        draw(st.lists(positions, max_size=2)),
        draw(st.booleans()),
    )

    def merge(encodings: list[Any]) -> None:
        chosen = [encodings[part] for part in parts]
        encodings[target] = type(encodings[0]).merge(chosen, growing)

    return merge


operations = st.lists(truncation() | padding() | sequence_id() | merging(), max_size=5)
words = st.lists(st.sampled_from(["a", "b", "dd", "eee", "x"]), max_size=5).map(" ".join)


@pytest.mark.parametrize("make", [mirrored, deferred])
@given(texts=st.tuples(words, words, words), steps=operations)
@settings(max_examples=300, deadline=None)
def test_operations(
    tokenizer: tokenizers.Tokenizer,
    make: Callable[[tokenizers.Encoding], Encoding],
    texts: tuple[str, ...],
    steps: list[Operation],
) -> None:
    theirs = [tokenizer.encode(text) for text in texts]
    ours = [make(encoding) for encoding in theirs]
    for step in steps:
        step(theirs)
        step(ours)
    assert [facts(encoding) for encoding in ours] == [facts(encoding) for encoding in theirs]


def test_token_to_sequence(tokenizer: tokenizers.Tokenizer) -> None:
    theirs = [tokenizer.encode("a b"), tokenizer.encode("c")]
    ours = [mirrored(encoding) for encoding in theirs]
    for pair in (theirs, ours):
        pair[0].set_sequence_id(0)
        pair[1].set_sequence_id(1)
    theirs_merged, ours_merged = tokenizers.Encoding.merge(theirs), Encoding.merge(ours)
    theirs_merged.pad(5)
    ours_merged.pad(5)
    got = [ours_merged.token_to_sequence(index) for index in range(7)]
    assert got == [theirs_merged.token_to_sequence(index) for index in range(7)]
    assert got == [0, 0, 1, None, None, None, None]


def test_without_sequences_every_token_is_of_the_first(tokenizer: tokenizers.Tokenizer) -> None:
    theirs = tokenizer.encode("a b")
    ours = Encoding.merge([mirrored(theirs)])
    assert [ours.token_to_sequence(index) for index in range(4)] == [0, 0, 0, None]
    assert [theirs.token_to_sequence(index) for index in range(4)] == [0, 0, 0, None]


def test_names_are_those_of_the_reference() -> None:
    public = {name for name in dir(tokenizers.Encoding) if not name.startswith("_")}
    assert public <= set(dir(Encoding))


@pytest.mark.parametrize("name", [*LOOKUPS, "truncate", "pad", "merge", "set_sequence_id"])
def test_signature(name: str) -> None:
    def shape(function: Any) -> list[tuple[str, Any]]:
        parameters = inspect.signature(function).parameters.values()
        return [(p.name, p.default) for p in parameters]

    assert shape(getattr(Encoding, name)) == shape(getattr(tokenizers.Encoding, name))


def test_words_is_deprecated() -> None:
    encoding = Encoding.from_parts([1], ["a"], [(0, 1)], [4])
    with pytest.warns(DeprecationWarning, match="word_ids"):
        assert encoding.words == [4]


def test_lists_are_the_callers_own() -> None:
    encoding = Encoding.from_parts([1], ["a"], [(0, 1)], [0])
    for name in ("ids", "tokens", "offsets", "word_ids", "type_ids", "overflowing"):
        getattr(encoding, name).clear()
    assert (encoding.ids, encoding.tokens, encoding.offsets) == ([1], ["a"], [(0, 1)])


def test_largest_id() -> None:
    assert Encoding.from_parts([2**32 - 1], ["a"], [(0, 1)], [0]).ids == [2**32 - 1]


def test_pickle() -> None:
    encoding = Encoding.from_parts([1, 2, 3], ["a", "b", "c"], [(0, 1)] * 3, [0, None, 1])
    encoding.set_sequence_id(1)
    encoding.truncate(2)
    encoding.pad(4)
    assert facts(pickle.loads(pickle.dumps(encoding))) == facts(encoding)


def test_a_change_of_a_deferred_encoding_is_its_own(tokenizer: tokenizers.Tokenizer) -> None:
    theirs = tokenizer.encode("a dd b")
    known = Known(theirs)
    changed, other = (Encoding.deferred(array("I", theirs.ids), known) for _ in range(2))
    changed.set_type_ids(3)
    assert changed.offsets == theirs.offsets
    changed.map_offsets(lambda index, token, start, end: (0, index))
    assert changed.offsets == [(0, 0), (0, 1), (0, 2)]
    changed.merge_with(changed.copy())
    assert (changed.type_ids, changed.tokens) == ([3] * 6, theirs.tokens * 2)
    assert facts(other) == facts(theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda e: e.truncate(2, stride=2),
        lambda e: e.truncate(2, direction="up"),
        lambda e: e.pad(9, direction="up"),
        lambda e: Encoding.from_parts([1], ["a"], [], [0]),
    ],
)
def test_refused_value(call: Callable[[Encoding], object]) -> None:
    encoding = Encoding.from_parts([1, 2, 3], ["a", "b", "c"], [(0, 1)] * 3, [0, 1, 2])
    with pytest.raises(ValueError, match=r"stride|direction|equally"):
        call(encoding)
    assert encoding.ids == [1, 2, 3]


def test_combinations_are_bounded() -> None:
    count = 600
    one = Encoding.from_parts(range(count), ["a"] * count, [(0, 1)] * count, [0] * count)
    one.truncate(1)
    other = one.copy()
    with pytest.raises(ValueError, match=r"359999"):
        one.merge_with(other)
    assert one.ids == [0]


@pytest.mark.parametrize("name", [*LOOKUPS, "token_to_chars", "token_to_word", "truncate"])
def test_negative_is_no_position(name: str) -> None:
    encoding = Encoding.from_parts([1], ["a"], [(0, 1)], [0])
    with pytest.raises(OverflowError):
        getattr(encoding, name)(-1)
    with pytest.raises(OverflowError):
        getattr(tokenizers.Encoding(), name)(-1)
