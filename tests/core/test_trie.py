"""The double-array trie, against a dict."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.trie import Trie

keys = st.binary(max_size=6) | st.text("ab", max_size=6).map(str.encode)
entries = st.dictionaries(keys, st.integers(0, 2**32 - 2), max_size=40)


@given(entries=entries, others=st.lists(keys, max_size=20))
def test_finds_what_is_there_and_nothing_else(entries, others):
    trie = Trie(entries)
    for key in [*entries, *others]:
        assert trie.find(key) == entries.get(key)


@given(entries=entries, text=st.binary(max_size=12) | st.text("ab", max_size=12).map(str.encode))
def test_prefixes(entries, text):
    starts = [(size, text[:size]) for size in range(len(text) + 1)]
    expected = [(size, entries[start]) for size, start in starts if start in entries]
    assert Trie(entries).prefixes(text) == expected


def test_all_bytes_below_one_another():
    entries = {bytes([a, b]): a << 8 | b for a in range(256) for b in range(0, 256, 5)}
    trie = Trie(entries)
    assert [trie.find(key) for key in entries] == list(entries.values())
    assert trie.find(b"\x00\x01") is None


@pytest.mark.parametrize(
    "make",
    [
        lambda i: b"%d" % i,
        lambda i: bytes([i & 255, 0]) + i.to_bytes(3, "big"),
        lambda i: i.to_bytes(3, "big") + bytes([0, 255][i % 2 : i % 2 + 1]),
    ],
    ids=["dense", "spread", "gaps"],
)
def test_building_takes_time_linear_in_the_keys(make):
    times = []
    for count in (10_000, 40_000):
        entries = {make(i): i for i in range(count)}
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            trie = Trie(entries)
            best = min(best, time.process_time() - start)
        times.append(best)
        assert trie.find(make(count - 1)) == count - 1
    assert times[1] < 16 * times[0] + 0.05


def test_a_key_of_a_million_bytes():
    key = b"a" * 1_000_000
    trie = Trie({key: 1, key[:-1] + b"b": 2})
    assert (trie.find(key), trie.find(key[:-1] + b"b"), trie.find(key[:-1])) == (1, 2, None)
