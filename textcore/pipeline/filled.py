"""The columns of an encoding whose ids are known, made as they are read."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textcore.core.spans import Encoded
from textcore.pipeline.shapes import Places, Shape
from textcore.pipeline.spans import Spans

if TYPE_CHECKING:
    from textcore.pipeline.aligned import AlignedPath


class Filled:
    """A shape filled with texts: a :class:`textcore.encoding.Later`."""

    __slots__ = ("_found", "_path", "_pieces", "_shape")

    def __init__(self, path: AlignedPath, shape: Shape, pieces: Sequence[Encoded]) -> None:
        self._path = path
        self._shape = shape
        self._pieces = pieces
        self._found: Spans | None = None

    def ranges(self) -> dict[int, range]:
        """Where each sequence's tokens are."""
        return self._shape.ranges([piece.count for piece in self._pieces])

    def type_ids(self) -> array[int]:
        """The type ids."""
        column = array("I")
        for slot, piece in self._shape.filled(self._pieces):
            column += array("I", (slot.type_id,)) * (piece.count if piece else 1)
        return column

    def special(self) -> bytearray:
        """The special tokens mask."""
        column = bytearray()
        for slot, piece in self._shape.filled(self._pieces):
            column += bytes((slot.special,)) * (piece.count if piece else 1)
        return column

    def attention(self) -> bytearray:
        """The attention mask."""
        filled = self._shape.filled(self._pieces)
        return bytearray(b"\1") * sum(piece.count if piece else 1 for _, piece in filled)

    def tokens(self) -> list[str]:
        """The tokens."""
        odd = list(self._spans()[3])
        ids = array("I")
        for slot, piece in self._shape.filled(self._pieces):
            if piece is None:
                odd.append((len(ids), slot.text))
                ids.append(slot.token)
            else:
                ids += piece.ids[piece.front : piece.front + piece.count]
        return self._path.spelled(ids, odd)

    def places(self) -> Places:
        """Words, starts and ends."""
        found = self._found or self._spans()
        return found[0], found[1], found[2]

    def _spans(self) -> Spans:
        if self._found is None:
            framed = self._shape.frame is not None
            self._found = self._path.find(self._pieces[0]) if framed else self._joined()
        return self._found

    def _joined(self) -> Spans:
        """What is found of all the pieces."""
        words, starts, ends = array("q"), array("q"), array("q")
        odd: list[tuple[int, str]] = []
        for _, piece in self._shape.filled(self._pieces):
            if piece is None:
                words.append(-1)
                starts.append(0)
                ends.append(0)
                continue
            found = self._path.find(piece)
            odd += [(len(words) + index, token) for index, token in found[3]]
            words += found[0]
            starts += found[1]
            ends += found[2]
        return words, starts, ends, odd
