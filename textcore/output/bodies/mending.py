"""JSON that a model has written not quite as JSON, mended while it is read.

The scanner notes what would have to stand there; here it is put in its place.
"""

from __future__ import annotations

from collections.abc import Iterable

Edit = tuple[int, int, str]
"""Where in the value, how many of its characters to leave out, and what to put in their place."""


def mended(text: str, begin: int, end: int, edits: Iterable[Edit], shift: int) -> str:
    """``text[begin:end]`` with its edits made; ``shift`` is where in the text the value begins."""
    pieces = []
    for at, size, replacement in edits:
        place = at + shift
        if begin <= place < end:
            pieces.append(text[begin:place])
            pieces.append(replacement)
            begin = place + size
    pieces.append(text[begin:end])
    return "".join(pieces)


def moved(place: int, edits: Iterable[Edit]) -> int:
    """By how much the edits before a place of the value lengthen it."""
    return sum(len(added) - size for at, size, added in edits if at < place)
