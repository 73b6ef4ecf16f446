"""Whole corpora to files of token ids: resumable, in bounded memory, on every core.

:func:`tokenize` is the job of ``textcore tokenize``; ``textcore.corpora.ray`` is the same job
on many machines. Needs numpy; Parquet files need pyarrow (the extra ``parquet``), and
``.zst`` files zstandard (the extra ``zstd``) before Python 3.14.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textcore.corpora.errors import CorpusError
from textcore.corpora.options import Options, Summary

if TYPE_CHECKING:
    from textcore.corpora.job import tokenize

__all__ = ["CorpusError", "Options", "Summary", "tokenize"]


def __getattr__(name: str) -> Any:
    # The command line imports this package for its arguments: the job waits until it is used.
    if name == "tokenize":
        from textcore.corpora.job import tokenize

        return tokenize
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
