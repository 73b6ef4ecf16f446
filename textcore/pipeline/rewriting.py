"""Normalizers that go by kinds of characters: Bert, Nmt, Precompiled, ByteLevel.

They are those of Hugging Face ``tokenizers`` 0.23.
"""

from __future__ import annotations

from array import array
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from functools import cache

from textcore.core import normalize as unicode
from textcore.core.charmap import CharRewriter
from textcore.core.charset import CharSet
from textcore.core.graphemes import Graphemes
from textcore.core.precompiled import CharsMap
from textcore.pipeline import fields
from textcore.pipeline.byte_characters import BYTE_CHARACTERS, to_byte_characters
from textcore.pipeline.normalized import NormalizedString, char_of_byte
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.spec import Node
from textcore.unicode import predicates

# Control characters that Nmt removes, and what it makes spaces (SentencePiece's "nmt_nfkc").
NMT_REMOVED = ((0x01, 0x08), (0x0B, 0x0B), (0x0E, 0x1F), (0x7F, 0x7F), (0x8F, 0x8F), (0x9F, 0x9F))
NMT_SPACES = (
    (0x09, 0x0A),
    (0x0C, 0x0D),
    (0x1680, 0x1680),
    (0x200B, 0x200F),
    (0x2028, 0x2029),
    (0x2581, 0x2581),
    (0xFEFF, 0xFEFF),
    (0xFFFD, 0xFFFD),
)


def rewrite(text: NormalizedString, rewriter: CharRewriter) -> None:
    """Let ``rewriter`` change a text."""
    before = text.normalized
    after = rewriter.rewrite(before)
    if after is not before:
        text.derive(after, rewriter.origin(before))


class BertNormalizer(Normalizer):
    """BERT's cleaning, each part of it by its own switch (``strip_accents`` is one in effect).

    ``clean_text``: control characters go, whitespace becomes spaces. ``handle_chinese_chars``:
    spaces around each. ``strip_accents``: NFD without nonspacing marks.
    """

    __slots__ = ("_rewriter", "clean_text", "handle_chinese_chars", "lowercase", "strip_accents")

    def __init__(
        self,
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: bool | None,
        lowercase: bool,
    ) -> None:
        self.clean_text = clean_text
        self.handle_chinese_chars = handle_chinese_chars
        self.strip_accents = lowercase if strip_accents is None else strip_accents
        self.lowercase = lowercase
        self._rewriter = CharRewriter(
            predicates.charset("bert_removed") if clean_text else None,
            predicates.charset("bert_whitespace") if clean_text else None,
            predicates.charset("bert_chinese") if handle_chinese_chars else None,
        )

    @property
    def moves_start(self) -> bool:
        return self.clean_text or self.strip_accents or self.handle_chinese_chars

    def normalize_str(self, text: str) -> str:
        text = self._rewriter.rewrite(text)
        if self.strip_accents and not text.isascii():
            text = _accents().rewrite(unicode.nfd(text))
        return unicode.lowercase(text) if self.lowercase else text

    def normalize(self, text: NormalizedString) -> None:
        rewrite(text, self._rewriter)
        if self.strip_accents and not text.normalized.isascii():
            if unicode.nfd(text.normalized) is not text.normalized:
                text.transform(*unicode.nfd_with_changes(text.normalized))
            rewrite(text, _accents())
        if self.lowercase and unicode.lowercase(text.normalized) is not text.normalized:
            text.transform(*unicode.lowercase_with_changes(text.normalized))


class Nmt(Normalizer):
    """Some control characters go; other space-like characters become spaces."""

    __slots__ = ()

    @property
    def moves_start(self) -> bool:
        return True

    def normalize_str(self, text: str) -> str:
        return _nmt().rewrite(text)

    def normalize(self, text: NormalizedString) -> None:
        rewrite(text, _nmt())


class Precompiled(Normalizer):
    """Replacements out of SentencePiece's compiled table, ``charsmap``."""

    __slots__ = ("charsmap",)

    def __init__(self, charsmap: CharsMap) -> None:
        self.charsmap = charsmap

    @property
    def moves_start(self) -> bool:
        return True

    def normalize_str(self, text: str) -> str:
        return self.charsmap.normalize(text)

    def normalize(self, text: NormalizedString) -> None:
        changes = self.charsmap.changes(text.normalized)
        if changes is not None:
            text.transform(*changes)


class ByteLevel(Normalizer):
    """The bytes of the text in UTF-8, each as the printable character that stands for it."""

    __slots__ = ()

    def normalize_str(self, text: str) -> str:
        return to_byte_characters(text)

    def normalize(self, text: NormalizedString) -> None:
        show_bytes(text)


def show_bytes(text: NormalizedString) -> None:
    """Make each byte of the text in UTF-8 the printable character that stands for it."""
    origin = char_of_byte(text.normalized)
    if origin is None:
        text.normalized = text.normalized.translate(BYTE_CHARACTERS)
    else:
        text.derive(to_byte_characters(text.normalized), array("q", origin))


@cache
def _accents() -> CharRewriter:
    return CharRewriter(predicates.charset("nonspacing_mark"), None, None)


@cache
def _nmt() -> CharRewriter:
    return CharRewriter(CharSet(NMT_REMOVED), CharSet(NMT_SPACES), None)


@cache
def graphemes() -> Graphemes:
    """The grapheme clusters of the reference's version of Unicode."""
    prefix = "grapheme_"
    return Graphemes(
        {
            name.removeprefix(prefix): predicates.ranges(name)
            for name in predicates.names()
            if name.startswith(prefix)
        }
    )


def build_bert(node: Node, depth: int) -> Normalizer:
    """BertNormalizer."""
    return BertNormalizer(
        node.get("clean_text", bool),
        node.get("handle_chinese_chars", bool),
        node.get("strip_accents", bool, None),
        node.get("lowercase", bool),
    )


def build_precompiled(node: Node, depth: int) -> Normalizer:
    """Precompiled, its map in base64."""
    text = fields.string(node, "precompiled_charsmap")
    try:
        data = b64decode(text, validate=True)
        if b64encode(data).decode() != text:
            raise Base64Error("not in the standard spelling")
    except (Base64Error, ValueError) as error:
        raise node.error("precompiled_charsmap", f"is no base64: {error}") from None
    try:
        return Precompiled(CharsMap(data, graphemes()))
    except UnicodeDecodeError as error:
        place = f"byte {error.start} of them"
        problem = f"its replacements are not UTF-8, at {place}"
        raise node.error("precompiled_charsmap", problem) from None
    except ValueError as error:
        raise node.error("precompiled_charsmap", str(error)) from None
