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
# What stands around the one argument ``a`` of a call of ``f``, by format: JSON, parameters in
# tags, keys and values, Python, channels, DeepSeek's markup, marked strings, elements.
WIRES = {
    "hermes": ('<tool_call>\n{"name": "f", "arguments": {"a": "', '"}}\n</tool_call>'),
    "qwen3_coder": (
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "\n</parameter>\n</function>\n</tool_call>",
    ),
    "glm45": (
        "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
        "</arg_value>\n</tool_call>",
    ),
    "pythonic": ('[f(a="', '")]'),
    "gpt-oss": (
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "',
        '"}<|call|>',
    ),
    "deepseek_v4": (
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n'
        '<｜DSML｜parameter name="a" string="true">',
        "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
    ),
    "gemma4": ('<|tool_call>call:f{a:<|"|>', '<|"|>}<tool_call|>'),
    "minimax_m3": (
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[<a>',
        "]<]minimax[>[</a>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
    ),
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
    }
]
SIZES = {"1KB": 1_000, "10KB": 10_000, "100KB": 100_000, "1MB": 1_000_000}


def pieces(text):
    return [text[at : at + DELTA] for at in range(0, len(text), DELTA)]


def call_of(size, form="hermes"):
    before, behind = WIRES[form]
    return pieces(before + "word " * (size // 5) + behind)


def ours(deltas, form="hermes"):
    parser = OutputParser(True, TOOLS, format=form, stream_arguments=True)
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


@pytest.mark.parametrize("size", ["1KB", "100KB", "1MB"])
@pytest.mark.parametrize("form", [form for form in WIRES if form != "hermes"])
def test_arguments_of_other_formats(turns, form, size):
    """However a call is spelled, a delta costs the same at its end as at its beginning."""
    deltas = call_of(SIZES[size], form)
    assert ours(deltas, form)[1] == "word " * (SIZES[size] // 5)
    compare(turns, f"{form}, {size}", deltas, {"textcore": lambda parts: ours(parts, form)})


def test_content(turns):
    """Content without tags."""
    deltas = pieces("Plain text, without any tags. " * 2_000)
    compare(turns, "content without tags", deltas, {"textcore": ours, "transformers": peer})
