"""render_chat and the compiled templates: errors, caching, threads, what reaches a template."""

import threading

import pytest
from chat_cases import HELLO, cases
from compare_chat_templates import SPECIAL, ours, reference, reference_tokenizer

from textcore.chat.chatml import CHATML_TEMPLATE
from textcore.chat.errors import (
    PromptError,
    PromptTypeError,
    TemplateFailure,
    TemplateRefusal,
    TemplateSecurityError,
)
from textcore.chat.prompts import ChatPrompts
from textcore.chat.templates import _TemplateCache, compile_template, render_chat


@pytest.fixture(scope="module")
def tokenizer():
    return reference_tokenizer()


def test_chatml_renders_as_the_reference_on_every_case(tokenizer):
    prompts = ChatPrompts(SPECIAL)
    wrong = [
        case.name
        for case in cases()
        if ours(prompts, CHATML_TEMPLATE, case) != reference(tokenizer, CHATML_TEMPLATE, case)
    ]
    assert wrong == []


def test_chatml_turns():
    text = render_chat(CHATML_TEMPLATE, [{"role": "system", "content": "S"}, HELLO])
    assert text == (
        "<|im_start|>system\nS<|im_end|>\n"
        "<|im_start|>user\nHello, wie geht's? 你好 👋🏽<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_chatml_groups_tool_results_and_keeps_fresh_reasoning():
    messages = [
        HELLO,
        {
            "role": "assistant",
            "content": None,
            "reasoning": "Look.",
            "tool_calls": [{"function": {"name": "f", "arguments": {"ü": 1}}}],
        },
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
    ]
    text = render_chat(CHATML_TEMPLATE, messages)
    assert text.endswith(
        "<|im_start|>assistant\n<think>\nLook.\n</think>\n\n"
        '<tool_call>\n{"name": "f", "arguments": {"ü": 1}}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n"
        "<tool_response>\n2\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )


def test_chatml_drops_reasoning_before_the_last_question():
    messages = [
        HELLO,
        {"role": "assistant", "content": "<think>\nold\n</think>\n\nAnswer"},
        HELLO,
    ]
    text = render_chat(CHATML_TEMPLATE, messages)
    assert "old" not in text
    assert "<|im_start|>assistant\nAnswer<|im_end|>" in text


@pytest.mark.parametrize("thinking", [True, None])
def test_chatml_thinks_unless_told_not_to(thinking):
    variables = {} if thinking is None else {"enable_thinking": thinking}
    assert render_chat(CHATML_TEMPLATE, [HELLO], **variables).endswith("assistant\n")


def test_chatml_thinking_off():
    text = render_chat(CHATML_TEMPLATE, [HELLO], enable_thinking=False)
    assert text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_refusal_carries_message_and_line():
    with pytest.raises(TemplateRefusal) as caught:
        render_chat("a\nb\n{{ raise_exception('Rollen müssen wechseln') }}", [HELLO])
    assert caught.value.message == "Rollen müssen wechseln"
    assert caught.value.line == 3
    assert str(caught.value) == "Rollen müssen wechseln (chat template, line 3)"


def test_refusal_inside_a_macro_names_the_macros_line():
    template = "{% macro f() %}\n{{ raise_exception('x') }}\n{% endmacro %}\n\n{{ f() }}"
    with pytest.raises(TemplateRefusal) as caught:
        render_chat(template, [HELLO])
    assert caught.value.line == 2


def test_syntax_error_names_the_line():
    with pytest.raises(TemplateFailure) as caught:
        compile_template("a\n{% endfor %}")
    assert caught.value.line == 2
    assert "endfor" in caught.value.message


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages.__class__.__mro__ }}",
        "{{ ''.__class__.__base__.__subclasses__() }}",
        "{{ (messages|attr('__class__')).x }}",
        "{{ '{0.__class__.__mro__}'.format(messages) }}",
        "{{ raise_exception.__call__.x }}",
        "{{ namespace.__init__.__globals__ }}",
        "{{ messages.append({}) }}",
        "{{ messages[0].update({'role': 'x'}) }}",
        "{{ namespace(_x=1) }}",
    ],
)
def test_python_internals_are_refused(template):
    with pytest.raises(TemplateSecurityError):
        render_chat(template, [HELLO])


def test_only_plain_data_reaches_the_template():
    class Picture:
        def save(self):
            raise AssertionError("a template called a method of the caller's object")

    template = "{{ messages[0].image }}{{ picture.save is defined }}{{ picture }}"
    text = render_chat(template, [{"role": "user", "image": Picture()}], picture=Picture())
    assert text == "<Picture>False<Picture>"


def test_documents_and_tools_are_always_defined():
    template = "{{ documents is none }}{{ tools is none }}{{ add_generation_prompt }}"
    assert render_chat(template, [HELLO]) == "TrueTrueTrue"


def test_documents_must_be_dicts():
    with pytest.raises(PromptTypeError, match="Documents should be a list of dicts"):
        render_chat("x", [HELLO], documents=["text"])


def test_empty_conversation():
    with pytest.raises(PromptError, match="empty conversation"):
        render_chat("x", [])


def test_message_of_a_wrong_type():
    with pytest.raises(PromptTypeError, match="but got 'hi'"):
        render_chat("x", ["hi"])


def test_own_variables_cannot_be_replaced():
    with pytest.raises(PromptError, match="'messages'"):
        ChatPrompts({"chat_template": "x"}).render([HELLO], messages=[])


def test_conversation_that_contains_itself():
    loop: list = []
    loop.append(loop)
    with pytest.raises(PromptError, match="nested too deeply"):
        render_chat("x", [{"role": "user", "content": loop}])


def test_strftime_now_is_todays_date(tokenizer):
    template = "{{ strftime_now('%Y-%m-%d') }}"
    assert render_chat(template, [HELLO]) == tokenizer.apply_chat_template(
        [HELLO], chat_template=template, tokenize=False
    )


def test_compiled_templates_are_cached():
    assert compile_template("{{ 1 }}!") is compile_template("{{ 1 }}!")


def test_the_cache_is_bounded_and_drops_the_least_recently_used():
    cache = _TemplateCache(2)
    first, second = cache.get("1"), cache.get("2")
    assert cache.get("1") is first
    cache.get("3")
    assert cache.get("1") is first
    assert cache.get("2") is not second


def test_threads_render_the_same_template_apart():
    results = [""] * 8

    def work(index):
        messages = [{"role": "user", "content": str(index) * 50}] * 20
        results[index] = render_chat(CHATML_TEMPLATE, messages)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, text in enumerate(results):
        assert text.count(str(index) * 50) == 20
