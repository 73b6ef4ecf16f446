"""Whole outputs: calls in their section, text around them, messages with headers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...errors import UnsupportedError
from ..formats.declaration import (
    Channels,
    JsonObject,
    NamedValue,
    OutputFormat,
    Section,
    TaggedParameters,
)
from ..opening import opening
from ..schema.fragments import EMPTY, Composer, Fragment, Part, literal
from ..schema.grammar import GrammarComposer, Token
from ..schema.patterns import EMPTY as EMPTY_TEXT
from ..schema.patterns import Alt, Cat, Chars, Node, Repeat, complement, ranges_of
from .bodies import BodyWriter, Function, Options
from .fences import Fence
from .texts import SPACES, raw

_LAYOUT_LIMIT: Final = 4


class OutputWriter:
    """Writes what a model may output.

    Args:
        form: the format.
        composer: makes the regex or the grammar.
        tokens: the control tokens, by their text; as text they mean nothing.
        options: how values are written.
        parallel: whether several calls may come.
        reasoning: whether reasoning may come first.
        prompt: the rendered prompt, which may have opened the reasoning.
    """

    def __init__(
        self,
        form: OutputFormat,
        composer: Composer | GrammarComposer,
        tokens: Mapping[str, int],
        options: Options,
        *,
        parallel: bool,
        reasoning: bool,
        prompt: str | None,
    ) -> None:
        self.form = form
        self.composer = composer
        self.scalars = composer.scalars if isinstance(composer, GrammarComposer) else composer
        self.parallel = parallel
        self.reasoning = reasoning
        self.opened = reasoning and prompt is not None and opening(prompt, form).in_reasoning
        self._tokens = dict(tokens)
        contents = sorted(filter(None, tokens), key=len, reverse=True)
        self._split = re.compile("|".join(map(re.escape, contents))) if contents else None
        self.bodies = BodyWriter(form, composer, self.marks, options)

    def marks(self, text: str) -> list[Part]:
        """A tag, spelled as text and as control tokens; at least one part."""
        parts: list[Part] = []
        position = 0
        for found in self._split.finditer(text) if self._split else ():
            if found.start() > position:
                parts.append(literal(text[position : found.start()]))
            parts.append(Token(self._tokens[found[0]], found[0]))
            position = found.end()
        if position < len(text) or not parts:
            parts.append(literal(text[position:]))
        return parts

    def required(self, functions: Sequence[Function]) -> Part:
        """Nothing but calls, behind reasoning if there may be any."""
        if self.form.channels:
            return self._messages(self.form.channels, functions, texts=False)
        calls = self._calls(functions, EMPTY)
        region = self._region()
        if region is None:
            return calls
        thought = self.bodies.joined([self._thought(region), self._layout()])
        if not self.opened:
            thought = self.composer.optional(thought)
        return self.bodies.joined([thought, calls])

    def auto(self, functions: Sequence[Function]) -> Part:
        """Any text and then perhaps calls."""
        if self.form.channels:
            return self._messages(self.form.channels, functions, texts=True)
        return self._behind_region([self._content(), self._with_calls(functions)])

    def none(self) -> Part:
        """Any text in which no call begins."""
        if self.form.channels:
            return self._messages(self.form.channels, (), texts=True)
        return self._behind_region([self._content()])

    # Calls and what stands around them.

    def _calls(self, functions: Sequence[Function], before: Part) -> Part:
        """One or more calls; ``before`` is text that belongs to the first tag's lexeme."""
        form, layout = self.form, self.form.layout
        ways = [self._listed(functions, before)]
        if form.unlisted is not None and form.section is not None:
            ways.append(self._unlisted(functions, form.unlisted, form.section.open, before))
        if layout.lead and before == EMPTY:
            lead = self.marks(layout.lead)
            ways += [self.bodies.joined([*lead, way]) for way in ways]
        calls = self.composer.alt(ways)
        if not layout.tail:
            return calls
        tail = self.composer.optional(self.bodies.joined(self.marks(layout.tail)))
        return self.composer.seq([calls, tail])

    def _listed(self, functions: Sequence[Function], before: Part) -> Part:
        """Calls within the section that the format declares."""
        form, layout = self.form, self.form.layout
        section = form.section
        begin: list[Part] = [before]
        end: list[Part] = []
        between: list[Part] = [self._between()]
        if section is not None and not (section.open or section.begin):
            between = [*self._mark(section.separator), *between]
        elif section is not None:
            opened = [] if form.bare else [*self._mark(section.open), *self._unread(section.begin)]
            begin += [*opened, *self._mark(section.begin), self.bodies.space(layout.section[0])]
            end = [self.bodies.space(layout.section[1]), *self._mark(section.end)]
            if section.close and not form.bare:
                end += [*self._unread(section.end), *self._section_close(section)]
            between = [*self._mark(section.separator), *between]
        tagless = form.bare and section is not None and not section.open
        call_open = [] if tagless else self._mark(form.call.open)
        call_open = [*call_open, self._before_body()]
        call_close = [self.bodies.space(layout.call[1]), *self._mark(form.call.close)]

        bodies = [self.bodies.written(function, form.body, call_close) for function in functions]
        body = self._shared(bodies)

        def calls(first: list[Part]) -> Part:
            return self.bodies.joined([*first, *call_open, body])

        parts: list[Part] = [calls(begin)]
        if self.parallel:
            parts.append(self.composer.repeat(calls(between), 0, None))
        return self.composer.seq([*parts, self.bodies.joined(end)])

    def _unread(self, mark: str) -> list[Part]:
        """The whitespace between a section's tag and a list's bracket, if it may have any."""
        return [self.bodies.space("")] if mark and self.form.layout.free else []

    def _section_close(self, section: Section) -> list[Part]:
        """What ends a section; if it ends the turn, too, an engine may stop before it."""
        close = self._mark(section.close)
        if not close or section.close != self.form.turn.close:
            return close
        return [self.composer.optional(self.bodies.joined(close))]

    def _unlisted(
        self, functions: Sequence[Function], body: NamedValue, opener: str, before: Part
    ) -> Part:
        """Calls outside a list, each with the section's tag."""
        bodies = self._shared([self.bodies.written(function, body, []) for function in functions])
        first = self.bodies.joined([before, *self._mark(opener), bodies])
        if not self.parallel:
            return first
        more = self.bodies.joined([*self._mark(opener), bodies])
        return self.composer.seq([first, self.composer.repeat(more, 0, None)])

    def _between(self) -> Part:
        """The layout between two calls; it may be missing where a tag begins the second."""
        section = self.form.section
        if self.form.layout.free and (section is None or not (section.open or section.begin)):
            # Outside a section, other whitespace than the format's is content.
            return self._layout()
        part = self.bodies.space(self.form.layout.between)
        return self.scalars.optional(part) if self.form.call.open else part

    def _before_body(self) -> Part:
        """The layout before a call's body; where whitespace ends its name, there can't be any."""
        body, layout = self.form.body, self.form.layout
        ends: tuple[str, ...] = ()
        if isinstance(body, NamedValue):
            ends = body.separators
        elif isinstance(body, TaggedParameters):
            ends = body.name_ends
        if layout.free and any(end[:1].isspace() for end in ends):
            return EMPTY
        return self.bodies.space(layout.call[0])

    def _shared(self, ways: list[Part]) -> Part:
        """Any of the ways; where several calls may come, they are used twice."""
        part = self.composer.alt(ways)
        return self.composer.share(part) if self.parallel else part

    def _mark(self, text: str) -> list[Part]:
        return self.marks(text) if text else []

    # Text.

    def _region(self) -> list[Part] | None:
        """Reasoning and its tags; None if there is to be none."""
        tags = self.form.reasoning
        if tags is None or not self.reasoning:
            return None
        text = self._reasoned(tags.close)
        opened = [] if self.opened else [self._layout(), *self.marks(tags.open)]
        return [*opened, text, *self.marks(tags.close)]

    def _thought(self, region: list[Part]) -> Part:
        """Reasoning, or its closing tag alone, which says that there is none."""
        written = self.bodies.joined(region)
        tags = self.form.reasoning
        if self.opened or tags is None:
            return written
        return self.composer.alt([written, self.bodies.joined(self.marks(tags.close))])

    def _layout(self) -> Part:
        """Whitespace that no one reads, behind reasoning."""
        if not self.form.formatting:
            return EMPTY
        chars = Chars(ranges_of((ord(c), ord(c)) for c in self.form.formatting))
        written = raw(Repeat(chars, 0, _LAYOUT_LIMIT), self.scalars)
        assert written is not None
        return written

    def _content(self) -> Part:
        """Text without calls, to the end of the output."""
        text = self._free_text(at_start=True)
        dropped = self._dropped()
        if dropped is None:
            return text
        more = self.composer.seq([dropped, self._free_text(at_start=False)])
        return self.composer.seq([text, self.composer.repeat(more, 0, None)])

    def _with_calls(self, functions: Sequence[Function]) -> Part:
        """Text and then calls; the end of the text is one lexeme with the calls' first tag."""
        if self.form.bare:
            return self._calls(functions, EMPTY)
        text = self._free_text(at_start=False)
        calls = self._calls(functions, text)
        if self.form.layout.trailing:
            calls = self.composer.seq([calls, self._content()])
        dropped = self._dropped()
        if dropped is None:
            return calls
        before = self.composer.repeat(self.composer.seq([text, dropped]), 0, None)
        return self.composer.seq([before, calls])

    def _dropped(self) -> Part | None:
        """The tags without meaning that text can't spell."""
        tags = [self.marks(tag) for tag in self.form.dropped]
        spelled = [tag for tag in tags if isinstance(tag[0], Token)]
        parts = [self.bodies.joined(tag) for tag in spelled]
        return self.composer.alt(parts) if parts else None

    def _free_text(self, *, at_start: bool) -> Fragment:
        """Any text in which no call begins."""
        openers = self._beginnings()
        node = Fence(openers).text()
        if self.form.bare and at_start:
            node = self._unlike_bare(node, openers)
        written = raw(node, self.scalars)
        assert written is not None
        return written

    def _beginnings(self) -> list[str]:
        """Whatever begins a call in the middle of text."""
        return [text for text in (*self.form.openers, *self.form.inline) if text]

    def _reasoned(self, close: str) -> Fragment:
        """Reasoning up to its closing tag, if there is one; where a call ends it, without one."""
        tags = [close] if close else []
        if self.form.call_ends_reasoning:
            tags += self._beginnings()
        written = raw(Fence(tags).text(), self.scalars)
        assert written is not None
        return written

    def _unlike_bare(self, node: Node, openers: list[str]) -> Node:
        """Text that does not begin like a call without a tag."""
        form = self.form
        begin = form.section.begin if form.section else ""
        firsts = (begin or ("{" if isinstance(form.body, JsonObject) else ""))[:1]
        firsts += "".join(opener[0] for opener in openers)
        outside = ranges_of((*SPACES, *((ord(c), ord(c)) for c in firsts)))
        return Alt((EMPTY_TEXT, Cat((Chars(complement(outside)), node))))

    def _behind_region(self, ways: list[Part]) -> Part:
        """Reasoning if its tags are tokens, or else as the text that it is, and then the rest."""
        rest = self.composer.alt(ways)
        region = self._region()
        if region is None or all(isinstance(part, Fragment) for part in region):
            return rest
        thought = self._thought(region)
        if self.opened:
            # A text that ends within the reasoning.
            unclosed = self._reasoned("")
            return self.composer.alt([self.composer.seq([thought, rest]), unclosed])
        return self.composer.seq([self.composer.optional(thought), rest])

    # Messages with headers.

    def _messages(self, channels: Channels, functions: Sequence[Function], *, texts: bool) -> Part:
        """Messages, the last of which is a call unless ``texts`` may stand alone."""
        if functions and not channels.calls:
            raise UnsupportedError(
                "format", f"{self.form.name!r} does not say how calls are written"
            )
        thoughts = channels.thoughts if self.reasoning else ()
        before = (*thoughts, *(channels.texts if texts else ()))
        end = self._any_mark(channels.ends)
        again = self._mark(channels.again)
        parts: list[Part] = []
        if before:
            messages = [self._text_message(channels, header) for header in before]
            each = self.bodies.joined([self.composer.alt(messages), *end, *again])
            parts.append(self.composer.repeat(each, 0, None))
        last: list[Part] = []
        for header in channels.texts if texts else ():
            last.append(self._ended(self._text_message(channels, header), channels, end))
        if functions:
            call_end = self.marks(channels.call_end) if channels.call_end else end
            calls = self._call_messages(channels, functions, [*call_end, *again])
            last.append(self._ended(calls, channels, call_end))
        parts.append(self.composer.alt(last))
        return self.composer.seq(parts)

    def _ended(self, message: Part, channels: Channels, end: list[Part]) -> Part:
        """The last message: its end may be missing, as an engine may stop before it."""
        if not channels.again:
            return message
        return self.composer.seq([message, self.composer.optional(self.bodies.joined(end))])

    def _any_mark(self, tags: tuple[str, ...]) -> list[Part]:
        spelled = [self.bodies.joined(self.marks(tag)) for tag in tags]
        return [self.composer.alt(spelled)]

    def _text_message(self, channels: Channels, header: str) -> Part:
        """A message that is no call."""
        texts = [end for end in channels.ends if end not in self._tokens]
        written = raw(Fence(texts).text(), self.scalars)
        assert written is not None
        return self.bodies.joined([*self.marks(header), *self.marks(channels.message), written])

    def _call_messages(
        self, channels: Channels, functions: Sequence[Function], between: list[Part]
    ) -> Part:
        """One or more messages that are calls."""
        ways: list[Part] = []
        for function in functions:
            body = self.bodies.written(function, self.form.body, [])
            for header in channels.calls:
                spelled = [*self.bodies.filled(header, function.name)]
                spelled += self.marks(channels.message)
                ways.append(self.bodies.joined([*spelled, body]))
        first = self._shared(ways)
        if not self.parallel:
            return first
        more = self.bodies.joined([*between, first])
        return self.composer.seq([first, self.composer.repeat(more, 0, None)])
