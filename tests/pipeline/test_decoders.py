"""Every decoder against the component of the same name in ``tokenizers``."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.decoders import STAND_INS, Strip, build_decoder, fallback_byte
from textcore.pipeline.spec import Node


def reference(spec: dict[str, Any]) -> Any:
    """The reference's decoder for a component of a tokenizer.json."""
    file = {
        "version": "1.0",
        "added_tokens": [],
        "decoder": spec,
        "model": {"type": "BPE", "vocab": {}, "merges": []},
    }
    return tokenizers.Tokenizer.from_str(json.dumps(file)).decoder


def build(spec: Any) -> Any:
    return build_decoder(Node(spec, "decoder"))


TEXT = st.text(st.sampled_from(" ▁_ab#'Ġðć.é中😀|\ufffd\n"), max_size=5)
TOKENS = st.lists(
    TEXT
    | st.sampled_from(["<0x41>", "<0xe4>", "<0xB8>", "<0xAD>", "<0x+A>", "<0x-0>", "<0xG1>"])
    | st.sampled_from(["##s", " do not", " n't", " ' ", " 've", "</w>", "a</w>", "<pad>", "<0xé>"])
    | st.sampled_from(sorted(STAND_INS)),
    max_size=8,
)
NEEDLE = st.text(st.sampled_from("ab ▁#"), max_size=3)
FLAG = st.booleans()


def fixed(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {k: v if isinstance(v, st.SearchStrategy) else st.just(v) for k, v in fields.items()}
    )


STEP = st.one_of(
    fixed(type="ByteLevel", add_prefix_space=FLAG, trim_offsets=FLAG),
    fixed(type="ByteFallback"),
    fixed(type="Fuse"),
    # Only from the start: the reference panics where "stop" exceeds a token's length.
    fixed(type="Strip", content=st.sampled_from(" ▁a"), start=st.integers(0, 3), stop=st.just(0)),
    fixed(type="Replace", pattern=fixed(String=NEEDLE), content=NEEDLE),
    fixed(
        type="Metaspace",
        replacement=st.sampled_from("▁_"),
        prepend_scheme=st.sampled_from(["first", "never", "always"]),
    ),
    fixed(type="BPEDecoder", suffix=NEEDLE | st.just("</w>")),
    fixed(type="WordPiece", prefix=st.just("##") | NEEDLE, cleanup=FLAG),
    fixed(
        type="CTC", pad_token=st.just("<pad>") | NEEDLE, word_delimiter_token=NEEDLE, cleanup=FLAG
    ),
)
DECODER = STEP | fixed(type="Sequence", decoders=st.lists(STEP, max_size=4))


@settings(max_examples=600)
@given(DECODER, TOKENS)
def test_decodes_as_the_reference(spec: dict[str, Any], tokens: list[str]) -> None:
    assert build(spec).decode(tokens) == reference(spec).decode(tokens)


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
@settings(max_examples=60)
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


LEGACY = [
    {"suffix": "</w>"},
    {"prefix": "##", "cleanup": True},
    {"prefix": "##", "cleanup": True, "suffix": "x"},
    {"pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"pattern": {"String": "a"}, "content": "b"},
    {"content": " ", "start": 1, "stop": 0},
    {"type": "Sequence", "decoders": [{"suffix": "</w>"}, {"type": "Fuse"}]},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "never"},
    {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "split": None},
    {
        "type": "Metaspace",
        "replacement": "▁",
        "add_prefix_space": False,
        "prepend_scheme": "never",
    },
]


@pytest.mark.parametrize("spec", LEGACY, ids=json.dumps)
@given(tokens=TOKENS)
@settings(max_examples=25)
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
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False},
        "decoder.add_prefix_space",
    ),
    (
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"},
        "decoder.prepend_scheme",
    ),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": None}, "decoder.prepend_scheme"),
    ({"type": "Metaspace", "replacement": "▁", "str_rep": 3}, "decoder.str_rep"),
    ({"type": "BPEDecoder"}, "decoder.suffix"),
    ({"type": "WordPiece", "prefix": "##"}, "decoder.cleanup"),
    ({"type": "CTC", "pad_token": "p", "cleanup": True}, "decoder.word_delimiter_token"),
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
    spec = {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Reverse", "suffix": "x"}]}
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
