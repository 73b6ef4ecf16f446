"""Reading SentencePiece's ``.model`` files.

A file is one protocol buffer message, ``ModelProto`` of ``sentencepiece_model.proto``:
pieces with scores and kinds, how they were trained, how a text is normalized. Ids are the
places of the pieces. Source: SentencePiece 0.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from textcore.core.bpe import BPE, MergeError
from textcore.errors import SpecError, UnsupportedError
from textcore.formats import protobuf
from textcore.formats.charsmap import read_charsmap
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.sentencepiece import PieceDecoder, PieceNormalizer
from textcore.pipeline.spec import shorten

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
MODEL_TYPES = {1: "Unigram", 2: "BPE", 3: "Word", 4: "Char"}
_PLACES = {2: "trainer_spec", 3: "normalizer_spec", 5: "denormalizer_spec"}
MAX_PIECES = 1 << 24


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a vocabulary."""

    text: str
    score: float
    kind: int


@dataclass(slots=True)
class ModelFile:
    """What a file says, with the declaration's defaults for what it leaves out."""

    pieces: list[Piece] = field(default_factory=list)
    model_type: int = 1
    byte_fallback: bool = False
    whitespace_as_suffix: bool = False
    unk_surface: str = " \u2047 "
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    denormalizes: bool = False


def is_model_file(start: bytes) -> bool:
    """Whether a file that begins with ``start`` may be a model: it begins with a piece."""
    return start[:1] == b"\x0a"


def read_model(data: bytes) -> ModelFile:
    """The contents of a file. Raises SpecError."""
    model = ModelFile()
    for number, kind, _, start, end in protobuf.fields(data, "model"):
        if number not in (1, 2, 3, 5):
            continue
        place = f"pieces[{len(model.pieces)}]" if number == 1 else _PLACES[number]
        protobuf.expect(kind, protobuf.BYTES, place)
        if number == 1:
            if len(model.pieces) >= MAX_PIECES:
                raise SpecError("pieces", f"more than {MAX_PIECES}")
            model.pieces.append(_read_piece(data, start, end, place))
        elif number == 2:
            _read_trainer(model, data, start, end, place)
        elif number == 3:
            _read_normalizer(model, data, start, end, place)
        else:
            model.denormalizes = _has_rules(data, start, end)
    return model


def _read_piece(data: bytes, start: int, end: int, place: str) -> Piece:
    text, score, piece_kind = "", 0.0, NORMAL
    for number, kind, value, first, after in protobuf.fields(data, place, start, end):
        if number == 1:
            protobuf.expect(kind, protobuf.BYTES, place)
            text = protobuf.text(data, first, after, place)
        elif number == 2:
            protobuf.expect(kind, protobuf.FIXED32, place)
            score = protobuf.float32(data, first)
        elif number == 3:
            protobuf.expect(kind, protobuf.VARINT, place)
            piece_kind = value
    if not NORMAL <= piece_kind <= BYTE:
        raise SpecError(place, f"unknown kind {piece_kind}")
    if not text:
        raise SpecError(place, "an empty piece")
    if not math.isfinite(score):
        raise SpecError(place, f"the score of {shorten(text)} is {score}")
    return Piece(text, score, piece_kind)


def _read_trainer(model: ModelFile, data: bytes, start: int, end: int, place: str) -> None:
    for number, kind, value, first, after in protobuf.fields(data, place, start, end):
        if number in (3, 24, 35):
            protobuf.expect(kind, protobuf.VARINT, place)
        if number == 3:
            model.model_type = value
        elif number == 24:
            model.whitespace_as_suffix = bool(value)
        elif number == 35:
            model.byte_fallback = bool(value)
        elif number == 44:
            protobuf.expect(kind, protobuf.BYTES, place)
            model.unk_surface = protobuf.text(data, first, after, f"{place}.unk_surface")


def _read_normalizer(model: ModelFile, data: bytes, start: int, end: int, place: str) -> None:
    for number, kind, value, first, after in protobuf.fields(data, place, start, end):
        if number in (3, 4, 5):
            protobuf.expect(kind, protobuf.VARINT, place)
        if number == 2:
            protobuf.expect(kind, protobuf.BYTES, place)
            model.charsmap = data[first:after]
        elif number == 3:
            model.add_dummy_prefix = bool(value)
        elif number == 4:
            model.remove_extra_whitespaces = bool(value)
        elif number == 5:
            model.escape_whitespaces = bool(value)


def _has_rules(data: bytes, start: int, end: int) -> bool:
    fields = protobuf.fields(data, "denormalizer_spec", start, end)
    return any(number == 2 and after > first for number, _, _, first, after in fields)


# ---------------------------------------------------------------- the specification


