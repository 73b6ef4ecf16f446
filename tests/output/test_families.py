"""Every family reads what its models write, however it is cut, and loses nothing of it."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from wire_texts import PUBLISHED, RENDERED, Wire

from textcore.output.formats import FORMATS
from textcore.output.parser import OutputParser

WIRES = [*RENDERED, *PUBLISHED]
IDS = [f"{wire.format}-{number}" for number, wire in enumerate(WIRES)]


def message(parser: OutputParser, pieces: list[str]) -> tuple[str, str, list[tuple[str, str]]]:
    """What a client makes of the deltas; their form is checked on the way."""
    content, reasoning = "", ""
    calls: list[list[str]] = []
    deltas = [delta for piece in pieces for delta in parser.feed(piece)]
    for delta in deltas + parser.feed("", final=True):
        assert ChoiceDelta.model_validate(delta, strict=True).to_dict() == delta
        content += delta.get("content", "")
        reasoning += delta.get("reasoning_content", "")
        for part in delta.get("tool_calls", ()):
            if "id" in part:
                assert part["index"] == len(calls)
                calls.append([part["function"]["name"], ""])
            calls[part["index"]][1] += part["function"]["arguments"]
    return content, reasoning, [(name, arguments) for name, arguments in calls]


def parser_for(wire: Wire, early: bool | None = None) -> OutputParser:
    return OutputParser(
        True, wire.tools, format=wire.format, prompt=wire.prompt, stream_arguments=early
    )


def test_every_family_has_a_text() -> None:
    assert {wire.format for wire in WIRES} == {known.name for known in FORMATS}


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("wire", WIRES, ids=IDS)
def test_a_message_comes_back(wire: Wire, early: bool) -> None:
    one = message(parser_for(wire, early), [wire.text])
    assert one[:2] == (wire.content, wire.reasoning)
    assert [(name, json.loads(text)) for name, text in one[2]] == wire.calls
    assert message(parser_for(wire, early), list(wire.text)) == one


@pytest.mark.parametrize("early", [False, True])
@given(data=st.data())
def test_any_chunking_of_any_part_gives_the_same(early: bool, data: st.DataObject) -> None:
    wire = data.draw(st.sampled_from(WIRES))
    text = wire.text[: data.draw(st.integers(0, len(wire.text)))]
    # A change somewhere makes calls malformed in every way that there is.
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(["", "", "<", "}", '"', "\n", "x", "[", ","]))
    text += wire.text[at + data.draw(st.integers(0, 3)) : at + data.draw(st.integers(0, 300))]
    pieces, rest = [], text
    for size in data.draw(st.lists(st.integers(0, 9), max_size=60)):
        pieces.append(rest[:size])
        rest = rest[size:]
    whole = message(parser_for(wire, early), [text])
    assert message(parser_for(wire, early), [*pieces, rest]) == whole
    assert message(parser_for(wire, early), list(text)) == whole


WORD = re.compile("[A-Z]{3,}")


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("wire", WIRES, ids=IDS)
def test_cut_off_anywhere_no_word_is_lost(wire: Wire, early: bool) -> None:
    tags = set(
        WORD.findall(" ".join([wire.format, "TOOLCALL TOOL CALLS DSML ARGS ACTION CALL ID CDATA"]))
    )
    for end in range(len(wire.text) + 1):
        part = wire.text[:end]
        content, reasoning, calls = message(parser_for(wire, early), [part])
        found = content + reasoning + "".join(name + text for name, text in calls)
        for word in WORD.findall(part):
            if word in tags or word in ("START", "END", "THINKING", "RESPONSE"):
                continue
            assert word in found, (part, found)


@pytest.mark.parametrize("wire", WIRES, ids=IDS)
def test_the_name_comes_before_the_arguments_are_complete(wire: Wire) -> None:
    if not wire.calls:
        return
    parser = parser_for(wire, True)
    name, arguments = wire.calls[0]
    last = next(reversed(arguments.values()), None)
    ends = wire.text.find(last, wire.text.find(name)) if isinstance(last, str) else -1
    seen = 0
    for position, character in enumerate(wire.text):
        for delta in parser.feed(character):
            if "tool_calls" in delta and not seen:
                seen = position
                assert delta["tool_calls"][0]["function"]["name"] == name
    assert seen
    assert ends < 0 or seen < ends


HOSTILE = {
    "deep arrays": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
    "deep tuples": "f(a=" + "(" * 100_000,
    "a long string": "x" * 2_000_000,
    "a long number": "1" * 100_000,
    "newlines": "\n" * 300_000,
    "spaces": " " * 300_000,
    "quotes": '"' * 100_000,
    "backslashes": '"' + "\\" * 200_001,
}


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_hostile_output_costs_no_more_than_its_length(known: Any) -> None:
    start = time.perf_counter()
    beginnings = [wire.text for wire in WIRES if wire.format == known.name and wire.calls]
    for beginning in [*beginnings[:1], ""]:
        cuts = {0, len(beginning), beginning.rfind('"'), beginning.rfind(":") + 1}
        for cut in sorted(cut for cut in cuts if cut >= 0):
            for name, text in HOSTILE.items():
                hostile = beginning[:cut] + text
                parser = OutputParser(True, True, format=known)
                size = max(1, len(hostile) // 2_000)
                for at in range(0, len(hostile), size):
                    parser.feed(hostile[at : at + size])
                parser.feed("", final=True)
                assert time.perf_counter() - start < 20, name
    opener = (known.openers or ("",))[0]
    if opener:
        parser = OutputParser(True, True, format=known)
        for _ in range(100):
            parser.feed(opener * 500)
        parser.feed("", final=True)
    assert time.perf_counter() - start < 20
