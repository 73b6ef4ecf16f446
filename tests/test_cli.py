"""The command line, in process; a few things only a real process shows."""

from __future__ import annotations

import io
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Reference

from textcore import CHATML_TEMPLATE, render_chat
from textcore.cli import main, parse_ids
from textcore.data import DEFAULT_DIR
from textcore.version import __version__

TEXTS = [
    "Hello, world!\n",
    "don't stop\r\n\r\n  naïve 你好 👩‍👩‍👧‍👦\x00 end",
    "<|im_start|>user\nhi<|im_end|>\n<think>\n",
    "no newline at the end\nof two lines",
    "",
]


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference.from_file(str(DEFAULT_DIR / "tokenizer.json"))


@pytest.fixture
def run(capfdbinary, monkeypatch):
    """Run the command on the given standard input: (exit code, stdout, stderr)."""

    def run(*argv: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(argv)
        out, err = capfdbinary.readouterr()
        return code, out, err.decode()

    return run


@pytest.mark.parametrize("text", TEXTS)
def test_encode_gives_the_references_ids(run, reference, text):
    code, out, _ = run("encode", stdin=text.encode())
    assert code == 0
    assert json.loads(out) == reference.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("text", TEXTS)
def test_decode_gives_encodes_input_back(run, text):
    _, ids, _ = run("encode", stdin=text.encode())
    assert run("decode", stdin=ids)[1] == text.encode()


@pytest.mark.parametrize("text", TEXTS)
def test_count_is_the_number_of_ids(run, reference, text):
    _, out, _ = run("count", stdin=text.encode())
    assert int(out) == len(reference.encode(text, add_special_tokens=False).ids)


def test_encode_by_lines_keeps_carriage_returns_and_empty_lines(run, reference):
    lines = ["one", "", "two\r", "três"]
    _, out, _ = run("encode", "--lines", stdin="\n".join(lines).encode())
    expected = [reference.encode(line, add_special_tokens=False).ids for line in lines]
    assert [json.loads(line) for line in out.splitlines()] == expected


def test_decode_by_lines_mirrors_encode_by_lines(run):
    text = "one\n\nnaïve\n".encode()
    _, ids, _ = run("encode", "--lines", stdin=text)
    assert run("decode", "--lines", stdin=ids)[1] == text


def test_count_by_lines(run):
    assert run("count", "--lines", stdin=b"a\n\nb\n")[1] == b"1\n0\n1\n"


def test_count_of_several_files_has_a_total(run, tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_bytes(b"a")
    second.write_bytes(b"a")
    _, out, _ = run("count", str(first), str(second))
    assert out.decode() == f"1\t{first}\n1\t{second}\n2\ttotal\n"


def test_encode_of_several_files_is_a_list_for_each(run, tmp_path):
    for name in "ab":
        (tmp_path / name).write_bytes(name.encode())
    _, out, _ = run("encode", str(tmp_path / "a"), "-", str(tmp_path / "b"), stdin=b"")
    assert [len(json.loads(line)) for line in out.splitlines()] == [1, 0, 1]


def test_what_is_not_allowed_is_ordinary_text(run, reference):
    special = reference.token_to_id("<|im_end|>")
    _, out, _ = run("encode", "--allowed-special", "none", stdin=b"<|im_end|>")
    assert special not in json.loads(out)
    assert len(json.loads(out)) > 1


def test_only_the_named_token_is_allowed(run, reference):
    options = ["--allowed-special", "<think>", "--allowed-special", "</think>"]
    _, out, _ = run("encode", *options, stdin=b"<think></think><|im_end|>")
    ids = json.loads(out)
    assert ids[:2] == [reference.token_to_id("<think>"), reference.token_to_id("</think>")]
    assert reference.token_to_id("<|im_end|>") not in ids


def test_decode_can_leave_special_tokens_out(run):
    _, ids, _ = run("encode", stdin=b"a<|im_end|><think>b")
    assert run("decode", "--skip-special-tokens", stdin=ids)[1] == b"a<think>b"


def with_post_processor(tmp_path: Path) -> Path:
    """The packaged tokenizer, but with a token put in front by its post-processor."""
    spec = json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))
    token = {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}
    spec["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [token, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            "<|endoftext|>": {"id": "<|endoftext|>", "ids": [4087], "tokens": ["<|endoftext|>"]}
        },
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def test_special_tokens_are_added_when_asked_for(run, tmp_path):
    path = with_post_processor(tmp_path)
    plain = json.loads(run("encode", "--file", str(path), stdin=b"a")[1])
    added = json.loads(run("encode", "--add-special-tokens", "--file", str(path), stdin=b"a")[1])
    assert added == [4087, *plain]


