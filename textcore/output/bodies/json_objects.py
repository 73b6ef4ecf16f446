"""Bodies that are one JSON object: when it is complete, or as it comes."""

from __future__ import annotations

from collections.abc import Sequence

from textcore.core.jsonscan import JsonScanner
from textcore.core.textbuffer import TextBuffer
from textcore.output.bodies.mending import Edit, mended, moved
from textcore.output.bodies.reader import WHITESPACE, Unescaper, unescaped
from textcore.output.formats.declaration import JsonObject


class WholeJsonObject:
    """Reads an object and says what it holds when it is complete.

    Of a key that comes twice the last counts, and of several keys for the arguments the one
    that is declared first.
    """

    __slots__ = (
        *("_body", "_grown", "_offset", "_scanner", "_spans", "_text"),
        *("arguments", "bad", "done", "name", "opened"),
    )

    unread = ""
    id = None

    def __init__(self, body: JsonObject) -> None:
        self._body = body
        self._scanner = JsonScanner((body.name, *body.arguments), False, True)
        self._text = TextBuffer()
        self.start()

    @property
    def value(self) -> JsonScanner:
        """What follows the object."""
        return self._scanner

    def start(self, name: str = "") -> None:
        """Forget everything."""
        self._scanner.start()
        self._text.clear()
        # By how much the text kept is longer than the text read, and where values stand in it.
        self._grown = self._offset = 0
        self._spans: dict[int, list[int]] = {}
        self.name: str | None = None
        self.arguments = ""
        self.opened = self.done = self.bad = False

    def feed(self, text: str, position: int) -> int:
        """Read on; see :class:`Reader`."""
        if not self.opened:
            position = _opening_brace(text, position)
            if position == len(text):
                return position
            if text[position] != "{":
                self.bad = True
                return position
            self.opened = True
        scanner = self._scanner
        while True:
            end = scanner.feed(text, position)
            self._keep(text, position, end)
            position = end
            if end == len(text) or scanner.done or scanner.bad:
                break
        if scanner.done:
            self._read(self._text.take())
        self.bad = self.bad or scanner.bad
        return end

    def _keep(self, text: str, position: int, end: int) -> None:
        """Keep what has been read, mended."""
        edits = self._scanner.take_edits()
        self._locate(edits)
        if edits:
            piece = mended(text, position, end, edits, position - self._offset)
            self._text.append(piece)
            self._grown += len(piece) - (end - position)
        else:
            self._text.append(text, position, end)
        self._offset += end - position

    def _locate(self, edits: list[Edit]) -> None:
        """Note where in the text kept the values stand that have just begun or ended."""
        for key in range(1 + len(self._body.arguments)):
            span = self._scanner.span(key)
            if span is None:
                continue
            known = self._spans.setdefault(key, [-1, -1, -1, -1])
            for side in (0, 1):
                if span[side] != known[side]:
                    known[side] = span[side]
                    grown = self._grown + moved(span[side], edits)
                    known[2 + side] = span[side] + grown

    def _read(self, text: str) -> None:
        """Find the call in the complete object."""
        name = self._value(0, text)
        arguments = None
        for key in range(1, 1 + len(self._body.arguments)):
            arguments = self._value(key, text)
            if arguments is not None:
                break
        if arguments is None and not self._body.needs_arguments:
            arguments = "{}"
        if name is None or name[0] != '"' or name == '""' or arguments is None:
            self.bad = True
            return
        self.name = unescaped(name)
        self.arguments = unescaped(arguments) if arguments[0] == '"' else arguments
        self.done = True

    def _value(self, key: int, text: str) -> str | None:
        """The JSON text of a key's value."""
        span = self._spans.get(key)
        return None if span is None else text[span[2] : span[3]]

    def take(self) -> str:
        """The arguments, once."""
        arguments, self.arguments = self.arguments, ""
        return arguments

    def finish(self) -> None:
        """An object has its own end."""


