"""The columns of an encoding whose ids are known, made as they are read."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from textcore.core.spans import Encoded
from textcore.pipeline.shapes import Places, Shape, Tokens
from textcore.pipeline.spans import Spans

if TYPE_CHECKING:
    from textcore.pipeline.aligned import AlignedPath


class WholeText:
    """A text of which several parts become encodings."""

    def __init__(self, path: AlignedPath, piece: Encoded) -> None:
        self._path = path
        self._piece = piece
        self.tokens = piece.ids[piece.front : piece.front + piece.count]

    @cached_property
    def spans(self) -> Spans:
        """Where all its tokens are, not trimmed."""
        front, stop = self._piece.front, self._piece.front + self._piece.count
        words, starts, ends, odd = self._path.find(self._piece, is_trimmed=False)
        own = [(at - front, token) for at, token in odd]
        return words[front:stop], starts[front:stop], ends[front:stop], own


class Part:
    """Tokens of a text from ``start`` on: as an Encoded with none around it."""

    front = back = 0

    def __init__(self, whole: WholeText, start: int, stop: int) -> None:
        self.whole = whole
        self.ids = whole.tokens[start:stop]
        self.start = start

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return len(self.ids)


class Filled:
    """A shape filled with tokens of texts: a :class:`textcore.encoding.Later`.

    Subclasses know how to find the places.
    """

    __slots__ = ("_found", "_path", "_pieces", "_shape")

    def __init__(self, path: AlignedPath, shape: Shape, pieces: Sequence[Tokens]) -> None:
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
            self._found = self._find()
        return self._found

    def _find(self) -> Spans:
        """What is found of all the pieces."""
        words, starts, ends = array("q"), array("q"), array("q")
        odd: list[tuple[int, str]] = []
        for slot, piece in self._shape.filled(self._pieces):
            if piece is None:
                words.append(-1)
                starts.append(0)
                ends.append(0)
                continue
            assert slot.sequence is not None
            found = self._find_piece(slot.sequence)
            odd += [(len(words) + index, token) for index, token in found[3]]
            words += found[0]
            starts += found[1]
            ends += found[2]
        return words, starts, ends, odd

    def _find_piece(self, sequence: int) -> Spans:
        raise NotImplementedError


class FilledWhole(Filled):
    """A shape filled with whole texts."""

    __slots__ = ("_texts",)

    def __init__(self, path: AlignedPath, shape: Shape, pieces: Sequence[Encoded]) -> None:
        super().__init__(path, shape, pieces)
        self._texts = pieces

    def _find(self) -> Spans:
        if self._shape.frame is not None:
            # What is around the text is around its ids, where they have been made together.
            found = self._path.find(self._texts[0])
            if len(found[0]) == len(self._shape.slots) - 1 + self._texts[0].count:
                return found
        return super()._find()

    def _find_piece(self, sequence: int) -> Spans:
        return self._path.find(self._texts[sequence])


class Cut(Filled):
    """A shape filled with parts of texts."""

    __slots__ = ("_parts",)

    def __init__(self, path: AlignedPath, shape: Shape, parts: Sequence[Part]) -> None:
        super().__init__(path, shape, parts)
        self._parts = parts

    def _find_piece(self, sequence: int) -> Spans:
        part = self._parts[sequence]
        start, stop = part.start, part.start + part.count
        words, starts, ends, odd = part.whole.spans
        found = (
            words[start:stop],
            starts[start:stop],
            ends[start:stop],
            [(at - start, token) for at, token in odd if start <= at < stop],
        )
        return self._path.trimmed(part, found)
