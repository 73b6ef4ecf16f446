"""Long documents in parts have the ids that they have whole."""

from __future__ import annotations

import json
import unicodedata

import pytest
from corpus_files import MODEL, TOK, ids_of, read_megatron, write_bytes
from hypothesis import given
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.corpora import CorpusError, Options, tokenize
from textcore.corpora.cutting import cutter_of
from textcore.corpora.errors import BlockProblem
from textcore.corpora.texts import TextReader

SPEC = json.loads((MODEL / "tokenizer.json").read_text(encoding="utf-8"))
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CHARACTERS = [
    *"abels'lr19 \n\r\t.,-!<|",
    "é",
    "e\u0301",
    "\u0301",
    "中",
    "文",
    "가",
    "ᄀ",
    "ᅡ",
    "ᆨ",
    "ß",
]
TEXTS = st.lists(
    st.sampled_from([*CHARACTERS, "\n\n", "  ", "<think>", "<|im_end|>", "'ll", "the "]),
    max_size=30,
).map("".join)


def with_pattern(*patterns: str, **parts) -> Tokenizer:
    """The packaged tokenizer, its text split by other patterns."""
    steps = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns
    ]
    last = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }
    splits = {"type": "Sequence", "pretokenizers": [*steps, last]}
    return Tokenizer({**SPEC, "pre_tokenizer": splits, **parts})


TOKENIZERS = {
    "packaged": TOK,
    "gpt2": with_pattern(GPT2),
    "several splits": with_pattern(r"\p{N}{1,3}", "[一-龥]+", GPT2),
    "no normalizer": with_pattern(GPT2, normalizer=None),
    "nfd": with_pattern(GPT2, normalizer={"type": "NFD"}),
    "words up to a line's end": with_pattern(r"[a-z]+\n|[a-z]+| +|[^a-z ]"),
}


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=TEXTS)
def test_every_place_is_one(name, text):
    tokenizer = TOKENIZERS[name]
    cutter = cutter_of(tokenizer)
    data = text.encode()
    for end in range(len(data) + 1):
        place = cutter.find(data, end)
        if place is not None:
            assert 0 < place < end
            parts = data[:place].decode(), data[place:].decode()
            together = [token for part in parts for token in tokenizer.encode(part)]
            assert together == tokenizer.encode(text), parts


@pytest.mark.parametrize("name", ["packaged", "gpt2", "several splits", "no normalizer"])
@pytest.mark.parametrize(
    "text", ["Some words in English here", "two\nlines of\ntext", "第一 行\n第二 行"]
)
def test_ordinary_text_has_places(name, text):
    data = text.encode()
    assert cutter_of(TOKENIZERS[name]).find(data, len(data)) is not None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"[^x]+", "a b c"),
        (r"\w+ \w+|[^\w]|\w", "a b c"),
        (r" ?[a-z]+[ \n]*|[^a-z ]+| +", "a b c"),
    ],
)
def test_a_pattern_that_looks_far_has_none(pattern, text):
    cutter = cutter_of(with_pattern(pattern))
    assert cutter is None or cutter.find(text.encode(), len(text)) is None


def test_tokens_that_reach_over_a_place_leave_none():
    added = [
        {"id": 4096, "content": content, "special": False, "normalized": normalized,
         "single_word": False, "lstrip": False, "rstrip": rstrip}
        for content, normalized, rstrip in [("e f", False, False), ("b", True, True)]
    ]  # fmt: skip
    tokenizer = Tokenizer({**SPEC, "added_tokens": [*SPEC["added_tokens"], *added]})
    find = cutter_of(tokenizer).find
    assert find(b"xe fx", 5) is None
    assert find(b"ab xx", 5) is None
    assert find(b"xc xx", 5) == 2


@pytest.mark.parametrize(
    "parts",
    [
        {"normalizer": {"type": "Lowercase"}},
        {"normalizer": {"type": "Prepend", "prepend": "x"}},
        {"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}},
    ],
)
def test_a_tokenizer_whose_parts_look_at_whole_texts_cuts_nothing(parts):
    assert cutter_of(Tokenizer({**SPEC, **parts})) is None


def test_what_joins_the_character_before_it_is_a_mark_or_jamo():
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            assert unicodedata.category(chr(int(parts[1], 16)))[0] == "M"


def test_bytes_that_are_not_utf8_are_named():
    with pytest.raises(BlockProblem) as raised:
        cutter_of(TOK).find(b"some \xff words", 12)
    assert raised.value.offset == 5


# -- in the job ----------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the job on one text, read some bytes at a time; its documents' ids."""
    monkeypatch.setattr(TextReader.__init__, "__defaults__", (64,))

    def run(text, **options):
        path = write_bytes(tmp_path / "in.txt", text.encode())
        tokenize([path], tmp_path / "out.bin", MODEL, Options(**options), overwrite=True)
        return read_megatron(tmp_path / "out.bin")

    return run


LONG = "Words, 123 of them; naïve 你好.\n" * 50


def test_a_document_longer_than_the_limit(run):
    assert run(LONG, max_document_bytes=300) == ids_of([LONG])


def test_a_line_longer_than_the_limit(run):
    line = LONG.replace("\n", " ")
    text = f"short\n{line}\r\n\n{line}"
    expected = ids_of(["short", line, line])
    assert run(text, document="line", max_document_bytes=300) == expected


@pytest.mark.parametrize("separator", [" SEP\n", "é b", " "])
def test_documents_longer_than_the_limit_between_separators(run, separator):
    text = separator.join([LONG, LONG[7:], "short", LONG])
    expected = ids_of(text.split(separator))
    assert run(text, separator=separator, max_document_bytes=300) == expected


def test_a_document_without_a_place_is_refused_over_the_limit(run):
    text = "x" * 500
    with pytest.raises(CorpusError, match=r"in\.txt: line 1: a document of more than 300 bytes"):
        run(text, max_document_bytes=300)
    assert run(text, max_document_bytes=500) == ids_of([text])
