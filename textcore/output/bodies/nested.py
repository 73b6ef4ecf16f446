"""Bodies that are a name and nested elements, written as JSON while they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textcore.core.jsontext import json_string_part
from textcore.core.matcher import Matcher
from textcore.core.splitter import Splitter
from textcore.core.textbuffer import TextBuffer
from textcore.output.bodies.reader import NAME_LIMIT, WHITESPACE, Literals, Name
from textcore.output.formats.declaration import NestedElements
from textcore.output.parameter_types import (
    LONGEST_WORD,
    STRING,
    ToolTypes,
    Types,
    can_only_be_string,
    inner_schema,
    json_value,
    types_of,
)

# JSON text in pieces, which are lists of pieces again.
Rope = str | list[Any]
TEXT_KEY = "$text"


class Element:
    """An element that is open: its name, its schema and what it holds so far."""

    __slots__ = ("is_array", "key", "members", "schema", "text", "types")

    def __init__(self, key: str, schema: Any, types: Types) -> None:
        self.key = key
        self.schema = schema
        self.types = types
        self.text: list[str] = []
        self.members: dict[str, list[Rope]] | None = None
        self.is_array = False

    def json(self) -> Rope:
        """The element's value, now that it is closed."""
        text = "".join(self.text)
        if self.members is None:
            return self._leaf(text)
        if self.is_array:
            return _joined("[", list(next(iter(self.members.values()))), "]")
        if text.strip(WHITESPACE):
            self.members.setdefault(TEXT_KEY, []).append(f'"{json_string_part(text)}"')
        members: list[Rope] = []
        for key, values in self.members.items():
            value = values[0] if len(values) == 1 else _joined("[", values, "]")
            members.append([f'"{json_string_part(key)}": ', value])
        return _joined("{", members, "}")

    def _leaf(self, text: str) -> str:
        if not text.strip(WHITESPACE) and self.types and "string" not in self.types:
            for kind, empty in (("object", "{}"), ("array", "[]"), ("null", "null")):
                if kind in self.types:
                    return empty
        return json_value(text, self.types)


