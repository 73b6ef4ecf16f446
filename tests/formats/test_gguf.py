"""A GGUF file's tokenizer gives the ids of the same vocabulary's tokenizer.json."""

from __future__ import annotations

import base64
import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import gguf_files
import mistral_common
import pytest
import rank_files
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from piece_models import corpus
from piece_models import train as trained_pieces

from textcore import Tokenizer
from textcore.core.bytelevel import bytes_to_unicode
from textcore.errors import SpecError, UnsupportedError
from textcore.formats.encodings import KIMI_PATTERN
from textcore.formats.gguf_patterns import PRE_TOKENIZERS, byte_level
from textcore.formats.sentencepiece import read_model

TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\r\t'sStTrRéÉ0129½<|>_-ab한日▁\u3000\u0301🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=60,
)
SPECIAL = ["<|bos|>", "<|eos|>"]


@cache
def trained(name: str) -> dict[str, Any]:
    """A small tokenizer.json with the splits of one pre-tokenizer, by the reference."""
    pre = PRE_TOKENIZERS[name]
    made = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=pre.ignore_merges))
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=500,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    spec = json.loads(made.to_str())
    spec["pre_tokenizer"] = pre.pre_tokenizer()
    spec["normalizer"] = None if pre.form is None else {"type": pre.form}
    spec["decoder"] = byte_level(use_regex=True)
    made = tokenizers.Tokenizer.from_str(json.dumps(spec))
    made.train_from_iterator(corpus(), trainer)
    made.add_special_tokens(SPECIAL)
    made.add_tokens([tokenizers.AddedToken("<tool>", normalized=False)])
    return json.loads(made.to_str())


def keys_of(spec: dict[str, Any], pre: str) -> dict[str, Any]:
    """The keys that a converter writes for a byte-level tokenizer.json."""
    tokens = {i: (token, 1) for token, i in spec["model"]["vocab"].items()}
    for added in spec["added_tokens"]:
        tokens[added["id"]] = (added["content"], 3 if added["special"] else 4)
    ordered = [tokens[i] for i in range(len(tokens))]
    ordered += [("[PAD0]", 5)]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": [token for token, _ in ordered],
        "tokenizer.ggml.token_type": [kind for _, kind in ordered],
        "tokenizer.ggml.merges": [" ".join(merge) for merge in spec["model"]["merges"]],
        "tokenizer.ggml.bos_token_id": next(i for i, t in tokens.items() if t[0] == "<|bos|>"),
        "tokenizer.ggml.eos_token_id": next(i for i, t in tokens.items() if t[0] == "<|eos|>"),
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.chat_template": "{% for m in messages %}<|bos|>{{ m.content }}{% endfor %}",
    }


# One name of each way to split; the others mean the same as one of these.
DISTINCT = list(
    {repr(pre): name for name, pre in PRE_TOKENIZERS.items() if not pre.ranked}.values()
)


@pytest.mark.parametrize("name", DISTINCT)
def test_byte_level_ids(name: str, tmp_path: Path) -> None:
    spec = trained(name)
    expected = tokenizers.Tokenizer.from_str(json.dumps(spec))
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys_of(spec, name)))

    @settings(max_examples=80, deadline=None)
    @given(TEXTS, st.sampled_from([*SPECIAL, "<tool>", "", "hello"]))
    def check(text: str, inner: str) -> None:
        text = text + inner + text
        ids = expected.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == ids
        assert ours.decode(ids) == expected.decode(ids, skip_special_tokens=False)
        assert ours.decode(ids, True) == expected.decode(ids, skip_special_tokens=True)

    check()


def test_around_the_model(tmp_path: Path) -> None:
    keys = keys_of(trained("qwen2"), "qwen2")
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys, version=2))
    bos = keys["tokenizer.ggml.bos_token_id"]
    assert (ours.bos_token, ours.eos_token) == ("<|bos|>", "<|eos|>")
    assert ours.encode("hello", add_special_tokens=True) == [bos, *ours.encode("hello")]
    pair = ours.encoding("hello", "world")
    assert pair.ids == [bos, *ours.encode("hello"), bos, *ours.encode("world")]
    prompt = ours.apply_chat_template([{"role": "user", "content": "hello"}])
    assert prompt == [bos, *ours.encode("hello")]
    by_folder = Tokenizer.from_dir(tmp_path)
    assert by_folder.chat_template == ours.chat_template


