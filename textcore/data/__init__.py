"""The small tokenizer that ships with textcore, for trying things out and for tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textcore.tokenizer import Tokenizer

DEFAULT_DIR: Path = Path(__file__).resolve().parent / "default"
"""The directory of the packaged ``tokenizer.json`` and ``tokenizer_config.json``."""


def default_tokenizer() -> Tokenizer:
    """A new :class:`~textcore.Tokenizer` from the packaged files.

    4,096 tokens, Qwen-style: NFC, byte-level BPE, ``<|im_start|>`` and ``<|im_end|>`` as
    special tokens, ``<think>``, ``<tool_call>``, ``<tool_response>`` and their ends as added
    tokens that are ordinary text. It has no chat template of its own: use
    ``textcore.CHATML_TEMPLATE``. Trained by ``scripts/train_default_tokenizer.py``.
    """
    from textcore.tokenizer import Tokenizer

    return Tokenizer.from_dir(DEFAULT_DIR)
