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


class JsonObjectReader:
    """Reads a body declared as a :class:`JsonObject`."""

    begins_with = "{"
    whitespace = " \t\n\r"

    __slots__ = ("_scanner",)

    def __init__(self, body: JsonObject) -> None:
        self._scanner = JsonScanner((body.name, *body.arguments))

    @property
    def done(self) -> bool:
        """The body is complete."""
        return self._scanner.done

    @property
    def bad(self) -> bool:
        """The text is no body."""
        return self._scanner.bad

    def start(self) -> None:
        """Make ready for another body, whose first character comes next."""
        self._scanner.start()

    def feed(self, text: str, position: int) -> int:
        """Read on at ``text[position]``; return the position behind the last character taken."""
        return self._scanner.feed(text, position)

    def call(self, text: str, start: int) -> Call | None:
        """The call of the complete body that stands at ``text[start:]``, or None without a name.

        A string as the arguments is itself their JSON text, escaped once more; any other
        value is taken verbatim.
        """
        spans = [self._scanner.span(key) for key in range(len(self._scanner.keys))]
        if spans[0] is None:
            return None
        name = text[start + spans[0][0] : start + spans[0][1]]
        if len(name) <= 2 or name[0] != '"':
            return None
        given = next((span for span in spans[1:] if span is not None), None)
        if given is None:
            return Call(unescaped(name), "{}")
        arguments = text[start + given[0] : start + given[1]]
        return Call(unescaped(name), unescaped(arguments) if arguments[0] == '"' else arguments)


def unescaped(literal: str) -> str:
    """The string of a JSON string literal that has been checked."""
    if "\\" not in literal:
        return literal[1:-1]
    value: str = json.loads(literal)
    return value
