"""The ready-made tokenizers of ``tokenizers.implementations``, without their training."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from pathlib import Path
from typing import Any

from textcore.compat.tokenizers import decoders, pre_tokenizers, processors
from textcore.compat.tokenizers.models import BPE, Merges, Model, Unigram, WordPiece
from textcore.compat.tokenizers.normalizers import (
    NFKC,
    BertNormalizer,
    Lowercase,
    Nmt,
    Normalizer,
    Precompiled,
    Replace,
    Sequence,
    unicode_normalizer_from_str,
)
from textcore.compat.tokenizers.strings import Regex
from textcore.compat.tokenizers.tokenizer import Tokenizer
from textcore.encoding import Encoding
from textcore.formats.piece_models import UNKNOWN
from textcore.formats.sentencepiece import read_model

Vocab = dict[str, int] | str


class BaseTokenizer(Tokenizer):
    """A tokenizer and the parameters it was assembled by."""

    def __init__(
        self, tokenizer: Model | Tokenizer, parameters: dict[str, Any] | None = None
    ) -> None:
        if isinstance(tokenizer, Tokenizer):
            super().__init__(tokenizer.model)
            self._parts = dict(tokenizer._parts)
            self._add(tokenizer._added.tokens)
        else:
            super().__init__(tokenizer)
        self._parameters = parameters or {}

    def __repr__(self) -> str:
        size = self.get_vocab_size()
        shown = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={size}, {shown})"

    # The original's are in Python, and take by position what a Tokenizer takes by keyword.

    def add_special_tokens(self, special_tokens: list[Any]) -> int:
        """Add tokens (str or AddedToken) as special ones; how many were new is returned."""
        return super().add_special_tokens(special_tokens)

    def enable_padding(  # type: ignore[override]
        self,
        direction: str = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
    ) -> None:
        """Fill encodings from now on. Raises ValueError."""
        super().enable_padding(
            direction=direction,
            pad_to_multiple_of=pad_to_multiple_of,
            pad_id=pad_id,
            pad_type_id=pad_type_id,
            pad_token=pad_token,
            length=length,
        )

    def enable_truncation(  # type: ignore[override]
        self, max_length: int, stride: int = 0, strategy: str = "longest_first"
    ) -> None:
        """Cut encodings to ``max_length`` tokens from now on. Raises ValueError."""
        super().enable_truncation(max_length, stride=stride, strategy=strategy)

    def encode_batch(
        self, inputs: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The Encoding of each sequence or pair of sequences. Raises ValueError for None."""
        if inputs is None:
            raise ValueError("encode_batch: `inputs` can't be `None`")
        return super().encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """:meth:`encode_batch` on another thread."""
        if inputs is None:
            raise ValueError("async_encode_batch: `inputs` can't be `None`")
        return await super().async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """:meth:`encode_batch_fast` on another thread."""
        if inputs is None:
            raise ValueError("async_encode_batch_fast: `inputs` can't be `None`")
        return await super().async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    def normalize(self, sequence: str) -> str:
        """The normalized text."""
        normalizer = self.normalizer
        return sequence if normalizer is None else str(normalizer.normalize_str(sequence))

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """Write the vocabulary's files into a folder, and return their paths."""
        return self.model.save(directory, prefix=prefix)

    def _specials(self, *tokens: object) -> None:
        """Make tokens of the vocabulary special ones."""
        for token in map(str, tokens):
            if self.token_to_id(token) is not None:
                self.add_special_tokens([token])


def _normalizer(steps: list[Normalizer]) -> Normalizer | None:
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else Sequence(steps)


def _known(parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in parameters.items()
        if name not in ("self", "vocab", "merges", "__class__")
    }


def _bpe(vocab: Vocab | None, merges: Merges | str | None, **options: Any) -> BPE:
    if vocab is None or merges is None:
        return BPE(**options)
    return BPE(vocab, merges, **options)


class BertWordPieceTokenizer(BaseTokenizer):
    """BERT's."""

    def __init__(
        self,
        vocab: Vocab | None = None,
        unk_token: Any = "[UNK]",
        sep_token: Any = "[SEP]",
        cls_token: Any = "[CLS]",
        pad_token: Any = "[PAD]",
        mask_token: Any = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        parameters = {"model": "BertWordPiece", **_known(locals())}
        super().__init__(WordPiece(vocab, unk_token=str(unk_token)), parameters)
        self._specials(unk_token, sep_token, cls_token, pad_token, mask_token)
        self.normalizer = BertNormalizer(
            clean_text, handle_chinese_chars, strip_accents, lowercase
        )
        self.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        if vocab is not None:
            pairs = []
            for name, token in (("sep_token", str(sep_token)), ("cls_token", str(cls_token))):
                token_id = self.token_to_id(token)
                if token_id is None:
                    raise TypeError(f"{name} not found in the vocabulary")
                pairs.append((token, token_id))
            self.post_processor = processors.BertProcessing(*pairs)
        self.decoder = decoders.WordPiece(prefix=wordpieces_prefix)

    @staticmethod
    def from_file(vocab: str, **options: Any) -> BertWordPieceTokenizer:  # type: ignore[override]
        """The tokenizer of a vocab.txt."""
        return BertWordPieceTokenizer(WordPiece.read_file(vocab), **options)


class ByteLevelBPETokenizer(BaseTokenizer):
    """GPT-2's."""

    def __init__(
        self,
        vocab: Vocab | None = None,
        merges: Merges | str | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        parameters = {"model": "ByteLevelBPE", **_known(locals())}
        options = {}
        if vocab is not None and merges is not None:
            options = {
                "dropout": dropout,
                "continuing_subword_prefix": continuing_subword_prefix or "",
                "end_of_word_suffix": end_of_word_suffix or "",
            }
        super().__init__(_bpe(vocab, merges, **options), parameters)
        steps = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
        steps += [Lowercase()] if lowercase else []
        self.normalizer = _normalizer(steps)
        self.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        self.decoder = decoders.ByteLevel()
        self.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)

    @staticmethod
    def from_file(  # type: ignore[override]
        vocab_filename: str, merges_filename: str, **options: Any
    ) -> ByteLevelBPETokenizer:
        """The tokenizer of a vocab.json and a merges.txt."""
        return ByteLevelBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **options)


