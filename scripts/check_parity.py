"""Compare textcore with ``tokenizers`` on real tokenizers and real text.

    python scripts/check_parity.py MODEL_DIR... --corpus FILE...
    python scripts/check_parity.py --packages --corpus docs/*.md

For every ``tokenizer.json`` below the given paths (``--packages``: in the installed Python
packages) and every corpus file, compares the ids and the decoded text of the whole file, of
its documents of 4,000 characters and of its single lines; and for some of its lines, evenly
spread (``--encodings N``, 48 by default, 0 for none), every field of their Encoding, of pairs
and of words, cut and filled in several ways. Files may be compressed (.gz, .xz).
Prints a table and where each comparison first differs. Exits with 0 only if something was
compared and nothing differed; a tokenizer that textcore refuses counts as a difference
unless ``--skip-unsupported`` is given. Needs ``tokenizers`` (it is in the ``test`` extra).
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path

import encoding_parity
import tokenizers

import textcore
from textcore.errors import TextcoreError, UnsupportedError

DOCUMENT_CHARACTERS = 4000
BATCH_CHARACTERS = 1_000_000
CONTEXT_IDS = 5
ENCODINGS = 48
LINE_CHARACTERS = 400
NAMES = ("tokenizer.json", "tokenizer.json.gz", "tokenizer.json.xz")


@dataclass
class Pair:
    """One tokenizer, as textcore and as the reference load it."""

    name: str
    ours: textcore.Tokenizer
    peer: tokenizers.Tokenizer


@dataclass
class Outcome:
    """What comparing one tokenizer on one corpus gave."""

    compared: int = 0
    ids: int = 0
    text: int = 0
    encodings: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def differences(self) -> int:
        return self.ids + self.text + self.encodings


# -- what to compare ----------------------------------------------------------------------


def read_text(path: Path) -> str:
    """A file's text as UTF-8 with its line endings as they are, decompressed if need be."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".xz":
        data = lzma.decompress(data)
    return data.decode("utf-8")


