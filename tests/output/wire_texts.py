"""What models write, by family: rendered by their own chat templates, or published.

Each text names its source. The messages are ours, the markers are the templates'.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from textcore.output.probing.roundtrip import TOOLS


class Wire(NamedTuple):
    """One output, what its prompt ends with, and the message that it is."""

    format: str
    source: str
    prompt: str
    text: str
    content: str
    reasoning: str
    calls: list[tuple[str, Any]]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The request's tools: those of the round trips, and others that the text calls."""
        known = {tool["function"]["name"] for tool in TOOLS}
        others = dict.fromkeys(name for name, _ in self.calls if name not in known)
        return [*TOOLS, *({"type": "function", "function": {"name": name}} for name in others)]


RENDERED = [
    Wire(
        "apertus",
        "rendered by the chat template of swiss-ai/Apertus-8B-Instruct-2509",
        "<|user_end|><|assistant_start|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "apertus",
        "rendered by the chat template of swiss-ai/Apertus-8B-Instruct-2509",
        "<|user_end|><|assistant_start|>",
        '<|tools_prefix|>[{"inspect_item": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}]<|tools_suffix|>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "apertus",
        "rendered by the chat template of swiss-ai/Apertus-8B-Instruct-2509",
        "<|user_end|><|assistant_start|>",
        'Prose ZETA.<|tools_prefix|>[{"inspect_item": {"at": "ETA"}}, {"go_on": {}}, {"inspect_item": {"at": "THETA", "times": 2}}]<|tools_suffix|>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "seed_oss",
        "rendered by the chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
        "<seed:eos><seed:bos>assistant\n",
        "<seed:think>Thought BETA.\n\nYes.</seed:think>\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "seed_oss",
        "rendered by the chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
        "<seed:eos><seed:bos>assistant\n",
        "<seed:think>Need GAMMA.</seed:think>\n<seed:tool_call>\n<function=inspect_item>\n<parameter=at>DELTA \"q\" 'r' \\n\nline é漢😀 <b></parameter>\n<parameter=as>5</parameter>\n<parameter=times>-7</parameter>\n<parameter=scale>0.5</parameter>\n<parameter=deep>True</parameter>\n<parameter=marks>[1, {'k': ['EPSILON']}]</parameter>\n<parameter=more>{}</parameter>\n</function>\n</seed:tool_call>",
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "seed_oss",
        "rendered by the chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
        "<seed:eos><seed:bos>assistant\n",
        "Prose ZETA.\n\n<seed:tool_call>\n<function=inspect_item>\n<parameter=at>ETA</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=go_on>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=inspect_item>\n<parameter=at>THETA</parameter>\n<parameter=times>2</parameter>\n</function>\n</seed:tool_call>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "cohere_command3",
        "rendered by the chat template of CohereForAI/c4ai-command-r7b-12-2024",
        "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        "<|START_RESPONSE|>Answer ALPHA.\n\nMore: 1 < 2.<|END_RESPONSE|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "cohere_command3",
        "rendered by the chat template of CohereForAI/c4ai-command-r7b-12-2024",
        "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        '<|START_THINKING|>Need GAMMA.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "inspect_item", "parameters": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}\n]<|END_ACTION|>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "cohere_command3",
        "rendered by the chat template of CohereForAI/c4ai-command-r7b-12-2024",
        "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        '<|START_THINKING|><|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "inspect_item", "parameters": {"at": "ETA"}},\n    {"tool_call_id": "1", "tool_name": "go_on", "parameters": {}},\n    {"tool_call_id": "2", "tool_name": "inspect_item", "parameters": {"at": "THETA", "times": 2}}\n]<|END_ACTION|>',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "glm45",
        "rendered by the chat template of zai-org/GLM-4.6",
        "<|assistant|>",
        "\n<think>Thought BETA.\n\nYes.</think>\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "glm45",
        "rendered by the chat template of zai-org/GLM-4.6",
        "<|assistant|>",
        '\n<think>Need GAMMA.</think>\n<tool_call>inspect_item\n<arg_key>at</arg_key>\n<arg_value>DELTA "q" \'r\' \\n\nline é漢😀 <b></arg_value>\n<arg_key>as</arg_key>\n<arg_value>5</arg_value>\n<arg_key>times</arg_key>\n<arg_value>-7</arg_value>\n<arg_key>scale</arg_key>\n<arg_value>0.5</arg_value>\n<arg_key>deep</arg_key>\n<arg_value>true</arg_value>\n<arg_key>marks</arg_key>\n<arg_value>[1, {"k": ["EPSILON"]}]</arg_value>\n<arg_key>more</arg_key>\n<arg_value>{}</arg_value>\n</tool_call>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "glm45",
        "rendered by the chat template of zai-org/GLM-4.6",
        "<|assistant|>",
        "\n<think></think>\nProse ZETA.\n<tool_call>inspect_item\n<arg_key>at</arg_key>\n<arg_value>ETA</arg_value>\n</tool_call>\n<tool_call>go_on\n</tool_call>\n<tool_call>inspect_item\n<arg_key>at</arg_key>\n<arg_value>THETA</arg_value>\n<arg_key>times</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "kimi_k2",
        "rendered by the chat template of moonshotai/Kimi-K2-Instruct",
        "<|im_end|><|im_assistant|>assistant<|im_middle|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "kimi_k2",
        "rendered by the chat template of moonshotai/Kimi-K2-Instruct",
        "<|im_end|><|im_assistant|>assistant<|im_middle|>",
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.inspect_item:0<|tool_call_argument_begin|>{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}<|tool_call_end|><|tool_calls_section_end|>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "kimi_k2",
        "rendered by the chat template of moonshotai/Kimi-K2-Instruct",
        "<|im_end|><|im_assistant|>assistant<|im_middle|>",
        'Prose ZETA.<|tool_calls_section_begin|><|tool_call_begin|>functions.inspect_item:0<|tool_call_argument_begin|>{"at": "ETA"}<|tool_call_end|><|tool_call_begin|>functions.go_on:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_call_begin|>functions.inspect_item:2<|tool_call_argument_begin|>{"at": "THETA", "times": 2}<|tool_call_end|><|tool_calls_section_end|>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "minimax_m2",
        "rendered by the chat template of MiniMaxAI/MiniMax-M2",
        "[e~[\n]~b]ai\n<think>\n",
        "Thought BETA.\n\nYes.\n</think>\n\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "minimax_m2",
        "rendered by the chat template of MiniMaxAI/MiniMax-M2",
        "[e~[\n]~b]ai\n<think>\n",
        'Need GAMMA.\n</think>\n\n\n<minimax:tool_call>\n<invoke name="inspect_item">\n<parameter name="at">DELTA "q" \'r\' \\n\nline é漢😀 <b></parameter>\n<parameter name="as">5</parameter>\n<parameter name="times">-7</parameter>\n<parameter name="scale">0.5</parameter>\n<parameter name="deep">true</parameter>\n<parameter name="marks">[1, {"k": ["EPSILON"]}]</parameter>\n<parameter name="more">{}</parameter>\n</invoke>\n</minimax:tool_call>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "minimax_m2",
        "rendered by the chat template of MiniMaxAI/MiniMax-M2",
        "[e~[\n]~b]ai\n",
        'Prose ZETA.\n<minimax:tool_call>\n<invoke name="inspect_item">\n<parameter name="at">ETA</parameter>\n</invoke>\n<invoke name="go_on">\n</invoke>\n<invoke name="inspect_item">\n<parameter name="at">THETA</parameter>\n<parameter name="times">2</parameter>\n</invoke>\n</minimax:tool_call>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "mistral",
        "rendered by the chat template of mistralai/Mistral-Small-3.2-24B-Instruct-2506",
        "[/INST]",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "mistral",
        "rendered by the chat template of mistralai/Mistral-Small-3.2-24B-Instruct-2506",
        "[/INST]",
        '[TOOL_CALLS]inspect_item[CALL_ID]call00001[ARGS]{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "mistral",
        "rendered by the chat template of mistralai/Mistral-Small-3.2-24B-Instruct-2506",
        "[/INST]",
        '[TOOL_CALLS]inspect_item[CALL_ID]call00001[ARGS]{"at": "ETA"}[TOOL_CALLS]go_on[CALL_ID]call00002[ARGS]{}[TOOL_CALLS]inspect_item[CALL_ID]call00003[ARGS]{"at": "THETA", "times": 2}',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "nemotron",
        "rendered by the chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        "\n<SPECIAL_11>Assistant\n",
        '<TOOLCALL>[{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}]</TOOLCALL>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "nemotron",
        "rendered by the chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        "\n<SPECIAL_11>Assistant\n<think>\nProse ZETA.\n<SPECIAL_12>\n<SPECIAL_11>Assistant\n",
        '<TOOLCALL>[{"name": "inspect_item", "arguments": {"at": "ETA"}}, {"name": "go_on", "arguments": {}}, {"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}]</TOOLCALL>',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of NousResearch/Hermes-2-Pro-Llama-3-8B",
        "<|im_end|>\n<|im_start|>assistant\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of NousResearch/Hermes-2-Pro-Llama-3-8B",
        "<|im_end|>\n<|im_start|>assistant\n",
        '<tool_call>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}\n</tool_call>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of NousResearch/Hermes-2-Pro-Llama-3-8B",
        "<|im_end|>\n<|im_start|>assistant\n",
        '<tool_call>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}\n</tool_call>\n<tool_call>\n{"name": "go_on", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}\n</tool_call>',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of Qwen/Qwen2.5-7B-Instruct",
        "<|im_end|>\n<|im_start|>assistant\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of Qwen/Qwen2.5-7B-Instruct",
        "<|im_end|>\n<|im_start|>assistant\n",
        '<tool_call>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}\n</tool_call>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of Qwen/Qwen2.5-7B-Instruct",
        "<|im_end|>\n<|im_start|>assistant\n",
        'Prose ZETA.\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}\n</tool_call>\n<tool_call>\n{"name": "go_on", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}\n</tool_call>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of Qwen/Qwen3-0.6B",
        "<|im_end|>\n<|im_start|>assistant\n",
        "<think>\nThought BETA.\n\nYes.\n</think>\n\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of Qwen/Qwen3-0.6B",
        "<|im_end|>\n<|im_start|>assistant\n",
        '<think>\nNeed GAMMA.\n</think>\n\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}\n</tool_call>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "hermes",
        "rendered by the chat template of Qwen/Qwen3-0.6B",
        "<|im_end|>\n<|im_start|>assistant\n",
        '<think>\n\n</think>\n\nProse ZETA.\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}\n</tool_call>\n<tool_call>\n{"name": "go_on", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}\n</tool_call>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "qwen3_coder",
        "rendered by the chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct",
        "<|im_end|>\n<|im_start|>assistant\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "qwen3_coder",
        "rendered by the chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct",
        "<|im_end|>\n<|im_start|>assistant\n",
        '<tool_call>\n<function=inspect_item>\n<parameter=at>\nDELTA "q" \'r\' \\n\nline é漢😀 <b>\n</parameter>\n<parameter=as>\n5\n</parameter>\n<parameter=times>\n-7\n</parameter>\n<parameter=scale>\n0.5\n</parameter>\n<parameter=deep>\nTrue\n</parameter>\n<parameter=marks>\n[1, {"k": ["EPSILON"]}]\n</parameter>\n<parameter=more>\n{}\n</parameter>\n</function>\n</tool_call>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "qwen3_coder",
        "rendered by the chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct",
        "<|im_end|>\n<|im_start|>assistant\n",
        "Prose ZETA.\n\n<tool_call>\n<function=inspect_item>\n<parameter=at>\nETA\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=go_on>\n</function>\n</tool_call>\n<tool_call>\n<function=inspect_item>\n<parameter=at>\nTHETA\n</parameter>\n<parameter=times>\n2\n</parameter>\n</function>\n</tool_call>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "step3.5",
        "rendered by the chat template of stepfun-ai/Step-3.5-Flash",
        "<|im_end|>\n<|im_start|>assistant\n<think>\n",
        "Thought BETA.\n\nYes.\n</think>\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "step3.5",
        "rendered by the chat template of stepfun-ai/Step-3.5-Flash",
        "<|im_end|>\n<|im_start|>assistant\n<think>\n",
        'Need GAMMA.\n</think>\n<tool_call>\n<function=inspect_item>\n<parameter=at>\nDELTA "q" \'r\' \\n\nline é漢😀 <b>\n</parameter>\n<parameter=as>\n5\n</parameter>\n<parameter=times>\n-7\n</parameter>\n<parameter=scale>\n0.5\n</parameter>\n<parameter=deep>\nTrue\n</parameter>\n<parameter=marks>\n[1, {"k": ["EPSILON"]}]\n</parameter>\n<parameter=more>\n{}\n</parameter>\n</function>\n</tool_call>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "step3.5",
        "rendered by the chat template of stepfun-ai/Step-3.5-Flash",
        "<|im_end|>\n<|im_start|>assistant\n<think>\n",
        "\n</think>\nProse ZETA.<tool_call>\n<function=inspect_item>\n<parameter=at>\nETA\n</parameter>\n</function>\n</tool_call><tool_call>\n<function=go_on>\n</function>\n</tool_call><tool_call>\n<function=inspect_item>\n<parameter=at>\nTHETA\n</parameter>\n<parameter=times>\n2\n</parameter>\n</function>\n</tool_call>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "deepseek_v3",
        "rendered by the chat template of deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "<｜Assistant｜>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "deepseek_v3",
        "rendered by the chat template of deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "<｜Assistant｜>",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>inspect_item\n```json\n{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "deepseek_v3",
        "rendered by the chat template of deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "<｜Assistant｜>",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>inspect_item\n```json\n{"at": "ETA"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>go_on\n```json\n{}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>inspect_item\n```json\n{"at": "THETA", "times": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "deepseek_v31",
        "rendered by the chat template of deepseek-ai/DeepSeek-V3.1",
        "<｜Assistant｜><think>",
        "</think>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "deepseek_v31",
        "rendered by the chat template of deepseek-ai/DeepSeek-V3.1",
        "<｜Assistant｜><think>",
        '</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>inspect_item<｜tool▁sep｜>{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "deepseek_v31",
        "rendered by the chat template of deepseek-ai/DeepSeek-V3.1",
        "<｜Assistant｜><think>",
        '</think>Prose ZETA.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>inspect_item<｜tool▁sep｜>{"at": "ETA"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>go_on<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁call▁begin｜>inspect_item<｜tool▁sep｜>{"at": "THETA", "times": 2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "deepseek_v4",
        "rendered by the chat template of deepseek-ai/DeepSeek-V4",
        "<｜Assistant｜><think>",
        "Thought BETA.\n\nYes.</think>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "deepseek_v4",
        "rendered by the chat template of deepseek-ai/DeepSeek-V4",
        "<｜Assistant｜><think>",
        'Need GAMMA.</think>\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="inspect_item">\n<｜DSML｜parameter name="at" string="true">DELTA "q" \'r\' \\n\nline é漢😀 <b></｜DSML｜parameter>\n<｜DSML｜parameter name="as" string="true">5</｜DSML｜parameter>\n<｜DSML｜parameter name="times" string="false">-7</｜DSML｜parameter>\n<｜DSML｜parameter name="scale" string="false">0.5</｜DSML｜parameter>\n<｜DSML｜parameter name="deep" string="false">true</｜DSML｜parameter>\n<｜DSML｜parameter name="marks" string="false">[1, {"k": ["EPSILON"]}]</｜DSML｜parameter>\n<｜DSML｜parameter name="more" string="false">{}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "deepseek_v4",
        "rendered by the chat template of deepseek-ai/DeepSeek-V4",
        "<｜Assistant｜><think>",
        '</think>Prose ZETA.\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="inspect_item">\n<｜DSML｜parameter name="at" string="true">ETA</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="go_on">\n\n</｜DSML｜invoke>\n<｜DSML｜invoke name="inspect_item">\n<｜DSML｜parameter name="at" string="true">THETA</｜DSML｜parameter>\n<｜DSML｜parameter name="times" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "gemma4",
        "rendered by the chat template of google/gemma-4-31B-it",
        "<turn|>\n<|turn>model\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "gemma4",
        "rendered by the chat template of google/gemma-4-31B-it",
        "<turn|>\n<|turn>model\n",
        '<|channel>thought\nNeed GAMMA.\n<channel|><|tool_call>call:inspect_item{as:<|"|>5<|"|>,at:<|"|>DELTA "q" \'r\' \\n\nline é漢😀 <b><|"|>,deep:true,marks:[1,{k:[<|"|>EPSILON<|"|>]}],more:{},scale:0.5,times:-7}<tool_call|><|tool_response>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "gemma4",
        "rendered by the chat template of google/gemma-4-31B-it",
        "<turn|>\n<|turn>model\n",
        '<|tool_call>call:inspect_item{at:<|"|>ETA<|"|>}<tool_call|><|tool_call>call:go_on{}<tool_call|><|tool_call>call:inspect_item{at:<|"|>THETA<|"|>,times:2}<tool_call|>Prose ZETA.<|tool_response>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "granite4",
        "rendered by the chat template of ibm-granite/granite-4.0",
        "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "granite4",
        "rendered by the chat template of ibm-granite/granite-4.0",
        "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>",
        '<tool_call>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}\n</tool_call>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "granite4",
        "rendered by the chat template of ibm-granite/granite-4.0",
        "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>",
        'Prose ZETA.\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}\n</tool_call>\n<tool_call>\n{"name": "go_on", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}\n</tool_call>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "functionary_v3.2",
        "rendered by the chat template of meetkai/functionary-medium-v3.2",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n>>>",
        "all\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "functionary_v3.2",
        "rendered by the chat template of meetkai/functionary-medium-v3.2",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n>>>",
        'inspect_item\n{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "functionary_v3.2",
        "rendered by the chat template of meetkai/functionary-medium-v3.2",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n>>>",
        'all\nProse ZETA.>>>inspect_item\n{"at": "ETA"}>>>go_on\n{}>>>inspect_item\n{"at": "THETA", "times": 2}',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "llama3_json",
        "rendered by the chat template of meta-llama/Llama-3.1-8B-Instruct",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "llama3_json",
        "rendered by the chat template of meta-llama/Llama-3.1-8B-Instruct",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
        '{"name": "inspect_item", "parameters": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "mistral",
        "rendered by the chat template of mistralai/Mistral-Nemo-Instruct-2407",
        "[/INST]",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "mistral",
        "rendered by the chat template of mistralai/Mistral-Nemo-Instruct-2407",
        "[/INST]",
        '[TOOL_CALLS][{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}, "id": "call00001"}]',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "mistral",
        "rendered by the chat template of mistralai/Mistral-Nemo-Instruct-2407",
        "[/INST]",
        '[TOOL_CALLS][{"name": "inspect_item", "arguments": {"at": "ETA"}, "id": "call00001"}, {"name": "go_on", "arguments": {}, "id": "call00002"}, {"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}, "id": "call00003"}]',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "gpt-oss",
        "rendered by the chat template of openai/gpt-oss-120b",
        "<|end|><|start|>assistant",
        "<|channel|>analysis<|message|>Thought BETA.\n\nYes.<|end|><|start|>assistant<|channel|>final<|message|>Answer ALPHA.\n\nMore: 1 < 2.<|return|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "gpt-oss",
        "rendered by the chat template of openai/gpt-oss-120b",
        "<|end|><|start|>assistant",
        '<|channel|>analysis<|message|>Need GAMMA.<|end|><|start|>assistant to=functions.inspect_item<|channel|>commentary json<|message|>{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}<|call|>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "gpt-oss",
        "rendered by the chat template of openai/gpt-oss-120b",
        "<|end|><|start|>assistant",
        ' to=functions.inspect_item<|channel|>commentary json<|message|>{"at": "ETA"}<|call|>',
        "",
        "",
        [("inspect_item", {"at": "ETA"})],
    ),
    Wire(
        "hy_v3",
        "rendered by the chat template of tencent/Hy3",
        "<｜hy_Assistant:opensource｜>",
        "<think:opensource>Thought BETA.\n\nYes.</think:opensource>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "hy_v3",
        "rendered by the chat template of tencent/Hy3",
        "<｜hy_Assistant:opensource｜>",
        '<think:opensource>Need GAMMA.</think:opensource><tool_calls:opensource>\n<tool_call:opensource>inspect_item<tool_sep:opensource>\n<arg_key:opensource>at</arg_key:opensource>\n<arg_value:opensource>DELTA "q" \'r\' \\n\nline é漢😀 <b></arg_value:opensource>\n<arg_key:opensource>as</arg_key:opensource>\n<arg_value:opensource>5</arg_value:opensource>\n<arg_key:opensource>times</arg_key:opensource>\n<arg_value:opensource>-7</arg_value:opensource>\n<arg_key:opensource>scale</arg_key:opensource>\n<arg_value:opensource>0.5</arg_value:opensource>\n<arg_key:opensource>deep</arg_key:opensource>\n<arg_value:opensource>true</arg_value:opensource>\n<arg_key:opensource>marks</arg_key:opensource>\n<arg_value:opensource>[1, {"k": ["EPSILON"]}]</arg_value:opensource>\n<arg_key:opensource>more</arg_key:opensource>\n<arg_value:opensource>{}</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "hy_v3",
        "rendered by the chat template of tencent/Hy3",
        "<｜hy_Assistant:opensource｜><think:opensource></think:opensource>",
        "Prose ZETA.<tool_calls:opensource>\n<tool_call:opensource>inspect_item<tool_sep:opensource>\n<arg_key:opensource>at</arg_key:opensource>\n<arg_value:opensource>ETA</arg_value:opensource>\n</tool_call:opensource>\n<tool_call:opensource>go_on<tool_sep:opensource>\n</tool_call:opensource>\n<tool_call:opensource>inspect_item<tool_sep:opensource>\n<arg_key:opensource>at</arg_key:opensource>\n<arg_value:opensource>THETA</arg_value:opensource>\n<arg_key:opensource>times</arg_key:opensource>\n<arg_value:opensource>2</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "minimax_m3",
        "rendered by the chat template of MiniMaxAI/MiniMax-M3",
        "call>[e~[\n]~b]user\nUSER ASKS[e~[\n]~b]ai\n",
        "<mm:think>Thought BETA.\n\nYes.</mm:think>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "minimax_m3",
        "rendered by the chat template of MiniMaxAI/MiniMax-M3",
        "call>[e~[\n]~b]user\nUSER ASKS[e~[\n]~b]ai\n",
        '<mm:think>Need GAMMA.</mm:think>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="inspect_item">]<]minimax[>[<at>DELTA "q" \'r\' \\n\nline é漢😀 <b>]<]minimax[>[</at>]<]minimax[>[<as>5]<]minimax[>[</as>]<]minimax[>[<times>-7]<]minimax[>[</times>]<]minimax[>[<scale>0.5]<]minimax[>[</scale>]<]minimax[>[<deep>true]<]minimax[>[</deep>]<]minimax[>[<marks>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[<item>]<]minimax[>[<k>]<]minimax[>[<item>EPSILON]<]minimax[>[</item>]<]minimax[>[</k>]<]minimax[>[</item>]<]minimax[>[</marks>]<]minimax[>[<more>]<]minimax[>[</more>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "minimax_m3",
        "rendered by the chat template of MiniMaxAI/MiniMax-M3",
        "call>[e~[\n]~b]user\nUSER ASKS[e~[\n]~b]ai\n",
        '</mm:think>Prose ZETA.]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="inspect_item">]<]minimax[>[<at>ETA]<]minimax[>[</at>]<]minimax[>[</invoke>\n]<]minimax[>[<invoke name="go_on">]<]minimax[>[</invoke>\n]<]minimax[>[<invoke name="inspect_item">]<]minimax[>[<at>THETA]<]minimax[>[</at>]<]minimax[>[<times>2]<]minimax[>[</times>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "solar_open",
        "rendered by the chat template of upstage/Solar-Open-100B",
        "tent|>USER ASKS<|end|><|begin|>assistant",
        "<|think|>Thought BETA.\n\nYes.<|end|><|begin|>assistant<|content|>Answer ALPHA.\n\nMore: 1 < 2.<|end|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "solar_open",
        "rendered by the chat template of upstage/Solar-Open-100B",
        "tent|>USER ASKS<|end|><|begin|>assistant",
        '<|think|>Need GAMMA.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>call00001<|tool_call:name|>inspect_item<|tool_call:args|>{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}<|tool_call:end|>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "solar_open",
        "rendered by the chat template of upstage/Solar-Open-100B",
        "tent|>USER ASKS<|end|><|begin|>assistant",
        '<|tool_calls|><|tool_call:begin|>call00001<|tool_call:name|>inspect_item<|tool_call:args|>{"at": "ETA"}<|tool_call:end|><|tool_call:begin|>call00002<|tool_call:name|>go_on<|tool_call:args|>{}<|tool_call:end|><|tool_call:begin|>call00003<|tool_call:name|>inspect_item<|tool_call:args|>{"at": "THETA", "times": 2}<|tool_call:end|>',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "functionary_v3.1",
        "rendered by the chat template of meetkai/functionary-medium-v3.1",
        "_header_id|>assistant<|end_header_id|>\n\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "functionary_v3.1",
        "rendered by the chat template of meetkai/functionary-medium-v3.1",
        "_header_id|>assistant<|end_header_id|>\n\n",
        '<function=inspect_item>{"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}</function><|eom_id|>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "functionary_v3.1",
        "rendered by the chat template of meetkai/functionary-medium-v3.1",
        "_header_id|>assistant<|end_header_id|>\n\n",
        'Prose ZETA.<function=inspect_item>{"at": "ETA"}</function><function=go_on>{}</function><function=inspect_item>{"at": "THETA", "times": 2}</function><|eom_id|>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "kimi_k3",
        "rendered by the chat template of moonshotai/Kimi-K3",
        'e="assistant"<|sep|><|open|>think<|sep|>',
        "Thought BETA.\n\nYes.<|close|>think<|sep|><|open|>response<|sep|>Answer ALPHA.\n\nMore: 1 < 2.<|close|>response<|sep|><|close|>message<|sep|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "kimi_k3",
        "rendered by the chat template of moonshotai/Kimi-K3",
        'e="assistant"<|sep|><|open|>think<|sep|>',
        'Need GAMMA.<|close|>think<|sep|><|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="inspect_item" index="1"<|sep|><|open|>argument key="at" type="string"<|sep|>DELTA "q" \'r\' \\n\nline é漢😀 <b><|close|>argument<|sep|><|open|>argument key="as" type="string"<|sep|>5<|close|>argument<|sep|><|open|>argument key="times" type="number"<|sep|>-7<|close|>argument<|sep|><|open|>argument key="scale" type="number"<|sep|>0.5<|close|>argument<|sep|><|open|>argument key="deep" type="boolean"<|sep|>true<|close|>argument<|sep|><|open|>argument key="marks" type="array"<|sep|>[1, {"k": ["EPSILON"]}]<|close|>argument<|sep|><|open|>argument key="more" type="object"<|sep|>{}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "kimi_k3",
        "rendered by the chat template of moonshotai/Kimi-K3",
        'e="assistant"<|sep|><|open|>think<|sep|>',
        '<|close|>think<|sep|><|open|>response<|sep|>Prose ZETA.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="inspect_item" index="1"<|sep|><|open|>argument key="at" type="string"<|sep|>ETA<|close|>argument<|sep|><|close|>call<|sep|><|open|>call tool="go_on" index="2"<|sep|><|close|>call<|sep|><|open|>call tool="inspect_item" index="3"<|sep|><|open|>argument key="at" type="string"<|sep|>THETA<|close|>argument<|sep|><|open|>argument key="times" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "deepseek_v32",
        "rendered by the chat template of deepseek-ai/DeepSeek-V3.2",
        "unctions>\n<｜User｜>USER ASKS<｜Assistant｜>",
        "</think>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "deepseek_v32",
        "rendered by the chat template of deepseek-ai/DeepSeek-V3.2",
        "unctions>\n<｜User｜>USER ASKS<｜Assistant｜>",
        '</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="inspect_item">\n<｜DSML｜parameter name="at" string="true">DELTA "q" \'r\' \\n\nline é漢😀 <b></｜DSML｜parameter>\n<｜DSML｜parameter name="as" string="true">5</｜DSML｜parameter>\n<｜DSML｜parameter name="times" string="false">-7</｜DSML｜parameter>\n<｜DSML｜parameter name="scale" string="false">0.5</｜DSML｜parameter>\n<｜DSML｜parameter name="deep" string="false">true</｜DSML｜parameter>\n<｜DSML｜parameter name="marks" string="false">[1, {"k": ["EPSILON"]}]</｜DSML｜parameter>\n<｜DSML｜parameter name="more" string="false">{}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "deepseek_v32",
        "rendered by the chat template of deepseek-ai/DeepSeek-V3.2",
        "unctions>\n<｜User｜>USER ASKS<｜Assistant｜>",
        '</think>Prose ZETA.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="inspect_item">\n<｜DSML｜parameter name="at" string="true">ETA</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="go_on">\n</｜DSML｜invoke>\n<｜DSML｜invoke name="inspect_item">\n<｜DSML｜parameter name="at" string="true">THETA</｜DSML｜parameter>\n<｜DSML｜parameter name="times" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "gigachat3",
        "rendered by the chat template of ai-sage/GigaChat3-10B-A1.8B",
        "S<|message_sep|>\n\nassistant<|role_sep|>\n",
        "Answer ALPHA.\n\nMore: 1 < 2.<|message_sep|>\n\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "gigachat3",
        "rendered by the chat template of ai-sage/GigaChat3-10B-A1.8B",
        "S<|message_sep|>\n\nassistant<|role_sep|>\n",
        '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}<|message_sep|>\n\n',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "gigachat3",
        "rendered by the chat template of ai-sage/GigaChat3-10B-A1.8B",
        "S<|message_sep|>\n\nassistant<|role_sep|>\n",
        'Prose ZETA.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}<|message_sep|>\n\n',
        "Prose ZETA.",
        "",
        [("inspect_item", {"at": "ETA"})],
    ),
    Wire(
        "gigachat3",
        "rendered by the chat template of ai-sage/GigaChat3.1-10B-A1.8B",
        "S<|message_sep|>\n\nassistant<|role_sep|>\n",
        "Answer ALPHA.\n\nMore: 1 < 2.<|message_sep|>\n\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "gigachat3",
        "rendered by the chat template of ai-sage/GigaChat3.1-10B-A1.8B",
        "S<|message_sep|>\n\nassistant<|role_sep|>\n",
        '<|function_call|>{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}<|message_sep|>\n\n',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "gigachat3",
        "rendered by the chat template of ai-sage/GigaChat3.1-10B-A1.8B",
        "S<|message_sep|>\n\nassistant<|role_sep|>\n",
        'Prose ZETA.<|function_call|>{"name": "inspect_item", "arguments": {"at": "ETA"}}<|message_sep|>\n\n',
        "Prose ZETA.",
        "",
        [("inspect_item", {"at": "ETA"})],
    ),
    Wire(
        "minicpm5",
        "rendered by the chat template of openbmb/MiniCPM5-1B",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        "<think>\nThought BETA.\n\nYes.\n</think>\n\nAnswer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "minicpm5",
        "rendered by the chat template of openbmb/MiniCPM5-1B",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        '<think>\nNeed GAMMA.\n</think>\n\n<function name="inspect_item"><param name="at"><![CDATA[DELTA "q" \'r\' \\n\nline é漢😀 <b>]]></param><param name="as">5</param><param name="times">-7</param><param name="scale">0.5</param><param name="deep">True</param><param name="marks">[1, {\'k\': [\'EPSILON\']}]</param><param name="more">{}</param></function>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "minicpm5",
        "rendered by the chat template of openbmb/MiniCPM5-1B",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        'Prose ZETA.\n<function name="inspect_item"><param name="at">ETA</param></function>\n<function name="go_on"></function>\n<function name="inspect_item"><param name="at">THETA</param><param name="times">2</param></function>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "minimax",
        "rendered by the chat template of MiniMaxAI/MiniMax-M1",
        "beginning_of_sentence>ai name=assistant\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "minimax",
        "rendered by the chat template of MiniMaxAI/MiniMax-M1",
        "beginning_of_sentence>ai name=assistant\n",
        '<tool_calls>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}\n</tool_calls>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "minimax",
        "rendered by the chat template of MiniMaxAI/MiniMax-M1",
        "beginning_of_sentence>ai name=assistant\n",
        '<tool_calls>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}\n{"name": "go_on", "arguments": {}}\n{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}\n</tool_calls>',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "internlm2",
        "rendered by vLLM's examples/tool_chat_template_internlm2_tool.jinja",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "internlm2",
        "rendered by vLLM's examples/tool_chat_template_internlm2_tool.jinja",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        '<|action_start|><|plugin|>\n{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}<|action_end|>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "internlm2",
        "rendered by vLLM's examples/tool_chat_template_internlm2_tool.jinja",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        'Prose ZETA.<|action_start|><|plugin|>\n{"name": "inspect_item", "arguments": {"at": "ETA"}}<|action_end|><|action_start|><|plugin|>\n{"name": "go_on", "arguments": {}}<|action_end|><|action_start|><|plugin|>\n{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}<|action_end|>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "granite",
        "rendered by vLLM's examples/tool_chat_template_granite.jinja",
        "|start_of_role|>assistant<|end_of_role|>",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "granite",
        "rendered by vLLM's examples/tool_chat_template_granite.jinja",
        "|start_of_role|>assistant<|end_of_role|>",
        '<|tool_call|>[\n    {\n        "name": "inspect_item",\n        "arguments": {\n            "at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>",\n            "as": "5",\n            "times": -7,\n            "scale": 0.5,\n            "deep": true,\n            "marks": [\n                1,\n                {\n                    "k": [\n                        "EPSILON"\n                    ]\n                }\n            ],\n            "more": {}\n        }\n    }\n]',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "granite",
        "rendered by vLLM's examples/tool_chat_template_granite.jinja",
        "|start_of_role|>assistant<|end_of_role|>",
        '<|tool_call|>[\n    {\n        "name": "inspect_item",\n        "arguments": {\n            "at": "ETA"\n        }\n    },\n    {\n        "name": "go_on",\n        "arguments": {}\n    },\n    {\n        "name": "inspect_item",\n        "arguments": {\n            "at": "THETA",\n            "times": 2\n        }\n    }\n]',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "xlam",
        "rendered by vLLM's examples/tool_chat_template_xlam_llama.jinja",
        "_header_id|>assistant<|end_header_id|>\n\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "xlam",
        "rendered by vLLM's examples/tool_chat_template_xlam_llama.jinja",
        "_header_id|>assistant<|end_header_id|>\n\n",
        '[{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}]',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "xlam",
        "rendered by vLLM's examples/tool_chat_template_xlam_llama.jinja",
        "_header_id|>assistant<|end_header_id|>\n\n",
        '[{"name": "inspect_item", "arguments": {"at": "ETA"}}, {"name": "go_on", "arguments": {}}, {"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}]',
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "glm45",
        "rendered by the chat template of zai-org/GLM-4.7-Flash",
        "ll><|user|>USER ASKS<|assistant|><think>",
        "Thought BETA.\n\nYes.</think>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "glm45",
        "rendered by the chat template of zai-org/GLM-4.7-Flash",
        "ll><|user|>USER ASKS<|assistant|><think>",
        'Need GAMMA.</think><tool_call>inspect_item<arg_key>at</arg_key><arg_value>DELTA "q" \'r\' \\n\nline é漢😀 <b></arg_value><arg_key>as</arg_key><arg_value>5</arg_value><arg_key>times</arg_key><arg_value>-7</arg_value><arg_key>scale</arg_key><arg_value>0.5</arg_value><arg_key>deep</arg_key><arg_value>true</arg_value><arg_key>marks</arg_key><arg_value>[1, {"k": ["EPSILON"]}]</arg_value><arg_key>more</arg_key><arg_value>{}</arg_value></tool_call>',
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "glm45",
        "rendered by the chat template of zai-org/GLM-4.7-Flash",
        "tool_call><|user|>USER ASKS<|assistant|>",
        "</think>Prose ZETA.<tool_call>inspect_item<arg_key>at</arg_key><arg_value>ETA</arg_value></tool_call><tool_call>go_on</tool_call><tool_call>inspect_item<arg_key>at</arg_key><arg_value>THETA</arg_value><arg_key>times</arg_key><arg_value>2</arg_value></tool_call>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "lfm2",
        "rendered by the chat template of LiquidAI/LFM2.5-8B-A1B",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        "<think>Thought BETA.\n\nYes.</think>Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Thought BETA.\n\nYes.",
        [],
    ),
    Wire(
        "lfm2",
        "rendered by the chat template of LiquidAI/LFM2.5-8B-A1B",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        "<think>Need GAMMA.</think><|tool_call_start|>[inspect_item(at='DELTA \"q\" \nline é漢😀', as='5', times=-7, deep=True, marks=[1, {'k': ['EPSILON']}])]<|tool_call_end|>",
        "",
        "Need GAMMA.",
        [
            (
                "inspect_item",
                {
                    "at": 'DELTA "q" \nline é漢😀',
                    "as": "5",
                    "times": -7,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                },
            )
        ],
    ),
    Wire(
        "lfm2",
        "rendered by the chat template of LiquidAI/LFM2.5-8B-A1B",
        "ER ASKS<|im_end|>\n<|im_start|>assistant\n",
        "Prose ZETA.<|tool_call_start|>[inspect_item(at='ETA'), go_on(), inspect_item(at='THETA', times=2)]<|tool_call_end|>",
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "functiongemma",
        "rendered by vLLM's examples/tool_chat_template_functiongemma.jinja",
        "ER ASKS<end_of_turn><start_of_turn>model",
        "<start_function_call>call:inspect_item{at:<escape>DELTA \"q\" 'r' \\n\nline é漢😀 <b><escape>,as:<escape>5<escape>,times:<escape>-7<escape>,scale:<escape>0.5<escape>,deep:<escape>True<escape>,marks:<escape>[1, {'k': ['EPSILON']}]<escape>,more:<escape>{}<escape>}<end_function_call>",
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "functiongemma",
        "rendered by vLLM's examples/tool_chat_template_functiongemma.jinja",
        "ER ASKS<end_of_turn><start_of_turn>model",
        "<start_function_call>call:inspect_item{at:<escape>ETA<escape>}<end_function_call><start_function_call>call:go_on{}<end_function_call><start_function_call>call:inspect_item{at:<escape>THETA<escape>,times:<escape>2<escape>}<end_function_call>",
        "",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "exaone4",
        "rendered by the chat template of LGAI-EXAONE/EXAONE-4.0-1.2B",
        "endofturn|]\n[|assistant|]\n<think>\n\n</think>\n\n",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "Answer ALPHA.\n\nMore: 1 < 2.",
        "",
        [],
    ),
    Wire(
        "exaone4",
        "rendered by the chat template of LGAI-EXAONE/EXAONE-4.0-1.2B",
        "endofturn|]\n[|assistant|]\n<think>\n\n</think>\n\n",
        '<tool_call>{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}</tool_call>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "exaone4",
        "rendered by the chat template of LGAI-EXAONE/EXAONE-4.0-1.2B",
        "endofturn|]\n[|assistant|]\n<think>\n\n</think>\n\n",
        'Prose ZETA.\n<tool_call>{"name": "inspect_item", "arguments": {"at": "ETA"}}</tool_call>\n<tool_call>{"name": "go_on", "arguments": {}}</tool_call>\n<tool_call>{"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}</tool_call>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
    Wire(
        "hunyuan_a13b",
        "rendered by vLLM's examples/tool_chat_template_hunyuan_a13b.jinja",
        "<|extra_4|>用户：USER ASKS<|extra_0|>",
        '<tool_calls>[{"name": "inspect_item", "arguments": {"at": "DELTA \\"q\\" \'r\' \\\\n\\nline é漢😀 <b>", "as": "5", "times": -7, "scale": 0.5, "deep": true, "marks": [1, {"k": ["EPSILON"]}], "more": {}}}]</tool_calls>',
        "",
        "",
        [
            (
                "inspect_item",
                {
                    "at": "DELTA \"q\" 'r' \\n\nline é漢😀 <b>",
                    "as": "5",
                    "times": -7,
                    "scale": 0.5,
                    "deep": True,
                    "marks": [1, {"k": ["EPSILON"]}],
                    "more": {},
                },
            )
        ],
    ),
    Wire(
        "hunyuan_a13b",
        "rendered by vLLM's examples/tool_chat_template_hunyuan_a13b.jinja",
        "<|extra_4|>用户：USER ASKS<|extra_0|>",
        'Prose ZETA.<tool_calls>[{"name": "inspect_item", "arguments": {"at": "ETA"}}, {"name": "go_on", "arguments": {}}, {"name": "inspect_item", "arguments": {"at": "THETA", "times": 2}}]</tool_calls>',
        "Prose ZETA.",
        "",
        [
            ("inspect_item", {"at": "ETA"}),
            ("go_on", {}),
            ("inspect_item", {"at": "THETA", "times": 2}),
        ],
    ),
]

_CALL_TEMPLATES = "vLLM's examples/tool_chat_template_"

PUBLISHED = [
    Wire(
        "granite",
        "the instruction in the chat template of ibm-granite/granite-3.3-2b-instruct:"
        " <|tool_call|> followed by a JSON list of tools",
        "<|start_of_role|>assistant<|end_of_role|>",
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "LAMBDA"}}]',
        "",
        "",
        [("get_weather", {"city": "LAMBDA"})],
    ),
    Wire(
        "granite-20b-fc",
        f"{_CALL_TEMPLATES}granite_20b_fc.jinja",
        "\nASSISTANT:",
        '<function_call> {"name": "inspect_item", "arguments": {"at": "LAMBDA"}}'
        '<function_call> {"name": "go_on", "arguments": {}}',
        "",
        "",
        [("inspect_item", {"at": "LAMBDA"}), ("go_on", {})],
    ),
    Wire(
        "olmo3",
        f"{_CALL_TEMPLATES}olmo3.jinja, the examples in its system message",
        "<|im_start|>assistant\n",
        "<function_calls>\nget_weather(city='New York', units='celsius')\n</function_calls>",
        "",
        "",
        [("get_weather", {"city": "New York", "units": "celsius"})],
    ),
    Wire(
        "olmo3",
        f"{_CALL_TEMPLATES}olmo3.jinja, the examples in its system message",
        "<|im_start|>assistant\n",
        "<function_calls>\nfunction1(param1='value1')\nfunction2(param2='value2')\n</function_calls>",
        "",
        "",
        [("function1", {"param1": "value1"}), ("function2", {"param2": "value2"})],
    ),
    Wire(
        "hunyuan_a13b",
        f"{_CALL_TEMPLATES}hunyuan_a13b.jinja, the form in its system message",
        "<|extra_0|>",
        '<tool_calls>[{"name": "func_name1", "arguments": {"argument1": "value1",'
        ' "argument2": "value2"}}]</tool_calls>',
        "",
        "",
        [("func_name1", {"argument1": "value1", "argument2": "value2"})],
    ),
    Wire(
        "phi4_mini_json",
        f"{_CALL_TEMPLATES}phi4_mini.jinja, the form in its system message",
        "<|assistant|>",
        'functools[{"name": "inspect_item", "arguments": {"at": "LAMBDA"}},'
        ' {"name": "go_on", "arguments": {}}]',
        "",
        "",
        [("inspect_item", {"at": "LAMBDA"}), ("go_on", {})],
    ),
    Wire(
        "longcat",
        "the tool calling format in the model card of meituan-longcat/LongCat-Flash-Chat",
        "ASSISTANT:",
        '<longcat_tool_call>\n{"name": "inspect_item", "arguments": {"at": "LAMBDA"}}\n'
        "</longcat_tool_call>",
        "",
        "",
        [("inspect_item", {"at": "LAMBDA"})],
    ),
    Wire(
        "ernie45",
        "the thinking model's format in vLLM's ernie45 parser",
        "<think>\n",
        "abc\n</think>\n\n\n<tool_call>\n"
        '{"name": "inspect_item", "arguments": {"at": "LAMBDA"}}\n</tool_call>\n',
        "",
        "abc",
        [("inspect_item", {"at": "LAMBDA"})],
    ),
    Wire(
        "lfm2",
        "Liquid AI's documentation of tool use",
        "<|im_start|>assistant\n",
        'Let me check that.<|tool_call_start|>[get_candidate_status(candidate_id="12345")]'
        "<|tool_call_end|>",
        "Let me check that.",
        "",
        [("get_candidate_status", {"candidate_id": "12345"})],
    ),
    Wire(
        "pythonic",
        "Google's documentation of function calling with Gemma 3",
        "<start_of_turn>model\n",
        '[get_product_name_by_PID(PID="807ZPKBL9V")]',
        "",
        "",
        [("get_product_name_by_PID", {"PID": "807ZPKBL9V"})],
    ),
    Wire(
        "minicpm5",
        "the examples in SGLang's description of MiniCPM 5's calls",
        "<|im_start|>assistant\n",
        '<function name="get_weather"><param name="city">北京</param><param name="date">2024-06-27'
        '</param></function>\n<function name="get_weather"><param name="city"><![CDATA[多行\n文本]]>'
        "</param></function>",
        "",
        "",
        [
            ("get_weather", {"city": "北京", "date": "2024-06-27"}),
            ("get_weather", {"city": "多行\n文本"}),
        ],
    ),
    Wire(
        "functiongemma",
        "a published transcript of google/functiongemma-270m-it",
        "<start_of_turn>model\n",
        "<start_function_call>call:get_weather{city:<escape>paris<escape>}<end_function_call>"
        "<start_function_response>",
        "",
        "",
        [("get_weather", {"city": "paris"})],
    ),
    Wire(
        "functionary_v3.1",
        "Meta's documentation of user-defined custom tool calling",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        '<function=example_function_name>{"example_name": "example_value"}</function>',
        "",
        "",
        [("example_function_name", {"example_name": "example_value"})],
    ),
    Wire(
        "solar_open2",
        "vLLM's tests of its solar_open2 parser",
        "<|im_start|>assistant\n",
        "<|think:start|>I should use a tool<|think:end|>Sure, let me help."
        "<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Seoul"
        "<|tool_arg:end|>\n<|tool_call:end|>\n<|tool_call:start|>get_time\n<|tool_call:end|>",
        "Sure, let me help.",
        "I should use a tool",
        [("get_weather", {"city": "Seoul"}), ("get_time", {})],
    ),
    Wire(
        "jamba",
        "vLLM's tests of its jamba parser",
        "<|bom|><|assistant|>",
        ' Sure! let me call the tool for you.<tool_calls>[\n    {"name": "get_current_weather",'
        ' "arguments": {"city": "Dallas", "state": "TX", "unit": "fahrenheit"}},\n'
        '    {"name": "get_current_weather", "arguments": {"city": "Orlando", "state": "FL",'
        ' "unit": "fahrenheit"}}\n]</tool_calls>',
        " Sure! let me call the tool for you.",
        "",
        [
            ("get_current_weather", {"city": "Dallas", "state": "TX", "unit": "fahrenheit"}),
            ("get_current_weather", {"city": "Orlando", "state": "FL", "unit": "fahrenheit"}),
        ],
    ),
    Wire(
        "xlam",
        "vLLM's tests of its xlam parser",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        'I\'ll help you with that.\n```json\n[{"name": "get_current_weather", "arguments":'
        ' {"city": "Dallas", "state": "TX", "unit": "fahrenheit"}}]\n```',
        "I'll help you with that.",
        "",
        [("get_current_weather", {"city": "Dallas", "state": "TX", "unit": "fahrenheit"})],
    ),
    Wire(
        "granite",
        "vLLM's tests of its granite parser, Granite 3.1's form",
        "<|start_of_role|>assistant<|end_of_role|>",
        '<tool_call> [{"name": "get_weather", "arguments": {"city": "Tokyo"}}]',
        "",
        "",
        [("get_weather", {"city": "Tokyo"})],
    ),
    Wire(
        "hy_v3",
        "vLLM's tests of its hy_v3 parser, the tokens without a suffix",
        "",
        "Checking.<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n"
        "<arg_value>Beijing</arg_value>\n<arg_key>date</arg_key>\n"
        "<arg_value>2026-03-30</arg_value>\n</tool_call>\n</tool_calls>",
        "Checking.",
        "",
        [("get_weather", {"city": "Beijing", "date": "2026-03-30"})],
    ),
    Wire(
        "qwen3_coder",
        "vLLM's tests of its qwen3_coder parser: the first tag is left out",
        "<|im_start|>assistant\n",
        "<function=get_current_weather>\n<parameter=city>\nDallas\n</parameter>\n"
        "<parameter=state>\nTX\n</parameter>\n</function>",
        "",
        "",
        [("get_current_weather", {"city": "Dallas", "state": "TX"})],
    ),
    Wire(
        "llama3_json",
        "vLLM's tests of its llama3_json parser",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        'Here is the result: {"name": "getOpenIncidentsTool", "parameters": {}};'
        ' {"name": "searchTool", "parameters": {"query": "test1"}} Would you like to know more?',
        "Here is the result:  Would you like to know more?",
        "",
        [("getOpenIncidentsTool", {}), ("searchTool", {"query": "test1"})],
    ),
    Wire(
        "lfm2",
        "vLLM's tests of its lfm2 parser",
        "<|im_start|>assistant\n",
        "<|tool_call_start|>[bash(command='sed -n '360,450p' /testbed/common.py'),"
        " label(tags={'urgent', 'bug'})]<|tool_call_end|>",
        "",
        "",
        [
            ("bash", {"command": "sed -n '360,450p' /testbed/common.py"}),
            ("label", {"tags": ["urgent", "bug"]}),
        ],
    ),
    Wire(
        "gemma4",
        "vLLM's tests of its gemma4 parser: the word before the colon is left out",
        "<|turn>model\n",
        'Hello: world<|tool_call>:get_weather{location:<|"|>London<|"|>}<tool_call|>',
        "Hello: world",
        "",
        [("get_weather", {"location": "London"})],
    ),
    Wire(
        "deepseek_v41",
        "the instruction that vLLM's renderer of DeepSeek V4.1 writes",
        "<｜Assistant｜><think>",
        "Thought NU.</think>Prose MU.\n\n<｜DSML｜ calls>\n"
        '<｜DSML｜ invoke name="inspect_item">\n<｜DSML｜ parameter name="at" string="true">LAMBDA'
        '</｜DSML｜ parameter>\n<｜DSML｜ parameter name="times" string="false">2'
        "</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>",
        "Prose MU.",
        "Thought NU.",
        [("inspect_item", {"at": "LAMBDA", "times": 2})],
    ),
    Wire(
        "exaone4",
        "the model card of LGAI-EXAONE/EXAONE-4.0-32B, which names the parsers hermes and"
        " deepseek_r1 for it",
        "[|assistant|]<think>\n",
        'Thought NU.\n</think>\n\n<tool_call>{"name": "inspect_item", "arguments":'
        ' {"at": "LAMBDA"}}</tool_call>',
        "",
        "Thought NU.",
        [("inspect_item", {"at": "LAMBDA"})],
    ),
    Wire(
        "deepseek_v41",
        "an output of the tests that are published with deepseek-ai/DeepSeek-V4.1-Flash's encoder,"
        " as vLLM's renderer keeps it",
        "<｜Assistant｜><think>",
        "The user wants to know the weather in Beijing. I should use the get_weather tool.</think>"
        '\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="get_weather">\n'
        '<｜DSML｜ parameter name="location" string="true">Beijing</｜DSML｜ parameter>\n'
        '<｜DSML｜ parameter name="unit" string="true">celsius</｜DSML｜ parameter>\n'
        "</｜DSML｜ invoke>\n</｜DSML｜ calls>",
        "",
        "The user wants to know the weather in Beijing. I should use the get_weather tool.",
        [("get_weather", {"location": "Beijing", "unit": "celsius"})],
    ),
    Wire(
        "longcat",
        "vLLM's tests/tool_parsers/test_longcat_tool_parser.py",
        "ASSISTANT:",
        '<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Tokyo"}}'
        '</longcat_tool_call>\n<longcat_tool_call>{"name": "get_time", "arguments":'
        ' {"timezone": "Asia/Tokyo"}}</longcat_tool_call>',
        "",
        "",
        [("get_weather", {"city": "Tokyo"}), ("get_time", {"timezone": "Asia/Tokyo"})],
    ),
    Wire(
        "ernie45",
        "vLLM's tests/tool_parsers/test_ernie45_moe_tool_parser.py, whose tokenizer is"
        " baidu/ERNIE-4.5-21B-A3B-Thinking's",
        "<think>\n",
        "I need to call two tools to handle these two issues separately.\n</think>\n\n<tool_call>\n"
        '{"name": "get_current_temperature", "arguments": {"location": "Beijing"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "get_temperature_unit", "arguments": {"location": "Guangzhou",'
        ' "unit": "c"}}\n</tool_call>\n',
        "",
        "I need to call two tools to handle these two issues separately.",
        [
            ("get_current_temperature", {"location": "Beijing"}),
            ("get_temperature_unit", {"location": "Guangzhou", "unit": "c"}),
        ],
    ),
    Wire(
        "step3",
        "smg-project/smg, crates/tool_parser/tests/tool_parser_step3.rs",
        "<|BOT|>assistant\n",
        "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="get_weather">\n<steptml:parameter name="location">Tokyo'
        "</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n"
        "<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="get_news">\n<steptml:parameter name="category">tech'
        '</steptml:parameter>\n<steptml:parameter name="limit">5</steptml:parameter>\n'
        "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
        "",
        "",
        [("get_weather", {"location": "Tokyo"}), ("get_news", {"category": "tech", "limit": 5})],
    ),
]
