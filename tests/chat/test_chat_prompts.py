# ruff: noqa: E501 (templates)
"""ChatPrompts: which template, which variables, continuation, batches, generation spans."""

import copy
import dataclasses
import enum
import json

import numpy as np
import pytest
from chat_cases import ANSWER, HELLO, SYSTEM, TOOLS, message
from compare_chat_templates import SPECIAL, reference_tokenizer
from pydantic import BaseModel
from transformers import PreTrainedTokenizerFast

from textcore.chat.chatml import CHATML_TEMPLATE
from textcore.chat.errors import PromptError, PromptTypeError
from textcore.chat.prompts import ChatPrompts, assistant_mask
from textcore.errors import SpecError

ECHO = "{{ messages }}|{{ tools }}|{{ documents }}|{{ bos_token }}|{{ extra }}"


@pytest.fixture(scope="module")
def tokenizer():
    return reference_tokenizer()


def both(tokenizer, conversation, template, **arguments):
    """The reference's prompt, after checking that ours is the same."""
    arguments = {"add_generation_prompt": False, **arguments}
    theirs = tokenizer.apply_chat_template(
        copy.deepcopy(conversation), chat_template=template, tokenize=False, **arguments
    )
    assert ChatPrompts(SPECIAL).render(conversation, chat_template=template, **arguments) == theirs
    return theirs


class Color(str, enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Said:
    role: str
    content: object = None
    tool_calls: object = None


class Model(BaseModel):
    role: str
    content: str | None = None
    extra: dict = {}


CONVERSATIONS = {
    "dataclasses": [Said("user", "x"), Said("assistant", [Said("a", 1)])],
    "pydantic": [Model(role="user", extra={"m": Model(role="x").model_dump()}), HELLO],
    "enum content": [message("user", Color.RED)],
    "numpy scalars": [message("user", [np.float64(0.5), np.int64(3), np.bool_(False)])],
    "numpy array": [message("user", np.zeros(3))],
    "tuples": [message("user", ("a", ("b",)))],
    "objects": [message("user", {"file": object, "f": len})],
    "keys": [{"role": "user", 3: None, 4: 5, Color.RED: 1}],
    "nested none": [message("user", [{"text": None}])],
    "tuple of messages": (HELLO, ANSWER),
    "thinking and reasoning": [message("assistant", "x", thinking="a", reasoning="b")],
    "empty reasoning": [message("assistant", "x", reasoning_content="", reasoning="b")],
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_plain_data_is_what_the_reference_makes(tokenizer, name):
    both(tokenizer, CONVERSATIONS[name], ECHO, extra=CONVERSATIONS[name])


def test_conversation_object(tokenizer):
    class Conversation:
        def __init__(self, messages):
            self.messages = messages

    both(tokenizer, Conversation([HELLO, ANSWER]), ECHO)
    both(tokenizer, [Conversation([HELLO]), Conversation([ANSWER])], ECHO)


def test_batch(tokenizer):
    texts = both(tokenizer, [[HELLO], [SYSTEM, HELLO, ANSWER]], CHATML_TEMPLATE, tools=TOOLS)
    assert len(texts) == 2


def test_variables_replace_special_tokens(tokenizer):
    assert both(tokenizer, [HELLO], "{{ bos_token }}", bos_token="<b>") == "<b>"


@pytest.mark.parametrize("content", ["Also: ", "Also:", "  \n", [{"type": "text", "text": "Ä "}]])
@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}<{{ m.content if m.content is string else m.content[0].text }}>{% endfor %}",
        "{% for m in messages %}<{{ (m.content if m.content is string else m.content[0].text)|trim }}>{% endfor %}",
        CHATML_TEMPLATE,
    ],
)
def test_continuation(tokenizer, content, template):
    both(tokenizer, [HELLO, message("assistant", content)], template, continue_final_message=True)


