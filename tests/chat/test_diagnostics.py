"""Diagnostics: each warning on a template that deserves it, and not on one that doesn't."""

from __future__ import annotations

import copy
import json
from functools import cache

import pytest

from textcore import CHATML_TEMPLATE, Tokenizer
from textcore.chat.diagnostics import Finding, diagnose
from textcore.chat.errors import PromptError, TemplateRefusal
from textcore.chat.prompts import ChatPrompts
from textcore.data import DEFAULT_DIR

# A good template without headers for answers: they follow the question's end directly.
INSTRUCT = (
    "{{ bos_token }}{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}"
    "{% for m in messages %}"
    "{% if m.role == 'assistant' %} {{ m.content }}"
    "{% for c in m.tool_calls or [] %}<call>{{ c.function | tojson }}</call>{% endfor %}"
    "{{ m.reasoning_content }}{{ eos_token }}"
    "{% elif m.content is string %}[{{ m.role }}] {{ m.content.strip() }} [/{{ m.role }}]"
    "{% else %}[{{ m.role }}] {{ m.content | tojson }} [/{{ m.role }}]{% endif %}{% endfor %}"
)
# One with headers; tests break it in one place each.
HEADERS = (
    "{% if tools %}tools: {{ tools | tojson }}\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for c in m.tool_calls or [] %}{{ c.function | tojson }}{% endfor %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GOOD = {"chatml": CHATML_TEMPLATE, "instruct": INSTRUCT, "headers": HEADERS}

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Its name."},
                "unit": {"enum": ["C", "F"]},
            },
            "required": ["city"],
        },
    },
}
CLOCK = {"type": "function", "function": {"name": "clock", "description": "The time."}}
HELLO = [{"role": "user", "content": "Hello"}]
TALK = [
    {"role": "system", "content": "Be terse."},
    {"role": "user", "content": "What is the weather\nin Cologne?"},
    {"role": "assistant", "content": "Warm."},
    {"role": "user", "content": '  naïve "quoted" \\ 你好\n'},
]
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "weather", "arguments": {"city": "X"}},
}
CALLS = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"degrees": 21}'},
]


