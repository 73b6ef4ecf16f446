"""Places of tokens in a text, found out from ids alone.

A byte-level pipeline that only divides a text loses none of it: ids stand for consecutive
bytes, and a token's spelling has one character for each. So the encoder's ids, the words
and the lengths of tokens say where each token is, in far less time than carrying alignments
through every component takes. Whatever does not add up is left to that way.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from textcore.core.added import AddedMatcher
from textcore.encoding import Encoding
from textcore.pipeline.decoders import byte_level_bytes
from textcore.pipeline.normalized import char_of_byte

if TYPE_CHECKING:
    from textcore.pipeline.assemble import Pipeline

# A part of a text: its (start, end), and the id of the added token that it is, or None.
Part = tuple[int, int, int | None]


class SpanFinder:
    """Encodings of single texts by ``pipeline``, which must be ``contiguous``."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._lengths: dict[int, int] = {}

    def encoding(
        self,
        text: str,
        type_id: int,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
    ) -> Encoding | None:
        """The encoding of a text, nothing added; None where it can't be told this way."""
        pipeline = self._pipeline
        encoder, normalizer = pipeline.encoder, pipeline.normalizer
        if encoder is None:
            return None
        if normalizer is not None and normalizer.normalize_str(text) != text:
            return None
        ids = encoder.encode(text, first, second)
        tokens: list[str] = []
        offsets: list[tuple[int, int]] = []
        words: list[int | None] = []
        word = at = 0
        for start, end, added in _parts(text, first, second):
            piece = text[start:end]
            if added is not None:
                if at >= len(ids) or ids[at] != added:
                    return None
                tokens.append(piece)
                offsets.append((start, end))
                words.append(word)
                at += 1
                word += 1
                continue
            # In bytes of the piece: where each word ends, and each token begins and ends.
            ends = []
            size = 0
            for part in encoder.split(piece):
                size += len(part) if part.isascii() else len(part.encode())
                ends.append(size)
            edges = self._edges(ids, at, size)
            if edges is None:
                return None
            count = len(edges) - 1
            tokens += [pipeline.model.tokens[token] for token in ids[at : at + count]]
            at += count
            offsets += _characters(piece, start, edges)
            owners = _owners(edges, ends)
            if owners is None:
                return None
            words += [word + owner for owner in owners]
            word += len(ends)
        if at != len(ids):
            return None
        return Encoding.from_parts(ids, tokens, offsets, words, type_id)

    def _edges(self, ids: list[int], at: int, size: int) -> list[int] | None:
        """Where the tokens from ``at`` on that make up ``size`` bytes begin and end."""
        lengths = self._lengths
        edges = [0]
        edge = 0
        while edge < size:
            if at >= len(ids):
                return None
            token = ids[at]
            length = lengths.get(token)
            if length is None:
                text = self._pipeline.model.tokens.get(token)
                if text is None:
                    return None
                length = lengths[token] = len(byte_level_bytes(text))
            edge += length
            edges.append(edge)
            at += 1
        return edges if edge == size else None


def _parts(text: str, first: AddedMatcher | None, second: AddedMatcher | None) -> list[Part]:
    """A text as added tokens and what lies between, in order."""
    if not text:
        return []
    parts: list[Part] = first.spans(text) if first is not None else [(0, len(text), None)]
    if second is None:
        return parts
    found: list[Part] = []
    for start, end, added in parts:
        if added is not None or start == end:
            found.append((start, end, added))
        else:
            inner = second.spans(text[start:end])
            found += [(start + low, start + high, token) for low, high, token in inner]
    return found


def _characters(piece: str, start: int, edges: list[int]) -> list[tuple[int, int]]:
    """The characters of the whole text that tokens with these edges are in."""
    char_of = char_of_byte(piece)
    if char_of is None:
        return [(start + low, start + high) for low, high in pairwise(edges)]
    return [(start + char_of[low], start + char_of[high - 1] + 1) for low, high in pairwise(edges)]


def _owners(edges: list[int], ends: list[int]) -> list[int] | None:
    """The index of the word that each token is in; None if one is in two."""
    owners = []
    word = 0
    for edge in edges[1:]:
        end = ends[word]
        if edge > end:
            return None
        owners.append(word)
        if edge == end:
            word += 1
    return owners
