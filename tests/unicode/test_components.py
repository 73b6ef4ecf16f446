"""Components that go by kinds of characters, over all of Unicode."""

import random

import pytest
from tokenizers import normalizers, pre_tokenizers
from unicode_reference import SCALARS

from textcore.pipeline.normalizers import build_normalizer
from textcore.pipeline.pre_tokenizers import build_pre_tokenizer
from textcore.pipeline.spec import Node

NOTHING = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False}


# Characters in order meet few others: some of them in no order, too.
SOME = "".join(random.Random(1).sample(SCALARS, 50_000))


@pytest.mark.parametrize(
    "options",
    [
        {**NOTHING, "clean_text": True, "lowercase": False},
        {**NOTHING, "handle_chinese_chars": True, "lowercase": False},
        {**NOTHING, "strip_accents": True, "lowercase": False},
        {**NOTHING, "lowercase": True},
        {
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
    ],
    ids=str,
)
def test_bert_normalizer(options):
    ours = build_normalizer(Node({"type": "BertNormalizer", **options}, "normalizer"))
    for text in (SCALARS, SOME):
        assert ours.normalize_str(text) == normalizers.BertNormalizer(**options).normalize_str(
            text
        )


@pytest.mark.parametrize("kind", ["Nmt", "ByteLevel"])
def test_normalizer(kind):
    ours = build_normalizer(Node({"type": kind}, "normalizer"))
    assert ours.normalize_str(SCALARS) == getattr(normalizers, kind)().normalize_str(SCALARS)


@pytest.mark.parametrize("kind", ["BertPreTokenizer", "UnicodeScripts"])
def test_pre_tokenizer(kind):
    ours = build_pre_tokenizer(Node({"type": kind}, "pre_tokenizer"))
    reference = getattr(pre_tokenizers, kind)()
    pieces = [piece for piece, _ in ours.split([(SOME, True)])]
    assert pieces == [piece for piece, _ in reference.pre_tokenize_str(SOME) if piece]


def test_scripts_in_order():
    ours = build_pre_tokenizer(Node({"type": "UnicodeScripts"}, "pre_tokenizer"))
    pieces = [piece for piece, _ in ours.split([(SCALARS, True)])]
    reference = pre_tokenizers.UnicodeScripts()
    assert pieces == [piece for piece, _ in reference.pre_tokenize_str(SCALARS) if piece]
