"""Automata keep the order of backtracking, and what is proved of them holds."""

from __future__ import annotations

import random

import pytest
from pattern_grammar import Grammar
from pattern_reference import by_regex

from textcore.errors import SpecError
from textcore.pipeline.patterns import Pattern, automaton, compile_pattern, oniguruma
from textcore.pipeline.patterns.cutting import Move, cutting_rows
from textcore.pipeline.patterns.folding import resolve


def tables(pattern: str) -> automaton.Tables:
    return automaton.tables(resolve(oniguruma.parse(pattern, "")))


@pytest.mark.parametrize(
    ("pattern", "text", "first"),
    [
        ("a|ab", "ab", "a"),
        ("ab|a", "ab", "ab"),
        ("(?:a|ab)(?:c|bcd)", "abcd", "abcd"),
        ("a+?b?", "aab", "a"),
        ("a*?b", "aab", "aab"),
        ("(?:a|b)??b", "bb", "b"),
        ("x*(?=y)|x", "xxz", "x"),
        ("a{2,3}?a", "aaaa", "aaa"),
        (r"\s+(?!\S)|\s+", "   x", "  "),
        ("(?:a(?!b)|ab)c?", "abc", "abc"),
        ("a$|ab", "ab", "ab"),
        ("(?:^|b)a", "ba", "ba"),
    ],
)
def test_the_first_choice_that_leads_to_a_match_wins(pattern: str, text: str, first: str) -> None:
    compiled = compile_pattern(pattern, "oniguruma")
    start, end = compiled.finditer(text)[0]
    assert compiled.engine == "automaton"
    assert text[start:end] == first
    assert compiled.finditer(text) == by_regex(pattern, "oniguruma").finditer(text)


# Where what follows could use what the repeat holds, no automaton is possible as it is.
@pytest.mark.parametrize(
    ("pattern", "engine"),
    [
        ("a++b", "automaton"),
        ("a++a", "regex"),
        ("a*+$", "automaton"),
        ("(?:a++|b)*", "automaton"),
        ("(?:a++|b)*c", "regex"),
        ("(?:a++b)*", "automaton"),
        ("[ab]++(?=a)", "regex"),
        ("[ab]++(?!a)", "regex"),
        ("a?+b?a?", "automaton"),
        ("a?+ab", "regex"),
        ("(?>ab)c", "automaton"),
        ("(?>a|b)c", "automaton"),
        ("(?>a|ab)c", "regex"),
        ("(?>a+?)a", "automaton"),
        ("(?:ab)*+a", "regex"),
        ("(?:|a)*", "regex"),
        ("(?=ab)a", "regex"),
        (r"(a)\1", "regex"),
        (r"a\Kb", "regex"),
        (r"\Ga", "regex"),
        (r"a\Z", "regex"),
        ("(?<=ab)c", "regex"),
        (r"(?<=a)b|\bc|^d|e$", "automaton"),
        (r"(?=\s+|$)a?", "automaton"),
    ],
)
def test_which_engine_runs_a_pattern(pattern: str, engine: str) -> None:
    compiled = compile_pattern(pattern, "oniguruma")
    backtracking = by_regex(pattern, "oniguruma")
    assert compiled.engine == engine
    for text in ("aab", "abab c", "ba aa", "aaaa", "bcd\ne", "", "abaab", " ab"):
        assert compiled.finditer(text) == backtracking.finditer(text), text


@pytest.mark.parametrize(
    ("pattern", "covers"),
    [
        (r"\w+|\W+", True),
        (r"\w+|\W", True),
        (r"\w+|\s+", False),
        (r"\w+|[^\w]?x|\W", True),
        (r"\w*|\W+", False),
        (r"\w+|\W+(?!\w)", False),
        (r"\O", True),
        (".", False),
        (r"(?<!a)\O|\O", True),
        (r"(?<!a)\O", False),
    ],
)
def test_covers(pattern: str, covers: bool) -> None:
    assert automaton.covers(tables(pattern)) == covers


@pytest.mark.parametrize(
    ("pattern", "linear"),
    [
        ("a*", True),
        ("a*b", False),
        ("a*b|a", False),
        ("a*b|a*", True),
        ("a*b|a+", True),
        ("a*b|a{2}", False),
        (r"\s*\n+|\s+", True),
        (r"\s*\n+|\s", False),
        (r"\s*\n+|\s+(?!\S)|\s+", True),
        ("(?:ab)*c|[ab]+", True),
        ("(?:ab)*c|ab", False),
    ],
)
def test_linear(pattern: str, linear: bool) -> None:
    assert automaton.linear(tables(pattern)) == linear


