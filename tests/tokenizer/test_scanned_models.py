"""A tokenizer.json read as a file, against the same one given as a dict."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
import trained

from textcore import Tokenizer
from textcore.core.bpetables import to_tables
from textcore.errors import SpecError
from textcore.pipeline.bpe import ScannedBPE


def _both(spec: dict[str, Any], path: Any) -> tuple[Tokenizer, Tokenizer]:
    file = path / "tokenizer.json"
    file.write_text(json.dumps(spec), encoding="utf-8")
    return Tokenizer.from_file(file), Tokenizer(spec)


def _model(tokenizer: Tokenizer) -> Any:
    return tokenizer._pipeline.model


def _same(one: Tokenizer, other: Tokenizer) -> None:
    left, right = _model(one), _model(other)
    assert to_tables(left.compiled) == to_tables(right.compiled)
    assert (left.vocab, left.tokens) == (right.vocab, right.tokens)
    for name in ("vocab_size", "max_id", "byte_level", "unk_token"):
        assert getattr(left, name) == getattr(right, name)
    for token, token_id in [*right.vocab.items(), ("not there", -1)]:
        assert left.token_to_id(token) == right.token_to_id(token)
        assert left.id_to_token(token_id) == right.id_to_token(token_id)


@pytest.mark.parametrize("ignore_merges", [False, True])
@pytest.mark.parametrize("family", trained.FAMILIES)
def test_gives_the_same_model(family, ignore_merges, tmp_path):
    spec = json.loads(trained.FAMILIES[family]().to_str())
    spec["model"]["ignore_merges"] = ignore_merges
    # An exception of ignore_merges: a token that merging does not make.
    spec["model"]["vocab"]["zqj"] = max(spec["model"]["vocab"].values()) + 1
    scanned, plain = _both(spec, tmp_path)
    assert isinstance(_model(scanned), ScannedBPE)
    _same(scanned, plain)
    text = trained.HARD if isinstance(trained.HARD, str) else "".join(trained.HARD)
    ids = plain.encode(text)
    assert scanned.encode(text) == ids
    assert scanned.decode(ids) == plain.decode(ids)
    assert (scanned.vocab_size, scanned.get_vocab()) == (plain.vocab_size, plain.get_vocab())


def test_an_unknown_token_keeps_a_small_alphabet_from_being_bytes(tmp_path):
    spec = json.loads(trained.FAMILIES["gpt2"]().to_str())
    vocab = spec["model"]["vocab"]
    del vocab[next(token for token in vocab if len(token) == 1)]
    gone = {token for merge in spec["model"]["merges"] for token in merge} - set(vocab)
    assert len(gone) <= 1
    spec["model"]["merges"] = [m for m in spec["model"]["merges"] if not gone & set(m)]
    spec["model"]["unk_token"] = next(iter(vocab))
    scanned, plain = _both(spec, tmp_path)
    assert not _model(scanned).byte_level
    _same(scanned, plain)


def test_affixes_are_read_as_they_were(tmp_path):
    spec = json.loads(trained.FAMILIES["gpt2"]().to_str())
    spec["model"]["end_of_word_suffix"] = "</w>"
    scanned, plain = _both(spec, tmp_path)
    assert not isinstance(_model(scanned), ScannedBPE)
    _same(scanned, plain)


@pytest.mark.parametrize(
    ("field", "value"),
    [("dropout", 0.1), ("unk_token", 3), ("end_of_word_suffix", 1), ("byte_fallback", "x")],
)
def test_a_wrong_field_is_the_same_error(field, value, tmp_path):
    spec = json.loads(trained.FAMILIES["gpt2"]().to_str())
    spec["model"][field] = value
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(spec), encoding="utf-8")
    with pytest.raises(SpecError) as plain:
        Tokenizer(spec)
    with pytest.raises(SpecError) as scanned:
        Tokenizer.from_file(file)
    assert (scanned.value.place, scanned.value.problem) == (
        plain.value.place,
        plain.value.problem,
    )


def test_a_fault_behind_the_vocabulary_has_its_place_in_the_whole_text(tmp_path):
    text = trained.FAMILIES["gpt2"]().to_str().replace("\n", "") + "\nx"
    file = tmp_path / "tokenizer.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match="line 2 column 1"):
        Tokenizer.from_file(file)


def test_it_can_be_pickled(tmp_path):
    scanned, plain = _both(json.loads(trained.FAMILIES["sentencepiece"]().to_str()), tmp_path)
    _same(pickle.loads(pickle.dumps(scanned)), plain)
