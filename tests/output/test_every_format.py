"""What holds for every declared format, with calls spelled from the declarations."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk
from spelled import Call, spelled
from test_families import message

from textcore.output.formats import FORMATS, NestedElements, OutputFormat, get_format
from textcore.output.parser import OutputParser

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "count": {"type": "integer"},
        "deep": {"type": "boolean"},
        "many": {"type": "array", "items": {"type": "integer"}},
        "more": {"type": "object", "properties": {"k": {"type": "string"}}},
    },
}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": SCHEMA}}
    for name in ("f", "go.on_2")
]
# Text that stands for itself in every spelling, Python's and XML's.
texts = st.text(st.sampled_from("ab 5-é漢😀.!?*#_/"), min_size=1).map(str.strip).filter(bool)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "text": texts,
        "count": st.integers(),
        "many": st.lists(st.integers(0, 9), max_size=3),
        "more": st.fixed_dictionaries({"k": texts}),
    },
)
calls = st.lists(st.tuples(st.sampled_from(["f", "go.on_2"]), arguments), min_size=1, max_size=3)


def parser_for(form: OutputFormat, early: bool = True) -> OutputParser:
    return OutputParser(True, TOOLS, format=form, stream_arguments=early)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@given(made=calls, size=st.integers(1, 20), early=st.booleans())
def test_calls_come_back(form: OutputFormat, made: list[Call], size: int, early: bool) -> None:
    text = spelled(form, made)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    for ways in (pieces, [text]):
        content, reasoning, found = message(parser_for(form, early), ways)
        assert (content.strip(), reasoning) == ("", "")
        assert [(name, json.loads(one)) for name, one in found] == made


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_the_clients_accumulated_stream_is_the_message(form: OutputFormat) -> None:
    made: list[Call] = [("f", {"text": "a b", "count": 5, "many": [1, 2]}), ("go.on_2", {})]
    text = spelled(form, made)
    parser = parser_for(form)
    state = ChatCompletionStreamState()
    ids = []
    for piece in [*text, None]:
        for delta in parser.feed(piece or "", final=piece is None):
            chunk = {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
            }
            state.handle_chunk(ChatCompletionChunk.model_validate(chunk, strict=True))
            ids += [part["id"] for part in delta.get("tool_calls", ()) if "id" in part]
    told = state.current_completion_snapshot.choices[0].message
    assert (told.content or "").strip() == ""
    found = [(one.function.name, one.function.arguments) for one in told.tool_calls or []]
    assert found == message(parser_for(form), [text])[2]
    assert [one.id for one in told.tool_calls or []] == ids
    assert len(set(ids)) == 2


def hostile(form: OutputFormat, size: int) -> dict[str, str]:
    """Calls that cost more than their length where something is not linear, by what is large."""
    levels = 100 * size
    number = spelled(form, [("f", {"a": 123454321})]).replace("123454321", "7" * 500 * size)
    nested = spelled(form, [("f", {"a": [123454321]})])
    if isinstance(form.body, NestedElements):
        opened, closed = (f"{form.body.mark}<{end}item>" for end in ("", "/"))
        nested = nested.replace(f"{opened}123454321{closed}", opened * levels + closed * levels)
    else:
        nested = nested.replace("[123454321]", "[" * levels + "]" * levels)
    return {
        "a long string": spelled(form, [("f", {"a": "word " * 500 * size})]),
        "a long number": number,
        "deep nesting": nested,
        "many calls": spelled(form, [("f", {"a": "b"})] * 10 * size),
    }


class Work:
    """How many functions are called, compiled ones included."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> Work:
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _count(self, frame: object, event: str, argument: object) -> None:
        self.calls += event in ("call", "c_call")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_calls_cost_no_more_than_their_length(form: OutputFormat) -> None:
    costs: dict[tuple[str, bool], int] = {}
    for size in (10, 20):
        for name, text in hostile(form, size).items():
            for whole in (True, False):
                piece = len(text) if whole else 11
                parser = OutputParser(True, True, format=form, stream_arguments=True)
                with Work() as work:
                    for at in range(0, len(text), piece):
                        parser.feed(text[at : at + piece])
                    parser.feed("", final=True)
                assert parser.calls == (10 * size if name == "many calls" else 1)
                assert parser.incomplete == []
                before = costs.setdefault((name, whole), work.calls)
                assert work.calls <= 2.1 * before + 50, name


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_long_argument_comes_out_whole(form: OutputFormat) -> None:
    for name, text in hostile(form, 200).items():
        parser = OutputParser(True, True, format=form, stream_arguments=True)
        found = length = 0
        for delta in parser.feed(text, final=True):
            for part in delta.get("tool_calls", ()):
                found += "id" in part
                length += len(part["function"]["arguments"])
        assert found == (2_000 if name == "many calls" else 1)
        assert parser.incomplete == []
        assert length > 5_000


