"""Formats of strings in which it is followed what the template wrote itself.

Each takes a format apart, and puts the parts together again with the ranges that they have. Where
that does not give what the format gave, it is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from textcore.chat.formatting import FormatMethod, MeteredFormatter, between_fields
from textcore.chat.losses import refuse_loss
from textcore.core.following import FollowingMeter
from textcore.core.written import WrittenText

_CONVERSION = re.compile(
    r"%(?:\((?P<key>(?:[^()]|\([^()]*\))*)\))?[#0\- +]*\d*(?:\.\d*)?[hlL]?(?P<type>[^*])", re.S
)
_TEXTS = (str, WrittenText)
# Of how many formats the parts are kept, and how long these are: a template's literals.
_KNOWN_FORMATS = 64
_SHORT_FORMAT = 256


def part(value: str, start: int, stop: int) -> str:
    """Characters ``start`` to ``stop``, with their ranges."""
    return value.part(start, stop) if type(value) is WrittenText else value[start:stop]


def followed_percent(meter: FollowingMeter, template: str, values: Any, result: str) -> str | None:
    """``template % values``, which is ``result``, with its ranges; None if they are not known."""
    pieces: list[str] = []
    lossy: list[Any] = []
    at = 0
    left = list(values) if isinstance(values, tuple) else [values]
    for match in _CONVERSION.finditer(template):
        pieces.append(part(template, at, match.start()))
        at = match.end()
        if match["type"] == "%":
            pieces.append(part(template, at - 1, at))
            continue
        if match["key"] is None:
            if not left:
                return None
            value = left.pop(0)
        elif isinstance(values, Mapping):
            value = values[match["key"]]
        else:
            return None
        conversion = template[match.start() : at]
        if conversion.endswith("%s" if match["key"] is None else ")s") and type(value) in _TEXTS:
            pieces.append(value)
        else:
            lossy.append(value)
            pieces.append(conversion % ((value,) if match["key"] is None else values))
    pieces.append(part(template, at, len(template)))
    followed = _checked(meter, pieces, result)
    if followed is not None:
        refuse_loss(meter, "%", lossy, result)
    return followed


def _checked(meter: FollowingMeter, pieces: list[str], result: str) -> str | None:
    meter.reserve(len(result))
    joined = meter.join_written(pieces)
    return joined if joined == result else None


class FollowedFormatter(MeteredFormatter):
    """A `MeteredFormatter` that notes the pieces of which it makes its result."""

    def __init__(self, environment: Any, meter: FollowingMeter) -> None:
        super().__init__(environment, meter)
        self.pieces: list[str] = []
        self.lossy: list[Any] = []
        self._started = False
        self._field = ""

    def parse(self, format_string: str) -> Iterator[Any]:
        if self._started:  # a field's own format
            return iter(super().parse(format_string))
        self._started = True
        return self._noted(format_string)

    def _noted(self, text: str) -> Iterator[Any]:
        at = 0
        for piece in super().parse(text):
            literal, field = piece[:2]
            self.pieces.append(part(text, at, at + len(literal)))
            at += len(literal)
            yield piece
            if field is not None:
                self.pieces.append(self._field)
                at = _field_end(text, at)
            elif text[at : at + 1] in ("{", "}"):
                at += 1  # the second of two braces, which are one

    def format_field(self, value: Any, format_spec: str) -> Any:
        self._field = printed = super().format_field(value, format_spec)
        if type(value) is WrittenText and not format_spec:
            self._field = value
        elif type(value) is not str:
            self.lossy.append(value)
        return printed

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "s" and type(value) is WrittenText:
            return value
        if conversion is not None:
            self.lossy.append(value)
        return super().convert_field(value, conversion)


def _field_end(text: str, at: int) -> int:
    """Where the field that begins with the brace at ``at`` ends."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if not depth:
            return index + 1
    return len(text)


class FollowedFormat(FormatMethod):
    """``format`` or ``format_map`` of a string, followed."""

    def _format(self, meter: Any, args: Any, kwargs: Any) -> str:
        text = self._text
        if type(text) not in (str, WrittenText):
            return super()._format(meter, args, kwargs)
        parts = between_fields(text, args, _TEXTS)
        if parts is not None:
            return self._filled(meter, self._with_ranges(text, parts), args)
        formatter = FollowedFormatter(self._environment, meter)
        result = formatter.vformat(text, args, kwargs)
        followed = _checked(meter, formatter.pieces, result)
        lost = formatter.lossy if followed is not None else (text, *args, *kwargs.values())
        refuse_loss(meter, "format", lost, result)
        return result if followed is None else followed

    def _join(self, meter: Any, pieces: list[str]) -> str:
        joined: str = meter.join_written(pieces)
        return joined

    def _with_ranges(self, text: str, parts: list[str]) -> list[str]:
        """The parts of a format between its ``{}``, with their ranges."""
        known: dict[int, tuple[str, list[str]]] = self._environment.format_parts
        found = known.get(id(text))
        if found is not None and found[0] is text:
            return found[1]
        marked = []
        at = 0
        for each in parts:
            marked.append(part(text, at, at + len(each)))
            at += len(each) + len("{}")
        if len(known) < _KNOWN_FORMATS and len(text) <= _SHORT_FORMAT:
            known[id(text)] = text, marked
        return marked