def tokenizer_files(paths: Iterable[Path]) -> list[Path]:
    """The tokenizer files that the paths are or hold, each once, sorted within each path."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_file():
            found[path] = None
        elif path.is_dir():
            found.update(dict.fromkeys(sorted(p for n in NAMES for p in path.rglob(n))))
        else:
            raise SystemExit(f"{path}: no such file or directory")
    return list(found)


def packaged_files() -> list[Path]:
    """The tokenizer files that installed Python packages bring."""
    return sorted(
        Path(str(file.locate()))
        for distribution in distributions()
        for file in distribution.files or ()
        if file.name in NAMES
    )


def units(text: str) -> Iterator[tuple[str, list[str]]]:
    """The ways to cut a corpus: the whole, documents, and each different line."""
    yield "whole file", [text]
    step = DOCUMENT_CHARACTERS
    yield "document", [text[start : start + step] for start in range(0, len(text), step)]
    yield "line", list(dict.fromkeys(text.split("\n")))


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in batches of bounded size, so that memory stays bounded too."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def load(path: Path) -> Pair:
    """Load a tokenizer in both libraries; its own truncation and padding are off in both."""
    spec = read_text(path)
    peer = tokenizers.Tokenizer.from_str(spec)
    peer.no_truncation()
    peer.no_padding()
    return Pair(f"{path.parent.name}/{path.name}", textcore.Tokenizer.from_str(spec), peer)


# -- comparing ----------------------------------------------------------------------------


def first_difference(left: Sequence[object], right: Sequence[object]) -> int:
    """The first index at which two sequences differ (the shorter one's length, at most)."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


def show_ids(pair: Pair, text: str, ours: list[int], theirs: list[int]) -> str:
    """Where two id lists first differ: the text there, and both libraries' tokens."""
    at = first_difference(ours, theirs)
    spans = pair.peer.encode(text, add_special_tokens=False).offsets
    place = spans[at][0] if at < len(spans) else len(text)
    near = slice(max(0, at - CONTEXT_IDS), at + CONTEXT_IDS)
    lines = [f"id {at}, character {place}: {text[max(0, place - 30) : place + 30]!r}"]
    for name, ids in (("textcore", ours), ("tokenizers", theirs)):
        tokens = [pair.peer.id_to_token(token) for token in ids[near]]
        lines.append(f"    {name:<10} {ids[near]} {tokens}")
    return "\n".join(lines)


def show_text(ours: str, theirs: str) -> str:
    """Where two decoded texts first differ."""
    at = first_difference(ours, theirs)
    near = slice(max(0, at - 30), at + 30)
    return (
        f"decoded text, character {at}:\n"
        f"    textcore   {ours[near]!r}\n    tokenizers {theirs[near]!r}"
    )


def compare_batch(pair: Pair, kind: str, texts: list[str], outcome: Outcome) -> None:
    """Compare ids, and the text that the reference's ids decode to in both libraries."""
    theirs = [e.ids for e in pair.peer.encode_batch_fast(texts, add_special_tokens=False)]
    ours = pair.ours.encode_batch(texts)
    if len(ours) != len(texts):
        raise AssertionError(f"encode_batch of {len(texts)} texts gave {len(ours)} results")
    outcome.compared += len(texts)
    for text, mine, expected in zip(texts, ours, theirs, strict=True):
        if mine != expected:
            outcome.ids += 1
            if not outcome.ids > 1:
                outcome.examples.append(f"{kind}: " + show_ids(pair, text, mine, expected))
    for skip in (False, True):
        peers = pair.peer.decode_batch(theirs, skip_special_tokens=skip)
        for text, expected_text in zip(
            pair.ours.decode_batch(theirs, skip_special_tokens=skip), peers, strict=True
        ):
            if text != expected_text:
                outcome.text += 1
                if not outcome.text > 1:
                    outcome.examples.append(f"{kind}: " + show_text(text, expected_text))


def sample(corpus: str, count: int) -> list[str]:
    """Some of the different lines of a corpus, evenly spread, each of bounded length."""
    lines = [line[:LINE_CHARACTERS] for line in dict.fromkeys(corpus.split("\n"))]
    step = max(1, len(lines) // count) if count else 1
    return lines[::step][:count]


def compare_encodings(pair: Pair, texts: list[str], outcome: Outcome) -> None:
    """Compare every field of the encodings of some texts, asked for in every way."""
    for count, difference in encoding_parity.differences(pair.ours, pair.peer, texts):
        outcome.compared += count
        if difference:
            outcome.encodings += 1
            if not outcome.encodings > 1:
                outcome.examples.append(difference)


def compare(pair: Pair, corpus: str, encodings: int = 0) -> Outcome:
    """Compare one tokenizer on one corpus, cut in every way; so many encodings as a whole."""
    outcome = Outcome()
    for kind, texts in units(corpus):
        for batch in batches(texts):
            compare_batch(pair, kind, batch, outcome)
    compare_encodings(pair, sample(corpus, encodings), outcome)
    return outcome


# -- the table ----------------------------------------------------------------------------


def print_row(*cells: object) -> None:
    widths = (38, 26, 10, 10, 12, 17, 8)
    row = " ".join(f"{cell!s:<{width}}" for cell, width in zip(cells, widths, strict=False))
    print(row.rstrip(), flush=True)


def check(
    files: Sequence[Path],
    corpora: dict[str, str],
    *,
    skip_unsupported: bool,
    encodings: int = ENCODINGS,
) -> bool:
    """Print the whole table; true if something was compared and nothing differed."""
    compared = differences = 0
    print_row(
        "tokenizer",
        "corpus",
        "compared",
        "ids differ",
        "text differs",
        "encodings differ",
        "seconds",
    )
    for path in files:
        try:
            pair = load(path)
        except UnsupportedError as error:
            print_row(f"{path.parent.name}/{path.name}", f"not supported: {error}")
            differences += not skip_unsupported
            continue
        except TextcoreError as error:
            print_row(f"{path.parent.name}/{path.name}", f"refused: {error}")
            differences += 1
            continue
        for name, corpus in corpora.items():
            start = time.perf_counter()
            outcome = compare(pair, corpus, encodings)
            seconds = f"{time.perf_counter() - start:.1f}"
            differing = (outcome.ids, outcome.text, outcome.encodings)
            print_row(pair.name, name, outcome.compared, *differing, seconds)
            for example in outcome.examples:
                print(f"  {example}", flush=True)
            compared += outcome.compared
            differences += outcome.differences
    print(f"{compared} texts compared, {differences} differences")
    return compared > 0 and differences == 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files, directories")
    parser.add_argument("--packages", action="store_true", help="those in installed packages")
    parser.add_argument("--corpus", nargs="+", type=Path, required=True, metavar="FILE")
    parser.add_argument("--skip-unsupported", action="store_true", help="only mention them")
    parser.add_argument(
        "--encodings",
        type=int,
        default=ENCODINGS,
        metavar="N",
        help=f"lines of each corpus whose encodings are compared as a whole ({ENCODINGS})",
    )
    args = parser.parse_args(argv)
    files = tokenizer_files([*args.paths, *(packaged_files() if args.packages else ())])
    corpora = {path.name: read_text(path) for path in args.corpus}
    if not files:
        print("no tokenizer.json found", file=sys.stderr)
    same = check(files, corpora, skip_unsupported=args.skip_unsupported, encodings=args.encodings)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
