"""The models of SentencePiece: pieces with scores, joined or chosen as it does.

Sources: SentencePiece 0.2.3 (``bpe_model.cc``, ``unigram_model.cc``, ``char_model.cc``,
``model_interface.cc``).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textcore.core.bpe import BPE, MergeError
from textcore.core.pieceunigram import PieceUnigram
from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.spec import shorten

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

# An unknown character scores so much less than the worst piece.
_UNK_PENALTY = 10.0
_LARGEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a vocabulary."""

    text: str
    score: float
    kind: int


def byte_piece(value: int) -> str:
    """The text of the piece that stands for a byte."""
    return f"<0x{value:02X}>"


def byte_of(text: str) -> int | None:
    """The byte that a piece stands for by its text, or None."""
    try:
        value = int(text[3:5], 16)
    except ValueError:
        return None
    return value if text == byte_piece(value) else None


def vocabulary(pieces: Sequence[Piece]) -> dict[str, int]:
    """The ids of pieces. Raises SpecError for one that is there twice."""
    vocab: dict[str, int] = {}
    for index, piece in enumerate(pieces):
        if vocab.setdefault(piece.text, index) != index:
            raise SpecError(f"pieces[{index}]", f"{shorten(piece.text)} is there already")
    return vocab


def check_bytes(pieces: Sequence[Piece]) -> None:
    """Raise SpecError where one of the 256 byte pieces is missing."""
    found = {piece.text for piece in pieces if piece.kind == BYTE}
    missing = set(map(byte_piece, range(256))) - found
    if missing:
        raise SpecError(
            "pieces", f"byte_fallback, but {len(missing)} byte pieces are missing: {min(missing)}"
        )


def _unknown(pieces: Sequence[Piece], needed: bool) -> str | None:
    found = [piece.text for piece in pieces if piece.kind == UNKNOWN]
    if len(found) > 1 or (needed and not found):
        raise SpecError("pieces", f"{len(found)} unknown pieces; expected one")
    return found[0] if found else None


# ---------------------------------------------------------------- BPE, Char


class PieceBPE(BPEModel):
    """Neighbours join to the normal piece with the highest score.

    Without ``joins``, every character stays by itself: the model Char.
    """

    def __init__(self, pieces: Sequence[Piece], byte_fallback: bool, joins: bool = True) -> None:
        self.vocab = vocabulary(pieces)
        self.tokens = {token_id: text for text, token_id in self.vocab.items()}
        self.byte_level = False
        self.unk_token = _unknown(pieces, needed=True)
        self.pieces = pieces
        self.byte_fallback = byte_fallback
        _check_bpe(pieces, joins)
        normal = [piece for piece in pieces if piece.kind == NORMAL and joins]
        normal.sort(key=lambda piece: -piece.score)
        levels = _levels(piece.score for piece in normal)
        try:
            self.compiled = BPE(
                self.vocab,
                None,
                [],
                unk_token=self.unk_token,
                fuse_unk=True,
                byte_fallback=byte_fallback,
                joins=[piece.text for piece in normal],
                levels=levels if levels and levels[-1] != len(levels) - 1 else None,
            )
        except MergeError as error:
            text = shorten(normal[error.index].text)
            raise SpecError("pieces", f"{text}: {error.problem}") from None


def _levels(scores: Iterable[float]) -> list[int]:
    """The rank of each of falling scores, the same for the same score."""
    levels: list[int] = []
    last = None
    for score in scores:
        if last is None:
            levels.append(0)
        else:
            levels.append(levels[-1] + (score != last))
        last = score
    return levels


def _check_bpe(pieces: Sequence[Piece], joins: bool) -> None:
    """Refuse the shapes of vocabularies that no trainer writes."""
    alone = {piece.text for piece in pieces if len(piece.text) == 1}
    for index, piece in enumerate(pieces):
        if piece.kind == UNUSED:
            raise UnsupportedError(
                f"pieces[{index}]", f"{shorten(piece.text)} is unused: not supported in BPE"
            )
        if joins and piece.kind == NORMAL and not alone.issuperset(piece.text):
            raise UnsupportedError(
                f"pieces[{index}]",
                f"{shorten(piece.text)} has a character that is no piece of its own",
            )


# ---------------------------------------------------------------- Unigram


class PieceUnigramModel:
    """The way of the best total score through a whole text.

    User-defined symbols are pieces like others, with scores of their own that grow with
    their length; unused pieces are never taken.
    """

    byte_level = False

    def __init__(self, pieces: Sequence[Piece], byte_fallback: bool) -> None:
        self.vocab = vocabulary(pieces)
        self.tokens = {token_id: text for text, token_id in self.vocab.items()}
        self.surfaces: Mapping[int, str] = {}
        self.unk_token = _unknown(pieces, needed=not byte_fallback)
        self.pieces = pieces
        self.byte_fallback = byte_fallback
        normal = [piece.score for piece in pieces if piece.kind == NORMAL]
        self.compiled = PieceUnigram(
            {
                piece.text: index
                for index, piece in enumerate(pieces)
                if piece.kind in (NORMAL, USER_DEFINED)
            },
            [
                0.1 * (len(piece.text.encode()) - 1) if piece.kind == USER_DEFINED else piece.score
                for piece in pieces
            ],
            self.unk_id,
            min(normal, default=_LARGEST) - _UNK_PENALTY,
            [self.vocab[byte_piece(value)] for value in range(256)] if byte_fallback else None,
        )

    @property
    def unk_id(self) -> int | None:
        """The id of unknown text, or None."""
        return None if self.unk_token is None else self.vocab[self.unk_token]

    @property
    def vocab_size(self) -> int:
        """How many pieces the model has."""
        return len(self.pieces)

    @property
    def max_id(self) -> int:
        """The largest id."""
        return len(self.pieces) - 1

    def token_to_id(self, token: str) -> int | None:
        """The id of a piece, or None."""
        return self.vocab.get(token)

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id, or None."""
        return self.tokens.get(token_id)

    def tokenize(self, text: str) -> list[tuple[int, str, tuple[int, int]]]:
        """One text as (id, piece, (start, end)), offsets in bytes of ``text`` in UTF-8.

        The pieces of a character's bytes all have the offsets of the character.
        """
        return [
            (index, self.tokens[index], (start, end))
            for index, start, end, _ in self.compiled.tokenize(text.encode())
        ]
