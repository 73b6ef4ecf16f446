"""The BPE model of a tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from textcore.core.bpe import BPE, MergeError
from textcore.core.bpescan import scanned_bpe
from textcore.core.bytelevel import byte_contents, to_bytes
from textcore.core.vocabscan import Contents, Vocabulary
from textcore.errors import SpecError
from textcore.pipeline.spec import Node, shorten
from textcore.pipeline.vocab import read_vocab


class BPEModel:
    """A BPE model: its vocabulary, and the compiled model that works on it.

    With ``byte_level``, the compiled model takes the bytes of a text; words given to
    :meth:`tokenize` are in the printable characters that stand for bytes all the same.
    ``surfaces`` has what a decoder is given for ids where that is not the token.
    """

    surfaces: Mapping[int, str] = MappingProxyType({})
    # Whether `vocab` and `tokens` cost time when they are first asked for.
    lazy = False
    vocab: dict[str, int]
    tokens: dict[int, str]
    compiled: BPE
    byte_level: bool

    def __init__(self, node: Node, byte_level: bool) -> None:
        self.vocab = read_vocab(node)
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        self.unk_token: str | None = node.get("unk_token", str, None)
        prefix = node.get("continuing_subword_prefix", str, None) or ""
        suffix = node.get("end_of_word_suffix", str, None) or ""
        byte_fallback = bool(node.get("byte_fallback", bool, None))
        _refuse_dropout(node)
        contents = None
        if byte_level and not (prefix or suffix or byte_fallback):
            contents = byte_contents(self.vocab)
            alphabet = sum(len(content) == 1 for content in contents.values())
            if self.unk_token is not None and alphabet < 256:
                contents = None
        self.byte_level = contents is not None
        try:
            self.compiled = BPE(
                self.vocab,
                contents,
                node.get("merges", list),
                unk_token=self.unk_token,
                fuse_unk=bool(node.get("fuse_unk", bool, None)),
                byte_fallback=byte_fallback,
                ignore_merges=bool(node.get("ignore_merges", bool, None)),
                prefix=prefix,
                suffix=suffix,
            )
        except MergeError as error:
            place = f"{node.at('merges')}[{error.index}]"
            raise SpecError(place, error.problem) from None

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

    def word_bytes(self, word: str) -> bytes:
        """A word of the model as the compiled model takes it."""
        if not self.byte_level:
            return word.encode()
        content = to_bytes(word)
        # No stand-in for a byte: the word is plain text.
        return word.encode() if content is None else content

    def tokenize(self, word: str) -> list[tuple[int, str, tuple[int, int]]]:
        """One word as (id, token, (start, end)), offsets in bytes of ``word`` in UTF-8."""
        data = self.word_bytes(word)
        found = self.compiled.tokenize(data)
        widths = None
        if self.byte_level and len(data) == len(word):
            # A character that is no token and has no unknown token to stand for it is left
            # out, and the offsets of those after it close up.
            dropped = sum(length for _, length in found) < len(data)
            kept = [char for char in word if char in self.vocab] if dropped else word
            widths = [1 if char < "\x80" else 2 for char in kept]
        out = []
        start = at = 0
        for token_id, length in found:
            end = start + (sum(widths[at : at + length]) if widths else length)
            out.append((token_id, self.tokens[token_id], (start, end)))
            start = end
            at += length
        return out


class ScannedBPE(BPEModel):
    """A BPE model from tables; its dicts are made when they are first asked for."""

    lazy = True

    def __init__(self, node: Node, byte_level: bool) -> None:
        self._vocabulary: Vocabulary = node.data["vocab"]
        self.unk_token: str | None = node.get("unk_token", str, None)
        byte_fallback = bool(node.get("byte_fallback", bool, None))
        # Checked where they are there: neither does anything here.
        for name in ("continuing_subword_prefix", "end_of_word_suffix"):
            node.get(name, str, None)
        _refuse_dropout(node)
        contents = Contents(self._vocabulary, byte_level and not byte_fallback)
        self.byte_level = byte_level and not byte_fallback
        if self.byte_level and self.unk_token is not None and len(contents.single()) < 256:
            self.byte_level = False
            contents = Contents(self._vocabulary, False)
        self.compiled = scanned_bpe(
            self._vocabulary,
            node.data["merges"],
            contents,
            byte_level=self.byte_level,
            unk_token=self.unk_token,
            fuse_unk=bool(node.get("fuse_unk", bool, None)),
            byte_fallback=byte_fallback,
            ignore_merges=bool(node.get("ignore_merges", bool, None)),
        )

    def __getattr__(self, name: str) -> Any:
        if name == "vocab":
            self.vocab = self._vocabulary.as_dict()
            return self.vocab
        if name == "tokens":
            self.tokens = {token_id: token for token, token_id in self.vocab.items()}
            return self.tokens
        raise AttributeError(name)

    @property
    def vocab_size(self) -> int:
        return len(self._vocabulary)

    @property
    def max_id(self) -> int:
        return self._vocabulary.max_id

    def token_to_id(self, token: str) -> int | None:
        return self._vocabulary.get(token)

    def id_to_token(self, token_id: int) -> str | None:
        return self._vocabulary.token(token_id)


def build_bpe(node: Node, byte_level: bool) -> BPEModel:
    """The BPE model that ``node`` describes, its vocabulary as JSON or as tables."""
    is_scanned = isinstance(node.data.get("vocab"), Vocabulary)
    return (ScannedBPE if is_scanned else BPEModel)(node, byte_level)


def _refuse_dropout(node: Node) -> None:
    dropout = node.data.get("dropout")
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float, type(None))):
        raise node.error("dropout", f"expected a number or null, found {shorten(dropout)}")
    if dropout:
        raise node.error(
            "dropout", f"{shorten(dropout)} makes encoding random; only null and 0 are supported"
        )
