"""Deltas out of a model's text, four characters at a time, beside ``transformers``' parser."""

import pytest
from transformers.utils.chat_parsing.response_parser import ResponseParser

from textcore.output.parser import OutputParser

DELTA = 4
TEMPLATE = {
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "content": {"content": "text", "content_args": {"strip": False}},
        "tool_calls": {
            "open": "<tool_call>\n",
            "close": "\n</tool_call>",
            "content": "json",
            "repeats": True,
        },
    },
}
SIZES = {"1KB": 1_000, "10KB": 10_000, "100KB": 100_000, "1MB": 1_000_000}


def pieces(text):
    return [text[at : at + DELTA] for at in range(0, len(text), DELTA)]


def call_of(size):
    argument = "word " * (size // 5)
    return pieces(
        f'<tool_call>\n{{"name": "f", "arguments": {{"a": "{argument}"}}}}\n</tool_call>'
    )


def ours(deltas):
    parser = OutputParser(True, True, stream_arguments=True)
    content, arguments = [], []
    for piece in deltas:
        for delta in parser.feed(piece):
            if "content" in delta:
                content.append(delta["content"])
            else:
                arguments.append(delta["tool_calls"][0]["function"]["arguments"])
    for delta in parser.feed("", final=True):
        content.append(delta["content"])
    return "".join(content), "".join(arguments)[7:-2]


def peer(deltas):
    parser = ResponseParser(TEMPLATE, prefix="")
    for piece in deltas:
        parser.feed(piece)
    message, _ = parser.finalize()
    calls = message.get("tool_calls")
    return message.get("content", ""), calls[0]["arguments"]["a"] if calls else ""


def compare(turns, text, deltas, jobs):
    turns.text = text
    turns.race(
        "output parsed, one delta",
        {name: (lambda job=job: job(deltas)) for name, job in jobs.items()},
        len(deltas),
        unit="µs",
        reference=list(jobs)[-1],
    )


@pytest.mark.parametrize("size", SIZES)
def test_arguments(turns, size):
    """A delta is to cost the same, however much came before it."""
    jobs = {"textcore": ours, "transformers": peer}
    if SIZES[size] == 1_000_000:
        del jobs["transformers"]  # it would take minutes
    compare(turns, f"{size} of arguments", call_of(SIZES[size]), jobs)


def test_content(turns):
    """Content without tags."""
    deltas = pieces("Plain text, without any tags. " * 2_000)
    compare(turns, "content without tags", deltas, {"textcore": ours, "transformers": peer})
