"""Truncation, padding and whole tokenizers as JSON, as keywords and as they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textcore.compat.tokenizers.show import Shown, show, struct
from textcore.pipeline.fitting import STRATEGY_NAMES, Padding, Truncation

VERSION = "1.0"

_NAMES = {strategy: name for name, strategy in STRATEGY_NAMES.items()}


def truncation_spec(truncation: Truncation | None) -> dict[str, Any] | None:
    """The ``truncation`` section of a tokenizer.json."""
    if truncation is None:
        return None
    return {
        "direction": truncation.direction.capitalize(),
        "max_length": truncation.max_length,
        "strategy": truncation.strategy,
        "stride": truncation.stride,
    }


def truncation_dict(truncation: Truncation | None) -> dict[str, Any] | None:
    """The keywords of ``enable_truncation``."""
    if truncation is None:
        return None
    return {
        "max_length": truncation.max_length,
        "stride": truncation.stride,
        "strategy": _NAMES[truncation.strategy],
        "direction": truncation.direction,
    }


def padding_spec(padding: Padding | None) -> dict[str, Any] | None:
    """The ``padding`` section of a tokenizer.json."""
    if padding is None:
        return None
    length = padding.length
    return {
        "strategy": "BatchLongest" if length is None else {"Fixed": length},
        "direction": padding.direction.capitalize(),
        "pad_to_multiple_of": padding.pad_to_multiple_of,
        "pad_id": padding.pad_id,
        "pad_type_id": padding.pad_type_id,
        "pad_token": padding.pad_token,
    }


def padding_dict(padding: Padding | None) -> dict[str, Any] | None:
    """The keywords of ``enable_padding``."""
    if padding is None:
        return None
    return {
        "length": padding.length,
        "pad_to_multiple_of": padding.pad_to_multiple_of,
        "pad_id": padding.pad_id,
        "pad_token": padding.pad_token,
        "pad_type_id": padding.pad_type_id,
        "direction": padding.direction,
    }


def show_tokenizer(spec: Mapping[str, Any], limit: int) -> str:
    """A tokenizer as the reference shows it."""
    fields = dict(spec)
    for key, name in (("truncation", "TruncationParams"), ("padding", "PaddingParams")):
        section = fields[key]
        if section is not None:
            section = dict(section)
            if isinstance(section["strategy"], dict):
                section["strategy"] = Shown(f"Fixed({section['strategy']['Fixed']})")
            fields[key] = Shown(struct(name, section, limit))
    shown = {key: value if isinstance(value, Shown) else Shown(show(value, limit))
             for key, value in fields.items()}  # fmt: skip
    return struct("Tokenizer", shown, limit)