@pytest.mark.parametrize("field", ["reasoning_content", "thinking", "reasoning"])
def test_continuation_of_reasoning(tokenizer, field):
    conversation = [HELLO, message("assistant", "", **{field: "I think "})]
    text = both(tokenizer, conversation, CHATML_TEMPLATE, continue_final_message=field)
    assert text.endswith("I think ")


@pytest.mark.parametrize(
    ("conversation", "arguments"),
    [
        ([HELLO], {"continue_final_message": True, "add_generation_prompt": True}),
        ([message("assistant")], {"continue_final_message": True}),
        ([message("assistant", "x", note="y")], {"continue_final_message": "note"}),
        ([message("assistant", [{"type": "image"}])], {"continue_final_message": True}),
        ([message("assistant", 5)], {"continue_final_message": True}),
        ([message("critic", "x")], {"continue_final_message": True, "chat_template": "content"}),
        ([[]], {"continue_final_message": True}),
        ([], {}),
        (["text"], {}),
        ([HELLO, 5], {}),
        ([HELLO], {"tools": ["search"]}),
        ([HELLO], {"tools": [Color]}),
        ([HELLO], {"documents": ["x"]}),
    ],
)
def test_wrong_input_is_refused_with_the_references_message(tokenizer, conversation, arguments):
    arguments = {"chat_template": CHATML_TEMPLATE, "add_generation_prompt": False, **arguments}
    with pytest.raises((TypeError, ValueError)) as theirs:
        tokenizer.apply_chat_template(copy.deepcopy(conversation), tokenize=False, **arguments)
    with pytest.raises(PromptError) as mine:
        ChatPrompts(SPECIAL).render(conversation, **arguments)
    assert str(mine.value) == str(theirs.value)
    assert isinstance(mine.value, TypeError) == isinstance(theirs.value, TypeError)


NAMED = [
    {"name": "default", "template": "D"},
    {"name": "tool_use", "template": "T"},
    {"name": "rag", "template": "R"},
]


@pytest.mark.parametrize("source", ["S", NAMED, NAMED[1:], None])
@pytest.mark.parametrize("chosen", [None, "rag", "{{ 1 }}"])
@pytest.mark.parametrize("tools", [None, [], TOOLS])
def test_choice_of_template(source, chosen, tools):
    theirs = PreTrainedTokenizerFast(
        tokenizer_object=reference_tokenizer().backend_tokenizer, chat_template=source
    )
    prompts = ChatPrompts({"chat_template": source})
    assert choose(prompts.template_for, chosen, tools) == choose(
        theirs.get_chat_template, chosen, tools
    )


def choose(choice, *arguments):
    """What is chosen, or the message of the refusal."""
    try:
        return choice(*arguments)
    except ValueError as error:
        return str(error)


def test_template_files_replace_the_configs():
    prompts = ChatPrompts({"chat_template": "old"}, {"default": "new"})
    assert prompts.chat_template == "new"
    several = ChatPrompts({"chat_template": "old"}, {"default": "new", "rag": "r"})
    assert several.chat_template == {"default": "new", "rag": "r"}


@pytest.mark.parametrize("source", [5, [5], [{"name": "x"}], [{"name": 1, "template": "x"}]])
def test_template_of_a_wrong_type(source):
    with pytest.raises(SpecError, match="chat_template"):
        ChatPrompts({"chat_template": source})


