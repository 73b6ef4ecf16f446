"""Small WordPiece and Unigram tokenizers, trained on the texts that come with Python."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import sentencepiece
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from benchmarks.corpora import made
from benchmarks.models import special

VOCAB_SIZE = 2000
TRAINED_ON = ("english", "python")


def _texts() -> Iterator[str]:
    for name in TRAINED_ON:
        yield from made(name).documents()


@cache
def wordpiece() -> str:
    """A tokenizer.json like BERT's."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=VOCAB_SIZE, special_tokens=["[UNK]"], show_progress=False
    )
    tokenizer.train_from_iterator(_texts(), trainer)
    return tokenizer.to_str()


@cache
def sentencepiece_model() -> bytes:
    """A Unigram model of SentencePiece's own, which changes no character but the space."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line for text in _texts() for line in text.split("\n") if line),
        model_writer=model,
        model_type="unigram",
        vocab_size=VOCAB_SIZE,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


@cache
def unigram() -> str:
    """The same as a tokenizer.json."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model())
    ids = range(processor.get_piece_size())
    spec: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [special(processor.unk_id(), "<unk>")],
        "normalizer": {"type": "Prepend", "prepend": "▁"},
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "never",
            "split": True,
        },
        "model": {
            "type": "Unigram",
            "unk_id": processor.unk_id(),
            "vocab": [[processor.id_to_piece(i), processor.get_score(i)] for i in ids],
        },
    }
    return json.dumps(spec)
