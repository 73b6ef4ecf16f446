"""Hugging Face ``tokenizers`` 0.23, run by textcore: loading, encoding and decoding.

``import textcore.compat.tokenizers as tokenizers`` serves code that loads tokenizers,
builds them of components, encodes and decodes. Training is left out: ``Tokenizer.train`` and
``get_trainer`` raise NotImplementedError, and there is no ``trainers`` module.
"""

from enum import Enum

from textcore.compat.tokenizers import (
    decoders,
    implementations,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from textcore.compat.tokenizers.added import AddedToken
from textcore.compat.tokenizers.implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)
from textcore.compat.tokenizers.strings import (
    NormalizedString,
    PreTokenizedString,
    Regex,
    Token,
)
from textcore.compat.tokenizers.tokenizer import Tokenizer
from textcore.encoding import Encoding

# What encode and encode_batch take, as the original names it.
Offsets = tuple[int, int]
TextInputSequence = str
PreTokenizedInputSequence = list[str] | tuple[str]
TextEncodeInput = TextInputSequence | tuple[str, str] | list[str]
PreTokenizedEncodeInput = (
    PreTokenizedInputSequence
    | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
    | list[PreTokenizedInputSequence]
)
InputSequence = TextInputSequence | PreTokenizedInputSequence
EncodeInput = TextEncodeInput | PreTokenizedEncodeInput

# Of the library whose interface this is.
__version__ = "0.23.3"

__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "decoders",
    "implementations",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
]


class OffsetReferential(Enum):
    """What offsets are of."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """What offsets count."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """What happens to what a split splits at."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"
