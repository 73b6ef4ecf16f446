"""The calls of vLLM and SGLang, on textcore and on the original."""

from __future__ import annotations

import importlib.util
import pickle
import sys
import types
from pathlib import Path

import pytest
import tokenizers.decoders
from transformers import AutoTokenizer

from textcore.compat import engines
from textcore.compat.transformers import Backend
from textcore.data import DEFAULT_DIR

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
ORIGINAL = tokenizers.decoders.DecodeStream
TEXT = "Hello! 你好 👩‍👩‍👧‍👦.<|im_end|> e\u0301 \ufffd end"


def example(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def patched():
    engines.patch()
    yield
    engines.unpatch()


@pytest.fixture
def original():
    """A tokenizer that is not textcore's."""
    return AutoTokenizer.from_pretrained(str(DEFAULT_DIR))


@pytest.mark.parametrize("name", ["vllm_stream", "sglang_stream"])
def test_streams_give_what_the_original_gives(original, patched, name):
    serving = example("serving")
    ours = serving.load(str(DEFAULT_DIR))
    assert isinstance(ours.backend_tokenizer, Backend)
    assert not isinstance(original.backend_tokenizer, Backend)
    prompt, ids = (original.encode(text, add_special_tokens=False) for text in (TEXT[:9], TEXT))
    stream = getattr(serving, name)
    expected = stream(original, prompt, ids)
    assert len(expected) == len(ids)
    assert "你好" in "".join(expected)
    assert stream(ours, prompt, ids) == expected


def test_prompts_are_the_originals(original, patched):
    serving = example("serving")
    ours = serving.load(str(DEFAULT_DIR))
    expected = original.encode(TEXT, add_special_tokens=False)
    assert serving.vllm_prompt(ours, TEXT) == expected
    assert pickle.loads(pickle.dumps(ours)).encode(TEXT, add_special_tokens=False) == expected


def test_the_example_runs(patched):
    lines = example("serving").main(str(DEFAULT_DIR))
    assert lines[1:] == [
        "vLLM streams: Hello! 你好 👩‍👩‍👧‍👦.",
        "SGLang streams: Hello! 你好 👩‍👩‍👧‍👦.",
    ]


def test_a_module_that_has_the_name_already_gets_it_too(original):
    module = types.ModuleType("an_engines_module")
    module.DecodeStream = ORIGINAL
    sys.modules[module.__name__] = module
    try:
        engines.patch()
        assert module.DecodeStream is engines.Stream
        engines.patch()
        engines.unpatch()
        assert module.DecodeStream is tokenizers.decoders.DecodeStream is ORIGINAL
    finally:
        engines.unpatch()
        del sys.modules[module.__name__]
    assert not isinstance(AutoTokenizer.from_pretrained(str(DEFAULT_DIR))._tokenizer, Backend)


def test_components_of_the_original_can_be_put_back(original, patched):
    # What SGLang does where a class has replaced what the file says.
    ours = example("serving").load(str(DEFAULT_DIR))
    raw = tokenizers.Tokenizer.from_file(str(DEFAULT_DIR / "tokenizer.json"))
    backend = ours._tokenizer
    assert type(raw.pre_tokenizer).__name__ == type(backend.pre_tokenizer).__name__
    backend.pre_tokenizer, backend.decoder = raw.pre_tokenizer, raw.decoder
    assert ours.encode(TEXT) == original.encode(TEXT)
