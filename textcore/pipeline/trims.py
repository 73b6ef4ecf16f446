"""Blanks taken out of the offsets of byte-level tokens, by what is known of each token."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from textcore.core.deferred import Trimmer
from textcore.pipeline.post_processors import blanks, trimmed


def make_trimmer(tokens: Iterable[tuple[int, str]], prefixed: Sequence[bool]) -> Trimmer:
    """The trimming that a post-processor begins with, for tokens and their ids.

    ``prefixed`` has, for each time that offsets are trimmed, whether the first space may be
    one that was added.
    """
    leading, trailing = array("I"), array("I")
    known = list(tokens)
    leading.frombytes(bytes(4 * (max((token_id for token_id, _ in known), default=-1) + 1)))
    trailing += leading
    for token_id, token in known:
        leading[token_id], trailing[token_id] = blanks(token)
    return Trimmer(leading, trailing, tuple(prefixed), trimmed)
