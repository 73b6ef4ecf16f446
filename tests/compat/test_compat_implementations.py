"""What the originals' modules in Python give and take, which inspect can see, and by position."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tiktoken.load
import tiktoken.model
import tokenizers
from trained import CORPUS

from textcore.compat import tokenizers as compat
from textcore.compat.tiktoken import load, model

CLASSES = (
    *("BaseTokenizer", "BertWordPieceTokenizer", "ByteLevelBPETokenizer", "CharBPETokenizer"),
    *("SentencePieceBPETokenizer", "SentencePieceUnigramTokenizer"),
)
TRAINING = {"train", "train_from_iterator"}
TOKENS = ["[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]", "ab"]
VOCAB = {token: at for at, token in enumerate(TOKENS)}


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults; what gathers other keywords may have any name."""
    known = inspect.signature(function).parameters.values()
    return [
        ("" if one.kind is one.VAR_KEYWORD else one.name, one.kind, one.default) for one in known
    ]


@pytest.mark.parametrize("name", CLASSES)
def test_the_same_methods_with_the_same_parameters(name: str) -> None:
    ours = getattr(compat.implementations, name)
    theirs = getattr(tokenizers.implementations, name)
    methods = [
        method
        for method in dir(theirs)
        if not method.startswith("_") and callable(getattr(theirs, method))
    ]
    for method in set(methods) - TRAINING:
        assert parameters(getattr(ours, method)) == parameters(getattr(theirs, method)), method


def test_what_is_taken_by_position() -> None:
    made = []
    for library in (compat, tokenizers):
        tokenizer = library.BertWordPieceTokenizer(dict(VOCAB))
        tokenizer.enable_truncation(4, 1, "only_first")
        tokenizer.enable_padding("left", 8, 3, 1, "[PAD]")
        encodings = tokenizer.encode_batch(["ab ab ab", "ab"])
        made.append([[each.tokens, each.type_ids] for each in encodings])
        made.append([tokenizer.padding, tokenizer.truncation])
    assert made[:2] == made[2:]


@pytest.mark.parametrize("method", ["async_encode_batch", "async_encode_batch_fast"])
def test_nothing_is_no_batch(method: str) -> None:
    said = []
    for library in (compat, tokenizers):
        tokenizer = library.BertWordPieceTokenizer(dict(VOCAB))
        with pytest.raises(ValueError, match="can't be `None`") as caught:
            asyncio.run(getattr(tokenizer, method)(None))
        said.append(str(caught.value))
        with pytest.raises(ValueError, match="can't be `None`") as caught:
            tokenizer.encode_batch(None)
        said.append(str(caught.value))
    assert said[:2] == said[2:]


def test_names_of_types() -> None:
    names = [name for name in dir(tokenizers) if name.endswith(("Input", "Sequence", "Offsets"))]
    assert len(names) >= 7
    assert [name for name in names if not hasattr(compat, name)] == []


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unigram")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_prefix=str(folder / "m"),
        vocab_size=300,
        model_type="unigram",
        normalization_rule_name="identity",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "m.model"


def test_a_model_of_sentencepiece(model_file: Path) -> None:
    ours = compat.SentencePieceUnigramTokenizer.from_spm(str(model_file))
    processor = sentencepiece.SentencePieceProcessor(str(model_file))
    pieces = [(processor.id_to_piece(at), processor.get_score(at)) for at in range(len(processor))]
    # What the original makes of a file, which it reads by a module that is not installed.
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, processor.unk_id(), False))
    theirs.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.Replace(tokenizers.Regex(" {2,}"), " ")]
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace("▁", "always")
    theirs.decoder = tokenizers.decoders.Metaspace("▁", "always")
    assert isinstance(ours, compat.SentencePieceUnigramTokenizer)
    for text in [*CORPUS[:20], "a  b   c", "", "日本 é"]:
        wanted = theirs.encode(text)
        assert (ours.encode(text).ids, ours.encode(text).offsets) == (wanted.ids, wanted.offsets)
        assert ours.decode(wanted.ids) == theirs.decode(wanted.ids)


def test_a_model_of_another_algorithm(tmp_path: Path) -> None:
    path = tmp_path / "m.model"
    # A trainer_spec whose model_type is BPE.
    path.write_bytes(b"\x0a\x03\x0a\x01a\x12\x02\x18\x02")
    with pytest.raises(ValueError, match="different algorithm"):
        compat.SentencePieceUnigramTokenizer.from_spm(str(path))


@pytest.mark.parametrize("name", ["core", "model", "load"])
def test_modules_of_tiktoken(name: str) -> None:
    ours = importlib.import_module(f"textcore.compat.tiktoken.{name}")
    theirs = importlib.import_module(f"tiktoken.{name}")
    for known in ours.__all__ if hasattr(ours, "__all__") else ["load_tiktoken_bpe"]:
        assert hasattr(theirs, known)
    name = "gpt-4o"
    wanted = tiktoken.model.encoding_name_for_model(name)
    assert model.encoding_name_for_model(name) == wanted


def test_ranks_are_loaded_and_written(tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    load.dump_tiktoken_bpe(ranks, str(path))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load.load_tiktoken_bpe(str(path), digest) == ranks
    assert tiktoken.load.load_tiktoken_bpe(str(path), digest) == ranks


@pytest.mark.parametrize(
    ("path", "digest", "said"),
    [("https://example.org/x.tiktoken", None, "downloads nothing"), ("x", "00", "Hash mismatch")],
)
def test_ranks_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, digest: str | None, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x").write_bytes(b"YQ== 0\n")
    with pytest.raises(ValueError, match=said):
        load.load_tiktoken_bpe(path, digest)
