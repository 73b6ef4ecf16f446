"""Pre-tokenizers of a tokenizer.json, as those of Hugging Face ``tokenizers`` 0.23.

Each divides plain pieces of text (``split``), or a :class:`PreTokenizedString`, which keeps
the way back to the original characters (``pre_tokenize``).
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from functools import cache

from textcore.pipeline import characters, fields
from textcore.pipeline.byte_characters import to_byte_characters
from textcore.pipeline.matches import BEHAVIORS, Literal, split_ranges
from textcore.pipeline.normalized import NormalizedString, PreTokenizedString
from textcore.pipeline.patterns import Pattern, compile_pattern
from textcore.pipeline.rewriting import show_bytes
from textcore.pipeline.spec import Node, shorten
from textcore.pipeline.splitters import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Cut,
    Digits,
    FixedLength,
    Piece,
    PreTokenizer,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)

USIZE_MAX = 2**64 - 1

PREPEND_SCHEMES = ("first", "never", "always")

# GPT-2's split (Radford et al. 2019, encoder.py), which ByteLevel applies by default.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class ByteLevel(PreTokenizer):
    """Bytes as printable characters, after GPT-2's split if ``use_regex``.

    ``trim_offsets`` only matters to the post-processor of the same name.
    """

    __slots__ = ("add_prefix_space", "finder", "trim_offsets", "use_regex")

    def __init__(self, add_prefix_space: bool, trim_offsets: bool, use_regex: bool) -> None:
        self.add_prefix_space = add_prefix_space
        self.trim_offsets = trim_offsets
        self.use_regex = use_regex
        self.finder = gpt2_finder() if use_regex else None

    def split(self, pieces: list[Piece]) -> list[Piece]:
        divided = []
        for text, at_start in pieces:
            if self.add_prefix_space and text and text[0] != " ":
                text = " " + text
            if self.finder is None:
                if text:
                    divided.append((to_byte_characters(text), at_start))
                continue
            for start, stop in split_ranges(self.finder, text, "Isolated"):
                divided.append((to_byte_characters(text[start:stop]), at_start and start == 0))
        return divided

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, piece: self._divide(piece))
        text.normalize(show_bytes)

    def cut(self) -> Cut | None:
        return None if self.add_prefix_space else Cut(self.finder)

    def _divide(self, piece: NormalizedString) -> list[NormalizedString]:
        if self.add_prefix_space and piece.normalized[:1] != " ":
            piece.prepend(" ")
        return [piece] if self.finder is None else piece.split(self.finder, "Isolated")


class Metaspace(PreTokenizer):
    """Spaces as ``replacement``, each beginning a piece if ``split_words``.

    ``prepend_scheme``: "always" puts the replacement before each piece, "first" before
    pieces at offset 0 of the original text, "never" before none; where it is already the
    first character, nothing is put there.
    """

    __slots__ = ("finder", "prepend_scheme", "replacement", "split_words")

    def __init__(self, replacement: str, prepend_scheme: str, split_words: bool) -> None:
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split_words = split_words
        self.finder = Literal(replacement)

    def split(self, pieces: list[Piece]) -> list[Piece]:
        divided = []
        for text, at_start in pieces:
            text = text.replace(" ", self.replacement)
            if text and text[0] != self.replacement and self._prepends(at_start):
                text = self.replacement + text
            if not self.split_words:
                if text:
                    divided.append((text, at_start))
                continue
            for start, stop in split_ranges(self.finder, text, "MergedWithNext"):
                divided.append((text[start:stop], at_start and start == 0))
        return divided

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, piece: self._divide(piece))

    def cut(self) -> Cut | None:
        """Its cuts in text with spaces still in it."""
        if not self.split_words:
            return Cut(None)
        return Cut(characters.begun_by(characters.ranges_of(" " + self.replacement)))

    def _divide(self, piece: NormalizedString) -> list[NormalizedString]:
        piece.replace(_SPACE, self.replacement)
        if piece.normalized[:1] != self.replacement and self._prepends(piece.start == 0):
            piece.prepend(self.replacement)
        return piece.split(self.finder, "MergedWithNext") if self.split_words else [piece]

    def _prepends(self, at_start: bool) -> bool:
        return self.prepend_scheme == "always" or (self.prepend_scheme == "first" and at_start)


class Sequence(PreTokenizer):
    """Several pre-tokenizers, one after the other."""

    __slots__ = ("pretokenizers",)

    def __init__(self, pretokenizers: Seq[PreTokenizer]) -> None:
        self.pretokenizers = tuple(pretokenizers)

    @property
    def needs_alignments(self) -> bool:
        """Whether ``split`` may differ from ``pre_tokenize`` for want of offsets."""
        steps = flatten(self)
        return any(isinstance(s, Metaspace) and s.prepend_scheme == "first" for s in steps[1:])

    def split(self, pieces: list[Piece]) -> list[Piece]:
        for pre_tokenizer in self.pretokenizers:
            pieces = pre_tokenizer.split(pieces)
        return pieces

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        for pre_tokenizer in self.pretokenizers:
            pre_tokenizer.pre_tokenize(text)


_SPACE = Literal(" ")


@cache
def gpt2_finder() -> Pattern:
    """The finder for GPT-2's split."""
    return compile_pattern(GPT2_PATTERN, "oniguruma")


