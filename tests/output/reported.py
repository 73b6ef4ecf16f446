"""Outputs that other servers' parsers have lost or garbled, by public reports and their tests.

Each names its source: a repository and the number of an issue or pull request there, or a file.
The texts are the reports', some cut to what matters; the messages are what their authors, or the
servers' own tests, say that they are. Names of tools and values are mostly ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Tools = list[dict[str, Any]] | bool | None


class Report(NamedTuple):
    """An output and the message that it is."""

    source: str
    format: str
    text: str
    content: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    tools: Tools = True
    options: tuple[tuple[str, Any], ...] = ()


def _tool(name: str, **properties: Any) -> dict[str, Any]:
    """A tool's definition; a property is a schema or the name of a type."""
    schemas = {
        key: {"type": value} if isinstance(value, str) else value
        for key, value in properties.items()
    }
    parameters = {"type": "object", "properties": schemas}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


COMMON = [
    _tool("get_weather", city="string", days="integer", unit="string"),
    _tool("get_current_weather", city="string", state="string", unit="string"),
    _tool("f"),
    _tool("get_time", timezone="string"),
    _tool("search", query="string", limit="integer"),
    _tool("bash", command="string"),
    _tool("write", path="string", content="string"),
    _tool(
        "set",
        flag="boolean",
        count="integer",
        items={"type": "array", "items": {"type": "string"}},
        opts="object",
    ),
]
NULLABLE = [
    _tool(
        "t",
        a={"anyOf": [{"type": "string"}, {"type": "null"}]},
        b={"type": ["integer", "null"]},
        c={"type": "array", "items": {"type": "integer"}},
    ),
    _tool("update_task", taskId="string", subject="string"),
]
MORE = [
    _tool("get_weather", city="string", days="integer"),
    _tool("search", query="string", limit="integer"),
    _tool("grep_tool", pattern="string"),
    _tool("bash", command="string"),
    _tool("list_dir", path="string"),
    _tool("size", size="array"),
    _tool("memory_get", **{"from": "integer"}),
    _tool("save_file", filename="string", content="string"),
    _tool("grep", **{"-A": "integer", "-n": "boolean", "pattern": "string"}),
]
ALTERNATIVES = [
    {
        "type": "function",
        "function": {
            "name": "t",
            "parameters": {
                "oneOf": [
                    {"type": "object", "properties": {"number": {"type": "number"}}},
                    {
                        "type": "object",
                        "properties": {
                            "stringList": {"type": "array", "items": {"type": "string"}}
                        },
                    },
                ]
            },
        },
    },
]
INDIRECT = [
    {
        "type": "function",
        "function": {
            "name": "t",
            "parameters": {
                "type": "object",
                "properties": {
                    "limit": {"$ref": "#/$defs/Limit"},
                    "loc": {
                        "anyOf": [
                            {"type": "object", "properties": {"city": {"type": "string"}}},
                            {"type": "string"},
                        ]
                    },
                    "n": {"type": ["string", "null"]},
                    "x": {"type": "integer"},
                    "e": {"enum": ["1", "2"]},
                    "when": {"allOf": [{"$ref": "#/$defs/Obj"}]},
                },
                "$defs": {"Limit": {"type": "integer"}, "Obj": {"type": "object"}},
            },
        },
    },
]
FURTHER = [
    _tool("bash", command="string"),
    _tool("f", x="integer"),
    _tool("write", path="string", content="string"),
    _tool("go"),
    _tool("web_search_exa", query="string", numResults="integer"),
]

