"""Pre-tokenizers, against those of the reference read from the same specification."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from component_support import encode, normalizer, pre_tokenizer, reference, texts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.byte_characters import BYTE_CHARACTERS
from textcore.pipeline.matches import BEHAVIORS
from textcore.pipeline.normalized import PreTokenizedString
from textcore.pipeline.pre_tokenizers import ByteLevel, Sequence
from textcore.pipeline.splitters import Split

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def split(kind: str, pattern: str, behavior: str, invert: bool) -> dict[str, Any]:
    return {
        "type": "Split",
        "pattern": {kind: pattern},
        "behavior": behavior,
        "invert": invert,
    }


def byte_level(add_prefix_space: bool, use_regex: bool) -> dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": True,
        "use_regex": use_regex,
    }


def metaspace(replacement: str, scheme: str, split_words: bool) -> dict[str, Any]:
    return {
        "type": "Metaspace",
        "replacement": replacement,
        "prepend_scheme": scheme,
        "split": split_words,
    }


PATTERNS = [
    ("String", "a"),
    ("String", "ab"),
    ("String", "aa"),
    ("String", ""),
    ("Regex", r"\s+"),
    ("Regex", r"b*"),
    ("Regex", r"(?=b)|^"),
    ("Regex", QWEN),
]
SPLITS = [
    split(*pattern, behavior, invert)
    for pattern, behavior, invert in itertools.product(PATTERNS, BEHAVIORS, (False, True))
]
OTHERS = [
    *[byte_level(prefix, regex) for prefix in (True, False) for regex in (True, False)],
    *[
        metaspace(replacement, scheme, words)
        for replacement in ("▁", "a", " ")
        for scheme in ("always", "first", "never")
        for words in (True, False)
    ],
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    *[{"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS],
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    {"type": "BertPreTokenizer"},
    {"type": "UnicodeScripts"},
    *[{"type": "CharDelimiterSplit", "delimiter": char} for char in "a é"],
    {"type": "FixedLength"},
    *[{"type": "FixedLength", "length": length} for length in (1, 2, 7, 2**64 - 1)],
]


def check(spec: object, text: str) -> None:
    expected = reference(pre_tokenizer=spec).pre_tokenizer.pre_tokenize_str(text)
    ours = pre_tokenizer(spec)
    pieces = PreTokenizedString(text)
    ours.pre_tokenize(pieces)
    got = [(piece, offsets) for piece, offsets, _ in pieces.get_splits() if piece]
    assert got == [(piece, offsets) for piece, offsets in expected if piece]
    if not ours.needs_alignments:
        plain = ours.split([(text, True)])
        assert [piece for piece, _ in plain if piece] == [piece for piece, _ in got]
        assert not any(at_start for _, at_start in plain[1:])


@pytest.mark.parametrize("spec", SPLITS + OTHERS, ids=str)
@given(text=texts)
@settings(max_examples=12, deadline=None)
@example(text="")
@example(text="aab  ab é日\n\n-b.'s 12½ĠÃ")
@example(text=" a")
@example(text="▁a▁▁b ▁")
def test_one(spec: object, text: str) -> None:
    check(spec, text)


@given(st.lists(st.sampled_from(SPLITS + OTHERS), max_size=4), texts)
@settings(max_examples=250, deadline=None)
def test_sequence(steps: list[object], text: str) -> None:
    check({"type": "Sequence", "pretokenizers": steps}, text)


NORMALIZERS = [
    {"type": "NFD"},
    {"type": "NFKC"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Replace", "pattern": {"String": "a"}, "content": ""},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁▁"},
]


@given(st.sampled_from(NORMALIZERS), st.lists(st.sampled_from(SPLITS + OTHERS), max_size=3), texts)
@settings(max_examples=200, deadline=None)
def test_after_a_normalizer(change: object, steps: list[object], text: str) -> None:
    """Offsets, and what "first" means, go back through what the normalizer did."""
    spec = {"type": "Sequence", "pretokenizers": steps}
    expected = reference(normalizer=change, pre_tokenizer=spec).encode(text)
    got = encode(text, normalizer(change), pre_tokenizer(spec))
    assert (got.tokens, got.offsets, got.word_ids) == (
        expected.tokens,
        expected.offsets,
        expected.word_ids,
    )


@pytest.mark.parametrize("spec", OTHERS[-9:], ids=str)
def test_every_character(spec: object) -> None:
    """Character by character over the planes that have anything: none is of another kind."""
    points = itertools.chain(range(0xD800), range(0xE000, 0x33480), range(0xE0000, 0xE1000))
    check(spec, "".join(map(chr, points)))


def test_at_start_is_kept_only_by_the_first_piece() -> None:
    ours = pre_tokenizer(metaspace("▁", "first", True))
    assert ours.split([("a b", True), ("c d", False)]) == [
        ("▁a", True),
        ("▁b", False),
        ("c", False),
        ("▁d", False),
    ]


def test_two_pieces_can_be_first() -> None:
    """Both halves of a decomposed character stand for the one at offset 0."""
    steps = [split("String", "e", "Isolated", False), metaspace("▁", "first", False)]
    spec = {"type": "Sequence", "pretokenizers": steps}
    ours = pre_tokenizer(spec)
    assert ours.needs_alignments
    tokens = encode("é", normalizer({"type": "NFD"}), ours).tokens
    assert tokens == reference(normalizer={"type": "NFD"}, pre_tokenizer=spec).encode("é").tokens
    assert tokens == ["▁", "e", "▁", "\u0301"]


def test_structure_is_open() -> None:
    """A tokenizer recognises common combinations by these attributes."""
    ours = pre_tokenizer(
        {
            "type": "Sequence",
            "pretokenizers": [split("Regex", QWEN, "Isolated", False), byte_level(False, False)],
        }
    )
    assert isinstance(ours, Sequence)
    first, second = ours.pretokenizers
    assert isinstance(first, Split)
    assert (first.kind, first.pattern, first.behavior, first.invert) == (
        "Regex", QWEN, "Isolated", False,
    )  # fmt: skip
    assert isinstance(second, ByteLevel)
    assert (second.add_prefix_space, second.use_regex) == (False, False)


def test_byte_characters_are_one_each() -> None:
    assert len(set(BYTE_CHARACTERS)) == 256
    assert BYTE_CHARACTERS.isprintable()


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        {"type": "Metaspace", "replacement": "▁"},
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "x"},
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": None, "split": None},
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True,
         "prepend_scheme": "never"},
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False,
         "prepend_scheme": "never"},
        {"type": "Punctuation"},
        {"type": "Sequence", "pretokenizers": []},
    ],
    ids=str,
)  # fmt: skip
def test_defaults_and_older_fields(spec: object) -> None:
    check(spec, " a-b c")


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({}, "pre_tokenizer.type"),
        ({"type": None}, "pre_tokenizer.type"),
        ({"individual_digits": True}, "pre_tokenizer.type"),
        ({"type": "ByteLevel"}, "pre_tokenizer.add_prefix_space"),
        ({"type": "ByteLevel", "add_prefix_space": True}, "pre_tokenizer.trim_offsets"),
        (
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
             "use_regex": None},
            "pre_tokenizer.use_regex",
        ),
        ({"type": "Metaspace"}, "pre_tokenizer.replacement"),
        ({"type": "Metaspace", "replacement": ""}, "pre_tokenizer.replacement"),
        ({"type": "Metaspace", "replacement": "ab"}, "pre_tokenizer.replacement"),
        (
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "First"},
            "pre_tokenizer.prepend_scheme",
        ),
        (
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": None},
            "pre_tokenizer.prepend_scheme",
        ),
        (
            {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False},
            "pre_tokenizer.add_prefix_space",
        ),
        ({"type": "Metaspace", "replacement": "▁", "str_rep": 5}, "pre_tokenizer.str_rep"),
        ({"type": "Split"}, "pre_tokenizer.pattern"),
        (split("Regex", "[", "Isolated", False), "pre_tokenizer.pattern.Regex"),
        (split("String", "a", "isolated", False), "pre_tokenizer.behavior"),
        (
            {"type": "Split", "pattern": {"String": "a"}, "behavior": "Removed"},
            "pre_tokenizer.invert",
        ),
        ({"type": "Digits"}, "pre_tokenizer.individual_digits"),
        ({"type": "Punctuation", "behavior": None}, "pre_tokenizer.behavior"),
        ({"type": "Sequence"}, "pre_tokenizer.pretokenizers"),
        ({"type": "Sequence", "pretokenizers": [{}]}, "pre_tokenizer.pretokenizers[0].type"),
    ],
    ids=str,
)  # fmt: skip
def test_error_names_the_place(spec: object, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        pre_tokenizer(spec)
    assert caught.value.place == place
    with pytest.raises(Exception, match=r"."):
        reference(pre_tokenizer=spec)


@pytest.mark.parametrize("kind", ["Delimiter", "Other"])
def test_unsupported_type_is_named(kind: str) -> None:
    with pytest.raises(UnsupportedError, match=f"pre_tokenizer.type: .*{kind}"):
        pre_tokenizer({"type": kind})


def test_long_text_takes_linear_time() -> None:
    merged = ("MergedWithPrevious", "MergedWithNext", "Contiguous")
    steps = [split("Regex", QWEN, behavior, True) for behavior in merged]
    steps += [split("String", "", "Contiguous", False), byte_level(True, True)]
    steps.append(metaspace("▁", "first", True))
    ours = pre_tokenizer({"type": "Sequence", "pretokenizers": steps})
    text = "aé 日b,1 " * 5_000
    began = time.perf_counter()
    encoding = encode(text, None, ours)
    # Quadratic steps would take minutes.
    assert time.perf_counter() - began < 20
    assert encoding.offsets[-1][1] == len(text)


def test_nesting_is_bounded() -> None:
    cyclic: dict[str, Any] = {"type": "Sequence"}
    cyclic["pretokenizers"] = [cyclic, cyclic]
    with pytest.raises(SpecError, match="nested"):
        pre_tokenizer(cyclic)
