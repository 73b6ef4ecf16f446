"""The models of ``tokenizers``, by the same names, without what trains them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from collections.abc import Sequence as Seq
from pathlib import Path
from typing import Any, ClassVar

from textcore.compat.tokenizers.added import ignored
from textcore.compat.tokenizers.component import Component, Field
from textcore.compat.tokenizers.strings import Token
from textcore.core.vocabscan import Merges as Tables
from textcore.core.vocabscan import Vocabulary
from textcore.errors import SpecError
from textcore.pipeline.models import Model as Made
from textcore.pipeline.models import build_model
from textcore.pipeline.spec import Node

Merges = Seq[tuple[str, str]]


class Model(Component):
    """The base of all models; calling it makes an empty BPE."""

    _kinds: ClassVar[dict[str, type[Component]]] = {}
    _made_for: dict[bool, tuple[int, Made]]

    def __init_subclass__(cls) -> None:
        Model._kinds[cls.__name__] = cls

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Model:
            return BPE(*args, **kwargs)
        return super().__new__(cls)

    def _start(self, **fields: Any) -> None:
        super()._start(**fields)
        self._made_for = {}

    @classmethod
    def _kind_of(cls, spec: Mapping[str, Any]) -> str:
        if "type" in spec:
            return str(spec["type"])
        if "merges" in spec:
            return "BPE"
        if isinstance(spec.get("vocab"), list):
            return "Unigram"
        return "WordPiece" if "max_input_chars_per_word" in spec else "WordLevel"

    def _build(self, byte_level: bool) -> Made:
        """The model that works; ``byte_level``: words come as stand-ins for bytes."""
        made = self._made_for.get(byte_level)
        if made is None or made[0] != self._changes:
            node = Node({"type": type(self).__name__, **self._fields}, "model")
            made = self._made_for[byte_level] = (self._changes, build_model(node, byte_level))
        return made[1]

    def _make(self) -> Made:
        return self._build(False)

    def _vocab(self) -> dict[str, int]:
        vocab: dict[str, int] = self._fields["vocab"]
        return vocab

    def _size(self) -> int:
        return len(self._fields["vocab"])

    def _id_of(self, token: str) -> int | None:
        """The id of a token, or None."""
        return self._vocab().get(token)

    def tokenize(self, sequence: str) -> list[Token]:
        """The tokens of one word."""
        return [Token(*token) for token in self._component().tokenize(sequence)]

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""
        return self._id_of(token)

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, or None."""
        token: str | None = self._component().id_to_token(id)
        return token

    def get_trainer(self) -> Any:
        """Not there: textcore does not train. Raises NotImplementedError."""
        raise NotImplementedError("textcore does not train tokenizers: use the original library")

    def save(self, folder: str, prefix: str | None = None, name: str | None = None) -> list[str]:
        """Write the vocabulary's files into a folder, and return their paths."""
        start = prefix or name
        stem = "" if start is None else f"{start}-"
        paths = []
        for suffix, text in self._files().items():
            path = Path(folder) / f"{stem}{suffix}"
            path.write_text(text, encoding="utf-8")
            paths.append(str(path))
        return paths

    def _files(self) -> dict[str, str]:
        return {"vocab.json": _dump(_by_id(self._vocab()))}


