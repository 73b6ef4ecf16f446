"""``tiktoken.core``."""

from textcore.compat.tiktoken.encoding import Encoding

__all__ = ["Encoding"]
