"""What a job is asked to do, and what it says when it is done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from textcore.errors import TextcoreError

FILE, LINE = "file", "line"
UNITS = (FILE, LINE)
IDS_TYPES = ("auto", "uint16", "uint32")
MAX_DOCUMENT_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Options:
    """How documents are found and what becomes of each.

    Parameters
    ----------
    document : "file" or "line"
        What a document of a ``.txt`` file is. A line ends with ``\\n`` or ``\\r\\n``, which
        belong to no document.
    separator : str, optional
        Documents of a ``.txt`` file are what stands between these, instead.
    field : str
        The text's key in a line of JSON, or its column in Parquet.
    end_of_text : str, int or None
        The token that ends each document: its text, its id, "auto" (the tokenizer's own) or
        None for no token.
    add_special_tokens : bool
        Add what the tokenizer's post-processor adds to each document.
    allowed_special : "all", "none" or a collection of str
        Which added tokens may be recognised in a document's text.
    ids : "auto", "uint16" or "uint32"
        The type of the ids; auto: uint16 where the vocabulary has room in it.
    max_document_bytes : int
        A document of more bytes is an error, unless it can be encoded in parts.
    """

    document: str = FILE
    separator: str | None = None
    field: str = "text"
    end_of_text: str | int | None = "auto"
    add_special_tokens: bool = False
    allowed_special: str | Collection[str] = "all"
    ids: str = "auto"
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    def __post_init__(self) -> None:
        if self.document not in UNITS:
            raise TextcoreError(f"document is {self.document!r}; expected 'file' or 'line'")
        if self.separator is not None and self.document != FILE:
            raise TextcoreError("a separator and a document a line exclude each other")
        if self.separator == "":
            raise TextcoreError("the separator is empty")
        if self.ids not in IDS_TYPES:
            raise TextcoreError(f"ids is {self.ids!r}; expected one of {', '.join(IDS_TYPES)}")
        if self.max_document_bytes < 1:
            raise TextcoreError("max_document_bytes must be at least 1")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a finished job has written.

    ``tokens`` includes the end-of-text tokens; ``empty`` counts the documents without text,
    which are left out.
    """

    documents: int
    tokens: int
    empty: int
    ids: str
    files: list[Path] = field(default_factory=list)
