"""Hermes style: JSON objects between ``<tool_call>`` tags, reasoning between ``<think>`` tags."""

from __future__ import annotations

from textcore.output.formats.declaration import JsonObject, OutputFormat, Tags

HERMES = OutputFormat(
    name="hermes",
    aliases=("qwen2.5", "qwen3"),
    source="the chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B and Qwen/Qwen3-0.6B",
    reasoning=Tags("<think>", "</think>"),
    call=Tags("<tool_call>", "</tool_call>"),
    body=JsonObject(name="name", arguments=("arguments", "parameters")),
    formatting="\n",
    turn=Tags("<|im_start|>assistant", "<|im_end|>"),
    early=False,
)
