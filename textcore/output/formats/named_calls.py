"""Families whose calls are a name and, outside it, the arguments as one value."""

from __future__ import annotations

import dataclasses

from textcore.output.formats.declaration import (
    NAME_CHARACTERS,
    Calls,
    Channels,
    JsonArguments,
    NamedValue,
    OutputFormat,
    Section,
    Tags,
)
from textcore.output.formats.json_calls import CHATML, LLAMA, NAMED_OBJECT, NO_TAGS, THINK
from textcore.output.formats.layout import Layout

_DEEPSEEK_TURN = Tags("<｜Assistant｜>", "<｜end▁of▁sentence｜>")
_DEEPSEEK_SECTION = Section("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", optional=True)
_DEEPSEEK_CALL = Tags("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>")
_TYPED_NAME = rf"\s*function\s*<｜tool▁sep｜>\s*(?P<name>{NAME_CHARACTERS})\s*"
_FENCED = Calls(
    Tags(_DEEPSEEK_CALL.open, "```" + _DEEPSEEK_CALL.close),
    NamedValue(separators=("\n```json\n",), name=_TYPED_NAME),
    _DEEPSEEK_SECTION,
)
_UNFENCED = Calls(
    _DEEPSEEK_CALL,
    NamedValue(separators=("{",), kept=("{",), name=_TYPED_NAME),
    _DEEPSEEK_SECTION,
)
_UNTYPED = Calls(_DEEPSEEK_CALL, NamedValue(separators=("<｜tool▁sep｜>",)), _DEEPSEEK_SECTION)
_IN_SECTION = dataclasses.replace(_DEEPSEEK_SECTION, optional=False)
_KIMI_NAME = NAME_CHARACTERS.replace(r"\ud800", r":\ud800")
_KIMI_CALL = Tags("<|tool_call_begin|>", "<|tool_call_end|>")
_KIMI_BODY = NamedValue(
    separators=("<|tool_call_argument_begin|>",),
    name=(
        rf"\s*(?:(?P<id>(?:functions\.)?(?P<name>{_KIMI_NAME}):[0-9]+)"
        rf"|(?:functions\.)?(?P<name>{_KIMI_NAME})(?::[0-9]*)?)\s*"
    ),
)

