"""Inference engines' tokenizers, run by textcore: vLLM and SGLang.

Both load tokenizers by ``transformers.AutoTokenizer``, in several processes, and both call
the plugins that are registered with them when each process starts; :func:`patch` is such a
plugin. It does what ``textcore.compat.transformers.patch`` does, and has
``tokenizers.decoders.DecodeStream``, by which vLLM streams text, take textcore's tokenizers.
"""

from __future__ import annotations

import sys
from typing import Any

from textcore.compat import transformers
from textcore.compat.tokenizers.stream import DecodeStream
from textcore.compat.tokenizers.tokenizer import Tokenizer

# The modules in which patch() has replaced DecodeStream, and the original.
_REPLACED: list[tuple[Any, Any]] = []


class Stream:
    """A ``DecodeStream`` for tokenizers of both libraries: the first id decides of which."""

    _original: Any = None

    def __init__(self, ids: Any = None, skip_special_tokens: bool | None = False) -> None:
        self._arguments = (ids, skip_special_tokens)
        self._stream: Any = None

    def step(self, tokenizer: Any, id: Any) -> str | None:
        """The text that one id or several complete, or None."""
        if self._stream is None:
            is_ours = isinstance(tokenizer, Tokenizer)
            self._stream = (DecodeStream if is_ours else self._original)(*self._arguments)
        found: str | None = self._stream.step(tokenizer, id)
        return found


def patch() -> None:
    """Run what an engine loads from now on with textcore; a second call does nothing.

    Raises ImportError without ``transformers`` and ``tokenizers``.
    """
    from tokenizers import decoders

    transformers.patch()
    if _REPLACED:
        return
    # An engine's own modules may have been imported already, and have the name.
    modules: list[Any] = [decoders, *sys.modules.values()]
    original = modules[0].DecodeStream
    Stream._original = original
    for module in modules:
        if getattr(module, "__dict__", {}).get("DecodeStream") is original:
            _REPLACED.append((module, original))
            module.DecodeStream = Stream


def unpatch() -> None:
    """Undo :func:`patch`. Tokenizers made meanwhile go on with textcore."""
    while _REPLACED:
        module, original = _REPLACED.pop()
        module.DecodeStream = original
    transformers.unpatch()
