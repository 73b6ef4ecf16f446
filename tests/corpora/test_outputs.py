"""What is written, read back by readers that know the published formats only."""

from __future__ import annotations

import json

import numpy
import pyarrow
import pyarrow.parquet
import pytest
from corpus_files import (
    DOCUMENTS,
    END,
    MODEL,
    TOK,
    flat,
    ids_of,
    read_megatron,
    read_nanogpt,
    write_jsonl,
)
from tokenizers import Tokenizer as Reference

from textcore import Tokenizer
from textcore.corpora import CorpusError, Options, tokenize
from textcore.errors import TextcoreError


@pytest.fixture
def corpus(tmp_path):
    return write_jsonl(tmp_path / "in.jsonl", DOCUMENTS)


@pytest.mark.parametrize("kind", ["uint16", "uint32"])
def test_flat_ids_as_nanogpt_reads_them(tmp_path, corpus, kind):
    tokenize([corpus], tmp_path / "train.bin", MODEL, Options(ids=kind))
    assert read_nanogpt(tmp_path / "train.bin", kind) == flat(ids_of(DOCUMENTS))


@pytest.mark.parametrize("kind", ["uint16", "uint32"])
def test_the_index_as_megatron_reads_it(tmp_path, corpus, kind):
    summary = tokenize([corpus], tmp_path / "train.bin", MODEL, Options(ids=kind))
    assert read_megatron(tmp_path / "train.bin") == ids_of(DOCUMENTS)
    assert summary.files == [tmp_path / "train.bin", tmp_path / "train.idx"]


@pytest.mark.parametrize("kind", ["uint16", "uint32"])
def test_npy(tmp_path, corpus, kind):
    tokenize([corpus], tmp_path / "train.npy", MODEL, Options(ids=kind))
    array = numpy.load(tmp_path / "train.npy", mmap_mode="r")
    assert array.dtype == kind
    assert array.tolist() == flat(ids_of(DOCUMENTS))


@pytest.mark.parametrize("kind", ["uint16", "uint32"])
def test_parquet(tmp_path, corpus, kind):
    tokenize([corpus], tmp_path / "train.parquet", MODEL, Options(ids=kind))
    table = pyarrow.parquet.read_table(tmp_path / "train.parquet")
    assert table.column("input_ids").to_pylist() == ids_of(DOCUMENTS)
    assert table.schema.field("input_ids").type.value_type == pyarrow.from_numpy_dtype(kind)


def test_parquet_in_several_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr("textcore.corpora.outputs._ROW_GROUP_IDS", 7)
    monkeypatch.setattr("textcore.corpora.outputs._CHUNK", 5)
    documents = [f"document {'x' * number}" for number in range(40)]
    tokenize([write_jsonl(tmp_path / "in.jsonl", documents)], tmp_path / "out.parquet", MODEL)
    file = pyarrow.parquet.ParquetFile(tmp_path / "out.parquet")
    assert file.num_row_groups > 10
    assert file.read().column(0).to_pylist() == ids_of(documents)


def test_an_index_of_more_documents_than_are_worked_on_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("textcore.corpora.outputs._CHUNK", 5)
    documents = [f"document {number}" for number in range(43)]
    tokenize([write_jsonl(tmp_path / "in.jsonl", documents)], tmp_path / "out.bin", MODEL)
    assert read_megatron(tmp_path / "out.bin") == ids_of(documents)


def test_ids_are_the_references(tmp_path, corpus):
    tokenize([corpus], tmp_path / "out.bin", MODEL)
    reference = Reference.from_file(str(MODEL / "tokenizer.json"))
    expected = [[*reference.encode(text, add_special_tokens=False).ids, END] for text in DOCUMENTS]
    assert read_megatron(tmp_path / "out.bin") == expected


def test_the_summary_counts_what_is_written(tmp_path):
    corpus = write_jsonl(tmp_path / "in.jsonl", [*DOCUMENTS, "", ""])
    summary = tokenize([corpus], tmp_path / "out.npy", MODEL)
    expected = ids_of(DOCUMENTS)
    assert (summary.documents, summary.tokens) == (len(expected), len(flat(expected)))
    assert (summary.empty, summary.ids, summary.files) == (2, "uint16", [tmp_path / "out.npy"])


@pytest.mark.parametrize("name", ["out.bin", "out.npy", "out.parquet"])
def test_nothing_is_left_of_a_job_that_is_done(tmp_path, corpus, name):
    summary = tokenize([corpus], tmp_path / name, MODEL)
    assert sorted(tmp_path.iterdir()) == sorted([corpus, *summary.files])


@pytest.mark.parametrize("name", ["out", "out.txt", "out.bin.gz"])
def test_an_output_of_no_known_kind_is_refused(tmp_path, corpus, name):
    with pytest.raises(CorpusError, match=r"an output is a file of \.bin, \.npy, \.parquet"):
        tokenize([corpus], tmp_path / name, MODEL)


