"""Writing GGUF headers, for the tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value(item: Any) -> bytes:
    """A value with the number of its type before it."""
    if isinstance(item, bool):
        return struct.pack("<I?", 7, item)
    if isinstance(item, int):
        return struct.pack("<II", 4, item)
    if isinstance(item, float):
        return struct.pack("<If", 6, item)
    if isinstance(item, bytes):
        return struct.pack("<IIQ", 9, 0, len(item)) + item
    if isinstance(item, str):
        return struct.pack("<I", 8) + text(item)
    inner = [value(part) for part in item]
    kind = inner[0][:4] if inner else struct.pack("<I", 8)
    return (
        struct.pack("<I", 9)
        + kind
        + struct.pack("<Q", len(inner))
        + b"".join(part[4:] for part in inner)
    )


def header(values: Mapping[str, Any], version: int = 3) -> bytes:
    body = b"".join(text(key) + value(item) for key, item in values.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + body


def write(path: Path, values: Mapping[str, Any], version: int = 3) -> Path:
    """A file with these keys among others, and something where tensors would be."""
    others = {"general.architecture": "test", "general.sizes": [1, 2, 3], "general.tags": ["a"]}
    path.write_bytes(header({**others, **values}, version) + b"\xff" * 64)
    return path
