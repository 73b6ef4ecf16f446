"""Conversations as templates see them: plain JSON-like data, whatever the caller passed.

A template is untrusted, and an object's methods may do anything (an image can write files), so
what reaches it is rebuilt out of ``dict``, ``list``, ``tuple``, ``str``, ``int``, ``float``,
``bool`` and ``None``. The rules are those of ``transformers`` 5.24.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from textcore.chat.errors import PromptTypeError

REASONING_FIELDS = ("reasoning_content", "thinking", "reasoning")
"""The names under which a message's reasoning is passed; templates read the first."""

_SCALARS = frozenset((str, int, float, bool, type(None)))

Message = dict[Any, Any]
Conversation = list[Message]


def plain_data(value: Any) -> Any:
    """``value`` rebuilt out of plain types; what has no plain form becomes ``"<its type>"``.

    Dataclasses and objects with ``model_dump`` (pydantic) become dicts, subclasses of the plain
    types become their base, NumPy scalars become Python's. Raises RecursionError where the data
    contains itself.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is dict:
        return {plain_data(key): plain_data(item) for key, item in value.items()}
    if kind is list:
        return [plain_data(item) for item in value]
    return _plain_object(value)


def _plain_object(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Mapping):
        return {plain_data(key): plain_data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_data(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain_data(item) for item in value)
    if _is_numpy_scalar(value):
        return plain_data(value.item())
    fields = _fields_of(value)
    if fields is not None:
        return plain_data(fields)
    return f"<{type(value).__name__}>"


def _is_numpy_scalar(value: Any) -> bool:
    numpy = sys.modules.get("numpy")  # its scalars exist only where it has been imported
    return numpy is not None and isinstance(value, numpy.generic)


def _fields_of(value: Any) -> Any:
    """The fields of a dataclass instance or a pydantic model as a dict, else None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) else None


def plain_messages(conversation: Any) -> Conversation:
    """The conversation (messages, or an object that has ``messages``) as plain dicts.

    Keys of a message whose value is None are dropped: APIs send ``"content": null`` where
    templates expect the key to be missing. The caller's objects are never touched.
    Raises PromptTypeError for a message that is not a dict, a dataclass or a pydantic model.
    """
    messages: Iterable[Any] = getattr(conversation, "messages", conversation)
    return [_plain_message(message) for message in messages]


def _plain_message(message: Any) -> Message:
    fields = message if isinstance(message, Mapping) else _fields_of(message)
    if not isinstance(fields, Mapping):
        raise PromptTypeError(
            f"Chat messages should be dicts, dataclasses or pydantic models, but got {message!r}."
        )
    plain: Message = {}
    for key, value in fields.items():
        item = plain_data(value)
        if item is not None:
            plain[plain_data(key)] = item
    return plain


def alias_reasoning(messages: Conversation) -> Conversation:
    """The messages with their reasoning under the names that templates read.

    ``reasoning_content`` is filled from the other names, and ``thinking`` where it is missing.
    """
    return [_with_reasoning(message) for message in messages]


def _with_reasoning(message: Message) -> Message:
    for name in REASONING_FIELDS:
        reasoning = message.get(name)
        if reasoning is not None:
            return {"thinking": reasoning, **message, "reasoning_content": reasoning}
    return message