def test_a_model_directory_is_read(run, tmp_path):
    with_post_processor(tmp_path)
    options = ["--add-special-tokens", "--model-dir", str(tmp_path)]
    assert run("count", *options, stdin=b"a")[1] == b"2\n"


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("", []),
        (" \n", []),
        ("1 2\n3", [[1, 2, 3]]),
        ("[1,2]\n[]\n[3]", [[1, 2], [], [3]]),
        ("[\n 1,\n 2\n]", [[1, 2]]),
        ("4294967295", [[4294967295]]),
    ],
)
def test_ids_are_read_from(text, lists):
    assert parse_ids(text) == lists


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 x", "character 2: neither an id nor a JSON list"),
        (b"[1, 2", "character 0: neither an id nor a JSON list"),
        (b"1,2", "character 1: expected a space or the end"),
        (b"-1", "an id is from 0 to 4294967295, not -1"),
        (b"[4294967296]", "an id is from 0 to 4294967295, not 4294967296"),
        (b"[true]", "expected ids, found true"),
        (b"[1.5]", "expected ids, found 1.5"),
        (b"[[1]]", "expected ids, found a list"),
        (b'{"ids": []}', "expected ids, found {"),
        (b"[1] 2", "lists of ids and ids outside of a list"),
        (b"[" * 100_000, "neither an id nor a JSON list"),
        (b"9" * 10_000, "neither an id nor a JSON list"),
    ],
)
def test_what_is_no_id_is_an_error_that_names_the_input(run, text, message):
    code, out, err = run("decode", stdin=text)
    assert (code, out) == (2, b"")
    assert err.startswith("textcore: error: standard input: ")
    assert message in err


def test_an_error_in_a_line_names_the_line(run):
    code, _, err = run("decode", "--lines", stdin=b"1\nx\n")
    assert code == 2
    assert "standard input: line 2, character 0" in err


def test_text_that_is_not_utf8_is_an_error_that_names_file_and_byte(run, tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes(b"ok\nna\xefve")
    code, _, err = run("encode", str(path))
    assert code == 2
    assert f"{path}: byte 5: not UTF-8 (0xef" in err


@pytest.mark.parametrize("command", ["encode", "decode", "count"])
def test_a_missing_file_is_an_error_that_names_it(run, command, tmp_path):
    code, out, err = run(command, str(tmp_path / "missing"))
    assert (code, out) == (2, b"")
    assert str(tmp_path / "missing") in err


def test_a_missing_model_directory_is_an_error_that_names_it(run, tmp_path):
    code, _, err = run("count", "--model-dir", str(tmp_path / "missing"))
    assert code == 2
    assert str(tmp_path / "missing") in err


def test_a_broken_tokenizer_file_is_an_error_that_names_it(run, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {"type": "BPE", "vocab": 3}}')
    code, _, err = run("count", "--file", str(path))
    assert code == 2
    assert err.startswith(f"textcore: error: {path}")
    assert "vocab" in err


# -- chat -----------------------------------------------------------------------------------

GREETING = [{"role": "user", "content": "Hi \x1b[31m<b>你好"}]
CLOCK = [{"type": "function", "function": {"name": "clock", "description": "The time."}}]


@pytest.fixture
def model(tmp_path) -> Path:
    """A model's directory with a template that shows no tools, and a conversation."""
    folder = tmp_path / "model"
    shutil.copytree(DEFAULT_DIR, folder)
    template = CHATML_TEMPLATE.replace("{{- tool_list(tools) }}", "")
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    (tmp_path / "messages.json").write_text(json.dumps(GREETING), encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(CLOCK), encoding="utf-8")
    return folder


def chat(model: Path, *options: str) -> list[str]:
    return ["chat", str(model), "--messages", str(model.parent / "messages.json"), *options]


def test_chat_writes_the_prompt_as_it_is(run, model):
    code, out, err = run(*chat(model))
    assert (code, out.decode(), err) == (0, render_chat(CHATML_TEMPLATE, GREETING), "")


def test_chat_reads_messages_from_standard_input(run, model):
    given = json.dumps(GREETING).encode()
    _, out, _ = run("chat", str(model), "--messages", "-", stdin=given)
    assert out.decode() == render_chat(CHATML_TEMPLATE, GREETING)


def test_chat_shows_ids_on_demand(run, model, reference):
    _, out, _ = run(*chat(model, "--ids"))
    prompt = render_chat(CHATML_TEMPLATE, GREETING)
    shown, ids = out.decode().removesuffix("\n").rsplit("\n", 1)
    assert shown + "\n" == prompt
    assert json.loads(ids) == reference.encode(prompt, add_special_tokens=False).ids


def test_chat_colours_control_tokens_and_nothing_else_steers_the_terminal(run, model):
    _, out, _ = run(*chat(model, "--color"))
    text = out.decode()
    assert text.startswith("\x1b[1;36m<|im_start|>\x1b[0muser\nHi <U+001B>[31m<b>你好")
    assert text.count("\x1b") == 2 * 3


@pytest.mark.parametrize(("no_color", "is_coloured"), [("", True), ("1", False)])
def test_chat_colours_a_terminal(model, no_color, is_coloured):
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "textcore", *chat(model)]
    environment = {**os.environ, "NO_COLOR": no_color}
    with os.fdopen(controller, "rb", 0) as screen:
        subprocess.run(command, stdout=terminal, env=environment, check=True, timeout=60)
        os.close(terminal)
        assert (b"\x1b[1;36m<|im_start|>" in screen.read(1000)) == is_coloured


