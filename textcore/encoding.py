"""The result of encoding: ids with everything that is known about each of them."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from textcore.core import columns
from textcore.core.deferred import Deferred
from textcore.errors import TextcoreError

Offsets = tuple[int, int]
Column = TypeVar("Column", "array[int]", bytearray, "list[str]")

# A template that repeats a sequence, and a short maximal length, would multiply without end.
MAX_OVERFLOWING = 1 << 18

_NO_WORD = -1
_DIRECTIONS = ("left", "right")
_PLACES = ("_words", "_starts", "_ends")
_LATER = {
    "_ranges": "ranges",
    "_type_ids": "type_ids",
    "_special": "special",
    "_attention": "attention",
    "_tokens": "tokens",
}


class Later(Protocol):
    """What makes the columns of an encoding, as long as its ids, when they are first read.

    A method may be called more than once where threads read at
    the same time.
    """

    def ranges(self) -> dict[int, range]:
        """Where each sequence's tokens are."""

    def type_ids(self) -> array[int]:
        """The type ids (typecode "I")."""

    def special(self) -> bytearray:
        """The special tokens mask."""

    def attention(self) -> bytearray:
        """The attention mask."""

    def tokens(self) -> list[str]:
        """The tokens."""

    def places(self) -> tuple[array[int], array[int], array[int]]:
        """Words (-1 for none), starts and ends (typecode "q")."""


