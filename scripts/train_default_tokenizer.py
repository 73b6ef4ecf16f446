"""Train the small tokenizer that ships with textcore, on text that every Python has.

A Qwen-style model of 4,096 tokens: NFC, Qwen's split pattern, byte-level BPE, the ChatML
control tokens, and the reasoning and tool tags as added tokens that are ordinary text.
It exists so that the command line, the guide and the tests run with nothing downloaded;
it is no model's tokenizer.

The text is the documentation in the standard library: the docstrings of its Python files
and the language reference that ``pydoc`` carries, read in sorted order. The same Python
version gives the same file, byte for byte. The committed one was made by CPython 3.11.7
with ``tokenizers`` 0.23.3; another version has other documentation and so other merges.

    python scripts/train_default_tokenizer.py [--out DIR]

Needs the ``tokenizers`` package (it is in the ``test`` extra). Algorithm: byte-pair
encoding, Sennrich et al. 2016 (arXiv:1508.07909), over bytes as in GPT-2.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VOCAB_SIZE = 4096
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = (
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
)
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Not on every machine: distributions leave these out of a basic Python.
OPTIONAL_MODULES = frozenset({"ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo"})
DEFAULT_OUT = Path(__file__).resolve().parent.parent / "textcore" / "data" / "default"


def source_files(stdlib: Path) -> Iterator[Path]:
    """The standard library's Python files, sorted by name, without optional parts."""
    for name in sorted(sys.stdlib_module_names - OPTIONAL_MODULES):
        if name.startswith("_sysconfigdata"):  # where Python was built, not what it is
            continue
        if (stdlib / f"{name}.py").is_file():
            yield stdlib / f"{name}.py"
        elif (stdlib / name / "__init__.py").is_file():
            for path in sorted((stdlib / name).rglob("*.py")):
                if OPTIONAL_MODULES.isdisjoint(path.relative_to(stdlib).parts):
                    yield path


def docstrings(source: str) -> Iterator[str]:
    """Every docstring of one Python file, outermost first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes, in files that aren't ours
        tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented):
            text = ast.get_docstring(node)
            if text:
                yield text


def documentation() -> Iterator[str]:
    """The standard library's documentation, one text at a time, in a fixed order."""
    from pydoc_data.topics import topics

    for path in source_files(Path(sysconfig.get_path("stdlib"))):
        if path.parent.name != "pydoc_data":
            yield from docstrings(path.read_text(encoding="utf-8"))
    for topic in sorted(topics):
        yield topics[topic]


def train(texts: Iterator[str]) -> dict[str, Any]:
    """The trained tokenizer, as the object that a tokenizer.json holds."""
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False),
        ]
    )
    tokenizer.post_processor = processors.ByteLevel(
        add_prefix_space=False, trim_offsets=False, use_regex=False
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE - len(SPECIAL) - len(TAGS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in SPECIAL])
    tokenizer.add_tokens([AddedToken(t, normalized=False, special=False) for t in TAGS])
    result: dict[str, Any] = json.loads(tokenizer.to_str())
    return result


def config() -> dict[str, Any]:
    """The tokenizer_config.json beside it; the chat template is ``CHATML_TEMPLATE``."""
    return {
        "add_bos_token": False,
        "add_prefix_space": False,
        "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
        "bos_token": None,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|im_end|>",
        "errors": "replace",
        "model_max_length": 131072,
        "pad_token": "<|endoftext|>",
        "split_special_tokens": False,
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": None,
    }


def main() -> None:
    """Train, and write both files into a directory."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="where the files go")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    spec = json.dumps(train(documentation()), ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_text(spec + "\n", encoding="utf-8", newline="\n")
    settings = json.dumps(config(), indent=2)
    (out / "tokenizer_config.json").write_text(settings + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
