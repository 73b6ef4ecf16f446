"""A saved or pickled tokenizer is the same tokenizer, and a damaged file is refused."""

from __future__ import annotations

import json
import pickle
import random
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piece_models import model
from rank_files import trained_ranks, write_ranks
from test_gguf import trained as trained_json
from test_tekken import small as small_tekken

from textcore import IncrementalDetokenizer, Tokenizer
from textcore.data import DEFAULT_DIR
from textcore.errors import SpecError, UnsupportedError
from textcore.formats.saved import HEADER
from textcore.pipeline.normalizers import UnicodeForm
from textcore.pipeline.patterns import matching

TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\t'sStéÉ0129½<|>▁ab한日\u0301🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=40,
)
KINDS = (
    "default",
    "ranks",
    "tekken",
    "ctc",
    "pieces",
    "words",
    "scores",
    *(f"json {name}" for name in ("gpt-2", "llama-bpe", "qwen2", "deepseek-v3")),
    *(f"model {name}" for name in ("plain", "bytes", "suffix_keep", "symbols", "few")),
    *(f"model unigram_{name}" for name in ("plain", "bytes", "symbols", "denormalized")),
    "model char",
)


@cache
def original(kind: str) -> Tokenizer:
    import tempfile

    if kind == "default":
        return Tokenizer.from_dir(DEFAULT_DIR)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if kind == "ranks":
            file = write_ranks(folder / "x.tiktoken", trained_ranks(5))
            special = {"<end>": 5000, "<Ġ>": 5001}
            return Tokenizer.from_file(file, pattern=r"\w++|\W", special_tokens=special)
        file = folder / "x.json"
        if kind == "tekken":
            file.write_text(json.dumps(small_tekken()), encoding="utf-8")
            return Tokenizer.from_file(file)
        if kind == "ctc":
            return Tokenizer(characters())
        if kind == "pieces":
            return Tokenizer(word_pieces())
        if kind == "words":
            return Tokenizer(words())
        if kind == "scores":
            return Tokenizer(scores())
        if kind.startswith("json "):
            return Tokenizer(trained_json(kind[5:]))
        file = folder / "x.model"
        file.write_bytes(model(kind[6:]))
        return Tokenizer.from_file(file)


def characters() -> dict[str, Any]:
    """A model over characters with prefix, suffix, unknown token and a python pre-tokenizer."""
    return {
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {
            "type": "BPE",
            "vocab": {"<unk>": 0, "a": 4, "b</w>": 6, "##b": 7, "##b</w>": 9, "ab</w>": 12},
            "merges": [["a", "##b</w>"]],
            "unk_token": "<unk>",
            "fuse_unk": True,
            "continuing_subword_prefix": "##",
            "end_of_word_suffix": "</w>",
        },
        "decoder": {
            "type": "CTC",
            "pad_token": "<pad>",
            "word_delimiter_token": "|",
            "cleanup": True,
        },
    }


def word_pieces() -> dict[str, Any]:
    """A WordPiece model."""
    return {
        "added_tokens": [],
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {
            "type": "WordPiece",
            "vocab": {"[UNK]": 0, "a": 1, "##b": 2, "t": 3, "##é": 4, "|": 5},
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    }


def words() -> dict[str, Any]:
    """A WordLevel model with gaps between its ids."""
    return {
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {
            "type": "WordLevel",
            "vocab": {"a": 9, "ab": 3, "t": 700, "日": 4},
            "unk_token": "a",
        },
    }


def scores() -> dict[str, Any]:
    """A Unigram model with a piece that is there twice."""
    vocab = [["<unk>", 0.0], ["▁", -2.5], ["a", -1.5], ["▁a", -3], ["a", -1.25], ["é▁", -7.5]]
    vocab += [[f"<0x{byte:02X}>", -9.0] for byte in range(256)]
    return {
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "split": False},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": True},
    }


HOSTILE = (
    "json qwen2",
    "json llama-bpe",
    "model bytes",
    "model few",
    "model symbols",
    "model unigram_bytes",
    "ctc",
    "pieces",
    "words",
    "scores",
)


