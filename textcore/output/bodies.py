"""Readers of a call's body, one for each way to spell a name and arguments.

A reader follows the body character by character as it comes, and holds none of the text:
the parser keeps it, and gives it back when the body is complete.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from textcore.core.jsonscan import JsonScanner
from textcore.output.formats.declaration import JsonObject


class Call(NamedTuple):
    """What a body says: the function's name, and its arguments as JSON text."""

    name: str
    arguments: str


class JsonObjectReader(JsonScanner):
    """Reads a body declared as a :class:`JsonObject`.

    A scanner of the object whose first key is the name's and whose others are the
    arguments'; ``start``, ``feed``, ``done`` and ``bad`` are the scanner's own.
    """

    __slots__ = ()

    begins_with = "{"
    whitespace = " \t\n\r"

    def call(self, text: str, start: int) -> Call | None:
        """The call of the complete body that stands at ``text[start:]``, or None without a name.

        A string as the arguments is itself their JSON text, escaped once more; any other
        value is taken verbatim.
        """
        name = self._value(0, text, start)
        if name is None or name[0] != '"' or name == '""':
            return None
        arguments = None
        for key in range(1, len(self.keys)):
            arguments = self._value(key, text, start)
            if arguments is not None:
                break
        if arguments is None:
            arguments = "{}"
        elif arguments[0] == '"':
            arguments = unescaped(arguments)
        return Call(unescaped(name), arguments)

    def _value(self, key: int, text: str, start: int) -> str | None:
        """The JSON text of a key's value."""
        span = self.span(key)
        return None if span is None else text[start + span[0] : start + span[1]]


def reader_for(body: JsonObject) -> JsonObjectReader:
    """A reader of bodies that are spelled as declared."""
    return JsonObjectReader((body.name, *body.arguments))


def unescaped(literal: str) -> str:
    """The string of a JSON string literal that has been checked."""
    if "\\" not in literal:
        return literal[1:-1]
    value: str = json.loads(literal)
    return value
