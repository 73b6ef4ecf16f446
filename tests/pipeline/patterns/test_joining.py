"""Splits in turn that run as one, against the same splits one after the other."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.windows import WindowScanner, levels
from textcore.pipeline.patterns import compile_pattern, runs
from textcore.pipeline.patterns.cutting import SHIFT, Move
from textcore.pipeline.patterns.joining import join

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DEEPSEEK = (
    r"\p{N}{1,3}",
    r"[一-龥\u3040-ゟ゠-ヿ]+",
    r"[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+",
)
JOINED = {
    "deepseek": DEEPSEEK,
    "digits, then words": (r"\p{N}", GPT2),
    "digits together, then words": (r"\p{N}+|[^\p{N}]+", GPT2),
    "words, then digits": (GPT2, r"\p{N}"),
    "words, then threes": (r"[\p{P}]+", GPT2, r"\p{N}", "[0-9][0-9][0-9]"),
    "lines, then words": (r"\n|[^\n]+", r" ?\p{L}+|\s+(?!\S)|\s+"),
    "a space before": (r"\s?\p{L}+", r"\s?[!-/:-~]+", r"\p{N}"),
    "single ones": ("x", "[ab]", "a"),
    "runs in runs": ("[abx]+", "[ax]+", "x{1,3}"),
    "before a gap": (r" \n", "a+"),
}
APART = {
    "the second splits what the first counts": ("[a1]{1,3}", "1"),
    "the first searches on": ("abc", "[^a]"),
    "an empty match": ("a*", "b"),
    "two cuts by one character": (r"\s?\p{L}+", "[一-龥]+"),
    "two searches at once": (r"\s+x|\s+", r"\s+y|\s+", "ab"),
}
SMALL = [
    *DEEPSEEK, GPT2, r"\p{N}+|[^\p{N}]+", r"\n|[^\n]+", r" ?\p{L}+|\s+(?!\S)|\s+", r"\s?\p{L}+",
    r"\s?[!-/:-~]+", "x", "[ab]", "abc|a", "[abx]+", "x{1,3}", r" \n", "ab?", "a(?!b)", "a+(?!b)",
    "[ab]{2,3}", "(?:ab)+", r"\s*\n|\s+", "a+|[^a]", "abxa?",
]  # fmt: skip
ALPHABET = [
    " ", " ", "\n", "\r\n", "a", "a", "b", "x", "Word", "'s", "1", "12", "1234", ".", "!?", "é",
    "中", "文", "ー", "・", "の", "\u3000", "\u00a0", "e\u0301", "\x00", "²", "👍", "-", "abc",
]  # fmt: skip
texts = st.lists(st.sampled_from(ALPHABET), max_size=60).map("".join)
narrow_texts = st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=4).flatmap(
    lambda few: st.lists(st.sampled_from(few), max_size=60).map("".join)
)


@cache
def known(pattern):
    return compile_pattern(pattern, "oniguruma")


def compiled(patterns):
    return [known(pattern) for pattern in patterns]


def divided(automaton, pieces):
    parts = []
    for piece in pieces:
        ends = automaton.find_cuts(piece)
        parts += [piece[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    return parts


def in_turn(splits, text):
    pieces = [text] if text else []
    for split in splits:
        pieces = divided(split.automaton, pieces)
    return pieces


@pytest.fixture(scope="module", params=JOINED)
def joined(request):
    splits = compiled(JOINED[request.param])
    (run,) = runs(splits)
    return splits, run


@settings(max_examples=200)
@given(text=texts | narrow_texts, batch=st.integers(2, 9))
def test_one_table_cuts_as_all_in_turn(joined, text, batch):
    splits, run = joined
    ends = run.automaton.find_cuts(text, batch)
    assert [text[a:b] for a, b in zip([0, *ends], ends, strict=False)] == in_turn(splits, text)


@pytest.mark.parametrize("level", levels())
@settings(max_examples=100)
@given(text=texts | narrow_texts)
def test_windows_of_the_table_cut_as_all_in_turn(joined, level, text):
    splits, run = joined
    if run.windows is None:
        return
    scanner = WindowScanner(run.automaton, **vars(run.windows), level=level)
    assert scanner.cut(text) == in_turn(splits, text)


@settings(max_examples=300)
@given(
    patterns=st.lists(st.sampled_from(SMALL), min_size=2, max_size=4),
    text=st.text("abx \n\t\u30001.中'", max_size=40),
)
def test_any_splits_joined_or_not_cut_as_all_in_turn(patterns, text):
    splits = compiled(patterns)
    pieces = [text] if text else []
    for run in runs(splits):
        pieces = divided(run.automaton, pieces)
    assert pieces == in_turn(splits, text)


@pytest.mark.parametrize("name", APART)
def test_splits_that_do_not_join_run_one_after_the_other(name):
    made = runs(compiled(APART[name]))
    assert len(made) > 1
    assert [key for run in made for key in run.patterns] == [
        ("oniguruma", pattern) for pattern in APART[name]
    ]


def test_those_are_joined_that_can_be():
    made = runs(compiled([*APART["the first searches on"], "[xy]+", "y"]))
    assert [len(run.patterns) for run in made][-1] > 1


def test_slow_moves_go_back_to_a_match():
    splits = compiled(JOINED["words, then digits"])
    (run,) = runs(splits)
    rows = run.joint.cuts
    assert any(entry & Move.SLOW for row in rows for entry in row[:-1])
    assert all(entry >> SHIFT for row in rows for entry in row[:-1] if not entry & Move.SLOW)


def test_a_split_without_a_table_is_not_joined():
    one = compile_pattern("a", "oniguruma").tables
    assert join([(one.block_of, one.blocks, ()), (one.block_of, one.blocks, ())]) is None


def test_single_splits_stay_as_they_are():
    pattern = compile_pattern(GPT2, "oniguruma")
    (run,) = runs([pattern])
    assert run.automaton is pattern.automaton
    assert run.joint is None
