"""Ids in, deltas out: control tokens by id, stops, reasons and usage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from wire_texts import PUBLISHED, RENDERED, Wire

from textcore import Tokenizer, bytes_to_unicode
from textcore.output.formats import get_format
from textcore.output.parser import OutputParser
from textcore.output.probing.roundtrip import TOOLS
from textcore.output.response import ResponseStream, step_responses

WIRES = [*RENDERED, *PUBLISHED]
EOS = "<|im_end|>"
SPECIAL = ["<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|call|>", "<|return|>", EOS]
PLAIN = ["<think>", "</think>", "<tool_call>", "</tool_call>", '<|"|>', "[TOOL_CALLS]", "[ARGS]"]
PLAIN += ["<minimax:tool_call>", "</minimax:tool_call>"]


def tokenizer() -> Tokenizer:
    """A token a byte, and the markers as added tokens, special ones and others."""
    vocab = {character: byte for byte, character in bytes_to_unicode().items()}
    added = [
        {
            "id": 256 + number,
            "content": content,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": content in SPECIAL,
        }
        for number, content in enumerate(SPECIAL + PLAIN)
    ]
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    spec = {
        "added_tokens": added,
        "pre_tokenizer": level,
        "decoder": level,
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    }
    return Tokenizer(spec, {"eos_token": EOS})


TOK = tokenizer()


def message(deltas: list[dict[str, Any]]) -> tuple[str, str, list[tuple[str, Any]]]:
    content, reasoning = "", ""
    calls: list[list[str]] = []
    for delta in deltas:
        content += delta.get("content", "")
        reasoning += delta.get("reasoning_content", "")
        for part in delta.get("tool_calls", ()):
            if "id" in part:
                calls.append([part["function"]["name"], ""])
            calls[part["index"]][1] += part["function"]["arguments"]
    return content, reasoning, [(name, json.loads(text)) for name, text in calls]


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.format)
def test_a_message_comes_back_from_ids(wire: Wire, one_by_one: bool) -> None:
    parser = OutputParser(True, wire.tools, format=wire.format, prompt=wire.prompt, tokenizer=TOK)
    ids = TOK.encode(wire.text)
    deltas = []
    for part in [[i] for i in ids] if one_by_one else [ids]:
        deltas += parser.feed_ids(part)
    found = message(deltas + parser.feed_ids([], final=True))
    assert found == (wire.content, wire.reasoning, wire.calls)


def test_the_characters_of_a_control_token_are_text() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    spelled = TOK.encode(text, allowed_special="none")
    parser = OutputParser(tools=True, tokenizer=TOK)
    assert message(parser.feed_ids(spelled, final=True)) == (text, "", [])
    parser = OutputParser(tools=True, tokenizer=TOK)
    assert message(parser.feed_ids(TOK.encode(text), final=True)) == ("", "", [("f", {})])


def test_a_control_token_that_marks_nothing_is_its_text() -> None:
    ids = TOK.encode("a </tool_call> b <tool_call> c")
    parser = OutputParser(tools=True, tokenizer=TOK)
    assert message(parser.feed_ids(ids, final=True))[0] == "a </tool_call> b <tool_call> c"


BARE = {
    "qwen3_coder": "<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
    "step3.5": "<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
    "minimax_m2": '<invoke name="f">\n<parameter name="a">x</parameter>\n</invoke>',
}


@pytest.mark.parametrize("name", BARE)
def test_a_call_without_its_control_token_is_a_call_from_ids_as_from_text(name: str) -> None:
    text = f"Hm.\n{BARE[name]}"
    parser = OutputParser(tools=True, format=name, tokenizer=TOK)
    found = message(parser.feed_ids(TOK.encode(text), final=True))
    assert found == ("Hm.", "", [("f", {"a": "x"})])
    assert found == message(OutputParser(tools=True, format=name).feed(text, final=True))


@pytest.mark.parametrize("name", ["qwen3_coder", "hermes", "gemma4"])
def test_a_control_token_within_an_argument_is_its_text(name: str) -> None:
    wire = next(wire for wire in WIRES if wire.format == name and wire.calls)
    key = next(key for key, value in wire.calls[0][1].items() if isinstance(value, str))
    value = wire.calls[0][1][key]
    text = wire.text.replace(value[:5], value[:5] + "<think>", 1)
    parser = OutputParser(True, TOOLS, format=name, prompt=wire.prompt, tokenizer=TOK)
    found = message(parser.feed_ids(TOK.encode(text), final=True))
    assert found[2][0][1][key] == value[:5] + "<think>" + value[5:]


def test_ids_need_a_tokenizer() -> None:
    with pytest.raises(TypeError, match="tokenizer"):
        OutputParser().feed_ids([1])


OUTPUT = '<think>hm</think>Ok.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


def test_a_response_ends_with_its_eos_token() -> None:
    stream = ResponseStream(TOK, parser=OutputParser(True, True), prompt_tokens=7)
    ids = TOK.encode(OUTPUT + EOS + "never read")
    deltas = [delta for token_id in ids for delta in stream.add(token_id)]
    assert message(deltas) == ("Ok.", "hm", [("f", {"a": 1})])
    assert stream.finish_reason == "tool_calls"
    tokens = ids.index(TOK.eos_token_id) + 1
    assert stream.usage == {
        "prompt_tokens": 7,
        "completion_tokens": tokens,
        "total_tokens": 7 + tokens,
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    assert stream.finish() == []
    assert stream.finish_reason == "tool_calls"


@pytest.mark.parametrize("parser", [None, "new"])
def test_a_stop_string_ends_a_response(parser: str | None) -> None:
    stream = ResponseStream(TOK, ["END"], OutputParser(True, True) if parser else None)
    deltas = stream.add(TOK.encode("one EN two END three"))
    assert message(deltas)[0] == "one EN two "
    assert (stream.finish_reason, stream.stopped) == ("stop", "END")
    assert stream.add(TOK.encode("more")) == []


def test_a_response_that_the_engine_ends() -> None:
    stream = ResponseStream(TOK, "stop", OutputParser(True, True))
    deltas = stream.add(TOK.encode("held back: sto"))
    assert message(deltas)[0] == "held back: "
    assert message(stream.finish()) == ("sto", "", [])
    assert stream.finish_reason == "length"
    cut_off = ResponseStream(TOK, parser=OutputParser(tools=True, format="kimi_k2"))
    cut_off.add(TOK.encode("<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"))
    cut_off.finish()
    assert cut_off.finish_reason == "length"


def test_many_responses_in_step() -> None:
    streams = [ResponseStream(TOK, parser=OutputParser(True, True)) for _ in range(3)]
    texts = [OUTPUT, "plain text", "<think>only"]
    ids = [TOK.encode(text + EOS) for text in texts]
    deltas: list[list[dict[str, Any]]] = [[], [], []]
    for step in range(max(map(len, ids))):
        batch = [one[step : step + 1] for one in ids]
        for all_of_one, new in zip(deltas, step_responses(streams, batch), strict=True):
            all_of_one += new
    assert [message(one) for one in deltas] == [
        ("Ok.", "hm", [("f", {"a": 1})]),
        ("plain text", "", []),
        ("", "only", []),
    ]
    assert [stream.finish_reason for stream in streams] == ["tool_calls", "stop", "stop"]
    with pytest.raises(ValueError, match="3 responses"):
        step_responses(streams, [])


def test_every_format_can_be_bound() -> None:
    for name in {wire.format for wire in WIRES}:
        parser = OutputParser(True, True, format=get_format(name))
        assert ResponseStream(TOK, parser=parser).finish() == []
