"""Jinja's tests (``x is y``), charged where they can be expensive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import jinja2.tests
from jinja2.utils import pass_context

from textcore.chat.arguments import with_arguments_of
from textcore.core.rendering import Meter

_JINJA = cast(dict[str, Callable[..., Any]], jinja2.tests.TESTS)


def is_odd(context: Any, value: Any) -> bool:
    """Whether the number is odd."""
    return bool(context.meter.mod(value, 2) == 1)


def is_even(context: Any, value: Any) -> bool:
    """Whether the number is even."""
    return bool(context.meter.mod(value, 2) == 0)


def is_divisible(context: Any, value: Any, num: Any) -> bool:
    """Whether the number is divisible by another."""
    return bool(context.meter.mod(value, num) == 0)


def is_in(context: Any, value: Any, seq: Any) -> bool:
    """Whether the value is in the sequence."""
    meter: Meter = context.meter
    return meter.guard(value) in meter.container(seq)


def _of_text(name: str) -> Callable[..., Any]:
    original = _JINJA[name]

    def check(context: Any, value: Any) -> Any:
        text = context.meter.text(value)
        context.meter.charge(1 + (len(text) >> 2))
        return original(text)

    return check


def _comparing(name: str) -> Callable[..., Any]:
    original = _JINJA[name]

    @pass_context
    def check(context: Any, value: Any, /, *args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs:
            return original(value, *args, **kwargs)  # says what is wrong
        meter: Meter = context.meter
        return original(meter.guard(value), meter.guard(args[0]))

    return check


def _named(name: str) -> Callable[..., Any]:
    original = _JINJA[name]

    def check(context: Any, value: Any) -> Any:
        return original(context.environment, context.meter.guard(value))

    return check


_COMPARING = [
    "==",
    "eq",
    "equalto",
    "!=",
    "ne",
    ">",
    "gt",
    "greaterthan",
    "ge",
    ">=",
    "<",
    "lt",
    "lessthan",
    "<=",
    "le",
]

_OWN: dict[str, Callable[..., Any]] = {
    **{name: _of_text(name) for name in ("lower", "upper")},
    **{name: _named(name) for name in ("filter", "test")},
    "odd": is_odd,
    "even": is_even,
    "divisibleby": is_divisible,
    "in": is_in,
}

TESTS: dict[str, Callable[..., Any]] = {
    **_JINJA,
    **{name: _comparing(name) for name in _COMPARING},
    **{name: pass_context(with_arguments_of(_JINJA[name], run)) for name, run in _OWN.items()},
}
