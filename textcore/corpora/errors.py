"""What is wrong with a corpus, or with an unfinished job."""

from __future__ import annotations

from textcore.errors import TextcoreError


class CorpusError(TextcoreError):
    """Something in an input or output can't be worked on; ``file`` and ``place`` say where.

    ``place`` is a line or a row, or empty for a file as a whole.
    """

    def __init__(self, file: str, problem: str, place: str = "") -> None:
        self.file = file
        self.place = place
        self.problem = problem
        super().__init__(": ".join(part for part in (file, place, problem) if part))


class BlockProblem(Exception):
    """A problem at a byte of an uncompressed input, or at a row; its file is not known here."""

    def __init__(self, problem: str, *, offset: int | None = None, row: int | None = None) -> None:
        self.problem = problem
        self.offset = offset
        self.row = row
        super().__init__(problem)

    def behind(self, start: int) -> BlockProblem:
        """The same problem, its byte counted from ``start`` bytes before."""
        return BlockProblem(self.problem, offset=(self.offset or 0) + start)