@cache
def copies(kind: str) -> tuple[Tokenizer, Tokenizer]:
    import tempfile

    tokenizer = original(kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "saved"
        tokenizer.save(file)
        assert [path.name for path in Path(folder).iterdir()] == ["saved"]
        loaded = Tokenizer.from_file(file)
    return loaded, pickle.loads(pickle.dumps(tokenizer))


@pytest.mark.parametrize("kind", KINDS)
def test_copies_encode_and_decode_alike(kind: str) -> None:
    tokenizer = original(kind)

    @settings(max_examples=12, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        ids = tokenizer.encode(text)
        with_special = tokenizer.encode(text, add_special_tokens=True)
        for copy in copies(kind):
            assert copy.encode(text) == ids
            assert copy.encode(text, add_special_tokens=True) == with_special
            assert copy.encode(text, allowed_special="none") == tokenizer.encode(
                text, allowed_special="none"
            )
            assert copy.decode(ids) == tokenizer.decode(ids)
            assert copy.pre_tokenize(text) == tokenizer.pre_tokenize(text)
            assert copy.encoding(text).offsets == tokenizer.encoding(text).offsets

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_copies_have_the_same_vocabulary(kind: str) -> None:
    tokenizer = original(kind)
    for copy in copies(kind):
        assert copy.vocab_size == tokenizer.vocab_size
        assert copy.get_vocab() == tokenizer.get_vocab()
        assert copy.get_vocab(False) == tokenizer.get_vocab(False)
        assert copy.special_ids == tokenizer.special_ids
        assert copy.vocab_bytes() == tokenizer.vocab_bytes()
        assert copy.split_engine == tokenizer.split_engine
        assert copy.chat_template == tokenizer.chat_template
        assert (copy.bos_token, copy.eos_token) == (tokenizer.bos_token, tokenizer.eos_token)


def test_a_copy_of_a_copy() -> None:
    copy = pickle.loads(pickle.dumps(copies("default")[0]))
    assert copy.encode("Hello, world") == original("default").encode("Hello, world")
    stream = IncrementalDetokenizer(copy)
    assert stream.add(copy.encode("Hello, world")) + stream.flush() == "Hello, world"


def test_first_calls_in_any_order() -> None:
    """What is made at first use is made by whatever asks first."""
    data = pickle.dumps(original("json qwen2"))
    tokenizer = original("json qwen2")
    ids = tokenizer.encode("hello world")
    calls = [
        lambda t: t.decode(ids),
        lambda t: t.id_to_token(ids[0]),
        lambda t: t.token_to_id("a"),
        lambda t: t.bpe("hello"),
        lambda t: t.token_bytes(ids[0]),
        lambda t: t.encoding("hello").tokens,
        lambda t: t.vocab_size,
    ]
    for call in calls:
        assert call(pickle.loads(data)) == call(tokenizer)


def test_options_of_the_constructor() -> None:
    tokenizer = Tokenizer(trained_json("gpt-2"), cache_lines=1 << 10)
    assert pickle.loads(pickle.dumps(tokenizer)).encode("hello") == tokenizer.encode("hello")


def test_components_made_in_python_are_refused(tmp_path: Path) -> None:
    spec = {**trained_json("qwen2"), "normalizer": UnicodeForm("NFC")}
    with pytest.raises(UnsupportedError, match="made in Python can't be saved: UnicodeForm"):
        Tokenizer(spec).save(tmp_path / "saved")
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------ damaged files


@cache
def saved(kind: str) -> bytes:
    return original(kind)._to_bytes()


def load(data: bytes, folder: Path) -> Tokenizer:
    file = folder / "saved"
    file.write_bytes(data)
    return Tokenizer.from_file(file, cache_lines=1 << 8)


def with_checksum(data: bytes) -> bytes:
    checksum = zlib.adler32(data[HEADER:]).to_bytes(4, "little")
    return data[: HEADER - 4] + checksum + data[HEADER:]


def test_any_flipped_bit_is_noticed(tmp_path: Path) -> None:
    data = saved("json qwen2")
    rng = random.Random(0)
    for _ in range(40):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        with pytest.raises(SpecError):
            load(bytes(damaged), tmp_path)


def test_cut_files_are_refused(tmp_path: Path) -> None:
    data = saved("json qwen2")
    for size in (8, 15, 23, 24, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(SpecError):
            load(data[:size], tmp_path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    data = saved("json qwen2")
    with pytest.raises(SpecError, match="version 10; supported: 9"):
        load(data[:8] + (10).to_bytes(4, "little") + data[12:], tmp_path)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_tables_are_refused_or_harmless(kind: str, tmp_path: Path) -> None:
    """With a right checksum, wrong tables give an error or wrong ids, and nothing worse."""
    data = saved(kind)
    size = int.from_bytes(data[16:24], "little")
    index = json.loads(data[24 : 24 + size])
    first = -(-(24 + size) // 64) * 64
    rng = random.Random(1)
    refused = 0
    for name, (at, length) in index["tables"].items():
        if not length or name.startswith("text"):
            continue
        for _ in range(4):
            damaged = bytearray(data)
            for _ in range(rng.choice([1, 40])):
                damaged[first + at + rng.randrange(length)] = rng.choice([0, 1, 0x7F, 0xFF])
            try:
                tokenizer = load(with_checksum(bytes(damaged)), tmp_path)
                tokenizer.encode("Hello, wörld ab abab 日本語 12345 \n\n <|bos|>" * 5)
            except (SpecError, ValueError):
                refused += 1
    assert refused


def test_joined_splits_are_read_and_not_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = original("json deepseek-v3")
    (run,) = tokenizer._pipeline.runs
    assert run.joint is not None
    data = saved("json deepseek-v3")
    monkeypatch.setattr(matching, "join", None)
    (read,) = Tokenizer._from_bytes(data)._pipeline.runs
    assert (read.joint, read.windows, read.patterns) == (run.joint, run.windows, run.patterns)


@pytest.mark.parametrize(
    "cuts",
    [
        [],
        [[9, 9]],
        # A cut before the first character of a text, and one before the first after a cut.
        [[17, 17, 8], [16, 16, 1]],
        [[16, 16, 8], [33, 16, 1], [19, 16, 1]],
    ],
)
def test_hostile_joined_splits_are_refused(cuts: list[list[int]], tmp_path: Path) -> None:
    def change(index: dict[str, Any]) -> None:
        index["joints"][0]["cuts"] = cuts

    with pytest.raises(SpecError):
        load(changed(saved("json deepseek-v3"), change), tmp_path)


def changed(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A saved tokenizer with another index, and its checksum."""
    size = int.from_bytes(data[16:24], "little")
    index = json.loads(data[24 : 24 + size])
    change(index)
    described = json.dumps(index).encode()
    first = -(-(24 + size) // 64) * 64
    front = len(described).to_bytes(8, "little") + described
    front += bytes(-(HEADER + len(front)) % 64)
    return with_checksum(data[:HEADER] + front + data[first:])


def test_hostile_indexes_are_refused(tmp_path: Path) -> None:
    data = saved("json qwen2")
    for change in (
        lambda i: i.pop("model"),
        lambda i: i["tables"].pop("model.ids"),
        lambda i: i["tables"].update({"model.ids": [0, 2**60]}),
        lambda i: i["tables"].update({"model.ids": [-64, 64]}),
        lambda i: i["tables"].update({"model.merged": [0, 4]}),
        lambda i: i["patterns"][0].update(moves=[[9, 9]]),
        lambda i: i.update(cache_lines=3),
        lambda i: i.update(added_tokens=[[1]]),
        lambda i: i.update(added_tokens=[[[False] * 5, ["a"], [None]]]),
        lambda i: i.update(added_tokens=[[[False] * 6, [1], [None]]]),
        lambda i: i.update(added_tokens=[[[False] * 6, ["a"], [False]]]),
        lambda i: i.update(added_tokens=[[[False] * 6, ["a", "b"], [None]]]),
    ):
        with pytest.raises(SpecError):
            load(changed(data, change), tmp_path)


def test_rules_of_sentencepiece_are_read_when_they_are_asked_for() -> None:
    tokenizer = original("model symbols")
    copy: Any = pickle.loads(pickle.dumps(tokenizer))
    normalizer = copy._pipeline.normalizer
    text = "ﬁne １２ Grüße"
    assert copy.encode(text) == tokenizer.encode(text)
    slots = type(normalizer).__dict__
    with pytest.raises(AttributeError):
        slots["rules"].__get__(normalizer)
    assert normalizer.rules == original("model symbols")._pipeline.normalizer.rules  # type: ignore[attr-defined]
    assert slots["rules"].__get__(normalizer)
