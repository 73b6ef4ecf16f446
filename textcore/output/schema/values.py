"""JSON values as Python objects: checked, compared as JSON Schema compares them, and written."""

from __future__ import annotations

import json
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from ...errors import SpecError, UnsupportedError
from .limits import DEPTH_LIMIT, Work

_BITS_LIMIT: Final = 3000


def check_value(value: Any, place: str, work: Work, depth: int = 0) -> None:
    """Raise unless ``value`` is JSON with a canonical text: finite numbers, whole characters."""
    if depth > DEPTH_LIMIT:
        raise UnsupportedError(place, f"a value nested deeper than {DEPTH_LIMIT} levels")
    work.spend(4, place)
    if isinstance(value, str):
        check_text(value, place, work)
    elif isinstance(value, list):
        for item in value:
            check_value(item, place, work, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            check_text(key, place, work)
            check_value(item, place, work, depth + 1)
    elif isinstance(value, int):
        if value.bit_length() > _BITS_LIMIT:
            raise UnsupportedError(place, f"an integer of more than {_BITS_LIMIT} bits")
    elif isinstance(value, float):
        if not isfinite(value):
            raise SpecError(place, f"{value} is not a JSON number")
    elif value is not None:
        raise SpecError(place, f"{type(value).__name__} is not a JSON type")


def check_text(text: Any, place: str, work: Work) -> None:
    """Raise unless ``text`` is a string that UTF-8 can carry."""
    if not isinstance(text, str):
        raise SpecError(place, f"expected a string, not {type(text).__name__}")
    work.spend(len(text) // 8, place)
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise SpecError(place, "a lone surrogate has no canonical JSON text")


def key_of(value: Any) -> Any:
    """A hashable stand-in, equal for equal values: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, list):
        return ("array", tuple(map(key_of, value)))
    if isinstance(value, dict):
        return ("object", frozenset((name, key_of(item)) for name, item in value.items()))
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, str):
        return ("string", value)
    return ("number", exact(value))


def exact(number: int | float) -> Fraction:
    """The number that the shortest decimal text of ``number`` names."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def is_number(value: Any) -> bool:
    """Whether a value is a JSON number (Python's booleans are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def text_of(value: Any, separators: tuple[str, str]) -> str:
    """The canonical JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=separators)
