"""IncrementalDetokenizer on real tokenizers: the stream is the text, however it is cut."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from textcore.output.detokenizer import IncrementalDetokenizer
from textcore.pipeline.decode_plan import DecodePlan, plan_decoder
from textcore.pipeline.decoders import build_decoder
from textcore.pipeline.spec import Node

LINES = [
    "The quick brown fox jumps over the lazy dog, doesn't it?",
    "Größe, Übermaß und Ähnliches; naïve façade — “quoted” text…",
    "中文字符和日本語のテキスト、한국어도 조금.",
    "def f(x):\n    return x ** 2  # don't\n\n\tprint(f(3))",
    "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 e\u0301 สวัสดี مرحبا",
]
FAMILY = "A 👩‍💻 and 👨‍👩‍👧‍👦: naïve 中文 ok"


@dataclass
class Loaded:
    """The reference's tokenizer, and ours as far as a detokenizer needs one."""

    reference: tokenizers.Tokenizer
    decode_plan: DecodePlan

    def decode(self, ids: list[int], skip: bool) -> str:
        return self.reference.decode(ids, skip_special_tokens=skip)


def load(reference: tokenizers.Tokenizer) -> Loaded:
    spec: dict[str, Any] = json.loads(reference.to_str())
    node = Node(spec, "")
    decoder = node.child("decoder")
    special = {t["content"] for t in spec["added_tokens"] if t["special"]}
    tokens = {i: t for t, i in reference.get_vocab(with_added_tokens=True).items()}
    special_ids = {i for i, t in tokens.items() if t in special}
    plan = plan_decoder(None if decoder is None else build_decoder(decoder), tokens, special_ids)
    return Loaded(reference, plan)


ADDED = ["<|end|>", "<pad>"]


def byte_level() -> tokenizers.Tokenizer:
    tok = tokenizers.Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tok.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, show_progress=False)
    )
    return tok


def sentencepiece(strip: bool) -> tokenizers.Tokenizer:
    tok = tokenizers.Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    tok.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tok.train_from_iterator(
        LINES[:2],
        trainers.BpeTrainer(
            vocab_size=380,
            special_tokens=["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))],
            show_progress=False,
        ),
    )
    spec = json.loads(tok.to_str())
    # Byte tokens belong to the model; only the trainer wants them special.
    spec["added_tokens"] = spec["added_tokens"][:1]
    tok = tokenizers.Tokenizer.from_str(json.dumps(spec))
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tok.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if strip else steps)
    return tok


def word_pieces(decoder: Any) -> tokenizers.Tokenizer:
    tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.train_from_iterator(
        LINES,
        trainers.WordPieceTrainer(
            vocab_size=250, special_tokens=["[UNK]", "[SEP]"], show_progress=False
        ),
    )
    if decoder is not None:
        tok.decoder = decoder
    return tok


def unigram() -> tokenizers.Tokenizer:
    tok = tokenizers.Tokenizer(models.Unigram())
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    tok.decoder = decoders.Metaspace()
    tok.train_from_iterator(
        LINES,
        trainers.UnigramTrainer(
            vocab_size=200, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        ),
    )
    return tok


def end_of_word() -> tokenizers.Tokenizer:
    tok = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.decoder = decoders.BPEDecoder()
    tok.train_from_iterator(
        LINES,
        trainers.BpeTrainer(
            vocab_size=250,
            special_tokens=["<unk>"],
            end_of_word_suffix="</w>",
            show_progress=False,
        ),
    )
    return tok


MAKERS = {
    "byte level": byte_level,
    "byte fallback": lambda: sentencepiece(strip=False),
    "byte fallback, strip": lambda: sentencepiece(strip=True),
    "WordPiece": lambda: word_pieces(decoders.WordPiece()),
    "no decoder": lambda: word_pieces(None),
    "fused WordPiece": lambda: word_pieces(
        decoders.Sequence([decoders.WordPiece(), decoders.Fuse(), decoders.Replace("it ?", "it?")])
    ),
    "Metaspace": unigram,
    "BPEDecoder": end_of_word,
}
NAMES = sorted(MAKERS)


@cache
def tokenizer(name: str) -> Loaded:
    reference = MAKERS[name]()
    reference.add_special_tokens(ADDED)
    reference.add_tokens([tokenizers.AddedToken("<think>", normalized=False)])
    return load(reference)


