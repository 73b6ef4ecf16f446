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

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from textcore.core.alignment import Alignment, identity
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

    __slots__ = ("_places", "normalized", "source", "start", "stop")

    def __init__(self, text: str) -> None:
        self.source = text
        self.start = 0
        self.stop = len(text)
        self.normalized = text
        # None while character i is original character start + i, as it is for most text
        # until the end.
        self._places: Alignment | None = None

    def __repr__(self) -> str:
        return f"NormalizedString(original={self.original!r}, normalized={self.normalized!r})"

    def __len__(self) -> int:
        return len(self.normalized)

    @property
    def original(self) -> str:
        """The original text of this piece."""
        return self.source[self.start : self.stop]

    @property
    def alignment(self) -> Alignment | None:
        """The original span of each character; None where each stands for itself."""
        return self._places

    @property
    def alignments(self) -> list[Offsets]:
        """For each character, the (start, end) of the original characters it stands for."""
        return self._spans().spans()

    def span(self, start: int, stop: int) -> Offsets:
        """The original (start, end) that characters ``start`` to ``stop`` stand for.

        The range must not be empty, and must lie within ``normalized``.
        """
        if self._places is None:
            return self.start + start, self.start + stop
        return self._places.span(start, stop)

    def slice(self, start: int, stop: int) -> NormalizedString:
        """Characters ``start`` to ``stop`` of ``normalized``, as a piece of its own."""
        if start == stop:
            return self._piece("", self.start + start, self.start + start, identity(0, 0))
        first, last = self.span(start, stop)
        places = None if self._places is None else self._places.slice(start, stop)
        return self._piece(self.normalized[start:stop], first, last, places)

    def split(self, finder: Finder, behavior: str, invert: bool = False) -> list[NormalizedString]:
        """The pieces that a split leaves, without empty ones."""
        ranges = split_ranges(finder, self.normalized, behavior, invert)
        return [self.slice(start, stop) for start, stop in ranges]

    def transform(self, text: str, changes: array[int], initial_offset: int = 0) -> None:
        """Make ``text`` the normalized text.

        ``changes`` (typecode "i") says where each of its characters is from: 0 replaces the
        next character, 1 is a new one, -N replaces the next one and removes the N after it.
        ``initial_offset`` characters are removed at the beginning.
        """
        self._set(text, self._spans().transform(changes, initial_offset, self.start))

    def derive(self, text: str, origin: array[int]) -> None:
        """Make ``text`` the normalized text, its character i made from ``origin[i]``.

        ``origin`` has the typecode "q".
        """
        self._set(text, self._spans().derive(origin))

    def filter(self, keep: Callable[[str], bool]) -> None:
        """Remove the characters that ``keep`` is false for."""
        kept = [at for at, char in enumerate(self.normalized) if keep(char)]
        if len(kept) < len(self.normalized):
            self.derive("".join([self.normalized[at] for at in kept]), array("q", kept))

    def prepend(self, text: str) -> None:
        """Put ``text`` before a text that is not empty; it stands for the first character."""
        if not self.normalized:
            return
        places = self._spans()
        if text:
            places = places.insert(0, len(text), *places.span(0, 1))
        else:
            # The reference then takes the first character for a new one.
            places = places.slice(1, len(places)).insert(0, 1, self.start, self.start)
        self._set(text + self.normalized, places)

    def append(self, text: str) -> None:
        """Put ``text`` after the text; it stands for the last character."""
        places = self._spans()
        size = len(places)
        start, end = places.span(size - 1, size) if size else (self.start, self.start)
        self._set(self.normalized + text, places.insert(size, len(text), start, end))

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
        parts: list[str] = []
        last = 0
        for start, end in spans:
            parts.append(text[last:start])
            last = end
        parts.append(text[last:])
        places = self._spans().replace(spans, len(content), self.start)
        self._set(content.join(parts), places)

    def clear(self) -> int:
        """Remove the whole normalized text; the length it had is returned."""
        length = len(self.normalized)
        self._set("", identity(0, 0))
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
            last = max(first, last)
            self._set(text[first:last], self._spans().slice(first, last))

    def _spans(self) -> Alignment:
        if self._places is None:
            return identity(self.start, len(self.normalized))
        return self._places

    def _set(self, text: str, places: Alignment) -> None:
        self.normalized = text
        self._places = places

    def _piece(
        self, text: str, start: int, stop: int, places: Alignment | None
    ) -> NormalizedString:
        piece = NormalizedString.__new__(NormalizedString)
        piece.source = self.source
        piece.start = start
        piece.stop = stop
        piece.normalized = text
        piece._places = places
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
