"""What a post-processor makes of any encodings, found out once.

Most only put the same tokens before, between and behind the sequences; then everything about
an encoding follows from the sequences' own tokens.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from textcore.core.added import AddedMatcher
from textcore.core.encode import Encoder
from textcore.core.spans import framed_ids
from textcore.encoding import Encoding

Places: TypeAlias = "tuple[array[int], array[int], array[int]]"
_NOTHING = array("I")


class Slot(NamedTuple):
    """One place of a shape: a sequence, or (None) a token that is always the same."""

    sequence: int | None
    token: int
    text: str
    type_id: int
    special: bool


class Sequences(Protocol):
    """What is known of the tokens of the sequences that a shape is filled with."""

    def tokens_of(self, sequence: int, ids: array[int]) -> list[str]:
        """The tokens of a sequence, which has these ids."""

    def places_of(self, sequence: int, ids: array[int]) -> Places:
        """Words, starts and ends of its tokens."""


class Shape:
    """Tokens and places for sequences, in order; ``ranges`` counts in such places."""

    def __init__(self, slots: Sequence[Slot], ranges: dict[int, range]) -> None:
        self.slots = tuple(slots)
        self._ranges = ranges
        at = [index for index, slot in enumerate(slots) if slot.sequence is not None]
        # Where there is one sequence: the ids before and after it.
        self.frame: tuple[array[int], array[int]] | None = None
        if len(at) == 1:
            ids = array("I", [slot.token for slot in slots])
            self.frame = ids[: at[0]], ids[at[0] + 1 :]

    @classmethod
    def of(cls, done: Encoding) -> Shape:
        """The shape of what was made of sequences of one token each.

        Sequence i's only token has the id i and belongs to a word, which no other does.
        """
        slots = [
            Slot(None if word is None else token, token, text, type_id, bool(special))
            for token, text, word, type_id, special in zip(
                done.ids,
                done.tokens,
                done.word_ids,
                done.type_ids,
                done.special_tokens_mask,
                strict=True,
            )
        ]
        return cls(slots, done.ranges)

    def encode(
        self,
        encoder: Encoder,
        texts: Sequence[str],
        first: AddedMatcher | None,
        second: AddedMatcher | None,
    ) -> tuple[array[int], list[int]]:
        """The ids of texts with those around them, and how many each text has."""
        if self.frame is not None:
            before, after = self.frame
            ids = framed_ids(encoder, texts[0], first, second, before, after)
            return ids, [len(ids) - len(before) - len(after)]
        parts = [framed_ids(encoder, text, first, second, _NOTHING, _NOTHING) for text in texts]
        ids = array("I")
        for slot in self.slots:
            if slot.sequence is None:
                ids.append(slot.token)
            else:
                ids += parts[slot.sequence]
        return ids, list(map(len, parts))

    def fill(self, ids: array[int], counts: Sequence[int], sequences: Sequences) -> Encoding:
        """The encoding with ids and counts as :meth:`encode` gives them."""
        ranges = {}
        if self._ranges:
            ends = [0]
            for slot in self.slots:
                ends.append(ends[-1] + (1 if slot.sequence is None else counts[slot.sequence]))
            ranges = {s: range(ends[r.start], ends[r.stop]) for s, r in self._ranges.items()}
        return Encoding.deferred(ids, ranges, _Filled(self, ids, counts, sequences))


class _Filled:
    """The columns of a shape that has been filled: a :class:`textcore.encoding.Later`."""

    __slots__ = ("_counts", "_ids", "_sequences", "_shape")

    def __init__(
        self, shape: Shape, ids: array[int], counts: Sequence[int], sequences: Sequences
    ) -> None:
        self._shape = shape
        self._ids = ids
        self._counts = counts
        self._sequences = sequences

    def type_ids(self) -> array[int]:
        column = array("I")
        for slot, count in self._counted():
            column += array("I", (slot.type_id,)) * count
        return column

    def special(self) -> bytearray:
        column = bytearray()
        for slot, count in self._counted():
            column += bytes((slot.special,)) * count
        return column

    def attention(self) -> bytearray:
        return bytearray(b"\1") * len(self._ids)

    def tokens(self) -> list[str]:
        column: list[str] = []
        at = 0
        for slot, count in self._counted():
            if slot.sequence is None:
                column.append(slot.text)
            else:
                column += self._sequences.tokens_of(slot.sequence, self._ids[at : at + count])
            at += count
        return column

    def places(self) -> Places:
        words, starts, ends = array("q"), array("q"), array("q")
        at = 0
        for slot, count in self._counted():
            if slot.sequence is None:
                words.append(-1)
                starts.append(0)
                ends.append(0)
            else:
                ids = self._ids if count == len(self._ids) else self._ids[at : at + count]
                found = self._sequences.places_of(slot.sequence, ids)
                words += found[0]
                starts += found[1]
                ends += found[2]
            at += count
        return words, starts, ends

    def _counted(self) -> list[tuple[Slot, int]]:
        counts = self._counts
        return [
            (slot, 1 if slot.sequence is None else counts[slot.sequence])
            for slot in self._shape.slots
        ]
