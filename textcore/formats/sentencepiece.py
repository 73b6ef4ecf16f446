"""Reading SentencePiece's ``.model`` files.

A file is one protocol buffer message, ``ModelProto`` of ``sentencepiece_model.proto``:
pieces with scores and kinds, how they were trained, how a text is normalized. Ids are the
places of the pieces. Source: SentencePiece 0.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from textcore.errors import SpecError, UnsupportedError
from textcore.formats import protobuf
from textcore.formats.charsmap import read_charsmap
from textcore.formats.piece_models import (
    BYTE,
    CONTROL,
    NORMAL,
    USER_DEFINED,
    Piece,
    PieceBPE,
    PieceUnigramModel,
    byte_of,
    check_bytes,
)
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.sentencepiece import PieceDecoder, PieceNormalizer
from textcore.pipeline.spec import shorten

MODEL_TYPES = {1: "Unigram", 2: "BPE", 3: "Word", 4: "Char"}
_PLACES = {2: "trainer_spec", 3: "normalizer_spec", 5: "denormalizer_spec"}
MAX_PIECES = 1 << 24
_FLAGS = {3: "add_dummy_prefix", 4: "remove_extra_whitespaces", 5: "escape_whitespaces"}


@dataclass(slots=True)
class Rules:
    """A ``NormalizerSpec``: what a text is rewritten by."""

    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


@dataclass(slots=True)
class ModelFile:
    """What a file says, with the declaration's defaults for what it leaves out."""

    pieces: list[Piece] = field(default_factory=list)
    model_type: int = 1
    byte_fallback: bool = False
    whitespace_as_suffix: bool = False
    unk_surface: str = " \u2047 "
    normalizer: Rules = field(default_factory=Rules)
    denormalizer: Rules = field(default_factory=Rules)


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
            _read_rules(model.normalizer, data, start, end, place)
        else:
            _read_rules(model.denormalizer, data, start, end, place)
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


def _read_rules(rules: Rules, data: bytes, start: int, end: int, place: str) -> None:
    for number, kind, value, first, after in protobuf.fields(data, place, start, end):
        if number == 2:
            protobuf.expect(kind, protobuf.BYTES, place)
            rules.charsmap = data[first:after]
        elif number in _FLAGS:
            protobuf.expect(kind, protobuf.VARINT, place)
            setattr(rules, _FLAGS[number], bool(value))


# ---------------------------------------------------------------- the specification


def model_spec(data: bytes) -> dict[str, Any]:
    """The specification of a SentencePiece model. Raises SpecError."""
    model = read_model(data)
    built = _model(model)
    pieces = model.pieces
    built.surfaces = {i: "" for i, piece in enumerate(pieces) if piece.kind == CONTROL}
    if built.unk_token is not None:
        built.surfaces[built.vocab[built.unk_token]] = model.unk_surface
    rules = model.normalizer
    return {
        "normalizer": PieceNormalizer(
            read_charsmap(rules.charsmap, "normalizer_spec.precompiled_charsmap"),
            [piece.text for piece in pieces if piece.kind == USER_DEFINED],
            add_dummy_prefix=rules.add_dummy_prefix,
            remove_extra_whitespaces=rules.remove_extra_whitespaces,
            escape_whitespaces=rules.escape_whitespaces,
            as_suffix=model.whitespace_as_suffix,
        ),
        "decoder": PieceDecoder(
            rules.add_dummy_prefix or rules.remove_extra_whitespaces,
            rules.remove_extra_whitespaces,
            _byte_pieces(pieces),
            _denormalization(model.denormalizer),
        ),
        "model": built,
        "added_tokens": tuple(_added_tokens(model)),
    }


def _model(model: ModelFile) -> PieceBPE | PieceUnigramModel:
    kind = MODEL_TYPES.get(model.model_type, str(model.model_type))
    if kind not in ("Unigram", "BPE", "Char"):
        raise UnsupportedError(
            "trainer_spec.model_type",
            f"model {kind} is not supported; supported: Unigram, BPE, Char",
        )
    if model.byte_fallback:
        check_bytes(model.pieces)
    if kind == "Unigram":
        return PieceUnigramModel(model.pieces, model.byte_fallback)
    return PieceBPE(model.pieces, model.byte_fallback, joins=kind == "BPE")


def _byte_pieces(pieces: list[Piece]) -> dict[str, int]:
    found = {}
    for piece in pieces:
        value = byte_of(piece.text)
        if piece.kind == BYTE and value is not None:
            found[piece.text] = value
    return found


def _denormalization(rules: Rules) -> dict[str, str]:
    """What decoded text is rewritten by."""
    if not rules.charsmap:
        return {}
    for flag in _FLAGS.values():
        if getattr(rules, flag):
            # No trainer writes it.
            raise UnsupportedError(f"denormalizer_spec.{flag}", "only false is supported")
    return read_charsmap(rules.charsmap, "denormalizer_spec.precompiled_charsmap")


def _added_tokens(model: ModelFile) -> Iterator[AddedToken]:
    """Control symbols, found only where they are named, and user-defined symbols.

    To BPE, these stand apart from the text around them; to Unigram they are pieces that score
    well, and a longer piece may score better.
    """
    apart = MODEL_TYPES[model.model_type] != "Unigram"
    for index, piece in enumerate(model.pieces):
        if piece.kind == USER_DEFINED:
            yield AddedToken(piece.text, normalized=True, id=index, in_text=apart)
        elif piece.kind == CONTROL:
            yield AddedToken(piece.text, normalized=False, special=True, id=index, in_text=False)
