"""Prompts of a conversation of 21 messages with eight tools, beside transformers.

With ``--templates`` of every template in a folder, too. One that refuses this conversation
gets the part of it that it takes. The tokenizer is the first of ``--tokenizer``, with the
control tokens of the template.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from chat_cases import message, tool_call, tool_result
from check_control_tokens import control_texts
from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils

from textcore import CHATML_TEMPLATE, Tokenizer
from textcore.chat.errors import TemplateFailure
from textcore.chat.templates import ChatTemplate
from textcore.data import DEFAULT_DIR


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
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}


class Chat(NamedTuple):
    """A template with tokenizers that know its control tokens, and what it can be given."""

    name: str
    ours: Tokenizer
    peer: PreTrainedTokenizerFast
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None


def accepted(tokenizer: Tokenizer) -> tuple[list[dict[str, Any]], list[dict[str, Any]] | None]:
    """As much of the conversation as the template takes."""
    plain = [m for m in MESSAGES if m["role"] != "tool" and "tool_calls" not in m]
    for messages, tools in ((MESSAGES, TOOLS), (plain, TOOLS), (plain, None), (plain[1:], None)):
        try:
            tokenizer.apply_chat_template(messages, tools)
        except TemplateFailure:
            continue
        return messages, tools
    raise ValueError("the template takes no part of the conversation")


def spec_with(directory: Path, tokens: list[str]) -> dict[str, Any]:
    """The tokenizer.json of a directory, with these special tokens besides its own."""
    spec = json.loads((directory / "tokenizer.json").read_text(encoding="utf-8"))
    added = spec["added_tokens"]
    known = {token["content"] for token in added}
    number = max([*spec["model"]["vocab"].values(), *(token["id"] for token in added)])
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    for token in tokens:
        if token not in known:
            number += 1
            added.append({"id": number, "content": token, "special": True, **flags})
    return spec


def templates(directory: Path | None) -> Iterator[tuple[str, str]]:
    yield "chatml", CHATML_TEMPLATE
    for path in sorted(directory.glob("*.jinja")) if directory else []:
        yield path.stem, path.read_text(encoding="utf-8")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chat" in metafunc.fixturenames:
        found = list(templates(metafunc.config.getoption("--templates")))
        metafunc.parametrize("chat", found, ids=[name for name, _ in found], indirect=True)


@pytest.fixture
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Chat:
    name, template = request.param
    tokenizers = request.config.getoption("--tokenizer") or [DEFAULT_DIR]
    spec = spec_with(tokenizers[0], control_texts(template))
    (tmp_path / "tokenizer.json").write_text(json.dumps(spec), encoding="utf-8")
    ours = Tokenizer(spec, {**SPECIAL, "chat_template": template}, prompt_cache=0)
    peer = PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json"), chat_template=template, **SPECIAL
    )
    return Chat(name, ours, peer, *accepted(ours))


def compare(turns, concern, chat, ours, peer, reference="transformers"):
    turns.tokenizer = f"{chat.name} template"
    turns.text = f"{len(chat.messages)} messages, {len(chat.tools or ())} tools"
    turns.race(concern, {"textcore": ours, reference: peer}, reference=reference)


@pytest.mark.parametrize("thinking", [True, False])
def test_chat_render(turns, chat, thinking):
    asked = {"tools": chat.tools, "tokenize": False, "enable_thinking": thinking}
    compare(
        turns,
        f"chat, rendered {'with' if thinking else 'without'} reasoning",
        chat,
        lambda: chat.ours.apply_chat_template(chat.messages, **asked),
        lambda: chat.peer.apply_chat_template(chat.messages, add_generation_prompt=True, **asked),
    )


def test_chat_tokens(turns, chat):
    asked = {"tools": chat.tools, "return_dict": False}
    compare(
        turns,
        "chat, rendered and encoded",
        chat,
        lambda: chat.ours.apply_chat_template(chat.messages, **asked),
        lambda: chat.peer.apply_chat_template(chat.messages, add_generation_prompt=True, **asked),
    )


def test_chat_sanitized(turns, chat):
    call = chat.ours.apply_chat_template
    compare(
        turns,
        "chat, sanitized, beside textcore's ordinary path",
        chat,
        lambda: call(chat.messages, chat.tools, sanitize_control_tokens=True),
        lambda: call(chat.messages, chat.tools),
        reference="ordinary path",
    )


def test_chat_compile(turns):
    turns.tokenizer, turns.text = "ChatML template", f"{len(CHATML_TEMPLATE):,} characters"
    turns.race(
        "chat, template compiled",
        {
            "textcore": lambda: ChatTemplate(CHATML_TEMPLATE) is None,
            "transformers": lambda: (
                chat_template_utils._cached_compile_jinja_template(CHATML_TEMPLATE) is None
            ),
        },
        reference="transformers",
    )
