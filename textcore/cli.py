"""The ``textcore`` command: the main job, chat prompts, files of text and of ids, corpora.

Everything is read and written as UTF-8 with line endings as they are, whatever the
locale, so that ``textcore encode FILE | textcore decode`` gives the file back. Exit codes:
0, 1 where the main job found ids that differ from the reference's, 2 for bad input.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from textcore.chat.diagnostics import diagnose
from textcore.chat.page import prompt_page
from textcore.chat.segments import Segment, ids_of, prompt_segments, visible
from textcore.corpora import command as corpora
from textcore.data import DEFAULT_DIR
from textcore.tokenizer import Tokenizer
from textcore.version import __version__

STDIN = "-"
MAX_ID = 2**32 - 1
_JSON_SPACE = " \t\r\n"
_CONTROL_COLOUR, _PLAIN_COLOUR = "\x1b[1;36m", "\x1b[0m"


class InputError(Exception):
    """Something is wrong with what the command was given; the message names it."""


# -- input and output ---------------------------------------------------------------------


def _source_name(path: str) -> str:
    return "standard input" if path == STDIN else path


def _lines_of(path: str) -> Iterator[bytes]:
    """The lines of a file or of standard input, as they arrive, without their newline."""
    stream: BinaryIO = sys.stdin.buffer if path == STDIN else open(path, "rb")  # noqa: SIM115
    try:
        for line in stream:
            yield line[:-1] if line.endswith(b"\n") else line
    finally:
        if path != STDIN:
            stream.close()


def _whole(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()


def _texts(path: str, lines: bool) -> Iterator[str]:
    """A file's texts: the whole of it, or one a line."""
    chunks: Iterable[bytes] = _lines_of(path) if lines else iter([_whole(path)])
    for number, chunk in enumerate(chunks, 1):
        try:
            yield chunk.decode("utf-8")
        except UnicodeDecodeError as error:
            line = f"line {number}, " if lines else ""
            raise InputError(
                f"{line}byte {error.start}: not UTF-8 ({chunk[error.start]:#04x}, {error.reason})"
            ) from None


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8"))


# -- ids as text --------------------------------------------------------------------------


def parse_ids(text: str) -> list[list[int]]:
    """The id lists in ``text``: JSON lists, or bare integers, which make one list together.

    Both may stand on one line or on many. Raises :class:`InputError` with the place
    (characters from the start) of whatever is not an id from 0 to 2**32 - 1.
    """
    decoder = json.JSONDecoder()
    lists: list[list[int]] = []
    bare: list[int] = []
    position, end = 0, len(text)
    while True:
        while position < end and text[position] in _JSON_SPACE:
            position += 1
        if position == end:
            break
        try:
            value, after = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            raise InputError(f"character {position}: neither an id nor a JSON list") from None
        if after < end and text[after] not in _JSON_SPACE:
            raise InputError(f"character {after}: expected a space or the end after an id")
        if isinstance(value, list):
            lists.append([_checked_id(item, position) for item in value])
        else:
            bare.append(_checked_id(value, position))
        position = after
    if bare and lists:
        raise InputError("lists of ids and ids outside of a list; give one or the other")
    return [bare] if bare else lists


