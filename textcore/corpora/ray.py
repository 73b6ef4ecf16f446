"""The same job on many machines: Ray Data. Needs the extra ``ray``.

Workers encode batches of rows, and are replaced where they die; what they send back is in
the order of the dataset, whichever of them made it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textcore.corpora.blocks import ColumnBlock
from textcore.corpora.columns import check_column, texts_of, too_long
from textcore.corpora.encoding import BlockEncoder
from textcore.corpora.errors import BlockProblem, CorpusError
from textcore.corpora.job import load_tokenizer
from textcore.corpora.options import FILE, Options, Summary
from textcore.corpora.outputs import finish, header_bytes
from textcore.corpora.spool import Spool
from textcore.errors import TextcoreError

if TYPE_CHECKING:
    from ray.data import Dataset

COLUMN = "input_ids"
# What errors name where a file can't be named.
_DATASET = "the dataset"


def input_ids(
    dataset: Dataset,
    tokenizer: str | Path,
    options: Options | None = None,
    **map_options: Any,
) -> Dataset:
    """A dataset of a column ``input_ids``: the ids of each row's text, in the same order.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Its column ``options.field`` has the texts; rows without text are left out.
    tokenizer : path
        A model's directory or a tokenizer file, which every machine can read there.
    options : Options, optional
        Those about rows: ``document`` and ``separator`` are for text files.
    **map_options
        For ``Dataset.map_batches``: ``num_cpus``, ``memory``, ``batch_size``, …

    Nothing is done before the dataset is used; a row that is no text then raises CorpusError
    in a worker, which Ray wraps in an error of its own. Raises TextcoreError for options that
    don't fit the tokenizer.
    """
    rows = _rows(dataset, tokenizer, _hashable(options or Options()), map_options)
    return rows.map_batches(_without_nulls, batch_format="pyarrow", zero_copy_batch=True)


def tokenize(
    dataset: Dataset,
    output: str | Path,
    tokenizer: str | Path,
    options: Options | None = None,
    *,
    overwrite: bool = False,
    **map_options: Any,
) -> Summary:
    """Write a dataset's ids as one file, on the machine that calls this.

    The same file, byte for byte, as :func:`textcore.corpora.tokenize` makes of the same rows.
    The parameters are that function's and :func:`input_ids`'s. To write on the workers
    instead, a file each: ``input_ids(...).write_parquet(...)``.

    A worker's death costs the batches that it had; that of the calling process, the job.
    Raises CorpusError, TextcoreError and OSError as that function does; an error in a worker
    comes as Ray raises it.
    """
    options = _hashable(options or Options())
    output = Path(output)
    header = header_bytes(output)
    rows = _rows(dataset, tokenizer, options, map_options)
    ids_type = _encoder(str(tokenizer), options).ids_type
    spool = Spool(output, {}, 2 if ids_type == "uint16" else 4, header)
    try:
        spool.open(restart=True, overwrite=overwrite)
        for batch in rows.iter_batches(batch_format="pyarrow", batch_size=None):
            for column in batch.column(COLUMN).chunks:
                _add(spool, column)
        spool.progress.is_read = True
        spool.commit()
        files = finish(spool, ids_type)
        spool.remove()
    finally:
        spool.close()
    done = spool.progress
    return Summary(done.documents, done.tokens, done.empty, ids_type, files)


def _add(spool: Spool, column: Any) -> None:
    """Add the rows of a column of ids to a job; null ones are documents without text."""
    import numpy

    present = column.drop_null()
    ids = present.flatten().to_numpy(zero_copy_only=False)
    lengths = numpy.asarray(present.value_lengths(), dtype=numpy.int32)
    spool.add(numpy.ascontiguousarray(ids), lengths)
    spool.progress.documents += len(lengths)
    spool.progress.tokens += len(ids)
    spool.progress.empty += column.null_count


def _rows(
    dataset: Dataset, tokenizer: str | Path, options: Options, map_options: dict[str, Any]
) -> Dataset:
    """A column of ids, null where a row has no text."""
    if options.document != FILE or options.separator is not None:
        raise TextcoreError("document and separator are for text files: a row is a document")
    path = str(Path(tokenizer).absolute())
    _encoder(path, options)  # whatever is wrong with these is said here, not by a worker
    function = partial(_encode_rows, tokenizer=path, options=options)
    rows = dataset.map_batches(function, **{**map_options, "batch_format": "pyarrow"})
    # Workers finish in any order; ids don't come in any order.
    rows.context.execution_options.preserve_order = True
    return rows


def _hashable(options: Options) -> Options:
    """The same options as a key of a cache."""
    allowed = options.allowed_special
    if isinstance(allowed, str):
        return options
    return replace(options, allowed_special=frozenset(allowed))


@cache
def _encoder(tokenizer: str, options: Options) -> BlockEncoder:
    """A process's own encoder: made by the first batch that a worker gets."""
    return BlockEncoder(load_tokenizer(Path(tokenizer)), options)


def _encode_rows(table: Any, tokenizer: str, options: Options) -> Any:
    """The ids of a batch of rows, as a table with one column. Runs on a worker."""
    import numpy
    import pyarrow

    encoder = _encoder(tokenizer, options)
    kind = pyarrow.large_list(pyarrow.from_numpy_dtype(encoder.ids_type))
    try:
        check_column(table.schema, options.field)
    except TextcoreError as error:
        raise CorpusError(_DATASET, str(error)) from None
    column = table.column(options.field).combine_chunks()
    data, offsets, rows = texts_of(column)
    sizes = offsets[1:] - offsets[:-1]
    if len(sizes) and sizes.max() > options.max_document_bytes:
        raise CorpusError(_DATASET, too_long("text", options.max_document_bytes))
    try:
        encoded = encoder(ColumnBlock(0, data, offsets, rows, 0, [], 0))
    except BlockProblem as problem:
        raise CorpusError(_DATASET, problem.problem, f"row {problem.row} of a batch") from None
    lengths = numpy.zeros(len(column), dtype=numpy.int64)
    lengths[rows[sizes > 0]] = encoded.lengths
    is_null = numpy.ones(len(column) + 1, dtype=bool)
    is_null[rows[sizes > 0]] = False
    is_null[-1] = False
    starts = numpy.concatenate([[0], lengths.cumsum()])
    lists = pyarrow.LargeListArray.from_arrays(
        pyarrow.array(starts, pyarrow.int64(), mask=is_null), pyarrow.array(encoded.ids)
    )
    return pyarrow.table({COLUMN: lists.cast(kind)})


def _without_nulls(table: Any) -> Any:
    return table.filter(table.column(COLUMN).is_valid())
