"""Input files as streams of bytes, compressed or not, and which kind each one is."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from textcore.corpora.errors import CorpusError

TEXT, JSONL, PARQUET = "txt", "jsonl", "parquet"
ENDINGS = {".txt": TEXT, ".jsonl": JSONL, ".ndjson": JSONL, ".parquet": PARQUET}
COMPRESSED = (".gz", ".zst")
# How much is passed over at a time, in a compressed file that is not read from its start.
_SKIP = 1 << 20
# How much of a .zst file is decompressed at a time: the most that a block of it can hold is
# 32,000 times its own size.
_ZSTD_INPUT = 1 << 12


def kind_of(path: Path) -> str:
    """The kind of an input, by its name. Raises CorpusError."""
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    kind = ENDINGS.get(name.suffix)
    if kind is None or (kind == PARQUET and name != path):
        known = ", ".join(ENDINGS)
        raise CorpusError(
            str(path),
            f"an input is a file of {known}; those of text also with {' or '.join(COMPRESSED)}",
        )
    return kind


class Stream:
    """Uncompressed bytes of a file, and how much of the file itself has been read."""

    def __init__(self, raw: BinaryIO, data: BinaryIO, name: str) -> None:
        self._raw = raw
        self._data = data
        self._name = name

    def read(self, size: int) -> bytes:
        """The next bytes, ``size`` at most; none at the end. Raises CorpusError."""
        try:
            return self._data.read(size)
        except _damage() as error:
            raise CorpusError(self._name, f"damaged, or cut off: {error}") from None

    def skip_to(self, offset: int) -> None:
        """Go to a place in the uncompressed bytes. Raises CorpusError."""
        if self._raw is self._data:
            self._raw.seek(offset)
            return
        while offset:
            passed = len(self.read(min(offset, _SKIP)))
            if not passed:
                raise CorpusError(self._name, "shorter than it was")
            offset -= passed

    def consumed(self) -> int:
        """How many bytes of the file have been read."""
        return self._raw.tell()


@contextmanager
def open_stream(path: Path) -> Iterator[Stream]:
    """Open a file whose name tells how it is compressed."""
    with open(path, "rb", buffering=0) as raw:
        if path.suffix == ".gz":
            with gzip.open(raw, "rb") as data:
                yield Stream(raw, cast(BinaryIO, data), str(path))
        elif path.suffix == ".zst":
            with _zstd_reader(raw) as data:
                yield Stream(raw, data, str(path))
        else:
            yield Stream(raw, raw, str(path))


def _zstd_reader(raw: BinaryIO) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.open(raw, "rb")
    try:
        import zstandard
    except ModuleNotFoundError:
        raise CorpusError(
            str(raw.name), ".zst files need zstandard: pip install 'textcore[zstd]'"
        ) from None
    return io.BufferedReader(_ZstdFrames(raw, zstandard.ZstdDecompressor()), _SKIP)


class _ZstdFrames(io.RawIOBase):
    """The frames of a file one after the other; EOFError where the last is cut off.

    The package's own reader takes a file that is cut off for one that ends.
    """

    def __init__(self, raw: BinaryIO, decompressor: Any) -> None:
        self._raw = raw
        self._decompressor = decompressor
        self._frame: Any = None
        self._input = b""
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._output:
            if self._frame is not None and self._frame.eof:
                self._input = self._frame.unused_data + self._input
                self._frame = None
            self._input = self._input or self._raw.read(_ZSTD_INPUT)
            if not self._input:
                if self._frame is not None:
                    raise EOFError("the last frame has no end")
                return 0
            self._frame = self._frame or self._decompressor.decompressobj()
            data, self._input = self._input, b""
            self._output = memoryview(self._frame.decompress(data))
        size = min(len(buffer), len(self._output))
        buffer[:size] = self._output[:size]
        self._output = self._output[size:]
        return size


def _damage() -> tuple[type[Exception], ...]:
    """What reading a damaged file raises; of the zstd modules, one that is in use."""
    found: list[type[Exception]] = [EOFError, gzip.BadGzipFile, zlib.error]
    for name in ("zstandard", "compression.zstd"):
        module = sys.modules.get(name)
        if module is not None:
            found.append(module.ZstdError)
    return tuple(found)
