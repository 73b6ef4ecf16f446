"""The WordPiece and WordLevel models of a tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from textcore.core.wordpiece import WordLevel, WordPiece
from textcore.pipeline import fields
from textcore.pipeline.spec import Node, shorten
from textcore.pipeline.vocab import read_vocab

USIZE_MAX = 2**64 - 1


class VocabModel:
    """A model whose tokens are the entries of a dictionary."""

    surfaces: Mapping[int, str] = MappingProxyType({})

    byte_level = False
    compiled: WordPiece | WordLevel

    def __init__(self, node: Node) -> None:
        self.vocab = read_vocab(node)
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        self.unk_token = fields.string(node, "unk_token")
        self._entries = list(self.vocab.items())

    @property
    def vocab_size(self) -> int:
        """How many tokens the model has, added tokens not counted."""
        return len(self.vocab)

    @property
    def max_id(self) -> int:
        """The largest id, or -1 for an empty vocabulary."""
        return max(self.tokens, default=-1)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""
        return self.vocab.get(token)

    def id_to_token(self, token_id: int) -> str | None:
        """The token of an id, or None."""
        return self.tokens.get(token_id)

    def tokenize(self, word: str) -> list[tuple[int, str, tuple[int, int]]]:
        """One word as (id, token, (start, end)), offsets in bytes of ``word`` in UTF-8.

        Raises ValueError where ``unk_token`` is needed and the vocabulary lacks it.
        """
        out = []
        start = 0
        for symbol, length in self.compiled.symbols(word.encode()):
            token, token_id = self._entries[symbol]
            out.append((token_id, token, (start, start + length)))
            start += length
        return out


class WordPieceModel(VocabModel):
    """Words as the longest tokens that fit, from the left (type WordPiece)."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.prefix = fields.string(node, "continuing_subword_prefix")
        self.max_chars = node.get("max_input_chars_per_word", int)
        if not 0 <= self.max_chars <= USIZE_MAX:
            raise node.error(
                "max_input_chars_per_word",
                f"expected an integer from 0 to 2**64 - 1, found {shorten(self.max_chars)}",
            )
        self.compiled = WordPiece(self.vocab, self.unk_token, self.prefix, self.max_chars)


class WordLevelModel(VocabModel):
    """Words as tokens, whole or unknown (type WordLevel)."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.compiled = WordLevel(self.vocab, self.unk_token)
