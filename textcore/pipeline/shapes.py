"""What a post-processor makes of any encodings, found out once.

Most only put the same tokens before, between and behind the sequences; then ids, type ids,
masks and ranges of an encoding follow from the sequences' ids.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from textcore.encoding import Encoding


class Slot(NamedTuple):
    """One place of a shape: a sequence, or (None) a token that is always the same."""

    sequence: int | None
    token: int
    type_id: int
    special: bool


class Shape:
    """Tokens and places for sequences, in order; ``ranges`` counts in such places."""

    def __init__(self, slots: Sequence[Slot], ranges: dict[int, range]) -> None:
        self._slots = tuple(slots)
        self._ranges = ranges

    @classmethod
    def of(cls, done: Encoding) -> Shape:
        """The shape of what was made of sequences of one token each.

        Sequence i's only token has the id i and belongs to a word, which no other does.
        """
        known = zip(done.ids, done.word_ids, done.type_ids, done.special_tokens_mask, strict=True)
        slots = [
            Slot(None if word is None else token, token, type_id, bool(special))
            for token, word, type_id, special in known
        ]
        return cls(slots, done.ranges)

    def fill(self, sequences: Sequence[list[int]], details: Callable[[], Encoding]) -> Encoding:
        """The encoding with the ids of each sequence, the rest of it made by ``details``."""
        ids, type_ids, special = array("I"), array("I"), bytearray()
        ends = [0]
        for slot in self._slots:
            if slot.sequence is None:
                ids.append(slot.token)
                count = 1
            else:
                count = len(sequences[slot.sequence])
                ids.extend(sequences[slot.sequence])
            type_ids.extend(array("I", (slot.type_id,)) * count)
            special.extend(bytes((slot.special,)) * count)
            ends.append(ends[-1] + count)
        ranges = {s: range(ends[r.start], ends[r.stop]) for s, r in self._ranges.items()}
        return Encoding.deferred(ids, type_ids, special, ranges, details)
