"""The added-token matcher against the obvious search."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.added import AddedMatcher

SPACE = [(0x9, 0xD), (0x20, 0x20), (0xA0, 0xA0), (0x3000, 0x3000)]
WORD = [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A), (0xE9, 0xE9)]


def matcher(*tokens, single_word=False, lstrip=False, rstrip=False):
    entries = [(t.encode(), i, single_word, lstrip, rstrip) for i, t in enumerate(tokens)]
    return AddedMatcher(entries, WORD, SPACE)


def search(tokens, text):
    """Leftmost, there longest, by trying every place."""
    spans, at, done = [], 0, 0
    while at < len(text):
        here = [t for t in tokens if text.startswith(t, at)]
        if not here:
            at += 1
            continue
        token = max(here, key=len)
        if done < at:
            spans.append((done, at, None))
        done = at + len(token)
        spans.append((at, done, tokens.index(token)))
        at = done
    return [*spans, (done, len(text), None)] if done < len(text) else spans


@settings(max_examples=500)
@given(st.data())
def test_is_leftmost_longest(data):
    alphabet = st.text("abé你", max_size=40)
    tokens = data.draw(st.lists(st.text("abé你", min_size=1, max_size=6), unique=True, max_size=6))
    text = data.draw(alphabet)
    assert matcher(*tokens).spans(text) == search(tokens, text)


def test_a_shorter_token_inside_a_broken_longer_one_is_found():
    # "abcd" leads on to the first token and holds the second; its failure must not lose it.
    assert matcher("abcdX", "bc", "cdY").spans("abcdZ") == [(0, 1, None), (1, 3, 1), (3, 5, None)]


def test_covers_the_text_without_tokens():
    assert matcher().spans("some text") == [(0, 9, None)]


def test_an_empty_text_has_no_spans():
    assert matcher("a").spans("") == []


def test_single_word_needs_no_word_character_beside_it():
    spans = matcher("ab", single_word=True).spans("ab xab abé (ab)")
    assert [s for s in spans if s[2] is not None] == [(0, 2, 0), (12, 14, 0)]


def test_strips_swallow_whitespace():
    assert matcher("T", lstrip=True).spans("a \t T b") == [(0, 1, None), (1, 5, 0), (5, 7, None)]
    assert matcher("T", rstrip=True).spans("a T \u3000b") == [
        (0, 2, None),
        (2, 5, 0),
        (5, 6, None),
    ]


def test_lstrip_leaves_what_the_token_before_swallowed():
    spans = matcher("T", lstrip=True, rstrip=True).spans("T  T")
    assert spans == [(0, 3, 0), (3, 4, 0)]


def test_a_swallowed_token_overlaps():
    entries = [(b"T", 0, False, False, True), ("\u3000".encode(), 1, False, False, False)]
    spans = AddedMatcher(entries, WORD, SPACE).spans("éT \u3000\u3000b")
    assert spans == [(0, 1, None), (1, 5, 0), (3, 4, 1), (4, 5, 1), (5, 6, None)]


def test_a_swallowed_token_that_strips_its_left_is_gone():
    assert matcher(" ", lstrip=True, rstrip=True).spans("a   b") == [
        (0, 1, None),
        (1, 4, 0),
        (4, 5, None),
    ]


def test_reads_a_hostile_text_once():
    tokens = ["a" * size + "b" for size in range(1, 200)]
    spans = matcher(*tokens).spans("a" * 200_000)
    assert spans == [(0, 200_000, None)]


def test_reads_swallowed_whitespace_once():
    spans = matcher(" ", rstrip=True).spans(" " * 200_000)
    assert (len(spans), spans[0], spans[-1]) == (200_000, (0, 200_000, 0), (199_999, 200_000, 0))


def test_a_long_token_takes_little_time():
    spans = matcher("ab" * 500_000, "b" * 500_000).spans("ab" * 500_001)
    assert spans == [(0, 1_000_000, 0), (1_000_000, 1_000_002, None)]


def test_refuses_tokens_alike():
    with pytest.raises(ValueError, match="two added tokens read 'ab'"):
        matcher("ab", "ab")


def test_refuses_an_empty_token():
    with pytest.raises(ValueError, match="empty"):
        matcher("")


def guarded_search(tokens, control, trusted, text):
    """The same, where control tokens count in trusted ranges only."""

    def counts(token, at):
        inside = any(a <= at and at + len(token) <= b for a, b in trusted)
        return token not in control or inside

    spans, at, done = [], 0, 0
    while at < len(text):
        here = [t for t in tokens if text.startswith(t, at) and counts(t, at)]
        if not here:
            at += 1
            continue
        token = max(here, key=len)
        if done < at:
            spans.append((done, at, None))
        done = at + len(token)
        spans.append((at, done, tokens.index(token)))
        at = done
    return [*spans, (done, len(text), None)] if done < len(text) else spans


@settings(max_examples=500)
@given(st.data())
def test_control_tokens_count_in_trusted_ranges(data):
    tokens = data.draw(st.lists(st.text("abé", min_size=1, max_size=4), unique=True, max_size=6))
    control = data.draw(st.sets(st.sampled_from(tokens))) if tokens else set()
    text = data.draw(st.text("abé", max_size=40))
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    trusted = list(zip(bounds[::2], bounds[1::2], strict=False))
    entries = [(t.encode(), i, False, False, False) for i, t in enumerate(tokens)]
    found = AddedMatcher(entries, WORD, SPACE, {tokens.index(t) for t in control})
    assert found.spans(text, trusted) == guarded_search(tokens, control, trusted, text)
    assert found.spans(text) == search(tokens, text)


@pytest.mark.parametrize("ranges", [[(2, 1)], [(0, 4)], [(1, 2), (0, 1)], [(-1, 1)]])
def test_ranges_outside_the_text_are_refused(ranges):
    with pytest.raises(ValueError, match="range"):
        matcher("a").spans("abc", ranges)
