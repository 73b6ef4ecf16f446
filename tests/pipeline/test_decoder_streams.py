"""Streams of every decoder: the same text as at once, and as early as it can be."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from decoder_cases import COMMON, DECODER, NEEDLE, build, fixed, ids_of, vocabularies
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.detokenize import TokenStream
from textcore.pipeline.decode_plan import plan_decoder
from textcore.pipeline.decoder_streams import Pipeline
from textcore.pipeline.decoders import (
    ByteFallback,
    Decoder,
    Replace,
    Sequence,
    SpaceJoin,
    steps_of,
)
from textcore.pipeline.following import Follower, Needle, Unfollowable
from textcore.pipeline.patterns.syntax import Node as PatternNode
from textcore.pipeline.patterns.syntax import Repeat
from textcore.pipeline.patterns.syntax import Sequence as Items
from textcore.pipeline.rewriters import Finder, StripEnds, rewriter_of

STRIP = fixed(
    type="Strip", content=st.sampled_from(" ▁a"), start=st.integers(0, 3), stop=st.integers(0, 3)
)
SPECS = (
    st.sampled_from(COMMON)
    | DECODER
    | fixed(type="Sequence", decoders=st.tuples(DECODER, STRIP, DECODER).map(list))
    | fixed(
        type="Sequence",
        decoders=st.tuples(st.sampled_from(COMMON[1:]), STRIP, DECODER, DECODER).map(list),
    )
)


class StreamedFallback(ByteFallback):
    """Byte fallback as a stream shows it: ill-formed runs as Python's codec does."""

    @staticmethod
    def _decode_run(run: bytearray) -> list[str]:
        return [run.decode("utf-8", "replace")]


def streamed(decoder: Decoder) -> Decoder:
    """The decoder that a stream's text is to equal."""
    return Sequence(
        [StreamedFallback() if isinstance(d, ByteFallback) else d for d in steps_of(decoder)]
    )


def chunks(data: st.DataObject, ids: list[int]) -> list[list[int]]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=6)))
    edges = [0, *cuts, len(ids)]
    return [ids[a:b] for a, b in itertools.pairwise(edges)]


@settings(max_examples=500, deadline=None)
@given(SPECS, vocabularies(), st.data(), st.booleans())
def test_pieces_joined_are_the_whole(
    spec: dict[str, Any] | None, vocabulary: dict[int, str], data: st.DataObject, skip: bool
) -> None:
    decoder = SpaceJoin() if spec is None else build(spec)
    special = data.draw(st.sets(st.sampled_from(sorted(vocabulary)), max_size=3))
    ids = data.draw(ids_of(vocabulary))
    kept = [vocabulary[i] for i in ids if i in vocabulary and not (skip and i in special)]
    expected = streamed(decoder).decode(kept)
    plan = plan_decoder(decoder, vocabulary, special)
    stream = TokenStream(*plan.stream_parts(skip))
    pieces = [stream.add(chunk) for chunk in chunks(data, ids)]
    pieces.append(stream.flush())
    assert "".join(pieces) == expected
    assert stream.text == expected


@settings(max_examples=200, deadline=None)
@given(SPECS, vocabularies(), st.data())
def test_the_plan_streams_as_the_plain_stages(
    spec: dict[str, Any] | None, vocabulary: dict[int, str], data: st.DataObject
) -> None:
    decoder = SpaceJoin() if spec is None else build(spec)
    ids = data.draw(ids_of(vocabulary))
    compiled = TokenStream(*plan_decoder(decoder, vocabulary, set()).stream_parts(True))
    plain = TokenStream(None, Pipeline(decoder, vocabulary), True)
    for i in ids:
        assert compiled.add(i) == plain.add(i)
    assert compiled.flush() == plain.flush()


