"""A job that is killed goes on, and its output is the same byte for byte."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

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

from textcore.corpora import CorpusError, Options, job, tokenize
from textcore.corpora.spool import Spool
from textcore.corpora.texts import TextReader

MANY = [f"{text} {number}" for number in range(9) for text in DOCUMENTS]


class Killed(BaseException):
    """Stands for the process's end: no code of the job handles it."""


@pytest.fixture
def small_blocks(monkeypatch):
    """Inputs are read in blocks of some documents."""
    monkeypatch.setattr(TextReader.__init__, "__defaults__", (1 << 10,))
    monkeypatch.setattr("textcore.corpora.columns.MAX_BATCH_ROWS", 25)
    monkeypatch.setattr(os, "fsync", lambda file: None)  # it is no power cut


@pytest.fixture
def inputs(tmp_path):
    """A corpus of every kind of input; the last one is a document that is cut in parts."""
    long = "A long document, in words.\n" * 200
    return [
        write_jsonl(tmp_path / "a.jsonl", MANY),
        write_jsonl(tmp_path / "b.jsonl.gz", MANY),
        write_parquet(tmp_path / "c.parquet", MANY, rows=40),
        write_jsonl(tmp_path / "d.jsonl.zst", MANY[:21]),
        write_bytes(tmp_path / "e.txt", long.encode()),
    ]


@pytest.fixture
def expected(tmp_path, inputs, small_blocks):
    """What one run writes: the bytes of the output, by its ending, and of the index."""
    found = {}
    for ending in (".bin", ".npy", ".parquet"):
        summary = tokenize(inputs, tmp_path / f"whole{ending}", MODEL)
        found[ending] = [path.read_bytes() for path in summary.files]
    assert (
        read_megatron(tmp_path / "whole.bin")[-1]
        == ids_of(["A long document, in words.\n" * 200])[0]
    )
    return found


def kill_at(monkeypatch, step: int) -> list[str]:
    """End the process, so to say, at some step of everything that changes the disk."""
    steps: list[str] = []

    def counted(name, function):
        def run(*args, **options):
            if len(steps) >= step:
                raise Killed
            steps.append(name)
            if len(steps) == step and name == "add":
                # Half of what was to be written reaches the disk.
                spool, ids, _ = args
                spool._ids.write(memoryview(ids[: len(ids) // 2]).cast("B"))
                spool._ids.flush()
                raise Killed
            return function(*args, **options)

        return run

    monkeypatch.setattr(Spool, "add", counted("add", Spool.add))
    monkeypatch.setattr(Spool, "commit", counted("commit", Spool.commit))
    monkeypatch.setattr(Spool, "remove", counted("remove", Spool.remove))
    monkeypatch.setattr(os, "replace", counted("replace", os.replace))
    monkeypatch.setattr(Path, "unlink", counted("unlink", Path.unlink))
    return steps


@pytest.mark.parametrize("ending", [".bin", ".npy", ".parquet"])
def test_killed_at_every_step_it_goes_on(tmp_path, inputs, expected, monkeypatch, ending):
    output = tmp_path / f"out{ending}"
    source = random.Random(0)
    for step in [1, 3, *source.sample(range(5, 40), 3)]:
        for attempt in range(100):
            with pytest.MonkeyPatch.context() as patch:
                kill_at(patch, step + attempt)
                try:
                    summary = tokenize(inputs, output, MODEL, commit_seconds=0, threads=2)
                    break
                except Killed:
                    continue
                except CorpusError:
                    # Killed when all but tidying up was done.
                    assert output.exists()
                    assert not (tmp_path / f"out{ending}.partial" / "progress.json").exists()
                    break
        files = [output] if ending != ".bin" else [output, output.with_suffix(".idx")]
        assert [path.read_bytes() for path in files] == expected[ending], step
        assert summary.documents == len(MANY) * 3 + 22
        for path in files:
            path.unlink()
        partial = tmp_path / f"out{ending}.partial"
        if partial.exists():
            assert {path.name for path in partial.iterdir()} <= {"lock"}


PROGRAM = """
import sys, textcore.corpora.texts as texts
texts.TextReader.__init__.__defaults__ = (1 << 13,)
from pathlib import Path
from textcore.corpora import tokenize
*inputs, output, model = sys.argv[1:]
tokenize(inputs, output, model, commit_seconds=0.002, threads=2)
"""


def is_newer(path: Path, time_ns: int) -> bool:
    try:
        return path.stat().st_mtime_ns > time_ns
    except FileNotFoundError:
        return False


def test_killed_by_the_system_at_random_moments_it_goes_on(tmp_path):
    source = random.Random(time.time_ns())
    documents = [f"{text} {number}" * 9 for number in range(500) for text in DOCUMENTS]
    inputs = [
        write_jsonl(tmp_path / "a.jsonl", documents),
        write_jsonl(tmp_path / "b.jsonl.gz", documents[:3000]),
    ]
    output = tmp_path / "out.bin"
    command = [sys.executable, "-c", PROGRAM, *map(str, [*inputs, output, MODEL])]
    progress = tmp_path / "out.bin.partial" / "progress.json"
    kills = 0
    while not output.exists():
        before = progress.stat().st_mtime_ns if progress.exists() else 0
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        # Not before it has got somewhere, so that it comes to an end; then at once, and later
        # at any moment.
        while process.poll() is None and not is_newer(progress, before):
            time.sleep(0.001)
        try:
            process.wait(source.uniform(0, 0.05) if kills else 0)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
        error = process.communicate()[1].decode()
        assert process.returncode in (0, -signal.SIGKILL), error
    assert kills
    tokenize(inputs, tmp_path / "whole.bin", MODEL)
    for ending in (".bin", ".idx"):
        whole = (tmp_path / f"whole{ending}").read_bytes()
        assert output.with_suffix(ending).read_bytes() == whole
    assert read_megatron(output) == ids_of([*documents, *documents[:3000]])


@pytest.fixture
def unfinished(tmp_path, inputs, small_blocks, monkeypatch):
    """An output whose job has been killed half-way."""
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, 20)
        with pytest.raises(Killed):
            tokenize(inputs, tmp_path / "out.bin", MODEL, commit_seconds=0)
    return tmp_path / "out.bin"


def test_it_does_not_begin_anew(unfinished, inputs, monkeypatch):
    progress = json.loads((unfinished.parent / "out.bin.partial/progress.json").read_text())
    assert progress["tokens"] > 0
    added = []
    add = Spool.add
    monkeypatch.setattr(
        Spool,
        "add",
        lambda spool, ids, lengths: (added.append(len(ids)), add(spool, ids, lengths)),
    )
    summary = tokenize(inputs, unfinished, MODEL)
    assert sum(added) == summary.tokens - progress["tokens"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"end_of_text": 0}, "end of text, end_of_text"),
        ({"field": "body"}, "field"),
        ({"ids": "uint32"}, "ids"),
        ({"allowed_special": frozenset(["<|im_end|>"])}, "allowed_special"),
    ],
)
def test_another_job_does_not_go_on_with_it(unfinished, inputs, options, named):
    with pytest.raises(CorpusError, match=rf"an unfinished job of another kind \({named}\)"):
        tokenize(inputs, unfinished, MODEL, Options(**options))


