"""`pattern` and `format`: the JSON text matches exactly when the value does."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import FormatChecker

from textcore.errors import SpecError, UnsupportedError
from textcore.output.schema import json_schema_to_regex
from textcore.output.schema.languages import Pattern, excluding, lengths
from textcore.output.schema.limits import Work

ALPHABET = 'ab-"\\\n\x01é😀'
values = st.text(ALPHABET, max_size=7)


def accepts(schema: dict[str, object], value: str) -> bool:
    """Whether the schema's regex matches the value's canonical text."""
    try:
        regex = json_schema_to_regex({"type": "string", **schema})
    except SpecError as error:
        if "no value satisfies" not in str(error):
            raise
        return False
    return re.fullmatch(regex, json.dumps(value, ensure_ascii=False)) is not None


def parsed(source: str) -> Pattern:
    return Pattern.parse(source, "#/pattern", Work())


# ECMAScript and Python agree on this much, `$` (written \Z for Python) aside.
atoms = st.sampled_from(
    [
        *("a", "b", "-", r"\-", '"', r"\\", r"\n", "é", "😀", r"\u00e9", "(?:)"),
        *("[ab]", "[^a]", r'["\\]', r"[\x00-\x1f]", "[a-é]"),
    ]
)
quantifiers = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?"])


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    quantified = st.builds(lambda p, q: f"(?:{p}){q}", inner, quantifiers)
    return st.one_of(
        quantified,
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda ps: f"({'|'.join(ps)})"),
    )


regular = st.recursive(st.builds(lambda a, q: a + q, atoms, quantifiers), compound, max_leaves=5)
anchored = st.builds(
    lambda parts: "|".join(parts),
    st.lists(
        st.builds(
            lambda a, p, b, q, c: a + p + b + q + c,
            st.sampled_from(["^", "", "(?:^)?", "(?:^|a)"]),
            regular,
            st.sampled_from(["", "", "", "^", "$", "(?:$|b)"]),
            regular,
            st.sampled_from(["$", "", "(?:$)?", "(?:$|b)"]),
        ),
        min_size=1,
        max_size=2,
    ),
)


@settings(max_examples=150, deadline=None)
@given(anchored, st.lists(values, min_size=1, max_size=5))
def test_a_pattern_is_searched_in_the_value(pattern: str, texts: list[str]) -> None:
    oracle = re.compile(pattern.replace("$", r"\Z"))
    language = parsed(pattern)
    for text in texts:
        found = oracle.search(text) is not None
        assert language.matches(text) == found, text
        assert accepts({"pattern": pattern}, text) == found, text


@settings(max_examples=120, deadline=None)
@given(
    regular,
    st.sampled_from(["^{}$", "^{}", "{}"]),
    st.integers(0, 5),
    st.none() | st.integers(0, 7),
    st.lists(values, min_size=1, max_size=5),
)
def test_a_pattern_with_lengths(
    inner: str, form: str, low: int, high: int | None, texts: list[str]
) -> None:
    pattern = form.format(f"(?:{inner})")
    schema: dict[str, object] = {"pattern": pattern, "minLength": low}
    if high is not None:
        schema["maxLength"] = high
    oracle = re.compile(pattern.replace("$", r"\Z"))
    for text in texts:
        expected = (
            oracle.search(text) is not None
            and low <= len(text)
            and (high is None or len(text) <= high)
        )
        try:
            assert accepts(schema, text) == expected, text
        except UnsupportedError as error:
            assert error.place == "#/pattern"  # noqa: PT017
            return


def test_common_patterns_combine_with_lengths() -> None:
    for pattern in ("^[a-z]+$", "^[A-Z][a-z]*$", "^[a-z]+@[a-z]+$", "b", "^(?:ab)*$", "^a.*b"):
        json_schema_to_regex({"type": "string", "pattern": pattern, "maxLength": 12})


@settings(deadline=None)
@given(regular, regular, st.lists(values, max_size=5))
def test_disjoint_patterns_share_no_string(first: str, second: str, texts: list[str]) -> None:
    one, two = parsed(f"^(?:{first})$"), parsed(f"^(?:{second})$")
    if one.disjoint(two):
        assert not any(one.matches(t) and two.matches(t) for t in texts)


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [("^a", "^b", True), ("^a", "b$", False), ("^a+$", "^(aa)+$", False), ("^x-", "^y-", True)],
)
def test_disjoint_is_exact_on_small_patterns(first: str, second: str, apart: bool) -> None:
    assert parsed(first).disjoint(parsed(second)) == apart


@settings(deadline=None)
@given(regular, values)
def test_lengths_bound_every_match(pattern: str, text: str) -> None:
    language = parsed(f"^(?:{pattern})$")
    low, high = lengths(language.node)
    if language.matches(text):
        assert low <= len(text)
        assert high is None or len(text) <= high


@settings(deadline=None)
@given(st.lists(st.text('ab"é', max_size=3), max_size=4), st.text('ab"é', max_size=4))
def test_excluding_leaves_every_other_string(words: list[str], text: str) -> None:
    language = Pattern("", "#", excluding(words), Work())
    assert language.matches(text) == (text not in words)


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("(?=a)", "look-around"),
        ("(?!a)", "look-around"),
        ("(?<=a)b", "look-around"),
        ("(?<!a)b", "look-around"),
        (r"(a)\1", "back-reference"),
        (r"(?<n>a)\k<n>", "back-reference"),
        (r"\bword", "word boundary"),
        (r"\p{L}", "property class"),
        ("(?i:a)", "inline flag"),
        ("(^a)*", "anchor inside a repeated group"),
        ("a{99999}", "count above"),
        ("(" * 60 + ")" * 60, "nested deeper"),
        (r"\q", r"the escape \\q"),
        ("a" * 10_001, "longer than"),
    ],
)
def test_what_a_regex_cannot_honour_is_named(pattern: str, what: str) -> None:
    with pytest.raises(UnsupportedError, match=what) as caught:
        json_schema_to_regex({"type": "string", "pattern": pattern})
    assert caught.value.place == "#/pattern"


@pytest.mark.parametrize(
    "pattern", ["(", ")", "[a", "a**", "*", "[b-a]", r"[\d-z]", "\\", r"\x1", "a{2,1}", r"\u{}"]
)
def test_malformed_patterns(pattern: str) -> None:
    with pytest.raises(SpecError, match="pattern, character") as caught:
        json_schema_to_regex({"type": "string", "pattern": pattern})
    assert caught.value.place == "#/pattern"


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"^\d$", "7", "٧"),  # ECMAScript's classes are ASCII
        (r"^\w$", "_", "é"),
        (r"^\s$", " ", "\x1f"),
        (r"^.$", "é", "\u2028"),
        (r"^a$", "a", "a\n"),  # `$` is the very end
        (r"^\ud83d\ude00$", "😀", "x"),
        (r"^\u{1F600}$", "😀", "x"),
        (r"^\cA[\b]$", "\x01\x08", "AA"),
        (r"^{}]$", "{}]", "{}"),
        (r"^[]$|^x$", "x", ""),
        (r"^[^]$", "\n", ""),
    ],
)
def test_the_dialect_is_ecmascript(pattern: str, yes: str, no: str) -> None:
    assert accepts({"pattern": pattern}, yes)
    assert not accepts({"pattern": pattern}, no)


FORMATS = {
    "date": "2024-02-29 2023-02-29 2000-02-29 1900-02-29 2024-13-01 0000-01-01 2024-04-31"
    " 2024-1-01 ٢٠٢٤-01-01 0004-02-29 9999-12-31",
    "ipv4": "1.2.3.4 255.255.255.255 256.1.1.1 1.2.3 01.2.3.4 0.0.0.0",
    "ipv6": ":: ::1 1:: 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7:: ::2:3:4:5:6:7:8 1:2:3:4:5:6:1.2.3.4"
    " ::1.2.3.4 1::2::3 12345:: 1:2:3:4:5:6:7 fe80::1:2 1:2:3:4:5:6:7:8:9 ::: 1::3:4:5:6:7:8"
    " 1::2:3:4:5:6:7:8 1:::2",
    "uuid": "2eb8aa08-aa98-11ea-b4aa-73b441d16380 2eb8aa08aa9811eab4aa73b441d16380 2eb8",
}


@pytest.mark.parametrize(
    ("name", "text"), [(n, t) for n, texts in FORMATS.items() for t in texts.split()]
)
def test_formats_agree_with_jsonschema(name: str, text: str) -> None:
    assert accepts({"format": name}, text) == FormatChecker().conforms(text, name)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "time",
            "23:59:59Z 08:30:06.283185Z 12:00:00+05:30",
            "12:00 24:00:00Z 12:00:00 12:00:60Z 12:00:00+24:00",
        ),
        ("date-time", "1985-04-12T23:20:50.52Z", "1985-04-12 1985-02-30T00:00:00Z"),
        ("email", "joe.bloggs@example.com a+b@x.y", "@x a@ a..b@x.y a@-b.c a@b@c"),
        (
            "uri",
            "http://a.b/c?d=e#f mailto:x@y.z urn:a:b file:///x http://[::1]:8080/%20 x:",
            "//a.b a http://a/%zz :x http://[::1 http://é http://a/<b>",
        ),
    ],
)
def test_formats_by_their_standards(name: str, good: str, bad: str) -> None:
    assert [text for text in good.split() if not accepts({"format": name}, text)] == []
    assert [text for text in bad.split() if accepts({"format": name}, text)] == []


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(UnsupportedError, match="'hostname' is not a supported format") as caught:
        json_schema_to_regex({"type": "string", "format": "hostname"})
    assert caught.value.place == "#/format"


def test_a_hostile_pattern_is_matched_in_bounded_time() -> None:
    start = time.perf_counter()
    schema = {"type": "string", "pattern": "^(a+)+$", "enum": ["a" * 5000 + "b", "aa"]}
    assert json_schema_to_regex(schema) == '"aa"'
    assert time.perf_counter() - start < 5
