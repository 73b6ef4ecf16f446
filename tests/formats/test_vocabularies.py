"""Bare vocabularies give what the class of transformers gives that their config names."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from test_gguf import trained

from textcore import Tokenizer
from textcore.errors import SpecError, UnsupportedError

TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\t'sStéÉ0129<|>_-ab한日\u0301🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=50,
)
END = {"content": "<|endoftext|>", "special": True, "normalized": False, "lstrip": False,
       "rstrip": False, "single_word": False}  # fmt: skip
CONFIGS: dict[str, dict[str, Any]] = {
    "GPT2Tokenizer": {},
    "GPT2TokenizerFast": {"add_prefix_space": True, "unk_token": "<|endoftext|>"},
    "Qwen2Tokenizer": {
        "added_tokens_decoder": {"600": END, "601": {**END, "content": "<|im_start|>"}},
    },
    "BertTokenizer": {},
    "BertTokenizerFast": {"do_lower_case": False, "tokenize_chinese_chars": False},
}
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] a b e ab ##a ##b ##s t T 日 ##本 é ' ##é hello ##12 0"


def write_folder(name: str, folder: Path) -> Path:
    config = {"tokenizer_class": name, **CONFIGS[name]}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    if name.startswith("Bert"):
        text = "".join(word + "\n" for word in WORDS.split())
        (folder / "vocab.txt").write_text(text, encoding="utf-8")
        return folder
    model = trained("qwen2" if name.startswith("Qwen") else "gpt-2")["model"]
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    merges = "#version: 0.2\n" + "".join(" ".join(merge) + "\n" for merge in model["merges"])
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    return folder


@cache
def both(name: str) -> tuple[Tokenizer, Any]:
    import tempfile

    with tempfile.TemporaryDirectory() as given_folder:
        folder = write_folder(name, Path(given_folder))
        kind = getattr(transformers, name.removesuffix("Fast"))
        return Tokenizer.from_dir(folder), kind.from_pretrained(folder)


@pytest.mark.parametrize("name", CONFIGS)
def test_ids_are_those_of_the_class(name: str) -> None:
    ours, expected = both(name)

    @settings(max_examples=60, deadline=None)
    @given(TEXTS, st.sampled_from(["", "<|endoftext|>", "<|im_start|>", "[MASK]", "hello"]))
    def check(text: str, inner: str) -> None:
        text = text + inner + text
        assert ours.encode(text) == expected.encode(text, add_special_tokens=False)
        assert ours.encode(text, add_special_tokens=True) == expected.encode(text)

    check()


@pytest.mark.parametrize("name", CONFIGS)
def test_pairs_and_vocabulary(name: str) -> None:
    ours, expected = both(name)
    pair = ours.encoding("ab ab", "hello")
    backend = expected._tokenizer.encode("ab ab", "hello")
    assert (pair.ids, pair.type_ids) == (backend.ids, backend.type_ids)
    assert ours.get_vocab() == expected.get_vocab()


@pytest.mark.parametrize("name", [None, "LlamaTokenizer", 7, ["GPT2Tokenizer"]])
def test_other_classes_are_refused(name: object, tmp_path: Path) -> None:
    write_folder("GPT2Tokenizer", tmp_path)
    config = {} if name is None else {"tokenizer_class": name}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(UnsupportedError, match="known: GPT2Tokenizer, Qwen2Tokenizer"):
        Tokenizer.from_dir(tmp_path)


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("merges.txt", b"a b c\n", "merges.txt line 1"),
        ("merges.txt", b"a\n", "merges.txt line 1"),
        ("merges.txt", b"\xff\n", "not UTF-8"),
        ("merges.txt", b"a \xe2\x82\xac\xe2\x82\xac\n", "not in the vocabulary"),
        ("vocab.json", b"[]", "expected an object"),
    ],
)
def test_wrong_files_are_refused(file: str, content: bytes, problem: str, tmp_path: Path) -> None:
    write_folder("GPT2Tokenizer", tmp_path)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(SpecError, match=problem):
        Tokenizer.from_dir(tmp_path)


def test_a_vocabulary_without_its_special_tokens(tmp_path: Path) -> None:
    write_folder("BertTokenizer", tmp_path)
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n", encoding="utf-8")
    with pytest.raises(SpecError, match="lacks the cls_token"):
        Tokenizer.from_dir(tmp_path)