ADDED = {"__type": "AddedToken", "content": "<eos>", "lstrip": False, "rstrip": False}
CONFIGS = {
    "strings": ({"bos_token": "<s>", "eos_token": "</s>", "pad_token": None}, None),
    "added tokens": ({"eos_token": ADDED, "image_token": "<img>", "boi_token": ADDED}, None),
    "flags": ({"add_bos_token": True, "bos_token": "<s>"}, None),
    "extra dict": ({"extra_special_tokens": {"audio_token": "<a>"}}, None),
    "extra list": ({"extra_special_tokens": ["<x>"], "additional_special_tokens": ["<y>"]}, None),
    "map": ({"bos_token": "<s>"}, {"bos_token": "<t>", "eos_token": {"content": "</t>"}}),
    "map ignored": ({"bos_token": "<s>", "added_tokens_decoder": {}}, {"bos_token": "<t>"}),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_special_tokens_are_those_of_the_reference(tmp_path, name):
    config, special_map = copy.deepcopy(CONFIGS[name])
    reference_tokenizer().backend_tokenizer.save(str(tmp_path / "tokenizer.json"))
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    if special_map is not None:
        (tmp_path / "special_tokens_map.json").write_text(json.dumps(special_map))
    theirs = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert ChatPrompts.from_dir(tmp_path).special_tokens == theirs.special_tokens_map


def test_special_token_of_a_wrong_type():
    with pytest.raises(SpecError, match="bos_token"):
        ChatPrompts({"bos_token": 5})


def test_folder_with_template_files(tmp_path):
    (tmp_path / "chat_template.jinja").write_text("D{{ bos_token }}\n")
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "rag.jinja").write_text("R")
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>", "chat_template": "old"}')
    prompts = ChatPrompts.from_dir(tmp_path)
    assert prompts.chat_template == {"default": "D{{ bos_token }}\n", "rag": "R"}
    assert prompts.render([HELLO]) == "D<s>"


def test_folder_with_the_legacy_template_file(tmp_path):
    (tmp_path / "chat_template.json").write_text('{"chat_template": "L"}')
    assert ChatPrompts.from_dir(tmp_path).chat_template == "L"


def test_folder_with_broken_json(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(SpecError, match=r"tokenizer_config\.json"):
        ChatPrompts.from_dir(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["messages", "tools", "documents", "add_generation_prompt", "bos_token", "cls_token",
     "chat_template", "raise_exception", "strftime_now", "namespace", "range", "date"],
)  # fmt: skip
def test_a_requests_variables_replace_nothing(name):
    prompts = ChatPrompts({**SPECIAL, "chat_template": "{{ thinking }}"})
    with pytest.raises(PromptError, match=repr(name)):
        prompts.render([HELLO], date="today", chat_template_kwargs={"thinking": 1, name: "x"})


def test_a_requests_variables_reach_the_template():
    prompts = ChatPrompts({"chat_template": "{{ thinking }}"})
    assert prompts.render([HELLO], chat_template_kwargs={"thinking": "on"}) == "on"


GENERATION = (
    "{% for m in messages %}{{ m.role }}: {% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content }}\n{% endgeneration %}{% else %}{{ m.content }}{% endif %}"
    "{% endfor %}"
)
IN_MACRO = (
    "{% macro f(t) %}<{% generation %}{{ t }}{% endgeneration %}>{% endmacro %}"
    "{% for m in messages %}{{ m.role }}{{ f(m.content) }}{% endfor %}"
    "{% set x %}ab{% generation %}cd{% endgeneration %}{% endset %}{{ x }}"
)


@pytest.mark.parametrize("template", [GENERATION, IN_MACRO, CHATML_TEMPLATE])
def test_generation_spans_are_the_references(template):
    from transformers.utils.chat_template_utils import render_jinja_template

    conversation = [SYSTEM, HELLO, ANSWER, HELLO, message("assistant", "Ä" * 50)]
    texts, spans = render_jinja_template(
        [conversation], chat_template=template, return_assistant_tokens_mask=True
    )
    mine = ChatPrompts().render_spans(
        conversation, chat_template=template, add_generation_prompt=False
    )
    assert (mine.text, mine.generation) == (texts[0], spans[0])


def test_assistant_mask():
    offsets = [(0, 2), (2, 4), (4, 6), (6, 6), (6, 9), (9, 10)]
    assert assistant_mask(offsets, [(3, 5), (9, 10)]) == [0, 1, 1, 0, 0, 1]
    assert assistant_mask(offsets, []) == [0] * 6


def test_wrong_message_type_is_also_a_type_error():
    with pytest.raises(PromptTypeError):
        ChatPrompts().render([5], chat_template="x")
