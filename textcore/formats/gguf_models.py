"""What the keys of a GGUF file's header make: a model and what goes around it.

The ids are those of the same vocabulary's tokenizer.json. Where that has what the header does
not carry, the header's keys decide (``tokenizer.ggml.pre``, the flags). Sources: the GGUF
specification of ``ggml``; ``llama.cpp`` for the names, and for what holds where a key is
missing.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from textcore.core.bytelevel import to_bytes
from textcore.errors import SpecError, UnsupportedError
from textcore.formats.charsmap import read_charsmap
from textcore.formats.gguf_patterns import PRE_TOKENIZERS, Pre, byte_level
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
from textcore.pipeline.ranked import RankedBPE
from textcore.pipeline.sentencepiece import SPACE, PieceNormalizer
from textcore.pipeline.spec import shorten

UNDEFINED = 0
_KINDS = frozenset((UNDEFINED, NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE))


class Bytes(bytes):
    """An array of 8-bit numbers."""


class Fields:
    """A header's ``tokenizer.`` keys and what they mean. Raises SpecError."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        tokens = self._list("tokens", str)
        if tokens is None:
            raise self._error("tokens", "missing")
        # An id that no token has is written as an empty one.
        self.tokens: list[str] = [token or f"[EMPTY_{i}]" for i, token in enumerate(tokens)]
        if len(set(self.tokens)) != len(self.tokens):
            raise self._error("tokens", "a token is there twice")
        self.kinds = self._list("token_type", int) or [NORMAL] * len(tokens)
        if len(self.kinds) != len(tokens):
            raise self._error("token_type", f"{len(self.kinds)} kinds of {len(tokens)} tokens")
        strange = set(self.kinds) - _KINDS
        if strange:
            raise self._error("token_type", f"unknown kind {min(strange)}")

    def _error(self, key: str, problem: str) -> SpecError:
        return SpecError(f"tokenizer.ggml.{key}", problem)

    def _get(self, key: str, kind: type, default: Any = None) -> Any:
        value = self.values.get(f"tokenizer.ggml.{key}", default)
        if value is None or type(value) is kind:
            return value
        raise self._error(key, f"expected {kind.__name__}, found {shorten(value)}")

    def _list(self, key: str, *kinds: type) -> list[Any] | None:
        value = self._get(key, list)
        if value is None:
            return None
        for kind in kinds:
            if all(type(item) is kind for item in value):
                return list(value)
        names = " or ".join(kind.__name__ for kind in kinds)
        raise self._error(key, f"expected an array of {names}")

    def _needed(self, key: str, *kinds: type) -> list[Any]:
        value = self._list(key, *kinds)
        if value is None:
            raise self._error(key, "missing")
        return value

    def spec(self) -> dict[str, Any]:
        """The specification, as of a tokenizer.json."""
        model = self._get("model", str)
        if model not in _MODELS:
            raise UnsupportedError(
                "tokenizer.ggml.model",
                f"model {shorten(model)} is not supported; supported: {', '.join(_MODELS)}",
            )
        return {**_MODELS[model](self), OWN_CONFIG: self.config()}

    def of_kinds(self, *kinds: int) -> dict[str, int]:
        """The ids of the tokens of some kinds."""
        pairs = zip(self.tokens, self.kinds, strict=True)
        return {token: index for index, (token, kind) in enumerate(pairs) if kind in kinds}

    # ------------------------------------------------------------ models

    def byte_level_spec(self) -> dict[str, Any]:
        """A byte-level model with merges; ``pre`` names the way a text is split."""
        name = self._get("pre", str)
        if name not in PRE_TOKENIZERS:
            known = ", ".join(PRE_TOKENIZERS)
            raise UnsupportedError(
                "tokenizer.ggml.pre",
                f"pre-tokenizer {shorten(name)} is not supported; supported: {known}",
            )
        pre = PRE_TOKENIZERS[name]
        return {
            "normalizer": None if pre.form is None else {"type": pre.form},
            "pre_tokenizer": pre.pre_tokenizer(),
            "decoder": byte_level(use_regex=True),
            "model": self._byte_level_model(pre),
            "added_tokens": self._added(CONTROL, USER_DEFINED),
            "post_processor": self._post_processor(pre.add_bos, add_sep=pre.add_sep),
        }

    def _byte_level_model(self, pre: Pre) -> Any:
        ordinary = self.of_kinds(NORMAL, BYTE, UNKNOWN, UNDEFINED)
        if pre.ranked:
            return RankedBPE({self._bytes(token): i for token, i in ordinary.items()}, "tokens")
        return {
            "type": "BPE",
            "vocab": ordinary,
            "merges": self._needed("merges", str),
            "ignore_merges": pre.ignore_merges,
        }

    def _bytes(self, token: str) -> bytes:
        content = to_bytes(token)
        if content is None:
            raise self._error("tokens", f"{shorten(token)} does not stand for bytes")
        return content

    def gemma_spec(self) -> dict[str, Any]:
        """Merges over characters, with marks for spaces and bytes for what is unknown."""
        unknown = [*self.of_kinds(UNKNOWN)]
        return {
            "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
            "decoder": _piece_decoder(strips=False),
            "model": {
                "type": "BPE",
                "vocab": self.of_kinds(NORMAL, BYTE, UNKNOWN, UNDEFINED),
                "merges": [
                    _merge(merge, f"tokenizer.ggml.merges[{index}]")
                    for index, merge in enumerate(self._needed("merges", str))
                ],
                "unk_token": unknown[0] if unknown else None,
                "fuse_unk": True,
                "byte_fallback": True,
            },
            "added_tokens": self._added(CONTROL, USER_DEFINED, UNKNOWN),
            "post_processor": self._post_processor(True),
        }

    def piece_spec(self) -> dict[str, Any]:
        """SentencePiece's BPE, with the decoder that the same tokenizer.json has."""
        pieces = [
            # Fillers: of kind unused here, of no account in a model of pieces.
            Piece(text, score, CONTROL if kind in (UNUSED, UNDEFINED) else kind)
            for text, score, kind in zip(self.tokens, self._scores(), self.kinds, strict=True)
        ]
        if BYTE in self.kinds:
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
            "decoder": _piece_decoder(strips=True),
            "model": PieceBPE(pieces, BYTE in self.kinds),
            "added_tokens": self._added(CONTROL, USER_DEFINED, UNKNOWN),
            "post_processor": self._post_processor(True),
        }

    def _scores(self) -> list[float]:
        scores = [float(score) for score in self._needed("scores", float, int)]
        if len(scores) != len(self.tokens):
            raise self._error("scores", f"{len(scores)} scores of {len(self.tokens)} tokens")
        if any(score != score or abs(score) == float("inf") for score in scores):
            raise self._error("scores", "a score that is no number")
        return scores

    def unigram_spec(self) -> dict[str, Any]:
        """A Unigram model, as the tokenizer.json of T5 and of XLM-RoBERTa has it."""
        charsmap = self._get("precompiled_charsmap", Bytes, Bytes())
        # Only for its errors: what can't be read has to be refused.
        read_charsmap(charsmap, "tokenizer.ggml.precompiled_charsmap")
        if self._get("treat_whitespace_as_suffix", bool, False):
            raise UnsupportedError(
                "tokenizer.ggml.treat_whitespace_as_suffix", "only false is supported"
            )
        prefix = self._get("add_space_prefix", bool, True)
        marks = {
            "type": "Metaspace",
            "replacement": SPACE,
            "prepend_scheme": "always" if prefix else "never",
            "split": True,
        }
        steps = [marks]
        if self._get("remove_extra_whitespaces", bool, False):
            steps = [{"type": "WhitespaceSplit"}, marks]
        unknown = [*self.of_kinds(UNKNOWN).values()]
        return {
            "normalizer": {
                "type": "Precompiled",
                "precompiled_charsmap": base64.b64encode(charsmap).decode(),
            }
            if charsmap
            else None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
            "decoder": marks,
            "model": {
                "type": "Unigram",
                "unk_id": unknown[0] if unknown else None,
                "vocab": [list(pair) for pair in zip(self.tokens, self._scores(), strict=True)],
                "byte_fallback": BYTE in self.kinds,
            },
            "added_tokens": self._added(CONTROL, USER_DEFINED, UNKNOWN),
            "post_processor": self._post_processor(False, add_eos=True),
        }

    def wordpiece_spec(self) -> dict[str, Any]:
        """BERT's WordPiece; words are written with a mark, what goes on with a word without."""
        vocab = {}
        for index, (token, kind) in enumerate(zip(self.tokens, self.kinds, strict=True)):
            if kind in (CONTROL, UNKNOWN, UNUSED):
                vocab[token] = index
            elif token.startswith(SPACE) and token != SPACE:
                vocab[token[1:]] = index
            else:
                vocab[f"##{token}"] = index
        if len(vocab) != len(self.tokens):
            raise self._error("tokens", "a token is there twice")
        lowercase = self._get("normalizer.lowercase", bool)
        if lowercase is None:
            if any(token != token.lower() for token in self.of_kinds(NORMAL)):
                raise self._error(
                    "normalizer.lowercase", "missing, and there are tokens with capital letters"
                )
            lowercase = True
        unknown = self._named("unknown", 100)
        if unknown is None:
            raise self._error("unknown_token_id", "missing")
        return {
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": self._get("normalizer.strip_accents", bool),
                "lowercase": lowercase,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {
                "type": "WordPiece",
                "vocab": vocab,
                "unk_token": unknown[0],
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
            },
            "added_tokens": self._added(CONTROL, USER_DEFINED, UNKNOWN),
            "post_processor": self._post_processor(
                True, add_sep=True, second=1, bos=101, sep=102, repeats=False
            ),
        }

    # ------------------------------------------------------------ around the model

    def _added(self, *kinds: int) -> tuple[AddedToken, ...]:
        return tuple(
            AddedToken(token, normalized=False, special=kind != USER_DEFINED, id=index)
            for index, (token, kind) in enumerate(zip(self.tokens, self.kinds, strict=True))
            if kind in kinds
        )

    def _named(self, name: str, default: int | None = None) -> tuple[str, int] | None:
        """The token that ``name`` (such as "bos") stands for, and its id."""
        token_id = self._get(f"{name}_token_id", int)
        if token_id is None:
            if default is None or default >= len(self.tokens):
                return None
            token_id = default
        if not 0 <= token_id < len(self.tokens):
            raise self._error(f"{name}_token_id", f"{token_id} of {len(self.tokens)} tokens")
        return self.tokens[token_id], token_id

    def _post_processor(
        self,
        add_bos: bool,
        *,
        add_eos: bool = False,
        add_sep: bool = False,
        bos: int | None = None,
        sep: int | None = None,
        second: int = 1,
        repeats: bool = True,
    ) -> dict[str, Any] | None:
        """What is put around a text: by the file's flags, or else by these.

        ``bos`` and ``sep`` are ids where the file has none; ``repeats``: the second text of a
        pair begins as the first does.
        """
        first = last = None
        if self._get("add_bos_token", bool, add_bos):
            first = self._named("cls") or self._named("bos", bos)
        if self._get("add_eos_token", bool, add_eos):
            last = self._named("eos")
        elif self._get("add_sep_token", bool, add_sep):
            # The key is misspelled in the format.
            last = self._named("seperator", sep)
        around = [token for token in (first, last) if token is not None]
        if not around:
            return None

        def template(name: str, type_id: int, opening: bool) -> list[dict[str, Any]]:
            parts: list[dict[str, Any]] = [{"Sequence": {"id": name, "type_id": type_id}}]
            if first is not None and opening:
                parts.insert(0, {"SpecialToken": {"id": first[0], "type_id": type_id}})
            if last is not None:
                parts.append({"SpecialToken": {"id": last[0], "type_id": type_id}})
            return parts

        single = template("A", 0, True)
        return {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, *template("B", second, repeats)],
            "special_tokens": {
                token: {"id": token, "ids": [token_id], "tokens": [token]}
                for token, token_id in around
            },
        }

    def config(self) -> dict[str, Any]:
        """What a tokenizer_config.json would say."""
        config: dict[str, Any] = {}
        for name, key in _SPECIAL.items():
            named = self._named(name)
            if named is not None:
                config[key] = named[0]
        template = self.values.get("tokenizer.chat_template")
        if isinstance(template, str):
            config["chat_template"] = template
        return config


def _piece_decoder(strips: bool) -> dict[str, Any]:
    decoders: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if strips:
        decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": decoders}


def _merge(text: str, place: str) -> list[str]:
    """The two tokens of a merge; the first of them is not empty."""
    at = text.find(" ", 1)
    if at < 0:
        raise SpecError(place, f"{shorten(text)} is not two tokens")
    return [text[:at], text[at + 1 :]]


_SPECIAL = {
    "bos": "bos_token",
    "eos": "eos_token",
    "unknown": "unk_token",
    "seperator": "sep_token",
    "padding": "pad_token",
    "cls": "cls_token",
    "mask": "mask_token",
}
_MODELS: dict[str, Callable[[Fields], dict[str, Any]]] = {
    "gpt2": Fields.byte_level_spec,
    "llama": Fields.piece_spec,
    "t5": Fields.unigram_spec,
    "bert": Fields.wordpiece_spec,
    "gemma4": Fields.gemma_spec,
}