@settings(deadline=None)
@given(NEEDLE.filter(bool), st.lists(st.text(st.sampled_from("ab ▁#"), max_size=4)))
def test_finder_finds_as_replace_does(literal: str, parts: list[str]) -> None:
    finder = Finder(Needle(literal))
    found = [piece for part in parts for piece in finder.push(part)] + [finder.end()]
    text = "".join("<>" if piece is None else piece for piece in found)
    assert text == "".join(parts).replace(literal, "<>")


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("xy"), max_size=4)), st.integers(0, 4), st.integers(0, 4))
def test_strip_holds_no_more_than_may_go(parts: list[str], start: int, stop: int) -> None:
    strip = StripEnds("x", start, stop)
    done = ""
    for count, part in enumerate(parts, 1):
        done += strip.push(part)
        bare = "".join(parts[:count])
        head = len(bare) - len(bare.lstrip("x"))
        held = bare[min(head, start) :][len(done) :]
        assert held == "x" * len(held)
        assert len(held) <= stop


def sequence(*decoders: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "decoders": list(decoders)}


FUSE = {"type": "Fuse"}
FALLBACK = {"type": "ByteFallback"}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
ARROW = {"type": "Replace", "pattern": {"String": "-->"}, "content": "→"}


@pytest.mark.parametrize(
    ("spec", "tokens", "pieces"),
    [
        # A partial occurrence is held, and no more.
        (sequence(FUSE, ARROW), ["ab-", "-", "-", ">c", "-"], ["ab", "", "-", "→c", "", "-"]),
        # What may be stripped from the end is held.
        (
            sequence(FUSE, {"type": "Strip", "content": " ", "start": 1, "stop": 1}),
            ["  a", " ", " ", "b "],
            [" a", "", " ", " b", ""],
        ),
        # A word end shows as a space only if a token follows.
        ({"type": "BPEDecoder", "suffix": "</w>"}, ["a</w>", "b", "c</w>"], ["a", " b", "c", ""]),
        # Tokens that are rewritten one by one come at once.
        (
            {"type": "WordPiece", "prefix": "##", "cleanup": True},
            ["a", "##b", "."],
            ["a", "b", ".", ""],
        ),
        (sequence({"type": "WordPiece", "prefix": "##", "cleanup": True}, FUSE), ["a"], ["a", ""]),
        (None, ["a", "b"], ["a", " b", ""]),
        # Repeats count once, padding not at all.
        (
            {"type": "CTC", "pad_token": "_", "word_delimiter_token": "|", "cleanup": True},
            ["l", "l", "_", "l", "|"],
            ["l", "", "", "l", " ", ""],
        ),
        # Bytes are held only while a character is incomplete.
        (
            sequence(FALLBACK, FUSE),
            ["<0x41>", "<0xC3>", "<0xA9>", "<0xC3>"],
            ["A", "", "é", "", "�"],
        ),
        (sequence(FALLBACK, FUSE), ["<0xC3>", "x"], ["", "�x", ""]),
        (sequence(FALLBACK, ARROW), ["<0x41>", "<0x2D>", "b"], ["A", "", "-b", ""]),
        (sequence(BYTE_LEVEL, ARROW), ["Ã", "©", "-", "Ġ"], ["", "é", "", "- ", ""]),
        # Whether a token is a byte token is seen as soon as it is none.
        (sequence(FUSE, FALLBACK), ["<0x", "4", "z"], ["", "", "<0x4z", ""]),
        (sequence(FUSE, BYTE_LEVEL), ["Ġ", " ", "Ġ"], ["", "Ġ ", "Ġ", ""]),
    ],
)
def test_text_comes_as_early_as_it_can(
    spec: dict[str, Any] | None, tokens: list[str], pieces: list[str]
) -> None:
    vocabulary = dict(enumerate(tokens))
    plan = plan_decoder(None if spec is None else build(spec), vocabulary)
    stream = TokenStream(*plan.stream_parts(False))
    assert [*map(stream.add, vocabulary), stream.flush()] == pieces


class Counted(dict[int, str]):
    """A vocabulary that counts how often a token is looked up."""

    lookups = 0

    def __getitem__(self, key: int) -> str:
        self.lookups += 1
        return super().__getitem__(key)