class CharBPETokenizer(BaseTokenizer):
    """GPT's."""

    def __init__(
        self,
        vocab: Vocab | None = None,
        merges: Merges | str | None = None,
        unk_token: Any = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        parameters = {"model": "BPE", **_known(locals())}
        model = _bpe(
            vocab,
            merges,
            dropout=dropout,
            unk_token=str(unk_token),
            end_of_word_suffix=suffix,
        )
        super().__init__(model, parameters)
        self._specials(unk_token)
        steps = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
        steps += [BertNormalizer(lowercase=False)] if bert_normalizer else []
        steps += [Lowercase()] if lowercase else []
        self.normalizer = _normalizer(steps)
        if split_on_whitespace_only:
            self.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        else:
            self.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self.decoder = decoders.BPEDecoder(suffix=suffix)

    @staticmethod
    def from_file(  # type: ignore[override]
        vocab_filename: str, merges_filename: str, **options: Any
    ) -> CharBPETokenizer:
        """The tokenizer of a vocab.json and a merges.txt."""
        return CharBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **options)


class SentencePieceBPETokenizer(BaseTokenizer):
    """BPE that splits as SentencePiece does."""

    def __init__(
        self,
        vocab: Vocab | None = None,
        merges: Merges | str | None = None,
        unk_token: Any = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool | None = False,
    ) -> None:
        parameters = {"model": "SentencePieceBPE", **_known(locals())}
        del parameters["fuse_unk"]
        model = _bpe(
            vocab, merges, dropout=dropout, unk_token=str(unk_token), fuse_unk=bool(fuse_unk)
        )
        super().__init__(model, parameters)
        self._specials(unk_token)
        self.normalizer = NFKC()
        scheme = "always" if add_prefix_space else "never"
        self.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        self.decoder = decoders.Metaspace(replacement, scheme)

    @staticmethod
    def from_file(  # type: ignore[override]
        vocab_filename: str, merges_filename: str, **options: Any
    ) -> SentencePieceBPETokenizer:
        """The tokenizer of a vocab.json and a merges.txt."""
        files = BPE.read_file(vocab_filename, merges_filename)
        return SentencePieceBPETokenizer(*files, **options)


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Unigram that splits as SentencePiece does."""

    def __init__(
        self,
        vocab: Seq[tuple[str, float]] | None = None,
        replacement: str = "▁",
        add_prefix_space: bool = True,
    ) -> None:
        parameters = {"model": "SentencePieceUnigram", **_known(locals())}
        super().__init__(Unigram(vocab), parameters)
        self.normalizer = Sequence([Nmt(), NFKC(), Replace(Regex(" {2,}"), " ")])
        scheme = "always" if add_prefix_space else "never"
        self.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        self.decoder = decoders.Metaspace(replacement, scheme)

    @staticmethod
    def from_spm(filename: str) -> SentencePieceUnigramTokenizer:
        """The tokenizer of a SentencePiece model file of Unigram.

        As the original's, it goes by the pieces and the charsmap alone, whatever else the file
        says: for ids equal to SentencePiece's there is ``textcore.Tokenizer.from_file``. Raises
        OSError, and ValueError for a file that is none, or of another algorithm.
        """
        model = read_model(Path(filename).read_bytes())
        if model.model_type != 1:
            raise ValueError(
                "You're trying to run a `Unigram` model but you're file was trained with a "
                "different algorithm"
            )
        unknown = [at for at, piece in enumerate(model.pieces) if piece.kind == UNKNOWN]
        vocab = [(piece.text, piece.score) for piece in model.pieces]
        tokenizer = SentencePieceUnigramTokenizer.__new__(SentencePieceUnigramTokenizer)
        unigram = Unigram(vocab, unknown[0] if unknown else 0, model.byte_fallback)
        BaseTokenizer.__init__(tokenizer, unigram, {"model": "SentencePieceUnigram"})
        steps: list[Normalizer] = [Replace(Regex(" {2,}"), " ")]
        if model.normalizer.charsmap:
            steps.insert(0, Precompiled(model.normalizer.charsmap))
        tokenizer.normalizer = Sequence(steps)
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", "always")
        tokenizer.decoder = decoders.Metaspace("▁", "always")
        return tokenizer