def steps(made: automaton.Tables, text: str) -> int:
    """How many characters the searches for all matches in ``text`` read."""
    symbols = [made.blocks[made.block_of[ord(c) >> 8] * 256 + (ord(c) & 255)] for c in text]
    position = count = 0
    while position < len(text):
        state = made.starts[symbols[position - 1] if position else -1]
        end = -1
        for at in range(position, len(text)):
            count += 1
            move = made.moves[state][symbols[at]]
            end = at if move & 1 else end
            state = move >> 1
            if not state:
                break
        else:
            end = len(text) if made.moves[state][-1] & 1 else end
        position = max(end, position + 1)
    return count


def random_pattern(chance: random.Random, depth: int = 0) -> str:
    def atom() -> str:
        if depth < 2 and chance.random() < 0.2:
            return f"(?:{random_pattern(chance, depth + 1)})"
        return chance.choice(["a", "b", "[ab]", "[^a]", "c", ".", "(?!a)", "(?=b)", "$"])

    branches = [
        "".join(
            atom() + chance.choice(["", "", "*", "+", "?", "*?", "{1,3}"]) for _ in range(size)
        )
        for size in chance.choices([1, 2, 3, 4], k=chance.randint(1, 3))
    ]
    return "|".join(branches)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_linear_by_proof_is_linear(seed: int) -> None:
    chance = random.Random(seed)
    linear = 0
    while linear < 60:
        try:
            made = tables(random_pattern(chance))
        except (SpecError, automaton.Unfit):
            continue
        before, unit, after = (
            "".join(chance.choices("abc\n", k=chance.randint(low, 3))) for low in (0, 1, 0)
        )
        shorter, longer = (steps(made, before + unit * k + after) for k in (50, 200))
        if automaton.linear(made):
            linear += 1
            assert longer < 5.5 * shorter


def test_what_is_not_linear_can_be_quadratic() -> None:
    made = tables("a*b|a")
    assert steps(made, "a" * 200) > 10 * steps(made, "a" * 50)


def test_states_that_do_the_same_are_one() -> None:
    # Dead, before, and after one character: however it is written.
    assert [len(tables(p).moves) for p in ("a", "a|a", "(?:a|a)(?:)", "[ab]|b")] == [3, 3, 3, 3]


def test_classes_are_what_the_sets_tell_apart() -> None:
    made = tables(r"[a-z]+|[x0-9]+")
    codes = {code: made.blocks[made.block_of[0] * 256 + ord(code)] for code in "amx09!"}
    assert codes["a"] == codes["m"]
    assert codes["0"] == codes["9"]
    assert len({codes[char] for char in "ax0!"}) == 4


@pytest.mark.parametrize("pattern", ["a*", r"\bab", "(?<=a)b"])
def test_empty_matches_and_look_behinds_have_no_cutting_table(pattern: str) -> None:
    made = tables(pattern)
    assert cutting_rows(made.moves, made.starts) == ()


def test_the_end_of_a_match_is_cut_by_the_move_into_the_next() -> None:
    made = tables("[a-z]+|[0-9]+|[^a-z0-9]")
    rows = cutting_rows(made.moves, made.starts)
    assert not any(move & Move.SLOW for row in rows for move in row[:-1])
    assert all(move & Move.CUT for row in rows[1:] for move in row[-1:])


@pytest.mark.parametrize("seed", range(100, 104))
def test_cuts_are_the_borders_of_the_spans(seed: int) -> None:
    grammar = Grammar(seed)
    tried = 0
    while tried < 60:
        try:
            compiled: Pattern = compile_pattern(grammar.pattern(), "oniguruma")
        except SpecError:
            continue
        if compiled.automaton is None:
            continue
        tried += 1
        for text in (grammar.text() * repeats for repeats in (1, 2, 7)):
            cuts = {at for span in compiled.finditer(text) for at in span} | {len(text)}
            for batch in (2, 3, 64):
                assert compiled.automaton.find_cuts(text, batch) == sorted(cuts - {0})