REPORTS = [
    Report(
        "vllm-project/vllm, 37829",
        "qwen3_coder",
        "<tool_call>\n<function=get_current_weather>\n<parameter=city>\nDallas\n<parameter=state>\nTX\n</parameter>\n<parameter=unit>\nfahrenheit\n</parameter>\n</function>\n</tool_call>",
        calls=(("get_current_weather", {"city": "Dallas", "state": "TX", "unit": "fahrenheit"}),),
        tools=COMMON,
    ),
    Report(
        "ollama/ollama, 17914",
        "qwen3_coder",
        "<tool_call>\n<function=bash>\n<parameter=command>\nls -la\n</function>\n</tool_call>",
        calls=(("bash", {"command": "ls -la"}),),
        tools=COMMON,
    ),
    Report(
        "ollama/ollama, 17914",
        "qwen3_coder",
        "<tool_call>\n<function=bash>\n<parameter=command>\nls -la\n</tool_call>",
        calls=(("bash", {"command": "ls -la"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 34919",
        "qwen3_coder",
        "<tool_call>\n<function=write>\n<parameter=path>\na.xml\n</parameter>\n<parameter=content>\n<a><parameter>x</parameter></a>\n</parameter>\n</function>\n</tool_call>",
        calls=(("write", {"path": "a.xml", "content": "<a><parameter>x</parameter></a>"}),),
        tools=COMMON,
    ),
    Report(
        "ollama/ollama, 16693",
        "qwen3_coder",
        "I'll fetch it...\n\n<function=bash>\n<parameter=command>\nhttps://example.com\n</parameter>\n</function>\n</tool_call>",
        content="I'll fetch it...",
        calls=(("bash", {"command": "https://example.com"}),),
        tools=COMMON,
    ),
    Report(
        "ggml-org/llama.cpp, 21771",
        "qwen3_coder",
        '<tool_call>\n<function=set>\n<parameter=items>\n["markdown"]\n</parameter>\n<parameter=flag>\nTrue\n</parameter>\n</function>\n</tool_call>',
        calls=(("set", {"items": ["markdown"], "flag": True}),),
        tools=COMMON,
    ),
    Report(
        "lmstudio-ai/lmstudio-bug-tracker, 1592",
        "qwen3_coder",
        "<think>\nsome use `<function=...>`, others `<tool_call>`\n</think>\n\nDone.",
        content="Done.",
        reasoning="some use `<function=...>`, others `<tool_call>`",
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 28806",
        "hermes",
        '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
        calls=(("f", {}),),
    ),
    Report(
        "vllm-project/vllm, 21544",
        "hermes",
        '<tool_call>\n{"name": "bash", "arguments": {"command": "mkdir -p test/{test1,test2"}}\n</tool_call>',
        calls=(("bash", {"command": "mkdir -p test/{test1,test2"}),),
    ),
    Report(
        "vllm-project/vllm, 22885",
        "hermes",
        '<tool_call>\n{"name": "set", "arguments": {"opts": {"a": {"b": 1}}}}\n</tool_call>',
        calls=(("set", {"opts": {"a": {"b": 1}}}),),
    ),
    Report(
        "vllm-project/vllm, 21360",
        "hermes",
        '<tool_call>\n{"name": "calculator", "arguments": {"numbers": [{"value": 1}, {"value": 2}]}}\n</tool_call>',
        calls=(("calculator", {"numbers": [{"value": 1}, {"value": 2}]}),),
    ),
    Report(
        "vllm-project/vllm, 44326",
        "glm45",
        "<tool_call>get_current_time</tool_call>",
        calls=(("get_current_time", {}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 41654",
        "glm45",
        "<tool_call>mcp__gmail-cleanup__list_filters</tool_call>",
        calls=(("mcp__gmail-cleanup__list_filters", {}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 49248",
        "glm45",
        "<tool_call>search<arg_key>query</arg_key>how many vacation days left</arg_value></tool_call>",
        calls=(("search", {"query": "how many vacation days left"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 42400",
        "glm45",
        "<think>I should look\n<tool_call>search<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>",
        reasoning="I should look",
        calls=(("search", {"query": "x"}),),
        tools=COMMON,
    ),
    Report(
        "ggml-org/llama.cpp, 17376",
        "kimi_k2",
        '<|tool_call_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_call_section_end|>',
        calls=(("bash", {"command": "ls"}),),
    ),
    Report(
        "vllm-project/vllm, 38441",
        "kimi_k2",
        '<|tool_calls_section_begin|><|tool_call_begin|>\nfunctions.bash:0\n<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
        calls=(("bash", {"command": "ls"}),),
    ),
    Report(
        "vllm-project/vllm, 28543",
        "kimi_k2",
        'Reasoning... <|tool_calls_section_begin|> spurious text <|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
        content="Reasoning...  spurious text ",
        calls=(("bash", {"command": "ls"}),),
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_kimi_k2_tool_parser.py",
        "kimi_k2",
        'Hi<|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
        content="Hi",
        calls=(("bash", {"command": "ls"}),),
    ),
    Report(
        "vllm-project/vllm, 48318",
        "mistral",
        'I will help.[TOOL_CALLS]add{"a": 3.5, "b": 4}[TOOL_CALLS]multiply{"a": 3, "b": 6}',
        content="I will help.",
        calls=(("add", {"a": 3.5, "b": 4}), ("multiply", {"a": 3, "b": 6})),
    ),
    Report(
        "raullenchai/Rapid-MLX, 579",
        "mistral",
        '[TOOL_CALLS]read[ARGS]{"path": "a"}',
        calls=(("read", {"path": "a"}),),
    ),
    Report(
        "vllm-project/vllm, 13622",
        "mistral",
        '[TOOL_CALLS][{"name": "add", "arguments": {"a": 3, "b": -4}}]',
        calls=(("add", {"a": 3, "b": -4}),),
    ),
    Report(
        "ai-dynamo/dynamo, 9536",
        "llama3_json",
        '<|python_tag|>{"name":"get_weather","arguments":{"location":"NYC"}};{"name":"get_time","arguments":{"timezone":"EST"}}',
        calls=(("get_weather", {"location": "NYC"}), ("get_time", {"timezone": "EST"})),
    ),
    Report(
        "vllm-project/vllm, 49923",
        "llama3_json",
        '{"name": "search", "parameters": {"query": "a"}}\n{"name": "search", "parameters": {"query": "b"}}',
        calls=(("search", {"query": "a"}), ("search", {"query": "b"})),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 49923",
        "llama3_json",
        '{"name": "search", "parameters": {"query": "a"}} I used {searchTool} for this',
        content=" I used {searchTool} for this",
        calls=(("search", {"query": "a"}),),
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 35562",
        "llama3_json",
        '{"a": 1} is a dict',
        content='{"a": 1} is a dict',
        tools=COMMON,
    ),
    Report("sgl-project/sglang, 35562", "llama3_json", "{}", content="{}", tools=COMMON),
    Report(
        "raullenchai/Rapid-MLX, 700",
        "llama3_json",
        'Here is a user: {"name": "Alice"}',
        content='Here is a user: {"name": "Alice"}',
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 40236",
        "deepseek_v4",
        'Hi\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls 2>&1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        content="Hi",
        calls=(("bash", {"command": "ls 2>&1"}),),
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 40236",
        "deepseek_v4",
        'Hi\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls 2>&1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        content="Hi",
        calls=(("bash", {"command": "ls 2>&1"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 48931",
        "deepseek_v4",
        'Hi\n\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls 2>&1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        content="Hi",
        calls=(("bash", {"command": "ls 2>&1"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 56184",
        "deepseek_v4",
        "Hi </｜DSML｜invoke></｜DSML｜tool_calls> there",
        content="Hi  there",
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 56184",
        "deepseek_v4",
        "Hi\n\n<｜DSML｜tool_calls></｜DSML｜tool_calls>\n\nthere",
        content="Hi\n\n\n\nthere",
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_deepseekv32_tool_parser.py",
        "deepseek_v4",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="arguments" string="false">{"city": "Beijing"}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        calls=(("get_weather", {"city": "Beijing"}),),
        tools=COMMON,
    ),
    Report(
        "smg-project/smg, 895",
        "deepseek_v4",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n{"city": "Beijing"}\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        calls=(("get_weather", {"city": "Beijing"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 40801",
        "deepseek_v4",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city">Beijing</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        calls=(("get_weather", {"city": "Beijing"}),),
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 40236",
        "deepseek_v32",
        'Hi\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls 2>&1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        content="Hi",
        calls=(("bash", {"command": "ls 2>&1"}),),
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 40236",
        "deepseek_v32",
        'Hi\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls 2>&1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        content="Hi",
        calls=(("bash", {"command": "ls 2>&1"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 48931",
        "deepseek_v32",
        'Hi\n\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls 2>&1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        content="Hi",
        calls=(("bash", {"command": "ls 2>&1"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 56184",
        "deepseek_v32",
        "Hi </｜DSML｜invoke></｜DSML｜tool_calls> there",
        content="Hi  there",
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 56184",
        "deepseek_v32",
        "Hi\n\n<｜DSML｜tool_calls></｜DSML｜tool_calls>\n\nthere",
        content="Hi\n\n\n\nthere",
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_deepseekv32_tool_parser.py",
        "deepseek_v32",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="arguments" string="false">{"city": "Beijing"}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        calls=(("get_weather", {"city": "Beijing"}),),
        tools=COMMON,
    ),
    Report(
        "smg-project/smg, 895",
        "deepseek_v32",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n{"city": "Beijing"}\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        calls=(("get_weather", {"city": "Beijing"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 40801",
        "deepseek_v32",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city">Beijing</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        calls=(("get_weather", {"city": "Beijing"}),),
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 16057",
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="t">\n<parameter name="a">hi</parameter>\n</invoke>\n</minimax:tool_call>',
        calls=(("t", {"a": "hi"}),),
        tools=NULLABLE,
    ),
    Report(
        "sgl-project/sglang, 16057",
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="t">\n<parameter name="a">null</parameter>\n<parameter name="b">null</parameter>\n<parameter name="c">[1, 2]</parameter>\n</invoke>\n</minimax:tool_call>',
        calls=(("t", {"a": None, "b": None, "c": [1, 2]}),),
        tools=NULLABLE,
    ),
    Report(
        "smg-project/smg, 1743",
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="update_task">\n<parameter name="taskId">3</parameter>\n<parameter name="subject">X</parameter>\n</invoke>\n</minimax:tool_call>',
        calls=(("update_task", {"taskId": "3", "subject": "X"}),),
        tools=NULLABLE,
    ),
    Report(
        "sgl-project/sglang, 24995",
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="t">\n</invoke>\n</minimax:tool_call>',
        calls=(("t", {}),),
        tools=NULLABLE,
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_minimax_m2_tool_parser.py",
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="update_task">\n<parameter name="subject">    if x:\n        return 1\n</parameter>\n</invoke>\n</minimax:tool_call>',
        calls=(("update_task", {"subject": "    if x:\n        return 1\n"}),),
        tools=NULLABLE,
    ),
    Report(
        "sgl-project/sglang, 39240",
        "gemma4",
        '<|tool_call>call:search{query:weather in Tokyo<|"|>}<tool_call|>',
        calls=(("search", {"query": "weather in Tokyo"}),),
        tools=COMMON,
    ),
    Report(
        "sgl-project/sglang, 39240",
        "gemma4",
        '<|tool_call>call:search{query:Paris, France<|"|>,limit:5}<tool_call|>',
        calls=(("search", {"query": "Paris, France", "limit": 5}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 51284",
        "gemma4",
        '<|tool_call>call:set{items:["ds_1",\'b\'],opts:{"mode": "fast"}}<tool_call|>',
        calls=(("set", {"items": ["ds_1", "b"], "opts": {"mode": "fast"}}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 48678",
        "gemma4",
        '<|tool_call>call:write{content:<|"|>sql(<|"|><|"|><|"|> SELECT <|"|><|"|><|"|>).df()<|"|>,path:<|"|>a<|"|>}<tool_call|>',
        calls=(("write", {"content": 'sql(""" SELECT """).df()', "path": "a"}),),
        tools=COMMON,
    ),
    Report(
        "xorbitsai/inference, 5242",
        "gemma4",
        '<|tool_call>call:write{content:<|"|>The user said "你好" {x}<|"|>,\npath:<|"|>a<|"|>}<tool_call|>',
        calls=(("write", {"content": 'The user said "你好" {x}', "path": "a"}),),
        tools=COMMON,
    ),
    Report(
        "ollama/ollama, 17882",
        "gemma4",
        "<|tool_call>call:write{content:<|\"|>x<|\"|>,path='a.docx'}<tool_call|>",
        calls=(("write", {"content": "x", "path": "a.docx"}),),
        tools=COMMON,
    ),
    Report(
        "jundot/omlx, 1854",
        "gemma4",
        '<|tool_call>call:ns:write{"content": "has } brace"}<tool_call|>',
        calls=(("ns:write", {"content": "has } brace"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 53284",
        "qwen3",
        "The answer.",
        content="The answer.",
        options=(("prompt", "<|im_start|>assistant\n<think>\n\n</think>\n\n"),),
    ),
    Report(
        "vllm-project/vllm, 35230",
        "qwen3",
        "cut off thought",
        reasoning="cut off thought",
        options=(("prompt", "<|im_start|>assistant\n<think>\n"),),
    ),
    Report(
        "lmstudio-ai/lmstudio-bug-tracker, 942",
        "gpt-oss",
        '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.get<|constrain|>json<|message|>{"data":{"a":1}}<|call|>',
        reasoning="hm",
        calls=(("get", {"data": {"a": 1}}),),
    ),
    Report(
        "ggml-org/llama.cpp, 15181",
        "gpt-oss",
        '<|start|>assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"a": 1}<|call|>',
        calls=(("get_weather", {"a": 1}),),
    ),
    Report(
        "openai/harmony, 38",
        "gpt-oss",
        '<|channel|>––commentary to=functions.get_weather <|constrain|>json<|message|>{"a": 1}<|call|>',
        calls=(("get_weather", {"a": 1}),),
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_deepseekv31_tool_parser.py",
        "deepseek_v31",
        'Hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "a"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "b"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        content="Hi",
        calls=(("search", {"query": "a"}), ("search", {"query": "b"})),
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_lfm2_tool_parser.py",
        "lfm2",
        "<|tool_call_start|>[f(a=007)]<|tool_call_end|>",
        calls=(("f", {"a": 7}),),
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_step3_tool_parser.py",
        "step3",
        '<｜tool_calls_begin｜><｜tool_call_begin｜><steptml:invoke name="get_weather"><steptml:parameter name="city">Tokyo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_sep｜><｜tool_call_begin｜><steptml:invoke name="get_time"><steptml:parameter name="timezone">Asia/Tokyo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
        calls=(("get_weather", {"city": "Tokyo"}), ("get_time", {"timezone": "Asia/Tokyo"})),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_step3_tool_parser.py",
        "step3",
        '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>get_weather\n<steptml:invoke name="get_weather"><steptml:parameter name="city"> Tokyo </steptml:parameter><steptml:parameter name="days"> 4 </steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
        calls=(("get_weather", {"city": " Tokyo ", "days": 4}),),
        tools=COMMON,
    ),
    Report(
        "InquiringMinds-AI/longcat-next-multimodal, test/test_tool_parsing.py",
        "longcat",
        "<longcat_tool_call>functions.get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Tokyo</longcat_arg_value>\n</longcat_tool_call>",
        calls=(("get_weather", {"city": "Tokyo"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, tests/tool_parsers/test_longcat_tool_parser.py",
        "longcat",
        'Let me check the weather for you.\n<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Tokyo"}}</longcat_tool_call>\nHere is the result.',
        content="Let me check the weather for you.Here is the result.",
        calls=(("get_weather", {"city": "Tokyo"}),),
        tools=COMMON,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        "<|tool_call_start|>[bash(command='grep -F \"]\" log.txt')]<|tool_call_end|>",
        calls=(("bash", {"command": 'grep -F "]" log.txt'}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        "<|tool_call_start|>[bash(command='cat > f.py << EOF\nprint(\"a\")\nEOF')]<|tool_call_end|>",
        calls=(("bash", {"command": 'cat > f.py << EOF\nprint("a")\nEOF'}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        "<|tool_call_start|>[bash(command='pattern \\\\')]<|tool_call_end|>",
        calls=(("bash", {"command": "pattern \\"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        "<|tool_call_start|>[f(longitude=-74.0046539)]<|tool_call_end|>",
        calls=(("f", {"longitude": -74.0046539}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        "<|tool_call_start|>[size(size=(800, 600))]<|tool_call_end|>",
        calls=(("size", {"size": [800, 600]}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        "<|tool_call_start|>[memory_get(from=1)]<|tool_call_end|>",
        calls=(("memory_get", {"from": 1}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 48171",
        "lfm2",
        '<|tool_call_start|> [bash(command="ls")]<|tool_call_end|>',
        calls=(("bash", {"command": "ls"}),),
        tools=MORE,
    ),
    Report(
        "ggml-org/llama.cpp, 26658",
        "lfm2",
        "<|tool_call_start|>[bash(command=\"plt.plot(x, y, 'red', label='')\\nplt.show()\")]<|tool_call_end|>",
        calls=(("bash", {"command": "plt.plot(x, y, 'red', label='')\nplt.show()"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 51073",
        "minimax_m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="save_file">]<]minimax[>[offerta.docx]<]minimax[>[</filename>]<]minimax[>[<content>Hello]<]minimax[>[</content>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        calls=(("save_file", {"filename": "offerta.docx", "content": "Hello"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm-gaudi, 1724",
        "minimax_m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[invoke name="save_file">]<]minimax[>[<filename>a]<]minimax[>[</filename>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        calls=(("save_file", {"filename": "a"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm-ascend, 12815",
        "minimax_m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="grep">]<]minimax[>[<-A>3]<]minimax[>[</-A>]<]minimax[>[<-n>true]<]minimax[>[</-n>]<]minimax[>[<pattern>x]<]minimax[>[</pattern>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        calls=(("grep", {"-A": 3, "-n": True, "pattern": "x"}),),
        tools=MORE,
    ),
    Report(
        "sgl-project/sglang, 32286",
        "minimax_m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="t">]<]minimax[>[<number>42]<]minimax[>[</number>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        calls=(("t", {"number": 42}),),
        tools=ALTERNATIVES,
    ),
    Report(
        "sgl-project/sglang, 32286",
        "minimax_m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="t">]<]minimax[>[<stringList>]<]minimax[>[<item>12]<]minimax[>[</item>]<]minimax[>[<item>34]<]minimax[>[</item>]<]minimax[>[</stringList>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        calls=(("t", {"stringList": ["12", "34"]}),),
        tools=ALTERNATIVES,
    ),
    Report(
        "ai-dynamo/frontend-crates, 245",
        "minimax_m2",
        '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Montréal </minimax:tool_call> café</parameter></invoke></minimax:tool_call>',
        calls=(("get_weather", {"city": "Montréal </minimax:tool_call> café"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 54971",
        "glm47",
        "<tool_call>list_dir<arg_key>path</arg_key></arg_key><arg_value>/tmp/x</arg_value></tool_call>",
        calls=(("list_dir", {"path": "/tmp/x"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 54971",
        "glm47",
        "<tool_call>list_dir<arg_key><arg_key>path</arg_key><arg_value>/tmp/x</arg_value></tool_call>",
        calls=(("list_dir", {"path": "/tmp/x"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 47190",
        "glm47",
        "<tool_call>grep_toolpattern</arg_key><arg_value>x</arg_value></tool_call>",
        calls=(("grep_tool", {"pattern": "x"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 47190",
        "glm47",
        "<tool_call>grep_tool pattern</arg_key><arg_value>x</arg_value></tool_call>",
        calls=(("grep_tool", {"pattern": "x"}),),
        tools=MORE,
    ),
    Report(
        "getsigit/sigit, 95",
        "glm47",
        "<tool_call>bash<tool_call>command</arg_key><arg_value>ls</arg_value></tool_call>",
        calls=(("bash", {"command": "ls"}),),
        tools=MORE,
    ),
    Report(
        "smg-project/smg, 1942",
        "glm47",
        "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>use </arg_value> in docs</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
        calls=(("search", {"query": "use </arg_value> in docs", "limit": 3}),),
        tools=MORE,
    ),
    Report(
        "ollama/ollama, 14656",
        "glm47",
        "<tool_call>bash<arg_key>command</arg_key><arg_value>ls -la</tool_call>",
        calls=(("bash", {"command": "ls -la"}),),
        tools=MORE,
    ),
    Report(
        "sgl-project/sglang, 35564",
        "glm47",
        "<tool_call>get_x\n<arg_key>get_x</arg_key>\n<arg_value>123</arg_value>\n</tool_call>",
        calls=(("get_x", {"get_x": 123}),),
        tools=MORE,
    ),
    Report(
        "sgl-project/sglang, 36688",
        "glm47",
        '<tool_call>f<arg_key>x</arg_key><arg_value>123abc</arg_value><arg_key>o</arg_key><arg_value>{"k": 1}</arg_value></tool_call>',
        calls=(("f", {"x": "123abc", "o": {"k": 1}}),),
    ),
    Report(
        "FlashML-org/FreeToken, 465",
        "qwen3_coder",
        "<tool_call>\n<function=t>\n<parameter=limit>\n10\n</parameter>\n</function>\n</tool_call>",
        calls=(("t", {"limit": 10}),),
        tools=INDIRECT,
    ),
    Report(
        "ggml-org/llama.cpp, 26833",
        "qwen3_coder",
        '<tool_call>\n<function=t>\n<parameter=loc>\n{"city": "Paris"}\n</parameter>\n<parameter=when>\n{"year": 2026}\n</parameter>\n</function>\n</tool_call>',
        calls=(("t", {"loc": {"city": "Paris"}, "when": {"year": 2026}}),),
        tools=INDIRECT,
    ),
    Report(
        "sgl-project/sglang, 39136",
        "qwen3_coder",
        "<tool_call>\n<function=t>\n<parameter=n>\nnull\n</parameter>\n<parameter=e>\n1\n</parameter>\n</function>\n</tool_call>",
        calls=(("t", {"n": None, "e": "1"}),),
        tools=INDIRECT,
    ),
    Report(
        "jundot/omlx, 882",
        "qwen3_coder",
        "<tool_call>\n<function=t>\n<parameter=x>\npython3 test.py\n</parameter>\n</function>\n</tool_call>",
        calls=(("t", {"x": "python3 test.py"}),),
        tools=INDIRECT,
    ),
    Report(
        "jundot/omlx, 1854",
        "gemma4",
        "<|tool_call>call:google:mcp:text_generation:create-pdf-file{filename:'a, b: {c}.pdf'}<tool_call|>",
        calls=(("google:mcp:text_generation:create-pdf-file", {"filename": "a, b: {c}.pdf"}),),
        tools=MORE,
    ),
    Report(
        "ollama/ollama, 15315",
        "gemma4",
        '<|tool_call>call:save_file{filename:<|"|>c:\\Dev\\App.css<|"|>,content:`.coin {\n  x: y;\n}`}<tool_call|>',
        calls=(("save_file", {"filename": "c:\\Dev\\App.css", "content": ".coin {\n  x: y;\n}"}),),
        tools=MORE,
    ),
    Report(
        "ml-explore/mlx-lm, the calls that its parsers are tested with",
        "cohere_command4",
        '<|START_ACTION|>{"tool_name": "bash", "parameters": {"command": "ls"}}<|END_ACTION|>',
        calls=(("bash", {"command": "ls"}),),
        tools=MORE,
    ),
    Report(
        "vllm-project/vllm, 47901",
        "xlam",
        '[{"name": "go", "arguments": {}}, {"name": "bash", "arguments": {"command": "ls"}}]',
        calls=(("go", {}), ("bash", {"command": "ls"})),
        tools=FURTHER,
    ),
    Report(
        "vllm-project/vllm, 47901",
        "hunyuan_a13b",
        '<tool_calls>[{"name": "go", "arguments": {}}, {"name": "bash", "arguments": {"command": "ls"}}]</tool_calls>',
        calls=(("go", {}), ("bash", {"command": "ls"})),
        tools=FURTHER,
    ),
    Report(
        "vllm-project/vllm, 58127",
        "hunyuan_a13b",
        "<think>\na\n</think>\n<answer>\nb\n</answer>",
        content="b",
        reasoning="a",
    ),
    Report(
        "vllm-project/vllm, 48294",
        "jamba",
        '<tool_calls>[\n    {"name": "bash", "arguments": {"command": "a"}},\n    {"name": "bash", "arguments": {"command": "b"}}\n]</tool_calls>',
        calls=(("bash", {"command": "a"}), ("bash", {"command": "b"})),
        tools=FURTHER,
    ),
    Report(
        "vllm-project/vllm, 48294",
        "llama3_json",
        '{"name": "bash", "parameters": {"command": "a"}}; {"name": "bash", "parameters": {"command": "b"}}',
        calls=(("bash", {"command": "a"}), ("bash", {"command": "b"})),
        tools=FURTHER,
    ),
    Report(
        "ggml-org/llama.cpp, 24329",
        "llama3_json",
        '{"type": "function", "name": "bash", "parameters": {"command": "a"}}',
        calls=(("bash", {"command": "a"}),),
        tools=FURTHER,
    ),
    Report(
        "ggml-org/llama.cpp, 23838",
        "lfm2",
        "<|tool_call_start|>[web_search_exa(query='current temperature in Mexico City', numResults=5)]<|tool_call_end|>",
        calls=(
            ("web_search_exa", {"query": "current temperature in Mexico City", "numResults": 5}),
        ),
        tools=FURTHER,
    ),
    Report(
        "ggml-org/llama.cpp, 24644",
        "qwen3_coder",
        '<tool_call>\n<function=write>\n<parameter=content>\n{\n  "a": 1\n}\n\n</parameter>\n<parameter=path>\nx.json\n</parameter>\n</function>\n</tool_call>',
        calls=(("write", {"content": '{\n  "a": 1\n}\n', "path": "x.json"}),),
        tools=FURTHER,
    ),
    Report(
        "ggml-org/llama.cpp, 20260",
        "qwen3_coder",
        "<think>\nhm\n</think>\n\nLet me look.\n\n<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
        content="Let me look.",
        reasoning="hm",
        calls=(("bash", {"command": "ls"}),),
        tools=FURTHER,
    ),
    Report(
        "ggml-org/llama.cpp, 13825",
        "hermes",
        '<think>\n\n</think>\n\n{\n  "tool_calls": [\n    {\n      "name": "x"}]}',
        content='{\n  "tool_calls": [\n    {\n      "name": "x"}]}',
        tools=FURTHER,
    ),
    Report(
        "vllm-project/vllm, 46091",
        "qwen3_coder",
        "a <tool_call></tool_call> b",
        content="a <tool_call></tool_call> b",
        tools=FURTHER,
    ),
    Report(
        "vllm-project/vllm, 57490",
        "internlm2",
        'a<|action_start|><|plugin|>\n{"name": "bash", "parameters": {"command": "ls"}}<|action_end|>',
        content="a",
        calls=(("bash", {"command": "ls"}),),
        tools=FURTHER,
    ),
    Report(
        "vllm-project/vllm, 11402",
        "granite",
        '<tool_call>[{"name": "bash", "arguments": {"command": "ls"}}]',
        calls=(("bash", {"command": "ls"}),),
        tools=FURTHER,
    ),
]
