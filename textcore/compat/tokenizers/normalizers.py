"""The normalizers of ``tokenizers``, by the same names."""

from __future__ import annotations

import base64
from collections.abc import Sequence as Seq
from typing import Any, ClassVar

from textcore.compat.tokenizers.component import (
    Children,
    Component,
    Field,
    checked_children,
    no_pattern,
)
from textcore.compat.tokenizers.custom import CustomNormalizer
from textcore.compat.tokenizers.strings import NormalizedString, Regex, pattern_spec
from textcore.pipeline import normalizers as pipeline
from textcore.pipeline.normalizer import Normalizer as Made
from textcore.pipeline.normalizers import build_normalizer
from textcore.pipeline.spec import Node


class Normalizer(Component):
    """The base of all normalizers."""

    _kinds: ClassVar[dict[str, type[Component]]] = {}

    def __init_subclass__(cls) -> None:
        Normalizer._kinds[cls.__name__] = cls

    @classmethod
    def _kind_of(cls, spec: Any) -> str:
        kind = str(spec.get("type"))
        return {"Bert": "BertNormalizer"}.get(kind, kind)

    def normalize(self, normalized: NormalizedString) -> None:
        """Normalize a NormalizedString in place."""
        self._component().normalize(normalized._text)

    def normalize_str(self, sequence: str) -> str:
        """The normalized text."""
        text: str = self._component().normalize_str(sequence)
        return text

    @staticmethod
    def custom(obj: Any) -> Normalizer:
        """A normalizer that calls an object's methods. It can't be saved."""
        return _Custom(obj)

    def _make(self) -> Made:
        return build_normalizer(Node(self._spec(), "normalizer"))


class BertNormalizer(Normalizer):
    """BERT's: control characters, Chinese characters, accents and case."""

    _defaults: ClassVar[dict[str, Any]] = {
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }
    clean_text = Field()
    handle_chinese_chars = Field()
    strip_accents = Field()
    lowercase = Field()

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self._start(
            clean_text=clean_text,
            handle_chinese_chars=handle_chinese_chars,
            strip_accents=strip_accents,
            lowercase=lowercase,
        )


class _Plain(Normalizer):
    """One without fields."""

    def __init__(self) -> None:
        self._start()


class ByteLevel(_Plain):
    """Bytes as printable characters."""


class Lowercase(_Plain):
    """Lower case."""


class NFC(_Plain):
    """Unicode's form C."""


class NFD(_Plain):
    """Unicode's form D."""


class NFKC(_Plain):
    """Unicode's form KC."""


class NFKD(_Plain):
    """Unicode's form KD."""


class Nmt(_Plain):
    """SentencePiece's nmt rules."""


class StripAccents(_Plain):
    """Without combining marks."""


class Precompiled(Normalizer):
    """SentencePiece's precompiled rules, from their bytes."""

    _defaults: ClassVar[dict[str, Any]] = {"precompiled_charsmap": ""}

    def __init__(self, precompiled_charsmap: bytes | Seq[int]) -> None:
        self._start(
            precompiled_charsmap=base64.b64encode(bytes(precompiled_charsmap)).decode("ascii")
        )


class Prepend(Normalizer):
    """A text before every text."""

    _defaults: ClassVar[dict[str, Any]] = {"prepend": "▁"}
    prepend = Field()

    def __init__(self, prepend: str = "▁") -> None:
        self._start(prepend=prepend)


class Replace(Normalizer):
    """``content`` for what a pattern (str: literal, or Regex) matches."""

    _defaults: ClassVar[dict[str, Any]] = {"pattern": None, "content": ""}
    pattern = Field(read=no_pattern, write=no_pattern)
    content = Field()

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._start(pattern=pattern_spec(pattern), content=content)
        if isinstance(pattern, Regex):
            self._component()


class Sequence(Children, Normalizer):
    """Several normalizers, one after the other."""

    _defaults: ClassVar[dict[str, Any]] = {"normalizers": []}
    _children = "normalizers"

    def __init__(self, normalizers: Seq[Normalizer]) -> None:
        self._start(normalizers=checked_children(normalizers, Normalizer))

    def __len__(self) -> int:
        return len(self._items())

    def _make(self) -> Made:
        return pipeline.Sequence([child._component() for child in self._items()])


class Strip(Normalizer):
    """Without whitespace at the ends."""

    _defaults: ClassVar[dict[str, Any]] = {"strip_left": True, "strip_right": True}
    left = Field("strip_left")
    right = Field("strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self._start(strip_left=left, strip_right=right)


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """The Unicode normalizer of a name: NFC, NFD, NFKC or NFKD. Raises ValueError."""
    forms = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}
    if normalizer.lower() not in forms:
        raise ValueError(f"{normalizer} is not a known unicode normalizer")
    return forms[normalizer.lower()]()


class _Custom(Normalizer):
    """One written in Python."""

    def __init__(self, custom: Any) -> None:
        self._start()
        self._custom = custom

    def _spec(self) -> dict[str, Any]:
        raise ValueError("Custom Normalizer cannot be serialized")

    def _make(self) -> Made:
        return CustomNormalizer(self._custom)