def test_chat_warns_on_standard_error(run, model):
    code, out, err = run(*chat(model, "--tools", str(model.parent / "tools.json")))
    assert code == 0
    assert b"clock" not in out
    assert err.startswith("textcore: warning: tool-ignored: the template ignores the tool clock")


def test_chat_writes_a_page(run, model, tmp_path):
    page = tmp_path / "page.html"
    tools = str(tmp_path / "tools.json")
    _, out, _ = run(*chat(model, "--tools", tools, "--ids", "--html", str(page)))
    text = page.read_text(encoding="utf-8")
    assert b"<|im_start|>" in out
    assert "&lt;|im_start|&gt;</span>" in text
    assert "tool-ignored" in text
    assert "<h2>Ids</h2>" in text
    assert "<b>" not in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"{}", "expected a JSON list"),
    ],
)
def test_chat_names_the_file_that_is_no_conversation(run, model, content, message):
    path = model.parent / "messages.json"
    path.write_bytes(content)
    code, out, err = run(*chat(model))
    assert (code, out) == (2, b"")
    assert err.startswith(f"textcore: error: {path}: {message}")


@pytest.mark.parametrize("content", [b"[]", b"[1]", b"[[1]]", b'[[{"role": "user"}]]'])
def test_chat_says_what_is_no_conversation(run, model, content):
    (model.parent / "messages.json").write_bytes(content)
    code, out, err = run(*chat(model))
    assert (code, out) == (2, b"")
    assert err.startswith("textcore: error: ")


def test_chat_needs_a_template(run, model):
    (model / "chat_template.jinja").unlink()
    code, _, err = run(*chat(model))
    assert code == 2
    assert "chat_template is not set" in err


@pytest.mark.parametrize(
    "argv", [[], ["nothing"], ["chat", "model"], ["count", "--file", "a", "--model-dir", "b"]]
)
def test_wrong_arguments_exit_with_2(argv, capsys):
    with pytest.raises(SystemExit) as raised:
        main(argv)
    assert raised.value.code == 2
    assert "usage: textcore" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as raised:
        main(["--version"])
    assert raised.value.code == 0
    assert capsys.readouterr().out == f"textcore {__version__}\n"


def test_the_module_runs_as_a_program():
    command = [sys.executable, "-m", "textcore", "count"]
    done = subprocess.run(command, input=b"a b c", capture_output=True, check=True)
    assert done.stdout == b"3\n"


def test_a_reader_that_leaves_is_no_error():
    command = [sys.executable, "-m", "textcore", "encode", "--lines"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        _, err = process.communicate(b"a line\n" * 100_000, timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_convert_writes_a_file_with_the_same_ids(run, reference, tmp_path):
    output = tmp_path / "small.textcore"
    assert run("convert", "--model-dir", str(DEFAULT_DIR), str(output)) == (0, b"", "")
    code, out, _ = run("encode", "--file", str(output), stdin=TEXTS[1].encode())
    assert code == 0
    assert json.loads(out) == reference.encode(TEXTS[1], add_special_tokens=False).ids


def test_convert_of_a_broken_file_writes_nothing(run, tmp_path):
    (tmp_path / "x.model").write_bytes(b"\x0a\xff")
    code, _, error = run("convert", "--file", str(tmp_path / "x.model"), str(tmp_path / "out"))
    assert code == 2
    assert "x.model" in error
    assert not (tmp_path / "out").exists()
