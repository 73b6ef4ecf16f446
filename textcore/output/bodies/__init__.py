"""Readers of a call's body, one for each way to spell a name and arguments."""

from __future__ import annotations

from textcore.output.bodies.json_objects import EarlyJsonObject, WholeJsonObject
from textcore.output.bodies.named import ArgumentsReader, NamedReader
from textcore.output.bodies.nested import NestedReader
from textcore.output.bodies.reader import Reader
from textcore.output.bodies.tagged import TaggedReader
from textcore.output.formats.declaration import (
    Body,
    JsonArguments,
    JsonObject,
    NamedValue,
    NestedElements,
)
from textcore.output.parameter_types import ToolTypes

__all__ = ["Reader", "reader_for"]


def reader_for(
    body: Body,
    early: bool,
    types: ToolTypes,
    call_close: str = "",
    followers: tuple[str, ...] = (),
) -> Reader:
    """A reader of bodies that are spelled as declared.

    ``early`` readers give a call's parts as they come; the others may wait for its end.
    ``call_close`` is the tag behind the body, which may end it where its own is missing;
    ``followers`` is what may stand behind all of the call.
    """
    if isinstance(body, JsonObject):
        return EarlyJsonObject(body) if early else WholeJsonObject(body)
    if isinstance(body, NamedValue):
        return NamedReader(body, types)
    if isinstance(body, JsonArguments):
        return ArgumentsReader()
    if isinstance(body, NestedElements):
        return NestedReader(body, types)
    return TaggedReader(body, types, call_close, followers)