@cache
def pieces() -> tuple[dict[str, Any], str]:
    """Mistral's first model as GGUF keys, and as the tokenizer.json that it is converted to."""
    file = Path(mistral_common.__file__).parent / "data" / "tokenizer.model.v1"
    model = read_model(file.read_bytes())
    keys = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [piece.text for piece in model.pieces],
        "tokenizer.ggml.scores": [piece.score for piece in model.pieces],
        "tokenizer.ggml.token_type": [piece.kind for piece in model.pieces],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
    vocab = {piece.text: i for i, piece in enumerate(model.pieces)}
    merges: list[tuple[float, list[str]]] = []
    for piece in model.pieces:
        splits = [(piece.text[:i], piece.text[i:]) for i in range(1, len(piece.text))]
        found = [(a, b) for a, b in splits if a in vocab and b in vocab]
        found.sort(key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
        merges += [(-piece.score, list(pair)) for pair in found]
    merges.sort(key=lambda merge: merge[0])
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    spec = {
        "added_tokens": [
            {
                "id": i,
                "content": model.pieces[i].text,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i in range(3)
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Prepend", "prepend": "▁"}, space],
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": {
            "type": "BPE",
            "vocab": vocab,
            "merges": [merge for _, merge in merges],
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
        },
    }
    return keys, json.dumps(spec)


def test_piece_model_ids(tmp_path: Path) -> None:
    keys, spec = pieces()
    expected = tokenizers.Tokenizer.from_str(spec)
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))

    @settings(max_examples=150, deadline=None)
    @given(TEXTS, st.sampled_from(["<s>", "</s>", "<unk>", "", " hello world"]))
    def check(text: str, inner: str) -> None:
        text = text + inner + text
        ids = expected.encode(text).ids
        assert ours.encode(text) == ids
        assert ours.encode(text, add_special_tokens=True) == [1, *ids]
        assert ours.decode(ids) == expected.decode(ids, skip_special_tokens=False)

    check()


def wordpiece() -> dict[str, Any]:
    """A small tokenizer.json like BERT's."""
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.decoder = tokenizers.decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=150, special_tokens=special, show_progress=False
    )
    made.train_from_iterator(corpus(), trainer)
    made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return json.loads(made.to_str())


def with_marks(token: str) -> str:
    """A WordPiece token as it is written in GGUF."""
    if token.startswith("["):
        return token
    return token[2:] if token.startswith("##") else "▁" + token


def test_wordpiece_ids(tmp_path: Path) -> None:
    spec = wordpiece()
    tokens = sorted(spec["model"]["vocab"], key=spec["model"]["vocab"].__getitem__)
    keys = {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": [with_marks(token) for token in tokens],
        "tokenizer.ggml.token_type": [3 if token.startswith("[") else 1 for token in tokens],
        "tokenizer.ggml.unknown_token_id": 1,
        "tokenizer.ggml.bos_token_id": 2,
        "tokenizer.ggml.seperator_token_id": 3,
    }
    expected = tokenizers.Tokenizer.from_str(json.dumps(spec))
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))

    @settings(max_examples=100, deadline=None)
    @given(TEXTS, st.sampled_from(["[SEP]", "[UNK]", "hello wörld", "##a"]))
    def check(text: str, inner: str) -> None:
        text = text + inner + text
        found = expected.encode(text, inner)
        assert ours.encode(text, add_special_tokens=True) == expected.encode(text).ids
        pair = ours.encoding(text, inner)
        assert (pair.ids, pair.type_ids) == (found.ids, found.type_ids)
        assert ours.decode(found.ids) == expected.decode(found.ids, skip_special_tokens=False)

    check()


def test_capital_letters_need_the_key(tmp_path: Path) -> None:
    keys = {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": ["[UNK]", "▁A", "▁a"],
        "tokenizer.ggml.token_type": [2, 1, 1],
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
    }
    with pytest.raises(SpecError, match=r"normalizer\.lowercase: missing"):
        Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    keys["tokenizer.ggml.normalizer.lowercase"] = False
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    assert ours.encode("A a á") == [1, 2, 0]


