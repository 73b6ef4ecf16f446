"""The special tokens that templates see as variables: ``bos_token`` and the rest.

They are collected from tokenizer_config.json and special_tokens_map.json as ``transformers``
5.24 does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textcore.errors import SpecError

STANDARD_TOKENS = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)


def named_special_tokens(
    config: Mapping[str, Any], special_tokens_map: Mapping[str, Any] | None
) -> dict[str, str]:
    """Each named special token's text: the standard ones, then the model's own.

    A token is a string or a serialised AddedToken (an object with ``content``). The map's entries
    go before the config's, but it is read only where the config lists no added tokens: newer
    files carry everything in the config. Raises SpecError for a token of another type.
    """
    fields = dict(config)
    if special_tokens_map and "added_tokens_decoder" not in config:
        fields.update(special_tokens_map)
    tokens: dict[str, str] = {}
    for name in STANDARD_TOKENS:
        value = fields.get(name)
        if value is not None:
            tokens[name] = _token_text(value, name)
    for name, value in fields.items():
        if name.endswith("_token") and name not in tokens and _is_token(value):
            tokens[name] = _token_text(value, name)
    for field in ("extra_special_tokens", "model_specific_special_tokens"):
        named = fields.get(field)
        if isinstance(named, Mapping) and not _is_token(named):
            for name, value in named.items():
                tokens[name] = _token_text(value, f"{field}.{name}")
    return tokens


def _is_token(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, Mapping) and isinstance(value.get("content"), str)
    )


def _token_text(value: Any, place: str) -> str:
    if isinstance(value, str):
        return value
    if _is_token(value):
        text: str = value["content"]
        return text
    raise SpecError(place, f"a special token is a string or an AddedToken, not {value!r}")
