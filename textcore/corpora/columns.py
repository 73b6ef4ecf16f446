"""Columns of text in Parquet files. Needs pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textcore.corpora.blocks import ColumnBlock
from textcore.corpora.errors import CorpusError
from textcore.errors import TextcoreError

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
                self._check(file.schema_arrow)
                yield from self._rows(file, group, skipped)
        except arrow.ArrowException as error:
            raise CorpusError(str(self._path), f"not a readable Parquet file: {error}") from None

    def _rows(self, file: Any, group: int, skipped: int) -> Iterator[ColumnBlock]:
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
                yield self._block(column, first, [index, done], share)
            before += described.num_rows
            skipped = 0

    def _check(self, schema: Any) -> None:
        try:
            check_column(schema, self._field)
        except TextcoreError as error:
            raise CorpusError(str(self._path), str(error)) from None

    def _block(self, column: Any, first: int, end: list[int], consumed: int) -> ColumnBlock:
        data, offsets, rows = texts_of(column)
        rows += first
        long = (offsets[1:] - offsets[:-1] > self._limit).nonzero()[0]
        if len(long):
            raise CorpusError(
                str(self._path), too_long("text", self._limit), f"row {rows[long[0]]}"
            )
        return ColumnBlock(
            self._number,
            data,
            offsets,
            rows,
            column.null_count,
            end,
            consumed,
        )


def check_column(schema: Any, field: str) -> None:
    """Raise TextcoreError where an Arrow schema has no column of texts of that name."""
    import pyarrow

    index = schema.get_field_index(field)
    if index < 0:
        names = ", ".join(map(repr, schema.names[:8]))
        raise TextcoreError(f"there is no column {field!r} (once), but {names}")
    kind = schema.field(index).type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    if not any(check(kind) for check in _text_checks(pyarrow.types)):
        raise TextcoreError(f"the column {field!r} has no text, but {kind}")


def _text_checks(types: Any) -> list[Any]:
    """What tells whether a type is one of text or bytes; views are new in Arrow."""
    kinds = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    return [getattr(types, f"is_{kind}") for kind in kinds if hasattr(types, f"is_{kind}")]


def texts_of(column: Any) -> tuple[Any, Any, Any]:
    """The texts of an Arrow array as one buffer of bytes, offsets into it, and their rows.

    Nulls are left out. A copy is made only where the column's type needs another form.
    """
    import numpy
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    rows = numpy.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    texts = column.drop_null().cast(pyarrow.large_binary())
    _, offsets, data = texts.buffers()
    if not len(texts):
        return b"", numpy.zeros(1, dtype=numpy.int64), rows
    ends = numpy.frombuffer(offsets, dtype=numpy.int64)
    held = b"" if data is None else numpy.frombuffer(data, dtype=numpy.uint8)
    return held, ends[texts.offset : texts.offset + len(texts) + 1], rows


def too_long(what: str, limit: int) -> str:
    """What an error says of a document over the limit."""
    return f"a {what} of more than {limit} bytes, the limit that is set (max_document_bytes)"


def _batch_rows(described: Any) -> int:
    """How many rows of a row group make a block, by their mean size."""
    mean = described.total_byte_size // max(1, described.num_rows) + 1
    return int(min(MAX_BATCH_ROWS, max(1, BATCH_BYTES // mean)))
