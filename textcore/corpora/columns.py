"""Columns of text in Parquet files. Needs pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textcore.corpora.blocks import ColumnBlock
from textcore.corpora.errors import CorpusError

# What one batch of rows should have, about, and at most.
BATCH_BYTES = 1 << 21
MAX_BATCH_ROWS = 1 << 15


def require_pyarrow(file: str) -> Any:
    """The module pyarrow with its parquet module, or a CorpusError that says how to get it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise CorpusError(
            file, "Parquet files need pyarrow: pip install 'textcore[parquet]'"
        ) from None
    return pyarrow


class ColumnReader:
    """One input of rows."""

    def __init__(self, number: int, path: Path, field: str, max_document_bytes: int) -> None:
        self._number = number
        self._path = path
        self._field = field
        self._limit = max_document_bytes

    def blocks(self, start: list[int] | None, goes_on: bool) -> Iterator[ColumnBlock]:
        """The blocks from a row of a row group on. Raises CorpusError."""
        arrow = require_pyarrow(str(self._path))
        group, skipped = start or (0, 0)
        try:
            with arrow.parquet.ParquetFile(self._path, buffer_size=1 << 20) as file:
                self._check(arrow, file.schema_arrow)
                yield from self._rows(arrow, file, group, skipped)
        except arrow.ArrowException as error:
            raise CorpusError(str(self._path), f"not a readable Parquet file: {error}") from None

    def _rows(self, arrow: Any, file: Any, group: int, skipped: int) -> Iterator[ColumnBlock]:
        total = max(1, file.metadata.num_rows)
        before = sum(file.metadata.row_group(i).num_rows for i in range(group))
        for index in range(group, file.num_row_groups):
            described = file.metadata.row_group(index)
            done = 0
            for batch in file.iter_batches(
                _batch_rows(described), row_groups=[index], columns=[self._field]
            ):
                row, done = done, done + batch.num_rows
                if done <= skipped:
                    continue
                column = batch.column(0).slice(max(0, skipped - row))
                first = before + done - len(column)
                share = self._path.stat().st_size * (before + done) // total
                yield self._block(arrow, column, first, [index, done], share)
            before += described.num_rows
            skipped = 0

    def _check(self, arrow: Any, schema: Any) -> None:
        index = schema.get_field_index(self._field)
        if index < 0:
            names = ", ".join(map(repr, schema.names[:8]))
            raise CorpusError(
                str(self._path), f"there is no column {self._field!r} (once), but {names}"
            )
        kind = schema.field(index).type
        if arrow.types.is_dictionary(kind):
            kind = kind.value_type
        if not _is_text(arrow, kind):
            raise CorpusError(
                str(self._path), f"the column {self._field!r} has no text, but {kind}"
            )

    def _block(
        self, arrow: Any, column: Any, first: int, end: list[int], consumed: int
    ) -> ColumnBlock:
        import numpy

        if arrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        present = column.is_valid().to_numpy(zero_copy_only=False)
        texts = column.drop_null().cast(arrow.large_binary())
        _, offsets, data = texts.buffers()
        ends = numpy.zeros(1, dtype=numpy.int64)
        if len(texts):
            ends = numpy.frombuffer(offsets, dtype=numpy.int64)
            ends = ends[texts.offset : texts.offset + len(texts) + 1]
        rows = numpy.flatnonzero(present) + first
        long = numpy.flatnonzero(numpy.diff(ends) > self._limit)
        if len(long):
            raise CorpusError(
                str(self._path),
                f"a text of more than {self._limit} bytes, the limit that is set "
                "(max_document_bytes)",
                f"row {rows[long[0]]}",
            )
        return ColumnBlock(
            self._number,
            b"" if data is None else numpy.frombuffer(data, dtype=numpy.uint8),
            ends,
            rows,
            column.null_count,
            end,
            consumed,
        )


def _is_text(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    checks = ("is_string", "is_large_string", "is_binary", "is_large_binary")
    views = ("is_string_view", "is_binary_view")
    return any(getattr(types, name)(kind) for name in (*checks, *views) if hasattr(types, name))


def _batch_rows(described: Any) -> int:
    """How many rows of a row group make a block, by their mean size."""
    mean = described.total_byte_size // max(1, described.num_rows) + 1
    return int(min(MAX_BATCH_ROWS, max(1, BATCH_BYTES // mean)))