def test_an_output_that_is_there_is_kept_until_it_is_to_be_replaced(tmp_path, corpus):
    (tmp_path / "out.npy").write_bytes(b"precious")
    with pytest.raises(CorpusError, match="the output exists"):
        tokenize([corpus], tmp_path / "out.npy", MODEL)
    assert (tmp_path / "out.npy").read_bytes() == b"precious"
    tokenize([corpus], tmp_path / "out.npy", MODEL, overwrite=True)
    assert numpy.load(tmp_path / "out.npy").tolist() == flat(ids_of(DOCUMENTS))


def test_wrong_arguments_are_refused(tmp_path, corpus):
    with pytest.raises(ValueError, match="threads"):
        tokenize([corpus], tmp_path / "out.npy", MODEL, threads=0)
    with pytest.raises(ValueError, match="no inputs"):
        tokenize([], tmp_path / "out.npy", MODEL)


# -- what is put around documents, and found in them -----------------------------------------


@pytest.mark.parametrize(
    ("wanted", "end"),
    [("auto", END), ("<|im_start|>", TOK.token_to_id("<|im_start|>")), (0, 0), (None, None)],
)
def test_the_end_of_text(tmp_path, corpus, wanted, end):
    tokenize([corpus], tmp_path / "out.bin", MODEL, Options(end_of_text=wanted))
    assert read_megatron(tmp_path / "out.bin") == ids_of(DOCUMENTS, end)


@pytest.mark.parametrize("allowed", ["none", frozenset({"<|im_end|>"})])
def test_which_added_tokens_a_text_may_contain(tmp_path, corpus, allowed):
    tokenize([corpus], tmp_path / "out.bin", MODEL, Options(allowed_special=allowed))
    expected = [[*TOK.encode(text, allowed_special=allowed), END] for text in DOCUMENTS]
    assert read_megatron(tmp_path / "out.bin") == expected


def small_tokenizer(tmp_path, **parts):
    """A tokenizer of words, with an end of text and what ``parts`` says."""
    words = {"[UNK]": 0, "hello": 1, "world": 2, "<s>": 3, "<|endoftext|>": 4}
    bos, text = (
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    )
    template = {
        "type": "TemplateProcessing",
        "single": [bos, text],
        "pair": [text, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}},
    }
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = {"id": 4, "content": "<|endoftext|>", "special": True, **flags}
    spec = {
        "added_tokens": [added],
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": template,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"},
        **parts,
    }
    path = tmp_path / "tokenizer.json"
    Tokenizer(spec)  # it is one
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def test_special_tokens_around_each_document(tmp_path):
    corpus = write_jsonl(tmp_path / "in.jsonl", ["hello world", "world"])
    model = small_tokenizer(tmp_path)
    tokenize([corpus], tmp_path / "out.bin", model, Options(add_special_tokens=True))
    assert read_megatron(tmp_path / "out.bin") == [[3, 1, 2, 4], [3, 2, 4]]


def test_a_tokenizer_that_looks_at_whole_texts(tmp_path):
    # A pre-tokenizer after which words are found by where they stand.
    steps = [{"type": "Whitespace"}, {"type": "FixedLength", "length": 5}]
    model = small_tokenizer(tmp_path, pre_tokenizer={"type": "Sequence", "pretokenizers": steps})
    corpus = write_jsonl(tmp_path / "in.jsonl", ["helloworld", "world"])
    tokenize([corpus], tmp_path / "out.bin", model, Options(add_special_tokens=True))
    expected = Tokenizer.from_file(model).encode_batch(
        ["helloworld", "world"], add_special_tokens=True
    )
    assert read_megatron(tmp_path / "out.bin") == [[*ids, 4] for ids in expected]


def test_a_tokenizer_that_names_no_end_of_text(tmp_path, corpus):
    model = small_tokenizer(tmp_path, added_tokens=[])
    with pytest.raises(TextcoreError, match="does not say which token ends a document"):
        tokenize([corpus], tmp_path / "out.bin", model)


@pytest.mark.parametrize("token", ["<|end_of_text|>", 4096])
def test_an_end_of_text_that_the_tokenizer_lacks(tmp_path, corpus, token):
    with pytest.raises(TextcoreError, match=r"end of text: the tokenizer has no token"):
        tokenize([corpus], tmp_path / "out.bin", MODEL, Options(end_of_text=token))


def test_uint16_without_room(tmp_path, corpus):
    words = {f"w{number}": number for number in range(70_000)}
    model = {"type": "WordLevel", "vocab": {"[UNK]": 70_000, **words}, "unk_token": "[UNK]"}
    path = small_tokenizer(tmp_path, model=model, post_processor=None)
    with pytest.raises(TextcoreError, match="uint16 has no room"):
        tokenize([corpus], tmp_path / "out.bin", path, Options(ids="uint16"))
    assert tokenize([corpus], tmp_path / "out.bin", path).ids == "uint32"
