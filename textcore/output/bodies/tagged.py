"""Bodies that are a name and tagged parameters, XML-like, written as JSON while they come.

Where a value ends, what stands behind it decides. A closing tag that neither a parameter nor the
end of the call follows is part of the value. A value whose closing tag is missing ends where the
next parameter begins, if the tool has one of that name, and where the call ends, if what follows
a call follows.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from textcore.core.jsonscan import JsonScanner
from textcore.core.jsontext import json_string_part
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
    json_value,
    object_keys,
)

# A parameter's name: anything but a newline or a tag's beginning.
_KEY = r"[^\n<>]+?"
_NO_SPACE = regex.compile(rf"[^{WHITESPACE}]")
KEY = rf"\s*(?P<name>{_KEY})\s*"


def headless_name(tools: ToolTypes, body: TaggedParameters) -> str:
    """The pattern of a tool's name and a key, with nothing between them or a wrong tag."""
    names = sorted(tools.names, key=len, reverse=True)
    known = "|".join(map(regex.escape, names)) or r"(?!)"
    return rf"\s*(?P<name>{known})\s*(?:<[^<>\n]*>\s*)?(?P<id>{_KEY})\s*"


class TaggedReader:
    """Reads a body declared as :class:`TaggedParameters`.

    A string is passed on as it comes, other values when they are complete, as only their end
    says what they are. A JSON object in the place of the parameters is the arguments; so is one
    in the only parameter, if that is none that the tool may have and all in it are.
    """

    __slots__ = (
        "_awaits_value",
        "_begun",
        "_body",
        "_count",
        "_ends",
        "_expected",
        "_flows",
        "_followers",
        "_given",
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
        "_tag",
        "_tags",
        "_tools",
        "_types",
        "_value",
        "_verbatim",
        "_waits",
        "_whole",
        "_wrapped",
        "_wrapper",
        "_written",
        "bad",
        "done",
        "name",
        "opened",
        "unread",
    )

    value = None

    def __init__(
        self,
        body: TaggedParameters,
        tools: ToolTypes,
        call_close: str = "",
        followers: tuple[str, ...] = (),
    ) -> None:
        self._body = body
        self._ends = (body.close, call_close) if call_close else (body.close,)
        self._followers = followers
        self._tools = tools
        key_ends = tuple(end for end, _ in body.key_ends)
        if body.headless:
            self._name = Name(headless_name(tools, body), key_ends)
        else:
            # A wrong closing tag ends a name, and the call, too.
            ends = (*self._ends, body.value_close)
            self._name = Name(body.name, (*body.name_ends, body.parameter, *ends))
        again = regex.escape(body.parameter)
        self._key = Name(rf"\s*(?:{again}\s*)*+{KEY}", key_ends)
        self._key_types = dict(body.key_ends)
        # What is looked for in a value, by how it may stand there.
        self._tags: dict[str, str] = {}
        for tag in (body.value_close, body.parameter, *self._ends):
            if body.newline or tag != body.value_close:
                self._tags["\n" + tag] = tag
            self._tags[tag] = tag
        self._plain = Splitter(Matcher(tuple(self._tags)))
        self._splitter = self._plain
        self._verbatim: Splitter | None = None
        if body.verbatim is not None:
            closer = body.verbatim.close + body.value_close
            self._tags[closer] = body.value_close
            self._verbatim = Splitter(Matcher((closer,)))
        self._value = TextBuffer()
        self._json = JsonScanner()
        self.start()

    @property
    def id(self) -> str | None:
        """The call's own id, where it stands before the parameters."""
        return None if self._body.headless else self._name.id

    def start(self, name: str = "") -> None:
        """Forget everything."""
        self._name.start()
        self._value.clear()
        self._out: list[str] = []
        self.name: str | None = None
        self.opened = self.done = self.bad = False
        self.unread = ""
        self._count = 0
        self._given: set[str] = set()
        self._types: Types = ANY
        self._prefix = self._kind = self._tag = self._begun = ""
        self._flows = self._skip = self._written = self._waits = False
        self._awaits_value = self._whole = self._wrapper = False
        self._wrapped: str | None = None
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
            position = self._at_tag()
        return self._run(text, position)

    def _run(self, text: str, position: int) -> int:
        size = len(text)
        while position < size and not self.done and not self.bad:
            position = self._step(self, text, position)
        return position

    def take(self) -> str:
        """The arguments' text since the last time."""
        pieces, self._out = self._out, []
        return pieces[0] if len(pieces) == 1 else "".join(pieces)

    def finish(self) -> None:
        """The text ends here: what there is of a value is given as it stands.

        A call that lacks nothing but a value's closing tag is complete.
        """
        if self._step is TaggedReader._at_end and not self._expected.seen:
            self._end_value()
            self._close()
            return
        self._begin_wrapper()
        if self._step is TaggedReader._at_parameter:
            self._resume(self._key.raw)
        elif self._step is TaggedReader._at_end:
            self._resume(self._expected.taken)
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
        elif self._step is TaggedReader._behind_value:
            self._end_value()
            self.unread = self._expected.taken
        elif self._step is TaggedReader._in_between:
            self.unread = self._expected.taken
        self._unwrap(complete=False)

    def _in_name(self, text: str, position: int) -> int:
        position = self._name.feed(text, position)
        self.bad = self._name.bad
        if self._name.name is not None:
            self.opened = True
            self.name = self._name.name
            if self._body.headless:
                self._begin_parameter(self._name.id or "", self._name.ended_by)
            elif self._name.ended_by == self._body.parameter:
                self._expect_key()
            elif self._name.ended_by in (*self._ends, self._body.value_close):
                self._close()
            else:
                self._expect(TaggedReader._in_between, self._body.parameter, *self._ends)
        return position

    def _expect(self, step: Callable[[TaggedReader, str, int], int], *literals: str) -> None:
        self._expected = Literals(literals)
        self._step = step

    def _in_between(self, text: str, position: int) -> int:
        """Between tags, where only whitespace may stand."""
        end = self._expected.feed(text, position)
        if end is None:
            return self._no_tag(text, position)
        found = self._expected.found
        if found is not None and self._awaits_value:
            # What ends the key may stand there twice.
            if found == self._body.value_open:
                self._begin_value()
            else:
                self._expect_value()
        elif found is not None:
            self._at_structure(found)
        return end

    def _no_tag(self, text: str, position: int) -> int:
        """Something else than a tag comes where one should."""
        if self._awaits_value:
            # The tag that opens the value is missing.
            begun = self._expected.taken
            self._begin_value()
            self._skip = True
            self._run(begun, 0)
            return position
        nothing_yet = not self._count and not self._whole and not self._expected.seen
        found = _NO_SPACE.search(text, position) if nothing_yet else None
        if found and found[0] == "{":
            self._whole = True
            self._json.start()
            self._step = TaggedReader._in_object
            return int(found.start())
        self.bad = True
        self.unread = self._expected.taken
        return position

    def _in_object(self, text: str, position: int) -> int:
        """The arguments as one JSON object."""
        end = self._json.feed(text, position)
        self._out.append(text[position:end])
        self.bad = self._json.bad
        if self._json.done:
            self._expect(TaggedReader._in_between, *self._ends)
        return end

    def _at_structure(self, tag: str) -> None:
        """A tag that stands between parameters has come."""
        if tag in self._ends:
            self._close()
        else:
            self._expect_key()

    def _close(self) -> None:
        self._unwrap(complete=True)
        if not self._whole:
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
        elif self._key.name is not None:
            self._begin_parameter(self._key.name, self._key.ended_by)
        return end

    def _begin_parameter(self, key: str, ended_by: str) -> None:
        """A parameter's value follows."""
        assert self.name is not None
        self._unwrap(complete=False)
        self._kind = self._key_types[ended_by]
        self._types = self._tools.types(self.name, key)
        if self._kind == "string":
            if not self._types or "string" in self._types:
                self._types = STRING
            self._kind = ""
        self._wrapper = not self._count and not self._tools.expects(self.name, key)
        self._given.add(key)
        self._count += 1
        begun = "{" if self._count == 1 else ", "
        begun += f'"{json_string_part(key)}": '
        self._begun = begun
        if not self._wrapper:
            self._out.append(begun)
        if self._body.value_open:
            self._awaits_value = True
            self._expect_value()
        else:
            self._begin_value()

    def _expect_value(self) -> None:
        """The tag that opens a value follows."""
        ends = (end for end, _ in self._body.key_ends)
        self._expect(TaggedReader._in_between, self._body.value_open, *ends)

    def _begin_wrapper(self) -> None:
        """What looked like a wrapper of the arguments is a parameter of its own."""
        if self._wrapper:
            self._out.append(self._begun)
            self._wrapper = False

    def _unwrap(self, *, complete: bool) -> None:
        """Give out the value that may be all of the arguments, if there is one."""
        if self._wrapped is None:
            return
        value, self._wrapped = self._wrapped, None
        assert self.name is not None
        if complete and (keys := object_keys(value)) and keys <= self._tools.properties(self.name):
            self._out.append(value.strip(WHITESPACE))
            self._whole = True
            return
        self._out.append(self._begun + json_value(value, self._types, self._kind == "json"))

    def _begin_value(self) -> None:
        self._awaits_value = False
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
            self._begin_wrapper()
            self._types = STRING
            self._kind = "string"
            self._splitter = self._verbatim
            self._splitter.start()
        elif position == len(text):
            return position
        self._step = TaggedReader._in_value
        if self._splitter is self._plain and self._prefix:
            self._run(self._prefix, 0)
        return position

    def _in_value(self, text: str, position: int) -> int:
        """A value, up to a tag that may end it."""
        if self._skip and text[position] == "\n":
            self._skip = False
            return position + 1
        self._skip = False
        splitter = self._splitter
        released = splitter.feed(text, position)
        if released:
            self._add(released)
        if splitter.hit >= 0 and not self.bad:
            return self._at_tag()
        return splitter.position

    def _add(self, text: str) -> None:
        """More of the value."""
        if self._written:
            self._write(text)
        else:
            self._value.append(text)
            self._decide(text)

    def _at_tag(self) -> int:
        """A tag has come that ends the value, if what follows says so."""
        self._flows = False
        self._tag = self._splitter.tag or ""
        tag = self._tags[self._tag]
        if tag == self._body.value_close:
            self._expect(TaggedReader._behind_value, self._body.parameter, *self._ends)
        elif tag == self._body.parameter:
            self._key.start()
            self._step = TaggedReader._at_parameter
        elif tag == self._ends[-1]:
            self._expect(TaggedReader._at_end, *self._followers)
        else:
            self._expect(TaggedReader._at_end, *self._ends[1:])
        return self._splitter.position

    def _behind_value(self, text: str, position: int) -> int:
        """Behind a value's closing tag: another parameter or the end of the call must follow."""
        end = self._expected.feed(text, position)
        if end is None:
            self._resume(self._expected.taken)
            return position
        if self._expected.found is not None:
            self._end_value()
            if self.bad:
                self.unread += self._expected.taken
                return position
            self._at_structure(self._expected.found)
        return end

    def _at_parameter(self, text: str, position: int) -> int:
        """Behind what begins a parameter, within a value whose closing tag may be missing."""
        before = len(self._key.raw)
        end = self._key.feed(text, position)
        key = self._key.name
        if key is None and not self._key.bad:
            return end
        taken = self._key.raw[: before + end - position]
        if key is None or not self._implied(key):
            self._resume(taken)
            return end
        self._end_value()
        if self.bad:
            self.unread += taken
        else:
            self._begin_parameter(key, self._key.ended_by)
        return end

    def _implied(self, key: str) -> bool:
        """Whether a parameter of this name ends a value that no tag has closed."""
        assert self.name is not None
        known = self._tools.properties(self.name)
        if known:
            return key in known and key not in self._given
        return self._body.newline and self._tag[0] == "\n" and key not in self._given

    def _at_end(self, text: str, position: int) -> int:
        """Behind what ends a call, within a value whose closing tag may be missing."""
        end = self._expected.feed(text, position)
        if end is None:
            self._resume(self._expected.taken)
            return position
        if self._expected.found is None:
            return end
        self._end_value()
        if not self.bad:
            self._close()
            if self._expected.found in self._ends:
                return end
        # What follows a call is not read here.
        self.unread += self._expected.taken
        return position

    def _resume(self, taken: str) -> None:
        """The tag was part of the value, and ``taken`` is what has been read behind it."""
        self._step = TaggedReader._in_value
        self._splitter.start()
        self._splitter.feed("")
        self._add(self._tag)
        self._flows = self._written and self._kind != "json" and not self.bad
        self.unread += taken[self._run(taken, 0) :]

    def _end_value(self) -> None:
        """The value is complete."""
        self._flows = False
        if self._written:
            self._end_written()
            return
        value = self._value.take()
        announced = self._kind == "json"
        if self._wrapper:
            self._wrapped = value
            self._wrapper = False
        elif announced and self._types != STRING and value.lstrip()[:1] in ("[", "{"):
            self._written = True
            self._json.start()
            self._write(value)
            if not self.bad:
                self._end_written()
        else:
            self._out.append(json_value(value, self._types, announced))

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
            self.unread = text[end:].lstrip(WHITESPACE) + self._behind()

    def _end_written(self) -> None:
        """The value that was passed on is complete."""
        if self._kind != "json":
            self._out.append('"')
        elif not self._json.done:
            self.bad = True
            self.unread = self._behind()

    def _behind(self) -> str:
        """What has been taken behind the value's text: its tag, or the beginning of one."""
        return self._splitter.tag or self._splitter.finish()

    def _decide(self, released: str) -> None:
        """Pass on what is held of the value, which ``released`` ends, if it is known what."""
        if self._waits or self._wrapper or released.isspace():
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
