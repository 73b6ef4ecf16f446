"""Grapheme clusters and what Precompiled makes of them, against the reference."""

from __future__ import annotations

import base64
import json
from functools import cache

import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from unicode_tables.graphemes import charsmap

from textcore.core.graphemes import Graphemes
from textcore.core.precompiled import CharsMap
from textcore.pipeline.rewriting import graphemes
from textcore.unicode import predicates

# Both ends of some ranges of every kind, and the few characters that short clusters are of.
NAMES = sorted(name for name in predicates.names() if name.startswith("grapheme_"))
EDGES = sorted(
    {chr(point) for name in NAMES for pair in predicates.ranges(name)[:40] for point in pair}
)
SHORT = (
    "a©®éˈ‼#\r\n\x7f\u00ad\u0300\u0301\u0903\u0915\u094d\u0600\u06dd"
    "\u1100\u1161\u11a8가각\u200d\ufe0f"
)
CHARS = [char for char in dict.fromkeys(SHORT + "".join(EDGES)) if char != "\0"]
texts = st.lists(
    st.sampled_from(SHORT) | st.sampled_from(EDGES) | st.sampled_from("🇩🇪👍🏽"), max_size=9
).map("".join)
REPLACED = {char: "@" for char in CHARS if char not in "a\u0300"}


@cache
def both() -> tuple[CharsMap, tokenizers.normalizers.Normalizer]:
    encoded = charsmap(REPLACED)
    spec = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": encoded},
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
    }
    reference = tokenizers.Tokenizer.from_str(json.dumps(spec)).normalizer
    return CharsMap(base64.b64decode(encoded), graphemes()), reference


@given(text=texts)
@settings(max_examples=1500)
def test_clusters_decide_as_in_the_reference(text):
    ours, reference = both()
    assert ours.normalize(text) == reference.normalize_str(text)


@given(text=st.lists(st.sampled_from(SHORT), max_size=4).map("".join), many=st.integers(1, 4))
def test_long_runs(text, many):
    ours, reference = both()
    text = (text + "\u0301" * many) * 3
    assert ours.normalize(text) == reference.normalize_str(text)


def test_the_annex_by_example():
    clusters = [
        "\r\n", "\n", "a\u0301\u200d", "\x7f", "\u0301", "각", "각\u11a8", "\u0600a",
        "क\u094dक", "क", "👩\u200d👩", "👍🏽", "©\ufe0f\u200d©", "a", "\r",
    ]  # fmt: skip
    assert graphemes().split("".join(clusters)) == clusters


def test_an_extender_after_a_joiner_ends_an_emoji_sequence():
    assert graphemes().split("©\u200d\ufe0f\u200d©") == ["©\u200d\ufe0f\u200d", "©"]


def test_unknown_kinds_and_bad_ranges_are_refused():
    for kinds, problem in (({"flag": []}, KeyError), ({"l": [(5, 4)]}, ValueError)):
        try:
            Graphemes(kinds)
        except problem:
            continue
        raise AssertionError(kinds)


def test_a_trie_that_leads_out_of_itself_replaces_nothing():
    ours = CharsMap((8).to_bytes(4, "little") + b"\xff" * 8 + b"x\0", graphemes())
    assert ours.normalize("aé\u0301日") == "aé\u0301日"


def test_a_value_beyond_the_replacements_replaces_nothing():
    data = bytearray(base64.b64decode(charsmap({"a": "b"})))
    values = [at for at in range(4, len(data) - 4) if data[at : at + 4] == b"\0\0\0\x80"]
    assert len(values) == 1
    data[values[0]] = 200
    assert CharsMap(bytes(data), graphemes()).normalize("a") == "a"


def test_lookup_finds_the_shortest_key():
    ours = CharsMap(base64.b64decode(charsmap({"ab": "2", "abc": "3", "é": ""})), graphemes())
    assert [ours.lookup(text) for text in ("abcd", "ab", "a", "é", "\0")] == [
        "2",
        "2",
        None,
        "",
        None,
    ]


def test_unchanged_text_is_returned_itself():
    ours = CharsMap(base64.b64decode(charsmap({"x": "y"})), graphemes())
    for text in ("plain", "日本 é"):
        assert ours.normalize(text) is text
        assert ours.changes(text) is None