class NestedReader:
    """Reads a body declared as :class:`NestedElements`.

    A string that is an argument itself is passed on as it comes, other arguments when they are
    complete. An open element costs one object, and no recursion.
    """

    __slots__ = (
        "_body",
        "_count",
        "_elided",
        "_expected",
        "_key",
        "_name",
        "_open",
        "_out",
        "_root",
        "_splitter",
        "_step",
        "_tools",
        "_value",
        "_waits",
        "_written",
        "bad",
        "done",
        "name",
        "opened",
        "unread",
    )

    value = None

    def __init__(self, body: NestedElements, tools: ToolTypes) -> None:
        self._body = body
        self._tools = tools
        self._name = Name(body.name, (body.name_end,))
        self._splitter = Splitter(Matcher((body.mark,)))
        self._value = TextBuffer()
        self.start()

    @property
    def id(self) -> str | None:
        """The call's own id, where it stands before the elements."""
        return self._name.id

    def start(self, name: str = "") -> None:
        """Forget everything."""
        self._name.start()
        self._value.clear()
        self._out: list[str] = []
        self._open: list[Element] = []
        self._root: Any = None
        self._key = ""
        self._count = 0
        self._waits = self._written = self._elided = False
        self.name: str | None = None
        self.opened = self.done = self.bad = False
        self.unread = ""
        self._expected = Literals(())
        self._step: Callable[[NestedReader, str, int], int] = NestedReader._in_name

    def feed(self, text: str, position: int) -> int:
        """Read on; see :class:`Reader`."""
        size = len(text)
        while position < size and not self.done and not self.bad:
            position = self._step(self, text, position)
        return position

    def take(self) -> str:
        """The arguments' text since the last time."""
        pieces, self._out = self._out, []
        return pieces[0] if len(pieces) == 1 else "".join(pieces)

    def finish(self) -> None:
        """The text ends here: what there is of a value is given as it stands."""
        if self._step is NestedReader._in_value:
            rest = self._splitter.finish()
            if self._written:
                self._out.append(json_string_part(rest))
                return
            self._open[-1].text.append(self._value.take() + rest)
        elif self._step is NestedReader._in_elided:
            self.unread = self._body.mark + self._value.take() + self._splitter.finish()
        elif self._step is NestedReader._in_tag and self._elided:
            self._refuse(0)
        elif self._step is NestedReader._behind_mark:
            self.unread = self._body.mark
        elif self._step is NestedReader._in_tag:
            self.unread = self._body.mark + self._key
            if self._open:
                self._open[-1].text.append(self._value.take())
        elif self._step is not NestedReader._in_name:
            self.unread = self._expected.taken
        while len(self._open) > 1:
            element = self._open.pop()
            members = self._open[-1].members
            assert members is not None
            members.setdefault(element.key, []).append(element.json())
        if self._open and not self._written:
            element = self._open[0]
            whole = element.members is not None
            self._out.append(flat(element.json()) if whole else "".join(element.text))

    def _in_name(self, text: str, position: int) -> int:
        position = self._name.feed(text, position)
        self.bad = self._name.bad
        if self._name.name is not None:
            self.opened = True
            self.name = self._name.name
            self._root = self._tools.schema(self.name)
            self._expect_element()
        return position

    def _expect_element(self) -> None:
        """Between arguments, where only whitespace may stand."""
        self._elided = False
        self._expected = Literals((self._body.mark,))
        self._step = NestedReader._in_between

    def _in_between(self, text: str, position: int) -> int:
        end = self._expected.feed(text, position)
        if end is None:
            self.bad = True
            self.unread = self._expected.taken
            return position
        if self._expected.found is not None:
            self._step = NestedReader._behind_mark
        return end

    def _behind_mark(self, text: str, position: int) -> int:
        """Behind the mark of a tag between arguments."""
        if text[position] == "<":
            self._step = NestedReader._in_tag
        else:
            # The tag that opens the argument is missing: the one that closes it says its name.
            self._elided = True
            self._splitter.start()
            self._step = NestedReader._in_elided
        return position

    def _in_elided(self, text: str, position: int) -> int:
        """An argument whose opening tag is missing, up to the next tag."""
        released = self._splitter.feed(text, position)
        if released:
            self._value.append(released)
        if self._splitter.hit >= 0:
            self._step = NestedReader._in_tag
        return self._splitter.position

    def _close_elided(self, tag: str) -> bool:
        """The argument whose opening tag was missing ends."""
        key = tag[2:-1]
        if not tag.startswith("</") or not key or self._body.mark + tag == self._body.close:
            return False
        text = self._value.take()
        self._elided = False
        if not self._begin(key):
            return False
        self._open[-1].text.append(text)
        return self._close(key)

    def _in_tag(self, text: str, position: int) -> int:
        """A tag, up to its end."""
        end = text.find(">", position)
        stop = len(text) if end < 0 else end + 1
        if len(self._key) + stop - position > NAME_LIMIT:
            return self._refuse(position)
        self._key += text[position:stop]
        if end >= 0:
            tag, self._key = self._key, ""
            if not self._take_tag(tag):
                self._key = tag
                return self._refuse(stop)
        return stop

    def _take_tag(self, tag: str) -> bool:
        """A complete tag; whether it can stand here."""
        if self._elided:
            return self._close_elided(tag)
        if not tag.startswith("</"):
            return self._begin(tag[1:-1])
        if not self._open and self._body.mark + tag == self._body.close:
            self._out.append("}" if self._count else "{}")
            self.done = True
            return True
        return self._close(tag[2:-1])

    def _refuse(self, position: int) -> int:
        """A tag that can't stand here."""
        self.bad = True
        self.unread = self._body.mark + self._key
        if self._elided:
            self.unread = self._body.mark + self._value.take() + self.unread
        return position

    def _begin(self, key: str) -> bool:
        """An element begins."""
        if not key or "<" in key or self._written:
            return False
        if self._open:
            outer = self._open[-1]
            if outer.members is None:
                outer.members = {}
                outer.is_array = key == self._body.item and (
                    not outer.types or "array" in outer.types
                )
            if outer.is_array and key != self._body.item:
                outer.is_array = False
            held = self._value.take()
            outer.text.append(held)
            inner = len(outer.members.get(key, ())) if outer.is_array else key
            schema = inner_schema(outer.schema, inner, self._root)
        else:
            schema = inner_schema(self._root, key, self._root)
            self._out.append(", " if self._count else "{")
            self._out.append(f'"{json_string_part(key)}": ')
            self._count += 1
        self._open.append(Element(key, schema, types_of(schema, self._root)))
        self._begin_text()
        return True

    def _begin_text(self) -> None:
        self._splitter.start()
        self._waits = self._written = False
        self._step = NestedReader._in_value

    def _close(self, key: str) -> bool:
        """An element ends."""
        if not self._open or self._open[-1].key != key:
            return False
        if self._written:
            self._open.pop()
            self._out.append('"')
            self._written = False
            self._expect_element()
            return True
        element = self._open.pop()
        element.text.append(self._value.take())
        value = element.json()
        if self._open:
            members = self._open[-1].members
            assert members is not None
            members.setdefault(key, []).append(value)
            self._begin_text()
        else:
            self._out.append(flat(value))
            self._expect_element()
        return True

    def _in_value(self, text: str, position: int) -> int:
        """Text within an element, up to the next tag."""
        splitter = self._splitter
        released = splitter.feed(text, position)
        if self._written:
            if released:
                self._out.append(json_string_part(released))
        elif released:
            self._value.append(released)
            self._decide(released)
        if splitter.hit >= 0:
            self._step = NestedReader._in_tag
        return splitter.position

    def _decide(self, released: str) -> None:
        """Pass on what is held of an argument, if it can only be a string."""
        if len(self._open) > 1 or self._open[0].members is not None:
            return
        if self._waits or released.isspace():
            return
        types = self._open[0].types
        if types != STRING:
            beginning = self._value.text().lstrip()
            if not can_only_be_string(beginning, types):
                self._waits = beginning[0] in "[{" or len(beginning) > LONGEST_WORD
                return
        self._written = True
        self._out.append('"' + json_string_part(self._value.take()))


def _joined(opened: str, parts: list[Rope], close: str) -> list[Any]:
    """Parts with commas between, in brackets."""
    rope: list[Any] = [opened]
    for number, part in enumerate(parts):
        if number:
            rope.append(", ")
        rope.append(part)
    rope.append(close)
    return rope


def flat(rope: Rope) -> str:
    """The text of a rope, without recursion."""
    out: list[str] = []
    stack: list[Rope] = [rope]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            out.append(part)
        else:
            stack.extend(reversed(part))
    return "".join(out)
