"""Every split pattern in use finds what its own engine finds, with either engine of ours."""

from __future__ import annotations

import pytest
from pattern_reference import (
    ONIGURUMA,
    RUST,
    SCALARS,
    Oniguruma,
    borders,
    by_regex,
    texts,
    tiktoken_pieces,
)

from textcore.pipeline.patterns import Pattern, compile_pattern

AUTOMATA = {name: pattern for name, pattern in ONIGURUMA.items() if name != "superword"}


def non_empty(pattern: Pattern, text: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end in pattern.finditer(text) if start < end]


@pytest.fixture(scope="module", params=ONIGURUMA)
def family(request: pytest.FixtureRequest) -> tuple[str, Pattern, Oniguruma]:
    pattern = ONIGURUMA[request.param]
    return pattern, compile_pattern(pattern, "oniguruma"), Oniguruma(pattern)


# Between them, these have every set that occurs in any of the families.
@pytest.mark.parametrize("name", ["qwen3_5", "kimi", "deepseek_cjk", "deepseek_words", "bloom"])
def test_equals_tokenizers_on_every_scalar_value(name: str) -> None:
    compiled = compile_pattern(ONIGURUMA[name], "oniguruma")
    assert non_empty(compiled, SCALARS) == Oniguruma(ONIGURUMA[name]).spans(SCALARS)


def test_equals_tokenizers_at_the_borders_of_its_classes(
    family: tuple[str, Pattern, Oniguruma],
) -> None:
    pattern, compiled, reference = family
    text = "".join(f"a{char}B{char} {char}{char}1" for char in borders(pattern, "oniguruma"))
    assert non_empty(compiled, text) == reference.spans(text)


def test_equals_tokenizers_on_random_texts(family: tuple[str, Pattern, Oniguruma]) -> None:
    pattern, compiled, reference = family
    for text in texts(1, 80, borders(pattern, "oniguruma")):
        assert non_empty(compiled, text) == reference.spans(text), repr(text)


def test_cuts_where_tokenizers_isolates(family: tuple[str, Pattern, Oniguruma]) -> None:
    _, compiled, reference = family
    for text in texts(2, 60):
        spans = compiled.finditer(text)
        cuts = sorted({at for span in spans for at in span} | {len(text)} - {0})
        assert [at for at in cuts if at] == reference.cuts(text), repr(text)
        if compiled.automaton is not None:
            assert compiled.automaton.find_cuts(text) == reference.cuts(text), repr(text)
            assert compiled.automaton.find_cuts(text, 3) == reference.cuts(text), repr(text)


@pytest.mark.parametrize("name", AUTOMATA)
def test_both_engines_agree(name: str) -> None:
    compiled = compile_pattern(AUTOMATA[name], "oniguruma")
    backtracking = by_regex(AUTOMATA[name], "oniguruma")
    assert (compiled.engine, backtracking.engine) == ("automaton", "regex")
    for text in texts(3, 50, borders(AUTOMATA[name], "oniguruma")):
        assert compiled.finditer(text) == backtracking.finditer(text), repr(text)


@pytest.mark.parametrize("name", AUTOMATA)
def test_runs_in_linear_time_by_proof(name: str) -> None:
    automaton = compile_pattern(AUTOMATA[name], "oniguruma").automaton
    assert automaton is not None
    assert automaton.linear


@pytest.mark.parametrize("name", ["gpt2", "llama3", "qwen", "qwen3_5", "o200k", "tekken", "kimi"])
def test_leaves_nothing_out_by_proof(name: str) -> None:
    automaton = compile_pattern(ONIGURUMA[name], "oniguruma").automaton
    assert automaton is not None
    assert automaton.covers


@pytest.mark.parametrize("name", ["deepseek_digits", "deepseek_cjk", "deepseek_words", "clip"])
def test_knows_that_it_leaves_something_out(name: str) -> None:
    automaton = compile_pattern(ONIGURUMA[name], "oniguruma").automaton
    assert automaton is not None
    assert not automaton.covers


def test_a_long_look_ahead_goes_through_regex() -> None:
    compiled = compile_pattern(ONIGURUMA["superword"], "oniguruma")
    assert (compiled.engine, compiled.automaton) == ("regex", None)


@pytest.mark.parametrize("name", RUST)
def test_equals_tiktoken_on_every_scalar_value(name: str) -> None:
    compiled = compile_pattern(RUST[name], "rust")
    text = SCALARS
    pieces = [text[start:end] for start, end in compiled.finditer(text)]
    assert tiktoken_pieces(RUST[name], text, pieces) == pieces


@pytest.mark.parametrize("name", RUST)
def test_equals_tiktoken_on_random_texts(name: str) -> None:
    compiled = compile_pattern(RUST[name], "rust")
    assert compiled.engine == "automaton"
    for text in texts(4, 40, borders(RUST[name], "rust")):
        pieces = [text[start:end] for start, end in compiled.finditer(text)]
        assert tiktoken_pieces(RUST[name], text, pieces) == pieces, repr(text)


@pytest.mark.parametrize("name", RUST)
def test_both_engines_agree_on_rust_patterns(name: str) -> None:
    compiled = compile_pattern(RUST[name], "rust")
    backtracking = by_regex(RUST[name], "rust")
    for text in texts(5, 50):
        assert compiled.finditer(text) == backtracking.finditer(text), repr(text)