def flatten(pre_tokenizer: PreTokenizer) -> list[PreTokenizer]:
    """The steps of nested Sequences, in the order in which they run."""
    if not isinstance(pre_tokenizer, Sequence):
        return [pre_tokenizer]
    return [step for inner in pre_tokenizer.pretokenizers for step in flatten(inner)]


def build_pre_tokenizer(node: Node, depth: int = 0) -> PreTokenizer:
    """The pre-tokenizer that ``node`` describes.

    Raises SpecError, or UnsupportedError for a type that is not known.
    """
    fields.check_depth(node, depth)
    kind = node.data.get("type")
    if not isinstance(kind, str) or kind not in _BUILDERS:
        raise fields.unsupported(node, "pre-tokenizer", _BUILDERS)
    return _BUILDERS[kind](node, depth)


def _byte_level(node: Node, depth: int) -> PreTokenizer:
    return ByteLevel(
        node.get("add_prefix_space", bool),
        node.get("trim_offsets", bool),
        node.get("use_regex", bool, True),
    )


def _metaspace(node: Node, depth: int) -> PreTokenizer:
    scheme = node.one_of("prepend_scheme", PREPEND_SCHEMES, "always")
    # Two fields of older files: one is only checked against the scheme, one not used.
    if node.get("add_prefix_space", bool, None) is False and scheme != "never":
        raise node.error("add_prefix_space", f"false, but prepend_scheme is {scheme!r}")
    node.get("str_rep", str, None)
    split_words = node.get("split", bool, None)
    return Metaspace(
        fields.character(node, "replacement"), scheme, split_words is None or split_words
    )


def _split(node: Node, depth: int) -> PreTokenizer:
    kind, text, finder = fields.pattern(node)
    behavior = node.one_of("behavior", BEHAVIORS)
    return Split(kind, text, finder, behavior, node.get("invert", bool))


def _sequence(node: Node, depth: int) -> PreTokenizer:
    return Sequence([build_pre_tokenizer(n, depth + 1) for n in node.children("pretokenizers")])


def _fixed_length(node: Node, depth: int) -> PreTokenizer:
    length = node.get("length", int, 5)
    if not 0 < length <= USIZE_MAX:
        # 0 is read by the reference, which then fails with every text.
        raise node.error("length", f"expected an integer from 1, found {shorten(length)}")
    return FixedLength(length)


_BUILDERS: dict[str, fields.Builder[PreTokenizer]] = {
    "BertPreTokenizer": lambda node, depth: BertPreTokenizer(),
    "CharDelimiterSplit": lambda node, depth: CharDelimiterSplit(
        fields.character(node, "delimiter")
    ),
    "UnicodeScripts": lambda node, depth: UnicodeScripts(),
    "FixedLength": _fixed_length,
    "ByteLevel": _byte_level,
    "Metaspace": _metaspace,
    "Split": _split,
    "Digits": lambda node, depth: Digits(node.get("individual_digits", bool)),
    "Punctuation": lambda node, depth: Punctuation(node.one_of("behavior", BEHAVIORS, "Isolated")),
    "Whitespace": lambda node, depth: Whitespace(),
    "WhitespaceSplit": lambda node, depth: WhitespaceSplit(),
    "Sequence": _sequence,
}
