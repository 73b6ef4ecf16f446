"""Normalizers of a tokenizer.json, as those of Hugging Face ``tokenizers`` 0.23.

Each changes a plain text (``normalize_str``) or a :class:`NormalizedString`, which keeps
the way back to the original characters (``normalize``).
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from functools import cache

from textcore.core import normalize as unicode
from textcore.core.charmap import CharRewriter
from textcore.pipeline import fields
from textcore.pipeline.characters import WHITESPACE
from textcore.pipeline.growth import check_growth
from textcore.pipeline.matches import Finder, Literal
from textcore.pipeline.normalized import NormalizedString
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.rewriting import ByteLevel, Nmt, build_bert, build_precompiled, rewrite
from textcore.pipeline.spec import Node
from textcore.unicode import predicates

_FORMS = {
    "NFC": (unicode.nfc, unicode.nfc_with_changes),
    "NFD": (unicode.nfd, unicode.nfd_with_changes),
    "NFKC": (unicode.nfkc, unicode.nfkc_with_changes),
    "NFKD": (unicode.nfkd, unicode.nfkd_with_changes),
}


class UnicodeForm(Normalizer):
    """NFC, NFD, NFKC or NFKD (Unicode Standard Annex 15), as ``form`` says."""

    __slots__ = ("_plain", "_with_changes", "form")

    def __init__(self, form: str) -> None:
        self.form = form
        self._plain, self._with_changes = _FORMS[form]

    def normalize_str(self, text: str) -> str:
        return self._plain(text)

    def normalize(self, text: NormalizedString) -> None:
        if self._plain(text.normalized) is not text.normalized:
            text.transform(*self._with_changes(text.normalized))


class Lowercase(Normalizer):
    """Each character in lower case, by itself: a final sigma is no different."""

    __slots__ = ()

    def normalize_str(self, text: str) -> str:
        return unicode.lowercase(text)

    def normalize(self, text: NormalizedString) -> None:
        if unicode.lowercase(text.normalized) is not text.normalized:
            text.transform(*unicode.lowercase_with_changes(text.normalized))


class StripAccents(Normalizer):
    """Without combining marks, of which precomposed characters have none: NFD goes first."""

    __slots__ = ()

    @property
    def moves_start(self) -> bool:
        return True

    def normalize_str(self, text: str) -> str:
        return unicode.strip_accents(text)

    def normalize(self, text: NormalizedString) -> None:
        if unicode.strip_accents(text.normalized) is not text.normalized:
            rewrite(text, _marks())


@cache
def _marks() -> CharRewriter:
    return CharRewriter(predicates.charset("combining_mark"), None, None)


class Strip(Normalizer):
    """Without whitespace at the left, the right, or both ends."""

    __slots__ = ("strip_left", "strip_right")

    def __init__(self, strip_left: bool, strip_right: bool) -> None:
        self.strip_left = strip_left
        self.strip_right = strip_right

    @property
    def moves_start(self) -> bool:
        return self.strip_left

    def normalize_str(self, text: str) -> str:
        if self.strip_left:
            text = text.lstrip(WHITESPACE)
        return text.rstrip(WHITESPACE) if self.strip_right else text

    def normalize(self, text: NormalizedString) -> None:
        if self.strip_left:
            text.lstrip()
        if self.strip_right:
            text.rstrip()


class Replace(Normalizer):
    """``content`` in place of whatever ``pattern`` matches; kind is "String" or "Regex"."""

    __slots__ = ("content", "finder", "kind", "pattern")

    def __init__(self, kind: str, pattern: str, finder: Finder, content: str) -> None:
        self.kind = kind
        self.pattern = pattern
        self.finder = finder
        self.content = content

    @property
    def moves_start(self) -> bool:
        # What stands for a match stands for its last character.
        return not (self.kind == "String" and len(self.pattern) == 1 and self.content)

    def normalize_str(self, text: str) -> str:
        if not text:
            return text
        if isinstance(self.finder, Literal):
            if len(self.content) > len(self.pattern):
                check_growth(len(text), text.count(self.pattern) * len(self.content))
            return text.replace(self.pattern, self.content)
        parts = []
        last = 0
        for start, end in self.finder.finditer(text):
            parts.append(text[last:start])
            last = end
        if not parts:
            return text
        parts.append(text[last:])
        check_growth(len(text), (len(parts) - 1) * len(self.content))
        return self.content.join(parts)

    def normalize(self, text: NormalizedString) -> None:
        text.replace(self.finder, self.content)


class Prepend(Normalizer):
    """``prepend`` before a text that is not empty."""

    __slots__ = ("prepend",)

    def __init__(self, prepend: str) -> None:
        self.prepend = prepend

    def normalize_str(self, text: str) -> str:
        return self.prepend + text if text else text

    def normalize(self, text: NormalizedString) -> None:
        text.prepend(self.prepend)


class Sequence(Normalizer):
    """Several normalizers, one after the other."""

    __slots__ = ("normalizers",)

    def __init__(self, normalizers: Seq[Normalizer]) -> None:
        self.normalizers = tuple(normalizers)

    @property
    def moves_start(self) -> bool:
        return any(normalizer.moves_start for normalizer in self.normalizers)

    def normalize_str(self, text: str) -> str:
        size = len(text)
        for normalizer in self.normalizers:
            text = normalizer.normalize_str(text)
            check_growth(size, len(text))
        return text

    def normalize(self, text: NormalizedString) -> None:
        size = len(text)
        for normalizer in self.normalizers:
            normalizer.normalize(text)
            check_growth(size, len(text))


def build_normalizer(node: Node, depth: int = 0) -> Normalizer:
    """The normalizer that ``node`` describes.

    As in the reference, a normalizer whose ``type`` is missing or unknown is recognised by
    its fields. Raises SpecError, or UnsupportedError for what is not known.
    """
    fields.check_depth(node, depth)
    kind = node.data.get("type")
    if isinstance(kind, str) and kind in _BUILDERS:
        return _BUILDERS[kind](node, depth)
    built, problem = fields.by_shape(node, depth, _SHAPES)
    if built is None:
        raise problem or fields.unsupported(node, "normalizer", _BUILDERS)
    return built


def _strip(node: Node, depth: int) -> Normalizer:
    return Strip(node.get("strip_left", bool), node.get("strip_right", bool))


def _replace(node: Node, depth: int) -> Normalizer:
    kind, text, finder = fields.pattern(node)
    return Replace(kind, text, finder, fields.string(node, "content"))


def _prepend(node: Node, depth: int) -> Normalizer:
    return Prepend(fields.string(node, "prepend"))


def _sequence(node: Node, depth: int) -> Normalizer:
    return Sequence([build_normalizer(n, depth + 1) for n in node.children("normalizers")])


_BUILDERS: dict[str, fields.Builder[Normalizer]] = {
    "NFC": lambda node, depth: UnicodeForm("NFC"),
    "NFD": lambda node, depth: UnicodeForm("NFD"),
    "NFKC": lambda node, depth: UnicodeForm("NFKC"),
    "NFKD": lambda node, depth: UnicodeForm("NFKD"),
    "Lowercase": lambda node, depth: Lowercase(),
    "Strip": _strip,
    "StripAccents": lambda node, depth: StripAccents(),
    "Replace": _replace,
    "Prepend": _prepend,
    "Sequence": _sequence,
    "Bert": build_bert,
    "BertNormalizer": build_bert,
    "Nmt": lambda node, depth: Nmt(),
    "Precompiled": build_precompiled,
    "ByteLevel": lambda node, depth: ByteLevel(),
}

_BERT = ("clean_text", "handle_chinese_chars", "lowercase")
_SHAPES: dict[tuple[str, ...], fields.Builder[Normalizer]] = {
    _BERT: build_bert,
    ("strip_left", "strip_right"): _strip,
    ("normalizers",): _sequence,
    ("pattern", "content"): _replace,
    ("prepend",): _prepend,
}
