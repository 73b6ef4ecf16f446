"""Bodies that are a name, a separator, and the arguments as one value."""

from __future__ import annotations

from textcore.core.jsonscan import JsonScanner
from textcore.core.literals import LiteralScanner
from textcore.output.bodies.mending import mended
from textcore.output.bodies.reader import WHITESPACE, Name
from textcore.output.formats.declaration import NamedValue
from textcore.output.parameter_types import ANY, ToolTypes, Types, json_value

RAW_PYTHON = "raw python"


class NamedReader:
    """Reads a body declared as :class:`NamedValue`, and passes the value on as it comes."""

    __slots__ = ("_in_name", "_kept", "_name", "_value", "bad", "done", "name", "opened")

    unread = ""

    @property
    def id(self) -> str | None:
        """The call's own id, where it stands before the value."""
        return self._name.id

    @property
    def value(self) -> JsonScanner | LiteralScanner | None:
        """What follows the value, once that has begun."""
        return None if self.name is None else self._value.scanner

    def __init__(self, body: NamedValue, tools: ToolTypes) -> None:
        self._name = Name(body.name, body.separators)
        self._kept = body.kept
        self._value = Value(body.value, tools)
        self.start()

    def start(self, name: str = "") -> None:
        """Forget everything."""
        self._name.start()
        self._in_name = True
        self._value.start()
        self.name: str | None = None
        self.opened = self.done = self.bad = False

    def feed(self, text: str, position: int) -> int:
        """Read on; see :class:`Reader`."""
        value = self._value
        if self.name is not None:
            # The common case: more of the arguments.
            scanner = value.scanner
            position = (
                value.feed_more(text, position) if value.verbatim else scanner.feed(text, position)
            )
            self.bad = scanner.bad
            self.done = scanner.done
            return position
        if self._in_name:
            position = self._name.feed(text, position)
            self.bad = self._name.bad
            self._in_name = self._name.name is None
            if self._in_name:
                return position
            assert self._name.name is not None
            self._value.function = self._name.name
            if self._name.ended_by in self._kept:
                value.feed(self._name.ended_by, 0)
            elif self._name.ended_by == "(":
                value.start(round=True)
        position = value.feed(text, position)
        self.bad = value.bad
        self.done = value.done
        if value.begun and self.name is None:
            self.opened = True
            self.name = self._name.name
        return position

    def take(self) -> str:
        """The arguments' text since the last time."""
        value = self._value
        return value.take() if value.verbatim else value.literal.take()

    def finish(self) -> None:
        """The text ends here."""
        self._value.finish()


class ArgumentsReader:
    """Reads a body that is nothing but the arguments, a JSON object."""

    __slots__ = ("_announced", "_value", "bad", "done", "name", "opened")

    unread = ""
    id = value = None

    def __init__(self) -> None:
        self._value = Value("json")
        self.start()

    def start(self, name: str = "") -> None:
        """Forget everything; ``name`` is the function's."""
        self._announced = name
        self._value.start()
        self.name: str | None = None
        self.opened = self.done = self.bad = False

    def feed(self, text: str, position: int) -> int:
        """Read on; see :class:`Reader`."""
        if self.name is not None:
            position = self._value.feed_more(text, position)
            self.bad = self._value.scanner.bad
            self.done = self._value.scanner.done
            return position
        position = self._value.feed(text, position)
        self.bad = self._value.bad
        self.done = self._value.done
        if self._value.begun:
            self.opened = True
            self.name = self._announced
        return position

    def take(self) -> str:
        """The arguments' text since the last time."""
        return self._value.take()

    def finish(self) -> None:
        """A value has its own end."""


class Value:
    """One object as the arguments, passed on as JSON text.

    Where it is no JSON, a string that the tool wants to be something else is what it says.
    """

    __slots__ = (
        "_json",
        "_offset",
        "_pieces",
        "_raw",
        "_tools",
        "begun",
        "function",
        "literal",
        "scanner",
        "verbatim",
    )

    def __init__(self, spelling: str, tools: ToolTypes | None = None) -> None:
        self._tools = tools
        self.function = ""
        self._json = JsonScanner((), False, True) if spelling == "json" else None
        self._raw = spelling == RAW_PYTHON
        quoted = spelling not in ("json", "python", RAW_PYTHON)
        self.literal = LiteralScanner(spelling if quoted else "")
        self.scanner: JsonScanner | LiteralScanner = self._json or self.literal
        self.verbatim = self._json is not None
        self.start()

    def start(self, *, round: bool = False) -> None:
        """Forget everything; a ``round`` bracket may stand before the arguments."""
        self._pieces: list[str] = []
        self._offset = 0
        self.begun = False
        if self._json is not None:
            self._json.start()
        else:
            self.literal.start(True, self._holds, self._converted, self._raw, self._knows, round)

    def _types(self, key: str) -> Types:
        return self._tools.types(self.function, key) if self._tools else ANY

    def _holds(self, key: str) -> bool:
        """Whether an argument can't be a string."""
        types = self._types(key)
        return bool(types) and "string" not in types

    def _knows(self, key: str) -> bool:
        """Whether the function is known to have a parameter of this name."""
        return self._tools is not None and key in self._tools.properties(self.function)

    def _converted(self, key: str, text: str) -> str:
        return json_value(text, self._types(key))

    def finish(self) -> None:
        """The text ends here."""
        if self._json is None:
            self.literal.finish()

    @property
    def done(self) -> bool:
        """Whether the object is complete."""
        return self.scanner.done

    @property
    def bad(self) -> bool:
        """Whether it is not one."""
        return self.scanner.bad

    def feed(self, text: str, position: int) -> int:
        """Read on; return the position behind what belongs to the value."""
        if self._json is None:
            end = self.literal.feed(text, position)
            self.begun = self.literal.begun
            return end
        if not self.begun:
            while position < len(text) and text[position] in WHITESPACE:
                position += 1
            if position == len(text):
                return position
            self.begun = text[position] == "{"
            if not self.begun:
                # Only an object is a function's arguments.
                self._json.feed("}")
                return position
        return self.feed_more(text, position)

    def feed_more(self, text: str, position: int) -> int:
        """Read on within the object, of which something has come."""
        scanner = self._json
        if scanner is None:
            return self.literal.feed(text, position)
        end = scanner.feed(text, position)
        if scanner.edits:
            return self._mend(scanner, text, position, end)
        self._pieces.append(text if end - position == len(text) else text[position:end])
        self._offset += end - position
        return end

    def _mend(self, scanner: JsonScanner, text: str, position: int, end: int) -> int:
        """Pass on what has been read, mended, and read the rest."""
        while True:
            shift = position - self._offset
            self._pieces.append(mended(text, position, end, scanner.take_edits(), shift))
            self._offset += end - position
            if end == len(text) or scanner.done or scanner.bad:
                return end
            position, end = end, scanner.feed(text, end)

    def take(self) -> str:
        """The JSON text since the last time."""
        if self._json is None:
            return self.literal.take()
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else "".join(pieces)
