"""How the places of tokens in a text are found: from their ids, where those tell."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from textcore.core.alignment import Alignment
from textcore.core.lengths import TokenLengths
from textcore.core.spans import SpanFinder, marks_of
from textcore.pipeline.normalized import NormalizedString
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.plan import unicode_form

if TYPE_CHECKING:
    from textcore.pipeline.assemble import Pipeline

# Words, starts and ends of tokens, and what some of them are where the vocabulary has others.
Spans: TypeAlias = "tuple[array[int], array[int], array[int], list[tuple[int, str]]]"


def make_finder(pipeline: Pipeline) -> SpanFinder | None:
    """What finds the places of a pipeline's ids; None where they don't tell.

    That is where a pre-tokenizer runs in Python, where words may lose characters, and where
    two tokens have one id.
    """
    encoder, model, normalizer = pipeline.encoder, pipeline.model, pipeline.normalizer
    if encoder is None or encoder.pre_split is not None:
        return None
    tokens = model.tokens
    if len(tokens) != model.vocab_size:
        return None
    try:
        lengths = TokenLengths(model.compiled, tokens, marks_of(encoder))
    except ValueError:
        return None
    align = None
    if encoder.normalize is not None:
        assert normalizer is not None
        align = _aligner(normalizer)
    contents = {
        token_id: tokens.get(token_id, token.content).encode()
        for token_id, token in pipeline.added.tokens.items()
    }
    return SpanFinder(encoder, lengths, unicode_form(normalizer), align, contents)


def _aligner(normalizer: Normalizer) -> Callable[[str], tuple[str, Alignment | None]]:
    def align(text: str) -> tuple[str, Alignment | None]:
        piece = NormalizedString(text)
        normalizer.normalize(piece)
        return piece.normalized, piece.alignment

    return align
