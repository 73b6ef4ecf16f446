"""What the reference loads is loaded, and what it refuses is refused: one field at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import tokenizers
from unicode_tables.graphemes import charsmap

from textcore import Tokenizer
from textcore.errors import SpecError

WORD_LEVEL = {"type": "WordLevel", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]"}
BLANK: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": WORD_LEVEL,
}
BYTE_LEVEL = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
METASPACE = {"replacement": "_", "prepend_scheme": "always", "split": True}
A = {"Sequence": {"id": "A", "type_id": 0}}
B = {"Sequence": {"id": "B", "type_id": 1}}
COMPONENTS: dict[str, dict[str, dict[str, Any]]] = {
    "normalizer": {
        "NFC": {},
        "Strip": {"strip_left": True, "strip_right": True},
        "StripAccents": {},
        "Nmt": {},
        "ByteLevel": {},
        "Replace": {"pattern": {"String": "a"}, "content": "b"},
        "Prepend": {"prepend": "x"},
        "Bert": {
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "Precompiled": {"precompiled_charsmap": charsmap({"a": "b"})},
        "Sequence": {"normalizers": [{"type": "NFD"}]},
    },
    "pre_tokenizer": {
        "BertPreTokenizer": {},
        "ByteLevel": BYTE_LEVEL,
        "CharDelimiterSplit": {"delimiter": "x"},
        "Metaspace": {**METASPACE, "add_prefix_space": True, "str_rep": "_"},
        "Whitespace": {},
        "Sequence": {"pretokenizers": [{"type": "Whitespace"}]},
        "Split": {"pattern": {"Regex": "a"}, "behavior": "Isolated", "invert": False},
        "Punctuation": {"behavior": "Isolated"},
        "Digits": {"individual_digits": True},
        "UnicodeScripts": {},
        "FixedLength": {"length": 3},
    },
    "model": {
        "BPE": {
            "vocab": {"a": 0, "b": 1, "ab": 2},
            "merges": ["a b"],
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "dropout": None,
        },
        "WordPiece": {
            "vocab": {"a": 0},
            "unk_token": "a",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        },
        "WordLevel": {"vocab": {"a": 0}, "unk_token": "a"},
        "Unigram": {"vocab": [["a", -1.0], ["b", -2]], "unk_id": 0, "byte_fallback": False},
    },
    "decoder": {
        "BPEDecoder": {"suffix": "x"},
        "ByteLevel": BYTE_LEVEL,
        "WordPiece": {"prefix": "##", "cleanup": True},
        "Metaspace": METASPACE,
        "CTC": {"pad_token": "p", "word_delimiter_token": "|", "cleanup": True},
        "Sequence": {"decoders": [{"type": "Fuse"}]},
        "Replace": {"pattern": {"String": "a"}, "content": "b"},
        "Fuse": {},
        "Strip": {"content": "a", "start": 1, "stop": 0},
        "ByteFallback": {},
    },
    "post_processor": {
        "RobertaProcessing": {
            "sep": ["a", 0],
            "cls": ["a", 0],
            "trim_offsets": True,
            "add_prefix_space": True,
        },
        "BertProcessing": {"sep": ["a", 0], "cls": ["a", 0]},
        "ByteLevel": BYTE_LEVEL,
        "TemplateProcessing": {"single": [A], "pair": [A, B], "special_tokens": {}},
        "Sequence": {"processors": []},
    },
}
MISSING = object()
VALUES = (
    MISSING, None, True, 0, -1, 1.5, 2**33, 2**70, "", "x", "xx", [], {}, ["a b"],
    {"String": "x"}, [["a", 1]], [["a", "b"]], "first", "Removed",
)  # fmt: skip
# What the reference loads and textcore refuses; the reasons are in docs/components.md.
REFUSED = {
    ("FixedLength", "length", 0),
    ("BPE", "dropout", 1),
}


def variants(part: str, kind: str) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    whole = {"type": kind, **COMPONENTS[part][kind]}
    for key in (*whole, "extra"):
        for value in (*VALUES, 1) if key == "dropout" else VALUES:
            component = {**whole, key: value}
            if value is MISSING:
                del component[key]
            yield key, value, {**BLANK, part: component}


def loads_there(spec: dict[str, Any]) -> bool:
    try:
        tokenizers.Tokenizer.from_str(json.dumps(spec))
    except Exception:
        return False
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return False
    return True


def loads_here(spec: dict[str, Any]) -> bool:
    try:
        Tokenizer(spec)
    except SpecError:
        return False
    return True


@pytest.mark.parametrize(
    ("part", "kind"), [(part, kind) for part, kinds in COMPONENTS.items() for kind in kinds]
)
def test_one_field_at_a_time(part, kind):
    different = [
        (kind, key, value)
        for key, value, spec in variants(part, kind)
        if loads_here(spec) != loads_there(spec)
    ]
    assert set(map(repr, different)) == set(map(repr, (r for r in REFUSED if r[0] == kind)))
