"""The Unigram model of a tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType

from textcore.core.unigram import Unigram
from textcore.errors import SpecError
from textcore.pipeline import fields
from textcore.pipeline.spec import Node, shorten


class UnigramModel:
    """Words as the pieces of the best total score (type Unigram)."""

    surfaces: Mapping[int, str] = MappingProxyType({})

    byte_level = False

    def __init__(self, node: Node) -> None:
        pieces = read_pieces(node)
        self.pieces = pieces
        self.vocab = {piece: index for index, (piece, _) in enumerate(pieces)}
        self.tokens = {index: piece for index, (piece, _) in enumerate(pieces)}
        self.unk_id: int | None = node.get("unk_id", int, None)
        if self.unk_id is not None and not 0 <= self.unk_id < len(pieces):
            raise node.error(
                "unk_id", f"{shorten(self.unk_id)} is no index of a vocab of {len(pieces)}"
            )
        self.byte_fallback = node.get("byte_fallback", bool, False)
        self.compiled = Unigram(pieces, self.unk_id, self.byte_fallback)

    @property
    def vocab_size(self) -> int:
        """How many pieces the model has, added tokens not counted."""
        return len(self.pieces)

    @property
    def max_id(self) -> int:
        """The largest id, or -1 for an empty vocabulary."""
        return len(self.pieces) - 1

    def token_to_id(self, token: str) -> int | None:
        """The id of a piece, or None."""
        return self.vocab.get(token)

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id, or None."""
        return self.tokens.get(token_id)

    def tokenize(self, word: str) -> list[tuple[int, str, tuple[int, int]]]:
        """One word as (id, token, (start, end)), offsets in bytes of ``word`` in UTF-8.

        The token of unknown text is the text itself; the tokens of its bytes, if
        byte_fallback is on, all have its offsets. Raises ValueError where an unknown token
        is needed and unk_id is missing.
        """
        data = word.encode()
        return [
            (index, self.tokens[index] if is_byte else data[start:end].decode(), (start, end))
            for index, start, end, is_byte in self.compiled.tokenize(data)
        ]


def read_pieces(node: Node) -> list[tuple[str, float]]:
    """The ``vocab``, a list of [piece, score]; scores are finite."""
    pieces = []
    for index, entry in enumerate(node.get("vocab", list)):
        if not isinstance(entry, (list, tuple)) or len(entry) != 2:
            raise SpecError(
                f"{node.at('vocab')}[{index}]", f"expected [piece, score], found {shorten(entry)}"
            )
        piece, score = entry
        if type(piece) is not str or not piece.isascii():
            fields.check_text(piece, f"{node.at('vocab')}[{index}][0]")
        if type(score) is not float or not isfinite(score):
            score = _score(score, f"{node.at('vocab')}[{index}][1]")
        pieces.append((piece, score))
    return pieces


def _score(value: object, place: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            score = float(value)
        except OverflowError:
            score = float("inf")
        if isfinite(score):
            return score
    raise SpecError(place, f"expected a finite number, found {shorten(value)}")