class Encoding(Deferred):
    """Token ids, and for each token its text, word, sequence and span of the input.

    The same properties and methods as ``tokenizers.Encoding``. Offsets count characters of
    the input; a list that a property returns is the caller's own.
    """

    # Besides `_ids` and `_overflowing`: columns, each missing until it is made.
    __slots__ = (
        "_attention", "_ends", "_ranges", "_special", "_starts", "_tokens", "_type_ids", "_words",
    )  # fmt: skip

    def __init__(self) -> None:
        # Whether there may be columns besides the ids.
        self._read = True
        self._ids = array("I")
        self._type_ids = array("I")
        self._tokens: list[str] = []
        self._words = array("q")
        self._starts = array("q")
        self._ends = array("q")
        self._special = bytearray()
        self._attention = bytearray()
        # Where each sequence's tokens are; empty for one sequence that is everything.
        self._ranges: dict[int, range] = {}

    @classmethod
    def from_parts(
        cls,
        ids: Iterable[int],
        tokens: Iterable[str],
        offsets: Iterable[Offsets],
        words: Iterable[int | None],
        type_id: int = 0,
        special: bool = False,
    ) -> Encoding:
        """An encoding of tokens that all have one type id and are all special or all not."""
        new = cls()
        new._ids.extend(ids)
        size = len(new._ids)
        new._tokens.extend(tokens)
        spans = list(offsets)
        new._starts.extend([start for start, _ in spans])
        new._ends.extend([end for _, end in spans])
        new._words.extend([_NO_WORD if word is None else word for word in words])
        new._type_ids = array("I", [type_id]) * size
        new._special = bytearray([special]) * size
        new._attention = bytearray(b"\1") * size
        # Tokens may be more or fewer: a template can name special tokens that way.
        if not len(new._starts) == len(new._words) == size:
            raise ValueError("ids, offsets and words must be equally many")
        return new

    @classmethod
    def from_columns(
        cls,
        ids: array[int],
        tokens: list[str],
        places: tuple[array[int], array[int], array[int]],
        type_id: int = 0,
    ) -> Encoding:
        """As :meth:`from_parts`, of columns that become its own; none of it is special."""
        new = cls.__new__(cls)
        size = len(ids)
        new._read = True
        new._ids = ids
        new._tokens = tokens
        new._words, new._starts, new._ends = places
        new._type_ids = array("I", [type_id]) * size
        new._special = bytearray(size)
        new._attention = bytearray(b"\1") * size
        new._ranges = {}
        return new

    @classmethod
    def deferred(cls, ids: array[int], later: Later) -> Encoding:
        """An encoding all else of which ``later`` makes when it is read."""
        new = cls.__new__(cls)
        new._ids = ids
        new._later = later
        return new

    def __getattr__(self, name: str) -> Any:
        # Only called for what is missing: the columns of a deferred encoding.
        self._read = True
        if name in _PLACES:
            if (later := self._later) is not None:
                self._words, self._starts, self._ends = later.places()
        elif name in _LATER:
            if (later := self._later) is not None:
                setattr(self, name, getattr(later, _LATER[name])())
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return object.__getattribute__(self, name)

    def __getstate__(self) -> list[Any]:
        full = self.copy()
        return [getattr(full, name) for name in _HELD]

    def __setstate__(self, state: list[Any]) -> None:
        self._read = True
        for name, value in zip(_HELD, state, strict=True):
            setattr(self, name, value)

    def __repr__(self) -> str:
        return (
            f"Encoding(num_tokens={len(self)}, attributes=[ids, type_ids, tokens, offsets, "
            "attention_mask, special_tokens_mask, overflowing])"
        )

    # -- what is known about each token; ids, offsets and word_ids are of Deferred ---------

    @property
    def type_ids(self) -> list[int]:
        """The type id of each token: usually which sequence it belongs to."""
        return columns.numbers(self._type_ids)

    @property
    def tokens(self) -> list[str]:
        """The tokens as the vocabulary spells them."""
        return self._tokens.copy()

    @property
    def words(self) -> list[int | None]:
        """Deprecated name of :attr:`word_ids`."""
        warnings.warn("Encoding.words is deprecated: use word_ids", DeprecationWarning, 2)
        return self.word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """The index of the input sequence each token is from; None for special tokens."""
        sequences: list[int | None] = [None] * len(self)
        for sequence in range(self.n_sequences):
            covered = self._range(sequence)
            sequences[covered.start : covered.stop] = [sequence] * len(covered)
        return sequences

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for each token that post-processing or padding added, 0 for the others."""
        return columns.flags(self._special)

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding, 1 for everything else."""
        return columns.flags(self._attention)

    @property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off, in pieces."""
        return self._overflowing.copy()

    @property
    def ranges(self) -> dict[int, range]:
        """Where each sequence's tokens are; empty for one sequence that is everything."""
        return self._ranges.copy()

    @property
    def n_sequences(self) -> int:
        """How many input sequences there are."""
        return len(self._ranges) or 1

    # -- from tokens to words and characters and back -----------------------------------

    def token_to_sequence(self, token_index: int) -> int | None:
        """The index of the sequence that a token belongs to, or None."""
        if _index(token_index) > len(self):
            return None
        if not self._ranges:
            return 0
        return next((s for s, covered in self._ranges.items() if token_index in covered), None)

    def token_to_chars(self, token_index: int) -> Offsets | None:
        """The (start, end) characters of a token, within its sequence."""
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        return self._starts[token_index], self._ends[token_index]

    def token_to_word(self, token_index: int) -> int | None:
        """The index of the word that a token belongs to, within its sequence."""
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        word = self._words[token_index]
        return None if word == _NO_WORD else word

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> Offsets | None:
        """The tokens of a word, as (first, last + 1)."""
        _index(word_index)
        first = last = None
        for at in self._range(sequence_index):
            word = self._words[at]
            if word > word_index:
                break
            if word == word_index:
                first = at if first is None else first
                last = at
        return None if first is None or last is None else (first, last + 1)

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> Offsets | None:
        """The (start, end) characters of a word."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        return self._starts[tokens[0]], self._ends[tokens[1] - 1]

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The first token that covers a character of a sequence, or None."""
        _index(char_pos)
        for at in self._range(sequence_index):
            if self._starts[at] <= char_pos < self._ends[at]:
                return at
        return None

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The word that covers a character of a sequence, or None."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def _range(self, sequence: int) -> range:
        covered = self._ranges.get(_index(sequence))
        return range(len(self)) if covered is None else covered

    # -- changes -------------------------------------------------------------------------

    def set_sequence_id(self, sequence_id: int) -> None:
        """Make all the tokens here those of one sequence."""
        self._ranges[_index(sequence_id)] = range(len(self))

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Keep ``max_length`` tokens; the others go to ``overflowing``, in such pieces.

        Consecutive pieces share ``stride`` tokens, which must be fewer than ``max_length``.
        ``direction`` is the side that is cut off, "right" or "left". What is known about
        sequences is lost.
        """
        if direction not in _DIRECTIONS:
            raise TextcoreError(f"Invalid truncation direction value : {direction}")
        size = len(self)
        if _index(max_length) >= size:
            return
        if max_length == 0:
            whole = self.copy()
            self._become(Encoding())
            self._overflowing.append(whole)
            return
        if _index(stride) >= max_length:
            raise TextcoreError(
                f"stride must be less than the {max_length} tokens to keep, found {stride}"
            )
        places = slices(size, max_length, stride, direction)
        parts = [self._slice(start, stop) for start, stop in places]
        self._become(parts[0])
        self._overflowing = parts[1:]

    def pad(
        self,
        length: int,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
    ) -> None:
        """Add padding up to ``length`` tokens, here and in each overflowing piece."""
        if direction not in _DIRECTIONS:
            raise TextcoreError(
                f"Unknown `direction`: `{direction}`. Use one of `left` or `right`"
            )
        options = {
            "direction": direction,
            "pad_id": pad_id,
            "pad_type_id": pad_type_id,
            "pad_token": pad_token,
        }
        if self._pending is not None:
            self._defer_overflowing(partial(_padded, self._pending, length, options))
        else:
            for piece in self._overflowing:
                piece.pad(length, **options)
        missing = _index(length) - len(self)
        if missing <= 0:
            return
        right = direction == "right"
        filling = (missing, pad_id, pad_type_id, pad_token)
        if self._pad_late(filling, right):
            return
        if self._read:
            self._fill(_fills(*filling), right)
        else:
            fill = array("I", (pad_id,)) * missing
            self._ids = self._ids + fill if right else fill + self._ids
        if self._later is not None:
            self._later = Padded(self._later, filling, right)

    def _fill(self, fills: dict[str, Any], right: bool) -> None:
        """Put padding behind the columns that there are, or before them."""
        for name, fill in fills.items():
            try:
                column = _COLUMNS[name].__get__(self)
            except AttributeError:
                continue  # It comes with its padding when it is read.
            setattr(self, name, column + fill if right else fill + column)
        if not right and self._has_ranges():
            missing = len(fills["_ids"])
            ranges = self._ranges.items()
            self._ranges = {s: range(r.start + missing, r.stop + missing) for s, r in ranges}

    def _padded_later(
        self, later: Later, filling: tuple[int, int, int, str], right: bool
    ) -> Padded:
        return Padded(later, filling, right)

    def _has_ranges(self) -> bool:
        try:
            _RANGES.__get__(self)
        except AttributeError:
            return False
        return True

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """One encoding of several; ``growing_offsets`` continues each one's offsets."""
        merged = Encoding()
        for encoding in encodings:
            merged.merge_with(encoding, growing_offsets)
        return merged

    def merge_with(self, other: Encoding, growing_offsets: bool = False) -> None:
        """Add ``other``'s tokens at the end, and combine the overflowing pieces of both.

        Each piece of one is combined with each of the other. Raises TextcoreError, before
        anything has changed, where that would give more than ``MAX_OVERFLOWING``.
        """
        combinations = (len(self._overflowing) + 1) * (len(other._overflowing) + 1) - 1
        if combinations > MAX_OVERFLOWING:
            raise TextcoreError(
                f"merging would combine overflowing pieces to {combinations}, which is more "
                f"than {MAX_OVERFLOWING}"
            )
        self._settle()
        overflowing = []
        for piece in self._overflowing:
            for added in (other, *other._overflowing):
                combined = piece.copy()
                combined.merge_with(added, growing_offsets)
                overflowing.append(combined)
        for added in other._overflowing:
            combined = self.copy()
            combined.merge_with(added, growing_offsets)
            overflowing.append(combined)
        size = len(self)
        for sequence, covered in other._ranges.items():
            self._ranges[sequence] = range(size + covered.start, size + covered.stop)
        self._extend(other, self._ends[-1] if growing_offsets and size else 0)
        self._overflowing = overflowing

    def _settle(self) -> None:
        """Make all that is deferred: what follows changes columns in place."""
        if self._later is not None:
            self._become(self.copy())

    def copy(self) -> Encoding:
        """An encoding of its own with the same content."""
        new = self._slice(0, len(self))
        new._ranges = self._ranges.copy()
        new._overflowing = [piece.copy() for piece in self._overflowing]
        return new

    def set_type_ids(self, type_id: int) -> None:
        """Give all the tokens here one type id."""
        self._type_ids = array("I", [type_id]) * len(self)
        self._read = True

    def _columns_of_places(self) -> tuple[array[int], array[int], array[int]]:
        # Asking for what is missing, instead of failing to read it, saves half the time.
        later: Later | None = self._later
        if later is not None:
            return later.places()
        return self._words, self._starts, self._ends

    def set_overflowing(self, overflowing: Iterable[Encoding]) -> None:
        """Put other pieces in the place of the overflowing ones."""
        self._overflowing = list(overflowing)

    def defer_overflowing(self, pending: Callable[[], list[Encoding]]) -> None:
        """The same of pieces that ``pending`` makes when they are asked for."""
        self._defer_overflowing(pending)

    def map_offsets(self, change: Callable[[int, str, int, int], Offsets]) -> None:
        """Replace each token's offsets by ``change(index, token, start, end)``."""
        self._settle()
        known = zip(self._tokens, self._starts, self._ends, strict=False)
        for index, (token, start, end) in enumerate(known):
            self._starts[index], self._ends[index] = change(index, token, start, end)

    def as_ordinary(self, sequence_id: int) -> Encoding:
        """The same tokens as ordinary ones of one sequence: none special, none padding."""
        new = self._slice(0, len(self))
        new._special = bytearray(len(self))
        new._attention = bytearray(b"\1") * len(self)
        new.set_sequence_id(sequence_id)
        return new

    def _slice(self, start: int, stop: int) -> Encoding:
        new = Encoding.__new__(Encoding)
        new._read = True
        new._ranges = {}
        new._ids = self._ids[start:stop]
        new._type_ids = self._type_ids[start:stop]
        new._tokens = self._tokens[start:stop]
        new._words = self._words[start:stop]
        new._starts = self._starts[start:stop]
        new._ends = self._ends[start:stop]
        new._special = self._special[start:stop]
        new._attention = self._attention[start:stop]
        return new

    def _become(self, other: Encoding) -> None:
        held = [getattr(other, name) for name in _HELD]
        # Reading them has made what either had deferred.
        self._later = None
        self._read = True
        for name, value in zip(_HELD, held, strict=True):
            setattr(self, name, value)

    def _extend(self, other: Encoding, shift: int) -> None:
        self._ids += other._ids
        self._type_ids += other._type_ids
        self._tokens += other._tokens
        self._words += other._words
        self._starts.extend([start + shift for start in other._starts] if shift else other._starts)
        self._ends.extend([end + shift for end in other._ends] if shift else other._ends)
        self._special += other._special
        self._attention += other._attention


