"""Rendering a conversation of 21 messages with eight tools, beside transformers."""

from __future__ import annotations

from typing import Any

import pytest
from chat_cases import message, tool_call, tool_result
from compare_chat_templates import SPECIAL, reference_tokenizer
from transformers.utils import chat_template_utils

from textcore import CHATML_TEMPLATE
from textcore.chat.prompts import ChatPrompts
from textcore.chat.templates import ChatTemplate


def tool(number: int) -> dict[str, Any]:
    properties = {
        "query": {"type": "string", "description": "words to look for"},
        "limit": {"type": "integer", "description": "how many titles"},
        "language": {"type": "string", "enum": ["de", "en", "fr", "ja"]},
    }
    return {
        "type": "function",
        "function": {
            "name": f"search_{number}",
            "description": "Searches an archive for documents that match a query. " * 3,
            "parameters": {"type": "object", "properties": properties, "required": ["query"]},
        },
    }


TOOLS = [tool(number) for number in range(8)]


def conversation() -> list[dict[str, Any]]:
    messages = [message("system", "You are a careful archivist. " * 5)]
    for number in range(5):
        call = tool_call("search_1", {"query": "Brot", "limit": number}, number)
        messages += [
            message("user", f"Question {number}: what is there about bread? " * 5),
            message("assistant", "", tool_calls=[call]),
            tool_result("Found: Roggenbrot, Sauerteig, 食パン. " * 5, number),
            message("assistant", "There are three documents. " * 8, reasoning_content="Hm. " * 20),
        ]
    return messages


MESSAGES = conversation()


def compare(turns, concern, text, ours, peer):
    turns.tokenizer, turns.text = "ChatML template", text
    turns.race(concern, {"textcore": ours, "transformers": peer}, reference="transformers")


@pytest.mark.parametrize("thinking", [True, False])
def test_chat_render(turns, thinking):
    prompts = ChatPrompts({**SPECIAL, "chat_template": CHATML_TEMPLATE})
    peer = reference_tokenizer()
    compare(
        turns,
        "chat, rendered",
        f"{len(MESSAGES)} messages, {len(TOOLS)} tools, {'with' if thinking else 'no'} reasoning",
        lambda: prompts.render(MESSAGES, TOOLS, enable_thinking=thinking),
        lambda: peer.apply_chat_template(
            MESSAGES,
            TOOLS,
            chat_template=CHATML_TEMPLATE,
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=thinking,
        ),
    )


def test_chat_compile(turns):
    compare(
        turns,
        "chat, template compiled",
        f"{len(CHATML_TEMPLATE):,} characters",
        lambda: ChatTemplate(CHATML_TEMPLATE) is None,
        lambda: chat_template_utils._cached_compile_jinja_template(CHATML_TEMPLATE) is None,
    )
