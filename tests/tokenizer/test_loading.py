"""What loads, what is refused, and that the refusal names the place."""

from __future__ import annotations

import copy
import json
import time

import pytest
import tokenizers
import trained
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.errors import SpecError, TextcoreError

SMALL = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [
        {
            "id": 5,
            "content": "<s>",
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
    ],
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": "\\s+|\\S+"},
                "behavior": "Isolated",
                "invert": False,
            },
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True},
        ],
    },
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [
            {"Sequence": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "B", "type_id": 1}},
        ],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}},
    },
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True},
    "model": {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {"a": 0, "b": 1, "ab": 2, "▁": 3, "▁ab": 4},
        "merges": [["a", "b"], ["▁", "ab"]],
    },
}  # fmt: skip


def changed(path, value):
    """SMALL with one value replaced (or, for ..., taken out)."""
    spec = copy.deepcopy(SMALL)
    at = spec
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return spec


def test_the_small_one_loads_as_in_the_reference():
    reference = tokenizers.Tokenizer.from_str(json.dumps(SMALL))
    text = "ab<s> ab ba"
    assert Tokenizer(SMALL).encode(text, add_special_tokens=True) == reference.encode(text).ids


SPLIT = ("pre_tokenizer", "pretokenizers", 0)
SPACES = ("pre_tokenizer", "pretokenizers", 1)

BAD = [
    (("version",), "2.0", "version: expected '1.0', found '2.0'"),
    (("model",), ..., "model: missing"),
    (("model",), [], "model: expected an object, found a list of 0"),
    (("model", "type"), "Unheard", "model.type: model 'Unheard' is not supported"),
    (("model", "vocab"), ..., "model.vocab: missing; expected an object"),
    (("model", "vocab"), ["a"], "model.vocab: expected an object, found a list of 1"),
    (("model", "vocab", "a"), -1, "['a']: expected an id from 0 to 2**31 - 1, found -1"),
    (("model", "vocab", "a"), 2**31, "found 2147483648"),
    (("model", "vocab", "a"), 10**5000, "model.vocab['a']: expected an id from 0 to 2**31 - 1"),
    (("model", "dropout"), 10**5000, "model.dropout: an integer of 16610 bits"),
    (("model", "vocab", "a"), 1.5, "model.vocab['a']: expected an id"),
    (("model", "vocab", "a"), True, "model.vocab['a']: expected an id"),
    (("model", "vocab", "a"), "0", "model.vocab['a']: expected an id"),
    (("model", "vocab", "a"), None, "model.vocab['a']: expected an id"),
    (("model", "vocab", "\ud800"), 9, "lone surrogate"),
    (("model", "merges"), ..., "model.merges: missing; expected a list"),
    (("model", "merges"), {}, "model.merges: expected a list"),
    (("model", "merges", 1), ["a", "zz"], "model.merges[1]: 'zz' is not in the vocabulary"),
    (("model", "merges", 1), ["b", "a"], "model.merges[1]: it makes 'ba', not in the vocabulary"),
    (("model", "merges", 0), ["a"], "model.merges[0]: expected a list of two strings"),
    (("model", "dropout"), 0.1, "model.dropout: 0.1 makes encoding random"),
    (("model", "dropout"), "x", "model.dropout: expected a number or null"),
    (("model", "unk_token"), 3, "model.unk_token: expected a string"),
    (("model", "fuse_unk"), "yes", "model.fuse_unk: expected true or false"),
    (("added_tokens",), {}, "added_tokens: expected a list"),
    (("added_tokens", 0), "x", "added_tokens[0]: expected an object"),
    (("added_tokens", 0, "id"), -3, "added_tokens[0].id: expected an id"),
    (("added_tokens", 0, "id"), 2**31, "added_tokens[0].id: expected an id"),
    (("added_tokens", 0, "id"), ..., "added_tokens[0].id: missing"),
    (("added_tokens", 0, "content"), None, "added_tokens[0].content: expected a string"),
    (("added_tokens", 0, "content"), "\udc00", "added_tokens[0].content: the token has a lone"),
    (("added_tokens", 0, "special"), 1, "added_tokens[0].special: expected true or false"),
    (("normalizer", "type"), "NFX", "normalizer"),
    (("normalizer",), "NFC", "normalizer: expected an object"),
    (("pre_tokenizer", "type"), "Magic", "pre_tokenizer"),
    ((*SPLIT, "behavior"), "Keep", "pre_tokenizer.pretokenizers[0].behavior"),
    ((*SPLIT, "pattern"), {"Regex": "(a"}, "pre_tokenizer.pretokenizers[0].pattern"),
    ((*SPACES, "replacement"), "", "pre_tokenizer.pretokenizers[1].replacement"),
    (("post_processor",), {"type": "Oracle"}, "post_processor"),
    (("post_processor", "special_tokens", "<s>", "ids"), "x", "post_processor"),
    (("decoder", "type"), "Rot13", "decoder"),
    (("decoder", "replacement"), 5, "decoder.replacement"),
    (("truncation",), {"max_length": -1}, "truncation.max_length"),
    (("padding",), {"strategy": "Longest"}, "padding.strategy"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "message"), BAD, ids=range(len(BAD)))
