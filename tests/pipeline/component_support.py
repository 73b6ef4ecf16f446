"""What the tests of the components share: texts, a model for both sides, and the reference."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import tokenizers
from hypothesis import strategies as st

from textcore.encoding import Encoding
from textcore.pipeline.byte_characters import BYTE_CHARACTERS
from textcore.pipeline.models import Token
from textcore.pipeline.normalized import NormalizedString, PreTokenizedString
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.normalizers import build_normalizer
from textcore.pipeline.post_processors import PostProcessor, build_post_processor
from textcore.pipeline.pre_tokenizers import build_pre_tokenizer
from textcore.pipeline.spec import Node
from textcore.pipeline.splitters import PreTokenizer

# Spaces of all kinds, digits, marks that reorder and compose, characters that grow in lower
# case or when decomposed, stand-ins of bytes, and 1 to 4 bytes of UTF-8.
ALPHABET = (
    "aabbAB  \n\r\t\x00\x1c\x85\u00a0\u2028\u3000,.'-_$12²½٣Ⅷ"
    "éÉİſßΣςﬁ\u0301\u0323\u0345\u0f73ẛ가각ᄀ\u1161\u11a8日本々😀👍🏽\u200d\ufe0f▁ĠÃ©ĊǅẞΩ\ufdfa\U0001d165"
)
texts = st.text(st.sampled_from(ALPHABET) | st.characters(exclude_categories=["Cs"]), max_size=12)

VOCABULARY = {
    token: index
    for index, token in enumerate(
        ["<unk>", *sorted(set(ALPHABET) | set(BYTE_CHARACTERS)), "ab", "Ġa", "▁a", "▁▁", "日本"]
    )
}
MODEL = {
    "type": "BPE",
    "vocab": VOCABULARY,
    "merges": [],
    "unk_token": "<unk>",
    "ignore_merges": True,
}


class CharacterModel:
    """BPE without merges: a known word is a token, and else each of its characters is."""

    vocab_size = len(VOCABULARY)

    def tokenize(self, text: str) -> list[Token]:
        if text in VOCABULARY:
            return [(VOCABULARY[text], text, (0, len(text.encode())))]
        tokens = []
        at = 0
        for char in text:
            token = char if char in VOCABULARY else "<unk>"
            tokens.append((VOCABULARY[token], token, (at, at + len(char.encode()))))
            at += len(char.encode())
        return tokens

    def token_to_id(self, token: str) -> int | None:
        return VOCABULARY.get(token)

    def id_to_token(self, token_id: int) -> str | None:
        return next((token for token, known in VOCABULARY.items() if known == token_id), None)


def reference(**parts: Any) -> tokenizers.Tokenizer:
    """The reference's tokenizer with these components, read from the same specification."""
    spec = {"version": "1.0", "added_tokens": [], "model": MODEL, **parts}
    return tokenizers.Tokenizer.from_str(json.dumps(spec))


def panic_of(call: Callable[[], object]) -> str:
    """The message of the reference's panic in ``call``, which no Exception stands for; or ""."""
    try:
        call()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return str(error)
    return ""


def normalizer(spec: object) -> Normalizer:
    return build_normalizer(Node(spec, "normalizer"))


def pre_tokenizer(spec: object) -> PreTokenizer:
    return build_pre_tokenizer(Node(spec, "pre_tokenizer"))


def post_processor(spec: object) -> PostProcessor:
    return build_post_processor(Node(spec, "post_processor"))


def encode(
    text: str,
    normalize: Normalizer | None = None,
    pre_tokenize: PreTokenizer | None = None,
    type_id: int = 0,
) -> Encoding:
    """A text through the components and the model, as the reference does it."""
    pieces = PreTokenizedString(text)
    pieces.split(_whole)
    if normalize is not None:
        pieces.normalize(normalize.normalize)
    pieces.split(_whole)
    if pre_tokenize is not None:
        pre_tokenize.pre_tokenize(pieces)
    pieces.tokenize(CharacterModel().tokenize)
    return pieces.into_encoding(type_id=type_id)


def _whole(_: int, text: NormalizedString) -> list[NormalizedString]:
    # Looking for added tokens slices the text even where there are none.
    return [text.slice(0, len(text))]


FIELDS = (
    "ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask",
    "word_ids", "sequence_ids", "n_sequences",
)  # fmt: skip


def facts(encoding: Any) -> dict[str, Any]:
    """Everything an encoding says about itself, and the same of its overflowing pieces."""
    known: dict[str, Any] = {name: getattr(encoding, name) for name in FIELDS}
    known["length"] = len(encoding)
    known["repr"] = repr(encoding)
    for name in ("token_to_chars", "token_to_word"):
        known[name] = [getattr(encoding, name)(index) for index in range(len(encoding) + 2)]
    for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars"):
        method = getattr(encoding, name)
        known[name] = [method(index, sequence) for index in range(14) for sequence in range(3)]
    known["overflowing"] = [facts(piece) for piece in encoding.overflowing]
    return known
