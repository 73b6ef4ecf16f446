"""Blocks of documents to arrays of ids, on any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textcore.core.documents import Documents, encode_documents
from textcore.corpora.blocks import Block
from textcore.corpora.end_of_text import end_of_text_id
from textcore.corpora.options import Options
from textcore.errors import TextcoreError
from textcore.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

UINT16_IDS = 1 << 16


@dataclass(slots=True)
class Encoded:
    """A block's ids, one document after the other, and how many each has (int32)."""

    ids: NDArray[Any]
    lengths: NDArray[Any]
    empty: int


class BlockEncoder:
    """What a job makes of a block: the same on every thread and machine.

    Raises TextcoreError where the options don't fit the tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer, options: Options) -> None:
        import numpy

        self._numpy = numpy
        self._tokenizer = tokenizer
        self._options = options
        pipeline = tokenizer._pipeline
        self.end_of_text = end_of_text_id(tokenizer, options.end_of_text)
        self._suffix: tuple[int, ...] = () if self.end_of_text is None else (self.end_of_text,)
        self.ids_type = _ids_type(tokenizer, options.ids)
        self._matchers = tokenizer._matchers(options.allowed_special)
        affixes = pipeline.affixes if options.add_special_tokens else ((), ())
        # Without them, only the tokenizer itself knows what belongs around a document.
        self._encoder = None if affixes is None else pipeline.encoder
        self._affixes: tuple[Sequence[int], Sequence[int]] = affixes or ((), ())

    @property
    def can_go_on(self) -> bool:
        """Whether a document may be encoded in parts, as far as its ends are concerned."""
        return self._encoder is not None

    def __call__(self, block: Block) -> Encoded:
        """A block's ids. Raises BlockProblem, and what encoding raises."""
        return self.encode(block.documents(), block.goes_on, block.stays_open)

    def encode(
        self, parts: list[Documents], goes_on: bool = False, stays_open: bool = False
    ) -> Encoded:
        """The ids of documents that are well-formed UTF-8."""
        done = [self._encode(documents, goes_on, stays_open) for documents in parts]
        empty = sum(documents.empty for documents in parts)
        if len(done) == 1:
            return Encoded(*done[0], empty)
        ids, lengths = (self._numpy.concatenate(arrays) for arrays in zip(*done, strict=True))
        return Encoded(ids, lengths, empty)

    def _encode(
        self, documents: Documents, goes_on: bool, stays_open: bool
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        empty = self._numpy.empty
        if self._encoder is None:
            return self._by_tokenizer(documents)
        before, after = self._affixes
        return encode_documents(
            self._encoder,
            *self._matchers,
            documents,
            before,
            (*after, *self._suffix),
            partial(empty, dtype=self.ids_type),
            partial(empty, dtype="int32"),
            2 if self.ids_type == "uint16" else 4,
            goes_on,
            stays_open,
        )

    def _by_tokenizer(self, documents: Documents) -> tuple[NDArray[Any], NDArray[Any]]:
        """The same through the tokenizer's own methods, where its parts look at whole texts."""
        numpy = self._numpy
        batch = self._tokenizer.encode_batch(
            [documents[i].decode() for i in range(len(documents))],
            add_special_tokens=self._options.add_special_tokens,
            allowed_special=self._options.allowed_special,
        )
        flat = [token for ids in batch for token in (*ids, *self._suffix)]
        lengths = [len(ids) + len(self._suffix) for ids in batch]
        return numpy.array(flat, self.ids_type), numpy.array(lengths, "int32")


def _ids_type(tokenizer: Tokenizer, wanted: str) -> str:
    """The type that has room for every id. Raises TextcoreError."""
    pipeline = tokenizer._pipeline
    largest = max(pipeline.model.max_id, *pipeline.added.tokens, 0)
    if wanted == "uint16" and largest >= UINT16_IDS:
        raise TextcoreError(f"uint16 has no room for the id {largest} of this tokenizer")
    if wanted == "auto":
        return "uint16" if largest < UINT16_IDS else "uint32"
    return wanted
