"""Bodies that are a name and tagged parameters, XML-like, written as JSON while they come."""

from __future__ import annotations

from collections.abc import Callable

from textcore.core.jsonscan import JsonScanner
from textcore.core.matcher import Matcher
from textcore.core.splitter import Splitter
from textcore.core.textbuffer import TextBuffer
from textcore.output.bodies.reader import WHITESPACE, Literals, Name
from textcore.output.formats.declaration import TaggedParameters
from textcore.output.parameter_types import (
    ANY,
    LONGEST_WORD,
    STRING,
    ToolTypes,
    Types,
    can_only_be_string,
    json_string_part,
    json_value,
)

# A parameter's name: anything but a newline or a tag's beginning.
KEY = r"\s*(?P<name>[^\n<>]+?)\s*"


class TaggedReader:
    """Reads a body declared as :class:`TaggedParameters`.

    A string is passed on as it comes, other values when they are complete, as only their end
    says what they are.
    """

    __slots__ = (
        "_body",
        "_count",
        "_ends",
        "_expected",
        "_flows",
        "_json",
        "_key",
        "_key_types",
        "_kind",
        "_name",
        "_out",
        "_plain",
        "_prefix",
        "_skip",
        "_splitter",
        "_step",
        "_tools",
        "_types",
        "_value",
        "_verbatim",
        "_waits",
        "_written",
        "bad",
        "done",
        "name",
        "opened",
        "unread",
    )

    value = None

    def __init__(self, body: TaggedParameters, tools: ToolTypes, call_close: str = "") -> None:
        self._body = body
        self._ends = (body.close, call_close) if call_close else (body.close,)
        self._tools = tools
        self._name = Name(body.name, (*body.name_ends, body.parameter, *self._ends))
        self._key = Name(KEY, tuple(end for end, _ in body.key_ends))
        self._key_types = dict(body.key_ends)
        closers = ("\n" + body.value_close, body.value_close)
        self._plain = Splitter(Matcher(closers if body.newline else closers[1:]))
        self._splitter = self._plain
        self._verbatim: Splitter | None = None
        if body.verbatim is not None:
            self._verbatim = Splitter(Matcher((body.verbatim.close + body.value_close,)))
        self._value = TextBuffer()
        self._json = JsonScanner()
        self.start()

    @property
    def id(self) -> str | None:
        """The call's own id, where it stands before the parameters."""
        return self._name.id

    def start(self, name: str = "") -> None:
        """Forget everything."""
        self._name.start()
        self._value.clear()
        self._out: list[str] = []
        self.name: str | None = None
        self.opened = self.done = self.bad = False
        self.unread = ""
        self._count = 0
        self._types: Types = ANY
        self._prefix = ""
        self._kind = ""
        self._flows = self._skip = self._written = self._waits = False
        self._expected = Literals(())
        self._step: Callable[[TaggedReader, str, int], int] = TaggedReader._in_name

    def feed(self, text: str, position: int) -> int:
        """Read on; see :class:`Reader`."""
        if self._flows:
            # The common case: all of the text is a string that is being passed on.
            released = self._splitter.feed(text, position)
            if released:
                self._out.append(json_string_part(released))
            if self._splitter.hit < 0:
                return len(text)
            position = self._at_value_end()
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
        if self._step is TaggedReader._in_value:
            rest = self._splitter.finish()
            if self._written:
                self._write(rest)
            else:
                self._out.append(self._value.take() + rest)
        elif self._step is TaggedReader._before_value:
            self._out.append(self._prefix)
        elif self._step is TaggedReader._in_key:
            self.unread = self._body.parameter + self._key.raw
        elif self._step is not TaggedReader._in_name:
            self.unread = self._expected.taken

    def _in_name(self, text: str, position: int) -> int:
        position = self._name.feed(text, position)
        self.bad = self._name.bad
        if self._name.name is not None:
            self.opened = True
            self.name = self._name.name
            if self._name.ended_by == self._body.parameter:
                self._expect_key()
            elif self._name.ended_by in self._ends:
                self._close()
            else:
                self._expect(self._body.parameter, *self._ends)
        return position

    def _expect(self, *literals: str) -> None:
        self._expected = Literals(literals)
        self._step = TaggedReader._in_between

    def _in_between(self, text: str, position: int) -> int:
        """Between tags, where only whitespace may stand."""
        end = self._expected.feed(text, position)
        if end is None:
            self.bad = True
            self.unread = self._expected.taken
            return position
        found = self._expected.found
        if found in self._ends:
            self._close()
        elif found == self._body.parameter:
            self._expect_key()
        elif found is not None:
            self._begin_value()
        return end

    def _close(self) -> None:
        self._out.append("}" if self._count else "{}")
        self.done = True

    def _expect_key(self) -> None:
        self._key.start()
        self._step = TaggedReader._in_key

    def _in_key(self, text: str, position: int) -> int:
        """A parameter's name, up to what ends it."""
        end = self._key.feed(text, position)
        if self._key.bad:
            self.bad = True
            self.unread = self._body.parameter + self._key.raw
            return end
        key = self._key.name
        if key is None:
            return end
        assert self.name is not None
        self._kind = self._key_types[self._key.ended_by]
        self._types = self._tools.types(self.name, key)
        if self._kind == "string":
            if not self._types or "string" in self._types:
                self._types = STRING
            self._kind = ""
        self._out.append(", " if self._count else "{")
        self._out.append(f'"{json_string_part(key)}": ')
        self._count += 1
        if self._body.value_open:
            self._expect(self._body.value_open)
        else:
            self._begin_value()
        return end

    def _begin_value(self) -> None:
        self._splitter = self._plain
        self._splitter.start()
        self._skip = self._body.newline
        self._written = self._waits = False
        self._step = TaggedReader._in_value
        if self._verbatim is not None:
            self._prefix = ""
            self._step = TaggedReader._before_value

    def _before_value(self, text: str, position: int) -> int:
        """What may begin a verbatim value."""
        assert self._body.verbatim is not None
        assert self._verbatim is not None
        opened = self._body.verbatim.open
        while position < len(text) and self._prefix != opened:
            if not opened.startswith(self._prefix + text[position]):
                break
            self._prefix += text[position]
            position += 1
        if self._prefix == opened:
            self._types = STRING
            self._kind = "string"
            self._splitter = self._verbatim
            self._splitter.start()
        elif position == len(text):
            return position
        self._step = TaggedReader._in_value
        if self._splitter is self._plain and self._prefix:
            self._in_value(self._prefix, 0)
        return position

    def _in_value(self, text: str, position: int) -> int:
        """A value, up to the tag that closes it."""
        if self._skip and text[position] == "\n":
            self._skip = False
            return position + 1
        self._skip = False
        splitter = self._splitter
        released = splitter.feed(text, position)
        if self._written:
            if released:
                self._write(released)
        elif released or splitter.hit >= 0:
            self._value.append(released)
            self._decide(released, splitter.hit >= 0)
        if splitter.hit >= 0 and not self.bad:
            return self._at_value_end()
        return splitter.position

    def _at_value_end(self) -> int:
        """The tag behind a value has come."""
        self._flows = False
        if self._written:
            self._end_written()
        self._expect(self._body.parameter, *self._ends)
        return self._splitter.position

    def _write(self, text: str) -> None:
        """Pass on more of a string, or of a JSON value, which may turn out not to be one."""
        if self._kind != "json":
            self._out.append(json_string_part(text))
            return
        end = self._json.feed(text)
        if self._json.done and end < len(text):
            self.bad = bool(text[end:].strip(WHITESPACE))
        self.bad = self.bad or self._json.bad
        self._out.append(text[:end])
        if self.bad:
            self.unread = text[end:].lstrip(WHITESPACE) + self._behind_value()

    def _end_written(self) -> None:
        """The value that was passed on is complete."""
        if self._kind != "json":
            self._out.append('"')
        elif not self._json.done:
            self.bad = True
            self.unread = self._behind_value()

    def _behind_value(self) -> str:
        """What has been taken behind the value's text: its tag, or the beginning of one."""
        return self._splitter.tag or self._splitter.finish()

    def _decide(self, released: str, complete: bool) -> None:
        """Pass on what is held of the value, which ``released`` ends, if it is known what."""
        if complete:
            value = self._value.take()
            announced = self._kind == "json"
            if announced and self._types != STRING and value.lstrip()[:1] in ("[", "{"):
                self._written = True
                self._json.start()
                self._write(value)
            else:
                self._out.append(json_value(value, self._types, announced))
            return
        if self._waits or released.isspace():
            return
        if self._types == STRING and self._kind != "json":
            only_string = True
        else:
            beginning = self._value.text().lstrip()
            if self._kind == "json":
                if self._types == STRING or beginning[0] not in "[{":
                    self._waits = True
                    return
                only_string = False
            else:
                only_string = can_only_be_string(beginning, self._types)
                if not only_string:
                    self._waits = beginning[0] in "[{" or len(beginning) > LONGEST_WORD
                    return
        self._written = True
        if only_string:
            self._kind = "string"
            self._flows = True
            self._out.append('"')
        else:
            self._json.start()
        self._write(self._value.take())