def test_unigram_ids(tmp_path: Path) -> None:
    model = read_model(trained_pieces(model_type="unigram"))
    keys = {
        "tokenizer.ggml.model": "t5",
        "tokenizer.ggml.tokens": [piece.text for piece in model.pieces],
        "tokenizer.ggml.scores": [piece.score for piece in model.pieces],
        "tokenizer.ggml.token_type": [piece.kind for piece in model.pieces],
        "tokenizer.ggml.precompiled_charsmap": model.normalizer.charsmap,
        "tokenizer.ggml.remove_extra_whitespaces": True,
        "tokenizer.ggml.eos_token_id": 2,
    }
    marks = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    spec = {
        "added_tokens": [
            {"id": i, "content": model.pieces[i].text, "special": True, **plain} for i in range(3)
        ],
        "normalizer": {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(model.normalizer.charsmap).decode(),
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "WhitespaceSplit"}, marks],
        },
        "decoder": marks,
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [[piece.text, piece.score] for piece in model.pieces],
        },
    }
    expected = tokenizers.Tokenizer.from_str(json.dumps(spec))
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))

    @settings(max_examples=100, deadline=None)
    @given(TEXTS, st.sampled_from(["</s>", "<unk>", " hello world", "Ａ１ ﬁ½"]))
    def check(text: str, inner: str) -> None:
        text = text + inner + text
        ids = expected.encode(text).ids
        assert ours.encode(text) == ids
        assert ours.encode(text, add_special_tokens=True) == [*ids, 2]
        assert ours.decode(ids) == expected.decode(ids, skip_special_tokens=False)

    check()


def test_merges_over_characters(tmp_path: Path) -> None:
    keys, text = pieces()
    spec = json.loads(text)
    spec["normalizer"] = spec["normalizer"]["normalizers"][1]
    spec["decoder"]["decoders"].pop()
    expected = tokenizers.Tokenizer.from_str(json.dumps(spec))
    keys = {key: item for key, item in keys.items() if key != "tokenizer.ggml.scores"}
    keys["tokenizer.ggml.model"] = "gemma4"
    keys["tokenizer.ggml.merges"] = [" ".join(merge) for merge in spec["model"]["merges"]]
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))

    @settings(max_examples=100, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        ids = expected.encode(text).ids
        assert ours.encode(text) == ids
        assert ours.encode(text, add_special_tokens=True) == [1, *ids]
        assert ours.decode(ids) == expected.decode(ids, skip_special_tokens=False)

    check()


def test_ranks_without_merges(tmp_path: Path) -> None:
    """As tiktoken merges: the earliest token that two neighbours spell."""
    made = rank_files.trained_ranks(0)
    stands = bytes_to_unicode()
    ordered = sorted(made, key=made.__getitem__)
    ranks = {token: index for index, token in enumerate(ordered)}
    keys = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "kimi-k2",
        "tokenizer.ggml.tokens": ["".join(stands[byte] for byte in token) for token in ordered],
        "tokenizer.ggml.token_type": [1] * len(ordered),
    }
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    expected = tiktoken.Encoding(
        "x", pat_str=KIMI_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )

    @settings(max_examples=100, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        assert ours.encode(text) == expected.encode_ordinary(text)

    check()


def test_an_embedded_tokenizer_json_is_taken(tmp_path: Path) -> None:
    spec = trained("qwen2")
    keys = {**keys_of(spec, "gpt-2"), "tokenizer.huggingface.json": json.dumps(spec)}
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    assert ours.encode("12 e\u0301") == Tokenizer.from_str(json.dumps(spec)).encode("12 e\u0301")
    assert ours.eos_token == "<|eos|>"


def test_missing_kinds_and_empty_tokens(tmp_path: Path) -> None:
    keys = {**SMALL, "tokenizer.ggml.tokens": ["a", "b", "ab", ""]}
    del keys["tokenizer.ggml.token_type"]
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    assert ours.encode("abb") == [2, 1]
    assert ours.id_to_token(3) == "[EMPTY_3]"


def test_a_flag_that_is_missing_is_what_the_name_says(tmp_path: Path) -> None:
    keys = {**SMALL, "tokenizer.ggml.pre": "llama-bpe", "tokenizer.ggml.bos_token_id": 3}
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    assert ours.encode("ab", add_special_tokens=True) == [3, 2]
    keys["tokenizer.ggml.add_bos_token"] = False
    ours = Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))
    assert ours.encode("ab", add_special_tokens=True) == [2]


