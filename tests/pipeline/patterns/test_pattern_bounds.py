"""Patterns and texts that are made to be slow are refused, or take no time."""

from __future__ import annotations

import time

import pytest

from textcore.errors import SpecError, TextError, UnsupportedError
from textcore.pipeline.patterns import compile_pattern, matching

HOSTILE = {
    "parentheses": "(" * 90_000,
    "closed_parentheses": "(" * 45_000 + ")" * 45_000,
    "classes": "[" * 90_000,
    "quantifiers": "a" + "{2}" * 30_000,
    "lazy_quantifiers": "a" + "+?" * 30_000,
    "multiplied": "(?:(?:a{1000}b){1000}){1000}",
    "multiplied_twenty_times": "(?:" * 20 + "ab" + "){10}" * 20,
    "sets": r"[\p{L}a]" * 10_000,
    "length": "a" * 100_001,
    "sets_ignoring_case": r"(?i)" + r"[\p{L}]" * 400,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("dialect", ["oniguruma", "rust"])
def test_what_multiplies_is_refused_at_once(name: str, dialect: str) -> None:
    began = time.process_time()
    with pytest.raises(SpecError):
        compile_pattern(HOSTILE[name], dialect)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "pattern",
    ["(?:a?){300}", "(?:.{0,300}){0,300}", "(?:a|b)*a(?:a|b){14}", "a{3000}", "[ab]{2,}"],
)
def test_what_would_be_many_states_is_compiled_at_once(pattern: str) -> None:
    began = time.process_time()
    text = "ab" * 2_000
    assert compile_pattern(pattern, "oniguruma").finditer(text) is not None
    assert time.process_time() - began < 3


# Searches that begin anew at each match read all of the text, each time in vain.
@pytest.mark.parametrize(
    ("pattern", "unit", "matches"),
    [
        ("a*b|a", "a", 200_000),
        ("a*b", "a", 0),
        (r"\s+x|\s", " ", 200_000),
        ("(?:ab)*c|ab|x", "ab", 200_000),
        ("あ*b|あ", "あ", 200_000),
    ],
)
def test_searches_that_fail_late_take_linear_time(pattern: str, unit: str, matches: int) -> None:
    compiled = compile_pattern(pattern, "oniguruma")
    assert compiled.engine == "automaton"
    assert compiled.automaton is None
    began = time.process_time()
    assert len(compiled.finditer(unit * 200_000)) == matches
    assert time.process_time() - began < 3


@pytest.mark.parametrize("unit", [" ", "\n ", "\n    x", "a", "'", "1", "A", "\r\n\t", "é", "字"])
def test_a_million_characters_of_one_kind_take_linear_time(unit: str) -> None:
    pattern = (
        r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{Lu}*\p{Ll}+|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    compiled = compile_pattern(pattern, "oniguruma")
    text = "\n" + unit * (1_000_000 // len(unit)) + "x"
    began = time.process_time()
    assert compiled.finditer(text)[-1][1] == len(text)
    assert time.process_time() - began < 3


def test_backtracking_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "BASE_SECONDS", 0.2)
    compiled = compile_pattern(r"(x+)(x+)(x+)(x+)\1\2[yz]", "oniguruma", "pre_tokenizer.pattern")
    assert compiled.engine == "regex"
    with pytest.raises(SpecError, match=r"pre_tokenizer\.pattern: the pattern takes too long"):
        compiled.finditer("x" * 300)


def test_an_automaton_does_not_backtrack() -> None:
    compiled = compile_pattern("(?:x+x+)+y|x", "oniguruma")
    assert len(compiled.finditer("x" * 1000)) == 1000


@pytest.mark.parametrize("pattern", ["a", r"(a)\1"])
def test_a_lone_surrogate_is_an_error(pattern: str) -> None:
    with pytest.raises(TextError, match="lone surrogate"):
        compile_pattern(pattern, "oniguruma").finditer("aa\ud800")


def test_an_unknown_dialect_is_an_error() -> None:
    with pytest.raises(SpecError, match="unknown dialect 'perl'"):
        compile_pattern("a", "perl", "here")


def test_deep_nesting_on_a_deep_stack_is_an_error_and_no_crash() -> None:
    def deeper(levels: int) -> object:
        if levels:
            return deeper(levels - 1)
        return compile_pattern("(" * 45 + "a" + ")" * 45, "oniguruma")

    with pytest.raises(UnsupportedError, match="nested too deep"):
        deeper(800)