@cache
def spec() -> str:
    return (DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8")


def tokenizer(template: str, bos: str = "<|endoftext|>", adds_bos: bool = False) -> Tokenizer:
    parsed = json.loads(spec())
    if adds_bos:
        first = {"SpecialToken": {"id": bos, "type_id": 0}}
        texts = [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]
        parsed["post_processor"] = {
            "type": "TemplateProcessing",
            "single": [first, texts[0]],
            "pair": [first, *texts],
            "special_tokens": {bos: {"id": bos, "ids": [4087], "tokens": [bos]}},
        }
    return Tokenizer(
        parsed,
        prompts=ChatPrompts(
            {"bos_token": bos, "eos_token": "<|im_end|>", "chat_template": template}
        ),
    )


def found(template, messages=HELLO, tools=None, **variables) -> list[Finding]:
    return diagnose(tokenizer(template), messages, tools, **variables)


def codes(*arguments, **variables) -> list[str]:
    return [finding.code for finding in found(*arguments, **variables)]


def broken(old: str, new: str, template: str = HEADERS) -> str:
    """A good template with one thing changed."""
    assert template.count(old) == 1
    return template.replace(old, new)


@pytest.mark.parametrize("template", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize(
    ("messages", "tools"),
    [(HELLO, None), (TALK, None), (TALK, [WEATHER, CLOCK]), (CALLS, [WEATHER]), (CALLS[:2], None)],
    ids=["hello", "talk", "talk-tools", "calls", "ends-with-call"],
)
def test_a_good_template_gets_no_warning(template, messages, tools):
    assert found(template, messages, tools) == []


def test_the_conversation_is_left_as_it_is():
    messages, tools = copy.deepcopy(CALLS), [copy.deepcopy(WEATHER)]
    found(HEADERS, messages, tools)
    assert (messages, tools) == (CALLS, [WEATHER])


def test_a_conversation_that_is_refused_is_an_error():
    with pytest.raises(TemplateRefusal, match="no"):
        found("{{ raise_exception('no') }}")


def test_several_conversations_are_an_error():
    with pytest.raises(PromptError, match="one conversation"):
        found(HEADERS, [HELLO, HELLO])


def test_deep_nesting_is_an_error():
    tool: dict = {}
    for _ in range(100_000):
        tool = {"a": tool}
    with pytest.raises(PromptError, match="nested"):
        found("{{ messages[0].content }}", HELLO, [tool])


# -- doubled BOS --------------------------------------------------------------------------


def test_a_bos_that_the_template_writes_twice():
    (finding,) = found("{{ bos_token }}" + INSTRUCT)
    assert finding.code == "doubled-bos"
    assert finding.message == "the prompt begins with <|endoftext|> twice"
    assert finding.evidence.startswith("'<|endoftext|><|endoftext|>[user]")


def test_a_doubled_token_that_nothing_calls_bos():
    assert codes("<think><think>" + HEADERS) == ["doubled-bos"]


def test_an_ordinary_token_may_be_doubled():
    assert codes("aa" + HEADERS) == []


@pytest.mark.parametrize(("adds_bos", "expected"), [(True, ["doubled-bos"]), (False, [])])
def test_a_bos_that_template_and_tokenizer_both_write(adds_bos, expected):
    findings = diagnose(tokenizer(INSTRUCT, adds_bos=adds_bos), HELLO)
    assert [finding.code for finding in findings] == expected
    assert all("[4087, 4087]" in finding.evidence for finding in findings)


def test_a_bos_that_only_the_tokenizer_writes():
    assert diagnose(tokenizer(HEADERS, adds_bos=True), HELLO) == []


# -- the generation prompt ----------------------------------------------------------------

NO_PROMPT = broken("{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}", "")


@pytest.mark.parametrize("messages", [HELLO, TALK, TALK[:3], CALLS])
def test_a_missing_generation_prompt(messages):
    (finding,) = found(NO_PROMPT, messages)
    assert finding.code == "no-generation-prompt"
    assert "im_start|>assistant" in finding.evidence


def test_a_generation_prompt_that_is_always_written():
    assert codes(NO_PROMPT + "<|im_start|>assistant\n") == []


def test_a_generation_prompt_that_begins_with_reasoning():
    always = NO_PROMPT + "<|im_start|>assistant\n<think>\n"
    assert codes(always) == []


def test_a_prompt_that_begins_an_answer_in_another_way():
    content = "{{ '<final>' if m.role == 'assistant' }}{{ m.content }}"
    always = broken("{{ m.content }}", content, NO_PROMPT) + "<|im_start|>assistant\n<think>"
    assert codes(always) == []


def test_only_white_space_before_an_answer_is_no_header():
    template = "{% for m in messages %}{{ m.content }}\n\n{% endfor %}"
    assert codes(template, TALK) == []


def test_a_template_that_takes_no_answers_tells_nothing():
    refusing = (
        "{% for m in messages if m.role == 'assistant' %}{{ raise_exception('') }}{% endfor %}"
    )
    assert codes(refusing + NO_PROMPT) == []


# -- tools --------------------------------------------------------------------------------

NO_TOOLS = broken("{% if tools %}tools: {{ tools | tojson }}\n{% endif %}", "")


def test_tools_that_are_ignored():
    findings = found(NO_TOOLS, HELLO, [WEATHER, CLOCK])
    assert [finding.code for finding in findings] == ["tool-ignored"] * 2
    assert "weather" in findings[0].message
    assert findings[1].evidence.startswith("tools[1] ")


def test_without_tools_none_are_ignored():
    assert codes(NO_TOOLS) == []


def test_only_the_first_tool_is_shown():
    (finding,) = found(broken("{{ tools |", "{{ tools[:1] |"), HELLO, [WEATHER, CLOCK])
    assert finding.message == "the template ignores the tool clock"


def test_a_tool_that_is_left_out_for_its_name():
    listed = "{% for t in tools if t.function.name != 'clock' %}{{ t | tojson }}{% endfor %}"
    (finding,) = found(broken("{{ tools | tojson }}", listed), HELLO, [WEATHER, CLOCK])
    assert finding.message == "the template ignores the tool clock"


def test_a_tool_that_is_only_counted():
    counting = broken("{{ tools | tojson }}", "{{ tools | length }}")
    assert codes(counting, HELLO, [WEATHER]) == ["tool-ignored"]


def test_a_definition_of_which_parts_are_ignored():
    listed = (
        "{% for t in tools %}{{ t.function.name | upper }}"
        "{{ t.function.parameters.properties | list }}{% endfor %}"
    )
    (finding,) = found(broken("{{ tools | tojson }}", listed), HELLO, [WEATHER])
    assert finding.code == "tool-ignored"
    assert finding.evidence == (
        "tools[0] leaves no trace of: description, parameters.city.description"
    )


def test_tools_as_typescript_are_shown():
    listed = (
        "{% for t in tools %}// {{ t.function.description }}\ntype {{ t.function.name }} = (_: {\n"
        "{% for name, p in ((t.function.parameters or {}).properties or {}).items() %}"
        "// {{ p.description }}\n{{ name }}: {{ p.type }},{% endfor %} }) => any;\n{% endfor %}"
    )
    assert codes(broken("{{ tools | tojson }}", listed), HELLO, [WEATHER, CLOCK]) == []


# -- roles --------------------------------------------------------------------------------


def test_roles_that_are_dropped():
    template = broken("for m in messages %}", "for m in messages if m.role != 'system' %}")
    (finding,) = found(template, TALK)
    assert finding.code == "role-dropped"
    assert "'system'" in finding.message
    assert finding.evidence.startswith("messages[0].content ")


def test_a_dropped_role_is_one_warning():
    template = broken("for m in messages %}", "for m in messages if m.role != 'tool' %}")
    messages = [*CALLS, CALLS[2], {"role": "tool", "content": [{"type": "image"}]}]
    (finding,) = found(template, messages, [WEATHER])
    assert finding.code == "role-dropped"
    assert finding.evidence == "messages[2].content, messages[3].content left no trace"


def test_a_role_that_is_dropped_where_it_does_not_occur():
    template = broken("for m in messages %}", "for m in messages if m.role != 'system' %}")
    assert codes(template, TALK[1:]) == []


def test_a_system_message_inside_the_first_question_is_not_dropped():
    template = (
        "{% set start = messages[0].content ~ '\n\n' if messages[0].role == 'system' else '' %}"
        "{% for m in messages if m.role != 'system' %}<|im_start|>{{ m.role }}\n"
        "{{ start if loop.first }}{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    assert codes(template, TALK) == []


# -- content ------------------------------------------------------------------------------


def test_a_message_that_disappears():
    template = broken("for m in messages %}", "for m in messages[:1] + messages[2:] %}")
    (finding,) = found(template, TALK)
    assert (finding.code, finding.message) == ("content-dropped", "messages[1].content disappears")
    assert "weather" in finding.evidence


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ("m.content[:20]", "the end of messages[0].content disappears"),
        ("m.content.split('###')[-1]", "the beginning of messages[0].content disappears"),
        ("m.content.replace('secret', '')", "a part of messages[0].content disappears"),
    ],
)
def test_a_piece_of_content_that_disappears(shown, message):
    messages = [{"role": "user", "content": "before ### the secret ### and after"}]
    (finding,) = found(broken("{{ m.content }}", f"{{{{ {shown} }}}}"), messages)
    assert (finding.code, finding.message) == ("content-dropped", message)


@pytest.mark.parametrize("shown", ["m.content.strip()", "m.content | tojson", "m.content | upper"])
def test_content_that_is_trimmed_or_escaped_is_there(shown):
    assert codes(broken("{{ m.content }}", f"{{{{ {shown} }}}}"), TALK) == []


def test_parts_that_disappear():
    text_only = "{% for p in m.content if p.type == 'text' %}{{ p.text }}{% endfor %}"
    parts = [{"type": "text", "text": "Look:"}, {"type": "image", "url": "x"}]
    (finding,) = found(broken("{{ m.content }}", text_only), [{"role": "user", "content": parts}])
    assert finding.message == "messages[0].content[1] disappears"
    assert "'image'" in finding.evidence


def test_a_text_part_that_disappears():
    first_only = "{{ m.content if m.content is string else m.content[0].text }}"
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    (finding,) = found(broken("{{ m.content }}", first_only), [{"role": "user", "content": parts}])
    assert finding.message == "messages[0].content[1].text disappears"


@pytest.mark.parametrize("arguments", [{"city": "X"}, '{"city": "X"}'])
def test_calls_that_disappear(arguments):
    template = broken("{{ c.function | tojson }}", "")
    call = {**CALL, "function": {"name": "weather", "arguments": arguments}}
    messages = [CALLS[0], {**CALLS[1], "tool_calls": [call]}]
    assert [finding.message for finding in found(template, messages)] == [
        "messages[1].tool_calls[0].name disappears",
        "messages[1].tool_calls[0].arguments disappears",
    ]


def test_content_that_disappears_beside_a_call():
    template = broken("{{ m.content }}", "{{ m.content if not m.tool_calls }}")
    (finding,) = found(template, CALLS)
    assert finding.message == "messages[1].content disappears"


def test_reasoning_that_disappears_between_calls():
    messages = [CALLS[0], {**CALLS[1], "reasoning": "Hm."}, CALLS[2]]
    (finding,) = found(HEADERS, messages)
    assert finding.message == "messages[1].reasoning disappears"
    assert codes(CHATML_TEMPLATE, messages) == []


def test_reasoning_of_the_past_may_disappear():
    answer = {"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}
    assert codes(HEADERS, [*HELLO, answer, *HELLO]) == []
    written = {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}
    assert codes(CHATML_TEMPLATE, [*HELLO, written, *HELLO]) == []


def test_a_marker_that_the_conversation_contains():
    messages = [{"role": "user", "content": "zq1z zq2z ZQKQ3z"}]
    assert codes(HEADERS, messages) == []
    assert codes(broken("{{ m.content }}", "zq1z"), messages) == ["role-dropped"]


def test_variables_reach_the_template():
    template = broken("{{ m.content }}", "{{ m.content if shown }}")
    assert codes(template, HELLO, shown=True) == []
    assert codes(template, HELLO, shown=False) == ["role-dropped"]
