"""Every kind of input gives the documents that it holds, or an error that says where."""

from __future__ import annotations

import gzip
import json

import numpy
import pyarrow
import pyarrow.parquet
import pytest
from corpus_files import (
    DOCUMENTS,
    MODEL,
    ids_of,
    read_megatron,
    write_bytes,
    write_jsonl,
    write_parquet,
)

from textcore.corpora import CorpusError, Options, tokenize
from textcore.corpora.columns import ColumnReader
from textcore.corpora.streams import TEXT
from textcore.corpora.texts import TextReader


@pytest.fixture
def run(tmp_path):
    """Run the job on files; the documents' ids as they were written."""

    def run(*inputs, **options):
        output = tmp_path / "out.bin"
        tokenize(
            inputs, output, MODEL, Options(**options), overwrite=True, restart=True, threads=2
        )
        return read_megatron(output)

    return run


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst"])
def test_jsonl(run, tmp_path, ending):
    assert run(write_jsonl(tmp_path / f"in{ending}", DOCUMENTS)) == ids_of(DOCUMENTS)


@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".txt.zst"])
def test_a_text_file_is_a_document(run, tmp_path, ending):
    paths = [
        write_bytes(tmp_path / f"{number}{ending}", text.encode())
        for number, text in enumerate(DOCUMENTS)
    ]
    assert run(*paths) == ids_of(DOCUMENTS)


def test_a_text_file_in_lines(run, tmp_path):
    path = write_bytes(tmp_path / "in.txt", b"one\r\n\n two \nthree")
    assert run(path, document="line") == ids_of(["one", " two ", "three"])


@pytest.mark.parametrize("separator", ["<|end|>", "\n\n", "é"])
def test_a_text_file_with_a_separator(run, tmp_path, separator):
    text = separator.join(DOCUMENTS)
    path = write_bytes(tmp_path / "in.txt", text.encode())
    assert run(path, separator=separator) == ids_of(text.split(separator))


def test_parquet(run, tmp_path):
    path = write_parquet(tmp_path / "in.parquet", [None, *DOCUMENTS, "", None])
    assert run(path) == ids_of(DOCUMENTS)


TEXTS = pyarrow.array(DOCUMENTS)


@pytest.mark.parametrize(
    "column",
    [TEXTS.cast(pyarrow.large_string()), TEXTS.cast(pyarrow.binary()), TEXTS.dictionary_encode()],
)
def test_parquet_columns_of_other_types(run, tmp_path, column):
    pyarrow.parquet.write_table(pyarrow.table({"body": column}), tmp_path / "in.parquet")
    assert run(tmp_path / "in.parquet", field="body") == ids_of(DOCUMENTS)


def test_inputs_of_all_kinds_in_order(run, tmp_path):
    paths = [
        write_jsonl(tmp_path / "a.jsonl.gz", DOCUMENTS),
        write_parquet(tmp_path / "b.parquet", DOCUMENTS),
        write_bytes(tmp_path / "c.txt", b"a document"),
    ]
    assert run(*paths) == ids_of([*DOCUMENTS, *DOCUMENTS, "a document"])


def test_several_compressed_members_are_one_file(run, tmp_path):
    lines = [json.dumps({"text": text}).encode() + b"\n" for text in DOCUMENTS]
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(b"".join(map(gzip.compress, lines)))
    assert run(path) == ids_of(DOCUMENTS)


def test_empty_files_give_nothing(run, tmp_path):
    assert run(write_bytes(tmp_path / "in.txt", b"")) == []
    assert run(write_bytes(tmp_path / "in.jsonl", b"\n\n")) == []


@pytest.mark.parametrize("read_bytes", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("separator", ["<|end|>", "\n\n", "aa", "é"])
def test_how_much_is_read_at_a_time_decides_nothing(tmp_path, separator, read_bytes):
    text = ("one\n\n\ntwo<|end|><|end|aaa|>é<|end|>" * 3 + "aaaa") * 2
    path = write_bytes(tmp_path / "in.txt", text.encode())
    reader = TextReader(0, path, TEXT, Options(separator=separator), None, read_bytes)
    found = [
        documents[index].decode()
        for block in reader.blocks(None, False)
        for documents in block.documents()
        for index in range(len(documents))
    ]
    assert found == [part for part in text.split(separator) if part]


def test_rows_are_read_from_any_place(tmp_path):
    path = write_parquet(tmp_path / "in.parquet", [f"row {n}" for n in range(10)], rows=4)

    def rows(start):
        blocks = ColumnReader(0, path, "text", 100).blocks(start, False)
        return [row for block in blocks for row in block.rows.tolist()]

    assert rows([1, 2]) == [6, 7, 8, 9]
    assert rows([1, 4]) == [8, 9]
    assert rows([2, 2]) == []


# -- what is wrong -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": "a"', "line 3: not valid JSON: Expecting ',' delimiter at character 12"),
        (b'{"text": "a"} {}', "line 3: not valid JSON: Extra data"),
        (b'{"body": "a", "id": 1}', "line 3: the object has no key 'text', but 'body', 'id'"),
        (b'{"text": 7}', "line 3: 'text' is no string, but 7"),
        (b"[1]", "line 3: expected a JSON object, found a list of 1"),
        (b'{"text": "\\ud800"}', "line 3: the text has a lone surrogate at character 0"),
        (b'{"text": "\xff"}', "line 3, byte 10: not UTF-8 (byte 0xff)"),
        (b"[" * 200_000, "line 3: not valid JSON"),
        (b'{"text":' + b"9" * 9000 + b"}", "line 3: not valid JSON: Exceeds the limit"),
    ],
)
@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_a_bad_line_is_named(run, tmp_path, line, message, ending):
    good = b'{"text": "good"}\n'
    path = write_bytes(tmp_path / f"in{ending}", good + b"\n" + line + b"\n" + good)
    with pytest.raises(CorpusError) as raised:
        run(path)
    assert str(raised.value).startswith(f"{path}: {message}")


