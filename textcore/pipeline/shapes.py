"""What a post-processor makes of any encodings, found out once.

Most only put the same tokens before, between and behind the sequences; then everything about
an encoding follows from the sequences' own tokens.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from textcore.encoding import Encoding

Places: TypeAlias = "tuple[array[int], array[int], array[int]]"


class Tokens(Protocol):
    """The tokens of a text, or of a part of it: ``ids`` but for ``front`` and ``back`` of them."""

    @property
    def ids(self) -> array[int]: ...
    @property
    def front(self) -> int: ...
    @property
    def back(self) -> int: ...
    @property
    def count(self) -> int: ...


Some = TypeVar("Some", bound=Tokens)


class Slot(NamedTuple):
    """One place of a shape: a sequence, or (None) a token that is always the same."""

    sequence: int | None
    token: int
    text: str
    type_id: int
    special: bool


class Shape:
    """Tokens and places for sequences, in order; ``ranges`` counts in such places."""

    def __init__(self, slots: Sequence[Slot], ranges: dict[int, range]) -> None:
        self.slots = tuple(slots)
        self._ranges = ranges
        at = [index for index, slot in enumerate(slots) if slot.sequence is not None]
        self.sequences = [slot.sequence for slot in slots]
        # Where there is only the first sequence: the ids before and after it.
        self.frame: tuple[array[int], array[int]] | None = None
        if len(at) == 1 and slots[at[0]].sequence == 0:
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape):
            return NotImplemented
        return self.slots == other.slots and self._ranges == other._ranges

    __hash__ = None  # type: ignore[assignment]

    def joined(self, sequences: Sequence[array[int]]) -> array[int]:
        """The ids of sequences and those around them."""
        ids = array("I")
        for slot in self.slots:
            if slot.sequence is None:
                ids.append(slot.token)
            else:
                ids += sequences[slot.sequence]
        return ids

    def ranges(self, counts: Sequence[int]) -> dict[int, range]:
        """Where sequences of so many tokens are."""
        if not self._ranges:
            return {}
        ends = [0]
        for slot in self.slots:
            ends.append(ends[-1] + (1 if slot.sequence is None else counts[slot.sequence]))
        return {s: range(ends[r.start], ends[r.stop]) for s, r in self._ranges.items()}

    def filled(self, pieces: Sequence[Some]) -> list[tuple[Slot, Some | None]]:
        """Each slot with what is in it; None for a token that is always the same."""
        return [
            (slot, None if slot.sequence is None else pieces[slot.sequence]) for slot in self.slots
        ]
