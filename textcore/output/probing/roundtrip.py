"""Round trips: a message rendered by a chat template, cut out, and parsed again.

What a template loses is found by comparing its renderings: a part of a message that can be
exchanged for another without a difference is not in the text, and no parser can find it.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from textcore.output.bodies.named import RAW_PYTHON
from textcore.output.formats import (
    NamedValue,
    NestedElements,
    OutputFormat,
    TaggedParameters,
    Tags,
)
from textcore.output.opening import opening
from textcore.output.parameter_types import ToolTypes, types_of
from textcore.output.parser import OutputParser
from textcore.output.probing.conversations import (
    TOOLS,
    VARIABLES,
    Message,
    NotRendered,
    call,
    generation_prompt,
    render,
)

__all__ = [
    "TOOLS",
    "VARIABLES",
    "Message",
    "NotRendered",
    "call",
    "difference",
    "gathered",
    "generated",
    "generation_prompt",
    "marked_messages",
    "messages",
    "render",
    "schema_of",
]

ARGUMENTS: dict[str, dict[str, Any]] = {
    "plain": {"at": "the sky", "times": 2},
    "quotes": {"at": "a \"b\" 'c' \\ d\\n"},
    "lines": {"at": "one\ntwo\n\n  three\ttabbed"},
    "edges": {"at": "  both \n"},
    "empty": {},
    "empty string": {"at": ""},
    "nested": {
        "at": "x",
        "marks": [1, [2.5, [None, True]], {"k": ["v"]}],
        "more": {"a": {"b": 1}},
    },
    "empty nested": {"at": "x", "marks": [], "more": {}},
    "letters": {"at": "Über 漢字 😀 é"},
    "separators": {"at": "one\u2028two\x85three"},
    "numbers as strings": {"at": "5", "as": "true"},
    "words as strings": {"at": "null", "as": "[1]"},
    "numbers": {"at": "n", "times": -7, "scale": 1.5e-07, "deep": False},
    "angle brackets": {"at": "<b>bold</b> & <i>"},
}


def messages() -> Iterator[tuple[str, Message]]:
    """Assistant messages by name."""
    yield "content", {"role": "assistant", "content": "All is well.\n\nReally: 1 < 2."}
    yield (
        "reasoning and content",
        {"role": "assistant", "content": "Well.", "reasoning_content": "Hm.\n\nYes <b>."},
    )
    for name, arguments in ARGUMENTS.items():
        yield (
            f"call, {name}",
            {"role": "assistant", "content": "", "tool_calls": [call("inspect_item", arguments)]},
        )
    yield (
        "call without arguments",
        {"role": "assistant", "content": "", "tool_calls": [call("go_on", {})]},
    )
    yield (
        "content and call",
        {
            "role": "assistant",
            "content": "I'll look.",
            "tool_calls": [call("inspect_item", {"at": "a"})],
        },
    )
    yield (
        "reasoning and call",
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "Let me look.",
            "tool_calls": [call("inspect_item", {"at": "a"})],
        },
    )
    yield (
        "parallel calls",
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                call("inspect_item", {"at": "a", "times": 3}, 1),
                call("inspect_item", {"at": "b"}, 2),
                call("go_on", {}, 3),
            ],
        },
    )
    yield (
        "everything, parallel",
        {
            "role": "assistant",
            "content": "I'll look.",
            "reasoning_content": "Twice.",
            "tool_calls": [
                call("inspect_item", {"at": "a", "deep": True}, 1),
                call("go_on", {}, 2),
                call("inspect_item", {"at": "b"}, 3),
            ],
        },
    )


def marked_messages(form: OutputFormat) -> Iterator[tuple[str, Message]]:
    """Messages that have a format's own markers in strings, where its calls can carry them."""
    for marker in sorted(carried(form)):
        arguments = {"at": f"a {marker} b{marker}", "as": marker}
        tool_calls = [call("inspect_item", arguments, 1), call("go_on", {}, 2)]
        yield (
            f"{marker!r} in a string",
            {"role": "assistant", "content": "", "tool_calls": tool_calls},
        )


def carried(form: OutputFormat) -> set[str]:
    """The markers of a format that a string in a call's arguments may contain.

    JSON and Python's strings are quoted, so they may contain all. Tagged values end with the
    first of their closing tags, strings between marks with the first mark.
    """
    body = form.body
    tags = [*form.reasonings, form.turn]
    for way in form.ways:
        tags += [way.call, *([Tags(way.section.open, way.section.close)] if way.section else ())]
    markers = {text for one in tags for text in (one.open, one.close)}
    ends = ""
    if isinstance(body, TaggedParameters):
        markers |= {*body.name_ends, body.parameter, body.value_open, body.close}
        markers |= {end for end, _ in body.key_ends}
        ends = body.value_close
    elif isinstance(body, NestedElements):
        ends = body.mark
    elif isinstance(body, NamedValue):
        markers.update(body.separators)
        ends = "" if body.value in ("json", "python", RAW_PYTHON) else body.value
    if form.channels:
        markers |= {form.channels.message, *form.channels.ends, *form.channels.begins}
    # The turn's end is a control token: nothing is generated behind it.
    markers = {text for text in markers if form.turn.close not in text} - {"<EOS>"}
    return {
        text for text in map(str.strip, markers) if len(text) > 2 and not (ends and ends in text)
    }


