"""Texts out of lines of JSON, beside ``json.loads``."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textcore.core.jsonlines import json_documents

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "text", "tex", "text2", "é"]), VALUES, max_size=4)
# Pieces of JSON in any order: what is nearly JSON is where a reader goes wrong.
LONG = "long enough for words of eight bytes " * 9
TOKENS = (
    '{ } [ ] : , " "text" "x" "text":"y" \\ \\u00e9 \\n \\ud83d\\ude00 \\ud83d \\u12 \\x 1 - 0 01 '
    "1. 1.5e+3 e true null nul NaN -Infinity é"
)
PIECES = st.lists(
    st.sampled_from([*TOKENS.split(" "), " ", "\t", "\r", "\x0b", "\x1f", "\ufeff"]), max_size=12
).map("".join)


def text_of(line: str) -> str | None:
    """The text that a line gives by ``json.loads``; None where it gives none."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str) or any("\ud800" <= char <= "\udfff" for char in text):
        return None
    return text


def read(data: str) -> tuple[list[str], int]:
    documents, stopped = json_documents(data.encode(), b"text")
    return [documents[index].decode() for index in range(len(documents))], stopped


def check(line: str) -> None:
    """What is taken is what Python takes, with Python's text."""
    texts, stopped = read(line)
    if stopped < 0 and line.strip(" \t\r\n"):
        assert text_of(line) == "".join(texts)


@given(OBJECTS, st.booleans(), st.sampled_from([(",", ":"), (" , ", " : ")]))
def test_objects_give_pythons_text(value, ascii_only, separators):
    line = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    try:
        line.encode()
    except UnicodeEncodeError:
        line = json.dumps(value)
    check(line)
    # Nothing ordinary is left to Python.
    if text_of(line) and not any(word in line for word in ("NaN", "Infinity", "\\")):
        assert read(line)[1] == -1


@given(PIECES.filter(lambda text: "\n" not in text))
@example('{"text":"a"}')
@example('{"text":"a"} x')
@example('{"text":1,"text":"a"}')
@example('{"text":"a","text":"b"}')
@example('{"text":"a","text":1}')
@example('{"te\\u0078t":"a"}')
@example('{"text":"a","b":[1,]}')
@example('{"text":"a",}')
@example('{"text":"a","b":{"c":[{"d":[]},{}]}}')
@example('{"text":"a","b":[}]}')
@example('{"text":"\\ud83d\\ude00\\ud83dx"}')
@example('{"text":"a","b":' + "[" * 70 + "]" * 70 + "}")
@example('{"text":"a","b":' + "9" * 5000 + "}")
def test_what_is_nearly_json_is_not_taken_for_it(line):
    check(line)


@given(st.text(alphabet='{}[]":,\\text019.eE+-ulrnfas \t', max_size=24))
def test_random_text_is_not_taken_for_json(text):
    check('{"text":"a","b":' + text)
    check('{"text":"' + text)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"text":"\\"\\\\\\/\\b\\f\\n\\r\\t"}', '"\\/\b\f\n\r\t'),
        ('{"text":"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00"}', "Aé€😀"),
        ('{"x":[{"text":"no"}],"text":"yes"}', "yes"),
        ('{"text":"x","text":"y"}', "y"),
        (' {\t"text" : "x" } \r', "x"),
        ('{"text":"' + LONG + '\\n"}', LONG + "\n"),
    ],
)
def test_a_line_is_read_without_python(line, text):
    assert read(line) == ([text], -1)


def test_blank_lines_are_passed_over_and_empty_texts_counted():
    documents, stopped = json_documents(b'\n \t\r\n{"text":""}\n{"text":"a"}', b"text")
    assert (len(documents), documents.empty, stopped) == (1, 1, -1)


@pytest.mark.parametrize(
    "bad",
    ["x", '{"text":1}', '{"text":null}', '{"other":"a"}', '{"text":"\\ud800"}', "[]", "{}"],
)
def test_it_stops_at_the_first_line_that_is_left_to_python(bad):
    good = '{"text":"a"}\n'
    data = good + good + bad + "\n" + good
    assert read(data) == (["a", "a"], 2 * len(good))
    documents, stopped = json_documents(data.encode(), b"text", len(data) - len(good))
    assert (len(documents), stopped) == (1, -1)


@pytest.mark.parametrize("start", [-1, 2])
def test_it_starts_inside_of_the_data(start):
    with pytest.raises(ValueError, match="start"):
        json_documents(b"\n", b"text", start)
