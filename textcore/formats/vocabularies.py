"""Reading vocab.json with merges.txt, and vocab.txt: a vocabulary, and nothing around it.

How a text is normalized and split stands in the tokenizer's class, which
tokenizer_config.json names as ``tokenizer_class``; without it, or with a class that is not
known here, such files are refused. The components are those of the class of that name in
``transformers`` 5.24.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from textcore.errors import SpecError, UnsupportedError
from textcore.formats.encodings import QWEN_PATTERN
from textcore.formats.huggingface import read_json
from textcore.pipeline.spec import Node, shorten

VOCAB_JSON, MERGES, VOCAB_TXT = "vocab.json", "merges.txt", "vocab.txt"
_END = "<|endoftext|>"
_FLAGS = ("single_word", "lstrip", "rstrip")
_NAMES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def has_vocabulary(folder: Path) -> Path | None:
    """The vocabulary file of a folder, or None."""
    if (folder / VOCAB_JSON).is_file() and (folder / MERGES).is_file():
        return folder / VOCAB_JSON
    return folder / VOCAB_TXT if (folder / VOCAB_TXT).is_file() else None


def vocabulary_spec(file: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """The specification of a vocabulary file and of what stands beside it.

    Raises SpecError, UnsupportedError and OSError.
    """
    known = _JSON_CLASSES if file.name == VOCAB_JSON else _TEXT_CLASSES
    name = config.get("tokenizer_class")
    kind = name.removesuffix("Fast") if isinstance(name, str) else ""
    if kind not in known:
        raise UnsupportedError(
            "",
            "a vocabulary does not say how texts are split, and tokenizer_config.json names "
            f"no class that does: tokenizer_class is {shorten(name)}; known: {', '.join(known)}",
        )
    return known[kind](file, Node(dict(config), "tokenizer_config"))


# ---------------------------------------------------------------- classes


def _byte_level(add_prefix_space: bool, use_regex: bool) -> dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": True,
        "use_regex": use_regex,
    }


def _bpe(file: Path) -> dict[str, Any]:
    return {
        "type": "BPE",
        "vocab": read_json(file),
        "merges": _read_merges(file.with_name(MERGES)),
    }


def _gpt2(file: Path, config: Node) -> dict[str, Any]:
    space = bool(config.get("add_prefix_space", bool, None))
    return {
        "pre_tokenizer": _byte_level(space, True),
        "decoder": _byte_level(True, True),
        "model": _bpe(file),
        "added_tokens": _added(config, {"bos": _END, "eos": _END, "unk": _END}),
    }


def _qwen2(file: Path, config: Node) -> dict[str, Any]:
    split = {
        "type": "Split",
        "pattern": {"Regex": QWEN_PATTERN},
        "behavior": "Isolated",
        "invert": False,
    }
    space = bool(config.get("add_prefix_space", bool, None))
    return {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, _byte_level(space, False)]},
        "decoder": _byte_level(True, True),
        "model": _bpe(file),
        "added_tokens": _added(config, {"eos": _END, "unk": _END, "pad": _END}),
    }


def _bert(file: Path, config: Node) -> dict[str, Any]:
    defaults = {name: f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")}
    vocab = _read_lines(file)
    names = {name: _named(config, name, default) for name, default in defaults.items()}
    ids = {}
    for name in ("cls", "sep"):
        if names[name] not in vocab:
            raise SpecError(VOCAB_TXT, f"lacks the {name}_token {shorten(names[name])}")
        ids[name] = vocab[names[name] or ""]
    lower = config.get("do_lower_case", bool, True)
    chinese = config.get("tokenize_chinese_chars", bool, True)
    return {
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": chinese,
            "strip_accents": config.get("strip_accents", bool, None),
            "lowercase": lower,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": _template(names, ("A", 0)),
            "pair": [*_template(names, ("A", 0)), *_template(names, ("B", 1))[1:]],
            "special_tokens": {
                text: {"id": text, "ids": [ids[name]], "tokens": [text]}
                for name, text in names.items()
                if name in ids
            },
        },
        "model": {
            "type": "WordPiece",
            "vocab": vocab,
            "unk_token": names["unk"] or "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        },
        "added_tokens": _added(config, defaults),
    }


def _template(names: Mapping[str, str | None], sequence: tuple[str, int]) -> list[dict[str, Any]]:
    name, type_id = sequence
    return [
        {"SpecialToken": {"id": names["cls"], "type_id": type_id}},
        {"Sequence": {"id": name, "type_id": type_id}},
        {"SpecialToken": {"id": names["sep"], "type_id": type_id}},
    ]


_Reader = Callable[[Path, Node], dict[str, Any]]
_JSON_CLASSES: dict[str, _Reader] = {"GPT2Tokenizer": _gpt2, "Qwen2Tokenizer": _qwen2}
_TEXT_CLASSES: dict[str, _Reader] = {"BertTokenizer": _bert}


# ---------------------------------------------------------------- files


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(file.name, f"byte {error.start} is not UTF-8") from None


def _read_lines(file: Path) -> dict[str, int]:
    """A token a line, its id the number of the line; of equal ones the last counts."""
    lines = _text(file).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return {line: index for index, line in enumerate(lines)}


def _read_merges(file: Path) -> list[str]:
    merges = []
    for number, line in enumerate(_text(file).split("\n"), 1):
        line = line.rstrip("\r")
        if not line or line.startswith("#version"):
            continue
        if line.count(" ") != 1:
            raise SpecError(f"{file.name} line {number}", f"{shorten(line)} is not two tokens")
        merges.append(line)
    return merges


def _named(config: Node, name: str, default: str | None) -> str | None:
    """The special token of that name: a text, or an object with the text as ``content``."""
    value = config.data.get(f"{name}_token", default)
    if isinstance(value, dict):
        value = Node(value, config.at(f"{name}_token")).get("content", str)
    if value is not None and not isinstance(value, str):
        raise config.error(f"{name}_token", f"expected a string, found {shorten(value)}")
    return value


def _added(config: Node, defaults: Mapping[str, str]) -> list[dict[str, Any]]:
    """Added tokens: those listed, by their ids, then special ones that are only named."""
    tokens: dict[str, dict[str, Any]] = {}
    listed = config.child("added_tokens_decoder")
    entries = listed.data if listed else {}
    if not all(key.isdecimal() and len(key) <= 10 for key in entries):
        raise config.error("added_tokens_decoder", "a key that is no id")
    for key in sorted(entries, key=int):
        node = Node(entries[key], f"{config.at('added_tokens_decoder')}.{key}")
        content, special = node.get("content", str), node.get("special", bool, False)
        tokens[content] = {
            "content": content,
            "special": special,
            "normalized": node.get("normalized", bool, not special),
            **{flag: node.get(flag, bool, False) for flag in _FLAGS},
        }
    for name in _NAMES:
        text = _named(config, name, defaults.get(name))
        if text is not None:
            plain = {"content": text, "special": True, "normalized": False}
            tokens.setdefault(text, {**plain, **dict.fromkeys(_FLAGS, False)})
    return [{"id": index, **token} for index, token in enumerate(tokens.values())]
