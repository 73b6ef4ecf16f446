"""The page of a prompt: what it says, that nothing in it is live, and that it can be read."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.chat.diagnostics import Finding
from textcore.chat.page import DARK, HUES, LIGHT, prompt_page
from textcore.chat.segments import Segment, ids_of, is_hidden, prompt_segments, visible
from textcore.data import default_tokenizer

PROMPTS = [
    "<|im_start|>user\nHi 你好 👩‍👩‍👧‍👦!<|im_end|>\n<think>\n",
    "",
    '<script>alert(1)</script> & "quotes" \' </div> &amp;',
    "\x00\x1b[31m\r\u202e\ufeff\u2028",
]
HOSTILE = "<img src=x onerror=alert(1)>\" ' & \u202e\x1b"


@cache
def tokenizer() -> Tokenizer:
    return default_tokenizer()


class Reader(HTMLParser):
    """What a page holds: its elements, and the texts of its token spans."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.tokens: list[tuple[str, str, str]] = []
        self.text = ""
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.elements.append((tag, values))
        if tag == "span":
            self.tokens.append(("", values["class"], values["title"]))
            self._inside = True
        elif tag == "i" and values["class"] == "hidden":
            self.handle_data(chr(int(values["data-is"][2:], 16)))

    def handle_endtag(self, tag):
        if tag == "span":
            self._inside = False

    def handle_data(self, data):
        self.text += data
        if self._inside:
            text, kind, title = self.tokens[-1]
            self.tokens[-1] = (text + data, kind, title)


def read(prompt: str, findings=(), title="A page", show_ids=False) -> Reader:
    segments = prompt_segments(tokenizer(), prompt)
    return Reader(prompt_page(title, segments, list(findings), show_ids))


@pytest.mark.parametrize("prompt", PROMPTS)
def test_segments_are_the_prompt_and_its_ids(prompt):
    tok = tokenizer()
    segments = prompt_segments(tok, prompt)
    assert "".join(segment.text for segment in segments) == prompt
    assert ids_of(segments) == tok.encode(prompt)


@given(st.text(st.characters(codec="utf-8")))
def test_segments_of_any_text(text):
    tok = tokenizer()
    segments = prompt_segments(tok, text)
    assert "".join(segment.text for segment in segments) == text
    assert ids_of(segments) == tok.encode(text)


def test_control_tokens_are_told_from_text():
    segments = prompt_segments(tokenizer(), "<|im_start|>user\n<think> im_start")
    control = [segment.text for segment in segments if segment.is_control]
    assert control == ["<|im_start|>", "<think>"]


def test_a_character_of_several_tokens_is_one_segment():
    assert [len(s.ids) for s in prompt_segments(tokenizer(), "好")] == [3]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_spans_are_the_tokens(prompt):
    segments = prompt_segments(tokenizer(), prompt)
    assert [(text, title) for text, _, title in read(prompt).tokens] == [
        (segment.text, ", ".join(map(str, segment.ids))) for segment in segments
    ]


def test_neighbours_differ_and_control_tokens_stand_out():
    kinds = [kind for _, kind, _ in read("<|im_start|>one two three four<|im_end|>").tokens]
    assert kinds[0] == kinds[-1] == "t control"
    assert all(a != b for a, b in pairwise(kinds))


@given(st.text(st.characters(codec="utf-8")), st.text())
def test_nothing_from_outside_becomes_an_element(prompt, other):
    plain = {tag for tag, _ in read("a", [Finding("a", "b", "c")]).elements}
    page = read(prompt, [Finding(other, other, other)], other)
    assert {tag for tag, _ in page.elements} <= plain | {"span", "i"}
    assert all(
        set(attributes) <= {"class", "title", "data-is"}
        for tag, attributes in page.elements
        if tag in ("span", "i")
    )


def test_hostile_titles_and_findings_are_escaped():
    page = read("a", [Finding(HOSTILE, HOSTILE, HOSTILE)], HOSTILE)
    assert page.text.count("<img src=x onerror=alert(1)>") == 5
    assert "img" not in {tag for tag, _ in page.elements}


def test_the_page_is_self_contained():
    source = prompt_page("A page", [Segment("a", [1], False)], [])
    elements = Reader(source).elements
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in elements}
    assert not {"src", "href"} & {name for _, attributes in elements for name in attributes}
    assert not re.search(r"url\(|@import", source)
    assert "default-src 'none'" in source


def test_findings_are_listed():
    assert (
        "tool-ignored: the tool\u00a0x"
        in read("a", [Finding("tool-ignored", "the tool\u00a0x", "")]).text
    )
    assert ("ul", {"class": "warnings"}) not in read("a").elements


def test_ids_are_listed_on_demand():
    ids = " ".join(map(str, tokenizer().encode("Hello, world!")))
    assert ids in read("Hello, world!", show_ids=True).text
    assert ids not in read("Hello, world!").text


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\r", "\u202e", "\u200b", "\ufeff", "\ud800"]
)
def test_what_cannot_be_seen_is_named(character):
    assert is_hidden(character)
    assert visible(f"a{character}") == f"a<U+{ord(character):04X}>"


@pytest.mark.parametrize("text", ["\n\t", "é", "👩‍👩‍👧‍👦", "نامه‌ها", "\u00a0"])
def test_what_can_be_seen_stays(text):
    assert visible(text) == text


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_background(colours):
    for background in ("paper", "warning", *(f"t{i}" for i in range(HUES))):
        assert contrast(colours["ink"], colours[background]) >= 7
    assert contrast(colours["control-ink"], colours["control"]) >= 7
