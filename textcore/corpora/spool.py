"""The state of an unfinished job on disk, which survives being killed at any moment.

``OUT.partial/`` holds the ids so far, the length of each document, and ``progress.json``,
which says how much of both counts and how far the inputs have been read for that. It is
replaced in one step, after what it counts has been written; whatever lies behind is cut off
when the job goes on. So nothing is lost, and nothing doubled.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from textcore.corpora.errors import CorpusError

ENDING = ".partial"
LENGTH_BYTES = 4


@dataclass(slots=True)
class Progress:
    """How far a job is: all that is counted has been written.

    ``input`` is the input being read and ``place`` where, as its reader says (None: its
    start). ``open_tokens``: ids of a document whose end is still to come (None: there is
    none); they are among ``tokens``.
    """

    job: dict[str, Any]
    input: int = 0
    place: Any = None
    documents: int = 0
    tokens: int = 0
    empty: int = 0
    open_tokens: int | None = None
    is_read: bool = False


class Spool:
    """The folder of one job. Used by one process at a time, which holds its lock.

    Parameters
    ----------
    output : Path
        The file that will be written.
    job : dict
        What the job is, as JSON: an unfinished job of another one is not gone on with.
    id_bytes, header : int
        The size of an id, and of what comes before the first one.
    """

    def __init__(self, output: Path, job: dict[str, Any], id_bytes: int, header: int) -> None:
        self.output = output
        self.folder = output.with_name(output.name + ENDING)
        self.ids_path = self.folder / "ids"
        self.lengths_path = self.folder / "lengths"
        self._progress_path = self.folder / "progress.json"
        self._id_bytes = id_bytes
        self._header = header
        self._lock: BinaryIO | None = None
        self._ids: BinaryIO | None = None
        self._lengths: BinaryIO | None = None
        self.progress = Progress(job)

    def open(self, restart: bool, overwrite: bool) -> None:
        """Begin, or go on. Raises CorpusError where neither is possible."""
        self._claim(overwrite)
        known = None if restart else self._read_progress()
        if known is not None and known.job != self.progress.job:
            if known.tokens:
                differing = ", ".join(_differences(known.job, self.progress.job))
                raise CorpusError(
                    str(self.folder),
                    f"an unfinished job of another kind ({differing}); restart it, or choose "
                    "another output",
                )
            known = None  # it has done nothing that could be lost
        if known is None:
            self._wipe()
        else:
            self.progress = known
        if self.is_moved:
            return
        self._ids = self._open_at(
            self.ids_path, self._header + self.progress.tokens * self._id_bytes
        )
        self._lengths = self._open_at(self.lengths_path, self.progress.documents * LENGTH_BYTES)
        if known is None:
            self.commit()

    @property
    def is_moved(self) -> bool:
        """Whether the job was killed after its ids had become the output."""
        return self.progress.is_read and not self.ids_path.exists() and self.output.exists()

    def add(self, ids: Any, lengths: Any) -> None:
        """Append arrays of ids, and of lengths of documents that have ended."""
        assert self._ids is not None
        assert self._lengths is not None
        self._ids.write(memoryview(ids).cast("B"))
        self._lengths.write(memoryview(lengths).cast("B"))

    def commit(self) -> None:
        """Make what has been added count, as ``progress`` says."""
        for file in (self._ids, self._lengths):
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
        text = json.dumps(asdict(self.progress))
        replace(self._progress_path, text.encode())

    def close(self) -> None:
        """Let go of the files, and of the lock."""
        for file in (self._ids, self._lengths, self._lock):
            if file is not None:
                file.close()

    def remove(self) -> None:
        """Remove everything: the job is done."""
        self.close()
        for path in (self.ids_path, self.lengths_path):
            path.unlink(missing_ok=True)
        # Last: as long as it is there, the job is known to be done.
        self._progress_path.unlink(missing_ok=True)
        shutil.rmtree(self.folder)

    def _claim(self, may_replace: bool) -> None:
        """Make the folder and lock it. Raises CorpusError."""
        is_new = not self._progress_path.exists()
        if is_new and self.output.exists() and not may_replace:
            raise CorpusError(
                str(self.output), "the output exists; overwrite it, or choose another"
            )
        self.folder.mkdir(exist_ok=True)
        self._lock = open(self.folder / "lock", "wb")  # noqa: SIM115
        try:
            import fcntl
        except ModuleNotFoundError:  # not on Windows
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorpusError(str(self.folder), "another process is writing this output") from None

    def _read_progress(self) -> Progress | None:
        try:
            return Progress(**json.loads(self._progress_path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            raise CorpusError(str(self._progress_path), "damaged; restart the job") from None

    def _wipe(self) -> None:
        for path in (self._progress_path, self.ids_path, self.lengths_path):
            path.unlink(missing_ok=True)

    def _open_at(self, path: Path, size: int) -> BinaryIO:
        """Open a file for adding to its first ``size`` bytes."""
        file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115
        if self.progress.tokens and file.seek(0, os.SEEK_END) < size:
            file.close()
            raise CorpusError(str(path), "shorter than it was; restart the job")
        file.truncate(size)
        file.seek(size)
        return file


def replace(path: Path, data: bytes) -> None:
    """Write a file in one step: it is there as it was, or as it will be."""
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The names of what is not the same in two descriptions of jobs."""
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
