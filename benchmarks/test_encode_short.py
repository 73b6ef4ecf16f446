"""Encoding strings of a few words, where the cost of a call decides."""

import pytest

from benchmarks.timing import Phase

TEXTS = {
    "11 characters": "Hello world",
    "63 characters": "The quick brown fox jumps over the lazy dog, and then runs away",
}


@pytest.mark.parametrize("text", TEXTS)
def test_encode_short(turns, loaded, quick, text):
    texts = [TEXTS[text]] * (10 if quick else 2000)
    turns.text = text
    turns.compare(
        loaded.makers("encode"),
        Phase("encode, short", lambda peer: peer.encode(texts), len(texts)),
        unit="µs",
    )
