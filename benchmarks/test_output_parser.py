"""Deltas out of a model's text, four characters at a time, beside ``transformers``' parser."""

import time

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


@pytest.mark.parametrize("size", list(SIZES)[:3])
def test_arguments(turns, size):
    """The ratio at 100 KB is to be 3 or more."""
    deltas = call_of(SIZES[size])
    turns.compare(lambda _: ours(deltas), lambda _: peer(deltas), size=SIZES[size])
    if not turns.benchmark.disabled:
        seconds = turns.benchmark.stats.stats.median
        turns.benchmark.extra_info["microseconds_per_delta"] = seconds / len(deltas) * 1e6


@pytest.mark.parametrize("text", ["english"])
def test_content(turns, text):
    """Content without tags: 0.4 microseconds a delta at most."""
    deltas = pieces("Plain text, without any tags. " * 2_000)
    turns.compare(lambda _: ours(deltas), lambda _: peer(deltas), size=60_000)


def test_a_delta_costs_the_same_after_a_million_others():
    """From 1 KB to 1 MB of arguments, the cost of a delta grows by 1.3 at most."""

    def cost(size):
        deltas = call_of(size)
        best = float("inf")
        for _ in range(7):
            repeats = max(1, 200_000 // size)
            start = time.process_time()
            for _ in range(repeats):
                ours(deltas)
            best = min(best, (time.process_time() - start) / repeats / len(deltas))
        return best

    costs = {name: cost(size) for name, size in SIZES.items()}
    print({name: f"{seconds * 1e6:.2f} µs" for name, seconds in costs.items()})
    assert max(costs.values()) <= 1.3 * costs["1KB"]
