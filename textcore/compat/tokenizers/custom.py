"""Components written in Python, as what a pipeline runs."""

from __future__ import annotations

from typing import Any

from textcore.compat.tokenizers.strings import NormalizedString, PreTokenizedString
from textcore.pipeline.decoders import Decoder
from textcore.pipeline.normalized import NormalizedString as Text
from textcore.pipeline.normalized import PreTokenizedString as Pieces
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.splitters import Piece, PreTokenizer


class CustomNormalizer(Normalizer):
    """Calls ``normalize(normalized)`` of an object; the string may not be used later."""

    __slots__ = ("_custom",)

    def __init__(self, custom: Any) -> None:
        self._custom = custom

    @property
    def moves_start(self) -> bool:
        """Nothing is known of it."""
        return True

    def normalize_str(self, text: str) -> str:
        whole = Text(text)
        self.normalize(whole)
        return whole.normalized

    def normalize(self, text: Text) -> None:
        shown = NormalizedString._of(text)
        try:
            self._custom.normalize(shown)
        except Exception as error:
            raise Exception(f"{type(error).__name__}: {error}") from error
        finally:
            shown._end()


class CustomPreTokenizer(PreTokenizer):
    """Calls ``pre_tokenize(pretok)`` of an object."""

    __slots__ = ("_custom",)

    def __init__(self, custom: Any) -> None:
        self._custom = custom

    @property
    def needs_alignments(self) -> bool:
        """The object may look at what only aligned text has."""
        return True

    def split(self, pieces: list[Piece]) -> list[Piece]:
        divided = []
        for text, at_start in pieces:
            whole = Pieces(text)
            self.pre_tokenize(whole)
            divided += [
                (piece, at_start and offsets[0] == 0) for piece, offsets, _ in whole.get_splits()
            ]
        return divided

    def pre_tokenize(self, text: Pieces) -> None:
        try:
            self._custom.pre_tokenize(PreTokenizedString._of(text))
        except Exception as error:
            raise Exception(f"{type(error).__name__}: {error}") from error


class CustomDecoder(Decoder):
    """Calls ``decode_chain(tokens)`` of an object, or else ``decode(tokens)``."""

    def __init__(self, custom: Any) -> None:
        self._custom = custom

    def decode_chain(self, tokens: list[str]) -> list[str]:
        if hasattr(self._custom, "decode_chain"):
            return list(self._custom.decode_chain(tokens))
        return [self._custom.decode(tokens)]
