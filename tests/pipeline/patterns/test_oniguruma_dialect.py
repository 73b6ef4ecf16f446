"""Patterns are read as Oniguruma reads them: what they match, and what is refused."""

from __future__ import annotations

import pytest
from pattern_grammar import Grammar
from pattern_reference import SCALARS, Oniguruma, by_regex

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.patterns import Pattern, compile_pattern


def compiled(pattern: str) -> Pattern:
    return compile_pattern(pattern, "oniguruma", "here")


def found(pattern: str, text: str) -> list[str]:
    """What a pattern finds, after a check that the reference finds the same."""
    spans = compiled(pattern).finditer(text)
    assert [span for span in spans if span[0] < span[1]] == Oniguruma(pattern).spans(text)
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize("seed", range(8))
def test_random_patterns_mean_what_they_mean_to_the_reference(seed: int) -> None:
    grammar = Grammar(seed)
    refused = accepted = 0
    for _ in range(120):
        pattern = grammar.pattern()
        try:
            reference = Oniguruma(pattern)
        except Exception:
            with pytest.raises(SpecError):
                compiled(pattern)
            refused += 1
            continue
        try:
            engines = [compiled(pattern), by_regex(pattern, "oniguruma")]
        except UnsupportedError:
            continue
        accepted += 1
        for text in (grammar.text() for _ in range(4)):
            cuts = reference.cuts(text)
            for engine in engines:
                spans = engine.finditer(text)
                assert [s for s in spans if s[0] < s[1]] == reference.spans(text), (pattern, text)
                borders = {at for span in spans for at in span} | {len(text)}
                assert sorted(borders - {0}) == cuts, (pattern, text)
            if engines[0].automaton is not None:
                assert engines[0].automaton.find_cuts(text, 2) == cuts, (pattern, text)
    assert refused > 5
    assert accepted > 50


# What a counted repeat, options and escapes mean here and not elsewhere.
@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("(?:a{1,2}+)a", "aaa", ["aaa"]),
        ("a{2}?", "aaaa", ["aa", "aa"]),
        ("a{3,2}a", "aaa", []),
        ("a{,2}b", "aaab", ["aab"]),
        ("a{,}", "a{,}", ["a{,}"]),
        ("(?m:a.b)", "a\nb", ["a\nb"]),
        ("a.b", "a\nb", []),
        ("^b$", "a\nb\nc", ["b"]),
        (r"\Ab", "a\nb", []),
        (r"a\Z", "a\n", ["a"]),
        (r"\h+", "09afAFg", ["09afAF"]),
        (r"\pL", "pL", ["pL"]),
        (r"\Qa", "Qa", ["Qa"]),
        ("a(?i)b|c", "aBaC", ["aB", "aC"]),
        ("(?x: a # b\n c)", "ac", ["ac"]),
        ("a(?#b)c", "ac", ["ac"]),
        ("[a&&b]|[a-c&&^b]", "abc^", ["b"]),
        ("[a-z&&[^b]]+", "abc", ["a", "c"]),
        ("[]a]+", "]a", ["]a"]),
        ("[a-]+", "a-b", ["a-"]),
        ("[[:digit:][:^alpha:]]+", "1 a", ["1 "]),
        ("]{}", "]{}", ["]{}"]),
        (r"(?<x>a)(?<x>b)\k<x>", "abb", ["abb"]),
        (r"(a)\1", "aab", ["aa"]),
        (r"\141\x62\x{63}\u0064", "abcd", ["abcd"]),
        (r"\xE3\x81\x82", "あ", ["あ"]),
        (r"a\Kb", "ab", ["b"]),
        (r"\R", "\r\n\n\x85", ["\r\n", "\n", "\x85"]),
        (r"\N+", "ab\n", ["ab"]),
        (r"\O+", "ab\n", ["ab\n"]),
        (r"(?<=a|bc)d", "adbcd", ["d", "d"]),
        (r"(?>a|ab)c", "abc", []),
        ("(?W:\\w+)", "aé", ["a"]),
    ],
)
def test_syntax(pattern: str, text: str, matches: list[str]) -> None:
    assert found(pattern, text) == matches


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("(?i:ss)", "ß ẞ sS ſs", ["ß", "ẞ", "sS", "ſs"]),
        ("(?i:ß)", "ss SS ẞ", ["ss", "SS", "ẞ"]),
        ("(?i:[ß])", "ss SS ẞ", ["ss", "SS", "ẞ"]),
        ("(?i:[^ß])", "ssẞ", ["s", "s"]),
        ("(?i:k)", "kKK", ["k", "K", "K"]),
        ("(?i:[a-z])", "ſK", ["ſ", "K"]),
        (r"(?i:\p{Lu})", "aA", ["A"]),
        (r"(?i:[\p{Lu}])", "aA", ["a", "A"]),
        ("(?i:s(?:s))", "ß", ["ß"]),
        ("(?i:s(s))", "ß", []),
        ("(?i:ss*)", "ß", []),
        ("(?i:ffi)", "ﬃ ﬀi", ["ﬃ"]),
        ("(?<=(?i:ss))a", "ssa ßa", ["a"]),
        ("(?i:ẖ)", "ẖ H̱", ["ẖ", "H̱"]),
    ],
)
def test_ignoring_case_folds_strings(pattern: str, text: str, matches: list[str]) -> None:
    assert found(pattern, text) == matches


# No character above these has case, nor is part of a string that one folds to.
CASED = SCALARS[:0x1F000]


@pytest.mark.parametrize("pattern", ["(?i:[^a-zß])", "(?i:[k-sß])", r"(?i:[\p{Ll}])"])
def test_folded_classes_hold_the_same_characters(pattern: str) -> None:
    matches = [s for s in compiled(pattern).finditer(CASED) if s[0] < s[1]]
    assert matches == Oniguruma(pattern).spans(CASED)


@pytest.mark.parametrize("pattern", [r"[\w]+", "[[:graph:]]+", r"\b"])
def test_named_sets_hold_the_same_scalar_values(pattern: str) -> None:
    spans = compiled(pattern).finditer(SCALARS)
    cuts = sorted({at for span in spans for at in span} | {len(SCALARS)})
    assert [at for at in cuts if at] == Oniguruma(pattern).cuts(SCALARS)


REFUSED = """( ) a) [ [] [b-a] [a * a|* {1} ^* (?=a)+ (?<!(a)) \\ (?<=a\\z) \\p{Nope} \\p{L [\\w-a]
[[:nope:]] \\2(a) \\k<a> (?<a>b)\\1 a{100001} \\u12 (?z:a) (?<1a>b) (?# [a-\\w]"""

UNSUPPORTED = """\\X \\y (a)\\g<1> (?~ab) (?(1)a|b)(c) (*FAIL) (?y{w})a (?i:(a)\\1) (?<a>b)\\k<a+1>
\\M-a \\xff (?L)a \\x{110000} \\x{d800} \\400 [a-[b]]"""


@pytest.mark.parametrize("pattern", REFUSED.split())
def test_what_the_reference_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(Exception, match="Oniguruma error"):
        Oniguruma(pattern)
    with pytest.raises(SpecError) as error:
        compiled(pattern)
    assert not isinstance(error.value, UnsupportedError)
    assert error.value.place == "here"


@pytest.mark.parametrize("pattern", UNSUPPORTED.split())
def test_what_is_not_known_is_unsupported(pattern: str) -> None:
    with pytest.raises(UnsupportedError, match="here: unsupported in a pattern at character"):
        compiled(pattern)
