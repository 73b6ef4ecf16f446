"""Writes what stands between an array's brackets, however its items are written."""

from __future__ import annotations

from collections.abc import Callable

from .constraints import Array
from .fragments import EMPTY, Part, Structure


def items(
    composer: Structure, array: Array, item: Callable[[int], Part | None], comma: Part
) -> Part | None:
    """The first items, each only after the one before, and as many others; None: none can be.

    Args:
        composer: joins the parts.
        array: what the items must satisfy.
        item: writes the item at an index; None if there is none that may stand there. That of
            the first index behind ``array.prefix`` is for all others, too.
        comma: stands between two items; may be empty.
    """
    longest = array.longest()
    if longest is not None and longest < array.low:
        return None
    places = len(array.prefix) if longest is None else min(longest, len(array.prefix))
    first: list[Part] = []
    for index in range(places):
        written = item(index)
        if written is None:
            longest = index
            break
        first.append(written)
    if longest is not None and longest < array.low:
        return None
    tail = _rest(composer, array, item, comma, (len(first), longest))
    if tail is None:
        return None
    for index in reversed(range(len(first))):
        tail = composer.seq([comma if index else EMPTY, first[index], tail])
        if index >= array.low:
            tail = composer.optional(tail)
    return tail


def _rest(
    composer: Structure,
    array: Array,
    item: Callable[[int], Part | None],
    comma: Part,
    bounds: tuple[int, int | None],
) -> Part | None:
    """The items from a start to an end (each after a comma, but for the array's first)."""
    start, longest = bounds
    if longest is not None and longest <= start:
        return EMPTY
    written = item(len(array.prefix))
    low = max(array.low - start, 0)
    high = None if longest is None else longest - start
    if written is None:
        return EMPTY if low == 0 else None
    written = composer.share(written)
    more = composer.seq([comma, written])
    if start:
        return composer.repeat(more, low, high)
    others = composer.repeat(more, max(low - 1, 0), None if high is None else high - 1)
    some = composer.seq([written, others])
    return some if low else composer.optional(some)
