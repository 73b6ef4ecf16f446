"""Reading a model's output by a response template, streamed or at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import regex

from textcore.errors import TextError
from textcore.output.templates.casting import ToolArguments
from textcore.output.templates.contents import VERBATIM, field_value
from textcore.output.templates.spec import Anchor, Field, ResponseTemplate

Event = dict[str, Any]

# How much of what has been read is kept, and how much is left when it is cut.
KEPT_CHARACTERS = 1 << 14
LOOK_BEHIND = 1 << 10


class _Found(NamedTuple):
    """A delimiter that has been found."""

    field: Field
    opens: bool
    match: regex.Match[str]


def parse_response(
    text: str,
    template: Mapping[str, Any] | ResponseTemplate,
    *,
    prefix: str,
    tools: Iterable[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The message that a complete output is, by a response template.

    Equal to ``transformers``' ``parse_response`` of the same text, prefix and tools.

    Args:
        text: what the model wrote.
        template: the template, or its JSON.
        prefix: the rendered prompt; ``""`` if the text is the whole message.
        tools: the request's tool definitions, by which arguments are cast.

    Raises:
        SpecError: the template is malformed.
        TextError, ValueError: the text is not as the template says.
    """
    parser = ResponseTemplateParser(template, prefix, tools=tools)
    parser.feed(text)
    return parser.finalize()[0]