def slices(size: int, length: int, stride: int, direction: str) -> Iterator[tuple[int, int]]:
    """Where ``size`` tokens are cut into pieces of ``length`` that share ``stride`` tokens."""
    step = length - stride
    if direction == "right":
        for start in range(0, size, step):
            stop = min(start + length, size)
            yield start, stop
            if stop == size:
                return
    else:
        for stop in range(size, 0, -step):
            start = max(stop - length, 0)
            yield start, stop
            if start == 0:
                return


class Padded:
    """A :class:`Later` with padding behind what ``inner`` makes, or before it.

    ``filling``: how many tokens, their id, type id and text.
    """

    def __init__(self, inner: Later, filling: tuple[int, int, int, str], right: bool) -> None:
        self._inner = inner
        self._filling = filling
        self._right = right
        self._fills: dict[str, Any] = {}

    def ranges(self) -> dict[int, range]:
        """Where each sequence's tokens are."""
        moved = 0 if self._right else self._filling[0]
        ranges = self._inner.ranges().items()
        return {s: range(r.start + moved, r.stop + moved) for s, r in ranges}

    def type_ids(self) -> array[int]:
        """The type ids."""
        return self._filled("_type_ids", self._inner.type_ids())

    def special(self) -> bytearray:
        """The special tokens mask."""
        return self._filled("_special", self._inner.special())

    def attention(self) -> bytearray:
        """The attention mask."""
        return self._filled("_attention", self._inner.attention())

    def tokens(self) -> list[str]:
        """The tokens."""
        return self._filled("_tokens", self._inner.tokens())

    def places(self) -> tuple[array[int], array[int], array[int]]:
        """Words, starts and ends."""
        words, starts, ends = self._inner.places()
        return (
            self._filled("_words", words),
            self._filled("_starts", starts),
            self._filled("_ends", ends),
        )

    def _filled(self, name: str, column: Column) -> Column:
        if not self._fills:
            self._fills = _fills(*self._filling)
        fill: Column = self._fills[name]
        return column + fill if self._right else fill + column


