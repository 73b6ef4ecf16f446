"""Blanks taken out of the offsets of byte-level tokens, by what is known of each token."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from textcore.core import columns
from textcore.pipeline.post_processors import blanks, trimmed
from textcore.pipeline.shapes import Tokens
from textcore.pipeline.spans import Spans


class Trims:
    """The trimming that a post-processor begins with, for the tokens of one vocabulary.

    ``prefixed`` has, for each time that offsets are trimmed, whether the first space may be
    one that was added.
    """

    def __init__(self, tokens: Mapping[int, str], prefixed: Sequence[bool]) -> None:
        self._prefixed = prefixed
        self._leading = array("I")
        self._trailing = array("I")
        self._leading.frombytes(bytes(4 * (max(tokens, default=-1) + 1)))
        self._trailing += self._leading
        for token_id, token in tokens.items():
            self._leading[token_id], self._trailing[token_id] = blanks(token)

    def trim(self, piece: Tokens, found: Spans) -> None:
        """Trim the offsets that were found for a text, in place."""
        _, starts, ends, odd = found
        first, last = piece.front, piece.front + piece.count
        for prefixed in self._prefixed:
            # What a token is where the vocabulary has another is rare.
            kept = [(at, token, starts[at], ends[at]) for at, token in odd]
            columns.trim(
                starts, ends, piece.ids, first, last, self._leading, self._trailing, prefixed
            )
            for at, token, start, end in kept:
                starts[at], ends[at] = trimmed(prefixed, at - first, token, start, end)
