"""Families whose calls are JSON objects, one by one or in a list."""

from __future__ import annotations

import dataclasses

from textcore.output.formats.declaration import (
    NAME_CHARACTERS,
    Calls,
    JsonObject,
    NamedValue,
    OutputFormat,
    Section,
    TaggedParameters,
    Tags,
)
from textcore.output.formats.layout import Layout

CHATML = Tags("<|im_start|>assistant", "<|im_end|>")
LLAMA = Tags("<|start_header_id|>assistant<|end_header_id|>", "<|eot_id|>")
THINK = Tags("<think>", "</think>")
NO_TAGS = Tags("", "")
NAMED_OBJECT = JsonObject("name", ("arguments", "parameters"))
_TOOL_CALL = Tags("<tool_call>", "</tool_call>")
JSON_IN_TAGS = Calls(_TOOL_CALL, NAMED_OBJECT)
LIST_IN_TAGS = Calls(NO_TAGS, NAMED_OBJECT, Section("<tool_call>", "</tool_call>", "[", ",", "]"))
_SPACED = Layout(between=" ")
_LINES = Layout(section=("\n", "\n"), between="\n")


def _single(section: Section) -> Calls:
    """One call in the place of the list of them."""
    return Calls(NO_TAGS, NAMED_OBJECT, Section(section.open, section.close))


HERMES = OutputFormat(
    name="hermes",
    aliases=(
        *("qwen2.5", "qwen3", "qwen", "qwen25", "qwen2", "qwen3_json", "qwen3-thinking"),
        *("qwq", "smollm3", "trinity", "holo2"),
    ),
    source="the chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B and Qwen/Qwen3-0.6B",
    reasoning=THINK,
    call=_TOOL_CALL,
    body=NAMED_OBJECT,
    formatting="\n",
    turn=CHATML,
    fallbacks=(LIST_IN_TAGS,),
    early=False,
    layout=Layout(call=("\n", "\n"), between="\n"),
)

GRANITE4 = dataclasses.replace(
    HERMES,
    name="granite4",
    aliases=("granite-4.0", "granite_thinking_parser"),
    source="the chat template of ibm-granite/granite-4.0-h-small",
    turn=Tags("<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>"),
    early=True,
)

EXAONE4 = dataclasses.replace(
    HERMES,
    name="exaone4",
    aliases=("exaone",),
    source="the chat template of LGAI-EXAONE/EXAONE-4.0-1.2B",
    turn=Tags("[|assistant|]", "[|endofturn|]"),
    other_reasoning=(Tags("<thought>", "</thought>"),),
    early=True,
    layout=Layout(between="\n"),
)

ERNIE45 = dataclasses.replace(
    HERMES,
    name="ernie45",
    aliases=("ernie",),
    source="the model card of baidu/ERNIE-4.5-21B-A3B-Thinking",
    turn=Tags("<|im_start|>assistant", "<|im_end|>"),
    dropped=("<response>", "</response>"),
    early=True,
)

LONGCAT = dataclasses.replace(
    HERMES,
    name="longcat",
    aliases=("longcat_flash",),
    source="the model card of meituan-longcat/LongCat-Flash-Chat",
    reasoning=Tags("<longcat_think>", "</longcat_think>"),
    call=Tags("<longcat_tool_call>", "</longcat_tool_call>"),
    fallbacks=(
        Calls(
            Tags("<longcat_tool_call>", ""),
            TaggedParameters(
                name_ends=("\n",),
                parameter="<longcat_arg_key>",
                key_ends=(("</longcat_arg_key>", ""),),
                value_open="<longcat_arg_value>",
                value_close="</longcat_arg_value>",
                close="</longcat_tool_call>",
                name=rf"\s*(?:functions\.)?(?P<name>{NAME_CHARACTERS})\s*",
            ),
            Section(open=""),
        ),
    ),
    turn=Tags("ASSISTANT:", "</longcat_s>"),
    early=True,
    layout=Layout(free=True),
)

LLAMA3_JSON = OutputFormat(
    name="llama3_json",
    aliases=("llama4_json", "llama3", "llama3.1", "llama3.2"),
    source="the chat template of meta-llama/Llama-3.1-8B-Instruct",
    reasoning=None,
    call=Tags("<|python_tag|>", ""),
    body=JsonObject("name", ("parameters", "arguments"), needs_arguments=True),
    formatting="\n",
    turn=LLAMA,
    section=Section(open="", separator=";"),
    other_calls=(Calls(Tags("<function=", "</function>"), NamedValue(separators=(">",))),),
    bare=True,
    inline=(
        *('{"name":', '{ "name":', '{\n"name":', '{\n  "name":', '{\n    "name":'),
        *('{"type": "function"', '{"type":"function"'),
    ),
    layout=_SPACED,
)