DEEPSEEK_V3 = OutputFormat(
    name="deepseek_v3",
    aliases=("deepseekv3", "deepseek-v3", "deepseek_r1", "deepseek-r1"),
    source="the chat template of deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
    reasoning=THINK,
    call=Tags("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "```<｜tool▁call▁end｜>"),
    body=NamedValue(separators=("\n```json\n",)),
    formatting="\n",
    turn=_DEEPSEEK_TURN,
    section=_DEEPSEEK_SECTION,
    fallbacks=tuple(
        dataclasses.replace(way, section=_IN_SECTION) for way in (_UNFENCED, _UNTYPED)
    ),
    call_ends_reasoning=True,
    layout=Layout(call=("", "\n"), between="\n"),
    control=True,
)

DEEPSEEK_V31 = OutputFormat(
    name="deepseek_v31",
    aliases=("deepseekv31", "deepseek_v3.1"),
    source="the chat template of deepseek-ai/DeepSeek-V3.1",
    reasoning=THINK,
    call=_UNTYPED.call,
    body=_UNTYPED.body,
    formatting="",
    turn=_DEEPSEEK_TURN,
    section=_DEEPSEEK_SECTION,
    fallbacks=(_FENCED, _UNFENCED),
    call_ends_reasoning=True,
    control=True,
)

KIMI_K2 = OutputFormat(
    name="kimi_k2",
    aliases=("kimi",),
    source="the chat template of moonshotai/Kimi-K2-Instruct",
    reasoning=THINK,
    call=_KIMI_CALL,
    body=_KIMI_BODY,
    formatting="",
    turn=Tags("<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"),
    section=Section("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", optional=True),
    other_calls=(
        Calls(
            _KIMI_CALL,
            _KIMI_BODY,
            Section("<|tool_call_section_begin|>", "<|tool_call_section_end|>", optional=True),
        ),
    ),
    # A call without its own tags.
    fallbacks=(
        Calls(
            NO_TAGS,
            _KIMI_BODY,
            Section("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        ),
    ),
    call_ends_reasoning=True,
    other_reasoning=(Tags("◁think▷", "◁/think▷"),),
    layout=Layout(names=("functions.{name}:{index}",)),
    control=True,
)

SOLAR_OPEN = OutputFormat(
    name="solar_open",
    aliases=("solar-open",),
    source="the chat template of upstage/Solar-Open-100B",
    reasoning=Tags("<|think|>", "<|end|>"),
    call=Tags("<|tool_call:begin|>", "<|tool_call:end|>"),
    body=NamedValue(
        separators=("<|tool_call:args|>",),
        name=(
            r"\s*(?:(?P<id>[^\s<>|]*)\s*<\|tool_call:name\|>)?"
            rf"\s*(?P<name>{NAME_CHARACTERS})\s*"
        ),
    ),
    formatting="",
    turn=Tags("<|begin|>assistant", "<|calls|>"),
    section=Section("<|tool_calls|>", "<|calls|>"),
    dropped=("<|begin|>assistant", "<|content|>", "<|end|>"),
    layout=Layout(lead="<|begin|>assistant", names=("{name}", "{id}<|tool_call:name|>{name}")),
    control=True,
)

FUNCTIONARY_V31 = OutputFormat(
    name="functionary_v3.1",
    aliases=("functionary-v3.1", "functionary_v3_llama_3_1"),
    source="the chat template of meetkai/functionary-medium-v3.1",
    reasoning=None,
    call=Tags("<function=", "</function>"),
    body=NamedValue(separators=(">",)),
    formatting="",
    turn=LLAMA,
    dropped=("<|eom_id|>",),
    layout=Layout(tail="<|eom_id|>"),
)

FUNCTIONARY_V32 = OutputFormat(
    name="functionary_v3.2",
    aliases=("functionary-v3.2", "functionary"),
    source="the chat template of meetkai/functionary-medium-v3.2",
    reasoning=None,
    call=NO_TAGS,
    body=JsonArguments(),
    formatting="",
    turn=Tags("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    channels=Channels(
        begins=(">>>", ""),
        message="\n",
        ends=(">>>",),
        call=r"^(?:>>>)?(?!all$)(?P<name>[\w.-]+)$",
        reasoning=r"(?!)",
        content=r"^(?:>>>)?all$",
        calls=("{name}",),
        texts=("all",),
    ),
)

GPT_OSS = OutputFormat(
    name="gpt-oss",
    aliases=("openai", "harmony", "gpt_oss", "openai_gptoss"),
    source="the chat template of openai/gpt-oss-120b and OpenAI's harmony response format",
    reasoning=None,
    call=NO_TAGS,
    body=JsonArguments(),
    formatting="",
    turn=Tags("<|start|>assistant", "<|end|>"),
    channels=Channels(
        begins=("<|start|>assistant", "<|channel|>", " to="),
        message="<|message|>",
        ends=("<|end|>", "<|call|>", "<|return|>"),
        call=r"\bto=functions\.(?P<name>[\w.-]+)",
        reasoning=r"\banalysis\b",
        content=r"\b(?:final|commentary)\b",
        calls=(
            " to=functions.{name}<|channel|>commentary json",
            "<|channel|>commentary to=functions.{name} <|constrain|>json",
        ),
        thoughts=("<|channel|>analysis",),
        texts=("<|channel|>final", "<|channel|>commentary"),
        again="<|start|>assistant",
        call_end="<|call|>",
        known_call=r"\bto=(?P<name>[\w.-]+)",
    ),
    control=True,
)

GEMMA4 = OutputFormat(
    name="gemma4",
    aliases=(),
    source="the chat template of google/gemma-4-31B-it",
    reasoning=Tags("<|channel>thought", "<channel|>"),
    call=Tags("<|tool_call>call:", "<tool_call|>"),
    body=NamedValue(separators=("{", "("), value='<|"|>'),
    formatting="\n",
    turn=Tags("<|turn>model", "<turn|>"),
    openless=("thought\n",),
    dropped=("<|tool_response>",),
    other_calls=(
        Calls(Tags("<|tool_call>:", "<tool_call|>"), NamedValue(separators=("{",), value='<|"|>')),
    ),
    call_ends_reasoning=True,
    layout=Layout(tail="<|tool_response>", trailing=True),
    control=True,
)

FUNCTIONGEMMA = dataclasses.replace(
    GEMMA4,
    name="functiongemma",
    source="the model card of google/functiongemma-270m-it",
    reasoning=None,
    openless=(),
    call_ends_reasoning=False,
    call=Tags("<start_function_call>call:", "<end_function_call>"),
    body=NamedValue(separators=("{",), value="<escape>"),
    turn=Tags("<start_of_turn>model", "<end_of_turn>"),
    dropped=("<start_function_response>",),
    other_calls=(),
    layout=Layout(tail="<start_function_response>"),
)

_PYTHON_CALL = NamedValue(separators=("(",), value="python")

PYTHONIC = OutputFormat(
    name="pythonic",
    aliases=("llama4_pythonic", "llama3.2_pythonic", "toolace"),
    source="Meta's prompt format documentation of Llama 3.2 and Llama 4",
    reasoning=None,
    call=NO_TAGS,
    body=_PYTHON_CALL,
    formatting="",
    turn=LLAMA,
    section=Section("<|python_start|>", "<|python_end|>", begin="[", separator=",", end="]"),
    other_calls=(Calls(NO_TAGS, _PYTHON_CALL, Section("<|python_tag|>", "", "[", ",", "]")),),
    bare=True,
    inline=("[",),
    layout=Layout(between=" "),
)

LFM2 = OutputFormat(
    name="lfm2",
    aliases=("lfm2.5",),
    source="the model card of LiquidAI/LFM2-8B-A1B",
    reasoning=THINK,
    call=NO_TAGS,
    body=_PYTHON_CALL,
    formatting="\n",
    turn=CHATML,
    section=Section("<|tool_call_start|>", "<|tool_call_end|>", begin="[", separator=",", end="]"),
    # The model card: told to, the model writes JSON.
    fallbacks=(
        Calls(
            NO_TAGS,
            NAMED_OBJECT,
            Section("<|tool_call_start|>", "<|tool_call_end|>", "[", ",", "]"),
        ),
        Calls(NO_TAGS, NAMED_OBJECT, Section("<|tool_call_start|>", "<|tool_call_end|>")),
    ),
    call_ends_reasoning=True,
    layout=Layout(between=" "),
    control=True,
)

OLMO3 = OutputFormat(
    name="olmo3",
    aliases=("olmo",),
    source="vLLM's examples/tool_chat_template_olmo3.jinja",
    reasoning=THINK,
    call=NO_TAGS,
    body=_PYTHON_CALL,
    formatting="\n",
    turn=CHATML,
    section=Section("<function_calls>", "</function_calls>"),
    call_ends_reasoning=True,
    layout=Layout(section=("\n", "\n"), between="\n"),
)

FAMILIES = (
    DEEPSEEK_V3,
    DEEPSEEK_V31,
    KIMI_K2,
    SOLAR_OPEN,
    FUNCTIONARY_V31,
    FUNCTIONARY_V32,
    GPT_OSS,
    GEMMA4,
    FUNCTIONGEMMA,
    PYTHONIC,
    LFM2,
    OLMO3,
)