# ------------------------------------------------------------ what is refused

SMALL = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "qwen2",
    "tokenizer.ggml.tokens": ["a", "b", "ab", "<s>"],
    "tokenizer.ggml.token_type": [1, 1, 1, 3],
    "tokenizer.ggml.merges": ["a b"],
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"model": "rwkv"}, "model 'rwkv' is not supported; supported: gpt2, llama, t5, bert"),
        ({"model": "bert"}, "unknown_token_id: missing"),
        ({"model": "bert", "tokens": ["b", "a", "▁##a", "<s>"]}, "there twice"),
        ({"model": "t5", "scores": [0.0] * 4, "precompiled_charsmap": b"abc"}, "its header"),
        ({"model": "gemma4", "merges": ["ab"]}, r"merges\[0\]: 'ab' is not two tokens"),
        ({"pre": "kimi-k2"}, "single bytes are no tokens"),
        ({"pre": "default"}, "pre-tokenizer 'default' is not supported"),
        ({"tokens": ["a", "b", "a", "<s>"]}, "there twice"),
        ({"tokens": [1, 2, 3, 4]}, "expected an array of str"),
        ({"tokens": "a"}, "expected list"),
        ({"token_type": [1, 1, 1]}, "3 kinds of 4 tokens"),
        ({"token_type": [1, 1, 1, 9]}, "unknown kind 9"),
        ({"merges": ["a c"]}, "not in the vocabulary"),
        ({"bos_token_id": 4}, "4 of 4 tokens"),
        ({"model": "llama", "scores": [0.0]}, "1 scores of 4 tokens"),
    ],
)
def test_wrong_keys_are_refused(change: dict[str, Any], problem: str, tmp_path: Path) -> None:
    keys = {**SMALL, **{f"tokenizer.ggml.{key}": item for key, item in change.items()}}
    with pytest.raises(SpecError, match=problem):
        Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", keys))


def test_missing_tokens_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="tokens: missing"):
        Tokenizer.from_file(
            gguf_files.write(tmp_path / "x.gguf", {"tokenizer.ggml.model": "gpt2"})
        )


@pytest.mark.parametrize("version", [1, 4, 0x03000000])
def test_other_versions_are_refused(version: int, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=f"GGUF version {version}"):
        Tokenizer.from_file(gguf_files.write(tmp_path / "x.gguf", SMALL, version))


def test_every_cut_header_is_refused(tmp_path: Path) -> None:
    whole = gguf_files.header(SMALL)
    file = tmp_path / "x.gguf"
    for size in range(5, len(whole), 3):
        file.write_bytes(whole[:size])
        with pytest.raises(SpecError):
            Tokenizer.from_file(file)


@pytest.mark.parametrize(
    "tail",
    [
        struct.pack("<IQQ", 3, 0, 2**62),
        struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**63),
        struct.pack("<IQQ", 3, 0, 1) + gguf_files.text("tokenizer.x") + struct.pack("<I", 77),
        struct.pack("<IQQ", 3, 0, 1)
        + gguf_files.text("tokenizer.x")
        + struct.pack("<IIQ", 9, 8, 2**60),
        struct.pack("<IQQ", 3, 0, 1)
        + gguf_files.text("tokenizer.x")
        + struct.pack("<IIQ", 9, 4, 2**62),
        struct.pack("<IQQ", 3, 0, 1)
        + gguf_files.text("tokenizer.x")
        + struct.pack("<IIQ", 9, 9, 1),
    ],
)
def test_hostile_lengths_are_refused(tail: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF" + tail + bytes(32))
    with pytest.raises(SpecError, match=r"header|tokenizer\.x"):
        Tokenizer.from_file(file)
