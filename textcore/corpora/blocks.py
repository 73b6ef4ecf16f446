"""A part of an input: what a reader gives, a thread encodes, and progress counts by."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from typing import Any, Protocol

from textcore.core.documents import (
    Documents,
    first_invalid,
    invalid_utf8,
    sliced_documents,
    split_documents,
)
from textcore.core.jsonlines import json_documents
from textcore.corpora.cutting import not_utf8
from textcore.corpora.errors import BlockProblem
from textcore.errors import TextcoreError
from textcore.pipeline.spec import shorten

# What separates JSON values may stand on a line that has none.
_BLANK = b" \t\r"
# So many keys are named where the wanted one is missing.
_KEYS_NAMED = 8


class Block(Protocol):
    """Whole documents, or a part of a long one."""

    input: int
    end: Any
    consumed: int
    nulls: int
    goes_on: bool
    stays_open: bool

    @property
    def size(self) -> int:
        """Its bytes, about."""

    def documents(self) -> list[Documents]:
        """Its documents, in order. Raises BlockProblem."""


@dataclass(slots=True)
class TextBlock:
    """Bytes of a text file from ``start``: documents between separators, or one document.

    ``start`` and ``end`` are places in the uncompressed input, ``consumed`` one in the file.
    ``goes_on``: the first document has begun in the block before; ``stays_open``: the last
    ends in a later one.
    """

    input: int
    data: bytes
    start: int
    end: int
    consumed: int
    separator: bytes | None
    is_lines: bool = False
    goes_on: bool = False
    stays_open: bool = False
    nulls: int = 0

    @property
    def size(self) -> int:
        return len(self.data)

    def documents(self) -> list[Documents]:
        """Its documents. Raises BlockProblem for what is not UTF-8."""
        check_utf8(self.data, self.start)
        if self.separator is None:
            return [whole(self.data)]
        return [split_documents(self.data, self.separator, self.is_lines)]


@dataclass(slots=True)
class JsonBlock:
    """Whole lines of JSON, the text of each at ``field``."""

    input: int
    data: bytes
    start: int
    end: int
    consumed: int
    field: str
    goes_on: bool = False
    stays_open: bool = False
    nulls: int = 0

    @property
    def size(self) -> int:
        return len(self.data)

    def documents(self) -> list[Documents]:
        """The texts of all lines. Raises BlockProblem for a line that gives none."""
        check_utf8(self.data, self.start)
        found: list[Documents] = []
        data, key, place = self.data, self.field.encode(), 0
        while True:
            documents, stopped = json_documents(data, key, place)
            found.append(documents)
            if stopped < 0:
                return found
            place = data.find(b"\n", stopped) + 1 or len(data)
            found.append(self._line(data[stopped:place], self.start + stopped))

    def _line(self, line: bytes, offset: int) -> Documents:
        """The document of one line, read by Python."""
        try:
            return whole(json_text(line.decode().rstrip("\n"), self.field).encode())
        except UnicodeEncodeError as error:
            raise BlockProblem(
                f"the text has a lone surrogate at character {error.start}", offset=offset
            ) from None
        except (ValueError, RecursionError) as error:
            raise BlockProblem(str(error), offset=offset) from None


def json_text(line: str, field: str) -> str:
    """The text at a key of a JSON object; "" for null. Raises ValueError."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise TextcoreError(f"not valid JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:
        raise TextcoreError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise TextcoreError(f"expected a JSON object, found {shorten(value)}")
    if field not in value:
        keys = ", ".join(map(shorten, list(value)[:_KEYS_NAMED])) or "no keys"
        raise TextcoreError(f"the object has no key {field!r}, but {keys}")
    text = value[field]
    if text is None:
        return ""
    if not isinstance(text, str):
        raise TextcoreError(f"{field!r} is no string, but {shorten(text)}")
    return text


@dataclass(slots=True)
class ColumnBlock:
    """Rows of a column of texts: ``data[offsets[i]:offsets[i + 1]]`` is one.

    ``end`` is the row group and the row in it that come next; ``rows`` are the texts' rows in
    the file.
    """

    input: int
    data: Any
    offsets: Any
    rows: Any
    nulls: int
    end: list[int]
    consumed: int
    goes_on: bool = False
    stays_open: bool = False

    @property
    def size(self) -> int:
        return int(self.offsets[-1] - self.offsets[0])

    def documents(self) -> list[Documents]:
        """The texts of all rows. Raises BlockProblem for what is not UTF-8."""
        documents = sliced_documents(self.data, self.offsets)
        found = first_invalid(documents)
        if found is None:
            return [documents]
        index, place = found
        lengths = self.offsets[1:] - self.offsets[:-1]
        row = int(self.rows[lengths > 0][index])
        raise BlockProblem(f"byte {place}: {not_utf8(documents[index], place)}", row=row)


def whole(data: bytes) -> Documents:
    """One document; none where there is no text."""
    return sliced_documents(data, array("q", (0, len(data))))


def check_utf8(data: bytes, start: int) -> None:
    """Raise BlockProblem for bytes from ``start`` of an input that are not UTF-8."""
    offset = invalid_utf8(data)
    if offset >= 0:
        raise BlockProblem(not_utf8(data, offset), offset=start + offset)
