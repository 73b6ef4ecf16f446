"""The job on a local Ray with two workers, beside the one on one machine.

These tests need the extra ``ray``; the README's command for all tests runs without them.
"""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import ray
import ray.data

from textcore import corpora
from textcore.corpora import CorpusError, Options
from textcore.corpora import ray as distributed
from textcore.data import DEFAULT_DIR
from textcore.errors import TextcoreError

WORDS = "naïve 你好 👩‍👩‍👧‍👦 <|im_end|> some words\n"
TEXTS = [f"{number} {WORDS * (number % 7)}" for number in range(2000)]
TEXTS[10] = TEXTS[1999] = ""
TEXTS[500] = None


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """A Ray of two workers on this machine."""
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> list[Path]:
    """The texts in Parquet files, so that more than one worker has work."""
    folder = tmp_path_factory.mktemp("corpus")
    paths = []
    for start in range(0, len(TEXTS), 100):
        table = pyarrow.table({"text": TEXTS[start : start + 100]})
        paths.append(folder / f"{start:05}.parquet")
        pyarrow.parquet.write_table(table, paths[-1])
    return paths


@pytest.fixture(scope="module")
def expected(files, tmp_path_factory):
    """The files of one machine's job by their ending, and its summary."""
    folder = tmp_path_factory.mktemp("expected")
    for ending in (".bin", ".npy", ".parquet"):
        summary = corpora.tokenize(files, folder / f"out{ending}", DEFAULT_DIR)
    return {path.suffix: path.read_bytes() for path in folder.iterdir()}, summary


def dataset(files) -> ray.data.Dataset:
    # A block a file: read by Ray, small files become one block, which is one worker's work.
    return ray.data.from_arrow([pyarrow.parquet.read_table(path) for path in files])


@pytest.mark.parametrize("ending", [".bin", ".npy", ".parquet"])
def test_the_file_is_that_of_one_machine(files, expected, tmp_path, ending):
    whole, there = expected
    summary = distributed.tokenize(dataset(files), tmp_path / f"out{ending}", DEFAULT_DIR)
    assert {path.suffix: path.read_bytes() for path in summary.files}.items() <= whole.items()
    counted = (there.documents, there.tokens, there.empty, there.ids)
    assert (summary.documents, summary.tokens, summary.empty, summary.ids) == counted
    assert sorted(tmp_path.iterdir()) == sorted(summary.files)


def test_more_than_one_worker_has_worked(files):
    def with_process(batch):
        time.sleep(0.1)  # so that one worker can't have done all before the other starts
        batch["process"] = [os.getpid()] * len(batch["text"])
        return batch

    rows = dataset(files).map_batches(with_process, batch_size=50, num_cpus=1).take_all()
    assert len({row["process"] for row in rows}) == 2


def test_a_worker_that_is_killed_is_survived(files, expected, tmp_path):
    killed = tmp_path / "killed"

    def kill_once(batch):
        # In the task that also encodes: Ray runs steps one after the other in one worker.
        if "1234 " in "".join(text or "" for text in batch["text"]) and not killed.exists():
            killed.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    rows = dataset(files).map_batches(kill_once)
    distributed.tokenize(rows, tmp_path / "out.bin", DEFAULT_DIR)
    assert killed.exists()
    for ending in (".bin", ".idx"):
        assert (tmp_path / f"out{ending}").read_bytes() == expected[0][ending]


def test_rows_of_ids_can_be_written_by_the_workers(files, tmp_path):
    ids = distributed.input_ids(dataset(files), DEFAULT_DIR)
    ids.write_parquet(str(tmp_path / "out"))
    rows = distributed.input_ids(dataset(files), DEFAULT_DIR).take_all()
    tokenizer = corpora.job.load_tokenizer(DEFAULT_DIR)
    end = tokenizer.token_to_id("<|endoftext|>")
    assert [list(row["input_ids"]) for row in rows] == [
        [*tokenizer.encode(text), end] for text in TEXTS if text
    ]
    written = pyarrow.parquet.read_table(tmp_path / "out")
    assert written.num_rows == len(rows)


def test_options_reach_the_workers(tmp_path):
    rows = ray.data.from_items([{"body": "one <|im_end|>"}, {"body": "two"}])
    options = Options(field="body", end_of_text=0, allowed_special=["<|im_start|>"], ids="uint32")
    distributed.tokenize(rows, tmp_path / "out.bin", DEFAULT_DIR, options)
    lines = [json.dumps(row) for row in rows.take_all()]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    corpora.tokenize([tmp_path / "in.jsonl"], tmp_path / "one.bin", DEFAULT_DIR, options)
    assert (tmp_path / "out.bin").read_bytes() == (tmp_path / "one.bin").read_bytes()


def test_what_is_wrong_is_said_before_a_worker_starts(tmp_path, files):
    rows = dataset(files)
    with pytest.raises(TextcoreError, match="a row is a document"):
        distributed.input_ids(rows, DEFAULT_DIR, Options(document="line"))
    with pytest.raises(TextcoreError, match="has no token 'nothing'"):
        distributed.input_ids(rows, DEFAULT_DIR, Options(end_of_text="nothing"))
    (tmp_path / "out.npy").write_bytes(b"precious")
    with pytest.raises(CorpusError, match="the output exists"):
        distributed.tokenize(rows, tmp_path / "out.npy", DEFAULT_DIR)
    assert (tmp_path / "out.npy").read_bytes() == b"precious"


def test_a_row_that_is_no_text_is_an_error(tmp_path):
    rows = ray.data.from_items([{"text": b"good"}, {"text": b"b\xffd"}])
    with pytest.raises(Exception, match="not UTF-8"):
        distributed.tokenize(rows, tmp_path / "out.npy", DEFAULT_DIR)
    numbers = ray.data.from_items([{"text": 1}])
    with pytest.raises(Exception, match="'text' has no text, but int64"):
        distributed.tokenize(numbers, tmp_path / "other.npy", DEFAULT_DIR)
