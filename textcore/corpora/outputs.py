"""The files that a finished job leaves: flat ids with an index, ``.npy``, or Parquet.

The index is that of Megatron's ``IndexedDataset`` (Megatron-LM,
megatron/core/datasets/indexed_dataset.py), little-endian throughout::

    9 bytes   "MMIDIDX", 0, 0
    u64       version: 1
    u8        type of the ids: 8 for uint16, 4 for int32
    u64       number of sequences
    u64       number of documents + 1
    i32[]     ids of each sequence
    i64[]     where each sequence begins, in bytes of the ``.bin``
    i64[]     the first sequence of each document, and at last their number

A document is one sequence here, its end-of-text token included. The format knows no uint32:
ids below 2**31 are the same bytes as int32.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from textcore.corpora.columns import require_pyarrow
from textcore.corpora.errors import CorpusError
from textcore.corpora.spool import Spool

BIN, NPY, PARQUET = ".bin", ".npy", ".parquet"
# Of the same size whatever the number of ids, so that it can be written last.
NPY_HEADER = 128
MEGATRON_TYPES = {"uint16": 8, "uint32": 4}
# Documents and ids that are worked on at once.
_CHUNK = 1 << 20
_ROW_GROUP_IDS = 1 << 22


def header_bytes(output: Path) -> int:
    """How much comes before the first id. Raises CorpusError for a format that is not known."""
    if output.suffix not in FINISHERS:
        raise CorpusError(str(output), f"an output is a file of {', '.join(FINISHERS)}")
    if output.suffix == PARQUET:
        require_pyarrow(str(output))
    return NPY_HEADER if output.suffix == NPY else 0


def finish(spool: Spool, ids_type: str) -> list[Path]:
    """Turn a job's ids into its output; what is there at the end. Can be repeated."""
    files = [spool.output]
    if spool.output.suffix == BIN:
        files.append(spool.output.with_suffix(".idx"))
    if not spool.is_moved:
        FINISHERS[spool.output.suffix](spool, ids_type)
    return files


def _finish_bin(spool: Spool, ids_type: str) -> None:
    index = spool.folder / "idx"
    with open(index, "wb") as file:
        file.write(b"MMIDIDX\x00\x00" + struct.pack("<QB", 1, MEGATRON_TYPES[ids_type]))
        count = spool.progress.documents
        file.write(struct.pack("<QQ", count, count + 1))
        for lengths in _lengths(spool):
            file.write(lengths.astype("<i4").tobytes())
        start = 0
        width = int(ids_type[4:]) // 8
        for lengths in _lengths(spool):
            ends = lengths.astype("<i8").cumsum() * width + start
            file.write((ends - lengths * width).astype("<i8").tobytes())
            start = int(ends[-1])
        _write_numbers(file.write, count + 1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(index, spool.output.with_suffix(".idx"))
    os.replace(spool.ids_path, spool.output)


def _write_numbers(write: Callable[[bytes], Any], count: int) -> None:
    """Write 0, 1, … as int64."""
    import numpy

    for start in range(0, count, _CHUNK):
        write(numpy.arange(start, min(count, start + _CHUNK), dtype="<i8").tobytes())


def _finish_npy(spool: Spool, ids_type: str) -> None:
    # As numpy.lib.format describes version 1.0, filled up with spaces.
    kind = "<u2" if ids_type == "uint16" else "<u4"
    shape = f"({spool.progress.tokens},)"
    described = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", NPY_HEADER - 10)
    with open(spool.ids_path, "r+b") as file:
        file.write(start + described.encode().ljust(NPY_HEADER - 11) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(spool.ids_path, spool.output)


def _finish_parquet(spool: Spool, ids_type: str) -> None:
    arrow = require_pyarrow(str(spool.output))
    made = spool.folder / "parquet"
    schema = arrow.schema([("input_ids", arrow.large_list(arrow.from_numpy_dtype(ids_type)))])
    with arrow.parquet.ParquetWriter(made, schema) as writer:
        for ids, offsets in _rows(spool, ids_type):
            column = arrow.LargeListArray.from_arrays(arrow.array(offsets), arrow.array(ids))
            writer.write_table(arrow.table([column], schema=schema))
    os.replace(made, spool.output)
    spool.ids_path.unlink()


def _rows(spool: Spool, ids_type: str) -> Iterator[tuple[Any, Any]]:
    """The ids of some documents at a time, and where each one's begin and end."""
    import numpy

    with open(spool.ids_path, "rb") as file:
        for lengths in _lengths(spool):
            ends = numpy.cumsum(lengths, dtype=numpy.int64)
            first = 0
            while first < len(lengths):
                done = int(ends[first - 1]) if first else 0
                last = int(numpy.searchsorted(ends, done + _ROW_GROUP_IDS, side="right"))
                last = max(last, first + 1)
                offsets = numpy.concatenate([[done], ends[first:last]]) - done
                yield numpy.fromfile(file, ids_type, int(offsets[-1])), offsets
                first = last


def _lengths(spool: Spool) -> Iterator[Any]:
    """The lengths of all documents, some at a time."""
    import numpy

    with open(spool.lengths_path, "rb") as file:
        while len(lengths := numpy.fromfile(file, numpy.int32, _CHUNK)):
            yield lengths


FINISHERS: dict[str, Callable[[Spool, str], None]] = {
    BIN: _finish_bin,
    NPY: _finish_npy,
    PARQUET: _finish_parquet,
}
