"""Pre-tokenizers that only divide text, as those of Hugging Face ``tokenizers`` 0.23."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

from textcore.pipeline import characters
from textcore.pipeline.matches import Finder, Literal, Span, split_ranges
from textcore.pipeline.normalized import NormalizedString, PreTokenizedString
from textcore.pipeline.patterns import Pattern
from textcore.unicode import predicates
from textcore.unicode.store import Ranges

# (text, at_start): at_start says that the piece begins at offset 0 of the original text.
Piece = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Cut:
    """A division as compiled code makes it.

    The text is cut where matches of ``pattern`` begin and end (None: nowhere), and pieces
    that begin with one of the characters ``dropped`` are left out.
    """

    pattern: Pattern | None
    dropped: Ranges = ()


class PreTokenizer(ABC):
    """A step that divides text into the words which the model then sees one by one."""

    __slots__ = ()

    @property
    def needs_alignments(self) -> bool:
        """Whether ``split`` may differ from ``pre_tokenize`` for want of offsets.

        True where Metaspace with the scheme "first" comes after another step: of two
        pieces of the same first character, only ``pre_tokenize`` sees that both are first.
        """
        return False

    @abstractmethod
    def split(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces divided further; empty ones are dropped."""

    def cut(self) -> Cut | None:
        """The same as cuts in the text as it is; None where it is no such thing."""
        return None

    @abstractmethod
    def pre_tokenize(self, text: PreTokenizedString) -> None:
        """Divide the splits of ``text`` that have no tokens yet, in place."""


class Splitter(PreTokenizer):
    """Divides at the matches of ``finder``, or between them if ``invert``."""

    __slots__ = ("behavior", "finder", "invert")

    def __init__(self, finder: Finder, behavior: str, invert: bool = False) -> None:
        self.finder = finder
        self.behavior = behavior
        self.invert = invert

    def split(self, pieces: list[Piece]) -> list[Piece]:
        return [
            (text[start:stop], at_start and start == 0)
            for text, at_start in pieces
            for start, stop in split_ranges(self.finder, text, self.behavior, self.invert)
        ]

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, piece: piece.split(self.finder, self.behavior, self.invert))


class CharacterSplitter(Splitter):
    """Divides at the single characters of a kind (:mod:`textcore.unicode.predicates`)."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, behavior: str) -> None:
        super().__init__(characters.single(kind), behavior)
        self.kind = kind

    def cut(self) -> Cut | None:
        if self.behavior == "Isolated":
            return Cut(characters.each(predicates.ranges(self.kind)))
        if self.behavior == "Contiguous":
            return Cut(characters.runs(predicates.ranges(self.kind)))
        if self.behavior == "Removed":
            kind = predicates.ranges(self.kind)
            return Cut(characters.runs(kind), kind)
        return None


class Split(Splitter):
    """Divides at a pattern; ``kind`` is "String" or "Regex"."""

    __slots__ = ("kind", "pattern")

    def __init__(
        self, kind: str, pattern: str, finder: Finder, behavior: str, invert: bool
    ) -> None:
        super().__init__(finder, behavior, invert)
        self.kind = kind
        self.pattern = pattern

    def cut(self) -> Cut | None:
        if self.behavior == "Isolated" and isinstance(self.finder, Pattern):
            return Cut(self.finder)
        if self.kind == "String" and len(self.pattern) == 1 and not self.invert:
            return cut_at_character(self.pattern, self.behavior)
        return None


class Digits(CharacterSplitter):
    """Divides numeric characters from others, and from each other if individual."""

    __slots__ = ("individual_digits",)

    def __init__(self, individual_digits: bool) -> None:
        behavior = "Isolated" if individual_digits else "Contiguous"
        super().__init__("is_numeric", behavior)
        self.individual_digits = individual_digits


class Whitespace(Splitter):
    """The runs of word characters, and of others that are not whitespace."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(characters.words(), "Removed", invert=True)

    def cut(self) -> Cut | None:
        return Cut(characters.words_and_gaps(), predicates.ranges("space"))


