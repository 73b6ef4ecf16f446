"""Families whose calls are a name and tagged parameters, XML-like or as key and value."""

from __future__ import annotations

import dataclasses

from textcore.output.formats.declaration import (
    NAME_CHARACTERS,
    Calls,
    NamedValue,
    NestedElements,
    OutputFormat,
    Section,
    TaggedParameters,
    Tags,
)
from textcore.output.formats.json_calls import CHATML, JSON_IN_TAGS, LIST_IN_TAGS, THINK
from textcore.output.formats.layout import Layout

_UNTYPED = ""

_QWEN_BODY = TaggedParameters(
    name_ends=(">",),
    parameter="<parameter=",
    key_ends=((">", _UNTYPED),),
    value_close="</parameter>",
    close="</function>",
    newline=True,
    name=rf"\s*<function=(?P<name>{NAME_CHARACTERS})\s*",
)

_QWEN_LAYOUT = Layout(
    call=("\n", "\n"), between="\n", names=("<function={name}",), named="\n", parameter="\n"
)
_LINES = Layout(section=("\n", "\n"), between="\n", named="\n", parameter="\n")

QWEN3_CODER = OutputFormat(
    name="qwen3_coder",
    aliases=("qwen3_xml", "qwen3.5", "mimo", "nanbeige", "nemotron_v3", "nemotron_3"),
    source="the chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct",
    reasoning=THINK,
    call=Tags("<tool_call>", "</tool_call>"),
    body=_QWEN_BODY,
    formatting="\n",
    turn=CHATML,
    inline=("<function=",),
    fallbacks=(JSON_IN_TAGS, LIST_IN_TAGS),
    call_ends_reasoning=True,
    layout=_QWEN_LAYOUT,
)

STEP35 = dataclasses.replace(
    QWEN3_CODER,
    name="step3.5",
    aliases=("step3p5", "step3_5"),
    source="the chat template of stepfun-ai/Step-3.5-Flash",
    layout=dataclasses.replace(_QWEN_LAYOUT, between=""),
)

SEED_OSS = OutputFormat(
    name="seed_oss",
    aliases=("seed-oss",),
    source="the chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
    reasoning=Tags("<seed:think>", "</seed:think>"),
    call=Tags("<seed:tool_call>", "</seed:tool_call>"),
    body=dataclasses.replace(_QWEN_BODY, newline=False),
    formatting="\n",
    turn=Tags("<seed:bos>assistant", "<seed:eos>"),
    call_ends_reasoning=True,
    layout=dataclasses.replace(_QWEN_LAYOUT, python=True),
)

_GLM_BODY = TaggedParameters(
    name_ends=("\n",),
    parameter="<arg_key>",
    key_ends=(("</arg_key>", _UNTYPED),),
    value_open="<arg_value>",
    value_close="</arg_value>",
    close="</tool_call>",
)

GLM45 = OutputFormat(
    name="glm45",
    aliases=("glm47", "glm", "glm4_moe", "glm46", "ling3", "poolside_v1"),
    source="the chat template of zai-org/GLM-4.6",
    reasoning=THINK,
    call=Tags("<tool_call>", ""),
    body=_GLM_BODY,
    formatting="\n",
    turn=Tags("<|assistant|>", "<|user|>"),
    section=Section(open=""),
    fallbacks=(
        JSON_IN_TAGS,
        # The tag before the first key is missing.
        Calls(
            Tags("<tool_call>", ""),
            dataclasses.replace(_GLM_BODY, headless=True),
            Section(open=""),
        ),
        # The name, and a JSON object in brackets or not.
        Calls(Tags("<tool_call>", ")</tool_call>"), NamedValue(separators=("(",))),
        Calls(Tags("<tool_call>", "</tool_call>"), NamedValue(separators=("{",), kept=("{",))),
    ),
    call_ends_reasoning=True,
    layout=Layout(between="\n", value="\n", parameter="\n", loose=True),
)


def _hy_calls(suffix: str) -> Calls:
    """Hy 3's calls; a tokenizer's control tokens may share a suffix."""
    return Calls(
        call=Tags(f"<tool_call{suffix}>", ""),
        body=TaggedParameters(
            name_ends=(f"<tool_sep{suffix}>",),
            parameter=f"<arg_key{suffix}>",
            key_ends=((f"</arg_key{suffix}>", _UNTYPED),),
            value_open=f"<arg_value{suffix}>",
            value_close=f"</arg_value{suffix}>",
            close=f"</tool_call{suffix}>",
        ),
        section=Section(f"<tool_calls{suffix}>", f"</tool_calls{suffix}>", optional=True),
    )


_HY_CALLS = _hy_calls(":opensource")

