"""``tokenizers.Tokenizer``, run by textcore."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

from textcore.compat.tokenizers.added import AddedToken, ignored, tokens_of
from textcore.compat.tokenizers.component import Component, check_kind
from textcore.compat.tokenizers.decoders import Decoder
from textcore.compat.tokenizers.inputs import batch_of, sequence_of
from textcore.compat.tokenizers.models import Model
from textcore.compat.tokenizers.normalizers import Normalizer
from textcore.compat.tokenizers.pre_tokenizers import PreTokenizer
from textcore.compat.tokenizers.processors import PostProcessor
from textcore.compat.tokenizers.show import REPR_ITEMS, STR_ITEMS
from textcore.compat.tokenizers.spec import (
    VERSION,
    padding_dict,
    padding_spec,
    show_tokenizer,
    truncation_dict,
    truncation_spec,
)
from textcore.compat.tokenizers.vocabulary import AddedTokens
from textcore.encoding import Encoding
from textcore.formats.huggingface import parse_tokenizer_json
from textcore.pipeline.added_tokens import Matchers, read_added_tokens
from textcore.pipeline.assemble import Pipeline
from textcore.pipeline.fitting import (
    STRATEGY_NAMES,
    Fitting,
    Padding,
    Truncation,
    read_padding,
    read_truncation,
)
from textcore.pipeline.spec import Node
from textcore.tokenizer import CACHE_LINES

NO_TRAINING = "textcore does not train tokenizers: train with the original library, load here"

# The parts beside the model, and what each is.
PARTS: dict[str, type[Component]] = {
    "normalizer": Normalizer,
    "pre_tokenizer": PreTokenizer,
    "post_processor": PostProcessor,
    "decoder": Decoder,
}


class Tokenizer:
    """A tokenizer with the interface of ``tokenizers.Tokenizer`` 0.23, training excluded.

    Its parts can be changed at any time; what works is put together again when it is next
    needed. Any number of threads may use it.
    """

    def __init__(self, model: Model) -> None:
        check_kind(model, Model)
        self._start(model)

    def _start(self, model: Model) -> None:
        self._lock = RLock()
        self._model = model
        self._parts: dict[str, Any] = dict.fromkeys(PARTS)
        self._added = AddedTokens()
        self._truncation: Truncation | None = None
        self._padding: Padding | None = None
        self._encode_special = False
        self._edits = 0
        self._ready: tuple[Any, Pipeline] | None = None

    # ------------------------------------------------------------ loading and saving

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        """The tokenizer of a tokenizer.json's text. Raises SpecError."""
        new = Tokenizer.__new__(Tokenizer)
        new._load_text(json)
        return new

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        """The tokenizer of a tokenizer.json. Raises OSError and SpecError."""
        with open(path, encoding="utf-8") as file:
            return Tokenizer.from_str(file.read())

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        """The tokenizer of a tokenizer.json's bytes. Raises ValueError."""
        if not isinstance(buffer, (bytes, bytearray, memoryview)):
            raise TypeError(f"'{type(buffer).__name__}' object is not an instance of 'bytes'")
        try:
            return Tokenizer.from_str(bytes(buffer).decode())
        except ValueError as error:
            raise ValueError(f"Cannot instantiate Tokenizer from buffer: {error}") from None

    @staticmethod
    def from_pretrained(
        identifier: str, revision: str = "main", token: str | None = None
    ) -> Tokenizer:
        """The tokenizer of a repository on the hub (needs huggingface_hub)."""
        from huggingface_hub import hf_hub_download

        path = hf_hub_download(identifier, "tokenizer.json", revision=revision, token=token)
        return Tokenizer.from_file(path)

    def _load_text(self, text: str) -> None:
        self._load(parse_tokenizer_json(text))

    def _load(self, spec: Mapping[str, Any]) -> None:
        root = Node(spec, "")
        version = root.get("version", str, VERSION)
        if version != VERSION:
            raise root.error("version", f"expected {VERSION!r}, found {version!r}")
        model = root.child("model")
        if model is None:
            raise root.error("model", "missing; expected an object")
        self._start(Model._from_spec(model.data))
        for name, kind in PARTS.items():
            part = root.child(name)
            self._parts[name] = None if part is None else kind._from_spec(part.data)
        self._truncation = read_truncation(root.child("truncation"))
        self._padding = read_padding(root.child("padding"))
        self._add(read_added_tokens(root))
        self._pipeline()

    def to_str(self, pretty: bool = False) -> str:
        """The tokenizer.json's text."""
        spec = self._spec()
        if pretty:
            return json.dumps(spec, ensure_ascii=False, indent=2)
        return json.dumps(spec, ensure_ascii=False, separators=(",", ":"))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write a tokenizer.json. Raises OSError."""
        Path(path).write_text(self.to_str(pretty), encoding="utf-8")

    def _spec(self) -> dict[str, Any]:
        parts = {
            name: None if part is None else part._spec() for name, part in self._parts.items()
        }
        return {
            "version": VERSION,
            "truncation": truncation_spec(self._truncation),
            "padding": padding_spec(self._padding),
            "added_tokens": self._added.spec(),
            **parts,
            "model": self._model._spec(),
        }

    def __getstate__(self) -> bytes:
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        self._load_text(state.decode())

    def __reduce__(self) -> Any:
        return _blank, (type(self),), self.__getstate__()

    def __repr__(self) -> str:
        return show_tokenizer(self._spec(), REPR_ITEMS)

    def __str__(self) -> str:
        return show_tokenizer(self._spec(), STR_ITEMS)

    # ------------------------------------------------------------ the parts

    def _pipeline(self) -> Pipeline:
        """What works, put together anew if anything has changed."""
        ready = self._ready
        if ready is not None and ready[0] == self._version():
            return ready[1]
        with self._lock:
            version = self._version()
            if self._ready is None or self._ready[0] != version:
                self._ready = (version, self._assemble())
            return self._ready[1]

    def _version(self) -> Any:
        parts = [part._version() for part in self._parts.values() if part is not None]
        return self._edits, self._model._changes, parts

    def _assemble(self) -> Pipeline:
        spec: dict[str, Any] = {
            name: None if part is None else part._component() for name, part in self._parts.items()
        }
        spec["model"] = self._model._build
        spec["added_tokens"] = tuple(self._added.tokens)
        pipeline = Pipeline(spec, CACHE_LINES)
        if pipeline.added.ids != self._added.ids:
            # They were given while there was another model.
            spec["added_tokens"] = self._added.with_ids()
            pipeline = Pipeline(spec, CACHE_LINES)
        return pipeline

    def _set(self, name: str, part: Any) -> None:
        if part is not None:
            check_kind(part, PARTS[name])
        with self._lock:
            self._parts[name] = part
            self._edits += 1

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"'{model}' is not an instance of 'Model'")
        with self._lock:
            self._model = model
            self._edits += 1

    @property
    def normalizer(self) -> Any:
        """The normalizer, or None."""
        return self._parts["normalizer"]

    @normalizer.setter
    def normalizer(self, normalizer: Normalizer | None) -> None:
        self._set("normalizer", normalizer)

    @property
    def pre_tokenizer(self) -> Any:
        """The pre-tokenizer, or None."""
        return self._parts["pre_tokenizer"]

    @pre_tokenizer.setter
    def pre_tokenizer(self, pretok: PreTokenizer | None) -> None:
        self._set("pre_tokenizer", pretok)

    @property
    def post_processor(self) -> Any:
        """The post-processor, or None."""
        return self._parts["post_processor"]

    @post_processor.setter
    def post_processor(self, processor: PostProcessor | None) -> None:
        self._set("post_processor", processor)

    @property
    def decoder(self) -> Any:
        """The decoder, or None."""
        return self._parts["decoder"]

    @decoder.setter
    def decoder(self, decoder: Decoder | None) -> None:
        self._set("decoder", decoder)

    # ------------------------------------------------------------ added tokens, vocabulary

    def _add(self, tokens: Iterable[Any]) -> int:
        with self._lock:
            added = self._added.add(tokens, self._model._id_of, self._model._size())
            self._edits += added > 0
            return added

    def add_tokens(self, tokens: list[Any]) -> int:
        """Add tokens (str or AddedToken); how many were new is returned."""
        return self._add(tokens_of(tokens, False))

    def add_special_tokens(self, tokens: list[Any]) -> int:
        """Add tokens (str or AddedToken) as special ones; how many were new is returned."""
        return self._add(tokens_of(tokens, True))

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are encoded as the text that they are."""
        return self._encode_special

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._encode_special = value

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return {i: AddedToken._of(token) for i, token in sorted(self._added.by_id.items())}

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """A new dict of tokens and ids."""
        vocab = dict(self._model._vocab())
        if with_added_tokens:
            vocab.update(self._added.ids)
        return vocab

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """How many tokens there are."""
        if not with_added_tokens:
            return self._model._size()
        known = self._model._id_of
        return self._model._size() + sum(known(token) is None for token in self._added.ids)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""
        check_kind(token, str)
        token_id = self._added.ids.get(token)
        return self._model._id_of(token) if token_id is None else token_id

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, or None; an added one in its normalized form."""
        if id < 0:
            raise OverflowError("can't convert negative int to unsigned")
        token = self._added.by_id.get(id)
        if token is not None and not (token.normalized and self._parts["normalizer"] is not None):
            return token.content
        return self._pipeline().id_to_token(id)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the post-processor adds to one sequence, or to two."""
        processor = self._parts["post_processor"]
        return 0 if processor is None else int(processor.num_special_tokens_to_add(is_pair))

    # ------------------------------------------------------------ cutting and filling

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The keywords of enable_truncation, or None."""
        return truncation_dict(self._truncation)

    def enable_truncation(
        self,
        max_length: int,
        *,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
        **unknown: Any,
    ) -> None:
        """Cut encodings to ``max_length`` tokens from now on. Raises ValueError."""
        ignored(unknown)
        if strategy not in STRATEGY_NAMES:
            raise ValueError(
                f"Unknown `strategy`: `{strategy}`. Use one of `longest_first`, `only_first`, "
                "or `only_second`"
            )
        if direction not in ("left", "right"):
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`.")
        if max_length < 0 or stride < 0:
            raise OverflowError("can't convert negative int to unsigned")
        added = self.num_special_tokens_to_add(False)
        # Below 0, the original's difference is that of unsigned numbers: very large.
        if 0 <= max_length - added < stride:
            raise ValueError(
                f"tokenizer stride set to {stride}, which is greater than or equal to its "
                f"effective max length of {max_length - added} (= {max_length} original max "
                f"length - {added} added special tokens), "
            )
        self._truncation = Truncation(max_length, STRATEGY_NAMES[strategy], stride, direction)

    def no_truncation(self) -> None:
        """Cut nothing from now on."""
        self._truncation = None

    @property
    def padding(self) -> dict[str, Any] | None:
        """The keywords of enable_padding, or None."""
        return padding_dict(self._padding)

    def enable_padding(
        self,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **unknown: Any,
    ) -> None:
        """Fill encodings to ``length``, or to the longest of a batch. Raises ValueError."""
        length = unknown.pop("max_length", length)
        ignored(unknown)
        if direction not in ("left", "right"):
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
        self._padding = Padding(
            length, direction, pad_to_multiple_of, pad_id, pad_type_id, pad_token
        )

    def no_padding(self) -> None:
        """Fill nothing from now on."""
        self._padding = None

    def _fitting(self) -> Fitting:
        return Fitting(self._truncation, self._padding)

    # ------------------------------------------------------------ encoding

    def _matchers(self, pipeline: Pipeline) -> Matchers:
        if not self._encode_special:
            return pipeline.added.all
        added = self._added
        return pipeline.added.matchers(
            frozenset(text for text in added.ids if text not in added.special)
        )

    def encode(
        self,
        sequence: Any,
        pair: Any | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """The Encoding of one sequence or two, each a text or a list of words."""
        first = sequence_of(sequence, is_pretokenized)
        second = None if pair is None else sequence_of(pair, is_pretokenized)
        pipeline = self._pipeline()
        return pipeline.aligned.encodings(
            [(first, second)], add_special_tokens, *self._matchers(pipeline), self._fitting()
        )[0]

    def encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The Encoding of each sequence or pair of sequences."""
        pipeline = self._pipeline()
        inputs = batch_of(input, is_pretokenized)
        return pipeline.aligned.encodings(
            inputs, add_special_tokens, *self._matchers(pipeline), self._fitting()
        )

    def encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """As encode_batch, but without tokens, offsets and words: those are blank."""
        pipeline = self._pipeline()
        inputs = batch_of(input, is_pretokenized)
        return pipeline.aligned.blank_encodings(
            inputs, add_special_tokens, *self._matchers(pipeline), self._fitting()
        )

    async def async_encode(
        self,
        sequence: Any,
        pair: Any | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """:meth:`encode` on another thread."""
        return await asyncio.to_thread(
            self.encode, sequence, pair, is_pretokenized, add_special_tokens
        )

    async def async_encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """:meth:`encode_batch` on another thread."""
        return await asyncio.to_thread(
            self.encode_batch, input, is_pretokenized, add_special_tokens
        )

    async def async_encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """:meth:`encode_batch_fast` on another thread."""
        return await asyncio.to_thread(
            self.encode_batch_fast, input, is_pretokenized, add_special_tokens
        )

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Encodings cut, processed and filled as this tokenizer does it."""
        check_kind(encoding, Encoding)
        return self._pipeline().aligned.fitted(
            encoding.copy(),
            None if pair is None else pair.copy(),
            add_special_tokens,
            self._fitting(),
        )

    # ------------------------------------------------------------ decoding

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        """The text of ids; those of no token are passed over."""
        if isinstance(ids, str):
            raise TypeError("Can't extract `str` to `Vec`")
        return self._pipeline().decode_plan.decode(ids, skip_special_tokens)

    def decode_batch(
        self, sequences: Sequence[Any], skip_special_tokens: bool = True
    ) -> list[str]:
        """The text of each list of ids."""
        decode = self._pipeline().decode_plan.decode
        for ids in sequences:
            if isinstance(ids, (int, str)):
                raise TypeError(f"'{type(ids).__name__}' object is not an instance of 'Sequence'")
        return [decode(ids, skip_special_tokens) for ids in sequences]

    async def async_decode_batch(
        self, sequences: Sequence[Any], skip_special_tokens: bool = True
    ) -> list[str]:
        """:meth:`decode_batch` on another thread."""
        return await asyncio.to_thread(self.decode_batch, sequences, skip_special_tokens)

    # ------------------------------------------------------------ what is not there

    def train(self, files: Any, trainer: Any = None) -> None:
        """Not there: textcore does not train. Raises NotImplementedError."""
        raise NotImplementedError(NO_TRAINING)

    def train_from_iterator(
        self, iterator: Any, trainer: Any = None, length: int | None = None
    ) -> None:
        """Not there: textcore does not train. Raises NotImplementedError."""
        raise NotImplementedError(NO_TRAINING)


def _blank(kind: type[Tokenizer]) -> Tokenizer:
    return kind.__new__(kind)
