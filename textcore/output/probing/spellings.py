"""How a call spells its name and its arguments, read off one rendered call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from textcore.core.jsonscan import JsonScanner
from textcore.output.formats.declaration import (
    NAME,
    Body,
    JsonObject,
    NamedValue,
    NestedElements,
    TaggedParameters,
)
from textcore.output.probing.conversations import call
from textcore.output.probing.probes import KEYS, NAMES, VALUES, Probe, common_suffix, first_tag

TYPED: dict[str, Any] = {
    "string": "valczq",
    "number": 70707,
    "boolean": True,
    "array": [70707],
    "object": {"keyczq": 70707},
    "null": None,
}


class Item(NamedTuple):
    """How one call is spelled, and where it stands in a text."""

    start: int
    end: int
    body: Body


def spellings(probe: Probe, text: str) -> Iterator[Item]:
    """The ways in which the turn's one call can be read, the most special first."""
    finders = (_json_object, _keyed_object, _named_json, _python_call, _marked, _nested, _tagged)
    for find in finders:
        item = find(probe, text)
        if item is not None:
            yield item


def _objects_around(text: str, word: str) -> Iterator[tuple[int, int, Any]]:
    """The JSON objects that hold a word, the outermost first."""
    at = text.find(word)
    start = text.find("{")
    while 0 <= start < at:
        scanner = JsonScanner()
        end = scanner.feed(text, start)
        if scanner.done and end > at:
            yield start, end, json.loads(text[start:end])
        start = text.find("{", start + 1)


def _json_object(probe: Probe, text: str) -> Item | None:
    for start, end, value in _objects_around(text, NAMES[0]):
        names = [key for key, one in value.items() if one == NAMES[0]]
        arguments = [
            key
            for key, one in value.items()
            if one == {KEYS[0]: VALUES[0]} or (isinstance(one, str) and _is_arguments(one))
        ]
        if len(names) == 1 and len(arguments) == 1:
            return Item(start, end, JsonObject(names[0], (arguments[0],)))
    return None


def _is_arguments(text: str) -> bool:
    try:
        return bool(json.loads(text) == {KEYS[0]: VALUES[0]})
    except ValueError:
        return False


def _keyed_object(probe: Probe, text: str) -> Item | None:
    for start, end, value in _objects_around(text, NAMES[0]):
        if value == {NAMES[0]: {KEYS[0]: VALUES[0]}}:
            inner = text.index("{", text.index(NAMES[0]))
            separator = text[text.index(NAMES[0]) + len(NAMES[0]) : inner].strip()
            return Item(start + 2, end - 1, NamedValue(separators=(separator,)))
    return None


def _named_json(probe: Probe, text: str) -> Item | None:
    name = text.find(NAMES[0])
    ident = call("", {})["id"]
    for start, end, value in _objects_around(text, VALUES[0]):
        if value != {KEYS[0]: VALUES[0]} or not 0 <= name < start:
            continue
        separator = text[name + len(NAMES[0]) : start]
        before, found, separator_end = separator.partition(ident)
        if found and separator_end:
            pattern = rf"{NAME}(?:{re.escape(before)}(?P<id>[\w.:-]+))?"
            return Item(name, end, NamedValue((separator_end,), name=pattern))
        at = text.rfind(ident, 0, name)
        if separator and at >= 0 and "\n" not in text[at:name]:
            between = re.escape(text[at + len(ident) : name])
            pattern = rf"\s*(?:(?P<id>[\w.:-]+){between})?{NAME}"
            return Item(at, end, NamedValue((separator,), name=pattern))
        if separator:
            return Item(name, end, NamedValue(separators=(separator,)))
    return None


def _python_call(probe: Probe, text: str) -> Item | None:
    found = re.search(rf"{NAMES[0]}\(\s*{KEYS[0]}\s*=\s*(['\"]){VALUES[0]}\1\s*\)", text)
    if not found:
        return None
    return Item(found.start(), found.end(), NamedValue(separators=("(",), value="python"))


