"""The way through a pipeline that keeps each token's place in the original text.

Slower than the encoder, and the same ids: every component runs as the reference runs it,
on texts that know where their characters come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textcore.core.added import AddedMatcher
from textcore.encoding import Encoding
from textcore.pipeline.fitting import read_padding, read_truncation
from textcore.pipeline.normalized import NormalizedString, PreTokenizedString, Split
from textcore.pipeline.post_processors import default_process
from textcore.pipeline.spec import Node

if TYPE_CHECKING:
    from textcore.pipeline.assemble import Pipeline


class AlignedPath:
    """Encodings of texts, by the components of ``pipeline``."""

    def __init__(self, root: Node, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._truncation = read_truncation(root.child("truncation"))
        self._padding = read_padding(root.child("padding"))
        processor = pipeline.post_processor
        self._added_tokens = processor.added_tokens if processor else lambda is_pair: 0

    def ids(self, text: str, first: AddedMatcher | None, second: AddedMatcher | None) -> list[int]:
        """The ids of one text, nothing added, nothing cut."""
        splits = self._tokenized(text, first, second).splits
        return [token[0] for split in splits for token in split.tokens or ()]

    def processed_ids(self, ids: list[int]) -> list[int]:
        """Ids of one sequence after the post-processor."""
        count = len(ids)
        encoding = Encoding.from_parts(ids, [""] * count, [(0, 0)] * count, [None] * count)
        return self._process(encoding, None, True).ids

    def encoding(
        self,
        text: str,
        pair: str | None,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
    ) -> Encoding:
        """One or two texts encoded, cut, processed and filled."""
        encoded = self._sequence(text, 0, first, second)
        other = None if pair is None else self._sequence(pair, 1, first, second)
        truncation = self._truncation
        if truncation is not None:
            added = self._added_tokens(pair is not None) if add_special_tokens else 0
            truncation.less(added).apply(encoded, other)
        encoding = self._process(encoded, other, add_special_tokens)
        if self._padding is not None:
            self._padding.apply([encoding])
        return encoding

    def _process(
        self, encoding: Encoding, pair: Encoding | None, add_special_tokens: bool
    ) -> Encoding:
        processor = self._pipeline.post_processor
        if processor is None:
            return default_process(encoding, pair)
        return processor.process(encoding, pair, add_special_tokens)

    def _sequence(
        self, text: str, type_id: int, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> Encoding:
        return self._tokenized(text, first, second).into_encoding(None, type_id)

    def _tokenized(
        self,
        text: str,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
    ) -> PreTokenizedString:
        pipeline = self._pipeline
        whole = PreTokenizedString(text)
        whole.split(lambda _, piece: _extract(piece, first))
        normalizer = pipeline.normalizer

        def normalize_and_extract(_: int, piece: NormalizedString) -> list[Split]:
            if normalizer is not None:
                normalizer.normalize(piece)
            return _extract(piece, second)

        whole.split(normalize_and_extract)
        if pipeline.pre_tokenizer is not None:
            pipeline.pre_tokenizer.pre_tokenize(whole)
        whole.tokenize(pipeline.model.tokenize)
        return whole


def _extract(piece: NormalizedString, matcher: AddedMatcher | None) -> list[Split]:
    """A text cut into added tokens, which get their ids, and what lies between."""
    text = piece.normalized
    if matcher is None or not text:
        return [Split(piece.slice(0, len(text)))]
    splits = []
    for start, end, token_id in matcher.spans(text):
        part = piece.slice(start, end)
        tokens = None
        if token_id is not None:
            value = part.normalized
            tokens = [(token_id, value, (0, len(value.encode())))]
        splits.append(Split(part, tokens))
    return splits
