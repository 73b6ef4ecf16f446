"""Finding a format from a chat template alone: renamed markers, near misses, the script."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import check_output_formats
import pytest
from own_templates import CALLS, HEAD, HEADERS, MARKERS, TAIL, channel_template, template

from textcore import CHATML_TEMPLATE
from textcore.errors import TextcoreError, UnsupportedError
from textcore.output.formats import Tags
from textcore.output.parser import OutputParser
from textcore.output.probing.inference import infer
from textcore.output.probing.roundtrip import (
    VARIABLES,
    NotRendered,
    difference,
    generation_prompt,
    messages,
)
from textcore.output.tool_choice import tool_call_grammar


@pytest.mark.parametrize("markers", MARKERS, ids=["one", "other"])
@pytest.mark.parametrize("calls", CALLS)
def test_markers_that_nobody_has_seen_are_found(calls: str, markers: dict[str, str]) -> None:
    source = template(calls, markers)
    found = OutputParser.for_template(source).detection
    assert found is not None
    assert found.known is None
    assert found.certainty == 1
    assert found.unknown == frozenset()
    for variables in VARIABLES:
        for _, message in messages():
            assert difference(source, found.format, message, variables) == ("", set())


@pytest.mark.parametrize("markers", MARKERS, ids=["one", "other"])
@pytest.mark.parametrize("header", HEADERS)
def test_headers_in_any_order_are_found(header: str, markers: dict[str, str]) -> None:
    source = channel_template(header, markers)
    found = OutputParser.for_template(source).detection
    assert found is not None
    assert found.known is None
    assert found.certainty == 1
    assert found.format.channels is not None
    for variables in VARIABLES:
        for _, message in messages():
            assert difference(source, found.format, message, variables) == ("", set())


def test_our_own_template_is_hermes() -> None:
    found = OutputParser.for_template(CHATML_TEMPLATE).detection
    assert found is not None
    assert found.known == "hermes"


def test_calls_that_are_written_as_their_ids_are_found() -> None:
    source = """\
{%- for m in messages %}<|im_{{ m.role }}|>{{ m.role }}<|im_middle|>{{ m.content or '' }}
{%- if m.tool_calls %}<|tool_calls_section_begin|>
{%- for c in m.tool_calls -%}
<|tool_call_begin|>{{ c.id }}<|tool_call_argument_begin|>{{ c.function.arguments | tojson }}
{%- raw %}<|tool_call_end|>{% endraw %}{%- endfor -%}
<|tool_calls_section_end|>{% endif %}<|im_end|>
{%- endfor %}
{%- if add_generation_prompt %}<|im_assistant|>assistant<|im_middle|>{% endif %}"""
    found = OutputParser.for_template(source).detection
    assert found is not None
    assert found.known == "kimi_k2"
    assert "calls" not in found.unknown


def test_of_a_familys_ways_to_write_calls_the_templates_own_is_the_first() -> None:
    source = """\
{%- for m in messages %}{{ m.role }}<|role_sep|>
{{ m.content or '' }}
{%- if m.tool_calls %}
{%- if m.content %}<|message_sep|>{% endif %}<|function_call|>
{{- {'name': m.tool_calls[0].function.name, 'arguments': m.tool_calls[0].function.arguments}
| tojson }}{% endif %}<|message_sep|>

