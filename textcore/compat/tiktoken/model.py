"""``tiktoken.model``: which models use which encoding."""

from textcore.compat.tiktoken.encoding import Encoding
from textcore.compat.tiktoken.names import (
    MODEL_PREFIX_TO_ENCODING,
    MODEL_TO_ENCODING,
    encoding_name_for_model,
)
from textcore.compat.tiktoken.registry import encoding_for_model, get_encoding

__all__ = [
    "MODEL_PREFIX_TO_ENCODING",
    "MODEL_TO_ENCODING",
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
]
