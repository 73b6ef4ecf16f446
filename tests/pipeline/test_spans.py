"""Places found out from ids, against the way that carries alignments."""

from __future__ import annotations

import pytest
from trained import CORPUS, FAMILIES, HARD

from textcore import Tokenizer
from textcore.pipeline.aligned import AlignedPath


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_str(FAMILIES["qwen"]().to_str())


def test_the_same_as_with_alignments(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch):
    texts = [text for text in [*CORPUS[:10], *HARD] if tokenizer.pre_tokenize(text)]
    slow = AlignedPath._tokenized

    def facts(text: str) -> list[object]:
        encoding = tokenizer.encoding(text)
        return [encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids]

    path = tokenizer._pipeline.aligned
    finder = path._finder
    assert finder is not None
    monkeypatch.setattr(path, "_finder", None)
    wanted = [facts(text) for text in texts]
    monkeypatch.setattr(path, "_finder", finder)
    carried = []

    def watched(self: AlignedPath, text: str, *matchers: object) -> object:
        carried.append(text)
        return slow(self, text, *matchers)

    monkeypatch.setattr(AlignedPath, "_tokenized", watched)
    assert [facts(text) for text in texts] == wanted
    normalize = tokenizer._pipeline.normalizer.normalize_str
    # Only what normalization changes is left to the other way.
    assert carried == [text for text in texts if normalize(text) != text]


@pytest.mark.parametrize("family", ["gpt2", "sentencepiece"])
def test_pipelines_that_change_the_text_are_left_out(family: str):
    assert Tokenizer.from_str(FAMILIES[family]().to_str())._pipeline.aligned._finder is None
