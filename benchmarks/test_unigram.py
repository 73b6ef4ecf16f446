"""Encoding with a Unigram model of SentencePiece's, one document a call."""

import kitoken
import pytest
import small_models
from tokenizers import Tokenizer as Reference

from textcore import Tokenizer


def peer_of(name):
    """A peer's way from a text to ids."""
    spec = small_models.unigram()
    if name == "kitoken":
        other = kitoken.Kitoken.from_tokenizers(spec.encode())
        return lambda text: list(other.encode(text, False))
    if name == "sentencepiece":
        return small_models.sentencepiece_unigram().encode
    reference = Reference.from_str(spec)
    return lambda text: reference.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", ["tokenizers", "kitoken", "sentencepiece"])
def test_unigram(turns, corpus, name):
    ours = Tokenizer.from_str(small_models.unigram())
    peer = peer_of(name)
    texts = corpus
    if name == "sentencepiece":
        # It sums scores in 32 bits, so that it breaks the odd tie another way than the others.
        texts = [text for text in corpus if ours.encode(text) == peer(text)]
        assert len(texts) > 0.95 * len(corpus)
    turns.compare(
        lambda _: [ours.encode(text) for text in texts],
        lambda _: [peer(text) for text in texts],
        size=sum(len(text.encode()) for text in texts),
    )
