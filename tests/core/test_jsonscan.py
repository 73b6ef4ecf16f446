"""JsonScanner against RFC 8259's grammar written as a regex, and against json itself."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.jsonscan import JsonScanner

GRAMMAR = regex.compile(
    r"""
    (?(DEFINE)
      (?P<ws>[ \t\n\r]*+)
      (?P<str>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")
      (?P<num>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
      (?P<obj>\{(?&ws)(?:(?&member)(?:,(?&ws)(?&member))*)?\})
      (?P<member>(?&str)(?&ws):(?&ws)(?&val)(?&ws))
      (?P<arr>\[(?&ws)(?:(?&item)(?:,(?&ws)(?&item))*)?\])
      (?P<item>(?&val)(?&ws))
      (?P<val>(?&str)|(?&num)|true|false|null|(?&obj)|(?&arr))
    )(?&val)
    """,
    regex.VERBOSE,
)

tokens = st.sampled_from(
    [
        *'{}[],: \n"\\aué01-+.eE\x00',
        "\\u00e9",
        "\\ud83d",
        "12",
        "true",
        "null",
        "fals",
        '"k"',
        '"a":',
    ]
)
json_like = st.lists(tokens, max_size=14).map("".join)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
)


def status(scanner: JsonScanner) -> str:
    return "bad" if scanner.bad else "done" if scanner.done else "open"


def expected_status(text: str, partial: bool) -> str:
    """``text`` is judged on its own if not ``partial``, else as what may go on."""
    if GRAMMAR.fullmatch(text):
        # Only a number can go on behind its end.
        return "open" if partial and text[-1].isdigit() else "done"
    return "open" if GRAMMAR.fullmatch(text, partial=True) else "bad"


@given(json_like)
def test_every_character_is_judged_as_the_grammar_does(text: str) -> None:
    scanner = JsonScanner()
    for at, character in enumerate(text):
        taken = scanner.feed(character)
        if scanner.done and taken == 0:
            # A number, ended by the first character behind it.
            assert expected_status(text[:at], False) == "done"
            assert expected_status(text[: at + 1], True) == "bad"
            return
        assert status(scanner) == expected_status(text[: at + 1], True)
        if scanner.done or scanner.bad:
            assert taken == (1 if scanner.done else 0)
            return
    assert scanner.finish() == bool(GRAMMAR.fullmatch(text))


@given(json_like, st.lists(st.integers(1, 6)))
def test_any_chunking_gives_the_same_end(text: str, sizes: list[int]) -> None:
    whole = JsonScanner(("k", "a"))
    end = whole.feed(text)
    cut = JsonScanner(("k", "a"))
    position = 0
    for size in [*sizes, len(text)]:
        piece = text[position : position + size]
        taken = cut.feed(piece)
        position += taken
        if taken < len(piece):
            break
    assert (position, cut.done, cut.bad) == (end, whole.done, whole.bad)
    assert (cut.span(0), cut.span(1)) == (whole.span(0), whole.span(1))


@given(
    values,
    st.booleans(),
    st.sampled_from([None, 1, "\t"]),
    st.sampled_from([(",", ":"), (" ,  ", "\n: ")]),
    st.text(max_size=3),
)
def test_json_is_accepted_and_its_end_found(
    value: object, ascii_only: bool, indent: Any, separators: tuple[str, str], more: str
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)
    scanner = JsonScanner()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        more = ""
    end = scanner.feed(text + more)
    assert scanner.finish()
    assert end == len(text)


keys = st.one_of(st.sampled_from(["name", "arguments", "é", "😀"]), st.text(max_size=3))


@given(st.lists(st.tuples(keys, values), max_size=5), st.booleans())
def test_spans_are_the_values_of_the_outermost_object(
    members: list[tuple[str, object]], ascii_only: bool
) -> None:
    wanted = ("name", "arguments", "é", "😀", "")
    body = ", ".join(
        f"{json.dumps(key, ensure_ascii=ascii_only)} : {json.dumps(value)}"
        for key, value in members
    )
    text = "{" + body + "}"
    scanner = JsonScanner(wanted)
    assert scanner.feed(text) == len(text)
    found = {}
    for index, key in enumerate(wanted):
        span = scanner.span(index)
        if span is not None:
            found[key] = text[slice(*span)]
    assert found == {key: json.dumps(value) for key, value in members if key in wanted}


def test_keys_compare_unescaped() -> None:
    scanner = JsonScanner(("name", "😀", 'a"\\/\b\f\n\r\t', "\ud800"))
    text = r'{"n\u0061me":1,"\uD83d\udE00":2,"a\"\\\/\b\f\n\r\t":3,"\ud800":4}'
    scanner.feed(text)
    assert scanner.done
    spans = [scanner.span(key) for key in range(4)]
    assert [text[slice(*span)] for span in spans if span] == ["1", "2", "3", "4"]


def test_a_key_that_only_begins_or_ends_like_ours_is_another() -> None:
    scanner = JsonScanner(("name",))
    scanner.feed('{"nam":1,"names":2,"":3,"x":{"name":4},"' + "n" * 1000 + '":5}')
    assert scanner.done
    assert scanner.span(0) is None


def test_spans_grow_while_the_value_does() -> None:
    scanner = JsonScanner(("a",))
    scanner.feed('{"a":')
    assert scanner.span(0) is None
    scanner.feed(" [1")
    assert scanner.span(0) == (6, -1)
    scanner.feed("]")
    assert scanner.span(0) == (6, 9)


def test_start_forgets_the_value_before() -> None:
    scanner = JsonScanner(("a",))
    scanner.feed('{"a":[[[')
    scanner.start()
    assert scanner.feed('x{"a":1}', 1) == 8
    assert scanner.done
    assert scanner.span(0) == (5, 6)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "01", "1.", ".5", "+1", "'a'"])
def test_near_misses_of_json(text: str) -> None:
    scanner = JsonScanner()
    scanner.feed(text + " ")
    assert not scanner.done


def test_wrong_uses() -> None:
    with pytest.raises(ValueError, match="64"):
        JsonScanner(("k" * 65,))
    with pytest.raises(TypeError):
        JsonScanner((1,))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        JsonScanner().feed(b"{}")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="outside"):
        JsonScanner().feed("{}", 3)
    with pytest.raises(IndexError):
        JsonScanner(("a",)).span(1)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000 + "]" * 1_000_000,
        '{"a":' * 300_000 + "0" + "}" * 300_000,
        "1" * 2_000_000 + " ",
        '"' + "\\u0041" * 300_000 + '"',
        '{"' + "k" * 2_000_000 + '":0}',
    ],
    ids=["arrays", "objects", "number", "escapes", "key"],
)
def test_hostile_values_cost_no_more_than_their_length(text: str) -> None:
    scanner = JsonScanner(("k",))
    start = time.perf_counter()
    for at in range(0, len(text), 4):
        scanner.feed(text[at : at + 4])
    assert scanner.done
    assert time.perf_counter() - start < 5
