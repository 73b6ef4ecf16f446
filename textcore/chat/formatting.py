"""Formatting of strings, charged before it is done: ``%``, ``str.format``, ``format_map``.

A format can ask for any width (``'%2000000000d' % 1``) and name an argument any number of times.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from jinja2.sandbox import SandboxedEscapeFormatter, SandboxedFormatter
from markupsafe import Markup

from textcore.core.rendering import Meter

_NUMBER = re.compile(r"\d+")
_CONVERSION = re.compile(
    r"%(?:\((?:[^()]|\([^()]*\))*\))?[#0\- +]*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
)
_LONGEST_NUMBER = 18


def guard_percent(meter: Meter, template: Any, values: Any) -> None:
    """Charge ``template % values`` for a str or bytes template, before it is done."""
    text = template.decode("latin-1") if isinstance(template, bytes) else str.__str__(template)
    conversions = text.count("%")
    meter.charge(16 + 4 * conversions + (len(text) >> 6))
    escaped = 6 if isinstance(template, Markup) else 1
    if isinstance(values, tuple):
        printed = sum(_printed(meter, value) for value in values)
        stars = max((abs(v) for v in values if isinstance(v, int)), default=0)
    elif isinstance(values, Mapping):
        largest = max((_printed(meter, value) for value in values.values()), default=0)
        printed = max(conversions * largest, _printed(meter, values))
        stars = 0
    else:
        printed, stars = _printed(meter, values), 0
    widths = _widths(text, stars)
    meter.reserve(len(text) + widths + printed * escaped)


def _printed(meter: Meter, value: Any) -> int:
    """An upper bound of a value's printed length."""
    if type(value) is str:
        meter.charge(1 + (len(value) >> 6))
        return 2 + (len(value) if value.isprintable() else 10 * len(value))
    return meter.measure(value)


def _widths(text: str, stars: int) -> int:
    """The sum of all widths and precisions of a printf-style format."""
    total = 0
    for match in _CONVERSION.finditer(text):
        for number in match.group("width", "precision"):
            if number == "*":
                total += stars
            elif number:
                total += _to_int(number)
    return total


def _to_int(digits: str) -> int:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else 10**_LONGEST_NUMBER


class MeteredFormatter(SandboxedFormatter):
    """Jinja's sandboxed ``str.format``, charged field by field."""

    def __init__(self, environment: Any, meter: Meter, **kwargs: Any) -> None:
        super().__init__(environment, **kwargs)
        self._meter = meter
        self._length = 0

    def format_field(self, value: Any, format_spec: str) -> Any:
        width = sum(_to_int(number) for number in _NUMBER.findall(format_spec))
        printed = len(value) if type(value) is str else self._meter.measure(value)
        self._meter.charge(32)
        self._length += max(width, printed)
        self._meter.reserve(max(width, self._length))
        return super().format_field(value, format_spec)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion is not None:
            self._meter.reserve(self._meter.measure(value))
        return super().convert_field(value, conversion)


class MeteredEscapeFormatter(MeteredFormatter, SandboxedEscapeFormatter):
    """The same for Markup, which escapes what it formats."""


def between_fields(text: str, args: Sequence[Any], kinds: Collection[type]) -> list[str] | None:
    """What a format has between its fields, where these are ``{}`` for texts; else None."""
    count = text.count("{}")
    if not count == text.count("{") == text.count("}") <= len(args):
        return None
    return text.split("{}") if all(type(value) in kinds for value in args[:count]) else None


class FormatMethod:
    """``format`` or ``format_map`` of a string, as a template gets hold of it."""

    takes_meter = True

    def __init__(self, environment: Any, text: str, is_map: bool) -> None:
        self._environment = environment
        self._text = text
        self._is_map = is_map

    def __call__(self, meter: Meter, /, *args: Any, **kwargs: Any) -> str:
        meter.charge(64 + (len(self._text) >> 4))
        if self._is_map:
            if kwargs:
                raise TypeError("format_map() takes no keyword arguments")
            if len(args) != 1:
                raise TypeError(f"format_map() takes exactly one argument ({len(args)} given)")
            return self._format(meter, (), args[0])
        return self._format(meter, args, kwargs)

    def _format(self, meter: Meter, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        text = self._text
        formatter: MeteredFormatter
        if isinstance(text, Markup):
            formatter = MeteredEscapeFormatter(self._environment, meter, escape=text.escape)
            return Markup(formatter.vformat(text, args, kwargs))
        parts = between_fields(text, args, (str,))
        if parts is not None:
            return self._filled(meter, parts, args)
        formatter = MeteredFormatter(self._environment, meter)
        return formatter.vformat(text, args, kwargs)

    def _filled(self, meter: Meter, parts: list[str], args: Sequence[Any]) -> str:
        """Texts with arguments between them; there may be more arguments."""
        count = len(parts) - 1
        meter.charge(32 * count)
        meter.reserve(sum(map(len, parts)) + sum(map(len, args[:count])))
        pieces = [""] * (2 * count + 1)
        pieces[::2], pieces[1::2] = parts, args[:count]
        return self._join(meter, pieces)

    def _join(self, meter: Meter, pieces: list[str]) -> str:
        return "".join(pieces)
