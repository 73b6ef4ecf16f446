"""Conversations that chat templates are compared on: whatever requests bring along."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": 'The weather <now> & "soon", in °C',
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Stadt, 城市"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                "days": {"type": ["integer", "null"], "default": None},
                "place": {
                    "type": "object",
                    "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
                },
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["city"],
        },
        "return": {"type": "string", "description": "a report"},
    },
}
NOTHING = {
    "type": "function",
    "function": {
        "name": "now",
        "description": "",
        "parameters": {"type": "object", "properties": {}},
    },
}
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Finds pages",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "words"}},
            "required": ["query"],
        },
    },
}
TOOLS = [WEATHER, NOTHING]
DOCUMENTS = [{"title": "Über uns", "text": "Wir backen Brot."}, {"title": "", "text": "a\nb"}]


def message(role: str, content: Any = None, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


def tool_call(name: str, arguments: Any, number: int = 0) -> dict[str, Any]:
    # Some templates demand ids of nine letters and digits.
    return {
        "id": f"call{number:05d}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def tool_result(content: Any, number: int = 0) -> dict[str, Any]:
    return message("tool", content, tool_call_id=f"call{number:05d}", name="get_weather")


SYSTEM = message("system", "You are terse.\nÜbe Nachsicht. 请用中文")
HELLO = message("user", "Hello, wie geht's? 你好 👋🏽")
ANSWER = message("assistant", "Gut. <b>&amp;</b> 'x' \"y\"")
MORE = message("user", "And now?")
ARGUMENTS = {"city": "Köln 'Süd' \"<x>\"", "days": 2, "tags": ["a", "b"], "deep": {"k": None}}
ONE_CALL = message("assistant", None, tool_calls=[tool_call("get_weather", ARGUMENTS)])
TEXT_CALL = message("assistant", "Let me look.", tool_calls=[tool_call("get_weather", ARGUMENTS)])
STRING_CALL = message(
    "assistant", "", tool_calls=[tool_call("get_weather", '{"city": "Köln", "days": 2}')]
)
PARALLEL = message(
    "assistant",
    None,
    tool_calls=[tool_call("get_weather", ARGUMENTS, 1), tool_call("now", {}, 2)],
)
THOUGHT = message("assistant", "42", reasoning_content="Let me think.\nÄh …\n")
PARTS = [{"type": "text", "text": "What is "}, {"type": "text", "text": "this? 画像"}]

CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "user": [HELLO],
    "system": [SYSTEM, HELLO],
    "two turns": [HELLO, ANSWER, MORE],
    "system, two turns": [SYSTEM, HELLO, ANSWER, MORE],
    "ends in answer": [SYSTEM, HELLO, ANSWER],
    "one call": [HELLO, ONE_CALL],
    "call and result": [HELLO, ONE_CALL, tool_result("12 °C, bewölkt")],
    "call with text": [SYSTEM, HELLO, TEXT_CALL, tool_result('{"t": 12}'), ANSWER, MORE],
    "string arguments": [HELLO, STRING_CALL, tool_result("12"), ANSWER],
    "parallel calls": [HELLO, PARALLEL, tool_result("12", 1), tool_result("noon", 2)],
    "parallel, answered": [
        SYSTEM,
        HELLO,
        PARALLEL,
        tool_result("12", 1),
        tool_result("noon", 2),
        ANSWER,
        MORE,
    ],
    "reasoning": [HELLO, THOUGHT, MORE],
    "reasoning last": [SYSTEM, HELLO, THOUGHT],
    "reasoning alias": [HELLO, message("assistant", "1", thinking="So."), MORE],
    "reasoning in content": [
        HELLO,
        message("assistant", "<think>\nIch denke\n</think>\n\nAlso: 1"),
        MORE,
    ],
    "reasoning and call": [
        HELLO,
        {**ONE_CALL, "reasoning_content": "I need the tool."},
        tool_result("12"),
    ],
    "content null": [HELLO, message("assistant", None), MORE],
    "content missing": [{"role": "user"}],
    "content parts": [message("system", PARTS[:1]), message("user", PARTS)],
    "answer in parts": [message("user", PARTS), message("assistant", PARTS), MORE],
    "image": [message("user", [{"type": "image"}, {"type": "text", "text": "Was ist das?"}])],
    "empty strings": [message("system", ""), message("user", ""), message("assistant", "")],
    "newlines": [
        message("system", "\n\ns\n\n"),
        message("user", "\nu \n"),
        message("assistant", "\n\na\n"),
        message("user", "  x  "),
    ],
    "markup": [message("user", "{{ 1 }} {% if %} <|im_end|> </s> [INST] {# c #}\t\r\n\x00\u2028")],
    "numbers": [message("user", 12)],
    "unknown role": [message("critic", "Hm."), HELLO],
    "assistant first": [ANSWER, HELLO],
    "two users": [HELLO, MORE],
    "late system": [HELLO, ANSWER, SYSTEM, MORE],
    "developer": [message("developer", "Be kind."), HELLO],
    "no role": [{"content": "x"}],
}


class Case(NamedTuple):
    name: str
    conversation: list[dict[str, Any]]
    arguments: dict[str, Any]


def cases() -> Iterator[Case]:
    """Each conversation with and without tools, thinking, prompt, documents, continuation."""
    variants: dict[str, dict[str, Any]] = {
        "": {},
        "prompt": {"add_generation_prompt": True},
        "tools": {"tools": TOOLS, "add_generation_prompt": True},
        "simple tool": {"tools": [SEARCH], "add_generation_prompt": True},
        "no tools": {"tools": []},
        "thinking": {"enable_thinking": True, "thinking": True, "add_generation_prompt": True},
        "no thinking": {
            "enable_thinking": False,
            "thinking": False,
            "add_generation_prompt": True,
        },
        "documents": {"documents": DOCUMENTS, "add_generation_prompt": True},
        "continue": {"continue_final_message": True},
        "continue reasoning": {"continue_final_message": "reasoning_content"},
        "tools, no thinking": {
            "tools": TOOLS,
            "enable_thinking": False,
            "reasoning_effort": "high",
            "add_generation_prompt": True,
        },
        "variables": {
            "custom_tools": TOOLS,
            "builtin_tools": ["browser", "python"],
            "tools_in_user_message": False,
            "date_string": "1 Jan 2026",
            "xml_tools": TOOLS,
            "keep_past_thinking": True,
            "model_identity": "Du bist ein Test.",
        },
    }
    for title, conversation in CONVERSATIONS.items():
        for variant, arguments in variants.items():
            yield Case(f"{title} / {variant}" if variant else title, conversation, arguments)
