"""A tokenizer that has just been loaded encodes one half of a corpus, then the other.

In the first half every word is new to it (cold); in the second it meets documents that it has
not seen, with its caches as warm as real use makes them (unseen). Loading takes longer than
either, so that both are measured with one loading.
"""

import pytest

from benchmarks.corpora import ALL_DOCUMENTS, size_of
from benchmarks.timing import Phase, fewer


@pytest.fixture
def halves(corpus, quick):
    documents = corpus.documents(2 if quick else ALL_DOCUMENTS)
    middle = len(documents) // 2
    return documents[:middle], documents[middle:]


def test_encode_first_pass(turns, loaded, halves):
    first, second = halves
    turns.rounds = fewer(turns.rounds)
    turns.compare(
        loaded.fresh(),
        Phase("encode, cold", lambda peer: peer.encode(first), size_of(first)),
        Phase("encode, unseen", lambda peer: peer.encode(second), size_of(second)),
        fresh=True,
    )
