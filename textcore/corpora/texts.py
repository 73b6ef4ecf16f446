"""Text files and lines of JSON in blocks of whole documents, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from textcore.corpora.blocks import JsonBlock, TextBlock
from textcore.corpora.columns import too_long
from textcore.corpora.cutting import Cutter
from textcore.corpora.errors import BlockProblem
from textcore.corpora.options import LINE, Options
from textcore.corpora.streams import JSONL, Stream, open_stream

READ_BYTES = 1 << 21


class TextReader:
    """One input of text.

    Parameters
    ----------
    number : int
        Which input it is.
    kind : "txt" or "jsonl"
    cutter : Cutter or None
        What cuts documents of ``.txt`` files that are long.
    read_bytes : int
        How much is read at a time.
    """

    def __init__(
        self,
        number: int,
        path: Path,
        kind: str,
        options: Options,
        cutter: Cutter | None,
        read_bytes: int = READ_BYTES,
    ) -> None:
        self._number = number
        self._path = path
        self._is_json = kind == JSONL
        self._is_lines = self._is_json or options.document == LINE
        self._options = options
        self._cutter = None if self._is_json else cutter
        self._read_bytes = min(read_bytes, options.max_document_bytes)
        self._separator = b"\n" if self._is_lines else (options.separator or "").encode()
        # Of separators that can overlap ("\n\n"), the first counts, as everywhere.
        self._overlaps = any(
            self._separator.endswith(self._separator[:width])
            for width in range(1, len(self._separator))
        )

    def blocks(self, start: int | None, goes_on: bool) -> Iterator[TextBlock | JsonBlock]:
        """The blocks from a place in the uncompressed input on.

        ``goes_on``: that place is inside of a document. Raises CorpusError and BlockProblem.
        """
        with open_stream(self._path) as stream:
            place = start or 0
            stream.skip_to(place)
            unfinished = _Unfinished()
            while chunk := stream.read(self._read_bytes):
                found = self._last_separator(unfinished, chunk)
                if found:
                    unfinished.add(chunk[:found])
                    chunk = chunk[found:]
                    data = unfinished.take()
                    self._check_size(data.find(self._separator), place, goes_on)
                    yield self._block(data, place, stream, goes_on, False)
                    place += len(data)
                    goes_on = False
                unfinished.add(chunk)
                if self._cutter is not None and unfinished.size >= 2 * self._read_bytes:
                    data = unfinished.take()
                    cut = self._cut(self._cutter, data, place)
                    if cut:
                        yield self._block(data[:cut], place, stream, goes_on, True)
                        place += cut
                        goes_on = True
                    unfinished.add(data[cut:])
                self._check_size(unfinished.size, place, False)
            if unfinished.size:
                yield self._block(unfinished.take(), place, stream, goes_on, False)

    def _last_separator(self, unfinished: _Unfinished, chunk: bytes) -> int:
        """Behind the last separator that ends in a chunk; 0 where there is none."""
        if not self._separator:
            return 0
        width = len(self._separator)
        before = unfinished.tail(width - 1)
        text = before + chunk if before else chunk
        if not self._overlaps:
            found = text.rfind(self._separator)
            return 0 if found < 0 else found + width - len(before)
        end = 0
        while (found := text.find(self._separator, end)) >= 0:
            end = found + width
        return max(0, end - len(before))

    def _cut(self, cutter: Cutter, data: bytes, start: int) -> int:
        """Where the part of a document may be cut that has been read so far; 0: nowhere."""
        try:
            # The last bytes may be the beginning of a separator, which is not to be cut.
            return cutter.find(data, len(data) - len(self._separator)) or 0
        except BlockProblem as problem:
            raise problem.behind(start) from None

    def _check_size(self, size: int, place: int, is_part: bool) -> None:
        """Raise BlockProblem for a document of so many bytes, where it is too long."""
        limit = self._options.max_document_bytes
        if size <= limit or is_part:
            return
        what = "line" if self._is_lines else "document"
        raise BlockProblem(too_long(what, limit), offset=place)

    def _block(
        self, data: bytes, start: int, stream: Stream, goes_on: bool, stays_open: bool
    ) -> TextBlock | JsonBlock:
        end, consumed = start + len(data), stream.consumed()
        if self._is_json:
            return JsonBlock(self._number, data, start, end, consumed, self._options.field)
        separator = self._separator or None
        return TextBlock(
            self._number,
            data,
            start,
            end,
            consumed,
            separator,
            self._is_lines,
            goes_on,
            stays_open,
        )


class _Unfinished:
    """What has been read and not been given out, joined only when it is."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self.size = 0

    def add(self, chunk: bytes) -> None:
        if chunk:
            self._chunks.append(chunk)
            self.size += len(chunk)

    def take(self) -> bytes:
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks, self.size = [], 0
        return data

    def tail(self, size: int) -> bytes:
        """The last bytes, ``size`` at most."""
        found = b""
        for chunk in reversed(self._chunks):
            if len(found) >= size:
                break
            found = chunk[max(0, len(chunk) - (size - len(found))) :] + found
        return found
