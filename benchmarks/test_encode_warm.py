"""Encoding documents whose words have been met before, one document a call, to lists of ids."""

from benchmarks.corpora import size_of
from benchmarks.timing import Phase


def test_encode_warm(turns, loaded, documents):
    turns.compare(
        loaded.makers("encode"),
        Phase("encode, warm", lambda peer: peer.encode(documents), size_of(documents)),
    )
