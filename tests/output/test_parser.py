"""OutputParser against a twin that reads the whole text at once, and on hard texts."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lenient_json import Cut, LenientReader, Malformed
from openai.types.chat.chat_completion_chunk import ChatCompletionChunk, ChoiceDelta

from textcore.errors import UnsupportedError
from textcore.output.parser import OutputParser
from textcore.output.tool_calls import parse_tool_calls

Message = tuple[str, str, list[tuple[str, str]]]

SPACES = " \t\n\r"
SPACE = re.compile(rf"[{SPACES}]*")


def twin(text: str, reasoning: bool, tools: bool, in_reasoning: bool) -> Message:
    """The definition, region by region over the whole text."""
    content, thoughts = "", ""
    calls: list[tuple[str, str]] = []
    position, skip = 0, reasoning and in_reasoning
    first = "<think>" if in_reasoning else "</think>"
    if reasoning and text.lstrip("\n").startswith(first):
        position, skip = text.index(first) + len(first), True
    while True:
        if reasoning and in_reasoning:
            end = text.find("</think>", position)
            part = text[position:] if end < 0 else text[position:end].rstrip("\n")
            thoughts += part.lstrip("\n") if skip else part
            if end < 0:
                return content, thoughts, calls
            position, in_reasoning, skip = end + len("</think>"), False, True
            continue
        tags = [tag for tag, on in (("<think>", reasoning), ("<tool_call>", tools)) if on]
        starts = sorted((text.find(tag, position), tag) for tag in tags)
        start, tag = next(((at, tag) for at, tag in starts if at >= 0), (len(text), ""))
        part = text[position:start]
        if skip:
            part = part.lstrip("\n")
        kept = part.rstrip("\n") if tag else part
        content += kept
        before = "" if skip and not part else part[len(kept) :]
        position = start + len(tag)
        if not tag:
            return content, thoughts, calls
        if tag == "<think>":
            in_reasoning = skip = True
            continue
        call, end, literal = call_at(text, position)
        before += tag
        while call:
            calls.append(call)
            before, position = "", end
            if text.endswith("</tool_call>", 0, end) or not text[end:].lstrip(SPACES).startswith(
                "{"
            ):
                break
            call, end, literal = call_at(text, position)
        if not call:
            content += before + literal
        position, skip = end, bool(call)


def call_at(text: str, position: int) -> tuple[tuple[str, str] | None, int, str]:
    """What follows an opening tag: the call, if it is one, where to go on, and what is literal."""
    space = SPACE.match(text, position)
    assert space
    start = space.end()
    if start == len(text):
        return None, len(text), text[position:]
    if text[start] != "{":
        return None, position, ""
    reader = LenientReader(text, start)
    try:
        reader.object()
    except Cut:
        return None, len(text), text[position:]
    except Malformed:
        pass
    else:
        members = {json.loads(key): value for key, value in reader.members}
        name = members.get("name", "")
        if name.startswith('"') and name != '""':
            arguments = members.get("arguments", members.get("parameters", "{}"))
            if arguments.startswith('"'):
                arguments = json.loads(arguments)
            end = reader.at
            space = SPACE.match(text, end)
            assert space
            if space.end() == len(text):
                return (json.loads(name), arguments), len(text), ""
            if text.startswith("</tool_call>", space.end()):
                end = space.end() + len("</tool_call>")
            return (json.loads(name), arguments), end, ""
    close = text.find("</tool_call>", position)
    end = len(text) if close < 0 else close + len("</tool_call>")
    return None, end, text[position:end]


def merge(deltas: list[dict[str, Any]]) -> Message:
    """What a client makes of the deltas, checking their form on the way."""
    content, thoughts = "", ""
    calls: list[list[str]] = []
    for delta in deltas:
        assert len(delta) == 1
        if "content" in delta:
            assert delta["content"]
            content += delta["content"]
        elif "reasoning_content" in delta:
            assert delta["reasoning_content"]
            thoughts += delta["reasoning_content"]
        else:
            (part,) = delta["tool_calls"]
            if "id" in part:
                assert part["index"] == len(calls)
                assert part["type"] == "function"
                assert re.fullmatch("call_[0-9a-f]{24}", part["id"])
                assert part["function"].keys() == {"name", "arguments"}
                calls.append([part["function"]["name"], part["function"]["arguments"]])
            else:
                assert part["function"].keys() == {"arguments"}
                assert part["function"]["arguments"]
                calls[part["index"]][1] += part["function"]["arguments"]
    return content, thoughts, [(name, arguments) for name, arguments in calls]


def stream(pieces: list[str], *args: Any, **kwargs: Any) -> Message:
    parser = OutputParser(*args, **kwargs)
    deltas: list[dict[str, Any]] = []
    for piece in pieces:
        deltas += parser.feed(piece)
    return merge(deltas + parser.feed("", final=True))


def once(text: str, *args: Any, **kwargs: Any) -> Message:
    return merge(OutputParser(*args, **kwargs).feed(text, final=True))


def chunks(text: str, sizes: list[int]) -> list[str]:
    pieces = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]


# The parts that texts are built from: whole tags and broken ones, JSON and broken JSON.
parts = st.sampled_from(
    [
        *("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_", "</tool", "<"),
        *("\n", "\n\n", " ", "a", "é漢", "\ud800"),
        *("{", "}", '"', "\\", ",", ":", "1", "[]", '{"', '":', "{}"),
        *('"name"', '"name": "f"', '"arguments": ', '{"name": "f", "arguments": {"x": "', '"}}'),
        *('{"name": "g", "parameters": "{}"}', '{"name": "f", "arguments": {"a": 1E400}}'),
        *(
            '<tool_call>{"name": "f"}',
            '<tool_call>{"name": "f"}\n</tool_call>',
            '<tool_call>{"a":',
        ),
        *("<think>\n\na\n</think>\n\n", '<tool_call>\n{"name": "", "x": "</tool_call>"}'),
        *("'", "\\u", "True", "None", "\\n", '{{"name": "f", "arguments": {', "'x': "),
        *('{"name": "h"}', '{"name": 1}', "<tool_call>\n{", "}\n</tool_call>", '{"<tool_call>'),
    ]
)
texts = st.lists(parts, max_size=14).map("".join)
chunk_sizes = st.lists(st.integers(0, 9), max_size=40)
modes = st.tuples(st.booleans(), st.booleans(), st.booleans())


@hypothesis.settings(max_examples=400)
@given(texts, chunk_sizes, modes)
def test_any_chunking_gives_the_definition(
    text: str, sizes: list[int], mode: tuple[bool, bool, bool]
) -> None:
    expected = twin(text, *mode)
    assert once(text, *mode) == expected
    assert stream(chunks(text, sizes), *mode) == expected
    assert stream(list(text), *mode) == expected


def rendered(thoughts: str, content: str, calls: list[tuple[str, str]]) -> str:
    """An assistant's turn as Qwen3's chat template writes it."""
    text = f"<think>\n{thoughts}\n</think>\n\n{content}"
    for index, (name, arguments) in enumerate(calls):
        if index or content:
            text += "\n"
        text += (
            '<tool_call>\n{"name": "' + name + '", "arguments": ' + arguments + "}\n</tool_call>"
        )
    return text


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.sampled_from(["</tool_call>", "<tool_call>\n{", "</think>", '"}}\n</tool_call>']),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
argument_texts = st.builds(
    json.dumps,
    st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    ensure_ascii=st.booleans(),
)
call_lists = st.lists(
    st.tuples(st.from_regex("[a-z_]{1,9}", fullmatch=True), argument_texts), max_size=3
)
plain = st.text(st.characters(exclude_characters="<"), max_size=20).map(
    lambda text: text.strip("\n")
)


@given(plain, plain, call_lists, chunk_sizes)
def test_a_rendered_message_comes_back(
    thoughts: str, content: str, calls: list[tuple[str, str]], sizes: list[int]
) -> None:
    text = rendered(thoughts, content, calls)
    assert stream(chunks(text, sizes), True, True) == (content, thoughts, calls)
    assert stream(list(text), True, True) == (content, thoughts, calls)
    assert once(text, True, True) == (content, thoughts, calls)


EXAMPLE = rendered("why\n\nnot", "Let me see.", [("look", '{"at": "</tool_call>"}'), ("go", "{}")])


def test_with_the_output_cut_off_anywhere_nothing_is_lost() -> None:
    _, thoughts, calls = once(EXAMPLE, True, True)
    for end in range(len(EXAMPLE)):
        part = EXAMPLE[:end]
        got_content, got_thoughts, got_calls = stream(list(part), True, True)
        assert got_calls == calls[: len(got_calls)]
        assert thoughts.startswith(got_thoughts) or got_thoughts.startswith(thoughts)
        rest = part
        for name, arguments in got_calls:
            rest = rest.replace('{"name": "' + name + '", "arguments": ' + arguments + "}", "")
        for tag in ("<think>", "</think>"):
            rest = rest.replace(tag, "")
        kept = (got_thoughts + got_content).replace("<tool_call>", "")
        rest = rest.replace("<tool_call>", "")
        if len(got_calls) == 2 or "</tool_call>" not in kept:
            rest = rest.replace("</tool_call>", "")
        assert kept.replace("\n", "").replace(" ", "") in rest.replace("\n", "").replace(" ", "")


def test_a_call_cut_off_is_content_as_it_stood() -> None:
    start = EXAMPLE.index("\n<tool_call>")
    complete = EXAMPLE.index("}}") + 2
    for end in range(start + len("\n<tool_call>"), complete):
        content, _, calls = stream(list(EXAMPLE[:end]), True, True)
        assert (content, calls) == ("Let me see." + EXAMPLE[start:end], [])
    for end in range(complete, complete + 2):
        content, _, calls = stream(list(EXAMPLE[:end]), True, True)
        assert (content, calls) == ("Let me see.", [("look", '{"at": "</tool_call>"}')])


def test_a_closing_tag_cut_short_is_not_lost() -> None:
    text = '<tool_call>{"name": "f"}\n</tool_c'
    assert stream(list(text), tools=True) == ("</tool_c", "", [("f", "{}")])


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        "[1]",
        '"f"',
        "null",
        "{}",
        '{"name": ""}',
        '{"name": 5}',
        '{"name": ["f"]}',
        '{"arguments": {}}',
        '{"name": "f", "arguments": NaN}',
        '{"name": "f", "arguments": {"x": 01}}',
        '{"name": "f",}',
        "{name: 'f'}",
        "{'name': 'f's'}",
        '{"name": "f", "arguments": ["a" "b"]}',
        '{{"name": "f"}',
    ],
)
@pytest.mark.parametrize(
    "form", ["a\n<tool_call>{}</tool_call>\n", "\n\n<tool_call>\n{}\n</tool_call>b"]
)
def test_a_malformed_call_is_content_as_it_stood(body: str, form: str) -> None:
    text = form.replace("{}", body)
    assert stream(list(text), tools=True) == (text, "", [])
    if body == '{{"name": "f"}':
        return  # what follows closes it
    good = '<tool_call>{"name": "g"}</tool_call>'
    assert stream([text.rstrip("\n"), good], tools=True) == (text.rstrip("\n"), "", [("g", "{}")])


def test_in_a_malformed_call_no_tag_is_read() -> None:
    text = '<tool_call>{oops <think>x</think> <tool_call>{"name": "f"}</tool_call>'
    assert stream(list(text), True, True) == (text, "", [])


def test_a_tag_in_prose_is_prose() -> None:
    text = "Use <tool_call> to call.\n\n<think>hm</think>ok"
    assert stream(list(text), True, True) == ("Use <tool_call> to call.ok", "hm", [])


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ('{ "x" :\t1E400 }', '{ "x" :\t1E400 }'),
        ("9" * 5000, "9" * 5000),
        (r'{"s": "\ud800\u00e9/\/"}', r'{"s": "\ud800\u00e9/\/"}'),
        ("[1, 2]", "[1, 2]"),
        ("null", "null"),
        (r'"{\"a\": \"\u00e9\\n\"}"', '{"a": "é\\n"}'),
        ('""', ""),
        ('"plain"', "plain"),
    ],
)
@pytest.mark.parametrize("key", ["arguments", "parameters", r"argument\u0073"])
def test_arguments_are_the_models_own_text(value: str, arguments: str, key: str) -> None:
    text = '<tool_call>{"' + key + '":' + value + ' , "name" : "f"}</tool_call>'
    assert stream(list(text), tools=True) == ("", "", [("f", arguments)])
    assert once(text, tools=True) == ("", "", [("f", arguments)])


def test_arguments_count_before_parameters_and_the_last_of_two_counts() -> None:
    text = '{"arguments":1,"name":"a","parameters":2,"name":"b","arguments":3}'
    assert once(f"<tool_call>{text}", tools=True)[2] == [("b", "3")]


def test_text_behind_a_complete_object_is_content() -> None:
    text = '<tool_call>\n{"name": "f"}}\n</tool_call>'
    assert stream(list(text), tools=True) == ("}\n</tool_call>", "", [("f", "{}")])


def test_whitespace_behind_the_last_call_is_formatting() -> None:
    text = '<tool_call>{"name": "f"} \t\n'
    assert stream(list(text), tools=True) == ("", "", [("f", "{}")])
    assert stream(list(text + "a"), tools=True) == (" \t\na", "", [("f", "{}")])


def test_the_next_call_may_begin_where_a_closing_tag_is_missing() -> None:
    text = '<tool_call>{"name": "f"}\n<tool_call>{"name": "g"}'
    assert stream(list(text), tools=True) == ("", "", [("f", "{}"), ("g", "{}")])


def test_text_streams_as_it_comes() -> None:
    parser = OutputParser(True, True)
    assert parser.feed("<think>\nab") == [{"reasoning_content": "ab"}]
    assert parser.feed("c\n") == [{"reasoning_content": "c"}]
    assert parser.feed("d</thin") == [{"reasoning_content": "\nd"}]
    assert parser.feed("g\n</think>\n") == [{"reasoning_content": "</thing"}]
    assert parser.feed("\nHi <tool") == [{"content": "Hi "}]
    assert parser.feed("!\n") == [{"content": "<tool!"}]
    assert parser.feed("", final=True) == [{"content": "\n"}]


def test_a_call_comes_with_the_character_that_completes_it() -> None:
    parser = OutputParser(tools=True)
    assert parser.feed('<tool_call>\n{"name": "f", "arguments": {}') == []
    first, second = parser.feed("}")
    assert first["tool_calls"][0]["function"] == {"name": "f", "arguments": ""}
    assert second == {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}


def test_what_is_not_asked_for_is_content() -> None:
    assert once(EXAMPLE) == (EXAMPLE, "", [])
    content, thoughts, calls = once(EXAMPLE, reasoning=True)
    assert (content, thoughts, calls) == (EXAMPLE.split("</think>\n\n")[1], "why\n\nnot", [])
    content, thoughts, calls = once(EXAMPLE, tools=True)
    assert content == EXAMPLE.split("\n<tool_call>")[0]
    assert len(calls) == 2


def test_calls_in_reasoning_are_reasoning() -> None:
    text = '<think><tool_call>{"name": "f"}</tool_call></think>'
    assert once(text, True, True) == ("", text[len("<think>") : -len("</think>")], [])


def test_a_closing_tag_that_nothing_opened_is_content() -> None:
    assert once("a</think>b", True) == ("a</think>b", "", [])


TURN = "<|im_start|>user\nWhat is <think>?<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("prompt", "output", "content", "thoughts"),
    [
        (TURN, "\na</think>b", "\na</think>b", ""),
        (TURN + "<think>\n", "\na\n</think>\n\nb", "b", "a"),
        (TURN + "<think>", "\na</think>b", "b", "a"),
        (TURN + "<think>\nso", "\na</think>b", "b", "\na"),
        (TURN + "<think>\n\n</think>\n\n", "\nb", "b", ""),
        (TURN + "<think>\n\n</think>\n\nHi", "\nb", "\nb", ""),
        (TURN + "<think>\nx\n</think>", "\n\nb<think>c", "b", "c"),
        ("[INST] <think> [/INST]", "a</think>b", "a</think>b", ""),
        ("[INST] Hi [/INST]<think>\n", "\na</think>b", "b", "a"),
        ("[INST] Hi [/INST]<think></think>\n", "\nb", "b", ""),
        ("", "a", "a", ""),
    ],
)
def test_the_prompt_says_how_the_output_begins(
    prompt: str, output: str, content: str, thoughts: str
) -> None:
    assert stream(list(output), True, prompt=prompt) == (content, thoughts, [])


def test_reasoning_is_open_if_either_says_so() -> None:
    assert once("\na</think>b", True, starts_in_reasoning=True) == ("b", "a", [])
    assert once("\na</think>b", True, False, True, prompt=TURN) == ("b", "a", [])
    assert once("a</think>b", False, False, True) == ("a</think>b", "", [])


@pytest.mark.parametrize("tools", [False, None, []])
def test_no_tools_mean_no_calls(tools: Any) -> None:
    text = '<tool_call>{"name": "f"}</tool_call>'
    assert once(text, tools=tools) == (text, "", [])


def test_tool_definitions_ask_for_calls_by_any_name() -> None:
    tools = [{"type": "function", "function": {"name": "g"}}]
    assert once('<tool_call>{"name": "f"}</tool_call>', tools=tools)[2] == [("f", "{}")]


@pytest.mark.parametrize("tools", ["f", b"f", 1, {"name": "f"}, ["f"]])
def test_tools_of_a_wrong_type(tools: Any) -> None:
    with pytest.raises(TypeError):
        OutputParser(tools=tools)


def test_wrong_uses() -> None:
    with pytest.raises(UnsupportedError, match=r"format: .*'other'.*hermes, qwen2\.5, qwen3"):
        OutputParser(format="other")
    with pytest.raises(TypeError):
        OutputParser(format=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        OutputParser(prompt=b"")  # type: ignore[arg-type]
    parser = OutputParser(tools=True)
    for _ in range(2):
        with pytest.raises(TypeError):
            parser.feed(b"a")  # type: ignore[arg-type]
        parser.feed("<tool_call>")
    parser.feed("", final=True)
    with pytest.raises(ValueError, match="final"):
        parser.feed("a")


def test_deltas_are_the_openai_clients() -> None:
    parser = OutputParser(True, True, format="qwen3")
    choices = []
    for delta in parser.feed(EXAMPLE) + parser.feed("", final=True):
        checked = ChoiceDelta.model_validate(delta, strict=True)
        assert checked.to_dict() == delta
        choices.append({"index": 0, "delta": delta, "finish_reason": None})
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": choices,
    }
    assert ChatCompletionChunk.model_validate(chunk, strict=True).to_dict() == chunk


def test_the_one_shot_parser_agrees() -> None:
    text = EXAMPLE.split("</think>\n\n")[1]
    content, calls = parse_tool_calls(text)
    assert content == "Let me see."
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in calls] == once(
        text, tools=True
    )[2]


HOSTILE = {
    "nesting": '<tool_call>{"name": "f", "arguments": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "open nesting": '<tool_call>{"name": "f", "arguments": ' + '{"a":' * 100_000,
    "argument": '<tool_call>{"name": "f", "arguments": "' + "x" * 3_000_000 + '"}</tool_call>',
    "number": '<tool_call>{"name": "f", "arguments": ' + "1" * 100_000 + "}</tool_call>",
    "newlines": "<think>" + "\n" * 300_000 + "a" + "\n" * 300_000 + "</think>",
    "spaces": ('<tool_call>{"name": "f"}' + " " * 300_000) * 2,
    "calls": '<tool_call>{"name": "f"}</tool_call>\n' * 20_000,
    "openings": "<tool_call>" * 100_000,
    "objects": "<tool_call>{" * 100_000,
    "nameless": "<tool_call>{}" * 100_000,
    "quoted openings": '<tool_call>{"<tool_call>{":":",":"<tool_call>{' * 30_000,
    "strings": '<tool_call>{"<tool_call>{' * 50_000,
    "interleaved": '<tool_call>{"' + '":":","' * 100_000 + "<tool_call>{" + '":":","' * 100_000,
    "half tags": "<tool_cal" * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_output_costs_no_more_than_its_length(text: str) -> None:
    start = time.perf_counter()
    size = max(1, len(text) // 200_000)
    streamed = stream([text[at : at + size] for at in range(0, len(text), size)], True, True)
    assert streamed == once(text, True, True)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_a_separator_stands_between_calls_without_tags(size: int) -> None:
    text = '{"name": "a", "parameters": {}}; {"name": "b", "parameters": {"x": 1}}'
    parser = OutputParser(False, True, format="llama3_json")
    deltas = [d for i in range(0, len(text), size) for d in parser.feed(text[i : i + size])]
    deltas += parser.feed("", final=True)
    parts = [part for delta in deltas for part in delta["tool_calls"]]
    assert [part["function"]["name"] for part in parts if "id" in part] == ["a", "b"]
    assert "".join(part["function"]["arguments"] for part in parts) == '{}{"x": 1}'
