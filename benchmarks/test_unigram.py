"""Encoding with a Unigram model of SentencePiece's, one document a call, warm.

``sentencepiece`` sums scores in 32 bits, so that it breaks the odd tie another way.
"""

import pytest

from benchmarks import small_models
from benchmarks.corpora import size_of
from benchmarks.peers import Loaded
from benchmarks.timing import Phase


@pytest.fixture(scope="module")
def trained(tmp_path_factory, peers):
    folder = tmp_path_factory.mktemp("unigram")
    (folder / "tokenizer.json").write_text(small_models.unigram(), encoding="utf-8")
    (folder / "tokenizer.model").write_bytes(small_models.sentencepiece_model())
    return Loaded(folder, peers)


def test_unigram(turns, trained, documents):
    turns.tokenizer = "a small Unigram model"
    turns.compare(
        trained.makers("encode"),
        Phase("Unigram", lambda peer: peer.encode(documents), size_of(documents)),
    )
