"""How a text is split, by the names that GGUF files have for it (``tokenizer.ggml.pre``).

Each is the pre-tokenizer of the tokenizer.json of the family that the name comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textcore.formats.encodings import (
    LLAMA3_PATTERN,
    O200K_PATTERN,
    QWEN_3_5_PATTERN,
    QWEN_PATTERN,
)

_DEEPSEEK_V3 = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)
_TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_level(use_regex: bool) -> dict[str, Any]:
    """A ByteLevel component that puts no space before a text."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": use_regex,
    }


@dataclass(frozen=True, slots=True)
class Pre:
    """Patterns in the dialect of a tokenizer.json (none: GPT-2's), and what goes with them."""

    patterns: tuple[str, ...] = ()
    form: str | None = None
    ignore_merges: bool = False

    def pre_tokenizer(self) -> dict[str, Any]:
        """The pre-tokenizer as a tokenizer.json has it."""
        if not self.patterns:
            return byte_level(use_regex=True)
        splits = [
            {
                "type": "Split",
                "pattern": {"Regex": pattern},
                "behavior": "Isolated",
                "invert": False,
            }
            for pattern in self.patterns
        ]
        return {"type": "Sequence", "pretokenizers": [*splits, byte_level(use_regex=False)]}


PRE_TOKENIZERS = {
    "gpt-2": Pre(),
    "llama-bpe": Pre((LLAMA3_PATTERN,), ignore_merges=True),
    "llama3": Pre((LLAMA3_PATTERN,), ignore_merges=True),
    "qwen2": Pre((QWEN_PATTERN,), "NFC"),
    "qwen35": Pre((QWEN_3_5_PATTERN,), "NFC"),
    "gpt-4o": Pre((O200K_PATTERN,), ignore_merges=True),
    "tekken": Pre((_TEKKEN,), ignore_merges=True),
    "deepseek-v3": Pre(_DEEPSEEK_V3),
}