class ResponseTemplateParser:
    """Follows one output by a response template; not for several threads at once.

    Events are ``{"type": "region_open", "field": str}``, ``{"type": "region_chunk", "field": str,
    "text": str, "dirty": bool}`` (dirty: the text is not yet the value) and
    ``{"type": "region_close", "field": str, "value": ...}``.

    Args, Raises: as ``parse_response``.

    Attributes:
        initial_events: what the prefix has already opened, written and closed.
    """

    def __init__(
        self,
        template: Mapping[str, Any] | ResponseTemplate,
        prefix: str,
        *,
        tools: Iterable[Mapping[str, Any]] | None = None,
    ) -> None:
        if not isinstance(template, ResponseTemplate):
            template = ResponseTemplate(template)
        if not isinstance(prefix, str):
            raise TypeError(f"prefix is a str, not {type(prefix).__name__}")
        self._template = template
        self._cast = ToolArguments(tools or ())
        self._buffer = ""
        self._at = 0
        self._message: dict[str, Any] = deepcopy(template.defaults)
        self._field = template.implicit
        self._captures: dict[str, str] = {}
        self._pieces: list[str] = []
        self._opened = False
        self._finished = False
        self._events: list[Event] = []
        self._buffer = template.tail(prefix)
        if self._buffer:
            self._read(False)
        self.initial_events = self._taken()

    def feed(self, text: str) -> list[Event]:
        """Take the output's next piece; return the events that it makes certain.

        Raises:
            ValueError: the output has ended.
            TextError: a region that ends here is not as the template says.
        """
        if self._finished:
            raise ValueError("text fed to a response parser after its end")
        if self._at > KEPT_CHARACTERS:
            # Patterns may look behind, but not further than this.
            self._buffer = self._buffer[self._at - LOOK_BEHIND :]
            self._at = LOOK_BEHIND
        self._buffer += text
        self._read(False)
        return self._taken()

    def finalize(self) -> tuple[dict[str, Any], list[Event]]:
        """End the output; return the message and the last events.

        Raises:
            ValueError: the output has ended before.
            TextError: a region is not as the template says, or a field is missing.
        """
        if self._finished:
            raise ValueError("a response parser has been finalized twice")
        self._read(True)
        for name, field in self._template.fields.items():
            if not field.optional and name not in self._message:
                raise TextError(f"response_template: the field {name!r} is missing in the output")
        self._finished = True
        message = {
            name: value
            for name, value in self._message.items()
            if name in self._template.defaults or not _is_empty(value)
        }
        return message, self._taken()

    def _taken(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def _read(self, final: bool) -> None:
        """Read on, as far as it is certain what the text is."""
        idle = 0
        while True:
            found, certain = self._next(final)
            if found is None:
                end = len(self._buffer) if final else certain
                if end > self._at:
                    self._write(self._buffer[self._at : end])
                    self._at = end
                if final:
                    self._close()
                return
            if found.match.start() > self._at:
                self._write(self._buffer[self._at : found.match.start()])
            idle = idle + 1 if found.match.end() == self._at else 0
            if idle > 2 * len(self._template.fields):
                # Every field has opened and closed here, on nothing.
                place = f"response_template.fields.{found.field.name}"
                raise TextError(f"{place}: opens and closes again and again on no text")
            self._at = found.match.end()
            captures = {k: v for k, v in found.match.groupdict().items() if v is not None}
            if found.opens:
                self._close()
                self._open(found.field, captures)
            else:
                opened = self._opened
                self._captures.update(captures)
                self._close()
                # An empty close of an empty region would be found here forever.
                if not opened and found.match.start() == found.match.end():
                    return

    def _watched(self) -> list[tuple[Field, bool, Anchor]]:
        """The delimiters that count here."""
        field = self._field
        if field is not None and field is not self._template.implicit:
            return [(field, False, field.close)] if field.close else []
        watched = [(one, True, one.open) for one in self._template.fields.values() if one.open]
        if field is not None and field.close:
            watched.append((field, False, field.close))
        return watched

    def _next(self, final: bool) -> tuple[_Found | None, int]:
        """The delimiter that comes first, if that is certain, and up to where text is text."""
        best: _Found | None = None
        best_key: tuple[int, int, bool, str] | None = None
        certain = len(self._buffer)
        for field, opens, anchor in self._watched():
            match = anchor.pattern.search(self._buffer, self._at, partial=not final)
            if match is None:
                continue
            if not final and (match.partial or self._may_change(anchor, match)):
                certain = min(certain, match.start())
                continue
            key = (match.start(), match.start() - match.end(), not opens, field.name)
            if best_key is None or key < best_key:
                best_key, best = key, _Found(field, opens, match)
        if best is not None and best.match.start() >= certain:
            best = None
        return best, certain

    def _may_change(self, anchor: Anchor, match: regex.Match[str]) -> bool:
        """Whether more text could make a match another one."""
        if match.end() == len(self._buffer):
            return match.start() == match.end() or anchor.literals is None or anchor.may_grow
        if anchor.literals is not None:
            return False
        again = anchor.pattern.match(self._buffer + "\x00", match.start())
        return (
            again is None or again.span() != match.span() or again.groupdict() != match.groupdict()
        )

    def _open(self, field: Field, captures: dict[str, str]) -> None:
        self._field = field
        self._captures = captures
        self._opened = True
        self._events.append({"type": "region_open", "field": field.name})

    def _write(self, text: str) -> None:
        """Text of the current region; what belongs to none is dropped."""
        field = self._field
        if field is None:
            return
        if not self._opened:
            self._open(field, self._captures)
        self._pieces.append(text)
        dirty = field.content not in VERBATIM
        self._events.append(
            {"type": "region_chunk", "field": field.name, "text": text, "dirty": dirty}
        )

    def _close(self) -> None:
        """End the current region, and go back to the one that needs no opening."""
        field, opened = self._field, self._opened
        text, captures = "".join(self._pieces), self._captures
        self._field = self._template.implicit
        self._captures, self._pieces, self._opened = {}, [], False
        if field is None or not opened:
            return
        value = self._cast(field_value(text, field, captures))
        if field.join is not None:
            if not isinstance(value, str):
                raise TextError(f"response_template: {field.name}: 'join' needs strings")
            before = self._message.get(field.name)
            if before is not None and not isinstance(before, str):
                raise TextError(f"response_template.defaults.{field.name}: expected a string")
            self._message[field.name] = value if before is None else before + field.join + value
        elif field.repeats:
            values = self._message.setdefault(field.name, [])
            if not isinstance(values, list):
                raise TextError(f"response_template.defaults.{field.name}: expected a list")
            values.append(value)
        else:
            self._message[field.name] = value
        self._events.append({"type": "region_close", "field": field.name, "value": value})


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (list, dict, str)) and not value)