{% endfor %}
{%- if add_generation_prompt %}assistant<|role_sep|>
{% endif %}"""
    found = OutputParser.for_template(source).detection
    assert found is not None
    assert found.known == "gigachat3"
    assert found.format.call.open == "<|function_call|>"
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    spelled = dataclasses.replace(found.format, control=False)
    assert "function_call" in tool_call_grammar(tools, format=spelled).lark


def test_a_format_that_also_reads_anothers_calls_is_not_found_for_its_template() -> None:
    # deepseek_v3 reads calls as V3.1 spells them, too, and is forced as V3 spells them.
    source = """\
{%- for m in messages %}{%- if m.role != 'assistant' %}<｜User｜>{{ m.content }}{% else -%}
<｜Assistant｜>{{ m.content or '' }}
{%- if m.tool_calls %}<｜tool▁calls▁begin｜>
{%- for c in m.tool_calls -%}
<｜tool▁call▁begin｜>{{ c.function.name }}<｜tool▁sep｜>{{ c.function.arguments | tojson }}
{{- '<｜tool▁call▁end｜>' }}{%- endfor -%}
<｜tool▁calls▁end｜>{% endif %}<｜end▁of▁sentence｜>
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}<｜Assistant｜>{% endif %}"""
    found = OutputParser.for_template(source).detection
    assert found is not None
    assert found.known == "deepseek_v31"


def test_a_parser_is_made_for_the_request() -> None:
    source = template("parameters", MARKERS[0])
    prompt = generation_prompt(source, {})
    tools = [
        {
            "type": "function",
            "function": {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}},
        }
    ]
    parser = OutputParser.for_template(source, tools=tools, prompt=prompt)
    text = "<musing>hm</musing>ok\n<|use|>\n<do=f>\n<arg:a>\n5\n</arg>\n</do>\n<|/use|>"
    reasoning, content, call, arguments = parser.feed(text, final=True)
    assert reasoning == {"reasoning_content": "hm"}
    assert content == {"content": "ok"}
    assert call["tool_calls"][0]["function"]["name"] == "f"
    assert arguments["tool_calls"][0]["function"]["arguments"] == '{"a": "5"}'


OBJECT = """{{- '<c>{"name": "' + c.function.name + '", "arguments": ' }}"""
TAKEN = {
    "no content is null": HEAD
    + "{%- if m.content is none %}{% for c in m.tool_calls %}"
    + OBJECT
    + "{{- c.function.arguments | tojson + '}</c>' }}{% endfor %}"
    + "{% else %}{{ m.content }}{% endif %}\n"
    + TAIL,
    "arguments are text": HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}"
    + OBJECT
    + "{{- c.function.arguments + '}</c>' }}{% endfor %}\n"
    + TAIL,
    "objects are written as Python does": HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}"
    + OBJECT
    + "{{- c.function.arguments }}{{ '}</c>' }}{% endfor %}\n"
    + TAIL,
    "lists grow": "{%- set seen = [] %}"
    + HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}{% set _ = seen.append(c.id) %}"
    + OBJECT
    + "{{- c.function.arguments | tojson + '}</c>' }}{% endfor %}\n"
    + TAIL,
    "a setting is refused": "{%- if enable_thinking is false %}{{ raise_exception('no') }}"
    + "{% endif %}"
    + HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}"
    + OBJECT
    + "{{- c.function.arguments | tojson + '}</c>' }}{% endfor %}\n"
    + TAIL,
    "tools are refused": "{%- if tools %}{{ tools[0].there_is.none_such }}{% endif %}"
    + HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}"
    + OBJECT
    + "{{- c.function.arguments | tojson + '}</c>' }}{% endfor %}\n"
    + TAIL,
    "tags around content beside calls": HEAD
    + "{%- if m.tool_calls %}{{ '<|in|>' + m.content + '<|out|>' }}{% for c in m.tool_calls %}"
    + '{{- \'{"name": "\' + c.function.name + \'", "with": \' }}'
    + "{{- c.function.arguments | tojson + '}' }}{% endfor %}"
    + "{% else %}{{ m.content }}{% endif %}\n"
    + TAIL,
    "a section that a second call closes": HEAD
    + "{{- m.content }}{% if m.tool_calls %}<cs>{% for c in m.tool_calls %}"
    + OBJECT
    + "{{- c.function.arguments | tojson + '}</c>' }}{% endfor %}"
    + "{% if m.tool_calls | length > 1 %}</cs>{% endif %}{% endif %}\n"
    + TAIL,
    "a newline at the end of values alone": HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}{{ '<do ' + c.function.name + '>' }}"
    + "{%- for k, v in c.function.arguments.items() %}{{ '<p ' + k + '>' }}"
    + "{{- v if v is string else v | tojson }}{{ '\\n</p>' }}{% endfor %}</do>{% endfor %}\n"
    + TAIL,
    "calls with their numbers": HEAD
    + "{{- m.content }}{% if m.tool_calls %}<cs>{% for c in m.tool_calls %}"
    + "{{- '<c>tools.' + c.function.name + ':' + loop.index0 | string + '<with>' }}"
    + "{{- c.function.arguments | tojson + '</c>' }}{% endfor %}</cs>{% endif %}\n"
    + TAIL,
    "values with markup are marked": HEAD
    + "{{- m.content }}{% for c in m.tool_calls or [] %}"
    + "{{- '<do of=\"' + c.function.name + '\">' }}"
    + "{%- for k, v in c.function.arguments.items() %}{{ '<p of=\"' + k + '\">' }}"
    + "{%- if v is string and ('<' in v or '&' in v or '\\n' in v) %}"
    + "{{- '<![AS IT IS[' + v + ']]>' }}"
    + "{%- else %}{{ v if v is string else v | tojson }}{% endif %}</p>{% endfor %}</do>"
    + "{% endfor %}\n"
    + TAIL,
    "commas between bare calls": HEAD
    + "{{- m.content }}{% if not m.content %}{% for c in m.tool_calls or [] %}"
    + '{{- \'{"name": "\' + c.function.name + \'", "arguments": \' }}'
    + "{{- c.function.arguments | tojson + '}' }}{% if not loop.last %},{% endif %}{% endfor %}"
    + "{% endif %}\n"
    + TAIL,
    "a header before tagged parameters": """\
{%- for m in messages %}
{%- if m.role != 'assistant' %}{{ U + m.role + S + m.content + E }}
{%- elif m.tool_calls %}
{%- for c in m.tool_calls %}{{ U + 'bot to=' + c.function.name + S }}
{{- '<uses>\\n<use of=\"' + c.function.name + '\">\\n' }}
{%- for k, v in c.function.arguments.items() %}{{ '<p of=\"' + k + '\">' }}
{{- v if v is string else v | tojson }}{{ '</p>\\n' }}{% endfor %}{{ '</use>\\n</uses>' + E }}
{%- endfor %}
{%- else %}{{ U + 'bot to=user' + S + m.content + E }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ U + 'bot' }}{% endif %}""",
}
SETS = "{%- set U = '<|t|>' %}{%- set S = '<|s|>' %}{%- set E = '<|e|>' %}"


@pytest.mark.parametrize("source", TAKEN.values(), ids=TAKEN.keys())
def test_calls_are_found_as_a_template_takes_them(source: str) -> None:
    found = OutputParser.for_template(SETS + source).detection
    assert found is not None
    assert "calls" not in found.unknown
    assert "content" not in found.unknown
    compared = 0
    for variables in VARIABLES:
        for _, told in messages():
            try:
                problem, _ = difference(SETS + source, found.format, told, variables)
            except NotRendered:
                continue
            assert problem == ""
            compared += 1
    assert compared > 30


def test_reasoning_that_only_messages_with_calls_have_is_found() -> None:
    source = HEAD + (
        "{{- m.content }}{% if m.tool_calls and m.reasoning_content %}"
        "{{- '<hm>' + m.reasoning_content + '</hm>' }}{% endif %}"
        "{% for c in m.tool_calls or [] %}"
        + OBJECT
        + "{{- c.function.arguments | tojson + '}</c>' }}{% endfor %}\n"
        + TAIL
    )
    found = OutputParser.for_template(SETS + source).detection
    assert found is not None
    assert found.unknown == frozenset()
    assert found.format.reasoning == Tags("<hm>", "</hm>")


def test_a_list_that_grows_takes_nothing_but_words() -> None:
    source = "{%- set s = [] %}{% for m in messages %}{% set _ = s.append(s) %}{% endfor %}"
    with pytest.raises(UnsupportedError, match="a list of words takes no list"):
        OutputParser.for_template(source)


def test_a_known_format_is_known_in_other_turns() -> None:
    source = CHATML_TEMPLATE.replace("<|im_start|>", "<|turn|>").replace("<|im_end|>", "<|over|>")
    found = OutputParser.for_template(source).detection
    assert found is not None
    assert found.known == "hermes"
    assert found.format.turn.open.startswith("<|turn|>")


NEAR_MISSES = {
    "no calls": HEAD + "{{- m.content or '' }}\n" + TAIL,
    "only the name": HEAD
    + "{{- m.content or '' }}{% for c in m.tool_calls or [] %}<c>{{ c.function.name }}</c>"
    + "{% endfor %}\n"
    + TAIL,
    "arguments lose their quotes": HEAD
    + "{{- m.content or '' }}{% for c in m.tool_calls or [] %}<c>{{ c.function.name }}("
    + "{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }},{% endfor %})</c>"
    + "{% endfor %}\n"
    + TAIL,
    "arguments cut off": HEAD
    + '{{- m.content or \'\' }}{% for c in m.tool_calls or [] %}<c>{"name": "'
    + '{{ c.function.name }}", "arguments": {{ (c.function.arguments | tojson)[:20] }}</c>'
    + "{% endfor %}\n"
    + TAIL,
    "arguments upside down": HEAD
    + '{{- m.content or \'\' }}{% for c in m.tool_calls or [] %}<c>{"name": "'
    + '{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson | upper }} }</c>'
    + "{% endfor %}\n"
    + TAIL,
}


@pytest.mark.parametrize("source", NEAR_MISSES.values(), ids=NEAR_MISSES.keys())
def test_what_is_not_certain_is_refused(source: str) -> None:
    with pytest.raises(UnsupportedError, match="no output format was found"):
        OutputParser.for_template(SETS + source)


@pytest.mark.parametrize("source", ["", "no conversation", "{% for", "{{ messages[0].x.y }}"])
def test_a_template_that_renders_nothing_is_refused(source: str) -> None:
    with pytest.raises(TextcoreError):
        OutputParser.for_template(source)


def test_a_template_is_a_str() -> None:
    with pytest.raises(TypeError):
        OutputParser.for_template(None)  # type: ignore[arg-type]


def test_inference_knows_no_family() -> None:
    form = infer(CHATML_TEMPLATE, {})
    assert (form.call.open, form.call.close) == ("<tool_call>", "</tool_call>")


def test_the_script_checks_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("object", "python"):
        path = tmp_path / f"{name}.jinja"
        path.write_text(template(name, MARKERS[0]), encoding="utf-8")
    assert check_output_formats.main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "0 templates with differences" in out
    assert "loses nothing" in out
    assert check_output_formats.main([str(tmp_path / "nothing")]) == 1