HY_V3 = OutputFormat(
    name="hy_v3",
    aliases=("hunyuan_v3", "hy3", "hunyuan"),
    source="the chat template of tencent/Hy3",
    reasoning=Tags("<think:opensource>", "</think:opensource>"),
    call=_HY_CALLS.call,
    body=_HY_CALLS.body,
    formatting="",
    turn=Tags("<｜hy_Assistant:opensource｜>", "<｜hy_eos:opensource｜>"),
    section=_HY_CALLS.section,
    other_reasoning=(THINK,),
    other_calls=(_hy_calls(""),),
    call_ends_reasoning=True,
    layout=dataclasses.replace(_LINES, value="\n"),
)

MINIMAX_M2 = OutputFormat(
    name="minimax_m2",
    aliases=("minimax-m2", "minimax_m2_append_think", "minimax-append-think"),
    source="the chat template of MiniMaxAI/MiniMax-M2",
    reasoning=THINK,
    call=Tags('<invoke name="', ""),
    body=TaggedParameters(
        name_ends=('">',),
        parameter='<parameter name="',
        key_ends=(('">', _UNTYPED),),
        value_close="</parameter>",
        close="</invoke>",
    ),
    formatting="\n",
    turn=Tags("]~b]ai", "[e~["),
    section=Section("<minimax:tool_call>", "</minimax:tool_call>", optional=True),
    call_ends_reasoning=True,
    layout=_LINES,
)

_M3_MARK = "]<]minimax[>["
_M3_BODY = NestedElements(name_end='">', mark=_M3_MARK, close=f"{_M3_MARK}</invoke>")

MINIMAX_M3 = OutputFormat(
    name="minimax_m3",
    aliases=("minimax-m3",),
    source="the chat template of MiniMaxAI/MiniMax-M3",
    reasoning=Tags("<mm:think>", "</mm:think>"),
    call=Tags(f'{_M3_MARK}<invoke name="', ""),
    body=_M3_BODY,
    formatting="",
    turn=Tags("]~b]ai\n", "[e~["),
    section=Section(f"{_M3_MARK}<tool_call>", f"{_M3_MARK}</tool_call>", optional=True),
    fallbacks=(
        # A bracket of the tag is missing.
        Calls(
            Tags(f'{_M3_MARK}invoke name="', ""),
            _M3_BODY,
            Section(f"{_M3_MARK}<tool_call>", f"{_M3_MARK}</tool_call>"),
        ),
    ),
    call_ends_reasoning=True,
    layout=Layout(section=("\n", "\n"), between="\n"),
)


def _dsml(mark: str, section: str) -> Calls:
    """DeepSeek's markup: what stands before each tag's own name, and the section's name."""
    return Calls(
        call=Tags(f'<{mark}invoke name="', ""),
        body=TaggedParameters(
            name_ends=('">',),
            parameter=f'<{mark}parameter name="',
            key_ends=(
                ('" string="true">', "string"),
                ('" string="false">', "json"),
                ('">', _UNTYPED),
            ),
            value_close=f"</{mark}parameter>",
            close=f"</{mark}invoke>",
            read_only=('">',),
        ),
        section=Section(f"<{mark}{section}>", f"</{mark}{section}>", optional=True),
    )


_V32_CALLS = _dsml("｜DSML｜", "function_calls")
_V4_CALLS = _dsml("｜DSML｜", "tool_calls")
_V41_CALLS = _dsml("｜DSML｜ ", "calls")
# As these are written where the mark is not one token.
_DOUBLED_MARKS = (_dsml("｜｜DSML｜｜", "tool_calls"), _dsml("｜｜DSML｜｜ ", "calls"))

