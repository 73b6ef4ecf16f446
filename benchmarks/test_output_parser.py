"""Deltas out of a model's text, four characters at a time, beside ``transformers``' parser."""

import pytest
from transformers.utils.chat_parsing.response_parser import ResponseParser

from textcore.output.parser import OutputParser

DELTA = 4
ANCHOR = "<|im_start|>assistant\n"
CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}


def calls_of(**region):
    """A response template with content, and calls as this region has them."""
    content = {"content": "text", "content_args": {"strip": False}}
    return {
        "start_anchor": ANCHOR,
        "fields": {"content": content, "tool_calls": {"repeats": True, **region}},
    }


# The same calls as ``transformers``' response templates say them, where they can.
TEMPLATES = {
    "hermes": calls_of(open="<tool_call>\n", close="\n</tool_call>", content="json"),
    "qwen3_coder": calls_of(
        open_pattern=r"<tool_call>\n<function=(?P<name>\w+)>\n",
        close="</function>\n</tool_call>",
        content="xml-inline",
        content_args={"tag_pattern": r"<parameter=(?P<key>\w+)>\n(?P<value>.*?)\n</parameter>"},
        transform=CALL,
    ),
    "glm45": calls_of(
        open_pattern=r"<tool_call>(?P<name>\w+)\n",
        close="</tool_call>",
        content="xml-inline",
        content_args={
            "tag_pattern": r"<arg_key>(?P<key>\w+)</arg_key>\n"
            r"<arg_value>(?P<value>.*?)</arg_value>"
        },
        transform=CALL,
    ),
    "pythonic": calls_of(
        open_pattern=r"(?=\[\w+\()",
        close_pattern=r"(?<=\)\])",
        content="python-call-list",
        repeats=False,
        transform={
            "type": "function",
            "function": {"name": "{name}", "arguments": "{arguments}"},
        },
        transform_each=True,
    ),
    "gpt-oss": calls_of(
        open_pattern=r"<\|channel\|>commentary to=functions\.(?P<name>\w+)[^<]*"
        r"<\|constrain\|>json<\|message\|>",
        close="<|call|>",
        content="json",
        transform=CALL,
    ),
    "deepseek_v4": calls_of(
        open_pattern=r"<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"(?P<name>\w+)\">\n",
        close="</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        content="xml-inline",
        content_args={
            "tag_pattern": r"<｜DSML｜parameter name=\"(?P<key>\w+)\" string=\"true\">"
            r"(?P<value>.*?)</｜DSML｜parameter>"
        },
        transform=CALL,
    ),
    "gemma4": calls_of(
        open_pattern=r"<\|tool_call>call:(?P<name>\w+)(?=\{)",
        close="<tool_call|>",
        content="json",
        content_args={"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
        transform=CALL,
    ),
    "minimax_m3": calls_of(
        open_pattern=r"\]<\]minimax\[>\[<tool_call>\n"
        r"\]<\]minimax\[>\[<invoke name=\"(?P<name>\w+)\">",
        close="]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        content="xml-inline",
        content_args={
            "tag_pattern": r"\]<\]minimax\[>\[<(?P<key>\w+)>"
            r"(?P<value>.*?)\]<\]minimax\[>\[</\w+>"
        },
        transform=CALL,
    ),
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


def peer(deltas, form="hermes"):
    parser = ResponseParser(TEMPLATES[form], prefix="")
    for piece in deltas:
        parser.feed(piece)
    message, _ = parser.finalize()
    calls = message.get("tool_calls")
    if not calls:
        return message.get("content", ""), ""
    call = calls[0].get("function", calls[0])
    return message.get("content", ""), call["arguments"]["a"]


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
    jobs = {"textcore": lambda parts: ours(parts, form)}
    if SIZES[size] < 1_000_000:
        jobs["transformers"] = lambda parts: peer(parts, form)
    for job in jobs.values():
        # A template may strip a value's last space.
        assert job(deltas)[1].strip() == ("word " * (SIZES[size] // 5)).strip()
    compare(turns, f"{form}, {size}", deltas, jobs)


def test_content(turns):
    """Content without tags."""
    deltas = pieces("Plain text, without any tags. " * 2_000)
    compare(turns, "content without tags", deltas, {"textcore": ours, "transformers": peer})