# The names of vLLM's and SGLang's parsers, of calls and of reasoning, for these families.
SERVERS_NAMES: dict[str, tuple[str, ...]] = {
    "vLLM": (
        *("deepseek_v3", "deepseek_v31", "deepseek_v32", "deepseek_v4", "deepseek_v41"),
        *("cohere_command3", "cohere_command4", "ernie45", "glm45", "glm47", "ling3"),
        *("granite-20b-fc", "granite", "granite4", "hermes", "poolside_v1", "hunyuan_a13b"),
        *("hy_v3", "internlm", "jamba", "lfm2", "kimi_k2", "kimi_k3", "llama3_json"),
        *("llama4_json", "llama4_pythonic", "longcat", "mimo", "minimax_m2", "minimax_m3"),
        *("minicpm5", "mistral", "olmo3", "openai", "phi4_mini_json", "pythonic"),
        *("qwen3_coder", "qwen3_json", "qwen3_xml", "seed_oss", "step3", "step3p5", "xlam"),
        *("gigachat3", "functiongemma", "gemma4", "apertus"),
    ),
    "vLLM, reasoning": (
        *("deepseek_r1", "openai_gptoss", "granite_thinking_parser", "holo2", "qwen3"),
        *("minimax_m2_append_think", "nemotron_v3"),
    ),
    "SGLang": (
        *("apertus2509", "deepseekv3", "deepseekv31", "deepseekv32", "deepseekv4"),
        *("deepseekv41", "glm", "gpt-oss", "llama3", "qwen", "qwen25", "minimax-m2"),
        *("minimax-m3", "nanbeige", "trinity", "interns1", "hunyuan"),
    ),
    "SGLang, reasoning": (
        *("deepseek-r1", "deepseek-v3", "deepseek-v4", "deepseek-v41", "kimi"),
        *("qwen3-thinking", "minimax", "minimax-append-think", "nemotron_3"),
    ),
    "models": (
        *("qwq", "magistral", "exaone4", "smollm3", "nemotron", "solar_open", "step3.5"),
        *("functionary_v3.1", "functionary_v3.2", "firefunction_v2", "minimax_m1", "olmo"),
    ),
}


@pytest.mark.parametrize("server", SERVERS_NAMES)
def test_servers_names_are_known(server: str) -> None:
    for name in SERVERS_NAMES[server]:
        assert get_format(name) in FORMATS


def read(name: str, text: str, **arguments: Any) -> tuple[str, str, list[tuple[str, str]]]:
    """The message of an output, which must be the same in pieces."""
    arguments = {"reasoning": True, "tools": True, "stream_arguments": True, **arguments}
    whole = message(OutputParser(format=name, **arguments), [text])
    assert message(OutputParser(format=name, **arguments), list(text)) == whole
    return whole


