"""What vLLM and SGLang do with a tokenizer, on textcore: ``python serving.py MODEL_DIR``.

Neither engine is needed: these are the calls that they make, in their order.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from typing import Any

import textcore.compat.engines

MESSAGES = [{"role": "user", "content": "What is 你好 👩‍👩‍👧‍👦? Say <|im_end|>."}]


def load(model: str) -> Any:
    """As vLLM (``vllm/tokenizers/hf.py``) and SGLang (``hf_transformers/tokenizer.py``) do."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(
        model,
        trust_remote_code=False,
        revision=None,
        cache_dir=None,
        use_fast=True,
        truncation_side="left",
        clean_up_tokenization_spaces=False,
    )


def vllm_prompt(tokenizer: Any, text: str) -> list[int]:
    """A copy with another class is what vLLM keeps; it encodes on several threads."""
    cached = copy.copy(tokenizer)
    cached.__class__ = type(f"Cached{type(tokenizer).__name__}", (type(tokenizer),), {})
    ids: list[int] = copy.deepcopy(cached).encode(text, add_special_tokens=False)
    return ids


def vllm_stream(tokenizer: Any, prompt: Sequence[int], ids: Sequence[int]) -> list[str]:
    """``FastIncrementalDetokenizer``: the end of the prompt first, then token by token."""
    from tokenizers.decoders import DecodeStream

    stream = DecodeStream(skip_special_tokens=True)
    backend = tokenizer._tokenizer
    backend.added_token_ids = backend.get_added_tokens_decoder()
    for token in prompt[-4:]:
        stream.step(backend, token)
    return [stream.step(backend, token) or "" for token in ids]


def sglang_stream(tokenizer: Any, prompt: Sequence[int], ids: Sequence[int]) -> list[str]:
    """``DetokenizerManager``: two windows decoded, and what the second has more."""
    known, start, read = [*prompt[-5:]], 0, len(prompt[-5:])
    pieces = []
    for token in ids:
        known.append(token)
        before, after = tokenizer.batch_decode(
            [known[start:read], known[start:]],
            skip_special_tokens=True,
            spaces_between_special_tokens=True,
        )
        new = after[len(before) :]
        if new.endswith("\ufffd"):
            new = ""
        elif new:
            start, read = read, len(known)
        pieces.append(new)
    return pieces


def main(model: str) -> list[str]:
    """Everything once; each line says what has been done."""
    textcore.compat.engines.patch()
    tokenizer = load(model)
    assert isinstance(tokenizer.backend_tokenizer, textcore.compat.transformers.Backend)
    if tokenizer.chat_template:
        text = tokenizer.apply_chat_template(MESSAGES, tokenize=False, add_generation_prompt=True)
    else:
        text = MESSAGES[0]["content"]
    prompt = vllm_prompt(tokenizer, text)
    answer = tokenizer.encode("Hello! 你好 👩‍👩‍👧‍👦.", add_special_tokens=False)
    return [
        f"prompt: {len(prompt)} ids",
        f"vLLM streams: {''.join(vllm_stream(tokenizer, prompt, answer))}",
        f"SGLang streams: {''.join(sglang_stream(tokenizer, prompt, answer))}",
    ]


if __name__ == "__main__":
    print("\n".join(main(sys.argv[1])))
