"""``apply_chat_template`` with dicts and masks, as transformers gives them."""

from __future__ import annotations

import pytest
import trained
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from textcore import Tokenizer
from textcore.chat.errors import PromptError

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}"
    "{% else %}{{ m.content }}<|im_end|>{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
OURS = Tokenizer.from_str(trained.qwen_style().to_str())
THEIRS = PreTrainedTokenizerFast(tokenizer_object=trained.qwen_style())

messages = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["user", "assistant"]),
        st.text("ab é中\n'<|", max_size=12),
    ),
    min_size=1,
    max_size=5,
)


@given(conversation=messages, prompt=st.booleans())
def test_masks_are_transformers(conversation, prompt):
    options = {"return_dict": True, "return_assistant_tokens_mask": True}
    ours = OURS.apply_chat_template(
        conversation, chat_template=TEMPLATE, add_generation_prompt=prompt, **options
    )
    theirs = THEIRS.apply_chat_template(
        conversation, chat_template=TEMPLATE, add_generation_prompt=prompt, **options
    )
    assert ours["input_ids"] == theirs["input_ids"]
    assert ours["attention_mask"] == theirs["attention_mask"]
    assert ours["assistant_masks"] == theirs["assistant_masks"]


@given(batch=st.lists(messages, min_size=1, max_size=3))
def test_a_batch_gives_lists(batch):
    options = {"return_dict": True, "return_assistant_tokens_mask": True}
    ours = OURS.apply_chat_template(batch, chat_template=TEMPLATE, **options)
    theirs = THEIRS.apply_chat_template(
        batch, chat_template=TEMPLATE, add_generation_prompt=True, **options
    )
    assert ours == {name: theirs[name] for name in ours}


@given(conversation=messages)
def test_a_dict_without_a_mask(conversation):
    ids = OURS.apply_chat_template(conversation, chat_template=TEMPLATE)
    found = OURS.apply_chat_template(conversation, chat_template=TEMPLATE, return_dict=True)
    assert found == {"input_ids": ids, "attention_mask": [1] * len(ids)}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_dict": True, "tokenize": False},
        {"return_dict": True, "continue_final_message": True},
        {"return_dict": True, "sanitize_control_tokens": True},
    ],
)
def test_a_mask_needs_a_dict_of_ids(options):
    with pytest.raises(PromptError, match="return_assistant_tokens_mask"):
        OURS.apply_chat_template(
            [{"role": "user", "content": "x"}],
            chat_template=TEMPLATE,
            return_assistant_tokens_mask=True,
            **options,
        )
