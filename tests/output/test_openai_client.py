"""What the ``openai`` client makes of the deltas of every format, of right outputs and garbled."""

from __future__ import annotations

import json
import random
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from spelled import spelled
from test_every_format import TOOLS

from textcore.output.formats import FORMATS, OutputFormat
from textcore.output.parser import OutputParser
from textcore.output.probing.roundtrip import gathered

VALUES: dict[str, list[Any]] = {
    "text": ["a b", 'x"y', "it's", "1", "<b>", "line\nline", "é漢"],
    "count": [-9, 0, 70],
    "many": [[1, 2], []],
    "more": [{"k": "v"}],
}
LETTERS = ["\n", '"', "'", "{", "}", "[", "]", ",", ":", "\\", "<", ">", "(", ")", "=", "é", "f"]


def markers(form: OutputFormat) -> list[str]:
    """What may garble an output: the format's markers, and what JSON and Python are made of."""
    found = {*LETTERS, *form.dropped, *form.inline}
    for way in form.readings:
        found |= {*way.openers, *way.strays, *way.followers, way.call.close}
    for tags in form.reasonings:
        found |= {tags.open, tags.close}
    for name in ("parameter", "value_close", "close", "value_open", "mark"):
        found.add(getattr(form.body, name, ""))
    if form.channels:
        found |= {*form.channels.begins, form.channels.message, *form.channels.ends}
    return sorted(found - {""})


def output(form: OutputFormat, chance: random.Random) -> str:
    """Calls, content and reasoning in any order, some of it garbled."""
    known = markers(form)
    parts = []
    for _ in range(chance.randint(1, 3)):
        arguments = {
            key: chance.choice(values) for key, values in VALUES.items() if chance.random() < 0.5
        }
        parts.append(spelled(form, [(chance.choice(["f", "go.on_2"]), arguments)]))
        parts.append(chance.choice(["", "Hello.", "\n\nHm ", chance.choice(known)]))
        if form.reasoning and chance.random() < 0.3:
            parts.append(f"{form.reasoning.open}why{form.reasoning.close}")
    text = "".join(parts)
    for _ in range(chance.choice([0, 0, 1, 3])):
        at = chance.randint(0, len(text))
        cut = chance.choice([0, 0, 3, len(text)])
        text = text[:at] + ("" if cut else chance.choice(known)) + text[at + cut :]
    return text


def pieces(text: str, chance: random.Random) -> list[str]:
    """The text, cut at random."""
    cut = []
    while text:
        size = chance.randint(1, 12)
        cut.append(text[:size])
        text = text[size:]
    return cut


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@hypothesis.settings(max_examples=12)
@given(seed=st.integers(0, 2**32), early=st.booleans())
def test_the_accumulated_stream_is_the_message(form: OutputFormat, seed: int, early: bool) -> None:
    chance = random.Random(seed)
    text = output(form, chance)
    whole = OutputParser(True, TOOLS, format=form, stream_arguments=early)
    content, reasoning, calls = gathered(whole, [text])
    parser = OutputParser(True, TOOLS, format=form, stream_arguments=early)
    state = ChatCompletionStreamState()
    thoughts = ""
    for piece in [*pieces(text, chance), ""]:
        for delta in parser.feed(piece, final=not piece):
            ChoiceDelta.model_validate(delta, strict=True)
            chunk = {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
            }
            state.handle_chunk(ChatCompletionChunk.model_validate(chunk, strict=True))
            thoughts += delta.get("reasoning_content", "")
    assert thoughts == reasoning
    assert parser.incomplete == whole.incomplete
    if not (content or calls or reasoning):
        return
    told = state.current_completion_snapshot.choices[0].message
    assert (told.content or "") == content
    found = [[one.function.name, one.function.arguments] for one in told.tool_calls or []]
    assert found == calls
    for number, (_, arguments) in enumerate(calls):
        if number not in whole.incomplete:
            json.loads(arguments)
