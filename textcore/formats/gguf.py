"""Reading the tokenizer in a GGUF file's header; the tensors behind it are never read.

Source of the format: the GGUF specification of ``ggml`` (versions 2 and 3, little-endian).
The file is mapped into memory, and every length is checked against what is there before
anything is made of it.
"""

from __future__ import annotations

import mmap
import struct
from typing import Any, BinaryIO

from textcore.errors import SpecError, UnsupportedError
from textcore.formats.gguf_patterns import PRE_TOKENIZERS, byte_level
from textcore.formats.huggingface import OWN_CONFIG
from textcore.formats.piece_models import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
    PieceBPE,
    check_bytes,
)
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.sentencepiece import PieceNormalizer
from textcore.pipeline.spec import shorten

MAGIC = b"GGUF"
# Values of a key, by the number of their type; strings are 8, arrays 9.
_NUMBERS = {
    0: ("<B", 1),
    1: ("<b", 1),
    2: ("<H", 2),
    3: ("<h", 2),
    4: ("<I", 4),
    5: ("<i", 4),
    6: ("<f", 4),
    7: ("<?", 1),
    10: ("<Q", 8),
    11: ("<q", 8),
    12: ("<d", 8),
}
_STRING, _ARRAY = 8, 9
_PREFIX = "tokenizer."


