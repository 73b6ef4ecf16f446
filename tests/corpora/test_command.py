"""``textcore tokenize``: arguments, errors and what it says."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from corpus_files import (
    DOCUMENTS,
    MODEL,
    TOK,
    flat,
    ids_of,
    read_megatron,
    write_bytes,
    write_jsonl,
)

from textcore.cli import main
from textcore.corpora.bar import Bar, clock, short


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in a directory of its own: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*argv):
        code = main(["tokenize", *argv])
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


def test_it_says_what_it_has_written(run, tmp_path):
    write_jsonl(tmp_path / "in.jsonl", [*DOCUMENTS, ""])
    code, out, err = run("in.jsonl", "-o", "out.bin", "--model-dir", str(MODEL))
    expected = ids_of(DOCUMENTS)
    assert (code, err) == (0, "")
    assert out == (
        f"{len(expected)} documents (1 empty ones left out), {len(flat(expected))} tokens of "
        "uint16: out.bin, out.idx\n"
    )
    assert read_megatron(tmp_path / "out.bin") == expected


def test_options_reach_the_job(run, tmp_path):
    write_bytes(tmp_path / "in.txt", b"one <|im_end|>\n---\ntwo\n")
    options = ["--separator=---\\n", "--end-of-text", "0", "--allowed-special", "none"]
    tokenizer = ["--file", str(MODEL / "tokenizer.json")]
    assert run("in.txt", "-o", "out.bin", *tokenizer, *options, "--ids", "uint32")[0] == 0
    texts = ["one <|im_end|>\n", "two\n"]
    expected = [[*TOK.encode(text, allowed_special="none"), 0] for text in texts]
    assert read_megatron(tmp_path / "out.bin") == expected


def test_no_end_of_text(run, tmp_path):
    write_bytes(tmp_path / "in.txt", b"a\nb")
    assert run("in.txt", "-o", "out.bin", "--document", "line", "--end-of-text", "none")[0] == 0
    assert read_megatron(tmp_path / "out.bin") == ids_of(["a", "b"], None)


def test_an_error_names_file_and_line(run, tmp_path):
    write_bytes(tmp_path / "in.jsonl", b'{"text": "a"}\n{"text": }\n')
    code, out, err = run("in.jsonl", "-o", "out.bin")
    assert (code, out) == (2, "")
    assert err.startswith("textcore: error: in.jsonl: line 2: not valid JSON: Expecting value")


def test_a_missing_input_is_an_error_that_names_it(run):
    code, _, err = run("missing.txt", "-o", "out.bin")
    assert (code, err) == (2, "textcore: error: missing.txt: No such file or directory\n")


def test_a_document_over_the_limit(run, tmp_path):
    write_bytes(tmp_path / "in.txt", b"x" * 3000)
    assert run("in.txt", "-o", "out.bin", "--max-document", "2k")[0] == 2
    assert run("in.txt", "-o", "out.bin", "--max-document", "3KiB")[0] == 0


@pytest.mark.parametrize("size", ["", "k", "1.5g", "-1", "1t"])
def test_a_wrong_size_is_refused(size, capsys):
    with pytest.raises(SystemExit):
        main(["tokenize", "in.txt", "-o", "out.bin", f"--max-document={size}"])
    assert "is no size such as 64M" in capsys.readouterr().err


def test_an_output_is_needed(capsys):
    with pytest.raises(SystemExit):
        main(["tokenize", "in.txt"])
    assert "-o/--output" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "is_shown"), [([], True), (["--quiet"], False)])
def test_the_bar_is_on_standard_error_where_that_is_a_terminal(tmp_path, options, is_shown):
    write_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    command = [sys.executable, "-m", "textcore", "tokenize", "in.jsonl", "-o", "out.npy", *options]
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with os.fdopen(controller, "rb", 0) as screen:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stderr=terminal,
            stdout=subprocess.PIPE,
            env=environment,
            check=True,
        )
        os.write(terminal, b".")
        os.close(terminal)
        shown = screen.read(1000)
    assert b"documents" in done.stdout
    assert (b"100% [########################]" in shown) == is_shown
    assert is_shown or shown == b"."


class Screen:
    """A terminal that remembers what was written."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_the_bar_is_drawn_over_itself():
    screen = Screen()
    with Bar(2_000_000, stream=screen) as bar:
        bar.update(500_000, 12_345)
        bar.update(600_000, 12_346)  # too soon to be drawn
        bar.update(2_000_000, 1_234_567)
    first, last = screen.text.rstrip("\n").split("\r")[1:]
    assert first.startswith(" 25% [######..................] 500kB of 2.0MB, 12.3k tokens, ")
    assert last.startswith("100% [########################] 2.0MB of 2.0MB, 1.2M tokens, ")
    assert len(last) >= len(first.rstrip())


def test_nothing_is_drawn_for_files():
    screen = Screen()
    with Bar(1, shown=False, stream=screen) as bar:
        bar.update(1, 1)
    assert screen.text == ""


def test_an_empty_corpus_has_a_bar():
    screen = Screen()
    with Bar(0, stream=screen):
        pass
    assert "100%" in screen.text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (999.6, "1.0k"),
        (99_949, "99.9k"),
        (123_456, "123k"),
        (999_500, "1.0M"),
        (2.5e9, "2.5G"),
        (1e18, "1000P"),
    ],
)
def test_short_numbers(number, text):
    assert short(number) == text


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (61.9, "1:01"), (3661, "1:01:01")])
def test_times(seconds, text):
    assert clock(seconds) == text
