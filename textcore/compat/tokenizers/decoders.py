"""The decoders of ``tokenizers``, by the same names, and its stream."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Any, ClassVar

from textcore.compat.tokenizers.component import (
    Component,
    Field,
    checked_children,
    no_pattern,
    one_character,
    prepend_scheme,
)
from textcore.compat.tokenizers.custom import CustomDecoder
from textcore.compat.tokenizers.stream import DecodeStream
from textcore.compat.tokenizers.strings import Regex, pattern_spec
from textcore.pipeline import decoders as pipeline
from textcore.pipeline.decoders import Decoder as Made
from textcore.pipeline.decoders import build_decoder
from textcore.pipeline.spec import Node

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(Component):
    """The base of all decoders."""

    _kinds: ClassVar[dict[str, type[Component]]] = {}

    def __init_subclass__(cls) -> None:
        Decoder._kinds[cls.__name__] = cls

    def decode(self, tokens: Seq[str]) -> str:
        """The text of tokens."""
        text: str = self._component().decode(list(tokens))
        return text

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """A decoder that calls an object's methods. It can't be saved."""
        return _Custom(decoder)

    def _make(self) -> Made:
        return build_decoder(Node(self._spec(), "decoder"))


class BPEDecoder(Decoder):
    """A suffix ends each word."""

    _defaults: ClassVar[dict[str, Any]] = {"suffix": "</w>"}
    suffix = Field()

    def __init__(self, suffix: str = "</w>") -> None:
        self._start(suffix=suffix)


class ByteFallback(Decoder):
    """Tokens such as <0x0A> become bytes."""

    def __init__(self) -> None:
        self._start()


class ByteLevel(Decoder):
    """Printable characters become the bytes they stand for."""

    _defaults: ClassVar[dict[str, Any]] = {
        "add_prefix_space": True,
        "trim_offsets": True,
        "use_regex": True,
    }

    def __init__(self, **_ignored: Any) -> None:
        self._start()


class CTC(Decoder):
    """Connectionist temporal classification."""

    _defaults: ClassVar[dict[str, Any]] = {
        "pad_token": "<pad>",
        "word_delimiter_token": "|",
        "cleanup": True,
    }
    pad_token = Field()
    word_delimiter_token = Field()
    cleanup = Field()

    def __init__(
        self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True
    ) -> None:
        self._start(
            pad_token=pad_token, word_delimiter_token=word_delimiter_token, cleanup=cleanup
        )


class Fuse(Decoder):
    """All tokens become one."""

    def __init__(self) -> None:
        self._start()


class Metaspace(Decoder):
    """A character becomes a space."""

    _defaults: ClassVar[dict[str, Any]] = {
        "replacement": "▁",
        "prepend_scheme": "always",
        "split": True,
    }
    replacement = Field(write=one_character)
    prepend_scheme = Field(write=prepend_scheme)
    split = Field()

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        self._start(
            replacement=one_character(replacement),
            prepend_scheme=_scheme(prepend_scheme),
            split=split,
        )

    @classmethod
    def _read_fields(cls, spec: Any) -> dict[str, Any]:
        fields = super()._read_fields(spec)
        if fields.get("split") is None:
            fields.pop("split", None)
        return fields


_scheme = prepend_scheme


class Replace(Decoder):
    """``content`` for what a pattern (str: literal, or Regex) matches."""

    _defaults: ClassVar[dict[str, Any]] = {"pattern": None, "content": ""}
    pattern = Field(read=no_pattern, write=no_pattern)
    content = Field()

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._start(pattern=pattern_spec(pattern), content=content)


class Sequence(Decoder):
    """Several decoders, one after the other."""

    _defaults: ClassVar[dict[str, Any]] = {"decoders": []}
    _children = "decoders"

    def __init__(self, decoders: Seq[Decoder]) -> None:
        self._start(decoders=checked_children(decoders, Decoder))

    def _make(self) -> Made:
        return pipeline.Sequence([child._component() for child in self._fields["decoders"]])


class Strip(Decoder):
    """Characters go from the ends of each token."""

    _defaults: ClassVar[dict[str, Any]] = {"content": " ", "start": 0, "stop": 0}
    content = Field(write=one_character)
    start = Field()
    stop = Field()

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        self._start(content=one_character(content), start=left, stop=right)


class WordPiece(Decoder):
    """A prefix continues a word."""

    _defaults: ClassVar[dict[str, Any]] = {"prefix": "##", "cleanup": True}
    prefix = Field()
    cleanup = Field()

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self._start(prefix=prefix, cleanup=cleanup)


class _Custom(Decoder):
    """One written in Python."""

    def __init__(self, custom: Any) -> None:
        self._start()
        self._custom = custom

    def _spec(self) -> dict[str, Any]:
        raise ValueError("Custom Decoder cannot be serialized")

    def _make(self) -> Made:
        return CustomDecoder(self._custom)
