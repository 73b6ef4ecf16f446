"""Models as the tables that are in memory, and models that are made of such tables.

A model's texts are one table of their own, read when they are first asked for: encoding needs
none of them but those of the added tokens, which are kept beside it.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from textcore.core.bpe import BPE
from textcore.core.bpetables import from_tables, to_tables
from textcore.core.pieceunigram import PieceUnigram
from textcore.core.unigram import Unigram
from textcore.core.wordpiece import WordLevel, WordPiece
from textcore.errors import UnsupportedError
from textcore.formats.piece_models import Piece, PieceUnigramModel
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.models import Model
from textcore.pipeline.unigram import UnigramModel
from textcore.pipeline.wordpiece import VocabModel, WordLevelModel, WordPieceModel

Tables = Mapping[str, memoryview]
_TEXTS = ("texts", "text_ends", "text_ids")


def numbers(kind: str, data: bytes | memoryview) -> list[Any]:
    """The numbers of a table (of ``array``'s type codes), little-endian."""
    read = array(kind)
    read.frombytes(data)
    if sys.byteorder != "little":
        read.byteswap()
    return read.tolist()


def packed(kind: str, values: list[Any] | tuple[Any, ...]) -> bytes:
    """Numbers as a table."""
    made = array(kind, values)
    if sys.byteorder != "little":
        made.byteswap()
    return made.tobytes()


class _Texts:
    """The tokens of a saved model, in the order of its symbols, and their ids."""

    # Whether `vocab` and `tokens` cost time when they are first asked for.
    lazy = True

    compiled: Any

    def _keep(self, about: Mapping[str, Any], tables: Tables) -> None:
        self._tables = {name: tables[name] for name in _TEXTS}
        # Ids of the added tokens' texts: all that loading needs of the vocabulary.
        self._known: Mapping[str, int | None] = about["known"]

    def _entries_of(self) -> list[tuple[str, int]]:
        text = bytes(self._tables["texts"]).decode()
        bounds = pairwise([0, *numbers("I", self._tables["text_ends"])])
        words = [text[start:end] for start, end in bounds]
        return list(zip(words, numbers("I", self._tables["text_ids"]), strict=True))

    def __getattr__(self, name: str) -> Any:
        if name == "vocab":
            self.vocab = dict(self._entries_of())
            return self.vocab
        if name == "tokens":
            self.tokens = {token_id: token for token, token_id in self._entries_of()}
            return self.tokens
        if name == "_entries":
            self._entries = self._entries_of()
            return self._entries
        raise AttributeError(name)

    @property
    def vocab_size(self) -> int:
        return len(self._tables["text_ids"]) // 4

    @property
    def max_id(self) -> int:
        largest: int = self.compiled.largest_id()
        return largest

    def token_to_id(self, token: str) -> int | None:
        if token in self._known:
            return self._known[token]
        found: int | None = self.vocab.get(token)
        return found


class SavedBPE(_Texts, BPEModel):
    """A BPE model from its tables."""

    def __init__(self, about: Mapping[str, Any], tables: Tables) -> None:
        self._keep(about, tables)
        self.compiled = from_tables(_own(tables))
        self.unk_token = about["unk_token"]
        self.byte_level = self.compiled.byte_level
        self.surfaces = _surfaces(about)


class SavedWordPiece(_Texts, WordPieceModel):
    """A WordPiece model from its tables."""

    def __init__(self, about: Mapping[str, Any], tables: Tables) -> None:
        self._keep(about, tables)
        self.compiled = WordPiece.restore(_own(tables))
        self.unk_token = about["unk_token"]
        self.prefix = about["prefix"]
        self.max_chars = about["max_chars"]


class SavedWordLevel(_Texts, WordLevelModel):
    """A WordLevel model from its tables."""

    def __init__(self, about: Mapping[str, Any], tables: Tables) -> None:
        self._keep(about, tables)
        self.compiled = WordLevel.restore(_own(tables))
        self.unk_token = about["unk_token"]


class SavedUnigram(_Texts, UnigramModel):
    """A Unigram model from its tables."""

    def __init__(self, about: Mapping[str, Any], tables: Tables) -> None:
        self._keep(about, tables)
        self.compiled = Unigram.restore(_own(tables))
        self.unk_id = about["unk_id"]
        self.byte_fallback = about["byte_fallback"]

    @property
    def pieces(self) -> list[tuple[str, float]]:  # type: ignore[override]
        words = [token for token, _ in self._entries]
        return list(zip(words, self.compiled.scores_list(), strict=True))


class SavedPieceUnigram(_Texts, PieceUnigramModel):
    """A Unigram model of SentencePiece's from its tables."""

    def __init__(self, about: Mapping[str, Any], tables: Tables) -> None:
        self._keep(about, tables)
        self.compiled = PieceUnigram.restore(_own(tables))
        self.unk_token = about["unk_token"]
        self.byte_fallback = about["byte_fallback"]
        self.surfaces = _surfaces(about)
        self._details = (tables["piece_scores"], tables["piece_kinds"])

    @property
    def pieces(self) -> list[Piece]:  # type: ignore[override]
        scores, kinds = numbers("f", self._details[0]), numbers("B", self._details[1])
        words = [token for token, _ in self._entries]
        return list(map(Piece, words, scores, kinds))


def _own(tables: Tables) -> dict[str, memoryview]:
    """The tables of the compiled model."""
    return {
        name.removeprefix("model."): table
        for name, table in tables.items()
        if name.startswith("model.")
    }


def _surfaces(about: Mapping[str, Any]) -> dict[int, str]:
    return {int(key): text for key, text in about["surfaces"].items()}


_SAVED: dict[str, Callable[[Mapping[str, Any], Tables], Model]] = {
    "BPE": SavedBPE,
    "WordPiece": SavedWordPiece,
    "WordLevel": SavedWordLevel,
    "Unigram": SavedUnigram,
    "PieceUnigram": SavedPieceUnigram,
}


def read_model(about: Mapping[str, Any], tables: Tables) -> Model:
    """The model that :func:`write_model` wrote.

    Raises SpecError, and ValueError, LookupError and the like for what is damaged.
    """
    return _SAVED[about["type"]](about, tables)


# ---------------------------------------------------------------- writing


def write_model(
    model: Model, added_tokens: tuple[AddedToken, ...], tables: dict[str, bytes]
) -> dict[str, Any]:
    """What describes a model besides its tables, which are added to ``tables``.

    Raises UnsupportedError for a model that is none of textcore's own.
    """
    about = _describe(model, tables)
    if about is None:
        raise UnsupportedError("model", f"a {type(model).__name__} can't be saved")
    compiled: Any = model.compiled
    own = to_tables(compiled) if isinstance(compiled, BPE) else compiled.tables()
    tables |= {f"model.{name}": table for name, table in own.items()}
    entries = _entries(model)
    ends, at = [], 0
    for word, _ in entries:
        at += len(word)
        ends.append(at)
    tables["texts"] = "".join(word for word, _ in entries).encode()
    tables["text_ends"] = packed("I", ends)
    tables["text_ids"] = packed("I", [token_id for _, token_id in entries])
    return {
        **about,
        "known": {token.content: model.token_to_id(token.content) for token in added_tokens},
    }


def _entries(model: Model) -> list[tuple[str, int]]:
    """Tokens in the order of the model's symbols."""
    if isinstance(model, UnigramModel):
        # One text may be several pieces.
        return [(piece, index) for index, (piece, _) in enumerate(model.pieces)]
    return list(model.vocab.items())


def _describe(model: Model, tables: dict[str, bytes]) -> dict[str, Any] | None:
    surfaces = {str(key): text for key, text in model.surfaces.items()}
    if isinstance(model, BPEModel):
        return {"type": "BPE", "unk_token": model.unk_token, "surfaces": surfaces}
    if isinstance(model, WordPieceModel):
        return {
            "type": "WordPiece",
            "unk_token": model.unk_token,
            "prefix": model.prefix,
            "max_chars": model.max_chars,
        }
    if isinstance(model, VocabModel):
        return {"type": "WordLevel", "unk_token": model.unk_token}
    if isinstance(model, UnigramModel):
        return {
            "type": "Unigram",
            "unk_id": model.unk_id,
            "byte_fallback": model.byte_fallback,
        }
    if isinstance(model, PieceUnigramModel):
        pieces = model.pieces
        tables["piece_scores"] = packed("f", [piece.score for piece in pieces])
        tables["piece_kinds"] = packed("B", [piece.kind for piece in pieces])
        return {
            "type": "PieceUnigram",
            "unk_token": model.unk_token,
            "byte_fallback": model.byte_fallback,
            "surfaces": surfaces,
        }
    return None
