"""A tokenizer, whatever file it comes from, as the specification of a tokenizer.json.

What a tokenizer.json can't say exactly is refused, with the reason: the ids of the result are
those of the original, where all special tokens are found in texts (there is no way to say
that one is not looked for).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textcore.core.bytelevel import to_bytes
from textcore.core.decimals import read_float
from textcore.errors import UnsupportedError
from textcore.formats.exported_merges import exact_merges
from textcore.formats.piece_models import PieceUnigramModel
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.fields import RustPattern
from textcore.pipeline.patterns import rust
from textcore.pipeline.patterns.folding import resolve
from textcore.pipeline.patterns.oniguruma_text import written
from textcore.pipeline.sentencepiece import SPACE, PieceDecoder, PieceNormalizer
from textcore.pipeline.spec import shorten
from textcore.pipeline.unigram import UnigramModel
from textcore.pipeline.wordpiece import VocabModel, WordPieceModel

if TYPE_CHECKING:
    from textcore.pipeline.assemble import Pipeline

PARTS = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")


def to_spec(pipeline: Pipeline) -> dict[str, Any]:
    """The specification of a tokenizer, plain JSON values. Raises UnsupportedError."""
    _check_added(pipeline)
    parts = {name: _plain(pipeline.parts.get(name), name) for name in PARTS}
    return {
        "version": "1.0",
        "added_tokens": [_added(token, pipeline) for token in pipeline.added_tokens],
        **parts,
        "model": _model(pipeline),
    }


def _added(token: AddedToken, pipeline: Pipeline) -> dict[str, Any]:
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    fields = {name: getattr(token, name) for name in flags}
    if token.id is not None:
        # Already in normalized form: not to be normalized again.
        fields["normalized"] = False
    return {"id": pipeline.added.ids[token.content], "content": token.content, **fields}


def _check_added(pipeline: Pipeline) -> None:
    """Refuse added tokens that a tokenizer.json would find elsewhere, or decode otherwise."""
    for token in pipeline.added_tokens:
        place = f"added_tokens[{shorten(token.content)}]"
        if token.id is None:
            continue
        if token.normalized and isinstance(pipeline.normalizer, PieceNormalizer):
            _check_symbol(token, pipeline.normalizer, place)
        stands = to_bytes(token.content) if pipeline.byte_level else None
        if stands is not None and stands != token.content.encode():
            raise UnsupportedError(place, "would be decoded as the bytes that its text stands for")


def _check_symbol(token: AddedToken, normalizer: PieceNormalizer, place: str) -> None:
    if not token.in_text:
        raise UnsupportedError(place, "a user-defined symbol of Unigram is no added token")
    if normalizer.add_dummy_prefix or normalizer.remove_extra_whitespaces:
        raise UnsupportedError(
            place, "spaces around a user-defined symbol depend on the whole text"
        )
    if " " in token.content or SPACE in token.content:
        raise UnsupportedError(place, "a user-defined symbol with a space")


# ---------------------------------------------------------------- parts


def _plain(part: Any, place: str) -> Any:
    """A component's description as JSON."""
    if isinstance(part, RustPattern):
        return written(resolve(rust.parse(str(part), place)), place)
    if isinstance(part, PieceNormalizer):
        return _normalizer(part)
    if isinstance(part, PieceDecoder):
        return _decoder(part)
    if isinstance(part, Mapping):
        return {key: _plain(value, f"{place}.{key}") for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_plain(item, f"{place}[{index}]") for index, item in enumerate(part)]
    if part is None or isinstance(part, (str, int, float)):
        return part
    raise UnsupportedError(place, f"made in Python: {type(part).__name__}")


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _normalizer(part: PieceNormalizer) -> dict[str, Any] | None:
    if part.rules:
        raise UnsupportedError(
            "normalizer_spec.precompiled_charsmap",
            "a tokenizer.json applies such rules to grapheme clusters, not to the longest text "
            "that fits",
        )
    if part.as_suffix and part.add_dummy_prefix:
        raise UnsupportedError("trainer_spec.treat_whitespace_as_suffix", "only false can be said")
    steps: list[dict[str, Any]] = []
    mark = SPACE if part.escape_whitespaces else " "
    if part.remove_extra_whitespaces:
        steps += [_replace({"Regex": r"\A +"}, ""), _replace({"Regex": " {2,}"}, " ")]
    if part.add_dummy_prefix:
        steps.append({"type": "Prepend", "prepend": " "})
    if part.escape_whitespaces:
        steps.append(_replace({"String": " "}, SPACE))
    if part.remove_extra_whitespaces:
        steps.append(_replace({"Regex": rf"{mark}+\z"}, ""))
    return {"type": "Sequence", "normalizers": steps} if steps else None


def _decoder(part: PieceDecoder) -> dict[str, Any]:
    if part.rules:
        raise UnsupportedError("denormalizer_spec", "rules for decoding can't be said")
    steps: list[dict[str, Any]] = [_replace({"String": SPACE}, " ")]
    if part.byte_pieces:
        steps.append({"type": "ByteFallback"})
    steps.append({"type": "Fuse"})
    if part.strip:
        steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": steps}


# ---------------------------------------------------------------- models


def _model(pipeline: Pipeline) -> dict[str, Any]:
    model = pipeline.model
    # Tokens with ids of their own: in the vocabulary, which is where ids are given.
    own = {t.content: t.id for t in pipeline.added_tokens if t.id is not None}
    if isinstance(model, BPEModel):
        return _bpe(model, own)
    if isinstance(model, VocabModel):
        spec: dict[str, Any] = {"vocab": {**model.vocab, **own}, "unk_token": model.unk_token}
        if not isinstance(model, WordPieceModel):
            return {"type": "WordLevel", **spec}
        return {
            "type": "WordPiece",
            **spec,
            "continuing_subword_prefix": model.prefix,
            "max_input_chars_per_word": model.max_chars,
        }
    if isinstance(model, UnigramModel):
        return {
            "type": "Unigram",
            "unk_id": model.unk_id,
            "vocab": [[text, _written(score, text)] for text, score in model.pieces],
            "byte_fallback": model.byte_fallback,
        }
    if isinstance(model, PieceUnigramModel):
        raise UnsupportedError(
            "model",
            "a tokenizer.json sums the scores of Unigram in 64 bits, and SentencePiece in 32: "
            "ways that nearly tie would come out otherwise",
        )
    raise UnsupportedError("model", f"a {type(model).__name__} can't be written")


def _written(score: float, text: str) -> float:
    """The number, this one or one beside it, that is read as a score: see ``core.decimals``."""
    above = below = float(score)
    for _ in range(4):
        for number in (above, below):
            if read_float(repr(float(number))) == score:
                return number
        above, below = math.nextafter(above, math.inf), math.nextafter(below, -math.inf)
    raise UnsupportedError(f"model.vocab[{shorten(text)}]", f"no number is read as {score!r}")


def _bpe(model: BPEModel, own: Mapping[str, int]) -> dict[str, Any]:
    if len(model.tokens) != len(model.vocab):
        raise UnsupportedError("model.vocab", "tokens that share an id can't be told by merges")
    for text, token_id in own.items():
        if model.vocab.get(text, token_id) != token_id:
            raise UnsupportedError(
                f"added_tokens[{shorten(text)}]", "is an ordinary token with another id too"
            )
    merges = exact_merges(model)
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": model.unk_token,
        **model.compiled.options(),
        "vocab": {**model.vocab, **own},
        "merges": [list(pair) for pair in merges],
    }