@pytest.mark.parametrize(
    ("text", "open", "expected"),
    [
        ("</think>Hi", False, ("Hi", "")),
        ("\n</think>\n\nHi", False, ("Hi", "")),
        ("<think>\nhm</think>Hi", True, ("Hi", "hm")),
        ("x</think>Hi", False, ("x</think>Hi", "")),
        ("h<think>m</think>Hi", True, ("Hi", "h<think>m")),
        ("\n\n", False, ("\n\n", "")),
        ("</thin", False, ("</thin", "")),
        ("<thin", True, ("", "<thin")),
    ],
)
def test_the_first_tag_may_repeat_the_prompts(
    text: str, open: bool, expected: tuple[str, str]
) -> None:
    assert read("glm45", text, starts_in_reasoning=open)[:2] == expected


def test_a_parser_is_in_reasoning_before_its_first_character() -> None:
    assert OutputParser(True, format="glm45", starts_in_reasoning=True).in_reasoning
    assert not OutputParser(True, format="glm45").in_reasoning


CALL = "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>"


def test_a_call_ends_reasoning_that_nothing_closed() -> None:
    found = read("qwen3_coder", f"Look.\n\n{CALL}", starts_in_reasoning=True)
    assert found == ("", "Look.", [("f", '{"a": "x"}')])


@pytest.mark.parametrize("mention", ["use <tool_call> then", "<tool_call>\n<func", "<tool_call>"])
def test_a_mention_within_reasoning_is_reasoning(mention: str) -> None:
    found = read("qwen3_coder", mention, starts_in_reasoning=True)
    assert found == ("", mention, [])
    found = read("qwen3_coder", f"{mention}.</think>Hi", starts_in_reasoning=True)
    assert found == ("Hi", f"{mention}.", [])


@pytest.mark.parametrize(
    ("name", "text", "id"),
    [
        (
            "kimi_k2",
            "<|tool_call_begin|>functions.f:7<|tool_call_argument_begin|>{}",
            "functions.f:7",
        ),
        ("mistral", "[TOOL_CALLS]f[CALL_ID]abc123xyz[ARGS]{}", "abc123xyz"),
        (
            "solar_open",
            "<|tool_calls|><|tool_call:begin|>a1b2<|tool_call:name|>f<|tool_call:args|>{}",
            "a1b2",
        ),
    ],
)
def test_a_call_keeps_the_id_that_the_model_gave_it(name: str, text: str, id: str) -> None:
    deltas = OutputParser(tools=True, format=name).feed(text, final=True)
    assert [part["id"] for one in deltas for part in one["tool_calls"] if "id" in part] == [id]


def test_calls_between_separators_may_have_no_tag() -> None:
    one, other = ('{"name": "f", "parameters": {"a": 1}}', '{"name": "g", "parameters": {}}')
    for text in (
        f"{one}; {other}",
        f"<|python_tag|>{one};{other}",
        f"{one} ; <|python_tag|>{other}",
    ):
        assert read("llama3_json", text)[2] == [("f", '{"a": 1}'), ("g", "{}")]
    assert read("llama3_json", f"{one}; and")[0] == "; and"


def test_json_in_content_is_a_call_only_to_a_tool_of_the_request() -> None:
    text = 'So: {"name": "Bob", "parameters": {"a": 1}} and {"name": "f", "parameters": {}}.'
    content, _, found = read("llama3_json", text, tools=TOOLS)
    assert content == 'So: {"name": "Bob", "parameters": {"a": 1}} and .'
    assert found == [("f", "{}")]
    for nested in (
        '{"name": {"name": "f", "parameters": {}}}',
        '{"name": "", "x": {"name": "f", "parameters": {}}}',
        '{"name": "Bob", "parameters": {"x": {"name": "f", "parameters": {}}}}',
    ):
        assert read("llama3_json", f"x {nested} y", tools=TOOLS) == (f"x {nested} y", "", [])
    assert read("pythonic", "see [1] and [f(count=5)]", tools=TOOLS)[::2] == (
        "see [1] and ",
        [("f", '{"count": 5}')],
    )


