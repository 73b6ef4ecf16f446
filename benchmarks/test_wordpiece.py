"""Encoding with a WordPiece model like BERT's, one document a call."""

import kitoken
import pytest
import small_models
from tokenizers import Tokenizer as Reference

from textcore import Tokenizer


def peer_of(name):
    """A peer's way from a text to ids."""
    spec = small_models.wordpiece()
    if name == "kitoken":
        other = kitoken.Kitoken.from_tokenizers(spec.encode())
        return lambda text: list(other.encode(text, False))
    reference = Reference.from_str(spec)
    return lambda text: reference.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", ["tokenizers", "kitoken"])
def test_wordpiece(turns, corpus, size, name):
    ours = Tokenizer.from_str(small_models.wordpiece())
    peer = peer_of(name)
    turns.compare(
        lambda _: [ours.encode(text) for text in corpus],
        lambda _: [peer(text) for text in corpus],
        size=size,
    )
