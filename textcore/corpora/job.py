"""The job: inputs in order, blocks on threads, ids to disk, as far as a kill lets it."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from textcore.corpora.bar import Bar
from textcore.corpora.blocks import Block
from textcore.corpora.columns import ColumnReader
from textcore.corpora.cutting import Cutter, cutter_of
from textcore.corpora.encoding import BlockEncoder, Encoded
from textcore.corpora.errors import BlockProblem, CorpusError
from textcore.corpora.options import Options, Summary
from textcore.corpora.outputs import finish, header_bytes
from textcore.corpora.spool import Progress, Spool
from textcore.corpora.streams import PARQUET, kind_of, open_stream
from textcore.corpora.texts import READ_BYTES, TextReader
from textcore.formats.files import find_file
from textcore.formats.huggingface import CONFIG_FILE
from textcore.tokenizer import Tokenizer
from textcore.version import __version__

# A corpus has many words: a cache of 32 MiB a thread pays, where a prompt's would not.
CACHE_LINES = 1 << 19
# Seconds between two commits, each of which waits for the disk.
COMMIT_SECONDS = 10.0
# Blocks a thread that are read and not yet written, and their bytes: long documents are few.
_BLOCKS_A_THREAD = 3
_WAITING_BYTES_A_THREAD = 4 * READ_BYTES


def tokenize(
    inputs: Iterable[str | Path],
    output: str | Path,
    tokenizer: str | Path,
    options: Options | None = None,
    *,
    threads: int | None = None,
    restart: bool = False,
    overwrite: bool = False,
    show_progress: bool | None = None,
    commit_seconds: float = COMMIT_SECONDS,
) -> Summary:
    """Write the token ids of text files as one file.

    A job that was killed goes on where it was when it is called again with the same
    arguments; the result is the same, byte for byte. Until it is done, what it has is in the
    folder ``OUTPUT.partial``.

    Parameters
    ----------
    inputs : paths
        ``.txt``, ``.jsonl`` or ``.ndjson`` (these also with ``.gz`` or ``.zst``) and
        ``.parquet`` files, read in this order.
    output : path
        ``.bin`` (flat ids, with a Megatron ``.idx`` beside it), ``.npy`` (flat ids) or
        ``.parquet`` (a column ``input_ids``, a row a document). Ids are little-endian uint16
        or uint32.
    tokenizer : path
        A model's directory, or a tokenizer file.
    options : Options, optional
        What a document is, and what becomes of it.
    threads : int, optional
        Default: one for each core that this process may use.
    restart : bool
        Throw away what an unfinished job has done.
    overwrite : bool
        Replace an output that is there, when the job is done.
    show_progress : bool, optional
        A bar on standard error; default: where that is a terminal.
    commit_seconds : float
        How often progress is made safe on disk: what a kill may cost.

    Raises
    ------
    CorpusError
        (a ValueError) An input can't be read or has something that is no text (the error
        names file, and line or row), the output exists, or an unfinished job is of another
        kind.
    TextcoreError
        The tokenizer can't be loaded, does not know its end-of-text token, or has no room in
        the type of ids.
    OSError
    """
    options = options or Options()
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    paths = [Path(path) for path in inputs]
    if not paths:
        raise ValueError("there are no inputs")
    output = Path(output)
    header = header_bytes(output)
    for path in paths:
        kind_of(path)
    source = Path(tokenizer)
    loaded = load_tokenizer(source)
    encoder = BlockEncoder(loaded, options)
    described = describe(paths, source, options, encoder)
    id_bytes = 2 if encoder.ids_type == "uint16" else 4
    spool = Spool(output, described, id_bytes, header)
    try:
        spool.open(restart, overwrite)
        if not spool.progress.is_read:
            cutter = cutter_of(loaded) if encoder.can_go_on else None
            reading = _Reading(paths, options, cutter)
            before = reading.done_before(spool.progress)
            with Bar(reading.total, before, shown=show_progress) as bar:
                _Writing(spool, reading, encoder, bar, commit_seconds).run(threads or cores())
        files = finish(spool, encoder.ids_type)
        spool.remove()
    finally:
        spool.close()
    done = spool.progress
    return Summary(done.documents, done.tokens, done.empty, encoder.ids_type, files)


def load_tokenizer(source: Path) -> Tokenizer:
    """A model's directory or a tokenizer file, with the cache of a corpus."""
    load = Tokenizer.from_dir if source.is_dir() else Tokenizer.from_file
    return load(source, cache_lines=CACHE_LINES)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def describe(
    paths: Sequence[Path], source: Path, options: Options, encoder: BlockEncoder
) -> dict[str, Any]:
    """What makes a job this one, as JSON: an unfinished other one is not gone on with."""
    inputs = hashlib.sha256()
    for path in paths:
        found = path.stat()
        inputs.update(f"{path.absolute()}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    model = hashlib.sha256()
    files = [find_file(source), source / CONFIG_FILE] if source.is_dir() else [source]
    for file in files:
        if file.is_file():
            model.update(hashlib.sha256(file.read_bytes()).digest())
    settings = asdict(options)
    if not isinstance(options.allowed_special, str):
        settings["allowed_special"] = sorted(options.allowed_special)
    return {
        "inputs": inputs.hexdigest(),
        "tokenizer": model.hexdigest(),
        "end of text": encoder.end_of_text,
        "version": __version__,
        **settings,
        "ids": encoder.ids_type,
    }


class _Reading:
    """The inputs, one after the other."""

    def __init__(self, paths: Sequence[Path], options: Options, cutter: Cutter | None) -> None:
        self._paths = paths
        self._options = options
        self._cutter = cutter
        # How many bytes there are before each input, and in all.
        self._before = [0, *accumulate(path.stat().st_size for path in paths)]
        self.total = self._before[-1]

    def blocks(self, progress: Progress) -> Iterator[Block]:
        """What is still to be read. Raises CorpusError."""
        place, goes_on = progress.place, progress.open_tokens is not None
        for number in range(progress.input, len(self._paths)):
            reader = self._reader(number)
            try:
                yield from reader.blocks(place, goes_on)
            except BlockProblem as problem:
                raise self.located(number, problem) from None
            place, goes_on = None, False

    def done(self, block: Block) -> int:
        """How many bytes of all inputs have been read with a block."""
        return self._before[block.input] + block.consumed

    def done_before(self, progress: Progress) -> int:
        """How many bytes of all inputs an earlier run has read, about."""
        start, end = self._before[progress.input : progress.input + 2]
        return min(end, start + progress.place) if isinstance(progress.place, int) else start

    def located(self, number: int, problem: BlockProblem) -> CorpusError:
        """A problem with the file's name and the line or row."""
        path = self._paths[number]
        if problem.row is not None:
            return CorpusError(str(path), problem.problem, f"row {problem.row}")
        assert problem.offset is not None
        return CorpusError(str(path), problem.problem, _line_of(path, problem.offset))

    def _reader(self, number: int) -> Any:
        path, options = self._paths[number], self._options
        kind = kind_of(path)
        if kind == PARQUET:
            return ColumnReader(number, path, options.field, options.max_document_bytes)
        return TextReader(number, path, kind, options, self._cutter)


class _Writing:
    """Blocks through threads to the spool, in order."""

    def __init__(
        self,
        spool: Spool,
        reading: _Reading,
        encoder: BlockEncoder,
        bar: Bar,
        commit_seconds: float,
    ) -> None:
        self._spool = spool
        self._reading = reading
        self._encoder = encoder
        self._bar = bar
        self._commit_seconds = commit_seconds
        self._committed = time.monotonic()

    def run(self, threads: int) -> None:
        """Encode and write all that is left. What is done when this ends is committed."""
        waiting: deque[tuple[Block, Future[Encoded]]] = deque()
        size = 0
        with ThreadPoolExecutor(threads) as pool:
            try:
                for block in self._reading.blocks(self._spool.progress):
                    waiting.append((block, pool.submit(self._encoder, block)))
                    size += block.size
                    while len(waiting) > _BLOCKS_A_THREAD * threads or (
                        len(waiting) > 1 and size > _WAITING_BYTES_A_THREAD * threads
                    ):
                        size -= waiting[0][0].size
                        self._write(*waiting.popleft())
                while waiting:
                    self._write(*waiting.popleft())
                self._spool.progress = replace(self._spool.progress, is_read=True)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                self._spool.commit()

    def _write(self, block: Block, future: Future[Encoded]) -> None:
        try:
            encoded = future.result()
        except BlockProblem as problem:
            raise self._reading.located(block.input, problem) from None
        progress, lengths = self._spool.progress, encoded.lengths
        if progress.open_tokens and len(lengths):
            lengths[0] = _added(int(lengths[0]), progress.open_tokens)
        ended = lengths[:-1] if block.stays_open else lengths
        self._spool.add(encoded.ids, ended)
        # In one step, so that an interrupt in between leaves nothing half counted.
        progress = self._spool.progress = replace(
            progress,
            input=block.input,
            place=block.end,
            documents=progress.documents + len(ended),
            tokens=progress.tokens + len(encoded.ids),
            empty=progress.empty + encoded.empty + block.nulls,
            open_tokens=int(lengths[-1]) if block.stays_open else None,
        )
        self._bar.update(self._reading.done(block), progress.tokens)
        if time.monotonic() - self._committed >= self._commit_seconds:
            self._spool.commit()
            self._committed = time.monotonic()


def _added(length: int, before: int) -> int:
    """The length of a document with that of its parts before. Raises OverflowError."""
    if length + before >= 1 << 31:
        raise OverflowError("a document has more than 2**31 - 1 ids")
    return length + before


def _line_of(path: Path, offset: int) -> str:
    """Which line a byte of an uncompressed input is in, and where in it: "line 3, byte 5"."""
    line, start, place = 1, 0, 0
    with open_stream(path) as stream:
        while place < offset and (chunk := stream.read(min(READ_BYTES, offset - place))):
            found = chunk.rfind(b"\n")
            line += chunk.count(b"\n")
            start = place + found + 1 if found >= 0 else start
            place += len(chunk)
    return f"line {line}, byte {offset - start}" if offset > start else f"line {line}"