def test_a_line_left_to_python_is_read_in_its_place(run, tmp_path):
    lines = ['{"text":"one"}', '{"te\\u0078t":"two","x":NaN}', '{"text":null}', '{"text":"three"}']
    path = write_bytes(tmp_path / "in.jsonl", "\n".join(lines).encode())
    assert run(path) == ids_of(["one", "two", "three"])


@pytest.mark.parametrize("options", [{}, {"document": "line"}, {"separator": "--"}])
def test_a_byte_that_is_not_utf8_is_named(run, tmp_path, options):
    path = write_bytes(tmp_path / "in.txt", b"one\ntw\xc3o\nthree")
    with pytest.raises(CorpusError, match=r"in\.txt: line 2, byte 2: not UTF-8 \(byte 0xc3\)"):
        run(path, **options)


def test_the_second_of_two_files_is_named(run, tmp_path):
    good = write_bytes(tmp_path / "good.txt", b"good")
    bad = write_bytes(tmp_path / "bad.txt", b"\n\xff")
    with pytest.raises(CorpusError) as raised:
        run(good, bad)
    assert (raised.value.file, raised.value.place) == (str(bad), "line 2")


def test_a_row_that_is_not_utf8_is_named(run, tmp_path):
    column = pyarrow.array([None, b"good", b"", b"b\xffd"], pyarrow.binary())
    pyarrow.parquet.write_table(pyarrow.table({"text": column}), tmp_path / "in.parquet")
    with pytest.raises(CorpusError, match="row 3: byte 1: not UTF-8"):
        run(tmp_path / "in.parquet")


def test_a_column_that_is_missing_or_no_text_is_named(run, tmp_path):
    path = write_parquet(tmp_path / "in.parquet", DOCUMENTS)
    with pytest.raises(CorpusError, match=r"no column 'body' .* but 'id', 'text'"):
        run(path, field="body")
    with pytest.raises(CorpusError, match="'id' has no text, but int64"):
        run(path, field="id")


@pytest.mark.parametrize("ending", [".jsonl.gz", ".jsonl.zst"])
def test_a_file_that_is_cut_off_is_named(run, tmp_path, ending):
    path = tmp_path / f"in{ending}"
    texts = numpy.random.default_rng(0).integers(0, 1 << 60, 5000).astype(str)
    data = write_jsonl(path, texts.tolist()).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(CorpusError, match=rf"in{ending}: damaged, or cut off"):
        run(path)


@pytest.mark.parametrize("name", ["in.jsonl.gz", "in.jsonl.zst", "in.parquet"])
def test_a_file_of_another_kind_than_its_name_is_named(run, tmp_path, name):
    (tmp_path / name).write_bytes(b'{"text": "plain"}\n')
    with pytest.raises(CorpusError, match=name):
        run(tmp_path / name)


@pytest.mark.parametrize("name", ["in.csv", "in", "in.parquet.gz", "in.gz"])
def test_an_input_of_no_known_kind_is_refused(run, tmp_path, name):
    with pytest.raises(CorpusError, match=r"an input is a file of \.txt, \.jsonl"):
        run(write_bytes(tmp_path / name, b"text"))


def test_a_missing_input_is_an_os_error(run, tmp_path):
    with pytest.raises(FileNotFoundError):
        run(tmp_path / "in.txt")


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_document_over_the_limit_is_named(run, tmp_path, ending):
    path = tmp_path / f"in{ending}"
    documents = ["short", "long " * 100]
    (write_jsonl if ending == ".jsonl" else write_parquet)(path, documents)
    with pytest.raises(CorpusError, match=r"(line 2|row 1): a (line|text) of more than 200 bytes"):
        run(path, max_document_bytes=200)
    assert run(path, max_document_bytes=1000) == ids_of(documents)


@pytest.mark.parametrize(
    "options",
    [
        {"document": "page"},
        {"separator": ""},
        {"separator": "x", "document": "line"},
        {"ids": "int8"},
        {"max_document_bytes": 0},
    ],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(ValueError):  # noqa: PT011
        Options(**options)
