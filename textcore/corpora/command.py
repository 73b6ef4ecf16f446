"""The arguments of ``textcore tokenize``, and the job that they ask for."""

from __future__ import annotations

import argparse
import re

from textcore.corpora.options import FILE, IDS_TYPES, MAX_DOCUMENT_BYTES, UNITS, Options, Summary
from textcore.data import DEFAULT_DIR
from textcore.errors import TextcoreError

DESCRIPTION = """\
Write the token ids of text files as one file, for training.

Inputs, in the order given:
  .txt                a file is a document; see --document and --separator
  .jsonl, .ndjson     a line is a document, its text at --field
  .parquet            a row is a document, its text in the column --field
  All but .parquet may be compressed: .gz, .zst.

Outputs:
  .bin                flat uint16 or uint32 ids, as np.memmap reads them, and beside it an
                      .idx with which Megatron reads them by document
  .npy                flat ids, for np.load(..., mmap_mode="r")
  .parquet            a column input_ids, a row a document

Each document ends with the end-of-text token. The same command again goes on with a job that
was killed, and gives the same bytes as if it had not been.
"""

_UNITS = {"": 0, "k": 10, "m": 20, "g": 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``textcore tokenize`` takes."""
    parser.description = DESCRIPTION
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a file of text")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help=".bin, .npy or .parquet file"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--model-dir", metavar="DIR", help="a model's directory (default: the packaged tokenizer)"
    )
    which.add_argument("--file", metavar="FILE", help="one tokenizer file")
    _add_document_arguments(parser)
    _add_id_arguments(parser)
    running = parser.add_argument_group("running")
    running.add_argument(
        "--threads", type=int, metavar="N", help="default: one for each core that may be used"
    )
    running.add_argument(
        "--restart", action="store_true", help="throw away what an unfinished job has done"
    )
    running.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    running.add_argument(
        "--quiet", action="store_true", help="no progress bar, which only a terminal gets anyway"
    )


def _add_document_arguments(parser: argparse.ArgumentParser) -> None:
    documents = parser.add_argument_group("documents")
    documents.add_argument(
        "--document", choices=UNITS, default=FILE, help="what a document of a .txt file is"
    )
    documents.add_argument(
        "--separator",
        metavar="TEXT",
        help="documents of a .txt file are what is between these (\\n, \\t, \\\\ are known)",
    )
    documents.add_argument(
        "--field", default="text", metavar="NAME", help="JSON key or Parquet column (text)"
    )
    documents.add_argument(
        "--max-document",
        type=_size,
        default=MAX_DOCUMENT_BYTES,
        metavar="SIZE",
        help="longer documents that can't be encoded in parts are an error (64M)",
    )


def _add_id_arguments(parser: argparse.ArgumentParser) -> None:
    ids = parser.add_argument_group("ids")
    ids.add_argument(
        "--end-of-text",
        default="auto",
        metavar="TOKEN",
        help="the token that ends each document: its text, its id, auto, or none",
    )
    ids.add_argument(
        "--add-special-tokens", action="store_true", help="apply the file's post-processor"
    )
    ids.add_argument(
        "--allowed-special",
        action="append",
        metavar="TOKEN",
        help="an added token that a text may contain (repeatable), or all (default), or none",
    )
    ids.add_argument(
        "--ids", choices=IDS_TYPES, default="auto", help="their type; auto: what they need"
    )


def run(args: argparse.Namespace) -> int:
    """Do the job, and say on standard output what has been written."""
    from textcore.corpora.job import tokenize  # what other commands don't need

    try:
        summary = tokenize(
            args.inputs,
            args.output,
            args.file or args.model_dir or DEFAULT_DIR,
            options_of(args),
            threads=args.threads,
            restart=args.restart,
            overwrite=args.overwrite,
            show_progress=False if args.quiet else None,
        )
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise TextcoreError("tokenize needs numpy: pip install 'textcore[numpy]'") from None
    print(sentence(summary))
    return 0


def options_of(args: argparse.Namespace) -> Options:
    """The job's options. Raises TextcoreError."""
    allowed = args.allowed_special or ["all"]
    is_word = len(allowed) == 1 and allowed[0] in ("all", "none")
    return Options(
        document=args.document,
        separator=None if args.separator is None else _unescaped(args.separator),
        field=args.field,
        end_of_text=_token(args.end_of_text),
        add_special_tokens=args.add_special_tokens,
        allowed_special=allowed[0] if is_word else frozenset(allowed),
        ids=args.ids,
        max_document_bytes=args.max_document,
    )


def sentence(summary: Summary) -> str:
    """What has been written, for people."""
    left_out = f" ({summary.empty:,} empty ones left out)" if summary.empty else ""
    return (
        f"{summary.documents:,} documents{left_out}, {summary.tokens:,} tokens of "
        f"{summary.ids}: {', '.join(map(str, summary.files))}"
    )


def _unescaped(text: str) -> str:
    known = {"n": "\n", "t": "\t", "\\": "\\"}
    return re.sub(r"\\([nt\\])", lambda match: known[match[1]], text)


def _token(given: str) -> str | int | None:
    """A token as the command line names it; digits are an id."""
    if given == "none":
        return None
    return int(given) if given.isascii() and given.isdigit() else given


def _size(given: str) -> int:
    match = re.fullmatch(r"([0-9]+)([kmg]?)i?b?", given.lower())
    if match is None:
        raise argparse.ArgumentTypeError(f"{given!r} is no size such as 64M or 2G")
    return int(match[1]) << _UNITS[match[2]]
