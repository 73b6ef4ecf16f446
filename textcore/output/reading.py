"""The state of one output that is being read, and how its text goes from step to step.

A step takes the text from a position and returns the one to go on from. Text that may belong to a
call is pending: it is kept until the call is certain, or read again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textcore.core.matcher import Matcher
from textcore.core.splitter import Splitter
from textcore.core.textbuffer import TextBuffer
from textcore.output.bodies import Reader, reader_for
from textcore.output.bodies.reader import Literals
from textcore.output.control import ControlTokens
from textcore.output.deltas import CONTENT, Deltas
from textcore.output.formats import OutputFormat
from textcore.output.headers import HeaderReader
from textcore.output.parameter_types import ToolTypes


class Reading:
    """What is known of an output so far, and the text that is still pending.

    The steps are :class:`textcore.output.machine.OutputMachine`'s.
    """

    __slots__ = (
        "_announced",
        "_before",
        "_begins",
        "_calls",
        "_content",
        "_control",
        "_deltas",
        "_early",
        "_expected",
        "_failed",
        "_finished",
        "_format",
        "_header",
        "_in_section",
        "_inline",
        "_inside",
        "_kind",
        "_lead",
        "_looked",
        "_mark",
        "_opened",
        "_opener",
        "_others",
        "_pending",
        "_reader",
        "_readers",
        "_reasoning",
        "_region",
        "_sources",
        "_starts",
        "_step",
        "_strays",
        "_tools",
        "_types",
        "_unlisted",
        "_wants_reasoning",
        "_way",
        "_ways",
        "_written",
        "incomplete",
    )

    def __init__(
        self,
        written: OutputFormat,
        reasoning: bool,
        tools: bool,
        types: ToolTypes,
        early: bool,
        begins: tuple[bool, str | None],
    ) -> None:
        self._written = written
        self._wants_reasoning = reasoning
        self._tools = tools
        self._types = types
        self._early = early
        self._begins = begins
        self._control: ControlTokens | None = None

    def _start(self, form: OutputFormat) -> None:
        """Begin to read an output in a format, whose control tokens are marked."""
        self._format = form
        self._ways = form.readings
        self._readers = [
            reader_for(way.body, self._early, self._types, way.call.close, way.followers)
            for way in self._ways
        ]
        self._opened: dict[str, list[int]] = {}
        for number, way in enumerate(self._ways):
            for tag in way.openers:
                self._opened.setdefault(tag, []).append(number)
        self._others: list[int] = []
        self._looked = False
        self._write_calls(0)
        self._unlisted: Reader | None = None
        if form.unlisted is not None:
            self._unlisted = reader_for(form.unlisted, self._early, self._types)
        self._deltas = Deltas()
        self._calls = 0
        self.incomplete: list[int] = []
        self._announced = False
        self._finished = False
        self._make_regions()
        # Pending text: what earlier pieces hold of it, and where it goes on in this one.
        self._pending = TextBuffer()
        self._mark = -1
        self._sources: list[tuple[str, int, bool]] = []
        self._before = self._lead = self._opener = ""
        self._in_section = self._inline = self._inside = False
        self._expected = Literals(())
        self._starts = (False, False)
        self._region: Splitter | None = None
        self._kind = CONTENT
        self._step: Callable[[Any, str, int], int] = type(self)._in_region
        self._open(*self._begins)

    def _write_calls(self, number: int) -> None:
        """Calls come in this one of the ways that the format has."""
        self._way = self._ways[number]
        self._reader: Reader = self._readers[number]

    def _make_regions(self) -> None:
        """The regions of text, one splitter each."""
        form = self._format
        layout = form.formatting
        self._strays: frozenset[str] = frozenset()
        self._header = HeaderReader(form.channels, self._types) if form.channels else None
        if form.channels:
            ends = tuple(dict.fromkeys((*form.channels.ends, *filter(None, form.channels.begins))))
            self._content = Splitter(Matcher(ends))
            self._reasoning = Splitter(Matcher(ends))
            self._failed = Splitter(Matcher(form.channels.ends))
            return
        openers = form.openers if self._tools else ()
        tags = list(openers)
        inner: list[str] = []
        if self._wants_reasoning:
            tags.extend(one.open for one in form.reasonings)
            inner.extend(one.close for one in form.reasonings)
            if form.call_ends_reasoning:
                inner.extend(openers)
        tags.extend(form.dropped)
        if self._tools:
            tags.extend(form.inline)
            if form.control:
                strays = [tag for way in self._ways for tag in way.strays]
                self._strays = frozenset(strays).difference(tags, inner)
                tags.extend(self._strays)
                inner.extend(self._strays)
        layout_of_content = layout if tags or form.pad.close else ""
        self._content = Splitter(Matcher(tuple(dict.fromkeys(tags))), layout_of_content)
        self._reasoning = Splitter(Matcher(tuple(dict.fromkeys(inner))), layout)
        closes = dict.fromkeys(way.close for way in self._ways if way.close)
        self._failed = Splitter(Matcher(tuple(closes)))

    def _enter(self, region: Splitter, kind: str, behind_tag: bool) -> None:
        """Go on in a region of text."""
        region.start(behind_tag)
        self._region = region
        self._kind = kind
        self._step = type(self)._in_region

    def _enter_content(self, behind_tag: bool) -> None:
        self._inside = False
        self._enter(self._content, CONTENT, behind_tag)

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
            text, position, keep = self._sources.pop()
            if keep or self._mark >= 0:
                self._mark = position

    def _read_again(self, text: str, keep: bool = False) -> int:
        """Go back to where the pending text begins; return the position to go on from.

        With ``keep``, the text stays pending while it is read again.
        """
        mark = self._mark
        if not len(self._pending):
            self._mark = mark if keep else -1
            return mark
        self._mark = -1
        self._sources.append((text, 0, False))
        self._sources.append((self._pending.take(), 0, keep))
        return len(text)

    def _taken(self, text: str, end: int) -> str:
        """The pending text up to ``end`` of this piece; none is pending any more."""
        self._pending.append(text, self._mark, end)
        self._mark = -1
        return self._pending.take()

    def _keep_from(self, position: int) -> None:
        """Text from here on is pending."""
        self._pending.clear()
        self._mark = position

    def _open(self, starts_in_reasoning: bool, prompt: str | None) -> None:
        """Enter the region in which the output begins."""
        raise NotImplementedError

    def _in_region(self, text: str, position: int) -> int:
        """The step that reads a region."""
        raise NotImplementedError
