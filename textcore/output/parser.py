"""A model's output, as it streams, turned into the deltas of the OpenAI chat API.

One parser for all formats and for both ways of reading: a complete output is a stream of one
piece. It goes through the text once, region by region (content, reasoning, the body of a
call), and what runs per character is compiled: :mod:`textcore.core.splitter` looks for
tags and :mod:`textcore.core.jsonscan` for the end of a body.

Text that may belong to a call is *pending* until the call is certain. If it turns out not
to be one, it is read again as content. Of two bodies that begin one inside the other, one
is in a string wherever the other is not, so a character is in at most two of them, and the
time stays linear in the text whatever the text is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from textcore.core.matcher import Matcher
from textcore.core.splitter import Splitter
from textcore.core.textbuffer import TextBuffer
from textcore.output.bodies import reader_for
from textcore.output.deltas import CONTENT, REASONING, Deltas
from textcore.output.formats import OutputFormat, get_format
from textcore.output.opening import opening

Delta = dict[str, Any]


class OutputParser:
    """Separates one streamed output into reasoning, content and tool calls.

    Formatting (newlines, in the known formats) around reasoning, between content and calls
    and between calls is dropped; text is otherwise kept to the last character. Reasoning
    and content come as soon as they are certain: only what may become a tag, and formatting
    that may stand before one, is held back. A call comes when its body is complete, with
    its arguments as the model wrote them, not parsed and written again. What looks like a
    call but is malformed or cut off is content, tags included. The deltas, joined, are the
    same however the text was cut. One object reads one output; it is not for several
    threads at once.

    Args:
        reasoning: whether to separate reasoning; its tags are content otherwise.
        tools: whether to separate calls: a bool, or the request's tool definitions (none
            means no). A call's name is not checked against them.
        starts_in_reasoning: the prompt has opened the reasoning.
        format: the name of an output format, or a declaration.
        prompt: the rendered prompt, which tells how the output begins; reasoning is open if
            either this or ``starts_in_reasoning`` says so.

    Raises:
        UnsupportedError: no format has that name.
        TypeError: an argument of a wrong type.
    """

    __slots__ = (
        "_before",
        "_body_offset",
        "_calls",
        "_content",
        "_deltas",
        "_failed_call",
        "_finished",
        "_format",
        "_kind",
        "_mark",
        "_matched",
        "_pending",
        "_reader",
        "_reasoning",
        "_region",
        "_sources",
        "_step",
    )

    def __init__(
        self,
        reasoning: bool = False,
        tools: bool | Iterable[Mapping[str, Any]] | None = False,
        starts_in_reasoning: bool = False,
        *,
        format: str | OutputFormat = "hermes",
        prompt: str | None = None,
    ) -> None:
        self._format = get_format(format)
        self._deltas = Deltas()
        self._reader = reader_for(self._format.body)
        self._calls = 0
        self._finished = False
        # The regions of text, one splitter each.
        layout = self._format.formatting
        tags = [self._format.reasoning.open] if reasoning else []
        if wants_tools(tools):
            tags.append(self._format.call.open)
        self._content = Splitter(Matcher(tuple(tags)), layout if tags else "")
        self._reasoning = Splitter(Matcher((self._format.reasoning.close,)), layout)
        self._failed_call = Splitter(Matcher((self._format.call.close,)))
        # Pending text: what earlier pieces hold of it, and where it goes on in this one.
        self._pending = TextBuffer()
        self._mark = -1
        self._sources: list[tuple[str, int]] = []
        self._before = ""
        self._body_offset = 0
        self._matched = 0
        self._region: Splitter | None = None
        self._kind = CONTENT
        self._step: Callable[[OutputParser, str, int], int] = OutputParser._in_region
        self._open(bool(reasoning), bool(starts_in_reasoning), prompt)

    def feed(self, text: str, final: bool = False) -> list[Delta]:
        """Take the output's next piece; return the deltas that it makes certain.

        Each is one of

        - ``{"reasoning_content": str}``
        - ``{"content": str}``
        - ``{"tool_calls": [{"index": int, "id": str, "type": "function",
          "function": {"name": str, "arguments": ""}}]}``, which begins a call
        - ``{"tool_calls": [{"index": int, "function": {"arguments": str}}]}``, which goes on
          with it

        ``final`` ends the output: everything that was held back comes out.

        Raises:
            TypeError: ``text`` is not a str.
            ValueError: the output has ended.
        """
        region = self._region
        if region is not None and not final:
            released = region.feed(text)
            if region.hit < 0:
                return [{self._kind: released}] if released else []
            self._deltas.text(self._kind, released)
            self._run(str.__str__(text), self._at_tag(region))
            return self._deltas.take()
        if self._finished:
            raise ValueError("text fed to an output parser after its final piece")
        self._run(str.__str__(text), 0)
        if final:
            self._finish()
        return self._deltas.take()

    def _open(self, reasoning: bool, starts_in_reasoning: bool, prompt: str | None) -> None:
        """Enter the region in which the output begins."""
        if prompt is not None and not isinstance(prompt, str):
            raise TypeError(f"prompt is a str, not {type(prompt).__name__}")
        behind_tag = starts_in_reasoning
        if reasoning and prompt is not None:
            begins = opening(prompt, self._format)
            if begins.in_reasoning or not starts_in_reasoning:
                starts_in_reasoning, behind_tag = begins
        if reasoning and starts_in_reasoning:
            self._enter(self._reasoning, REASONING, behind_tag)
        else:
            self._enter(self._content, CONTENT, reasoning and behind_tag)

    def _enter(self, region: Splitter, kind: str, behind_tag: bool) -> None:
        """Go on in a region of text."""
        region.start(behind_tag)
        self._region = region
        self._kind = kind
        self._step = OutputParser._in_region

    def _run(self, text: str, position: int) -> None:
        """Read ``text`` from ``position`` to its end.

        ``_sources`` is what is still to be read, the nearest last: pending text that is to
        be read again comes before the text that showed it.
        """
        while True:
            size = len(text)
            while position < size:
                position = self._step(self, text, position)
            if self._mark >= 0:
                self._pending.append(text, self._mark)
                self._mark = 0
            if not self._sources:
                return
            text, position = self._sources.pop()

    def _read_again(self, text: str) -> int:
        """Go back to where the pending text begins; return the position to go on from."""
        mark, self._mark = self._mark, -1
        if not len(self._pending):
            return mark
        self._sources.append((text, 0))
        self._sources.append((self._pending.take(), 0))
        return len(text)

    # The steps: each takes the text from a position and returns the one to go on from.

    def _in_region(self, text: str, position: int) -> int:
        """Content, reasoning, or a failed call: text up to a tag."""
        region = self._region
        assert region is not None
        self._deltas.text(self._kind, region.feed(text, position))
        return region.position if region.hit < 0 else self._at_tag(region)

    def _at_tag(self, region: Splitter) -> int:
        """A tag has ended ``region``."""
        if region is self._failed_call:
            self._deltas.text(CONTENT, self._format.call.close)
            self._enter(self._content, CONTENT, False)
        elif region is self._reasoning:
            self._enter(self._content, CONTENT, True)
        elif region.tag == self._format.call.open:
            self._before = region.before
            self._region = None
            self._mark = region.position
            self._step = OutputParser._before_body
        else:
            self._enter(self._reasoning, REASONING, True)
        return region.position

    def _before_body(self, text: str, position: int) -> int:
        """Behind a call's opening tag: whitespace, then the body, or it was not a call."""
        while position < len(text) and text[position] in self._reader.whitespace:
            position += 1
        if position == len(text):
            return position
        if text[position] != self._reader.begins_with:
            self._deltas.text(CONTENT, self._before + self._format.call.open)
            self._enter(self._content, CONTENT, False)
            return self._read_again(text)
        self._body_offset = len(self._pending) + position - self._mark
        self._reader.start()
        self._step = OutputParser._in_body
        return position

    def _in_body(self, text: str, position: int) -> int:
        """A call's body.

        This is the one place that decides when a call is announced: not before its body is
        complete and has a name, for what has been sent as a call can't become content again.
        """
        position = self._reader.feed(text, position)
        if self._reader.done:
            if len(self._pending):
                body, start = self._pending.text() + text[:position], self._body_offset
            else:
                body, start = text, self._mark + self._body_offset
            call = self._reader.call(body, start)
            if call is not None:
                self._deltas.call_begins(self._calls, call.name)
                self._deltas.call_goes_on(self._calls, call.arguments)
                self._calls += 1
                self._pending.clear()
                self._mark = position
                self._matched = 0
                self._step = OutputParser._behind_body
                return position
        elif not self._reader.bad:
            return position
        self._deltas.text(CONTENT, self._before + self._format.call.open)
        self._enter(self._failed_call, CONTENT, False)
        return self._read_again(text)

    def _behind_body(self, text: str, position: int) -> int:
        """Behind a complete call: its closing tag, which may be missing, after whitespace."""
        close, whitespace, size = self._format.call.close, self._reader.whitespace, len(text)
        if not self._matched:
            while position < size and text[position] in whitespace:
                position += 1
        while position < size and self._matched < len(close):
            if text[position] != close[self._matched]:
                self._enter(self._content, CONTENT, True)
                return self._read_again(text)
            position += 1
            self._matched += 1
        if self._matched == len(close):
            self._pending.clear()
            self._mark = -1
            self._enter(self._content, CONTENT, True)
        return position

    def _finish(self) -> None:
        """Give out all that is held back: the output ends here."""
        if self._step is OutputParser._behind_body:
            rest = self._pending.take()
            self._mark = -1
            self._enter(self._content, CONTENT, True)
            if rest.strip(self._reader.whitespace):
                self._run(rest, 0)
        if self._region is not None:
            self._deltas.text(self._kind, self._region.finish())
        else:
            cut_off = self._before + self._format.call.open + self._pending.take()
            self._deltas.text(CONTENT, cut_off)
        self._region = None
        self._finished = True


def wants_tools(tools: bool | Iterable[Mapping[str, Any]] | None) -> bool:
    """Whether calls are to be separated, given a flag or a request's tool definitions."""
    if tools is None or isinstance(tools, bool):
        return bool(tools)
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
        raise TypeError(f"tools is a bool or a list of definitions, not {type(tools).__name__}")
    definitions = list(tools)
    for tool in definitions:
        if not isinstance(tool, Mapping):
            raise TypeError(f"a tool definition is a mapping, not {type(tool).__name__}")
    return bool(definitions)