class BPE(Model):
    """Byte-pair encoding."""

    _defaults: ClassVar[dict[str, Any]] = {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {},
        "merges": [],
    }
    dropout = Field()
    unk_token = Field()
    continuing_subword_prefix = Field()
    end_of_word_suffix = Field()
    fuse_unk = Field()
    byte_fallback = Field()
    ignore_merges = Field()

    def __init__(
        self,
        vocab: dict[str, int] | str | None = None,
        merges: Merges | str | None = None,
        **options: Any,
    ) -> None:
        if (vocab is None) != (merges is None):
            raise ValueError("`vocab` and `merges` must be both specified")
        if isinstance(vocab, str) and isinstance(merges, str):
            vocab, merges = BPE.read_file(vocab, merges)
        assert not isinstance(vocab, str)
        assert not isinstance(merges, str)
        fields = {key: options.pop(key) for key in list(options) if key in self._defaults}
        options.pop("cache_capacity", None)
        ignored(options)
        dropout = fields.get("dropout")
        if dropout is not None and not 0 <= dropout <= 1:
            raise ValueError(
                "Error while initializing BPE: Dropout should be between 0 and 1, inclusive"
            )
        pairs = [list(pair) for pair in merges or ()]
        self._start(**{**fields, "vocab": dict(vocab or {}), "merges": pairs})
        self._check_merges()

    def _expand(self) -> None:
        """Make a dict and a list of the tables that a file was read into, where they are that."""
        vocab, merges = self._fields["vocab"], self._fields["merges"]
        if isinstance(vocab, Vocabulary):
            self._fields["vocab"] = vocab.as_dict()
        if isinstance(merges, Tables):
            self._fields["merges"] = [list(pair) for pair in merges.as_list()]

    def _vocab(self) -> dict[str, int]:
        self._expand()
        return super()._vocab()

    def _id_of(self, token: str) -> int | None:
        known: dict[str, int] | Vocabulary = self._fields["vocab"]
        return known.get(token)

    def _check_merges(self) -> None:
        vocab, prefix = self._vocab(), self._fields["continuing_subword_prefix"] or ""
        for one, two in self._fields["merges"]:
            for token in (one, two, one + two[len(prefix) :]):
                if token not in vocab:
                    raise ValueError(
                        f"Error while initializing BPE: Token `{token}` out of vocabulary"
                    )

    @classmethod
    def from_file(cls, vocab: str, merges: str, **options: Any) -> BPE:
        """The model of a vocab.json and a merges.txt."""
        return cls(*BPE.read_file(vocab, merges), **options)

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """What a vocab.json and a merges.txt hold. Raises OSError and ValueError."""
        with open(vocab, encoding="utf-8") as file:
            tokens = _read_vocab(file.read(), vocab)
        pairs = []
        with open(merges, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n").removesuffix("\r")
                if line.startswith("#version") or not line:
                    continue
                parts = line.split(" ")
                if len(parts) != 2:
                    raise ValueError(f"Merges text file invalid at line {number}")
                pairs.append((parts[0], parts[1]))
        return tokens, pairs

    def _spec(self) -> dict[str, Any]:
        self._expand()
        spec = super()._spec()
        spec["vocab"] = _by_id(spec["vocab"])
        spec["merges"] = [
            pair.split(" ", 1) if isinstance(pair, str) else list(pair) for pair in spec["merges"]
        ]
        return spec

    def _files(self) -> dict[str, str]:
        merges = "".join(f"{one} {two}\n" for one, two in self._spec()["merges"])
        return {**super()._files(), "merges.txt": f"#version: 0.2\n{merges}"}

    def _clear_cache(self) -> None:
        """Nothing to do: caches bound themselves."""

    def _resize_cache(self, capacity: int) -> None:
        """Nothing to do: caches bound themselves."""


class WordPiece(Model):
    """The longest token first, word by word."""

    _defaults: ClassVar[dict[str, Any]] = {
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {},
    }
    unk_token = Field()
    continuing_subword_prefix = Field()
    max_input_chars_per_word = Field()

    def __init__(self, vocab: dict[str, int] | str | None = None, **options: Any) -> None:
        if isinstance(vocab, str):
            vocab = WordPiece.read_file(vocab)
        fields = {key: options.pop(key) for key in list(options) if key in self._defaults}
        ignored(options)
        self._start(**{**fields, "vocab": dict(vocab or {})})

    @classmethod
    def from_file(cls, vocab: str, **options: Any) -> WordPiece:
        """The model of a vocab.txt."""
        return cls(WordPiece.read_file(vocab), **options)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """What a vocab.txt holds: a token a line. Raises OSError."""
        with open(vocab, encoding="utf-8", newline="\n") as file:
            return {line.rstrip(): number for number, line in enumerate(file)}

    def _spec(self) -> dict[str, Any]:
        spec = super()._spec()
        spec["vocab"] = _by_id(spec["vocab"])
        return spec

    def _files(self) -> dict[str, str]:
        return {"vocab.txt": "".join(f"{token}\n" for token in _by_id(self._vocab()))}


class WordLevel(Model):
    """A token for each word."""

    _defaults: ClassVar[dict[str, Any]] = {"vocab": {}, "unk_token": "<unk>"}
    unk_token = Field()

    def __init__(
        self, vocab: dict[str, int] | str | None = None, unk_token: str | None = None
    ) -> None:
        if isinstance(vocab, str):
            vocab = WordLevel.read_file(vocab)
        self._start(vocab=dict(vocab or {}), unk_token="<unk>" if unk_token is None else unk_token)

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> WordLevel:
        """The model of a vocab.json."""
        return cls(WordLevel.read_file(vocab), unk_token)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """What a vocab.json holds. Raises OSError and ValueError."""
        with open(vocab, encoding="utf-8") as file:
            return _read_vocab(file.read(), vocab)

    def _spec(self) -> dict[str, Any]:
        spec = super()._spec()
        spec["vocab"] = _by_id(spec["vocab"])
        return spec


class Unigram(Model):
    """The most likely tokens."""

    _defaults: ClassVar[dict[str, Any]] = {
        "unk_id": 0,
        "vocab": [["<unk>", 0.0]],
        "byte_fallback": False,
    }

    def __init__(
        self,
        vocab: Seq[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.nbest_size = nbest_size
        if vocab is None:
            self._start()
            return
        if unk_id is not None and unk_id >= len(vocab):
            raise ValueError(
                "Error while loading Unigram: The `unk_id` is larger than vocabulary size"
            )
        self._start(
            unk_id=unk_id,
            vocab=[[token, float(score)] for token, score in vocab],
            byte_fallback=bool(byte_fallback),
        )

    def _start(self, **fields: Any) -> None:
        super()._start(**fields)
        self._ids: dict[str, int] | None = None

    def _vocab(self) -> dict[str, int]:
        if self._ids is None:
            self._ids = {entry[0]: index for index, entry in enumerate(self._fields["vocab"])}
        return self._ids

    def _build(self, byte_level: bool) -> Made:
        if getattr(self, "alpha", None) or getattr(self, "nbest_size", None):
            raise SpecError("model.alpha", "sampling makes encoding random: it is not supported")
        return super()._build(byte_level)

    def _files(self) -> dict[str, str]:
        spec = self._spec()
        return {"unigram.json": _dump({key: spec[key] for key in ("unk_id", "vocab")})}

    def _clear_cache(self) -> None:
        """Nothing to do: caches bound themselves."""

    def _resize_cache(self, capacity: int) -> None:
        """Nothing to do: caches bound themselves."""


def _by_id(vocab: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(vocab.items(), key=lambda item: item[1]))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _read_vocab(text: str, path: str) -> dict[str, int]:
    vocab = json.loads(text)
    if not isinstance(vocab, dict):
        raise SpecError("", "expected an object of tokens and ids", file=path)
    return vocab
