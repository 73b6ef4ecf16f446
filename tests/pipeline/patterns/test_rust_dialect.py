"""Patterns are read as fancy-regex and the regex crate read them."""

from __future__ import annotations

import pytest
import tiktoken
from pattern_reference import SCALARS, borders, texts, tiktoken_pieces

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.patterns import compile_pattern


def found(pattern: str, text: str) -> list[str]:
    """What a pattern finds, after a check that ``tiktoken`` finds the same."""
    spans = compile_pattern(pattern, "rust").finditer(text)
    pieces = [text[start:end] for start, end in spans if start < end]
    assert tiktoken_pieces(pattern, text, pieces) == pieces
    return pieces


# Each is read otherwise in the dialect of tokenizer.json, or not at all.
@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a{1,2}+a", "aaa", ["aaa"]),
        ("a{1,2}+a", "aa", []),
        ("a{2}?", "aaa", ["aa"]),
        ("(?i:ss)", "ßSS", ["SS"]),
        ("(?i:k)", "K", ["K"]),
        (r"(?i:\p{Lu})", "aA", ["a", "A"]),
        (r"(?i:[^\p{Lu}])", "aA1", ["1"]),
        ("a(?i)b|c", "aBaC", ["aB", "C"]),
        ("(?s:a.b)", "a\nb", ["a\nb"]),
        ("(?m)^b$", "a\nb\nc", ["b"]),
        ("b$", "b\n", []),
        ("(?m:^)b", "a\nb", ["b"]),
        (r"\pL+", "aé1", ["aé"]),
        (r"\p{Script=Greek}", "aα", ["α"]),
        (r"[a-z--[b-y]]+", "abz", ["a", "z"]),
        (r"[a-c~~[b-d]]+", "abcd", ["a", "d"]),
        (r"[\w&&[^\d]]+", "a1b", ["a", "b"]),
        ("[]a]+", "]a", ["]a"]),
        ("[-a]+", "-a", ["-a"]),
        ("[[:alpha:]]+", "aé", ["a"]),
        (r"(?<x>a)\k<x>", "aa", ["aa"]),
        (r"(?P<x>a)(?P=x)", "aa", ["aa"]),
        (r"(a|b)\1", "abb", ["bb"]),
        (r"(?>a|ab)c", "abcac", ["ac"]),
        (r"(?x) a  # b" + "\n c", "ac", ["ac"]),
        (r"(?U)a+", "aa", ["a", "a"]),
        (r"\x61\x{62}\u0063", "abc", ["abc"]),
        (r"\h+", "0fG", ["0f"]),
        (r"\ba\b", "a ba", ["a"]),
        (r"(?<=a)b(?!c)", "abab", ["b", "b"]),
        ("{a}", "{a}", ["{a}"]),
    ],
)
def test_syntax(pattern: str, text: str, matches: list[str]) -> None:
    assert found(pattern, text) == matches


@pytest.mark.parametrize(
    "pattern", [r"\w+", r"\s+", r"\d", "(?i)[k-s]+", r"(?i)\p{Ll}+", r"[^\W\d]+"]
)
def test_named_sets_hold_the_same_scalar_values(pattern: str) -> None:
    assert found(pattern, SCALARS)


@pytest.mark.parametrize(
    "pattern",
    [
        r"[^\r\n\p{L}]?+\p{L}++|\p{N}{1,3}+|\s++$|\s",
        r"(?i)k+|[a-f]{2,3}?|(?<!a)\d+|\b.",
        r"(?:ab|a)(?=b)|(?m:^)\w|\s+(?!\S)",
    ],
)
def test_random_texts(pattern: str) -> None:
    for text in texts(6, 50, borders(pattern, "rust")):
        found(pattern, text)


REFUSED = r"( ) [ [b-a] * a** \p{Nope} [\w-a] (?P=x) \x{zz} (?#"
UNSUPPORTED = r"a{3,2} ^* (?=a)+ \X \G \q \K (?(1)a|b)(c) \p{scx=Greek} (?z)a (?i:(a)\1)"


@pytest.mark.parametrize("pattern", REFUSED.split())
def test_what_the_reference_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks={b"a": 0}, special_tokens={})
    with pytest.raises(SpecError) as error:
        compile_pattern(pattern, "rust", "here")
    assert not isinstance(error.value, UnsupportedError)


@pytest.mark.parametrize("pattern", UNSUPPORTED.split())
def test_what_is_not_known_is_unsupported(pattern: str) -> None:
    with pytest.raises(UnsupportedError, match="here: unsupported in a pattern at character"):
        compile_pattern(pattern, "rust", "here")
