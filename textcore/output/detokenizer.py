"""Text from token ids that arrive one by one, as early as it is certain."""

from __future__ import annotations

from typing import Protocol

from textcore.core.detokenize import TokenStream
from textcore.pipeline.decode_plan import DecodePlan


class HasDecodePlan(Protocol):
    """A tokenizer, as far as a detokenizer needs one."""

    @property
    def decode_plan(self) -> DecodePlan:
        """How the tokenizer decodes."""


class IncrementalDetokenizer(TokenStream):
    """Turns a stream of token ids into a stream of text.

    ``add(ids)`` takes one id or several (any iterable of int, or an integer buffer) and
    returns the text that they complete; ``flush()`` ends the stream and returns what was
    held back; ``text`` is all text so far. However the ids are cut into calls, the pieces
    joined equal ``tok.decode(ids, skip_special_tokens)`` of all ids wherever the tokens'
    bytes are valid UTF-8. Ill-formed bytes come as in Python's ``errors="replace"``; for
    byte-fallback vocabularies ``decode`` shows more U+FFFD there (see
    ``docs/detokenizer.md``).

    Nothing is held back but an incomplete character, and what the tokenizer's decoder may
    still change. Every call costs time in proportion to its own ids. ``text`` is put
    together when it is read.

    ``add`` raises ``ValueError`` for ids out of range and after ``flush``, ``TypeError``
    for what is no id. One object serves one stream, and one thread at a time.
    """

    def __init__(self, tok: HasDecodePlan, skip_special_tokens: bool = True) -> None:
        super().__init__(*tok.decode_plan.stream_parts(skip_special_tokens))
