"""Encoding with a WordPiece model like BERT's, one document a call, warm."""

import pytest

from benchmarks import small_models
from benchmarks.corpora import size_of
from benchmarks.peers import Loaded
from benchmarks.timing import Phase


@pytest.fixture(scope="module")
def trained(tmp_path_factory, peers):
    folder = tmp_path_factory.mktemp("wordpiece")
    (folder / "tokenizer.json").write_text(small_models.wordpiece(), encoding="utf-8")
    return Loaded(folder, peers)


def test_wordpiece(turns, trained, documents):
    turns.tokenizer = "a small WordPiece model"
    turns.compare(
        trained.makers("encode"),
        Phase("WordPiece", lambda peer: peer.encode(documents), size_of(documents)),
    )