def _marked(probe: Probe, text: str) -> Item | None:
    found = re.search(rf"{NAMES[0]}\{{\s*{KEYS[0]}:(\S+?){VALUES[0]}\1\s*\}}", text)
    if not found or len(found[1]) < 2:
        return None
    body = NamedValue(separators=("{",), value=found[1])
    return Item(found.start(), found.end(), body)


def _nested(probe: Probe, text: str) -> Item | None:
    """Elements with a mark before each tag."""
    pattern = rf"(?P<mark>[^\s\"'>]\S*?)<{KEYS[0]}>{VALUES[0]}(?P=mark)</{KEYS[0]}>"
    found = re.search(pattern, text[text.find(NAMES[0]) :])
    if not found:
        return None
    mark = found["mark"]
    name_end = text[text.find(NAMES[0]) + len(NAMES[0]) :].partition(mark)[0]
    while mark and not text.startswith(name_end + mark, text.find(NAMES[0]) + len(NAMES[0])):
        mark = mark[1:]
    behind = text[text.find(NAMES[0]) + found.end() :].lstrip()
    close = behind[: behind.find(">") + 1]
    if not name_end.strip() or not close.startswith(mark):
        return None
    body = NestedElements(name_end=name_end.strip(), mark=mark, close=close)
    start = text.find(NAMES[0])
    return Item(start, text.find(close, start) + len(close), body)


def _tagged(probe: Probe, text: str) -> Item | None:
    """Name, parameters with their keys, and values, each between tags."""
    two = probe.with_arguments({KEYS[0]: VALUES[0], KEYS[1]: VALUES[1]})
    words = (NAMES[0], KEYS[0], VALUES[0], KEYS[1], VALUES[1])
    places = [two.find(word) for word in words]
    if -1 in places or places != sorted(places):
        return None
    gaps = [
        two[places[i] + len(words[i]) : places[i + 1] if i < 4 else len(two)] for i in range(5)
    ]
    if gaps[1] != gaps[3]:
        return None
    behind_name, behind_key, between, _, behind = gaps
    parameter = common_suffix(behind_name, between)
    parameter = parameter[parameter.rfind("<") :] if "<" in parameter else parameter.strip()
    if not parameter:
        return None
    close = between[: between.rfind(parameter)].rstrip()
    if not behind.startswith(close):
        return None
    newline = behind_key.endswith("\n") and close.startswith("\n")
    value_close = close.strip() if newline else close
    none = probe.with_arguments({})
    rest = none[none.find(NAMES[0]) + len(NAMES[0]) :]
    name_end = behind_name[: len(behind_name) - len(parameter)]
    body_close = first_tag(common_suffix(behind[len(close) :], rest).lstrip())
    if not (parameter and value_close and body_close):
        return None
    key_ends, value_open = _key_ends(probe, behind_key)
    body = TaggedParameters(
        name_ends=(name_end.strip() or "\n",),
        parameter=parameter,
        key_ends=key_ends,
        value_close=value_close,
        close=body_close,
        value_open=value_open,
        newline=newline,
    )
    start = text.find(NAMES[0])
    end = text.find(body_close, start) + len(body_close)
    return Item(start, end, body)


def _key_ends(probe: Probe, behind_key: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """What ends a key, by the type of the value, and what opens the value."""
    parts = behind_key.split("\n")
    if len(parts) > 1 and parts[1].strip():
        return ((parts[0], ""),), parts[1].strip()
    tags = re.findall(r"<[^<>]+>", behind_key)
    if len(tags) == 2 and behind_key == "".join(tags):
        return ((tags[0], ""),), tags[1]
    ends: dict[str, str] = {}
    for kind, value in TYPED.items():
        text = probe.with_arguments({KEYS[0]: value})
        shown = value if isinstance(value, str) else json.dumps(value)
        at = text.find(KEYS[0]) + len(KEYS[0])
        stop = text.find(shown, at)
        if stop >= 0:
            ends.setdefault(text[at:stop].rstrip("\n"), "string" if kind == "string" else "json")
    if len(ends) == 1:
        return ((behind_key.rstrip("\n"), ""),), ""
    return tuple(ends.items()), ""
