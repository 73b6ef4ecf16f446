"""Text on its way through the pipeline, with the way back to the original characters.

:class:`NormalizedString` is a text that was changed, each of its characters still knowing
the span of original characters that it stands for; :class:`PreTokenizedString` is a list of
such texts, the splits. They behave as the classes of the same names in Hugging Face
``tokenizers``, but count characters where those count bytes: a span never begins or ends
within a character there either, so the offsets that come out are the same.

One difference is deliberate: text that a regex Replace inserted before the first character
stands for no original character, and the reference then loses count in the next step that
rewrites the text (it fails, or repeats what was inserted). Here that step sees the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from textcore.encoding import Encoding
from textcore.pipeline.characters import WHITESPACE
from textcore.pipeline.growth import check_growth
from textcore.pipeline.matches import Finder, Literal, split_ranges
from textcore.pipeline.models import Token

Offsets = tuple[int, int]


# For each byte of UTF-8, 1 if a character begins with it, else 0.
_BEGINS_CHARACTER = bytes(byte & 0xC0 != 0x80 for byte in range(256))


class NormalizedString:
    """A piece of an original text, as it stands after normalization.

    ``source`` is the whole original text and ``start``, ``stop`` the part of it that this
    piece covers, in characters. ``normalized`` is the piece's text now.
    """

    __slots__ = ("_ends", "_starts", "normalized", "source", "start", "stop")

    def __init__(self, text: str) -> None:
        self.source = text
        self.start = 0
        self.stop = len(text)
        self.normalized = text
        # The original span of each character; None while character i is original
        # character start + i, as it is for most text until the end.
        self._starts: list[int] | None = None
        self._ends: list[int] | None = None

    def __repr__(self) -> str:
        return f"NormalizedString(original={self.original!r}, normalized={self.normalized!r})"

    def __len__(self) -> int:
        return len(self.normalized)

    @property
    def original(self) -> str:
        """The original text of this piece."""
        return self.source[self.start : self.stop]

    @property
    def alignments(self) -> list[Offsets]:
        """For each character, the (start, end) of the original characters it stands for."""
        starts, ends = self._spans()
        return list(zip(starts, ends, strict=True))

    def span(self, start: int, stop: int) -> Offsets:
        """The original (start, end) that characters ``start`` to ``stop`` stand for.

        The range must not be empty, and must lie within ``normalized``.
        """
        if self._starts is None or self._ends is None:
            return self.start + start, self.start + stop
        return self._starts[start], self._ends[stop - 1]

    def slice(self, start: int, stop: int) -> NormalizedString:
        """Characters ``start`` to ``stop`` of ``normalized``, as a piece of its own."""
        if start == stop:
            return self._piece("", self.start + start, self.start + start, [], [])
        first, last = self.span(start, stop)
        text = self.normalized[start:stop]
        if self._starts is None or self._ends is None:
            return self._piece(text, first, last, None, None)
        return self._piece(text, first, last, self._starts[start:stop], self._ends[start:stop])

    def split(self, finder: Finder, behavior: str, invert: bool = False) -> list[NormalizedString]:
        """The pieces that a split leaves, without empty ones."""
        ranges = split_ranges(finder, self.normalized, behavior, invert)
        return [self.slice(start, stop) for start, stop in ranges]

    def transform(self, changes: Sequence[tuple[str, int]], initial_offset: int = 0) -> None:
        """Make the characters of ``changes`` the normalized text.

        Each comes with where it is from: 0 replaces the next character, 1 is a new one, -N
        replaces the next one and removes the N after it. ``initial_offset`` characters are
        removed at the beginning.
        """
        starts, ends = self._spans()
        new_starts: list[int] = []
        new_ends: list[int] = []
        count = len(starts)
        at = min(initial_offset, count)
        for _, change in changes:
            if change <= 0:
                new_starts.append(starts[at])
                new_ends.append(ends[at])
                at = min(at + 1 - change, count)
            else:
                new_starts.append(starts[at - 1] if at else self.start)
                new_ends.append(ends[at - 1] if at else self.start)
        self._set("".join([char for char, _ in changes]), new_starts, new_ends)

    def derive(self, text: str, origin: Sequence[int]) -> None:
        """Make ``text`` the normalized text, its character i made from ``origin[i]``."""
        if self._starts is None or self._ends is None:
            first = self.start
            after = first + 1
            self._set(text, [first + at for at in origin], [after + at for at in origin])
        else:
            starts, ends = self._starts, self._ends
            self._set(text, [starts[at] for at in origin], [ends[at] for at in origin])

    def filter(self, keep: Callable[[str], bool]) -> None:
        """Remove the characters that ``keep`` is false for."""
        kept = [at for at, char in enumerate(self.normalized) if keep(char)]
        if len(kept) < len(self.normalized):
            self.derive("".join([self.normalized[at] for at in kept]), kept)

    def prepend(self, text: str) -> None:
        """Put ``text`` before a text that is not empty; it stands for the first character."""
        if not self.normalized:
            return
        starts, ends = self._spans()
        if text:
            new_starts = [starts[0]] * len(text) + starts
            new_ends = [ends[0]] * len(text) + ends
        else:
            # The reference then takes the first character for a new one.
            new_starts = [self.start, *starts[1:]]
            new_ends = [self.start, *ends[1:]]
        self._set(text + self.normalized, new_starts, new_ends)

    def append(self, text: str) -> None:
        """Put ``text`` after the text; it stands for the last character."""
        starts, ends = self._spans()
        at = (starts[-1], ends[-1]) if starts else (self.start, self.start)
        new_starts = starts + [at[0]] * len(text)
        self._set(self.normalized + text, new_starts, ends + [at[1]] * len(text))

    def replace(self, finder: Finder, content: str) -> None:
        """Put ``content`` where ``finder`` matches; it stands for the match's last character.

        For an empty match, that is the character before it.
        """
        text = self.normalized
        if not text:
            return
        if isinstance(finder, Literal) and len(finder.text) == 1 == len(content):
            self.normalized = text.replace(finder.text, content)
            return
        spans = finder.finditer(text)
        if not spans:
            return
        check_growth(len(text), len(spans) * len(content))
        starts, ends = self._spans()
        parts: list[str] = []
        new_starts: list[int] = []
        new_ends: list[int] = []
        last, size = 0, len(content)
        for start, end in spans:
            parts.append(text[last:start])
            parts.append(content)
            new_starts += starts[last:start]
            new_ends += ends[last:start]
            new_starts += [starts[end - 1] if end else self.start] * size
            new_ends += [ends[end - 1] if end else self.start] * size
            last = end
        parts.append(text[last:])
        self._set("".join(parts), new_starts + starts[last:], new_ends + ends[last:])

    def clear(self) -> int:
        """Remove the whole normalized text; the length it had is returned."""
        length = len(self.normalized)
        self._set("", [], [])
        return length

    def lstrip(self) -> None:
        """Remove leading whitespace."""
        self._strip(left=True, right=False)

    def rstrip(self) -> None:
        """Remove trailing whitespace."""
        self._strip(left=False, right=True)

    def strip(self) -> None:
        """Remove leading and trailing whitespace."""
        self._strip(left=True, right=True)

    def _strip(self, *, left: bool, right: bool) -> None:
        text = self.normalized
        first = len(text) - len(text.lstrip(WHITESPACE)) if left else 0
        last = len(text.rstrip(WHITESPACE)) if right else len(text)
        if first or last < len(text):
            starts, ends = self._spans()
            last = max(first, last)
            self._set(text[first:last], starts[first:last], ends[first:last])

    def _spans(self) -> tuple[list[int], list[int]]:
        if self._starts is None or self._ends is None:
            size = len(self.normalized)
            first = self.start
            return list(range(first, first + size)), list(range(first + 1, first + size + 1))
        return self._starts, self._ends

    def _set(self, text: str, starts: list[int], ends: list[int]) -> None:
        self.normalized = text
        self._starts = starts
        self._ends = ends

    def _piece(
        self, text: str, start: int, stop: int, starts: list[int] | None, ends: list[int] | None
    ) -> NormalizedString:
        piece = NormalizedString.__new__(NormalizedString)
        piece.source = self.source
        piece.start = start
        piece.stop = stop
        piece.normalized = text
        piece._starts = starts
        piece._ends = ends
        return piece


class Split:
    """One part of a :class:`PreTokenizedString`; ``tokens`` is None until it has some."""

    __slots__ = ("normalized", "tokens")

    def __init__(self, normalized: NormalizedString, tokens: list[Token] | None = None) -> None:
        self.normalized = normalized
        self.tokens = tokens

    def __repr__(self) -> str:
        return f"Split({self.normalized!r}, {self.tokens!r})"

    def token_spans(self) -> list[Offsets]:
        """The original (start, end) of each token, in characters.

        A token that reaches past the split's text (a suffix that falls back to bytes makes
        some) has no place there: the reference takes its bytes for those of the whole
        original text, and so does this. Raises ValueError for a token that is empty or
        starts before the text.
        """
        if not self.tokens:
            return []
        piece = self.normalized
        char_of = char_of_byte(piece.normalized)
        size = len(piece.normalized) if char_of is None else len(char_of)
        whole: Sequence[int] | None = None
        spans = []
        for _, _, (start, end) in self.tokens:
            if not 0 <= start < end:
                raise ValueError(f"a token at bytes {start} to {end} of a text of {size}")
            if end > size:
                if whole is None:
                    whole = char_of_byte(piece.source) or range(len(piece.source))
                spans.append(_in_characters(whole, start, end))
            elif char_of is None:
                spans.append(piece.span(start, end))
            else:
                spans.append(piece.span(char_of[start], char_of[end - 1] + 1))
        return spans


class PreTokenizedString:
    """A text as a list of :class:`Split`: some still text, some already tokens."""

    __slots__ = ("original", "splits")

    def __init__(self, text: str | NormalizedString) -> None:
        whole = NormalizedString(text) if isinstance(text, str) else text
        self.original = whole.original
        self.splits = [Split(whole)]

    def split(
        self, divide: Callable[[int, NormalizedString], Iterable[NormalizedString | Split]]
    ) -> None:
        """Replace each split without tokens by the parts ``divide(index, text)`` gives.

        Parts that are empty are dropped.
        """
        parts: list[Split] = []
        for index, whole in enumerate(self.splits):
            if whole.tokens is not None:
                parts.append(whole)
                continue
            for part in divide(index, whole.normalized):
                split = part if isinstance(part, Split) else Split(part)
                if split.normalized.normalized:
                    parts.append(split)
        self.splits = parts

    def normalize(self, change: Callable[[NormalizedString], None]) -> None:
        """Call ``change`` on the text of each split that has no tokens."""
        for split in self.splits:
            if split.tokens is None:
                change(split.normalized)

    def tokenize(self, tokenize: Callable[[str], list[Token]]) -> None:
        """Give each split that has none its tokens."""
        for split in self.splits:
            if split.tokens is None:
                split.tokens = tokenize(split.normalized.normalized)

    def into_encoding(self, word_index: int | None = None, type_id: int = 0) -> Encoding:
        """The tokens as an :class:`Encoding`, with offsets in the original text.

        A token's word is the index of its split, or ``word_index`` where given: the place
        of this text in an input that came as words. Raises ValueError for a split that has
        no tokens yet.
        """
        ids: list[int] = []
        tokens: list[str] = []
        words: list[int | None] = []
        offsets: list[Offsets] = []
        for index, split in enumerate(self.splits):
            if split.tokens is None:
                raise ValueError(f"split {index} has not been tokenized")
            ids += [token[0] for token in split.tokens]
            tokens += [token[1] for token in split.tokens]
            words += [index if word_index is None else word_index] * len(split.tokens)
            offsets += split.token_spans()
        return Encoding.from_parts(ids, tokens, offsets, words, type_id)

    def get_splits(self) -> list[tuple[str, Offsets, list[Token] | None]]:
        """Each split as (text, original (start, end), tokens)."""
        return [
            (s.normalized.normalized, (s.normalized.start, s.normalized.stop), s.tokens)
            for s in self.splits
        ]


def _in_characters(char_of: Sequence[int], start: int, end: int) -> Offsets:
    """A span of bytes in characters, as far as the bytes are there."""
    size = len(char_of)
    if start >= size:
        return start, end
    if end < size:
        return char_of[start], char_of[end]
    last = char_of[end - 1] if end == size else char_of[start] + 1
    return char_of[start], last + 1


def char_of_byte(text: str) -> list[int] | None:
    """For each byte of a text in UTF-8, the character it belongs to; None if ASCII."""
    if text.isascii():
        return None
    counts = accumulate(text.encode("utf-8").translate(_BEGINS_CHARACTER), initial=-1)
    next(counts)
    return list(counts)
