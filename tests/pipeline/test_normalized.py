"""Texts that keep their alignments, where no component of the reference shows it."""

from __future__ import annotations

from array import array

import pytest
from component_support import CharacterModel, reference
from hypothesis import given
from hypothesis import strategies as st

from textcore.pipeline.matches import Literal
from textcore.pipeline.normalized import NormalizedString, PreTokenizedString, Split, char_of_byte


def test_unchanged_text_stands_for_itself() -> None:
    text = NormalizedString("aé日")
    assert text.alignments == [(0, 1), (1, 2), (2, 3)]
    assert text.slice(1, 3).alignments == [(1, 2), (2, 3)]


def test_slice_knows_its_original() -> None:
    text = NormalizedString("Hello there")
    text.replace(Literal("ll"), "LLL")
    part = text.slice(2, 5)
    assert (part.normalized, part.original, (part.start, part.stop)) == ("LLL", "l", (3, 4))
    assert part.alignments == [(3, 4)] * 3


def test_transform_follows_its_changes() -> None:
    """The first of four is removed, the second replaced and the third with it, one is new."""
    text = NormalizedString("abcd")
    text.transform("xyz", array("i", [-1, 1, 0]), initial_offset=1)
    assert text.normalized == "xyz"
    assert text.alignments == [(1, 2), (2, 3), (3, 4)]


def test_new_character_at_the_start_stands_for_none() -> None:
    text = NormalizedString("zab").slice(1, 3)
    text.transform("xab", array("i", [1, 0, 0]))
    assert text.alignments == [(1, 1), (1, 2), (2, 3)]


def test_append_stands_for_the_last_character() -> None:
    text = NormalizedString("ab")
    text.append("xy")
    assert (text.normalized, text.alignments) == ("abxy", [(0, 1), (1, 2), (1, 2), (1, 2)])
    empty = NormalizedString("")
    empty.append("x")
    assert (empty.normalized, empty.alignments) == ("x", [(0, 0)])


def test_clear() -> None:
    text = NormalizedString("aé")
    assert text.clear() == 2
    assert (text.normalized, text.original, text.alignments) == ("", "aé", [])


def test_filter_keeps_each_characters_own_place() -> None:
    text = NormalizedString("xaxbx")
    text.filter(lambda char: char != "x")
    assert (text.normalized, text.alignments) == ("ab", [(1, 2), (3, 4)])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_char_of_byte(text: str) -> None:
    expected = [at for at, char in enumerate(text) for _ in char.encode()]
    assert (char_of_byte(text) or list(range(len(text)))) == expected


def test_split_leaves_tokens_alone_and_drops_empty_parts() -> None:
    pieces = PreTokenizedString("a-b")
    token = (0, "a", (0, 1))
    pieces.split(lambda _, text: [Split(text.slice(0, 1), [token]), text.slice(1, 3)])
    pieces.split(lambda _, text: [text.slice(0, 0), text.slice(0, 1), text.slice(1, 2)])
    assert pieces.get_splits() == [
        ("a", (0, 1), [token]),
        ("-", (1, 2), None),
        ("b", (2, 3), None),
    ]


def test_into_encoding_wants_tokens_everywhere() -> None:
    with pytest.raises(ValueError, match="split 0"):
        PreTokenizedString("a").into_encoding()


@pytest.mark.parametrize("span", [(0, 0), (-1, 1), (2, 1)])
def test_token_without_a_place_is_refused(span: tuple[int, int]) -> None:
    pieces = PreTokenizedString("é")
    pieces.tokenize(lambda text: [(0, text, span)])
    with pytest.raises(ValueError, match="a token at bytes"):
        pieces.into_encoding()


def test_word_index_of_a_pretokenized_input() -> None:
    words = ["ab", "c d"]
    split = {"type": "WhitespaceSplit"}
    expected = reference(pre_tokenizer=split).encode(words, is_pretokenized=True)
    got: list[int | None] = []
    for index, word in enumerate(words):
        pieces = PreTokenizedString(word)
        pieces.split(lambda _, text: text.split(Literal(" "), "Removed"))
        pieces.tokenize(CharacterModel().tokenize)
        got += pieces.into_encoding(word_index=index).word_ids
    assert got == expected.word_ids
