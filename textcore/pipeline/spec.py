"""Typed, located access to the JSON of a tokenizer file.

Every component is built from a :class:`Node`: one JSON object and the place where it
stands, so that an error can name that place. Like the reference's own reader, keys that
nobody asks for are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from textcore.errors import SpecError

T = TypeVar("T")
REQUIRED: Any = object()

_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "true or false",
          int: "an integer", float: "a number", type(None): "null"}  # fmt: skip


def kind_name(value: object) -> str:
    """What a JSON value is, in words for an error message."""
    return _NAMES.get(type(value), type(value).__name__)


def shorten(value: object, limit: int = 60) -> str:
    """A value as an error message shows it: never long, whatever it holds."""
    if isinstance(value, (dict, list)):
        return f"{kind_name(value)} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 1000:
        # Python refuses to write out a very long number.
        return f"an integer of {value.bit_length()} bits"
    text = repr(value[: limit + 1]) if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Node:
    """One JSON object of a specification, with the place where it stands."""

    __slots__ = ("data", "place")

    def __init__(self, data: object, place: str) -> None:
        if not isinstance(data, dict):
            raise SpecError(place, f"expected an object, found {shorten(data)}")
        self.data: dict[str, Any] = data
        self.place = place

    def at(self, key: str) -> str:
        """The place of one of this object's keys."""
        return f"{self.place}.{key}" if self.place else key

    def error(self, key: str, problem: str) -> SpecError:
        """An error about one of this object's keys."""
        return SpecError(self.at(key), problem)

    def get(self, key: str, kind: type[T], default: Any = REQUIRED) -> T:
        """The value at ``key``, which must be a ``kind``.

        A missing key gives ``default``, or an error without one; null is a value of its
        own and is accepted only where ``default`` is None. ``bool`` is no ``int`` here.
        """
        if key not in self.data:
            if default is REQUIRED:
                raise self.error(key, f"missing; expected {_NAMES.get(kind, kind.__name__)}")
            return default  # type: ignore[no-any-return]
        value = self.data[key]
        if value is None and default is None:
            return None  # type: ignore[return-value]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(
                key, f"expected {_NAMES.get(kind, kind.__name__)}, found {shorten(value)}"
            )
        return value

    def one_of(self, key: str, choices: tuple[str, ...], default: Any = REQUIRED) -> str:
        """The string at ``key``, which must be one of ``choices``."""
        value = self.get(key, str, default)
        if value not in choices:
            raise self.error(key, f"expected one of {', '.join(choices)}; found {shorten(value)}")
        return value

    def child(self, key: str) -> Node | None:
        """The object at ``key``, or None where it is missing or null."""
        value = self.data.get(key)
        return None if value is None else Node(value, self.at(key))

    def children(self, key: str) -> Iterator[Node]:
        """The objects of the list at ``key``, which must be there."""
        for index, item in enumerate(self.get(key, list)):
            yield Node(item, f"{self.at(key)}[{index}]")
