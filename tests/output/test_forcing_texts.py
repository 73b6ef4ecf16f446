"""Languages over text as it stands: what is written before a tag, and is not mistaken."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textcore.core.literals import LiteralScanner
from textcore.output.forcing.fences import Fence, avoiding, overlaps
from textcore.output.forcing.lookalikes import LOOKS, unmistakable
from textcore.output.forcing.spellings import PythonSpelling
from textcore.output.forcing.texts import raw
from textcore.output.parameter_types import json_value
from textcore.output.schema.fragments import Composer, fragment
from textcore.output.schema.languages import plain
from textcore.output.schema.limits import Work
from textcore.output.schema.patterns import NOTHING, Cat, Node, parse_pattern
from textcore.output.schema.spacing import Spacing


def written(node: Node | None) -> re.Pattern[str]:
    assert node is not None
    made = raw(node, Composer(1_000_000))
    assert made is not None
    return re.compile(made.text)


@given(st.text("ab<", min_size=1, max_size=6), st.text("ab<", max_size=10))
@example("]]>", "]]")
@example("aab", "aa")
@example("abac", "ababa")
def test_avoiding_is_all_text_before_the_tag(tag: str, text: str) -> None:
    accepted = written(avoiding(tag)).fullmatch(text) is not None
    right = (text + tag).find(tag) == len(text)
    assert accepted == right or (overlaps(tag) and right)


@given(st.text("<b/x", max_size=12))
def test_fenced_text_does_not_have_the_tag(text: str) -> None:
    tag = "</b"
    for node in (plain(0, 4), plain(3, None), parse_pattern("^[<b/]*$", "#"), plain(0, None)):
        fence = written(Fence([tag]).around(node, "#", Work()))
        assert not (fence.fullmatch(text) and tag in text)
    assert written(Fence([tag]).text()).fullmatch(text) or tag in text


TEXTS = ["null", "None", "true", "5", "-0.5", "[1]", "{}", " null", "nul", "nulls", "5x", "", "T"]


@pytest.mark.parametrize("others", [("null",), ("boolean", "null"), ("integer",), tuple(LOOKS)])
@pytest.mark.parametrize("bounds", [(0, None), (0, 5), (2, None)])
@given(text=st.one_of(st.sampled_from(TEXTS), st.text("nulTrue 5[{", max_size=6)))
def test_what_is_unmistakable_is_read_as_a_string(
    others: tuple[str, ...], bounds: tuple[int, int | None], text: str
) -> None:
    node = unmistakable(plain(*bounds), others, "", Fence(["</p>"]), "#", Work())
    if written(node).fullmatch(text):
        assert json_value(text, frozenset({*others, "string"}))[0] == '"'
        assert bounds[0] <= len(text) <= (bounds[1] or len(text))


def test_words_are_kept_apart_by_their_ends() -> None:
    fence = Fence(["</p>"])
    accepts = written(unmistakable(plain(0, None), ("null",), "", fence, "#", Work())).fullmatch
    for text in (
        "",
        "nul",
        "nulls",
        "null and void",
        "None of it",
        "New York",
        "5",
        "[",
        "b<b>",
        "<b>",
        "null <b>",
        "nul<",
    ):
        assert accepts(text), text
    for text in ("null", "None", "null ", " x", "null\n"):
        assert not accepts(text), text


@given(st.text())
@example("\x00\x07\x1f'\"\\\n\r\t\x7f")
def test_python_strings_are_read_back(text: str) -> None:
    composer = Composer(100_000)
    spelling = PythonSpelling(composer, Spacing(), Fence(()), "#", Work())
    constant = spelling.constant(text)
    assert constant is not None
    pattern = re.compile(fragment(constant).text)
    anything = spelling.string(plain(0, None))
    assert anything is not None
    for quoted in (single_quoted(text), double_quoted(text)):
        assert pattern.fullmatch(quoted)
        assert re.fullmatch(fragment(anything).text, quoted)
        scanner = LiteralScanner()
        assert scanner.feed(f"[{quoted}]") == len(quoted) + 2
        assert scanner.done
        assert json.loads(scanner.take()) == [text]


def single_quoted(text: str) -> str:
    short = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    escaped = (short.get(c) or (f"\\x{ord(c):02x}" if c < " " else c) for c in text)
    return f"'{''.join(escaped)}'"


def double_quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


TAGS = st.lists(st.text("ab", max_size=3).map(lambda rest: "<" + rest), min_size=1, max_size=4)


@given(TAGS, st.text("<abc", max_size=10))
def test_a_fence_is_all_text_without_its_tags(tags: list[str], text: str) -> None:
    fence = Fence(tags)
    free = not any(tag in text for tag in tags)
    assert (written(fence.text()).fullmatch(text) is not None) == free
    ended, begun = fence.begun()
    ways = [ended] if ended != NOTHING else []
    ways += [Cat((begun, fence.text()))] if begun != NOTHING else []
    matched = any(written(way).fullmatch(text) for way in ways)
    assert matched == (free and text.startswith("<"))
    if written(fence.at_least(2)).fullmatch(text):
        assert free
        assert len(text) >= 2


@given(st.lists(st.text("<ab", min_size=1, max_size=4), max_size=3), st.text("<ab", max_size=10))
def test_any_fence_keeps_its_tags_out(tags: list[str], text: str) -> None:
    if written(Fence(tags).text()).fullmatch(text):
        assert not any(tag in text for tag in tags)