def _padded(
    pending: Callable[[], list[Encoding]], length: int, options: dict[str, Any]
) -> list[Encoding]:
    """The pieces that ``pending`` makes, with padding."""
    pieces = pending()
    for piece in pieces:
        piece.pad(length, **options)
    return pieces


def _fills(count: int, pad_id: int, type_id: int, token: str) -> dict[str, Any]:
    """What ``count`` tokens of padding add to each column."""
    return {
        "_ids": array("I", (pad_id,)) * count,
        "_type_ids": array("I", (type_id,)) * count,
        "_tokens": [token] * count,
        "_words": array("q", (_NO_WORD,)) * count,
        "_starts": array("q", (0,)) * count,
        "_ends": array("q", (0,)) * count,
        "_special": bytearray(b"\1") * count,
        "_attention": bytearray(count),
    }


# All that an encoding has, once it is made.
_HELD = ("_ids", "_overflowing", *Encoding.__slots__)
_COLUMNS = {name: getattr(Encoding, name) for name in _fills(0, 0, 0, "")}
_RANGES = vars(Encoding)["_ranges"]


def _index(value: int) -> int:
    """``value``, which must not be negative: it would count from the end."""
    if value < 0:
        raise OverflowError(f"expected an index or length of at least 0, found {value}")
    return value
