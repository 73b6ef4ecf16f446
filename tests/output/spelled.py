"""Calls written in any declared format, from nothing but its declaration."""

from __future__ import annotations

import json
import re
from typing import Any

from textcore.output.formats import (
    JsonArguments,
    JsonObject,
    NamedValue,
    NestedElements,
    OutputFormat,
    TaggedParameters,
)

Call = tuple[str, dict[str, Any]]


def spelled(form: OutputFormat, calls: list[Call]) -> str:
    """An output that makes these calls and nothing else."""
    bodies = [_body(form, name, arguments) for name, arguments in calls]
    if form.channels:
        return _messages(form, [name for name, _ in calls], bodies)
    section = form.section
    items = [form.call.open + body + form.call.close for body in bodies]
    if section is None:
        return "".join(items)
    inner = section.separator.join(items)
    return section.open + section.begin + inner + section.end + section.close


def _messages(form: OutputFormat, names: list[str], bodies: list[str]) -> str:
    channels = form.channels
    assert channels is not None
    if channels.message == "\n":
        return "".join(f">>>{name}\n{body}" for name, body in zip(names, bodies, strict=True))
    messages = [
        f"<|channel|>commentary to=functions.{name}<|message|>{body}<|call|>"
        for name, body in zip(names, bodies, strict=True)
    ]
    return "<|start|>assistant".join(messages)


def _body(form: OutputFormat, name: str, arguments: dict[str, Any]) -> str:
    body = form.body
    if isinstance(body, JsonArguments):
        return json.dumps(arguments)
    if isinstance(body, JsonObject):
        return f'{{"{body.name}": "{name}", "{body.arguments[0]}": {json.dumps(arguments)}}}'
    if isinstance(body, NamedValue):
        return name + body.separators[0] + _value(body, arguments)
    if isinstance(body, NestedElements):
        inner = "".join(_element(body.mark, key, value) for key, value in arguments.items())
        return name + body.name_end + inner + body.close
    return _tagged(body, name, arguments)


def _tagged(body: TaggedParameters, name: str, arguments: dict[str, Any]) -> str:
    before = re.sub(r"\\s\*", "", body.name.partition("(?P<name>")[0])
    behind = '"' if body.name.endswith(r"(?: index=\"[0-9]*\")?") else ""
    layout = "\n" if body.newline else ""
    inner = ""
    for key, value in arguments.items():
        kinds = {kind: end for end, kind in body.key_ends}
        end = kinds.get("string" if isinstance(value, str) else "json", body.key_ends[0][0])
        text = value if isinstance(value, str) else json.dumps(value)
        inner += body.parameter + key + end + body.value_open + layout + text + layout
        inner += body.value_close + layout
    return before + name + behind + body.name_ends[0] + inner + body.close


def _value(body: NamedValue, arguments: dict[str, Any]) -> str:
    if body.value == "json":
        return json.dumps(arguments)
    if body.value == "python":
        return ", ".join(f"{key}={_python(value)}" for key, value in arguments.items()) + ")"
    inner = ",".join(f"{key}:{_marked(body.value, value)}" for key, value in arguments.items())
    return ("" if "{" in body.separators else "{") + inner + "}"


def _python(value: Any) -> str:
    return repr(value) if not isinstance(value, str) else json.dumps(value)


def _marked(mark: str, value: Any) -> str:
    if isinstance(value, str):
        return mark + value + mark
    if isinstance(value, list):
        return f"[{','.join(_marked(mark, one) for one in value)}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_marked(mark, one)}" for key, one in value.items()) + "}"
    return json.dumps(value)


def _element(mark: str, key: str, value: Any) -> str:
    if isinstance(value, list):
        inner = "".join(_element(mark, "item", one) for one in value)
    elif isinstance(value, dict):
        inner = "".join(_element(mark, name, one) for name, one in value.items())
    else:
        inner = value if isinstance(value, str) else json.dumps(value)
    return f"{mark}<{key}>{inner}{mark}</{key}>"
