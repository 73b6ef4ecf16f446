"""Reading Mistral's ``tekken.json``: ranks, a pattern and numbered special tokens.

The special tokens have the first ids, as many as ``default_num_special_tokens`` says, and
ordinary tokens follow in the order of rank, as many as fit ``default_vocab_size``. Special
tokens are never looked for in a text unless they are named. Source of the format:
``mistral-common`` (``tekken.py``).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from textcore.errors import SpecError
from textcore.formats.tiktoken import rank_spec
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.fields import string
from textcore.pipeline.spec import Node, shorten

# What files without a list of special tokens (up to version 7) have.
DEFAULT_SPECIAL_TOKENS = (
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)
MAX_SPECIAL_TOKENS = 1 << 20
_FILLER = "<SPECIAL_{}>"


def is_tekken(spec: Mapping[str, Any]) -> bool:
    """Whether a parsed JSON file is a tekken.json."""
    return isinstance(spec.get("config"), dict) and isinstance(spec.get("vocab"), list)


def tekken_spec(data: Mapping[str, Any]) -> dict[str, Any]:
    """The specification of a parsed tekken.json. Raises SpecError."""
    root = Node(dict(data), "")
    config = root.child("config")
    if config is None:
        raise root.error("config", "missing; expected an object")
    size = config.get("default_vocab_size", int)
    count = config.get("default_num_special_tokens", int)
    if not 0 <= count <= MAX_SPECIAL_TOKENS:
        raise config.error(
            "default_num_special_tokens", f"expected 0 to {MAX_SPECIAL_TOKENS}, found {count}"
        )
    ids = _ids(root.get("vocab", list), size - count, count)
    return rank_spec(ids, string(config, "pattern"), _special(root, count), place="vocab")


def _ids(vocab: list[Any], count: int, offset: int) -> dict[bytes, int]:
    """The first ``count`` tokens, numbered from ``offset``."""
    if not 0 < count <= len(vocab):
        raise SpecError(
            "config.default_vocab_size",
            f"leaves room for {count} tokens; the file has {len(vocab)}",
        )
    ids: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab[:count]):
        place = f"vocab[{rank}]"
        node = Node(entry, place)
        if node.get("rank", int) != rank:
            raise node.error("rank", f"expected {rank}, found {shorten(entry['rank'])}")
        try:
            token = base64.b64decode(node.get("token_bytes", str), validate=True)
        except (binascii.Error, ValueError):
            raise node.error("token_bytes", "not base64") from None
        if token in ids:
            raise SpecError(place, "a token that is there already")
        ids[token] = offset + rank
    return ids


def _special(root: Node, count: int) -> tuple[AddedToken, ...]:
    """The special tokens: those that are named, then fillers up to ``count``."""
    texts: list[str]
    if root.data.get("special_tokens") is None:
        texts = list(DEFAULT_SPECIAL_TOKENS)
    else:
        texts = []
        for node in root.children("special_tokens"):
            if node.get("rank", int) != len(texts):
                raise node.error("rank", f"expected {len(texts)}, found {node.data['rank']}")
            texts.append(string(node, "token_str"))
    if len(texts) > count:
        raise root.error("special_tokens", f"{len(texts)} tokens; config says {count}")
    texts += [_FILLER.format(rank) for rank in range(len(texts), count)]
    if len(set(texts)) != len(texts) or "" in texts:
        raise root.error("special_tokens", "a token is empty or there twice")
    return tuple(
        AddedToken(text, normalized=False, special=True, id=rank, in_text=False)
        for rank, text in enumerate(texts)
    )
