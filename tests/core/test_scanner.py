"""The compiled automaton over tables written by hand."""

from __future__ import annotations

import sys
import threading

import pytest

from textcore.core.scanner import Automaton

# Classes: 0 for everything else, 1 for "a", 2 for "é", 3 for "字", 4 for "😀".
MEMBERS = {ord("a"): 1, ord("é"): 2, ord("字"): 3, ord("😀"): 4}
# The blocks with members and, second, one for all other code points.
BLOCKS = [0, 0x10FF, ord("字") >> 8, ord("😀") >> 8]
BLOCK_OF = [BLOCKS.index(number) if number in BLOCKS else 1 for number in range(0x1100)]


def blocks() -> bytes:
    flat = bytearray(256 * len(BLOCKS))
    for code, member in MEMBERS.items():
        flat[BLOCKS.index(code >> 8) * 256 + (code & 0xFF)] = member
    return bytes(flat)


# [aé字😀]+: state 1 before a match, state 2 in one.
MOVES = [[0] * 6, [0, 4, 4, 4, 4, 0], [1, 5, 5, 5, 5, 1]]
STARTS = [1] * 6


def words() -> Automaton:
    return Automaton(BLOCK_OF, blocks(), MOVES, STARTS, linear=True)


def test_spans_count_characters() -> None:
    assert words().find_spans("aé字😀 x 😀b字é") == [(0, 4), (7, 8), (9, 11)]


def test_spans_of_ascii() -> None:
    assert words().find_spans("baab") == [(1, 3)]
    assert words().find_spans("") == []


def test_cuts_are_on_both_sides_of_the_matches() -> None:
    assert words().find_cuts("é字 😀") == [2, 3, 4]
    assert words().find_cuts("") == []


@pytest.mark.parametrize("batch", [2, 3, 7, 1000])
def test_cuts_do_not_depend_on_the_batch(batch: int) -> None:
    text = "aé b字  😀xé" * 20
    assert words().find_cuts(text, batch) == words().find_cuts(text)


def test_an_empty_match_right_after_a_match_is_left_out() -> None:
    starred = Automaton(BLOCK_OF, blocks(), [[0] * 6, [1, 3, 3, 3, 3, 1]], [1] * 6)
    assert starred.find_spans("bab") == [(0, 0), (1, 2), (3, 3)]
    assert starred.find_spans("字字") == [(0, 2)]


def test_a_start_may_depend_on_the_character_before() -> None:
    # An "a" that no "é" precedes: after "é" a match begins in the dead state.
    moves = [[0] * 6, [0, 4, 0, 0, 0, 0], [1] * 6]
    automaton = Automaton(BLOCK_OF, blocks(), moves, [1, 1, 0, 1, 1, 1])
    assert automaton.find_spans("aéa字a") == [(0, 1), (4, 5)]
    assert automaton.find_cuts("aéa字a", 2) == [1, 4, 5]


def test_size_is_states_and_classes() -> None:
    assert words().size == (3, 5)


def test_a_lone_surrogate_is_an_encoding_error() -> None:
    for find in (words().find_spans, words().find_cuts):
        with pytest.raises(UnicodeEncodeError):
            find("a\udfff")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("block_of", BLOCK_OF[:-1]),
        ("block_of", [9, *BLOCK_OF[1:]]),
        ("block_of", [-1, *BLOCK_OF[1:]]),
        ("blocks", b""),
        ("blocks", blocks()[:-1]),
        ("blocks", bytes([5]) + blocks()[1:]),
        ("moves", []),
        ("moves", [[0] * 6, [0] * 5]),
        ("moves", [[0] * 6, [6] * 6]),
        ("moves", [[0] * 6, [-1] * 6]),
        ("moves", [[2] * 6, [0] * 6]),
        ("moves", [[0] * 6, [1 << 40] * 6]),
        ("moves", [[0], [0]]),
        ("starts", [1] * 5),
        ("starts", [3] * 6),
        ("cuts", [[0] * 5]),
        ("cuts", [[1 << 4] * 6]),
        ("cuts", [[-1] * 6]),
    ],
)
def test_inconsistent_tables_are_refused(part: str, value: object) -> None:
    parts = {
        "block_of": BLOCK_OF,
        "blocks": blocks(),
        "moves": MOVES,
        "starts": STARTS,
        "cuts": (),
    }
    with pytest.raises(ValueError, match=r"automaton|cutting"):
        Automaton(**{**parts, part: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("move", [1, 3, 4, 5, 8])
def test_a_cutting_table_that_lies_is_no_danger(move: int) -> None:
    # Every character cut, or none; always slow; a match recorded that is none.
    automaton = Automaton(BLOCK_OF, blocks(), MOVES, STARTS, [[move] * 6])
    cuts = automaton.find_cuts("ab字 é" * 50, 5)
    assert all(0 <= cut <= 250 for cut in cuts)


def test_a_batch_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="two cuts"):
        words().find_cuts("a", 1)


def test_one_automaton_serves_many_threads() -> None:
    automaton = words()
    text = "aé b字  😀xé" * 300
    expected = automaton.find_spans(text)
    found: list[bool] = []

    def search() -> None:
        found.extend(automaton.find_spans(text) == expected for _ in range(20))

    threads = [threading.Thread(target=search) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [True] * 80


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("x", "a", False),  # no match holds the first, but what is between matches goes on
        ("x", "x", False),
        ("a", "x", False),  # a match ends there; without `covers`, that is not said to be a cut
        ("a", "a", None),
    ],
)
def test_what_holds_between_two_characters(before: str, after: str, expected: bool | None) -> None:
    assert words().parts(before, after) is expected


def test_between_two_characters_of_a_text_that_matches_cover() -> None:
    # [aé字😀]+|[^aé字😀]: every character is in a match.
    moves = [[0] * 6, [6, 4, 4, 4, 4, 0], [1, 5, 5, 5, 5, 1], [1] * 6]
    automaton = Automaton(BLOCK_OF, blocks(), moves, STARTS, covers=True, linear=True)
    assert automaton.find_cuts("aéxx字") == [2, 3, 4, 5]
    assert automaton.parts("a", "x") is True
    assert automaton.parts("x", "x") is True
    assert automaton.parts("a", "字") is None


def test_a_match_that_begins_by_its_context_parts_nothing() -> None:
    moves = [[0] * 6, [0, 4, 4, 4, 4, 0], [1, 5, 5, 5, 5, 1], [0] * 6]
    automaton = Automaton(BLOCK_OF, blocks(), moves, [3, 1, 1, 1, 1, 1], linear=True)
    assert automaton.parts("x", "a") is None


@pytest.mark.parametrize(("before", "after"), [("", "a"), ("a", ""), ("aa", "a")])
def test_a_place_is_between_two_characters(before: str, after: str) -> None:
    with pytest.raises(ValueError, match="one character"):
        words().parts(before, after)
