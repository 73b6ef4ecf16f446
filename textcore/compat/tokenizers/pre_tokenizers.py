"""The pre-tokenizers of ``tokenizers``, by the same names."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Any, ClassVar

from textcore.compat.tokenizers.component import (
    Children,
    Component,
    Field,
    behavior_name,
    behavior_of,
    checked_children,
    no_pattern,
    one_character,
    prepend_scheme,
)
from textcore.compat.tokenizers.custom import CustomPreTokenizer
from textcore.compat.tokenizers.strings import PreTokenizedString, Regex, pattern_spec
from textcore.pipeline import pre_tokenizers as pipeline
from textcore.pipeline.byte_characters import BYTE_CHARACTERS
from textcore.pipeline.normalized import PreTokenizedString as Text
from textcore.pipeline.pre_tokenizers import build_pre_tokenizer
from textcore.pipeline.spec import Node
from textcore.pipeline.splitters import PreTokenizer as Made


class PreTokenizer(Component):
    """The base of all pre-tokenizers."""

    _kinds: ClassVar[dict[str, type[Component]]] = {}

    def __init_subclass__(cls) -> None:
        PreTokenizer._kinds[cls.__name__] = cls

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Split a PreTokenizedString in place."""
        self._component().pre_tokenize(pretok._text)

    def pre_tokenize_str(self, s: str) -> list[tuple[str, tuple[int, int]]]:
        """The pieces of a text, each with its (start, end) in characters."""
        text = Text(s)
        self._component().pre_tokenize(text)
        return [(piece, offsets) for piece, offsets, _ in text.get_splits()]

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """A pre-tokenizer that calls an object's methods. It can't be saved."""
        return _Custom(pretok)

    def _make(self) -> Made:
        return build_pre_tokenizer(Node(self._spec(), "pre_tokenizer"))


class _Plain(PreTokenizer):
    """One without fields."""

    def __init__(self) -> None:
        self._start()


class BertPreTokenizer(_Plain):
    """At whitespace, and around punctuation."""


class UnicodeScripts(_Plain):
    """Between scripts."""


class Whitespace(_Plain):
    """Runs of word characters, and of others that are no whitespace."""


class WhitespaceSplit(_Plain):
    """What lies between whitespace."""


class ByteLevel(PreTokenizer):
    """Bytes as printable characters, after GPT-2's split."""

    _defaults: ClassVar[dict[str, Any]] = {
        "add_prefix_space": True,
        "trim_offsets": True,
        "use_regex": True,
    }
    add_prefix_space = Field()
    trim_offsets = Field()
    use_regex = Field()

    def __init__(
        self,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
        **_ignored: Any,
    ) -> None:
        self._start(
            add_prefix_space=add_prefix_space, trim_offsets=trim_offsets, use_regex=use_regex
        )

    @staticmethod
    def alphabet() -> list[str]:
        """The 256 characters that stand for bytes."""
        return list(BYTE_CHARACTERS)


class CharDelimiterSplit(PreTokenizer):
    """At one character, which goes away."""

    _defaults: ClassVar[dict[str, Any]] = {"delimiter": " "}
    delimiter = Field(write=one_character)

    def __init__(self, delimiter: str) -> None:
        self._start(delimiter=one_character(delimiter))


class Digits(PreTokenizer):
    """Between numbers and others."""

    _defaults: ClassVar[dict[str, Any]] = {"individual_digits": False}
    individual_digits = Field()

    def __init__(self, individual_digits: bool = False) -> None:
        self._start(individual_digits=individual_digits)


class FixedLength(PreTokenizer):
    """Pieces of so many characters."""

    _defaults: ClassVar[dict[str, Any]] = {"length": 5}
    length = Field()

    def __init__(self, length: int = 5) -> None:
        self._start(length=length)


class Metaspace(PreTokenizer):
    """Spaces as another character, which begins each piece."""

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


class Punctuation(PreTokenizer):
    """At punctuation."""

    _defaults: ClassVar[dict[str, Any]] = {"behavior": "Isolated"}
    behavior = Field(read=behavior_name, write=behavior_of)

    def __init__(self, behavior: Any = "isolated") -> None:
        self._start(behavior=behavior_of(behavior))


class Sequence(Children, PreTokenizer):
    """Several pre-tokenizers, one after the other."""

    _defaults: ClassVar[dict[str, Any]] = {"pretokenizers": []}
    _children = "pretokenizers"

    def __init__(self, pre_tokenizers: Seq[PreTokenizer]) -> None:
        self._start(pretokenizers=checked_children(pre_tokenizers, PreTokenizer))

    def _make(self) -> Made:
        return pipeline.Sequence([child._component() for child in self._items()])


class Split(PreTokenizer):
    """At a pattern (str: literal, or Regex)."""

    _defaults: ClassVar[dict[str, Any]] = {
        "pattern": None,
        "behavior": "Isolated",
        "invert": False,
    }
    pattern = Field(read=no_pattern, write=no_pattern)
    behavior = Field(read=behavior_name, write=behavior_of)
    invert = Field()

    def __init__(self, pattern: str | Regex, behavior: Any, invert: bool = False) -> None:
        self._start(pattern=pattern_spec(pattern), behavior=behavior_of(behavior), invert=invert)


class _Custom(PreTokenizer):
    """One written in Python."""

    def __init__(self, custom: Any) -> None:
        self._start()
        self._custom = custom

    def _spec(self) -> dict[str, Any]:
        raise ValueError("Custom PreTokenizer cannot be serialized")

    def _make(self) -> Made:
        return CustomPreTokenizer(self._custom)