class WhitespaceSplit(CharacterSplitter):
    """What lies between whitespace."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("is_whitespace", "Removed")


class Punctuation(CharacterSplitter):
    """Divides at punctuation: ASCII's, and general category P."""

    __slots__ = ()

    def __init__(self, behavior: str) -> None:
        super().__init__("is_punctuation", behavior)


class BertPreTokenizer(PreTokenizer):
    """What lies between whitespace, divided at punctuation."""

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps = (WhitespaceSplit(), Punctuation("Isolated"))

    def split(self, pieces: list[Piece]) -> list[Piece]:
        for step in self._steps:
            pieces = step.split(pieces)
        return pieces

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        for step in self._steps:
            step.pre_tokenize(text)

    def cut(self) -> Cut | None:
        return Cut(characters.bert_words(), predicates.ranges("is_whitespace"))


class CharDelimiterSplit(Splitter):
    """What lies between occurrences of one character."""

    __slots__ = ("delimiter",)

    def __init__(self, delimiter: str) -> None:
        super().__init__(Literal(delimiter), "Removed")
        self.delimiter = delimiter

    def cut(self) -> Cut | None:
        return cut_at_character(self.delimiter, "Removed")


class RangeSplitter(PreTokenizer):
    """Keeps the parts of a text that :meth:`ranges` gives."""

    __slots__ = ()

    @abstractmethod
    def ranges(self, text: str) -> list[Span]:
        """The (start, end) of the parts to keep, in order, none of them empty."""

    def split(self, pieces: list[Piece]) -> list[Piece]:
        return [
            (text[start:stop], at_start and start == 0)
            for text, at_start in pieces
            for start, stop in self.ranges(text)
        ]

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, piece: self._divide(piece))

    def _divide(self, piece: NormalizedString) -> list[NormalizedString]:
        return [piece.slice(start, stop) for start, stop in self.ranges(piece.normalized)]


class UnicodeScripts(RangeSplitter):
    """Divides where the script changes.

    Han, Hiragana and Katakana are one script; a space or a character of no script goes with
    what is before it, and is left out where nothing is.
    """

    __slots__ = ()

    def ranges(self, text: str) -> list[Span]:
        firsts, scripts = _scripts()
        starts = []
        last = -1
        for at, char in enumerate(text):
            script = scripts[bisect_right(firsts, ord(char)) - 1]
            if script >= 0 and script != last:
                starts.append(at)
                last = script
        return list(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else []


class FixedLength(RangeSplitter):
    """Pieces of ``length`` characters; the last one may be shorter."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length

    def ranges(self, text: str) -> list[Span]:
        size = len(text)
        return [(at, min(at + self.length, size)) for at in range(0, size, self.length)]


@cache
def _scripts() -> tuple[list[int], list[int]]:
    """Where runs of characters of one script begin, and the script of each; -1 for none."""
    runs = [
        (first, last, number)
        for number, name in enumerate(sorted(predicates.names()))
        if name.startswith("script_")
        for first, last in predicates.ranges(name)
    ]
    firsts, scripts = [0], [-1]
    for first, last, number in sorted(runs):
        if firsts[-1] == first:
            firsts.pop()
            scripts.pop()
        firsts += [first, last + 1]
        scripts += [number, -1]
    return firsts, scripts


def cut_at_character(char: str, behavior: str) -> Cut | None:
    """A split at a single character."""
    ranges = ((ord(char), ord(char)),)
    if behavior == "Isolated":
        return Cut(characters.each(ranges))
    if behavior == "Contiguous":
        return Cut(characters.runs(ranges))
    if behavior == "Removed":
        return Cut(characters.runs(ranges), ranges)
    if behavior == "MergedWithNext":
        return Cut(characters.begun_by(ranges))
    return Cut(characters.ended_by(ranges))