def stream(tok: Loaded, chunks: list[Any], skip: bool) -> list[str]:
    """The pieces of a stream, which must be what its ``text`` is made of."""
    detokenizer = IncrementalDetokenizer(tok, skip_special_tokens=skip)
    pieces = [detokenizer.add(chunk) for chunk in chunks] + [detokenizer.flush()]
    assert detokenizer.text == "".join(pieces)
    return pieces


def cut(data: st.DataObject, ids: list[int]) -> list[Any]:
    chunks: list[Any] = []
    while ids:
        size = data.draw(st.integers(0, 5))
        chunks.append(ids[:size] if size else ids[0])
        ids = ids[max(size, 1) :]
    return chunks


TEXT = st.lists(
    st.sampled_from(
        [*" .,?'’\n", "the", " do not", " n't", "👩‍💻", "é", "中文", "<|end|>", "<think>"]
    )
    | st.text(max_size=4),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXT, data=st.data(), skip=st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_stream_of_an_encoded_text_is_its_decoding(
    name: str, text: str, data: st.DataObject, skip: bool
) -> None:
    tok = tokenizer(name)
    ids = tok.reference.encode(text).ids
    assert "".join(stream(tok, cut(data, ids), skip)) == tok.decode(ids, skip)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), skip=st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_stream_of_any_ids(name: str, data: st.DataObject, skip: bool) -> None:
    tok = tokenizer(name)
    size = tok.reference.get_vocab_size(with_added_tokens=True)
    ids = data.draw(st.lists(st.integers(0, size + 3), max_size=30))
    streamed = "".join(stream(tok, cut(data, ids), skip))
    whole = tok.decode_plan.decode_bytes(ids, skip)
    try:
        whole.decode()
    except UnicodeDecodeError:
        assert streamed == whole.decode("utf-8", "replace")
    else:
        assert streamed == tok.decode(ids, skip)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), skip=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_plan_decodes_as_the_reference(name: str, data: st.DataObject, skip: bool) -> None:
    tok = tokenizer(name)
    size = tok.reference.get_vocab_size(with_added_tokens=True)
    ids = data.draw(st.lists(st.integers(0, size + 3), max_size=40))
    assert tok.decode_plan.decode(ids, skip) == tok.decode(ids, skip)


@pytest.mark.parametrize("name", ["byte level", "byte fallback"])
def test_nothing_is_held_but_an_incomplete_character(name: str) -> None:
    tok = tokenizer(name)
    ids = tok.reference.encode(FAMILY).ids
    detokenizer = IncrementalDetokenizer(tok)
    codec = codecs.getincrementaldecoder("utf-8")()
    for token_id in ids:
        assert detokenizer.add(token_id) == codec.decode(tok.decode_plan.token_bytes(token_id))
    assert detokenizer.flush() == ""
    assert detokenizer.text.strip() == FAMILY


def test_decoding_token_by_token_breaks_characters_and_the_stream_does_not() -> None:
    tok = tokenizer("byte level")
    ids = tok.reference.encode("👩‍💻").ids
    assert "\ufffd" in "".join(tok.decode([i], False) for i in ids)
    assert "".join(stream(tok, list(ids), False)) == "👩‍💻"


def test_an_ill_formed_run_of_bytes() -> None:
    tok = tokenizer("byte fallback")
    ids = [tok.reference.token_to_id(f"<0x{byte:02X}>") for byte in b"A\xe2\x82"]
    assert tok.decode(ids, False) == "\ufffd" * 3
    assert stream(tok, list(ids), False) == ["A", "", "", "\ufffd"]


def test_special_tokens_are_skipped_unless_wanted() -> None:
    tok = tokenizer("byte level")
    end, think = (tok.reference.token_to_id(t) for t in ("<|end|>", "<think>"))
    assert stream(tok, [[end, think, end]], True) == ["<think>", ""]
    assert stream(tok, [[end, think]], False) == ["<|end|><think>", ""]
    detokenizer = IncrementalDetokenizer(tok)
    assert detokenizer.add(end) == ""


@pytest.mark.parametrize("name", ["byte level", "BPEDecoder"])
@pytest.mark.parametrize(
    ("ids", "error"),
    [(-1, ValueError), ([2**32], ValueError), ("ab", TypeError), (None, TypeError)],
)
def test_what_is_no_id(name: str, ids: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        IncrementalDetokenizer(tokenizer(name)).add(ids)


@pytest.mark.parametrize("name", ["byte level", "BPEDecoder"])
def test_nothing_can_be_added_after_flush(name: str) -> None:
    detokenizer = IncrementalDetokenizer(tokenizer(name))
    assert detokenizer.flush() == ""
    with pytest.raises(ValueError, match="flushed"):
        detokenizer.add(0)
