"""``tiktoken.load``, of files on this machine: nothing is downloaded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path

from textcore.formats.tiktoken import read_ranks


def load_tiktoken_bpe(
    tiktoken_bpe_file: str, expected_hash: str | None = None
) -> dict[bytes, int]:
    """The ranks of tokens by their bytes, as a .tiktoken file has them.

    Parameters
    ----------
    tiktoken_bpe_file : str
        A path.
    expected_hash : str, optional
        The SHA-256 of the file, in hexadecimal digits.

    Raises
    ------
    ValueError
        An address in place of a path, another hash, or a file that is none of ranks.
    OSError
    """
    if "://" in tiktoken_bpe_file:
        raise ValueError(f"{tiktoken_bpe_file}: textcore downloads nothing; give a path")
    data = Path(tiktoken_bpe_file).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if expected_hash and found != expected_hash:
        raise ValueError(
            f"Hash mismatch for {tiktoken_bpe_file} (expected {expected_hash}, found {found})"
        )
    return read_ranks(data)


def dump_tiktoken_bpe(bpe_ranks: Mapping[bytes, int], tiktoken_bpe_file: str) -> None:
    """Write ranks to a .tiktoken file. Raises OSError."""
    lines = [
        base64.b64encode(token) + b" " + str(rank).encode() + b"\n"
        for token, rank in sorted(bpe_ranks.items(), key=lambda item: item[1])
    ]
    Path(tiktoken_bpe_file).write_bytes(b"".join(lines))
