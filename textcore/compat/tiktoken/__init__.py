"""OpenAI's ``tiktoken`` 0.14, run by textcore: ``import textcore.compat.tiktoken as tiktoken``."""

from textcore.compat.tiktoken.encoding import Encoding
from textcore.compat.tiktoken.names import encoding_name_for_model
from textcore.compat.tiktoken.registry import (
    encoding_for_model,
    get_encoding,
    list_encoding_names,
)

# Of the library whose interface this is.
__version__ = "0.14.0"

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
]
