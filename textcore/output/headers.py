"""Headers of messages: what says that a body is reasoning, content or a call."""

from __future__ import annotations

from enum import Enum

import regex

from textcore.output.formats.declaration import Channels
from textcore.output.parameter_types import ToolTypes

# A header is no longer than this.
LIMIT = 1024


class Kind(Enum):
    """What a message is."""

    REASONING = "reasoning"
    CONTENT = "content"
    CALL = "call"


class HeaderReader:
    """Follows one header, as :class:`Channels` declares it.

    Attributes:
        text: the header so far, with the tag that ends it when ``done``.
        kind: what the message is, when ``done``.
        name: the function's name in a call's header.
    """

    __slots__ = (
        "_known",
        "_patterns",
        "_types",
        "bad",
        "channels",
        "done",
        "kind",
        "name",
        "text",
    )

    def __init__(self, channels: Channels, types: ToolTypes) -> None:
        self.channels = channels
        self._types = types
        self._known = regex.compile(channels.known_call) if channels.known_call else None
        self._patterns = (
            (Kind.CALL, regex.compile(channels.call)),
            (Kind.REASONING, regex.compile(channels.reasoning)),
            (Kind.CONTENT, regex.compile(channels.content)),
        )
        self.start()

    def start(self, begun: str = "") -> None:
        """A header follows, of which ``begun`` has been read."""
        self.text = begun
        self.kind: Kind | None = None
        self.name = ""
        self.done = self.bad = False

    def feed(self, text: str, position: int) -> int:
        """Read on at ``text[position]``; return the position behind what belongs to the header."""
        before = len(self.text)
        taken = min(len(text), position + LIMIT)
        self.text += text[position:taken]
        if not any(
            self.text.startswith(begin) or begin.startswith(self.text)
            for begin in self.channels.begins
        ):
            self.bad = True
            return taken
        end = self.text.find(self.channels.message)
        if end < 0 or end > LIMIT:
            self.bad = end > LIMIT or len(self.text) > LIMIT
            return taken
        self._classify(self.text[:end])
        end += len(self.channels.message)
        self.text = self.text[:end]
        return position + end - before

    def _classify(self, header: str) -> None:
        """Say what the complete header announces."""
        called = self._known.search(header) if self._known else None
        if called and self._types.knows(called["name"]):
            self.kind = Kind.CALL
            self.name = called["name"]
            self.done = True
            return
        for kind, pattern in self._patterns:
            found = pattern.search(header)
            if found:
                self.kind = kind
                self.name = found["name"] if kind is Kind.CALL else ""
                self.done = True
                return
        self.bad = True
