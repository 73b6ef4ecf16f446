"""Corpora for the tests, and readers of what becomes of them that know only the formats."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
import zstandard

from textcore.data import DEFAULT_DIR, default_tokenizer

MODEL = DEFAULT_DIR
TOK = default_tokenizer()
END = TOK.token_to_id("<|endoftext|>")

DOCUMENTS = [
    "Hello, world!",
    "naïve 你好 👩‍👩‍👧‍👦\r\nand a second line\n",
    " ",
    'quotes " and \\ backslashes, \t tabs and \x7f',
    "<|im_start|>user\nhi<|im_end|>",
    "e\u0301 is composed by the normalizer",
    "the end",
]


def ids_of(documents: Sequence[str], end: int | None = END) -> list[list[int]]:
    """What the tokenizer itself makes of documents, with the end of text."""
    return [TOK.encode(text) + ([] if end is None else [end]) for text in documents if text]


def flat(lists: Sequence[Sequence[int]]) -> list[int]:
    return [token for each in lists for token in each]


def write_jsonl(path: Path, documents: Sequence[str]) -> Path:
    """Lines of JSON, compressed as the name says; every other one ASCII only."""
    lines = [
        json.dumps({"id": n, "text": text, "meta": {"n": [n]}}, ensure_ascii=n % 2 == 0)
        for n, text in enumerate(documents)
    ]
    return write_bytes(path, "".join(line + "\n" for line in lines).encode())


def write_bytes(path: Path, data: bytes) -> Path:
    """A file, compressed as its name says."""
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        data = zstandard.compress(data)
    path.write_bytes(data)
    return path


def write_parquet(path: Path, documents: Sequence[str | None], *, rows: int = 3) -> Path:
    """A column of texts among others, ``rows`` in a row group."""
    table = pyarrow.table({"id": list(range(len(documents))), "text": list(documents)})
    pyarrow.parquet.write_table(table, path, row_group_size=rows)
    return path


def read_megatron(prefix: Path) -> list[list[int]]:
    """The documents of a ``.bin`` and its ``.idx``, as Megatron's published reader has them.

    Of each document, the ids of its sequences one after the other.
    """
    index = prefix.with_suffix(".idx").read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00"
    version, code, sequences, boundaries = struct.unpack_from("<QBQQ", index, 9)
    assert version == 1
    kind = {4: numpy.dtype("<i4"), 8: numpy.dtype("<u2")}[code]
    lengths = numpy.frombuffer(index, "<i4", sequences, 34)
    pointers = numpy.frombuffer(index, "<i8", sequences, 34 + lengths.nbytes)
    first = 34 + lengths.nbytes + pointers.nbytes
    documents = numpy.frombuffer(index, "<i8", boundaries, first)
    assert first + documents.nbytes == len(index)
    data = prefix.with_suffix(".bin").read_bytes()
    rows = [
        numpy.frombuffer(data, kind, int(length), int(pointer)).tolist()
        for length, pointer in zip(lengths, pointers, strict=True)
    ]
    return [flat(rows[start:end]) for start, end in pairwise(documents.tolist())]


def read_nanogpt(path: Path, kind: str) -> list[int]:
    """All ids, as nanoGPT's training loop maps the file."""
    return numpy.memmap(path, dtype=kind, mode="r").tolist()