def test_an_input_that_has_changed_is_noticed(unfinished, inputs):
    write_jsonl(inputs[-3], MANY[1:])
    os.utime(inputs[-2])
    with pytest.raises(CorpusError, match=r"another kind \(inputs\)"):
        tokenize(inputs, unfinished, MODEL)


def test_a_tokenizer_that_has_changed_is_noticed(unfinished, inputs, tmp_path):
    copy = tmp_path / "tokenizer.json"
    copy.write_bytes((MODEL / "tokenizer.json").read_bytes() + b"\n")
    with pytest.raises(CorpusError, match=r"another kind \(tokenizer\)"):
        tokenize(inputs, unfinished, copy)


def test_restarted_it_begins_anew(unfinished, inputs, tmp_path):
    tokenize(inputs, unfinished, MODEL, Options(end_of_text=0), restart=True)
    tokenize(inputs, tmp_path / "whole.bin", MODEL, Options(end_of_text=0))
    assert unfinished.read_bytes() == (tmp_path / "whole.bin").read_bytes()


@pytest.mark.parametrize("name", ["ids", "lengths"])
def test_a_file_that_has_lost_its_end_is_noticed(unfinished, inputs, name):
    path = unfinished.parent / "out.bin.partial" / name
    os.truncate(path, 4)
    with pytest.raises(CorpusError, match="shorter than it was; restart"):
        tokenize(inputs, unfinished, MODEL)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"job": 1, "more": 2}'])
def test_damaged_progress_is_noticed(unfinished, inputs, text):
    (unfinished.parent / "out.bin.partial/progress.json").write_text(text)
    with pytest.raises(CorpusError, match=r"damaged; restart the job|another kind"):
        tokenize(inputs, unfinished, MODEL)


def test_one_process_at_a_time(tmp_path, inputs):
    spool = Spool(tmp_path / "out.bin", {}, 2, 0)
    spool.open(False, False)
    with pytest.raises(CorpusError, match="another process is writing this output"):
        tokenize(inputs, tmp_path / "out.bin", MODEL)
    spool.close()


def test_what_was_done_before_an_error_is_kept(tmp_path, small_blocks):
    good = [f"document {number}" for number in range(200)]
    path = write_jsonl(tmp_path / "in.jsonl", good)
    with open(path, "a") as file:
        file.write("no JSON\n")
    with pytest.raises(CorpusError, match="line 201: not valid JSON"):
        tokenize([path], tmp_path / "out.bin", MODEL)
    progress = json.loads((tmp_path / "out.bin.partial/progress.json").read_text())
    assert 100 < progress["documents"] <= 200


def test_the_cache_is_that_of_a_corpus():
    assert job.load_tokenizer(MODEL)._pipeline.cache_lines == job.CACHE_LINES
