"""Every decoder against the component of the same name in ``tokenizers``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from decoder_cases import DECODER, TOKENS, build, reference
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.decoders import STAND_INS, Strip, fallback_byte


@settings(max_examples=400, deadline=None)
@given(DECODER, TOKENS)
def test_decodes_as_the_reference(spec: dict[str, Any], tokens: list[str]) -> None:
    assert build(spec).decode(tokens) == reference(spec).decode(tokens)


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("xy"), min_size=4, max_size=8), max_size=3))
def test_strip_from_both_ends(tokens: list[str]) -> None:
    spec = {"type": "Strip", "content": "x", "start": 2, "stop": 2}
    assert build(spec).decode(tokens) == reference(spec).decode(tokens)


@pytest.mark.parametrize(
    ("token", "text"), [("", ""), ("x", ""), ("xx", ""), ("xxx", ""), ("xyx", "y"), ("y", "y")]
)
def test_strip_of_short_tokens_takes_what_there_is(token: str, text: str) -> None:
    assert Strip("x", 2, 2).decode([token]) == text


@pytest.mark.parametrize("pattern", [r"\s+", "^ ", "b*", "(?<=a)b", "^$", "a|ab", r"\bé"])
@given(tokens=TOKENS)
@settings(max_examples=60, deadline=None)
def test_replace_by_regex(pattern: str, tokens: list[str]) -> None:
    spec = {"type": "Replace", "pattern": {"Regex": pattern}, "content": "<>"}
    assert build(spec).decode(tokens) == reference(spec).decode(tokens)


def test_every_byte_of_byte_level_and_byte_fallback() -> None:
    assert sorted(STAND_INS.values()) == list(range(256))
    for byte in range(256):
        for spelling in (f"<0x{byte:02X}>", f"<0x{byte:02x}>"):
            assert fallback_byte(spelling) == byte
    for stand_in in STAND_INS:
        for tokens in ([stand_in], ["â", stand_in, "¡"]):
            spec = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
            assert build(spec).decode(tokens) == reference(spec).decode(tokens)


@pytest.mark.parametrize(
    "token",
    ["<0x4>", "<0x414>", "<0X41>", "<0x4+>", "<0x 1>", "<0x１１>", "0x41", "<0x41", "<0x--1>"],
)
def test_what_is_no_byte_token(token: str) -> None:
    assert fallback_byte(token) is None
    assert reference({"type": "ByteFallback"}).decode([token]) == token


METASPACE: dict[str, Any] = {"type": "Metaspace", "replacement": "▁"}
REPLACE: dict[str, Any] = {"type": "Replace", "content": "b"}
LEGACY = [
    {"suffix": "</w>"},
    {"prefix": "##", "cleanup": True},
    {"prefix": "##", "cleanup": True, "suffix": "x"},
    {"pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"prefix": None, "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"suffix": None, "prefix": "##", "cleanup": False},
    {"pattern": {"String": "a"}, "content": "b"},
    {"pattern": 3, "content": " ", "start": 1, "stop": 0},
    {"content": " ", "start": 1, "stop": 0},
    {"type": "Sequence", "decoders": [{"suffix": "</w>"}, {"type": "Fuse"}]},
    {**METASPACE, "add_prefix_space": True},
    {"type": "Metaspace", "replacement": "_", "add_prefix_space": True, "prepend_scheme": "never"},
    {**METASPACE, "str_rep": "▁", "split": None},
    {
        "type": "Metaspace",
        "replacement": "▁",
        "add_prefix_space": False,
        "prepend_scheme": "never",
    },
]


@pytest.mark.parametrize("spec", LEGACY, ids=json.dumps)
@given(tokens=TOKENS)
@settings(max_examples=25, deadline=None)
def test_legacy_spellings(spec: dict[str, Any], tokens: list[str]) -> None:
    assert build(spec).decode(tokens) == reference(spec).decode(tokens)


WRONG = [
    ({"type": "ByteLevel"}, "decoder.add_prefix_space"),
    ({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": 1}, "decoder.trim_offsets"),
    ({"type": "Strip", "content": "xy", "start": 1, "stop": 0}, "decoder.content"),
    ({"type": "Strip", "content": "x", "start": -1, "stop": 0}, "decoder.start"),
    ({"type": "Strip", "content": "x", "start": 1.0, "stop": 0}, "decoder.start"),
    ({"type": "Strip", "content": "x", "start": 1, "stop": 2**64}, "decoder.stop"),
    ({"type": "Replace", "content": "b"}, "decoder.pattern"),
    ({"type": "Replace", "pattern": "a", "content": "b"}, "decoder.pattern"),
    ({"type": "Replace", "pattern": {"Glob": "a"}, "content": "b"}, "decoder.pattern"),
    (
        {"type": "Replace", "pattern": {"String": "a", "Regex": "a"}, "content": ""},
        "decoder.pattern",
    ),
    ({"type": "Metaspace", "replacement": ""}, "decoder.replacement"),
    (
        {**METASPACE, "add_prefix_space": False},
        "decoder.add_prefix_space",
    ),
    (
        {**METASPACE, "prepend_scheme": "last"},
        "decoder.prepend_scheme",
    ),
    ({**METASPACE, "prepend_scheme": None}, "decoder.prepend_scheme"),
    ({**METASPACE, "str_rep": 3}, "decoder.str_rep"),
    ({"type": "BPEDecoder"}, "decoder.suffix"),
    ({"type": "WordPiece", "prefix": "##"}, "decoder.cleanup"),
    ({"type": "CTC", "pad_token": "p", "cleanup": True}, "decoder.word_delimiter_token"),
    ({"prefix": None, "cleanup": True}, "decoder.prefix"),
    ({"suffix": 1, "prefix": None, "cleanup": True}, "decoder.suffix"),
    ({"type": "Sequence"}, "decoder.decoders"),
    ({"type": "Sequence", "decoders": [{"type": "Fuse"}, None]}, "decoder.decoders[1]"),
    ({"decoders": [{"type": "Fuse"}]}, "decoder.type"),
    ({}, "decoder.type"),
]


@pytest.mark.parametrize(("spec", "place"), WRONG, ids=lambda value: json.dumps(value))
def test_a_wrong_field_is_an_error_that_names_the_place(spec: Any, place: str) -> None:
    with pytest.raises(SpecError) as error:
        build(spec)
    assert error.value.place == place
    with pytest.raises(Exception, match="untagged enum"):
        reference(spec)


def test_an_unknown_decoder_is_named_with_its_place() -> None:
    spec = {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Reverse", "other": "x"}]}
    with pytest.raises(UnsupportedError, match=r"decoder\.decoders\[1\]\.type.*'Reverse'"):
        build(spec)


def test_a_sequence_that_contains_itself_is_refused() -> None:
    spec: dict[str, Any] = {"type": "Sequence", "decoders": []}
    spec["decoders"] += [{"type": "Fuse"}, spec, spec]
    with pytest.raises(SpecError, match="more than 1000 decoders"):
        build(spec)


def test_deep_nesting_is_flattened() -> None:
    spec: dict[str, Any] = {"type": "Fuse"}
    for _ in range(900):
        spec = {"type": "Sequence", "decoders": [spec]}
    assert build(spec).decode(["a", "b"]) == "ab"
