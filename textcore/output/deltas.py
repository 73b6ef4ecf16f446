"""Deltas of the OpenAI chat API: the ``delta`` objects of a streamed choice."""

from __future__ import annotations

import secrets
from typing import Any

CONTENT = "content"
REASONING = "reasoning_content"


def new_call_id() -> str:
    """A call id nobody can guess: ``call_`` and 24 hexadecimal digits."""
    return "call_" + secrets.token_hex(12)


def arguments_delta(index: int, arguments: str) -> dict[str, Any]:
    """The delta of a piece of a call's arguments."""
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


class Deltas:
    """Collects what one piece of output yields; neighbours of one kind are joined."""

    __slots__ = ("_items", "_kind", "_texts")

    def __init__(self) -> None:
        self._items: list[dict[str, Any]] = []
        self._kind: str | int = CONTENT
        self._texts: list[str] = []

    def text(self, kind: str | int, text: str) -> None:
        """Add content or reasoning, or arguments of the call with the index ``kind``."""
        if not text:
            return
        if kind != self._kind:
            self._flush()
            self._kind = kind
        self._texts.append(text)

    def call_begins(self, index: int, name: str, id: str | None = None) -> None:
        """Add a call's first delta: everything but its arguments. Without an id it gets one."""
        self._flush()
        function = {"name": name, "arguments": ""}
        call = {
            "index": index,
            "id": id or new_call_id(),
            "type": "function",
            "function": function,
        }
        self._items.append({"tool_calls": [call]})

    def take(self) -> list[dict[str, Any]]:
        """The deltas so far, in order, which leaves none behind."""
        self._flush()
        items, self._items = self._items, []
        return items

    def _flush(self) -> None:
        if self._texts:
            text = "".join(self._texts)
            self._texts = []
            if isinstance(self._kind, str):
                self._items.append({self._kind: text})
            else:
                self._items.append(arguments_delta(self._kind, text))
