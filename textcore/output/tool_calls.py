"""Tool calls as the OpenAI API spells them, made from a dict or found in a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from textcore.errors import TextcoreError
from textcore.output.deltas import new_call_id
from textcore.output.formats import OutputFormat
from textcore.output.parser import OutputParser


def openai_tool_call(call: Mapping[str, Any], id: str | None = None) -> dict[str, Any]:
    """A tool call in the shape of the OpenAI API.

    Args:
        call: ``name`` and ``arguments`` (or ``parameters``, its alias). Arguments that are a
            str are taken as they are; others become JSON text, non-ASCII kept; missing ones
            are ``"{}"``.
        id: the call's id; a new one by default.

    Returns:
        ``{"id": str, "type": "function", "function": {"name": str, "arguments": str}}``.

    Raises:
        TypeError: ``call`` is not a mapping, or holds what JSON has no form for.
        TextcoreError: there is no name, or the arguments have no JSON text (NaN, an infinity,
            nesting deeper than the interpreter's recursion limit).
    """
    if not isinstance(call, Mapping):
        raise TypeError(f"a tool call is a mapping, not {type(call).__name__}")
    name = call.get("name")
    if not isinstance(name, str) or not name:
        raise TextcoreError(f"a tool call needs a name, a non-empty string; found {name!r:.80}")
    arguments = call.get("arguments", call.get("parameters", {}))
    if not isinstance(arguments, str):
        arguments = json_text(arguments)
    return {
        "id": new_call_id() if id is None else id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def json_text(arguments: object) -> str:
    """Arguments as JSON text, non-ASCII kept."""
    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise TextcoreError("the arguments of a tool call are nested too deeply") from None
    except ValueError as error:
        raise TextcoreError(f"the arguments of a tool call have no JSON text: {error}") from None


def parse_tool_calls(
    text: str, format: str | OutputFormat = "hermes"
) -> tuple[str, list[dict[str, Any]]]:
    """Separate a complete output into its content and its tool calls.

    It is the streaming parser given everything at once, so both agree on every text.
    Reasoning is not looked for: its tags are content here.

    Args:
        text: what a model wrote.
        format: the name of an output format, or a declaration.

    Returns:
        The content (``""`` if there is none) and the calls, shaped as by
        :func:`openai_tool_call`.

    Raises:
        TypeError: ``text`` is not a str.
        UnsupportedError: no format has that name.
    """
    content: list[str] = []
    calls: list[dict[str, Any]] = []
    for delta in OutputParser(tools=True, format=format).feed(text, final=True):
        if "content" in delta:
            content.append(delta["content"])
            continue
        for part in delta["tool_calls"]:
            if "id" in part:
                calls.append({key: value for key, value in part.items() if key != "index"})
            else:
                function = calls[part["index"]]["function"]
                function["arguments"] += part["function"]["arguments"]
    return "".join(content), calls
