"""The output formats that are known, by name."""

from __future__ import annotations

from textcore.errors import UnsupportedError
from textcore.output.formats import json_calls, named_calls, tagged_calls
from textcore.output.formats.declaration import (
    Calls,
    Channels,
    JsonArguments,
    JsonObject,
    NamedValue,
    NestedElements,
    OutputFormat,
    Section,
    TaggedParameters,
    Tags,
)
from textcore.output.formats.layout import Layout

__all__ = [
    "FORMATS",
    "Calls",
    "Channels",
    "JsonArguments",
    "JsonObject",
    "Layout",
    "NamedValue",
    "NestedElements",
    "OutputFormat",
    "Section",
    "TaggedParameters",
    "Tags",
    "get_format",
]

FORMATS: tuple[OutputFormat, ...] = (
    *json_calls.FAMILIES,
    *named_calls.FAMILIES,
    *tagged_calls.FAMILIES,
)

_BY_NAME = {name: known for known in FORMATS for name in (known.name, *known.aliases)}


def get_format(format: str | OutputFormat) -> OutputFormat:
    """The format of a name or alias; a declaration is taken as it is.

    Raises:
        UnsupportedError: no format has that name; the message lists those that there are.
        TypeError: neither a name nor a declaration.
    """
    if isinstance(format, OutputFormat):
        return format
    if not isinstance(format, str):
        raise TypeError(f"format is a name or an OutputFormat, not {type(format).__name__}")
    known = _BY_NAME.get(format)
    if known is None:
        names = ", ".join(_BY_NAME)
        raise UnsupportedError("format", f"unknown output format {format!r}; known: {names}")
    return known