def test_a_wrong_value_is_named(path, value, message):
    with pytest.raises(SpecError) as caught:
        Tokenizer(changed(path, value))
    assert message in str(caught.value)


@pytest.mark.parametrize("spec", [None, [], "x", 5, {}])
def test_what_is_no_specification_is_refused(spec):
    with pytest.raises(SpecError):
        Tokenizer(spec)


GOOD = [
    ("shared ids", ("model", "vocab", "ab"), 1),
    ("ids with gaps", ("model", "vocab", "▁ab"), 2**31 - 1),
    ("no type", ("model", "type"), ...),
    ("zero dropout", ("model", "dropout"), 0.0),
    ("no version", ("version",), ...),
    ("no normalizer", ("normalizer",), ...),
    ("no decoder", ("decoder",), None),
    ("no added tokens", ("added_tokens",), []),
    ("an added token's wrong id", ("added_tokens", 0, "id"), 77),
    ("an empty added token", ("added_tokens", 0, "content"), ""),
    ("an unknown field", ("model", "flavour"), "vanilla"),
    ("merges as strings", ("model", "merges"), ["#version: 0.2", "a b", "▁ ab"]),
    ("an empty sequence", ("normalizer",), {"type": "Sequence", "normalizers": []}),
    ("no merges", ("model", "merges"), []),
]


@pytest.mark.parametrize(("path", "value"), [g[1:] for g in GOOD], ids=[g[0] for g in GOOD])
def test_what_the_reference_loads_loads(path, value):
    spec = changed(path, value)
    reference = tokenizers.Tokenizer.from_str(json.dumps(spec))
    tokenizer = Tokenizer(spec)
    for text in ("ab ab", "<s>ab ba a", "x ab"):
        assert tokenizer.encode(text) == reference.encode(text, add_special_tokens=False).ids
    # Of two tokens with one id, which of them the id reads is a coin's toss in the reference.
    for text in ("<s> ab", "ba"):
        ids = tokenizer.encode(text)
        if 1 not in ids:
            assert tokenizer.decode(ids) == reference.decode(ids, skip_special_tokens=False)