def generated(text: str, prompt: str, form: OutputFormat) -> tuple[str, str]:
    """The prompt and the output within a rendered conversation.

    A conversation that goes on as the generation prompt does is cut behind it. Where it does
    not (the prompt may open reasoning that a finished message no longer has), it is cut
    behind what opens the assistant's turn and the whitespace that both have there. Where the
    prompt has whitespace there, other spaces in its place are no part of the output.
    """
    if text.startswith(prompt):
        start = len(prompt)
    else:
        start = text.find(form.turn.open, max(0, text.find("USER ASKS")))
        if start < 0:
            raise NotRendered("the assistant's turn is not where the format says")
        start += len(form.turn.open)
        prompted = prompt.rpartition(form.turn.open)[2]
        for space in prompted:
            if not space.isspace() or text[start : start + 1] != space:
                break
            start += 1
        if prompted.isspace():
            # The template's own indentation, which differs from the prompt's.
            start += len(text[start:]) - len(text[start:].lstrip(" "))
    closes = [form.turn.close, "<EOS>"]
    if form.channels:
        closes = [close for close in closes if close not in form.channels.ends]
    ends = [end for close in closes if (end := text.find(close, start)) >= 0]
    return text[:start], text[start : min(ends, default=len(text))]


def lost_parts(template: str, message: Message, variables: dict[str, Any]) -> set[str]:
    """Which of "reasoning", "content" and "calls" the rendering does not depend on."""
    rendered = render(template, message, variables)
    lost = set()
    changes: dict[str, Message] = {}
    if message.get("reasoning_content"):
        changes["reasoning"] = {"reasoning_content": "Something else."}
    if message.get("content"):
        changes["content"] = {"content": "Something else."}
    if message.get("tool_calls"):
        other = copy.deepcopy(message["tool_calls"])
        other[0]["function"]["name"] = "other"
        changes["calls"] = {"tool_calls": other}
    for part, change in changes.items():
        try:
            if render(template, {**message, **change}, variables) == rendered:
                lost.add(part)
        except NotRendered:
            pass
    return lost


def gathered(parser: OutputParser, pieces: list[str]) -> tuple[str, str, list[list[str]]]:
    """Content, reasoning and calls (name, arguments' text) of an output fed in pieces."""
    deltas = [delta for piece in pieces for delta in parser.feed(piece)]
    content, reasoning = "", ""
    calls: list[list[str]] = []
    for delta in deltas + parser.feed("", final=True):
        content += delta.get("content", "")
        reasoning += delta.get("reasoning_content", "")
        for part in delta.get("tool_calls", ()):
            if "id" in part:
                calls.append([part["function"]["name"], ""])
            calls[part["index"]][1] += part["function"]["arguments"]
    return content, reasoning, calls


