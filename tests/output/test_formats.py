"""Formats are data: the parser runs one that it has never seen."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from textcore.errors import SpecError, UnsupportedError
from textcore.output.formats import FORMATS, JsonObject, OutputFormat, Tags, get_format
from textcore.output.parser import OutputParser

OTHER = OutputFormat(
    name="other",
    aliases=(),
    source="these tests",
    reasoning=Tags("\n[THINK]\n", "[/THINK]"),
    call=Tags("考 [CALL]\n", "]"),
    body=JsonObject(name="tool", arguments=("with",)),
    formatting=" \n",
    turn=Tags("[BOT]", "[/BOT]"),
)


def test_another_format_is_read_by_the_same_parser() -> None:
    text = (
        "a \n\n[THINK]\n \nb \n[/THINK]\n c\n\n [THINK]\n"
        '  考 [CALL]\n{"name": "x", "tool": "f", "with": [1 ]} ]\n'
        ' 考 [CALL]\n {"tool": "g"}'
    )
    expected = [
        {"content": "a"},
        {"reasoning_content": "b"},
        {"content": "c\n\n [THINK]"},
        ("f", "[1 ]"),
        ("g", "{}"),
    ]
    for size in (1, 2, 3, 7, len(text)):
        parser = OutputParser(True, True, format=OTHER)
        deltas: list[Any] = []
        for at in range(0, len(text), size):
            deltas += parser.feed(text[at : at + size])
        assert summary(deltas + parser.feed("", final=True)) == expected


def summary(deltas: list[dict[str, Any]]) -> list[Any]:
    """Deltas with neighbours of one kind joined, calls as (name, arguments)."""
    found: list[Any] = []
    for delta in deltas:
        ((kind, value),) = delta.items()
        if kind == "tool_calls" and "id" in value[0]:
            found.append((value[0]["function"]["name"], ""))
        elif kind == "tool_calls":
            found[-1] = (found[-1][0], found[-1][1] + value[0]["function"]["arguments"])
        elif found and isinstance(found[-1], dict) and kind in found[-1]:
            found[-1] = {kind: found[-1][kind] + value}
        else:
            found.append(delta)
    return found


def test_every_name_of_a_format_finds_it_and_no_other() -> None:
    names = [name for known in FORMATS for name in (known.name, *known.aliases)]
    assert len(names) == len(set(names))
    for known in FORMATS:
        for name in (known.name, *known.aliases):
            assert get_format(name) is known
    assert get_format(OTHER) is OTHER
    with pytest.raises(UnsupportedError, match="known: hermes"):
        get_format("other")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"reasoning": Tags("", "x")}, "other.reasoning.open"),
        ({"call": Tags("x", "")}, "other.call.close"),
        ({"call": Tags("x", "\n]")}, "other.call.close"),
        ({"call": Tags("\n[THINK]\n", "]")}, "other.call.open"),
    ],
)
def test_a_declaration_that_cannot_be_run_is_an_error(change: dict[str, Any], place: str) -> None:
    with pytest.raises(SpecError) as raised:
        dataclasses.replace(OTHER, **change)
    assert raised.value.place == place
