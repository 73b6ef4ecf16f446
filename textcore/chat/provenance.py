"""Text that knows which of its characters the template wrote.

Only what came from a template's literals and the model's special tokens is marked, and only
operations that are known here keep the mark: any other gives an ordinary ``str``, all of whose
characters count as input. So a mistake can lose a control token, and can't make one. A
loss that would show is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textcore.chat.followed_formats import FollowedFormat, followed_percent, part
from textcore.chat.losses import refuse_loss
from textcore.chat.methods import GUARDS
from textcore.core.following import FollowingMeter
from textcore.core.written import WrittenText

_STRIPS = frozenset(("strip", "lstrip", "rstrip", "trim", "removeprefix", "removesuffix"))
_SPLITS = frozenset(("split", "rsplit", "splitlines"))
_PARTITIONS = frozenset(("partition", "rpartition"))
_CASES = frozenset(("lower", "upper", "title", "capitalize", "casefold", "swapcase"))
# These map each character by itself: where nothing changes, nothing moves.
_MAPS = _CASES | {"string", "indent"}


def follow(
    meter: FollowingMeter, name: str, value: Any, args: Any, kwargs: Any, result: Any
) -> Any:
    """The result of a string's method, filter or operator, with its ranges.

    One of the operands is a WrittenText, or has one in it. Raises LostControlToken where a
    control token of the template's gets lost.
    """
    if name == "join" or type(result) is WrittenText:
        return result  # it has been followed
    if name in ("%", "% filter"):
        values = args[0] if name == "%" else kwargs or args
        followed = followed_percent(meter, value, values, result) if _is_text(value) else None
        if followed is not None:
            return followed
    if type(value) is WrittenText:
        meter.charge(8 + len(value.ranges or ()))
        followed = _followed(name, value, args, kwargs, result)
        if followed is not None:
            return followed
    if name == "replace" and (followed := _replaced(meter, value, args, kwargs)) is not None:
        return followed
    if name == "*" and isinstance(result, str):
        text, count = (value, args[0]) if isinstance(value, str) else (args[0], value)
        meter.reserve_items(max(count, 0))
        return meter.join_written([text] * max(count, 0))
    refuse_loss(meter, name, (value, *args, *kwargs.values()), result)
    return result


def _is_text(value: Any) -> bool:
    return type(value) in (str, WrittenText)


def _followed(name: str, value: WrittenText, args: Any, kwargs: Any, result: Any) -> Any:
    """The parts of ``value`` that ``result`` is made of; None where they are not known."""
    if name in _STRIPS:
        start = 0
        if name == "removeprefix":
            start = len(value) - len(result)
        elif name in ("strip", "lstrip", "trim"):
            characters = args[0] if args else kwargs.get("chars")
            start = len(value) - len(value.lstrip(characters))
        return part(value, start, start + len(result))
    if name == "cut" and isinstance(result, str):
        start, stop, step = slice(*args).indices(len(value))
        return part(value, start, max(start, stop)) if step == 1 else None
    if name in _SPLITS:
        separator = args[0] if args else kwargs.get("sep")
        return _pieces(value, result, separator if name != "splitlines" else None)
    if name in _PARTITIONS:
        return tuple(_pieces(value, result, ""))
    if name == "item":
        return part(value, args[0] % len(value), args[0] % len(value) + 1)
    if name in _MAPS and result == value:
        return value
    # Of ASCII, a change of case takes each character to one.
    return value.like(result) if name in _CASES and value.isascii() else None


def _pieces(value: str, pieces: Iterable[str], separator: str | None) -> list[str]:
    """Pieces of ``value`` in order, with a separator (None: whitespace) between them."""
    parts = []
    at = 0
    for piece in pieces:
        if separator is None:
            at = value.index(piece, at)
        parts.append(part(value, at, at + len(piece)))
        at += len(piece) + len(separator or "")
    return parts


def _replaced(meter: FollowingMeter, value: Any, args: Any, kwargs: Any) -> str | None:
    if len(args) < 2 or not all(isinstance(a, str) for a in (value, *args[:2])) or not args[0]:
        return None
    old, new = args[:2]
    count = args[2] if len(args) > 2 else kwargs.get("count")
    pieces = value.split(old, -1 if count is None else count)
    return _joined(meter, new, _pieces(value, pieces, old))


def _joined(meter: FollowingMeter, separator: str, items: list[str]) -> str:
    parts = [separator] * (2 * len(items) - 1)
    parts[::2] = items
    return meter.join_written(parts)


def _join_guard(meter: FollowingMeter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    """``separator.join(items)``, followed; the items may be an iterator, which is used up."""
    if len(args) != 1 or kwargs or not hasattr(type(args[0]), "__iter__"):
        return NotImplemented
    items = meter.items_of(args[0])
    guard = GUARDS[str]["join"]
    result = guard(meter, value, name, (items,), kwargs)
    return join_followed(meter, value, items, result)


def join_followed(meter: FollowingMeter, separator: Any, items: list[Any], result: Any) -> Any:
    """Items joined, with the ranges of those that have some."""
    followed = any(type(text) is WrittenText for text in (separator, *items))
    if not followed or not items or type(result) is not str:
        return result
    texts = [item if isinstance(item, str) else meter.text(item) for item in items]
    return _joined(meter, separator, texts)


def _format_guard(meter: FollowingMeter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    return FollowedFormat(meter.environment, value, name == "format_map")(meter, *args, **kwargs)


_TEXT_GUARDS = {
    **GUARDS[str],
    "join": _join_guard,
    "format": _format_guard,
    "format_map": _format_guard,
}
FOLLOWING_GUARDS = {**GUARDS, str: _TEXT_GUARDS, WrittenText: _TEXT_GUARDS}
"""What is charged before a method where text is followed."""
