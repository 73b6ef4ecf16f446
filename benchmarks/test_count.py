"""How many ids documents have, one document a call."""

from benchmarks.corpora import size_of
from benchmarks.timing import Phase


def test_count(turns, loaded, documents):
    makers = loaded.makers("count")
    makers.pop("tokenizers")
    turns.compare(
        makers,
        Phase("count, warm", lambda peer: peer.count(documents), size_of(documents)),
        expected=[[len(ids) for ids in loaded.ids(documents)]],
    )