MISTRAL = OutputFormat(
    name="mistral",
    aliases=("mistral_v3", "mistral_v7", "mistral_v11", "magistral", "ministral"),
    source=(
        "the chat templates of mistralai/Mistral-Nemo-Instruct-2407 (a list of objects) and"
        " mistralai/Mistral-Small-3.2-24B-Instruct-2506 (name and arguments)"
    ),
    reasoning=Tags("[THINK]", "[/THINK]"),
    call=NO_TAGS,
    body=NAMED_OBJECT,
    formatting="",
    turn=Tags("[/INST]", "</s>"),
    section=Section(open="[TOOL_CALLS]", begin="[", separator=",", end="]"),
    unlisted=NamedValue(
        separators=("[ARGS]", "{"),
        kept=("{",),
        name=(
            rf"\s*(?P<name>{NAME_CHARACTERS})\s*"
            r"(?:\[CALL_ID\]\s*(?P<id>[^\[\]{}\s]*)\s*)?"
        ),
    ),
    other_reasoning=(THINK,),
    fallbacks=(Calls(NO_TAGS, NAMED_OBJECT, Section("[TOOL_CALLS]")),),
    call_ends_reasoning=True,
    layout=Layout(
        between=" ",
        names=("{name}", "{name}[CALL_ID]{id}"),
        fields=("", ', "id": "{id}"'),
    ),
    control=True,
)

GRANITE = OutputFormat(
    name="granite",
    aliases=("granite3", "granite-3.0", "granite-3.1", "granite-3.2", "granite-3.3"),
    source=(
        "the chat template of ibm-granite/granite-3.3-2b-instruct; of 3.0 to 3.2, vLLM's"
        " descriptions of their calls and reasoning"
    ),
    reasoning=THINK,
    call=NO_TAGS,
    body=NAMED_OBJECT,
    formatting="\n",
    turn=Tags("<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>"),
    section=Section(open="<|tool_call|>", begin="[", separator=",", end="]"),
    fallbacks=(_single(Section("<|tool_call|>")),),
    dropped=("<response>", "</response>"),
    other_reasoning=(
        Tags("Here is my thought process:", "Here is my response:"),
        Tags("Here's my thought process:", "Here's my response:"),
    ),
    other_calls=(Calls(NO_TAGS, NAMED_OBJECT, Section("<tool_call>", "", "[", ",", "]")),),
    layout=Layout(free=True),
    control=True,
)

GRANITE_20B_FC = OutputFormat(
    name="granite-20b-fc",
    aliases=("granite_20b_fc",),
    source="vLLM's examples/tool_chat_template_granite_20b_fc.jinja",
    reasoning=None,
    call=Tags("<function_call>", ""),
    body=NAMED_OBJECT,
    formatting="\n",
    turn=Tags("\nASSISTANT:", "<|endoftext|>"),
    section=Section(open=""),
    layout=Layout(call=(" ", "")),
)

