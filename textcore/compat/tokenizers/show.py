"""How tokenizers and their components show: the reference's ``repr`` and ``str``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# How many bytes of a string ``str`` shows.
MAX_STRING = 100
# How many items of a list show at most: in ``repr`` and in ``str``.
REPR_ITEMS = 99
STR_ITEMS = 5

# Fields whose strings are names of variants, which show without quotes.
_BARE = {
    "prepend_scheme": ("first", "never", "always"),
    "behavior": ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"),
    "direction": ("Left", "Right"),
    "strategy": ("LongestFirst", "OnlyFirst", "OnlySecond", "BatchLongest"),
}


def show(value: Any, limit: int) -> str:
    """A value as the reference shows it, with at most ``limit`` items of any list."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return quoted(value, limit)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return f"({', '.join(show(item, limit) for item in value)})"
    if isinstance(value, list):
        return f"[{_joined([show(item, limit) for item in value[: limit + 1]], limit)}]"
    if "type" in value:
        fields = {key: _field(value, key) for key in value if key != "type"}
        return struct(value["type"], fields, limit)
    shown = [f"{quoted(key, limit)}:{show(item, limit)}" for key, item in _first(value, limit)]
    return f"{{{_joined(shown, limit)}}}"


def struct(name: str, fields: Mapping[str, Any], limit: int) -> str:
    """A named value with fields."""
    parts = []
    for key, value in fields.items():
        if isinstance(value, str) and value in _BARE.get(key, ()):
            parts.append(f"{key}={value}")
        elif key == "pattern" and isinstance(value, dict):
            ((kind, text),) = value.items()
            parts.append(f"pattern={kind}({quoted(text, limit)})")
        else:
            parts.append(f"{key}={value.text if isinstance(value, Shown) else show(value, limit)}")
    return f"{name}({', '.join(parts)})"


class Shown:
    """What has already been turned into the text that shows."""

    def __init__(self, text: str) -> None:
        self.text = text


def quoted(text: str, limit: int) -> str:
    """A string in quotes, with nothing escaped; in ``str``, only its first bytes."""
    data = text.encode("utf-8", "replace")
    if limit == STR_ITEMS and len(data) > MAX_STRING:
        text = data[:MAX_STRING].decode("utf-8", "ignore") + "..."
    return f'"{text}"'


def number(value: float) -> str:
    """A float, without a fraction where it has none."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def _first(value: Mapping[str, Any], limit: int) -> list[tuple[str, Any]]:
    return list(value.items())[: limit + 1]


def _joined(shown: list[str], limit: int) -> str:
    if len(shown) > limit:
        shown = [*shown[:limit], "..."]
    return ", ".join(shown)


def _field(value: Mapping[str, Any], key: str) -> Any:
    """A field of a component in the form in which it shows."""
    item = value[key]
    if key in ("sep", "cls"):
        return tuple(item)
    if key in ("single", "pair"):
        return [_piece(piece) for piece in item]
    if key == "merges" or (key == "vocab" and isinstance(item, list)):
        return [tuple(pair) for pair in item]
    if key == "special_tokens":
        return {
            name: {"type": "SpecialToken", **{k: token[k] for k in ("id", "ids", "tokens")}}
            for name, token in item.items()
        }
    return item


def _piece(piece: Mapping[str, Any]) -> dict[str, Any]:
    """One piece of a template, which shows its sequence without quotes."""
    ((kind, fields),) = piece.items()
    name = Shown(fields["id"]) if kind == "Sequence" else fields["id"]
    return {"type": kind, "id": name, "type_id": fields["type_id"]}
