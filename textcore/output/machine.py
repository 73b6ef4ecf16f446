"""The engine that reads any declared format, region by region.

It goes through the text once (content, reasoning, a header, the body of a call), and what runs
per character is compiled. Text that may belong to a call is *pending* until the call is certain.
If it turns out not to be one, it is read again as content. Of two bodies that begin one inside
the other, one is in a string wherever the other is not, so a character is in at most two of
them, in each of the ways in which what is behind a tag can be read, and the time stays linear in
the text whatever the text is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textcore.core.splitter import Splitter
from textcore.output.bodies.reader import WHITESPACE, Literals
from textcore.output.deltas import CONTENT, REASONING, arguments_delta
from textcore.output.formats.declaration import JsonObject
from textcore.output.headers import Kind
from textcore.output.opening import opening
from textcore.output.reading import Reading

Delta = dict[str, Any]


class OutputMachine(Reading):
    """The steps that read one output; ``OutputParser`` is its public face."""

    __slots__ = ()

    def _feed_body(self, text: str) -> list[Delta]:
        """The common case within a call that has been announced: more arguments."""
        reader = self._reader
        position = reader.feed(text, 0)
        if reader.done or reader.bad:
            self._run(text, self._after_feed(position, text))
            return self._deltas.take()
        piece = reader.take()
        return [arguments_delta(self._calls, piece)] if piece else []

    def _open(self, starts_in_reasoning: bool, prompt: str | None) -> None:
        """Enter the region in which the output begins."""
        if self._header is not None:
            self._begin_header()
            if prompt is not None:
                turn = prompt.rfind(self._written.turn.open)
                if turn >= 0:
                    tail = prompt[turn + len(self._written.turn.open) :]
                    self._run(self._control.marked(tail) if self._control else tail, 0)
                    self._deltas.take()
            return
        behind_tag = starts_in_reasoning
        reasoning = self._wants_reasoning and self._format.reasoning is not None
        if reasoning and prompt is not None:
            begins = opening(prompt, self._written)
            if begins.in_reasoning or not starts_in_reasoning:
                starts_in_reasoning, behind_tag = begins
        self._starts = (reasoning and starts_in_reasoning, reasoning and behind_tag)
        if not reasoning:
            self._begin_output(*self._starts)
            return
        tags = self._format.reasoning
        assert tags is not None
        self._keep_from(0)
        begins_so = (tags.open,) if self._starts[0] else (tags.close, *self._format.openless)
        self._expected = Literals(begins_so, self._format.formatting)
        self._step = OutputMachine._at_start

    def _begin_output(self, in_reasoning: bool, behind_tag: bool) -> None:
        """Enter the region in which the output begins, its first tag left out."""
        if in_reasoning:
            self._enter(self._reasoning, REASONING, behind_tag)
        elif self._format.pad.open and self._step is not OutputMachine._at_pad:
            self._keep_from(0)
            self._expected = Literals((self._format.pad.open,), "")
            self._step = OutputMachine._at_pad
        elif self._format.bare and self._tools:
            self._begin_bare()
        else:
            self._enter_content(behind_tag)

    def _at_start(self, text: str, position: int) -> int:
        """The very start: a tag that says once more where the prompt has left the model."""
        end = self._expected.feed(text, position)
        if end is None:
            position = self._read_again(text)
            self._begin_output(*self._starts)
        elif self._expected.found is not None:
            position = end
            self._pending.clear()
            self._mark = -1
            opened = self._expected.found in self._format.openless
            self._begin_output(self._starts[0] or opened, True)
        else:
            return end
        if self._region is None:
            self._mark = position
        return position

    def _at_pad(self, text: str, position: int) -> int:
        """What stands before content at the very start, and may be missing."""
        end = self._expected.feed(text, position)
        if end is None:
            position = self._read_again(text)
        elif self._expected.found is not None:
            position = end
            self._pending.clear()
            self._mark = -1
        else:
            return end
        self._begin_output(*self._starts)
        if self._region is None:
            self._mark = position
        return position

    # The steps: each takes the text from a position and returns the one to go on from.

    def _in_region(self, text: str, position: int) -> int:
        """Content, reasoning, or a failed call: text up to a tag."""
        region = self._region
        assert region is not None
        self._deltas.text(self._kind, region.feed(text, position))
        return region.position if region.hit < 0 else self._at_tag(region)

    def _at_tag(self, region: Splitter) -> int:
        """A tag has ended ``region``."""
        tag = region.tag
        assert tag is not None
        form = self._format
        if self._header is not None:
            self._end_message(tag, region is self._failed)
            if tag in self._header.channels.begins:
                self._before = tag
                self._header.start(tag)
        elif region is self._failed:
            self._deltas.text(CONTENT, tag)
            self._enter_content(False)
        elif tag in self._strays:
            self._deltas.text(self._kind, region.before)
            region.start()
        elif region is self._reasoning and tag in form.closers_of_reasoning:
            if form.bare and self._tools:
                self._begin_bare()
                self._mark = region.position
            else:
                self._enter_content(True)
        elif tag in form.dropped:
            self._enter_content(True)
        elif self._wants_reasoning and tag in form.openers_of_reasoning:
            self._enter(self._reasoning, REASONING, True)
        elif tag in form.inline:
            self._at_inline(tag, region)
        else:
            self._at_opener(tag, region)
        return region.position

    # Calls: the section around them, and what stands between them.

    def _at_opener(self, tag: str, region: Splitter) -> None:
        """A section's tag, or a call's, has come."""
        self._others = list(self._opened[tag])
        self._looked = False
        self._inside = region is self._reasoning
        self._lead = region.before
        self._opener = tag
        self._before = region.before + tag
        self._region = None
        self._keep_from(region.position)
        self._behind_opener()

    def _behind_opener(self) -> None:
        """Read what is behind the tag in the next of the ways that begin so."""
        tag = self._opener
        self._write_calls(self._others.pop(0))
        section = self._way.section
        self._in_section = section is not None and (not section.open or tag == section.open)
        if section is None or tag != section.open:
            self._begin_body()
        elif section.begin:
            self._expect(OutputMachine._behind_section, section.begin)
        else:
            self._begin_item()

    def _other_way(self, text: str) -> int | None:
        """What is behind the tag is no call as far as one way goes: try the next, if any."""
        if not self._others:
            return None
        self._behind_opener()
        return self._read_again(text, True)

    def _at_inline(self, tag: str, region: Splitter) -> None:
        """What may be a call without a tag has begun: its reader has the beginning already."""
        self._others = []
        self._looked = False
        self._opener = ""
        self._write_calls(0)
        section = self._way.section
        self._before = region.before + tag
        self._region = None
        self._in_section = section is not None
        position = 0
        if section is not None and section.begin:
            position = len(section.begin)
        self._begin_body()
        while position < len(tag):
            position = self._step(self, tag, position)
        self._inline = True
        self._keep_from(region.position)

    def _begin_bare(self) -> None:
        """Where calls need no tag: try to read one."""
        self._others = []
        self._looked = False
        self._opener = ""
        self._write_calls(0)
        section = self._way.section
        self._before = ""
        self._region = None
        self._keep_from(0)
        self._in_section = section is not None
        if section is not None and section.open:
            self._expect(OutputMachine._at_bare, section.open, section.begin)
        elif section is not None and section.begin:
            self._expect(OutputMachine._behind_section, section.begin)
        else:
            self._begin_item()

    def _expect(self, step: Callable[[OutputMachine, str, int], int], *literals: str) -> None:
        self._expected = Literals(literals)
        self._step = step

    def _at_bare(self, text: str, position: int) -> int:
        """The beginning of bare calls: the section's tag, or what follows it."""
        section = self._way.section
        assert section is not None
        end = self._expected.feed(text, position)
        if end is None:
            return self._not_a_call(text)
        if self._expected.found == section.open and section.begin:
            self._expect(OutputMachine._behind_section, section.begin)
        elif self._expected.found is not None:
            self._begin_item()
        return end

    def _behind_section(self, text: str, position: int) -> int:
        """Behind a section's tag: what else stands before its first call."""
        end = self._expected.feed(text, position)
        if end is None:
            if self._unlisted is None or self._reader is not self._readers[0]:
                other = self._other_way(text)
                return self._no_call(text) if other is None else other
            self._in_section = False
            self._reader = self._unlisted
            self._begin_body()
            return self._read_again(text, True)
        if self._expected.found is not None:
            self._begin_item()
        return end

    def _begin_item(self) -> None:
        """A call comes, by its tag if it has one."""
        if self._way.call.open:
            self._expect(OutputMachine._before_item, self._way.call.open)
        else:
            self._begin_body()

    def _before_item(self, text: str, position: int) -> int:
        """Before a call's own tag."""
        end = self._expected.feed(text, position)
        if end is None:
            if self._format.bare and not self._expected.seen:
                self._begin_body()
                return position
            other = self._other_way(text)
            return self._no_call(text) if other is None else other
        if self._expected.found is not None:
            self._begin_body()
        return end

    def _begin_body(self, name: str = "") -> None:
        self._reader.start(name)
        self._inline = False
        self._step = OutputMachine._in_body

    def _in_body(self, text: str, position: int) -> int:
        """A call's body."""
        return self._after_feed(self._reader.feed(text, position), text)

    def _after_feed(self, position: int, text: str) -> int:
        """The reader has gone on to ``position``.

        This is the one place that decides when a call is announced: with its name, or not
        before its body is complete, for what has been sent as a call can't become content
        again.
        """
        reader = self._reader
        if not self._announced and reader.name is not None and (self._early or reader.done):
            # Ordinary text may begin so, too: the request's tools decide, if they are known.
            if self._inline and not self._types.has(reader.name):
                return self._not_inline(position, text)
            self._announced = True
            self._inside = False
            self._others = []
            self._deltas.call_begins(self._calls, reader.name, reader.id)
            self._pending.clear()
            self._mark = -1
        if self._announced:
            self._deltas.text(self._calls, reader.take())
            if reader.bad:
                return self._break_off(position, text)
            if reader.done:
                return self._end_call(position, text)
            return position
        if not reader.bad:
            return position
        if self._inline:
            return self._not_inline(position, text)
        self._looked = self._looked or reader.opened
        other = self._other_way(text)
        if other is not None:
            return other
        return self._no_call(text)

    def _not_inline(self, position: int, text: str) -> int:
        """What may have been a call without a tag is content, to the end of its value."""
        value = self._reader.value
        if value is None:
            self._deltas.text(CONTENT, self._before)
            self._before = ""
            self._enter_content(False)
            return self._read_again(text)
        self._deltas.text(CONTENT, self._before + self._taken(text, position))
        self._before = ""
        if value.done or value.bad:
            self._enter_content(False)
        else:
            self._step = OutputMachine._in_refused
        return position

    def _in_refused(self, text: str, position: int) -> int:
        """A value that is no call's: content, up to its end."""
        value = self._reader.value
        assert value is not None
        end = value.feed(text, position)
        self._deltas.text(CONTENT, text[position:end])
        self._reader.take()
        if value.done or value.bad:
            self._enter_content(False)
        return end

    def _end_call(self, position: int, text: str) -> int:
        """A call's body is complete; its closing tag and what stands between calls follow."""
        self._announced = False
        self._calls += 1
        if self._reader.unread:
            self._sources.append((text, position, False))
            self._sources.append((self._reader.unread, 0, False))
            position = len(text)
        self._keep_from(position)
        if self._header is not None:
            self._expect(OutputMachine._behind_message, *self._header.channels.ends)
        elif self._way.call.close:
            self._expect(OutputMachine._behind_body, self._way.call.close)
        else:
            self._between()
        return position

    def _break_off(self, position: int, text: str) -> int:
        """A call that was announced turns out malformed: what is left of it is content."""
        self.incomplete.append(self._calls)
        self._announced = False
        self._calls += 1
        self._enter(self._failed, CONTENT, False)
        if not self._reader.unread:
            return position
        self._sources.append((text, position, False))
        self._sources.append((self._reader.unread, 0, False))
        return len(text)

    def _no_call(self, text: str) -> int:
        """No way to read what is behind a tag finds a call there."""
        return self._failed_call(text) if self._looked else self._not_a_call(text)

    def _failed_call(self, text: str) -> int:
        """What looked like a call is content, up to the tag that closes it."""
        if self._inside:
            return self._not_a_call(text)
        self._deltas.text(CONTENT, self._before)
        self._enter(self._failed, CONTENT, False)
        return self._read_again(text)

    def _not_a_call(self, text: str) -> int:
        """A tag was only mentioned: it is text, and so is what follows."""
        before = self._before
        if self._format.control and self._is_optional_section(self._opener):
            # A control token with nothing to control.
            before = before.removesuffix(self._opener)
        if self._inside:
            self._deltas.text(REASONING, before)
            self._enter(self._reasoning, REASONING, False)
        else:
            self._deltas.text(CONTENT, before)
            self._enter_content(False)
        return self._read_again(text)

    def _is_optional_section(self, tag: str) -> bool:
        """Whether a tag opens a section that calls do not need."""
        sections = [way.section for way in self._ways if way.section is not None]
        return bool(tag) and any(one.optional and one.open == tag for one in sections)

    def _behind_body(self, text: str, position: int) -> int:
        """Behind a complete call: its closing tag, which may be missing, after whitespace."""
        end = self._expected.feed(text, position)
        if end is None:
            if self._in_section:
                self._between()
                return self._read_again(text, True)
            if self._another_object(text, position):
                self._before = ""
                self._begin_body()
                return self._read_again(text, True)
            self._enter_content(True)
            return self._read_again(text)
        if self._expected.found is not None:
            self._keep_from(end)
            self._between()
        return end

    def _another_object(self, text: str, position: int) -> bool:
        """Whether another call stands in the same tags."""
        if self._expected.seen or not isinstance(self._way.body, JsonObject):
            return False
        return text[position:].lstrip(WHITESPACE)[:1] == "{"

    def _between(self) -> None:
        """Between calls of a section, or behind a call that needs none."""
        section = self._way.section
        if section is not None and section.optional and section.close and not self._in_section:
            # Of a section's two tags only the first is missing, maybe.
            self._expect(OutputMachine._behind_list, section.close)
            return
        if section is None or not self._in_section:
            self._mark = -1
            self._pending.clear()
            self._enter_content(True)
            return
        self._before = ""
        literals = [section.separator, section.end or section.close]
        if len(section.separator) != 1 and self._way.call.open:
            literals.append(self._way.call.open)
        self._expect(OutputMachine._at_between, *dict.fromkeys(literals))

    def _at_between(self, text: str, position: int) -> int:
        """Between calls: a separator, the next call, or the end of them."""
        section = self._way.section
        assert section is not None
        end = self._expected.feed(text, position)
        if end is None:
            if not section.separator and not self._way.call.open and section.close:
                self._begin_body()
                return self._read_again(text, True)
            self._enter_content(True)
            return self._read_again(text)
        found = self._expected.found
        if found is None:
            return end
        if found == section.separator:
            self._before = self._taken(text, end)
            self._keep_from(end)
            self._begin_item()
        elif found == section.end and section.close:
            self._keep_from(end)
            self._expect(OutputMachine._behind_list, section.close)
        elif found in (section.end, section.close):
            self._mark = -1
            self._pending.clear()
            self._enter_content(True)
        else:
            self._begin_body()
        return end

    def _behind_list(self, text: str, position: int) -> int:
        """Behind the last call: the tag that closes the section, which may be missing."""
        end = self._expected.feed(text, position)
        if end is None:
            self._enter_content(True)
            return self._read_again(text)
        if self._expected.found is not None:
            self._mark = -1
            self._pending.clear()
            self._enter_content(True)
        return end

    # Messages with headers.

    def _begin_header(self) -> None:
        """A message's header follows."""
        assert self._header is not None
        self._region = None
        self._before = ""
        self._keep_from(0)
        self._header.start()
        self._step = OutputMachine._in_header

    def _in_header(self, text: str, position: int) -> int:
        """A header, up to the tag that begins the body."""
        header = self._header
        assert header is not None
        position = header.feed(text, position)
        if header.bad:
            self._deltas.text(CONTENT, self._before)
            self._enter_content(False)
            return self._read_again(text)
        if not header.done:
            return position
        if header.kind is Kind.CALL and self._tools:
            self._before = header.text
            self._keep_from(position)
            self._begin_body(header.name)
            return position
        self._mark = -1
        self._pending.clear()
        if header.kind is Kind.REASONING and self._wants_reasoning:
            self._enter(self._reasoning, REASONING, False)
        elif header.kind is Kind.CONTENT:
            self._enter_content(False)
        else:
            self._deltas.text(CONTENT, header.text)
            self._enter(self._failed, CONTENT, False)
        return position

    def _end_message(self, tag: str, verbatim: bool) -> None:
        """A message's body has ended."""
        if verbatim:
            self._deltas.text(CONTENT, tag)
        assert self._region is not None
        position = self._region.position
        self._begin_header()
        self._mark = position

    def _behind_message(self, text: str, position: int) -> int:
        """Behind a complete call: what ends its message, which may be missing."""
        end = self._expected.feed(text, position)
        if end is None:
            self._enter_content(False)
            return self._read_again(text)
        if self._expected.found is not None:
            self._begin_header()
            self._mark = end
        return end

    def _finish(self) -> None:
        """Give out all that is held back: the output ends here."""
        if self._step is OutputMachine._in_body and self._region is None:
            self._finish_body()
        elif self._region is not None:
            rest = self._region.finish()
            if self._region is self._content:
                rest = rest.removesuffix(self._format.pad.close)
            self._deltas.text(self._kind, rest)
        elif self._step in (OutputMachine._at_start, OutputMachine._at_pad):
            rest = self._pending.take()
            self._mark = -1
            self._begin_output(*self._starts)
            self._run(rest, 0)
            self._finish()
            return
        elif self._between_calls():
            rest = self._pending.take()
            if rest.strip(WHITESPACE):
                self._mark = -1
                self._enter_content(True)
                self._run(rest, 0)
                self._finish()
                return
        else:
            self._finish_pending()
        self._announced = False
        self._region = None
        self._finished = True

    def _finish_pending(self) -> None:
        """What might have become a call is text."""
        rest = self._before + self._pending.take()
        if not (self._header is not None and not rest.strip()):
            self._deltas.text(REASONING if self._inside else CONTENT, rest)

    def _finish_body(self) -> None:
        """The output ends in the body of a call."""
        reader = self._reader
        reader.finish()
        if not self._announced:
            if not reader.done or reader.name is None:
                self._finish_pending()
                return
            self._deltas.call_begins(self._calls, reader.name, reader.id)
        self._deltas.text(self._calls, reader.take())
        if not reader.done:
            self.incomplete.append(self._calls)
            if reader.unread.strip():
                self._deltas.text(CONTENT, reader.unread)
        self._calls += 1

    def _between_calls(self) -> bool:
        """Whether what is pending stands behind a complete call."""
        return self._step in (
            OutputMachine._behind_body,
            OutputMachine._at_between,
            OutputMachine._behind_list,
            OutputMachine._behind_message,
        )