class Header:
    """The keys of a header, read one after the other; only a tokenizer's are kept."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self._data = data
        self._at = 4
        self._size = len(data)
        self._place = "header"
        version = self._number("<I", 4)
        if version not in (2, 3):
            # A number of another byte order is a large one.
            raise UnsupportedError("header", f"GGUF version {version}; supported: 2, 3")
        self._number("<Q", 8)
        count = self._number("<Q", 8)
        # A key takes at least 13 bytes.
        if count > self._size // 13:
            raise SpecError("header", f"{count} keys in {self._size} bytes")
        self.values: dict[str, Any] = {}
        for index in range(count):
            self._place = f"header key {index}"
            key = self._text()
            self._place = key[:80]
            keep = key.startswith(_PREFIX)
            value = self._value(self._number("<I", 4), keep)
            if keep:
                self.values[key] = value

    def _take(self, size: int) -> int:
        at = self._at
        if size > self._size - at:
            raise SpecError(
                self._place, f"{size} bytes at byte {at}; the file has {self._size - at} more"
            )
        self._at = at + size
        return at

    def _number(self, layout: str, size: int) -> Any:
        return struct.unpack_from(layout, self._data, self._take(size))[0]

    def _text(self) -> str:
        size = self._number("<Q", 8)
        at = self._take(size)
        try:
            return self._data[at : at + size].decode("utf-8")
        except UnicodeDecodeError:
            raise SpecError(self._place, f"not UTF-8 at byte {at}") from None

    def _value(self, kind: int, keep: bool) -> Any:
        if kind == _STRING:
            if keep:
                return self._text()
            self._take(self._number("<Q", 8))
            return None
        if kind == _ARRAY:
            return self._array(keep)
        if kind not in _NUMBERS:
            raise SpecError(self._place, f"unknown type {kind}")
        return self._number(*_NUMBERS[kind])

    def _array(self, keep: bool) -> list[Any]:
        kind = self._number("<I", 4)
        count = self._number("<Q", 8)
        if kind in _NUMBERS:
            layout, size = _NUMBERS[kind]
            at = self._take(count * size)
            if not keep:
                return []
            return list(struct.unpack_from(f"<{count}{layout[1]}", self._data, at))
        if kind != _STRING:
            raise SpecError(self._place, f"an array of type {kind} is not supported")
        if count > (self._size - self._at) // 8:
            raise SpecError(self._place, f"{count} strings at byte {self._at}")
        if keep:
            return [self._text() for _ in range(count)]
        for _ in range(count):
            self._take(self._number("<Q", 8))
        return []


def is_gguf(start: bytes) -> bool:
    """Whether a file that begins with ``start`` is a GGUF file."""
    return start[:4] == MAGIC


def gguf_spec(stream: BinaryIO) -> dict[str, Any]:
    """The specification of the tokenizer in a GGUF file. Raises SpecError."""
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        values = Header(data).values
    return Fields(values).spec()


class Fields:
    """A header's ``tokenizer.`` keys and what they mean."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.tokens: list[str] = self._list("tokens", str)
        if len(set(self.tokens)) != len(self.tokens):
            raise self._error("tokens", "a token is there twice")
        if "" in self.tokens:
            raise self._error("tokens", "an empty token")
        self.kinds: list[int] = self._list("token_type", int)
        if len(self.kinds) != len(self.tokens):
            raise self._error(
                "token_type", f"{len(self.kinds)} kinds of {len(self.tokens)} tokens"
            )
        unknown = set(self.kinds) - {NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE}
        if unknown:
            raise self._error("token_type", f"unknown kind {min(unknown)}")

    def _error(self, key: str, problem: str) -> SpecError:
        return SpecError(f"tokenizer.ggml.{key}", problem)

    def _get(self, key: str, kind: type, default: Any = None) -> Any:
        value = self.values.get(f"tokenizer.ggml.{key}", default)
        if value is None or type(value) is kind:
            return value
        raise self._error(key, f"expected {kind.__name__}, found {shorten(value)}")

    def _list(self, key: str, kind: type) -> list[Any]:
        value = self._get(key, list)
        if value is None:
            raise self._error(key, "missing")
        if not all(type(item) is kind for item in value):
            raise self._error(key, f"expected an array of {kind.__name__}")
        return list(value)

    def spec(self) -> dict[str, Any]:
        """The specification, as of a tokenizer.json."""
        model = self._get("model", str)
        if model == "gpt2":
            spec = self._byte_level_spec()
        elif model == "llama":
            spec = self._piece_spec()
        else:
            raise UnsupportedError(
                "tokenizer.ggml.model",
                f"model {shorten(model)} is not supported; supported: gpt2, llama",
            )
        return {**spec, "post_processor": self._post_processor(), OWN_CONFIG: self._config()}

    # ------------------------------------------------------------ models

    def _byte_level_spec(self) -> dict[str, Any]:
        """A byte-level model with merges; ``pre`` names the way a text is split."""
        name = self._get("pre", str)
        if name not in PRE_TOKENIZERS:
            known = ", ".join(PRE_TOKENIZERS)
            raise UnsupportedError(
                "tokenizer.ggml.pre",
                f"pre-tokenizer {shorten(name)} is not supported; supported: {known}",
            )
        pre = PRE_TOKENIZERS[name]
        ordinary = {
            token: index
            for index, (token, kind) in enumerate(zip(self.tokens, self.kinds, strict=True))
            if kind in (NORMAL, BYTE, UNKNOWN)
        }
        return {
            "normalizer": None if pre.form is None else {"type": pre.form},
            "pre_tokenizer": pre.pre_tokenizer(),
            "decoder": byte_level(use_regex=True),
            "model": {
                "type": "BPE",
                "vocab": ordinary,
                "merges": self._list("merges", str),
                "ignore_merges": pre.ignore_merges,
            },
            "added_tokens": self._added(),
        }

    def _piece_spec(self) -> dict[str, Any]:
        """SentencePiece's BPE, with the decoder that the same tokenizer.json has."""
        scores = self._list("scores", float)
        if len(scores) != len(self.tokens):
            raise self._error("scores", f"{len(scores)} scores of {len(self.tokens)} tokens")
        if any(score != score or abs(score) == float("inf") for score in scores):
            raise self._error("scores", "a score that is no number")
        pieces = [
            # Fillers: of kind unused here, of no account in a model of pieces.
            Piece(text, score, CONTROL if kind == UNUSED else kind)
            for text, score, kind in zip(self.tokens, scores, self.kinds, strict=True)
        ]
        byte_fallback = BYTE in self.kinds
        if byte_fallback:
            check_bytes(pieces)
        return {
            "normalizer": PieceNormalizer(
                {},
                (),
                add_dummy_prefix=self._get("add_space_prefix", bool, True),
                remove_extra_whitespaces=self._get("remove_extra_whitespaces", bool, False),
                escape_whitespaces=True,
                as_suffix=False,
            ),
            "decoder": {
                "type": "Sequence",
                "decoders": [
                    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                    {"type": "ByteFallback"},
                    {"type": "Fuse"},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
                ],
            },
            "model": PieceBPE(pieces, byte_fallback),
            "added_tokens": self._added(),
        }

    # ------------------------------------------------------------ around the model

    def _added(self) -> tuple[AddedToken, ...]:
        return tuple(
            AddedToken(token, normalized=False, special=kind != USER_DEFINED, id=index)
            for index, (token, kind) in enumerate(zip(self.tokens, self.kinds, strict=True))
            if kind in (CONTROL, USER_DEFINED) or (kind == UNKNOWN and self._is_piece_model())
        )

    def _is_piece_model(self) -> bool:
        return self.values.get("tokenizer.ggml.model") == "llama"

    def _named(self, name: str) -> tuple[str, int] | None:
        """The token that ``name`` (such as "bos") stands for, and its id."""
        token_id = self._get(f"{name}_token_id", int)
        if token_id is None:
            return None
        if not 0 <= token_id < len(self.tokens):
            raise self._error(f"{name}_token_id", f"{token_id} of {len(self.tokens)} tokens")
        return self.tokens[token_id], token_id

    def _post_processor(self) -> dict[str, Any] | None:
        default = self._is_piece_model()
        parts = [{"Sequence": {"id": "A", "type_id": 0}}]
        special = {}
        for name, place, given in (("bos", 0, default), ("eos", len(parts) + 1, False)):
            named = self._named(name)
            if named is None or not self._get(f"add_{name}_token", bool, given):
                continue
            token, token_id = named
            parts.insert(place, {"SpecialToken": {"id": token, "type_id": 0}})
            special[token] = {"id": token, "ids": [token_id], "tokens": [token]}
        if not special:
            return None
        second: list[dict[str, Any]] = [
            {key: {**value, "type_id": 1} for key, value in part.items()} for part in parts
        ]
        for part in second:
            if "Sequence" in part:
                part["Sequence"]["id"] = "B"
        return {
            "type": "TemplateProcessing",
            "single": parts,
            "pair": [*parts, *second],
            "special_tokens": special,
        }

    def _config(self) -> dict[str, Any]:
        """What a tokenizer_config.json would say."""
        config: dict[str, Any] = {}
        for name, key in (("bos", "bos_token"), ("eos", "eos_token"), ("padding", "pad_token")):
            named = self._named(name)
            if named is not None:
                config[key] = named[0]
        template = self.values.get("tokenizer.chat_template")
        if isinstance(template, str):
            config["chat_template"] = template
        return config