def test_no_token_is_decoded_twice() -> None:
    vocabulary = Counted({0: "a</w>", 1: "b"})
    plan = plan_decoder(build({"type": "BPEDecoder", "suffix": "</w>"}), vocabulary)
    vocabulary.lookups = 0
    stream = TokenStream(*plan.stream_parts(False))
    for _ in range(500):
        stream.add(0)
        stream.add([1, 1])
    stream.flush()
    assert vocabulary.lookups == 1500
    assert stream.text == "a bb" * 500


PATTERNS = [
    "a",
    r"\s+",
    "a+b",
    "ab|abcd|bc",
    "a(?=b)",
    "a(?!bb)",
    "a$",
    r"a\z",
    r"a\Z",
    "(?:a|b)*c",
    "a{2,3}",
    "a{0,2}b",
    "(?i)ss",
    "a+?b?",
    "(?>a|ab)c",
    "[ab]c+[^d]",
    "(a|aa)+$",
    # Those that are not followed: everything is held.
    "a*",
    "(?<=a)b",
    "^a",
    r"\ba",
    r"(a)\1",
    "",
]


def replaced(pattern: str) -> Replace:
    decoder = build({"type": "Replace", "pattern": {"Regex": pattern}, "content": "<>"})
    assert isinstance(decoder, Replace)
    return decoder


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=80, deadline=None)
@given(parts=st.lists(st.text(st.sampled_from("aabbc dsS\nß"), max_size=5), max_size=7))
def test_a_pattern_in_the_whole_text(pattern: str, parts: list[str]) -> None:
    decoder = replaced(pattern)
    rewriter = rewriter_of(decoder, True)
    pieces = [*map(rewriter.push, parts), rewriter.end()]
    assert "".join(pieces) == decoder.map_token("".join(parts), True, True)


@pytest.mark.parametrize(
    ("pattern", "parts", "pieces"),
    [
        ("a", ["xax", "a"], ["x<>x", "<>", ""]),
        (r"\s+", ["x ", " ", " y z", "w"], ["x", "", "<>y<>z", "w", ""]),
        ("abc", ["xab", "abc"], ["x", "ab<>", ""]),
        ("ab|abcd", ["abc", "d"], ["", "<>cd", ""]),
        ("abcd|ab", ["abc", "x"], ["", "<>cx", ""]),
        ("a$", ["xa", "\n", "y"], ["x", "<>\n", "y", ""]),
        (r"a\Z", ["a", "\n", "y"], ["", "", "a\ny", ""]),
        (r"a\Z", ["a", "\n"], ["", "", "<>\n"]),
        ("a(?=b)", ["xa", "b", "a"], ["x", "<>b", "", "a"]),
        # Text inside a match is no place for another one to begin.
        ("ab|bcd+", ["ab", "c", "x"], ["<>", "c", "x", ""]),
        ("a*", ["x", "a"], ["", "", "<>x<>"]),
    ],
)
def test_matches_are_replaced_as_soon_as_they_are_certain(
    pattern: str, parts: list[str], pieces: list[str]
) -> None:
    rewriter = rewriter_of(replaced(pattern), True)
    assert [*map(rewriter.push, parts), rewriter.end()] == pieces


def test_a_large_pattern_is_not_followed() -> None:
    assert replaced("(?:a{20}b{20}){13}").follower is None
    assert replaced("(?:ab){30}").follower is not None


def test_repeats_of_nothing_end() -> None:
    tree: PatternNode = Items(())
    for _ in range(20):
        tree = Repeat(tree, 400, 400, "greedy")
    with pytest.raises(Unfollowable):
        Follower(tree)


@pytest.mark.parametrize("text", ["a" * 600, "ab" * 300, "a c" * 200])
def test_no_character_is_followed_twice_without_a_match(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    step = Follower.step

    def counted(self: Follower, *arguments: Any) -> dict[int, int]:
        steps.append(arguments)
        return step(self, *arguments)

    monkeypatch.setattr(Follower, "step", counted)
    rewriter = rewriter_of(replaced("a+b*c+d"), True)
    for character in text:
        rewriter.push(character)
    assert len(steps) <= len(text)
