"""SentencePiece models, trained for the tests, and the reference's processor of each."""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece

WORDS = (  # noqa: SIM905
    "the a of hello world token tokens tokenizer encode decode Grüße Straße naïve café "
    "日本語 東京 한국어 привет мир ﬁne ½ Ａ １２ e\u0301 … don't x=1; foo(bar) 🙂👍 1234 "
    "whitespace  double tab\tnew"
).split(" ")


def corpus() -> list[str]:
    rng = random.Random(0)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 12))) for _ in range(400)]


def train(denormalization: Mapping[str, str] | None = None, **options: Any) -> bytes:
    """A small model's file; ``denormalization``: what decoded text is rewritten by."""
    if denormalization:
        with tempfile.TemporaryDirectory() as folder:
            rules = Path(folder) / "rules.tsv"
            lines = [f"{_codes(key)}\t{_codes(made)}\n" for key, made in denormalization.items()]
            rules.write_text("".join(lines))
            return train(denormalization_rule_tsv=str(rules), **options)
    sentencepiece.set_min_log_level(3)
    out = io.BytesIO()
    arguments = {
        "model_type": "bpe",
        "vocab_size": 260,
        "character_coverage": 1.0,
        "minloglevel": 3,
        "hard_vocab_limit": False,
        **options,
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=out, **arguments
    )
    return out.getvalue()


def _codes(text: str) -> str:
    return " ".join(f"{ord(char):X}" for char in text)


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "identity": {"normalization_rule_name": "identity"},
    "nfkc_cf": {"normalization_rule_name": "nfkc_cf"},
    "bytes": {"byte_fallback": True, "vocab_size": 500, "character_coverage": 0.98},
    "no_prefix": {"add_dummy_prefix": False},
    "keep_spaces": {"remove_extra_whitespaces": False},
    "neither": {
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "normalization_rule_name": "identity",
    },
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix_keep": {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False},
    "symbols": {
        "user_defined_symbols": ["<sep>", "ab", "abc", "hello", "日本", "▁▁", "ﬁ", "e\u0301x"],
        "control_symbols": ["<ctl>", "[INST]"],
    },
    "symbols_keep": {
        "user_defined_symbols": ["<sep>", "▁▁", "▁▁▁", "\n", "½"],
        "remove_extra_whitespaces": False,
        "byte_fallback": True,
        "vocab_size": 520,
    },
    "few": {"character_coverage": 0.98, "vocab_size": 90},
    "digits": {"split_digits": True, "split_by_unicode_script": False},
    "across": {"split_by_whitespace": False, "vocab_size": 320},
    "denormalized": {"denormalization": {"ab": "x", "h": "A B", "  ": "-", "日": ""}},
}
# The same again as Unigram, and what only matters there.
OPTIONS |= {f"unigram_{name}": {**made, "model_type": "unigram"} for name, made in OPTIONS.items()}
OPTIONS |= {
    "unigram_suffix_symbols": {
        "model_type": "unigram",
        "treat_whitespace_as_suffix": True,
        "user_defined_symbols": ["a▁b", "▁▁", "x", "hello▁"],
    },
    "unigram_spaces": {
        "model_type": "unigram",
        "allow_whitespace_only_pieces": True,
        "remove_extra_whitespaces": False,
    },
    "char": {"model_type": "char"},
    "char_symbols": {**OPTIONS["symbols"], "model_type": "char"},
    "char_bytes": {**OPTIONS["bytes"], "model_type": "char"},
}


@cache
def model(name: str) -> bytes:
    """The file of one of OPTIONS."""
    return train(**OPTIONS[name])


@cache
def processor(name: str) -> sentencepiece.SentencePieceProcessor:
    """The reference for it."""
    return sentencepiece.SentencePieceProcessor(model_proto=model(name))
