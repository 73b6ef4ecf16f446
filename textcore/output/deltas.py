"""Deltas of the OpenAI chat API: the ``delta`` objects of a streamed choice."""

from __future__ import annotations

import secrets
from typing import Any

CONTENT = "content"
REASONING = "reasoning_content"


def new_call_id() -> str:
    """A call id nobody can guess: ``call_`` and 24 hexadecimal digits."""
    return "call_" + secrets.token_hex(12)


class Deltas:
    """Collects what one piece of output yields; neighbouring text of one kind is joined."""

    __slots__ = ("_items", "_kind", "_texts")

    def __init__(self) -> None:
        self._items: list[dict[str, Any]] = []
        self._kind = CONTENT
        self._texts: list[str] = []

    def text(self, kind: str, text: str) -> None:
        """Add content or reasoning."""
        if not text:
            return
        if kind != self._kind:
            self._flush()
            self._kind = kind
        self._texts.append(text)

    def call_begins(self, index: int, name: str) -> None:
        """Add a call's first delta: everything but its arguments."""
        self._flush()
        function = {"name": name, "arguments": ""}
        call = {"index": index, "id": new_call_id(), "type": "function", "function": function}
        self._items.append({"tool_calls": [call]})

    def call_goes_on(self, index: int, arguments: str) -> None:
        """Add a piece of a call's arguments."""
        if arguments:
            self._flush()
            call = {"index": index, "function": {"arguments": arguments}}
            self._items.append({"tool_calls": [call]})

    def take(self) -> list[dict[str, Any]]:
        """The deltas so far, in order, which leaves none behind."""
        self._flush()
        items, self._items = self._items, []
        return items

    def _flush(self) -> None:
        if self._texts:
            self._items.append({self._kind: "".join(self._texts)})
            self._texts = []
