"""Decoding half a million ids in one call."""

from itertools import chain, cycle, islice

from benchmarks.corpora import size_of
from benchmarks.timing import Phase

IDS = 500_000


def test_decode(turns, loaded, some_of_all, quick):
    known = chain.from_iterable(loaded.ids(some_of_all))
    ids = list(islice(cycle(known), IDS // 100 if quick else IDS))
    texts = loaded.makers("decode")["tokenizers"]().decode([ids])
    turns.text = f"{len(ids):,} ids"
    turns.compare(
        loaded.makers("decode"),
        Phase("decode", lambda peer: peer.decode([ids]), size_of(texts)),
    )
