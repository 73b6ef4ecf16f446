"""Encoding documents whose words have been met before, one document a call, to arrays."""

from benchmarks.corpora import size_of
from benchmarks.timing import Phase


def test_encode_to_numpy(turns, loaded, documents):
    makers = loaded.makers("encode_to_numpy")
    makers.pop("tokenizers")  # it has no arrays of its own
    turns.compare(
        makers,
        Phase(
            "encode to numpy, warm",
            lambda peer: peer.encode_to_numpy(documents),
            size_of(documents),
        ),
        expected=[loaded.ids(documents)],
        listed=lambda arrays: [array.tolist() for array in arrays],
    )