class PieceBPE(BPEModel):
    """The BPE model of a file: neighbours join to the normal piece with the highest score."""

    def __init__(self, model: ModelFile) -> None:
        pieces = model.pieces
        self.vocab = _vocab(pieces)
        self.tokens = {token_id: text for text, token_id in self.vocab.items()}
        self.byte_level = False
        self.unk_token = _unknown(pieces).text
        _check_bpe(pieces)
        normal = [piece for piece in pieces if piece.kind == NORMAL]
        normal.sort(key=lambda piece: -piece.score)
        levels = _levels(piece.score for piece in normal)
        try:
            self.compiled = BPE(
                self.vocab,
                None,
                [],
                unk_token=self.unk_token,
                fuse_unk=True,
                byte_fallback=model.byte_fallback,
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


def _vocab(pieces: list[Piece]) -> dict[str, int]:
    vocab: dict[str, int] = {}
    for index, piece in enumerate(pieces):
        if vocab.setdefault(piece.text, index) != index:
            raise SpecError(f"pieces[{index}]", f"{shorten(piece.text)} is there already")
    return vocab


def _unknown(pieces: list[Piece]) -> Piece:
    found = [piece for piece in pieces if piece.kind == UNKNOWN]
    if len(found) != 1:
        raise SpecError("pieces", f"{len(found)} unknown pieces; expected one")
    return found[0]


def _check_bpe(pieces: list[Piece]) -> None:
    """Refuse the two shapes of BPE vocabularies that no trainer writes."""
    alone = {piece.text for piece in pieces if len(piece.text) == 1}
    for index, piece in enumerate(pieces):
        if piece.kind == UNUSED:
            raise UnsupportedError(
                f"pieces[{index}]", f"{shorten(piece.text)} is unused: not supported in BPE"
            )
        if piece.kind == NORMAL and not alone.issuperset(piece.text):
            raise UnsupportedError(
                f"pieces[{index}]",
                f"{shorten(piece.text)} has a character that is no piece of its own",
            )


def check_bytes(model: ModelFile) -> None:
    """Raise SpecError where a model falls back to bytes of which it lacks one."""
    if not model.byte_fallback:
        return
    byte_texts = {piece.text for piece in model.pieces if piece.kind == BYTE}
    missing = {f"<0x{value:02X}>" for value in range(256)} - byte_texts
    if missing:
        raise SpecError(
            "pieces", f"byte_fallback, but {len(missing)} byte pieces are missing: {min(missing)}"
        )


def model_spec(data: bytes) -> dict[str, Any]:
    """The specification of a SentencePiece model. Raises SpecError."""
    model = read_model(data)
    kind = MODEL_TYPES.get(model.model_type, str(model.model_type))
    if kind != "BPE":
        raise UnsupportedError(
            "trainer_spec.model_type", f"model {kind} is not supported; supported: BPE"
        )
    if model.denormalizes:
        raise UnsupportedError("denormalizer_spec", "rules for decoding are not supported")
    check_bytes(model)
    built = PieceBPE(model)
    pieces = model.pieces
    built.surfaces = {i: "" for i, piece in enumerate(pieces) if piece.kind == CONTROL}
    built.surfaces[built.vocab[built.unk_token or ""]] = model.unk_surface
    symbols = [piece.text for piece in pieces if piece.kind == USER_DEFINED]
    return {
        "normalizer": PieceNormalizer(
            read_charsmap(model.charsmap, "normalizer_spec.precompiled_charsmap"),
            symbols,
            add_dummy_prefix=model.add_dummy_prefix,
            remove_extra_whitespaces=model.remove_extra_whitespaces,
            escape_whitespaces=model.escape_whitespaces,
            as_suffix=model.whitespace_as_suffix,
        ),
        "decoder": PieceDecoder(
            model.add_dummy_prefix or model.remove_extra_whitespaces,
            model.remove_extra_whitespaces,
            {p.text: int(p.text[3:5], 16) for p in pieces if p.kind == BYTE and _is_byte(p.text)},
        ),
        "model": built,
        "added_tokens": tuple(
            AddedToken(piece.text, normalized=True, id=index)
            if piece.kind == USER_DEFINED
            else AddedToken(piece.text, normalized=False, special=True, id=index, in_text=False)
            for index, piece in enumerate(pieces)
            if piece.kind in (USER_DEFINED, CONTROL)
        ),
    }


def _is_byte(text: str) -> bool:
    return len(text) == 6 and text == f"<0x{text[3:5]}>" and text[3:5].isalnum() and _hex(text)


def _hex(text: str) -> bool:
    try:
        return f"<0x{int(text[3:5], 16):02X}>" == text
    except ValueError:
        return False