def announced(kind: str, value: str, key: str) -> str:
    return (
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="'
        f'{key}" string="{kind}">{value}</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
        "</｜DSML｜tool_calls>"
    )


@pytest.mark.parametrize(
    ("kind", "value", "key", "expected"),
    [
        ("true", "42", "count", "42"),
        ("true", "42", "text", '"42"'),
        ("true", "42", "unknown", '"42"'),
        ("true", '{"k": 1}', "more", '{"k": 1}'),
        ("false", "null", "text", '"null"'),
        ("false", '"q"', "text", '"q"'),
        ("false", "[1,  2]", "many", "[1,  2]"),
        ("false", "hello", "unknown", '"hello"'),
        ("false", "1E400", "unknown", "1E400"),
        ("true", "null", "note", '"null"'),
    ],
)
def test_what_a_tag_announces_and_the_schema_wants(
    kind: str, value: str, key: str, expected: str
) -> None:
    found = read("deepseek_v4", announced(kind, value, key), tools=TOOLS)
    assert found == ("", "", [("f", f'{{"{key}": {expected}}}')])


@pytest.mark.parametrize("value", ["[1} x", "[1] y", "{'a': 1}"])
def test_what_is_announced_as_json_and_is_none_is_cut_off_there(value: str) -> None:
    parser = OutputParser(tools=TOOLS, format="deepseek_v4")
    text = announced("false", value, "many") + " ok"
    content, _, found = message(parser, [text])
    assert read("deepseek_v4", text, tools=TOOLS) == (content, "", found)
    assert parser.incomplete == [0]
    assert len(found) == 1
    assert value[-1] in content
    assert content.endswith("</｜DSML｜tool_calls> ok")


MARK = "]<]minimax[>["


def nested(*elements: str) -> str:
    inner = "".join(elements).replace("<", f"{MARK}<")
    return f'{MARK}<tool_call>\n{MARK}<invoke name="f">{inner}{MARK}</invoke>\n{MARK}</tool_call>'


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ("<text>5</text><count>007</count>", '{"text": "5", "count": 7}'),
        ("<many></many><more></more><text></text>", '{"many": [], "more": {}, "text": ""}'),
        ("<many><item>1</item><item>2</item></many>", '{"many": [1, 2]}'),
        ("<more><k>1</k><j>1</j></more>", '{"more": {"k": "1", "j": 1}}'),
        ("<more><k>a</k><k>b</k></more>", '{"more": {"k": ["a", "b"]}}'),
        ("<x><item><a>1</a></item></x>", '{"x": [{"a": 1}]}'),
        ("<x>t<a>1</a></x>", '{"x": {"a": 1, "$text": "t"}}'),
        ("", "{}"),
    ],
)
def test_elements_are_what_the_schema_says(elements: str, expected: str) -> None:
    assert read("minimax_m3", nested(elements), tools=TOOLS) == ("", "", [("f", expected)])


@pytest.mark.parametrize("elements", ["<a>1</b>", "<a>x<b>", "<>1</>", "</a>", "stray"])
def test_elements_that_do_not_match_are_cut_off(elements: str) -> None:
    text = nested(elements) + "ok"
    parser = OutputParser(tools=True, format="minimax_m3")
    content, _, found = message(parser, [text])
    assert message(OutputParser(tools=True, format="minimax_m3"), list(text)) == (
        content,
        "",
        found,
    )
    assert parser.incomplete == [0]
    assert content.endswith("ok")


def test_strings_of_python_calls_are_what_the_tool_wants() -> None:
    text = "[f(text='5', count='5', many='[1, 2]', deep='True')]"
    assert json.loads(read("pythonic", text, tools=TOOLS)[2][0][1]) == {
        "text": "5",
        "count": 5,
        "many": [1, 2],
        "deep": True,
    }


def test_granites_reasoning_before_it_had_tags() -> None:
    text = "Here is my thought process: a\nHere's my response: b"
    assert read("granite", text) == (" b", " a", [])