def test_ids_far_apart_take_no_memory_of_their_own():
    tokenizer = Tokenizer(changed(("model", "vocab", "▁ab"), 2**31 - 1))
    assert tokenizer.encode("▁ab") == [2**31 - 1]
    assert tokenizer.decode([2**31 - 1]) == " ab"
    assert tokenizer.encode_to_numpy("▁ab").tolist() == [2**31 - 1]


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"normalizer":{"normalizers":['])
def test_ten_megabytes_of_nesting_are_refused_at_once(opening):
    text = opening * (10_000_000 // len(opening))
    start = time.perf_counter()
    with pytest.raises(SpecError):
        Tokenizer.from_str(text)
    # A bound on the kind of work, not a measurement: reading it all would take minutes.
    assert time.perf_counter() - start < 30


@pytest.mark.parametrize("key", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
def test_deep_sequences_are_refused(key):
    inner = {
        "normalizer": "normalizers",
        "pre_tokenizer": "pretokenizers",
        "post_processor": "processors",
        "decoder": "decoders",
    }[key]
    node = {"type": "Sequence", inner: []}
    for _ in range(50_000):
        node = {"type": "Sequence", inner: [node]}
    with pytest.raises(SpecError, match=key):
        Tokenizer(changed((key,), node))


@pytest.mark.parametrize(
    ("key", "inner", "leaf"),
    [
        ("normalizer", "normalizers", {"type": "NFC"}),
        ("pre_tokenizer", "pretokenizers", {"type": "WhitespaceSplit"}),
        ("post_processor", "processors", {"type": "ByteLevel"}),
        ("decoder", "decoders", {"type": "Fuse"}),
    ],
)
def test_a_part_that_is_used_without_end_is_refused(key, inner, leaf):
    node = {"type": "Sequence", inner: [leaf]}
    for _ in range(40):
        node = {"type": "Sequence", inner: [node, node]}
    with pytest.raises(SpecError, match=key):
        Tokenizer(changed((key,), node))


@pytest.mark.parametrize("key", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
def test_a_specification_that_contains_itself_is_refused(key):
    inner = {
        "normalizer": "normalizers",
        "pre_tokenizer": "pretokenizers",
        "post_processor": "processors",
        "decoder": "decoders",
    }[key]
    node = {"type": "Sequence"}
    node[inner] = [node, node]
    with pytest.raises(SpecError, match=key):
        Tokenizer(changed((key,), node))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1 column 2"),
        (b'{"version": "1.0",}', "line 1"),
        (b"[]", "expected an object, found list"),
        (b"\xff{}", "byte 0 is not UTF-8"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"", "line 1 column 1"),
    ],
)
def test_a_broken_file_is_named(tmp_path, content, message):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(SpecError, match=r"tokenizer\.json") as caught:
        Tokenizer.from_file(path)
    assert message in str(caught.value)


def test_an_error_inside_names_file_and_place(tmp_path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(changed(("model", "vocab", "a"), -1)))
    with pytest.raises(SpecError, match=r"tokenizer\.json: model\.vocab\['a'\]"):
        Tokenizer.from_dir(tmp_path)


def test_a_directory_without_a_tokenizer_is_named(tmp_path):
    with pytest.raises(TextcoreError, match=r"has no tokenizer\.json"):
        Tokenizer.from_dir(tmp_path)


def test_a_missing_directory_is_an_os_error(tmp_path):
    with pytest.raises(NotADirectoryError):
        Tokenizer.from_dir(tmp_path / "nowhere")


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Tokenizer.from_file(tmp_path / "tokenizer.json")


def test_a_directory_gives_its_special_tokens_and_template(tmp_path):
    (tmp_path / "tokenizer.json").write_text(trained.qwen_style().to_str(), encoding="utf-8")
    config = {"eos_token": {"content": "<|im_end|>"}, "bos_token": None, "chat_template": "old"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "chat_template.jinja").write_text("{{ messages[0].content }}{{ eos_token }}")
    tokenizer = Tokenizer.from_dir(tmp_path)
    assert tokenizer.eos_token == "<|im_end|>"
    assert tokenizer.eos_token_id == tokenizer.token_to_id("<|im_end|>")
    assert tokenizer.bos_token is None
    messages = [{"role": "user", "content": "hi"}]
    assert tokenizer.apply_chat_template(messages, tokenize=False) == "hi<|im_end|>"
    assert tokenizer.apply_chat_template(messages) == tokenizer.encode("hi<|im_end|>")


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(cut):
    text = trained.gpt2_style().to_str()
    with pytest.raises(SpecError):
        Tokenizer.from_str(text[: int(len(text) * cut)])


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def places(value, path=()):
    """The path of every value in a specification."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield from places(inner, (*path, key))


@settings(max_examples=400)
@given(path=st.sampled_from([p for p in places(SMALL) if p]), value=junk)
def test_junk_anywhere_is_refused_or_works(path, value):
    try:
        tokenizer = Tokenizer(changed(path, value))
    except SpecError:
        return
    tokenizer.decode(tokenizer.encode("ab <s>ba"))