def parsed(pieces: list[str], **arguments: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    """Content, reasoning and calls (with their arguments' values) of an output in pieces."""
    content, reasoning, calls = gathered(OutputParser(True, **arguments), pieces)
    return content, reasoning, [(name, loaded(text)) for name, text in calls]


def loaded(text: str) -> Any:
    """The value of JSON text, or the text itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def chunkings(text: str, seed: int) -> Iterator[list[str]]:
    """The text in one piece, one character at a time, and in random pieces."""
    yield [text]
    yield list(text)
    chance = random.Random(seed)
    for _ in range(3):
        pieces, at = [], 0
        while at < len(text):
            size = chance.randint(1, 12)
            pieces.append(text[at : at + size])
            at += size
        yield pieces


def _separators_are_lost(message: Message, output: str) -> bool:
    """Whether a call has U+2028, and the output no more: Jinja's ``indent`` makes it a newline."""
    separated = any(
        "\u2028" in value
        for one in message["tool_calls"]
        for value in one["function"]["arguments"].values()
        if isinstance(value, str)
    )
    return separated and "\u2028" not in output and "\\u2028" not in output


def same_values(found: Any, expected: Any) -> bool:
    """Equality of JSON values, which tells true from 1."""
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def expected(
    template: str, form: OutputFormat, message: Message, variables: dict[str, Any], output: str
) -> tuple[str, str, list[tuple[str, Any]], set[str]]:
    """Content, reasoning and calls that the output has, and what the template does to others."""
    lost = lost_parts(template, message, variables)
    content = "" if "content" in lost else (message.get("content") or "")
    reasoning = "" if "reasoning" in lost else (message.get("reasoning_content") or "")
    if content and content not in output:
        lost.add("content, written in another turn")
        content = ""
    if content and not reasoning and content_is_reasoning(template, message, variables):
        lost.add("content, written as reasoning")
        content, reasoning = "", content
    calls = [
        (one["function"]["name"], one["function"]["arguments"])
        for one in (() if "calls" in lost else message.get("tool_calls", ()))
    ]
    first = message.get("tool_calls")
    if first and first[0]["function"]["name"] not in output and "calls" not in lost:
        lost.add("calls, written in another turn")
        calls = []
    if len(calls) > 1:
        calls = calls[: rendered_calls(template, form, message, variables, output)]
        if len(calls) < len(message["tool_calls"]):
            lost.add("further calls")
    return content, reasoning, calls, lost


def content_is_reasoning(template: str, message: Message, variables: dict[str, Any]) -> bool:
    """Whether the template writes the content where it writes reasoning."""
    moved = {**message, "content": "", "reasoning_content": message["content"]}
    try:
        return render(template, moved, variables) == render(template, message, variables)
    except NotRendered:
        return False


def rendered_calls(
    template: str, form: OutputFormat, message: Message, variables: dict[str, Any], output: str
) -> int:
    """How many of the calls the output depends on: others may stand behind the turn's end."""
    begun = generation_prompt(template, variables)
    calls = message["tool_calls"]
    for count in range(1, len(calls)):
        text = render(template, {**message, "tool_calls": calls[:count]}, variables)
        if generated(text, begun, form)[1] == output:
            return count
    return len(calls)


def alike(
    template: str,
    message: Message,
    variables: dict[str, Any],
    found: list[tuple[str, Any]],
    text: str,
) -> bool:
    """Whether the template writes the calls that were found as it writes the message's own.

    Then nobody could tell them apart, if both are what the tools' schemas ask for. Arguments
    without anything special must come back in any case.
    """
    own = message.get("tool_calls", ())
    if len(own) != len(found) or len(own) != 1:
        return False
    name, arguments = found[0]
    written = own[0]["function"]
    if name != written["name"] or written["arguments"] in (ARGUMENTS["plain"], {"at": "a"}):
        return False
    if not isinstance(arguments, dict) or not fits(name, arguments):
        return False
    other = {**message, "tool_calls": [call(name, arguments)]}
    other["tool_calls"][0]["id"] = own[0]["id"]
    try:
        return render(template, other, variables) == text
    except NotRendered:
        return False


def schema_of(value: Any) -> dict[str, Any]:
    """A schema of a value's type."""
    if isinstance(value, list):
        return {"type": "array", "items": {}}
    if isinstance(value, dict):
        return {"type": "object", "additionalProperties": True}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    return {"type": names[type(value)]}


def full_schema_of(value: Any) -> dict[str, Any]:
    """A schema that names all that is in a value, as calls spelled in elements need it."""
    if isinstance(value, list) and value:
        return {"type": "array", "prefixItems": [full_schema_of(item) for item in value]}
    if isinstance(value, dict):
        properties = {name: full_schema_of(item) for name, item in value.items()}
        return {"type": "object", "properties": properties}
    return schema_of(value)


def fits(name: str, arguments: dict[str, Any]) -> bool:
    """Whether arguments are of the types that the tool asks for, none of them required."""
    tools = ToolTypes(TOOLS)
    return all(
        types_of({"const": value}) <= tools.types(name, key)
        or (type(value) is int and "number" in tools.types(name, key))
        for key, value in arguments.items()
    )


def difference(
    template: str,
    form: OutputFormat,
    message: Message,
    variables: dict[str, Any],
    seed: int = 1,
    *,
    quick: bool = False,
) -> tuple[str, set[str]]:
    """What of a message does not come back ("" if all that was rendered does), and what is lost.

    Lost is what the template does not write, or writes where no parser could know it.
    """
    text = render(template, message, variables)
    begun = generation_prompt(template, variables)
    prompt, output = generated(text, begun, form)
    *parts, lost = expected(template, form, message, variables, output)
    if parts[2] and _separators_are_lost(message, output):
        return "", {*lost, "calls, line separators in them"}
    content, reasoning, calls = parts
    tags = form.reasoning
    opened = reasoning and tags and not output.lstrip().startswith(tags.open)
    if opened and opening(begun, form).in_reasoning:
        # The model would have been given the tag that opens reasoning.
        prompt = begun
    ways = [[output]] if quick else chunkings(output, seed)
    for pieces in ways:
        for early in (False, True):
            found = parsed(pieces, tools=TOOLS, format=form, prompt=prompt, stream_arguments=early)
            if not found[0] and content and found[1].strip() == content and not reasoning:
                # The prompt has opened reasoning, and the template closes it nowhere.
                lost.add("content, written in open reasoning")
                content, reasoning = "", found[1]
            if found[0] != content:
                return f"content {found[0]!r} for {content!r} in {output!r}", lost
            if found[1] != reasoning:
                return f"reasoning {found[1]!r} for {reasoning!r} in {output!r}", lost
            if not same_values(found[2], calls):
                if not alike(template, message, variables, found[2], text):
                    return f"calls {found[2]!r} for {calls!r} in {output!r}", lost
                lost.add("calls, written as others are")
    return "", lost