def _checked_id(value: object, position: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        kind = "a list" if isinstance(value, list) else json.dumps(value)[:40]
        raise InputError(f"character {position}: expected ids, found {kind}")
    if not 0 <= value <= MAX_ID:
        raise InputError(f"character {position}: an id is from 0 to {MAX_ID}, not {value}")
    return value


# -- commands -----------------------------------------------------------------------------


def _tokenizer(args: argparse.Namespace) -> Tokenizer:
    if args.file is not None:
        return Tokenizer.from_file(args.file)
    return Tokenizer.from_dir(args.model_dir if args.model_dir is not None else DEFAULT_DIR)


def _allowed_special(given: Sequence[str] | None) -> str | Collection[str]:
    if not given:
        return "all"
    return given[0] if len(given) == 1 and given[0] in ("all", "none") else frozenset(given)


def _encode(args: argparse.Namespace, path: str, tokenizer: Tokenizer) -> None:
    for text in _texts(path, args.lines):
        ids = tokenizer.encode(
            text,
            add_special_tokens=args.add_special_tokens,
            allowed_special=_allowed_special(args.allowed_special),
        )
        _write(json.dumps(ids, separators=(",", ":")) + "\n")


def _decode(args: argparse.Namespace, path: str, tokenizer: Tokenizer) -> None:
    end = "\n" if args.lines else ""
    for number, text in enumerate(_texts(path, args.lines), 1):
        try:
            lists = parse_ids(text)
        except InputError as error:
            raise InputError(f"line {number}, {error}" if args.lines else str(error)) from None
        _write("".join(tokenizer.decode(ids, args.skip_special_tokens) for ids in lists) + end)


def _count(args: argparse.Namespace, path: str, tokenizer: Tokenizer) -> int:
    total = 0
    allowed = _allowed_special(args.allowed_special)
    for text in _texts(path, args.lines):
        number = tokenizer.count(
            text, add_special_tokens=args.add_special_tokens, allowed_special=allowed
        )
        total += number
        if args.lines:
            _write(f"{number}\n")
    return total


def _run_on_files(args: argparse.Namespace) -> int:
    """Run encode, decode or count on each file in turn, naming the file in every error."""
    paths: list[str] = args.files or [STDIN]
    named = len(paths) > 1
    total = 0
    tokenizer = _tokenizer(args)
    for path in paths:
        try:
            if args.command == "encode":
                _encode(args, path, tokenizer)
            elif args.command == "decode":
                _decode(args, path, tokenizer)
            else:
                found = _count(args, path, tokenizer)
                total += found
                if not args.lines:
                    _write(f"{found}\t{path}\n" if named else f"{found}\n")
        except (InputError, ValueError) as error:
            raise InputError(f"{_source_name(path)}: {error}") from None
    if args.command == "count" and named and not args.lines:
        _write(f"{total}\ttotal\n")
    return 0


def _convert(args: argparse.Namespace) -> int:
    """Write the tokenizer in the form that loads at once, whatever form it has."""
    _tokenizer(args).save(args.output)
    return 0


def _json_list(path: str) -> list[Any]:
    """A file's JSON list. Raises InputError, naming the file."""
    try:
        value = json.loads(_whole(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{_source_name(path)}: not valid JSON: {error}") from None
    if not isinstance(value, list):
        raise InputError(f"{_source_name(path)}: expected a JSON list")
    return value


def _painted(segments: Iterable[Segment]) -> Iterator[str]:
    """A prompt for a terminal: control tokens in colour, and nothing that could steer it."""
    for text, _, is_control in segments:
        shown = visible(text)
        yield f"{_CONTROL_COLOUR}{shown}{_PLAIN_COLOUR}" if is_control else shown


def _run_chat(args: argparse.Namespace) -> int:
    """Show a conversation's prompt, and on standard error what its template does wrong."""
    tokenizer = Tokenizer.from_dir(args.dir)
    messages = _json_list(args.messages)
    tools = None if args.tools is None else _json_list(args.tools)
    findings = diagnose(tokenizer, messages, tools)  # refuses what is not one conversation
    prompt: str = tokenizer.apply_chat_template(messages, tools, tokenize=False)
    segments = prompt_segments(tokenizer, prompt)
    if args.html is not None:
        page = prompt_page(f"Prompt of {args.dir}", segments, findings, args.ids)
        Path(args.html).write_text(page, encoding="utf-8", newline="\n")
    is_painted = args.color or (sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    _write("".join(_painted(segments)) if is_painted else prompt)
    if (is_painted or args.ids) and not prompt.endswith("\n"):
        _write("\n")
    if args.ids:
        _write(json.dumps(ids_of(segments), separators=(",", ":")) + "\n")
    sys.stdout.buffer.flush()
    for finding in findings:
        text = f"textcore: warning: {finding.code}: {finding.message} [{finding.evidence}]"
        print(visible(text), file=sys.stderr)
    return 0


def _run_main_job(args: argparse.Namespace) -> int:
    """Print the main job's records as JSON lines; 1 where ids differ from the reference's."""
    from textcore.demo import records  # imports the peer, which nothing else needs

    same = True
    for record in records(args.model_dir if args.model_dir is not None else DEFAULT_DIR):
        same = same and record.get("identical_ids") is not False
        _write(json.dumps(record, ensure_ascii=False) + "\n")
        sys.stdout.buffer.flush()
    return 0 if same else 1


# -- arguments ----------------------------------------------------------------------------


def _add_tokenizer_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--model-dir", metavar="DIR", help="a model's directory (default: the packaged tokenizer)"
    )
    which.add_argument("--file", metavar="FILE", help="one tokenizer file")
    parser.add_argument("files", nargs="*", metavar="FILES", help="default, or -: standard input")


def _add_encode_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--add-special-tokens", action="store_true", help="apply the file's post-processor"
    )
    parser.add_argument(
        "--allowed-special",
        action="append",
        metavar="TOKEN",
        help="an added token that the text may contain (repeatable), or all (default), or none",
    )


def _add_chat_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", metavar="DIR", help="a model's directory, with its chat template")
    parser.add_argument(
        "--messages",
        required=True,
        metavar="FILE",
        help="JSON list of messages; -: standard input",
    )
    parser.add_argument("--tools", metavar="FILE", help="JSON list of the tools that are offered")
    parser.add_argument("--ids", action="store_true", help="show the prompt's ids, too")
    parser.add_argument("--html", metavar="OUT", help="also write a page that shows the tokens")
    parser.add_argument(
        "--color", action="store_true", help="colour control tokens, terminal or not"
    )


def build_parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="textcore", description="The text boundary of an LLM engine."
    )
    parser.add_argument("--version", action="version", version=f"textcore {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    text = commands.add_parser("text", help="show and measure the whole text boundary")
    text.add_argument(
        "--model-dir", metavar="DIR", help="a model's directory (default: the packaged tokenizer)"
    )
    text.set_defaults(run=_run_main_job)

    chat = commands.add_parser("chat", help="show a conversation's prompt, and check its template")
    _add_chat_arguments(chat)
    chat.set_defaults(run=_run_chat)

    encode = commands.add_parser("encode", help="text to ids: one JSON list a file")
    _add_encode_arguments(encode)
    encode.add_argument("--lines", action="store_true", help="one list for each line")
    decode = commands.add_parser("decode", help="ids (JSON lists, or integers) to text")
    decode.add_argument("--skip-special-tokens", action="store_true", help="leave them out")
    decode.add_argument("--lines", action="store_true", help="one line of text for each line")
    count = commands.add_parser("count", help="how many ids a text has")
    _add_encode_arguments(count)
    count.add_argument("--lines", action="store_true", help="one number for each line")
    convert = commands.add_parser("convert", help="any tokenizer to one file that loads at once")
    which = convert.add_mutually_exclusive_group(required=True)
    which.add_argument("--model-dir", metavar="DIR", help="a model's directory")
    which.add_argument("--file", metavar="FILE", help="one tokenizer file, in any known format")
    convert.add_argument("output", metavar="OUTPUT", help="where to write; read by --file")
    convert.set_defaults(run=_convert)
    tokenize = commands.add_parser("tokenize", help="text files to a file of ids, for training")
    corpora.add_arguments(tokenize)
    tokenize.set_defaults(run=corpora.run)
    for command in (encode, decode, count):
        _add_tokenizer_arguments(command)
        command.set_defaults(run=_run_on_files)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (default: the process's own); returns the exit code."""
    args = build_parser().parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.buffer.flush()
        return code
    except BrokenPipeError:
        # The reader has gone: not an error. Python flushes once more at exit, to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        name = f"{error.filename}: " if error.filename is not None else ""
        print(f"textcore: error: {name}{error.strerror or error}", file=sys.stderr)
    except (InputError, ValueError) as error:
        print(f"textcore: error: {error}", file=sys.stderr)
    return 2