class EarlyJsonObject:
    """Reads an object and passes the arguments on as they come, once the name is known.

    Of a key that comes twice, and of several keys for the arguments, the first counts: what
    has been passed on can't be taken back.
    """

    __slots__ = (
        "_begins_well",
        "_begun",
        "_body",
        "_buffers",
        "_chosen",
        "_closed",
        "_edits",
        "_offset",
        "_piece",
        "_plain",
        "_scanner",
        "_unescaper",
        "bad",
        "done",
        "name",
        "opened",
    )

    unread = ""
    id = None

    def __init__(self, body: JsonObject) -> None:
        self._body = body
        self._scanner = JsonScanner((body.name, *body.arguments), True, True)
        self._buffers = [TextBuffer() for _ in range(1 + len(body.arguments))]
        self.start()

    @property
    def value(self) -> JsonScanner:
        """What follows the object."""
        return self._scanner

    def start(self, name: str = "") -> None:
        """Forget everything."""
        self._scanner.start()
        for buffer in self._buffers:
            buffer.clear()
        self.name: str | None = None
        self.opened = self.done = self.bad = False
        self._offset = 0
        self._chosen = 0
        self._closed = [False] * len(self._buffers)
        self._begun = self._plain = self._begins_well = False
        self._piece = ""
        self._edits: Sequence[Edit] = ()
        self._unescaper: Unescaper | None = None

    def feed(self, text: str, position: int) -> int:
        """Read on; see :class:`Reader`."""
        scanner = self._scanner
        if self._plain:
            # The common case: all of the text is arguments, as they stand.
            end = scanner.feed(text, position)
            if scanner.member == self._chosen and not scanner.bad and not scanner.edits:
                self._piece = text[position:] if position else text
                self._offset += end - position
                return end
            return self._go_on(text, position, end)
        if not self.opened:
            position = _opening_brace(text, position)
            if position == len(text):
                return position
            if text[position] != "{":
                self.bad = True
                return position
            self.opened = True
        return self._go_on(text, position, scanner.feed(text, position))

    def _go_on(self, text: str, position: int, end: int) -> int:
        """The scanner has gone on to ``end``, which is not all of the text if it mends a lot."""
        scanner = self._scanner
        while True:
            self._feed(text, position, end)
            if end == len(text) or scanner.done or scanner.bad:
                return end
            position, end = end, scanner.feed(text, end)

    def _feed(self, text: str, position: int, end: int) -> None:
        """The scanner has read what is up to ``end``."""
        scanner = self._scanner
        self._edits = scanner.take_edits() if scanner.edits else ()
        if self._chosen and self.name is not None:
            if not self._closed[self._chosen]:
                self._collect(self._chosen, text, position, end)
        else:
            for key in range(len(self._buffers)):
                if not self._closed[key]:
                    self._collect(key, text, position, end)
            self._choose()
            self._read_name()
        self._offset += end - position
        if scanner.done:
            self.done = self.name is not None and (
                self._chosen > 0 or not self._body.needs_arguments
            )
            self.bad = self.bad or not self.done
        self.bad = self.bad or scanner.bad

    def _collect(self, key: int, text: str, position: int, end: int) -> None:
        """Keep what of ``text[position:end]`` belongs to a key's value."""
        span = self._scanner.span(key)
        if span is None:
            return
        shift = position - self._offset
        stop = end
        if span[1] >= 0:
            stop = span[1] + shift
            self._closed[key] = True
        begin = max(position, span[0] + shift)
        if self._edits:
            self._buffers[key].append(mended(text, begin, stop, self._edits, shift))
        else:
            self._buffers[key].append(text, begin, stop)

    def _choose(self) -> None:
        """Find the arguments that come first."""
        spans = [
            (span[0], key)
            for key in range(1, len(self._buffers))
            if (span := self._scanner.span(key)) is not None
        ]
        if spans and not self._chosen:
            self._chosen = min(spans)[1]

    def _read_name(self) -> None:
        """Announce the name when it is complete and the object can be a call."""
        if self.name is not None:
            return
        if not self._closed[0]:
            if not self._begins_well and len(self._buffers[0]):
                self._begins_well = self._buffers[0].text()[0] == '"'
                self.bad = not self._begins_well
            return
        name = self._buffers[0].text()
        if name[0] != '"' or name == '""':
            self.bad = True
        elif self._chosen or not self._body.needs_arguments:
            self.name = unescaped(name)

    def take(self) -> str:
        """The arguments' text since the last time."""
        if not self._chosen:
            if self.done and not self._begun:
                self._begun = True
                return "{}"
            return ""
        if self._piece:
            piece, self._piece = self._piece, ""
            return piece
        piece = self._buffers[self._chosen].take()
        if piece and not self._begun:
            self._begun = True
            if piece[0] == '"':
                self._unescaper = Unescaper()
                piece = piece[1:]
            else:
                self._plain = True
        if self._unescaper is None or not piece:
            return piece
        if self._closed[self._chosen]:
            return self._unescaper.feed(piece[:-1], True)
        return self._unescaper.feed(piece)

    def finish(self) -> None:
        """An object has its own end."""


def _opening_brace(text: str, position: int) -> int:
    """The position of the first character that is not whitespace, or the text's end."""
    while position < len(text) and text[position] in WHITESPACE:
        position += 1
    return position