DEEPSEEK_V4 = OutputFormat(
    name="deepseek_v4",
    aliases=("deepseekv4", "deepseek-v4"),
    source="the chat template of deepseek-ai/DeepSeek-V4",
    reasoning=THINK,
    call=_V4_CALLS.call,
    body=_V4_CALLS.body,
    formatting="\n",
    turn=Tags("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    section=_V4_CALLS.section,
    other_calls=(_V32_CALLS, _V41_CALLS, *_DOUBLED_MARKS),
    call_ends_reasoning=True,
    layout=dataclasses.replace(_LINES, empty="\n"),
    control=True,
)

DEEPSEEK_V41 = dataclasses.replace(
    DEEPSEEK_V4,
    name="deepseek_v41",
    aliases=("deepseekv41", "deepseek-v41"),
    source=(
        "the encoder of deepseek-ai/DeepSeek-V4.1-Flash, by the outputs published with it, which"
        " vLLM's renderer is tested with"
    ),
    call=_V41_CALLS.call,
    body=_V41_CALLS.body,
    section=_V41_CALLS.section,
    other_calls=(_V4_CALLS, _V32_CALLS, *_DOUBLED_MARKS),
)

DEEPSEEK_V32 = dataclasses.replace(
    DEEPSEEK_V4,
    name="deepseek_v32",
    aliases=("deepseekv32", "deepseek_v3.2"),
    source="llama.cpp's models/templates/DeepSeek-V3.2.jinja",
    section=_V32_CALLS.section,
    other_calls=(_V4_CALLS, _V41_CALLS, *_DOUBLED_MARKS),
)

_STEP3_BODY = TaggedParameters(
    name_ends=('">',),
    parameter='<steptml:parameter name="',
    key_ends=(('">', _UNTYPED),),
    value_close="</steptml:parameter>",
    close="</steptml:invoke>",
)

STEP3 = OutputFormat(
    name="step3",
    aliases=(),
    source="the model card of stepfun-ai/step3, and vLLM's tests of its calls",
    reasoning=THINK,
    call=Tags(
        '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="', "<｜tool_call_end｜>"
    ),
    body=_STEP3_BODY,
    formatting="\n",
    turn=Tags("<|BOT|>assistant", "<|EOT|>"),
    section=Section("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", optional=True),
    fallbacks=(
        Calls(
            Tags("<｜tool_call_begin｜>", "<｜tool_call_end｜>"),
            dataclasses.replace(
                _STEP3_BODY,
                name=(
                    r"\s*(?:function\s*<｜tool_sep｜>\s*(?:[\w.-]+\s*)?)?"
                    rf'<steptml:invoke name="(?P<name>{NAME_CHARACTERS})\s*'
                ),
            ),
            Section("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", separator="<｜tool_sep｜>"),
        ),
    ),
    call_ends_reasoning=True,
    layout=_LINES,
    control=True,
)

_K3_TYPES = ("number", "boolean", "null", "object", "array")

KIMI_K3 = OutputFormat(
    name="kimi_k3",
    aliases=(),
    source="llama.cpp's models/templates/Kimi-K3.jinja",
    reasoning=Tags("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    call=Tags('<|open|>call tool="', ""),
    body=TaggedParameters(
        name_ends=("<|sep|>",),
        parameter='<|open|>argument key="',
        key_ends=(
            ('" type="string"<|sep|>', "string"),
            *((f'" type="{name}"<|sep|>', "json") for name in _K3_TYPES),
        ),
        value_close="<|close|>argument<|sep|>",
        close="<|close|>call<|sep|>",
        key_types=(
            ('" type="string"<|sep|>', "string"),
            *((f'" type="{name}"<|sep|>', name) for name in _K3_TYPES),
        ),
        name=rf"(?P<name>{NAME_CHARACTERS})\"(?: index=\"[0-9]*\")?",
    ),
    formatting="",
    turn=Tags('<|open|>message role="assistant"<|sep|>', "<|end_of_msg|>"),
    section=Section("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
    dropped=("<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>"),
    layout=Layout(
        lead="<|open|>response<|sep|><|close|>response<|sep|>",
        tail="<|close|>message<|sep|>",
        names=('{name}" index="{index}"',),
    ),
    control=True,
)

SOLAR_OPEN2 = OutputFormat(
    name="solar_open2",
    aliases=(),
    source="vLLM's tests of its parser of upstage/Solar-Open2's calls",
    reasoning=Tags("<|think:start|>", "<|think:end|>"),
    call=Tags("<|tool_call:start|>", ""),
    body=TaggedParameters(
        name_ends=("\n",),
        parameter="<|tool_arg:start|>",
        key_ends=(("<|tool_arg:value|>", _UNTYPED),),
        value_close="<|tool_arg:end|>",
        close="<|tool_call:end|>",
    ),
    formatting="\n",
    turn=CHATML,
    section=Section(open=""),
    layout=Layout(between="\n", parameter="\n"),
    control=True,
)

MINICPM5 = OutputFormat(
    name="minicpm5",
    aliases=("minicpm5xml",),
    source="SGLang's description of MiniCPM 5's calls",
    reasoning=THINK,
    call=Tags('<function name="', ""),
    body=TaggedParameters(
        name_ends=('">',),
        parameter='<param name="',
        key_ends=(('">', _UNTYPED),),
        value_close="</param>",
        close="</function>",
        verbatim=Tags("<![CDATA[", "]]>"),
    ),
    formatting="\n",
    turn=CHATML,
    section=Section(open=""),
    call_ends_reasoning=True,
    layout=Layout(between="\n", python=True),
)

FAMILIES = (
    QWEN3_CODER,
    STEP35,
    SEED_OSS,
    GLM45,
    HY_V3,
    MINIMAX_M2,
    MINIMAX_M3,
    DEEPSEEK_V4,
    DEEPSEEK_V41,
    DEEPSEEK_V32,
    STEP3,
    KIMI_K3,
    SOLAR_OPEN2,
    MINICPM5,
)
