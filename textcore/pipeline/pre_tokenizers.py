"""Pre-tokenizers of a tokenizer.json, as those of Hugging Face ``tokenizers`` 0.23.

Each divides plain pieces of text (``split``), or a :class:`PreTokenizedString`, which keeps
the way back to the original characters (``pre_tokenize``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence as Seq
from functools import cache

from textcore.pipeline import characters, fields
from textcore.pipeline.matches import BEHAVIORS, Finder, Literal, split_ranges
from textcore.pipeline.normalized import NormalizedString, PreTokenizedString, char_of_byte
from textcore.pipeline.patterns import Pattern, compile_pattern
from textcore.pipeline.spec import Node

# (text, at_start): at_start says that the piece begins at offset 0 of the original text.
Piece = tuple[str, bool]

PREPEND_SCHEMES = ("first", "never", "always")

# GPT-2's split (Radford et al. 2019, encoder.py), which ByteLevel applies by default.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _printable_bytes() -> str:
    """The character that stands for each byte (GPT-2's ``bytes_to_unicode``)."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    stands = {byte: chr(byte) for byte in shown}
    stands.update((byte, chr(256 + index)) for index, byte in enumerate(hidden))
    return "".join(stands[byte] for byte in range(256))


BYTE_CHARACTERS = _printable_bytes()


def to_byte_characters(text: str) -> str:
    """A text with each byte of its UTF-8 as the printable character that stands for it."""
    return text.encode("utf-8").decode("latin-1").translate(BYTE_CHARACTERS)


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


class Split(Splitter):
    """Divides at a pattern; ``kind`` is "String" or "Regex"."""

    __slots__ = ("kind", "pattern")

    def __init__(
        self, kind: str, pattern: str, finder: Finder, behavior: str, invert: bool
    ) -> None:
        super().__init__(finder, behavior, invert)
        self.kind = kind
        self.pattern = pattern


class Digits(Splitter):
    """Divides numeric characters from others, and from each other if individual."""

    __slots__ = ("individual_digits",)

    def __init__(self, individual_digits: bool) -> None:
        behavior = "Isolated" if individual_digits else "Contiguous"
        super().__init__(characters.single("is_numeric"), behavior)
        self.individual_digits = individual_digits


class Whitespace(Splitter):
    """The runs of word characters, and of others that are not whitespace."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(characters.words(), "Removed", invert=True)


class WhitespaceSplit(Splitter):
    """What lies between whitespace."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(characters.single("is_whitespace"), "Removed")


class Punctuation(Splitter):
    """Divides at punctuation: ASCII's, and general category P."""

    __slots__ = ()

    def __init__(self, behavior: str) -> None:
        super().__init__(characters.single("is_punctuation"), behavior)


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
        text.normalize(_show_bytes)

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


def _show_bytes(piece: NormalizedString) -> None:
    origin = char_of_byte(piece.normalized)
    if origin is None:
        piece.normalized = piece.normalized.translate(BYTE_CHARACTERS)
    else:
        piece.derive(to_byte_characters(piece.normalized), origin)


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


_BUILDERS: dict[str, fields.Builder[PreTokenizer]] = {
    "ByteLevel": _byte_level,
    "Metaspace": _metaspace,
    "Split": _split,
    "Digits": lambda node, depth: Digits(node.get("individual_digits", bool)),
    "Punctuation": lambda node, depth: Punctuation(node.one_of("behavior", BEHAVIORS, "Isolated")),
    "Whitespace": lambda node, depth: Whitespace(),
    "WhitespaceSplit": lambda node, depth: WhitespaceSplit(),
    "Sequence": _sequence,
}