COHERE = OutputFormat(
    name="cohere_command3",
    aliases=("cohere_command4", "command_r7b", "command_a"),
    source="the chat template of CohereForAI/c4ai-command-r7b-12-2024",
    reasoning=Tags("<|START_THINKING|>", "<|END_THINKING|>"),
    call=NO_TAGS,
    body=JsonObject("tool_name", ("parameters",)),
    formatting="",
    turn=Tags("<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
    section=Section("<|START_ACTION|>", "<|END_ACTION|>", begin="[", separator=",", end="]"),
    fallbacks=(
        Calls(
            NO_TAGS,
            JsonObject("tool_name", ("parameters",)),
            Section("<|START_ACTION|>", "<|END_ACTION|>"),
        ),
    ),
    dropped=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
    layout=Layout(
        section=("\n    ", "\n"),
        between="\n    ",
        fields=('"tool_call_id": "{index}", ', ""),
    ),
    control=True,
)

NEMOTRON = OutputFormat(
    name="nemotron",
    aliases=("nemotron_json", "nemotron_nano_v2"),
    source="the chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    reasoning=THINK,
    call=NO_TAGS,
    body=NAMED_OBJECT,
    formatting="\n",
    turn=Tags("<SPECIAL_11>Assistant", "<SPECIAL_12>"),
    section=Section("<TOOLCALL>", "</TOOLCALL>", begin="[", separator=",", end="]"),
    fallbacks=(_single(Section("<TOOLCALL>", "</TOOLCALL>")),),
    layout=_SPACED,
)

JAMBA = dataclasses.replace(
    NEMOTRON,
    name="jamba",
    aliases=(),
    source="the model card of ai21labs/AI21-Jamba-1.5-Mini",
    turn=Tags("<|bom|><|assistant|>", "<|eom|>"),
    section=Section("<tool_calls>", "</tool_calls>", begin="[", separator=",", end="]"),
    fallbacks=(_single(Section("<tool_calls>", "</tool_calls>")),),
    layout=Layout(section=("\n    ", "\n"), between="\n    "),
)

HUNYUAN_A13B = dataclasses.replace(
    JAMBA,
    name="hunyuan_a13b",
    aliases=("hunyuan_a13b_instruct",),
    source="vLLM's examples/tool_chat_template_hunyuan_a13b.jinja",
    turn=Tags("<|extra_0|>", "<|eos|>"),
    dropped=("<answer>", "</answer>"),
    layout=_SPACED,
)

MINIMAX_M1 = dataclasses.replace(
    JAMBA,
    name="minimax",
    aliases=("minimax_m1",),
    source="vLLM's examples/tool_chat_template_minimax_m1.jinja",
    turn=Tags("<beginning_of_sentence>ai", "<end_of_sentence>"),
    section=Section("<tool_calls>", "</tool_calls>"),
    fallbacks=(),
    layout=_LINES,
)

PHI4_MINI = OutputFormat(
    name="phi4_mini_json",
    aliases=("phi4_mini", "firefunction_v2", "firefunction-v2", "firefunction"),
    source="vLLM's examples/tool_chat_template_phi4_mini.jinja",
    reasoning=None,
    call=NO_TAGS,
    body=NAMED_OBJECT,
    formatting="",
    turn=Tags("<|assistant|>", "<|end|>"),
    section=Section(open="functools", begin="[", separator=",", end="]"),
    other_calls=(
        Calls(NO_TAGS, NAMED_OBJECT, Section("<|tool_call|>", "<|/tool_call|>", "[", ",", "]")),
    ),
    layout=_SPACED,
)

XLAM = OutputFormat(
    name="xlam",
    aliases=(),
    source="vLLM's examples/tool_chat_template_xlam_llama.jinja and its tests of these calls",
    reasoning=THINK,
    call=NO_TAGS,
    body=NAMED_OBJECT,
    formatting="\n",
    turn=LLAMA,
    section=Section(open="", begin="[", separator=",", end="]"),
    bare=True,
    inline=('[{"name"', '[{ "name"', '[\n{"name"', '[\n  {"name"', '[\n  {\n    "name"'),
    other_calls=tuple(
        Calls(NO_TAGS, NAMED_OBJECT, Section(opened, close, "[", ",", "]"))
        for opened, close in (
            ("```json", "```"),
            ("[TOOL_CALLS]", ""),
            ("<tool_call>", "</tool_call>"),
        )
    ),
    layout=_SPACED,
)

INTERNLM2 = OutputFormat(
    name="internlm2",
    aliases=("internlm", "interns1", "intern-s1"),
    source="vLLM's examples/tool_chat_template_internlm2_tool.jinja",
    reasoning=THINK,
    call=Tags("<|action_start|><|plugin|>", "<|action_end|>"),
    body=JsonObject("name", ("parameters", "arguments")),
    formatting="",
    turn=CHATML,
    layout=Layout(call=("\n", ""), any_key=True),
    control=True,
)

GIGACHAT3 = OutputFormat(
    name="gigachat3",
    aliases=("gigachat3.1",),
    source="the chat templates of ai-sage/GigaChat3-10B-A1.8B and GigaChat3.1-10B-A1.8B",
    reasoning=None,
    call=Tags("function call<|role_sep|>", "<|message_sep|>"),
    body=NAMED_OBJECT,
    formatting="\n",
    turn=Tags("assistant<|role_sep|>\n", "</s>"),
    dropped=("<|message_sep|>", "</s>"),
    other_calls=(Calls(Tags("<|function_call|>", "<|message_sep|>"), NAMED_OBJECT),),
    layout=Layout(lead="<|message_sep|>\n\n", call=("\n", ""), between="\n\n"),
    control=True,
)

APERTUS = OutputFormat(
    name="apertus",
    aliases=("apertus2509",),
    source="the chat template of swiss-ai/Apertus-8B-Instruct-2509",
    reasoning=Tags("<|inner_prefix|>", "<|inner_suffix|>"),
    call=Tags('{"', "}"),
    body=NamedValue(separators=('":',)),
    formatting="",
    turn=Tags("<|assistant_start|>", "<|assistant_end|>"),
    section=Section("<|tools_prefix|>", "<|tools_suffix|>", begin="[", separator=",", end="]"),
    layout=Layout(between=" ", value=" "),
    control=True,
)

FAMILIES = (
    HERMES,
    GRANITE4,
    EXAONE4,
    ERNIE45,
    LONGCAT,
    LLAMA3_JSON,
    MISTRAL,
    GRANITE,
    GRANITE_20B_FC,
    COHERE,
    NEMOTRON,
    JAMBA,
    HUNYUAN_A13B,
    MINIMAX_M1,
    PHI4_MINI,
    XLAM,
    INTERNLM2,
    GIGACHAT3,
    APERTUS,
)
