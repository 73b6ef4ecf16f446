"""Files with a field dropped, added or changed: what the reference loads is loaded, and gives
the same ids, or is refused for one of the documented reasons."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.errors import SpecError, UnsupportedError

TOKENS = "<unk> a b ab ▁ ▁a ##b c é Ġ Ġa 1 2 12 A B 日 <s> </s>".split()  # noqa: SIM905
VOCAB = {token: index for index, token in enumerate(TOKENS)}
MODELS: list[dict[str, Any]] = [
    {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>",
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": VOCAB,
        "merges": [["a", "b"], ["▁", "a"], ["1", "2"], ["Ġ", "a"]],
    },
    {
        "type": "WordPiece",
        "unk_token": "<unk>",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": VOCAB,
    },
    {"type": "WordLevel", "unk_token": "<unk>", "vocab": VOCAB},
    {
        "type": "Unigram",
        "unk_id": 0,
        "vocab": [[token, -float(index % 5) - 1.5] for index, token in enumerate(TOKENS)],
        "byte_fallback": False,
    },
]
BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
MARKS = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
OLD_MARKS = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"}
BY_SPACES = {
    "type": "Split",
    "pattern": {"String": " "},
    "behavior": "Removed",
    "invert": False,
}
DIGITS = {"type": "Digits", "individual_digits": True}
PREFIX = [
    {"SpecialToken": {"id": "<s>", "type_id": 0}},
    {"Sequence": {"id": "A", "type_id": 0}},
]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": PREFIX,
    "pair": [*PREFIX, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [17], "tokens": ["<s>"]}},
}
BERT = {"sep": ["</s>", 18], "cls": ["<s>", 17]}
PARTS: dict[str, list[Any]] = {
    "normalizer": [
        None,
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
        {"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": "c"},
        {"type": "Prepend", "prepend": "▁"},
    ],
    "pre_tokenizer": [
        None,
        BYTES,
        MARKS,
        OLD_MARKS,
        {"type": "CharDelimiterSplit", "delimiter": "b"},
        {"type": "Sequence", "pretokenizers": [BY_SPACES, DIGITS]},
        {"type": "Punctuation", "behavior": "Isolated"},
    ],
    "post_processor": [
        None,
        TEMPLATE,
        {"type": "BertProcessing", **BERT},
        {"type": "RobertaProcessing", **BERT, "trim_offsets": True, "add_prefix_space": True},
        {"type": "Sequence", "processors": [BYTES, TEMPLATE]},
    ],
    "decoder": [
        None,
        BYTES,
        MARKS,
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    ],
    "truncation": [
        None,
        {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
    ],
    "padding": [
        None,
        {
            "strategy": "BatchLongest",
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
    ],
    "model": MODELS,
}
WORDS = "Always first First never Isolated MergedWithNext isolated Left right BPE NFC Sequence"
VALUES = st.one_of(
    st.sampled_from([None, True, 0, 1, -1, 1.5, 2**40, "", "a", "▁", "ab", [], {}, [1], ["a", 1]]),
    st.sampled_from([{"String": "a"}, {"Regex": "["}, {"Regex": "(?<=a)b"}, {"Fixed": 3}]),
    st.sampled_from([*WORDS.split(), "Metaspace", "OnlyFirst"]),
)
FLAGS = ["add_prefix_space", "split", "use_regex", "cleanup", "fuse_unk"]
NAMES = st.sampled_from(
    [*FLAGS, "unknown", "type", "str_rep", "prepend_scheme", "prefix", "suffix", "dropout"]
)
# What docs/components.md says is refused though the reference loads it.
DOCUMENTED = re.compile(
    r"makes encoding random|ids? .*2\*\*31|from [01] to 2\*\*31|length.*0|found a list"
)
TEXTS = ("a b ab", "  a", "", "ab12 A日é", "<s>ab</s> new", "Ab, b.a!", "aabb\n12\tc", "éa ▁ab Ġa")


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every field and entry in a specification but for those of vocabularies."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        yield value, key
        if isinstance(inner, (dict, list)) and key != "vocab":
            yield from places(inner)


@st.composite
def mutated(draw: Callable[..., Any]) -> str:
    spec: dict[str, Any] = {"version": "1.0", "added_tokens": []}
    for name, choices in PARTS.items():
        spec[name] = copy.deepcopy(draw(st.sampled_from(choices)))
    for _ in range(draw(st.integers(1, 2))):
        holder, key = draw(st.sampled_from(list(places(spec))))
        change = draw(st.sampled_from(["drop", "set", "add", "untype", "turn"]))
        if change == "drop":
            del holder[key]
        elif change == "set":
            holder[key] = copy.deepcopy(draw(VALUES))
        elif isinstance(holder, dict):
            if change == "add":
                holder[draw(NAMES)] = copy.deepcopy(draw(VALUES))
            elif change == "untype":
                holder.pop("type", None)
            else:
                holder |= {name: holder.pop(name) for name in reversed(list(holder))}
    return json.dumps(spec)


def with_reference(call: Callable[[], Any]) -> Any:
    """What a call of the reference gives, or an exception: some of its own are no Exception."""
    try:
        return call()
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return error


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_what_the_reference_loads_is_loaded(text: str) -> None:
    expected = with_reference(lambda: tokenizers.Tokenizer.from_str(text))
    if isinstance(expected, BaseException):
        return
    try:
        ours = Tokenizer.from_str(text)
    except (SpecError, UnsupportedError) as error:
        if DOCUMENTED.search(str(error)):
            return
        raise
    for sample in TEXTS:
        encoding = with_reference(lambda sample=sample: expected.encode(sample))
        if not isinstance(encoding, BaseException):
            assert ours.encoding(sample).ids == encoding.ids
            assert ours.decode(encoding.ids, True) == expected.decode(encoding.ids)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_what_the_reference_refuses_is_refused(text: str) -> None:
    expected = with_reference(lambda: tokenizers.Tokenizer.from_str(text))
    if isinstance(expected, BaseException):
        try:
            Tokenizer.from_str(text)
        except SpecError:
            return
        raise AssertionError(f"the reference says: {expected}")
