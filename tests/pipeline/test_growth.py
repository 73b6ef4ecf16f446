"""How much longer a tokenizer's own rules may make a text."""

from __future__ import annotations

import pytest
from component_support import encode, normalizer

from textcore.errors import TextError
from textcore.pipeline import growth
from textcore.pipeline.decoders import build_decoder
from textcore.pipeline.spec import Node

DOUBLE = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
PATTERN = {"type": "Replace", "pattern": {"Regex": "a|é"}, "content": "aa"}
LONG = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 1_000_000}
BETWEEN = {"type": "Replace", "pattern": {"String": ""}, "content": "b" * 1_000_000}
RULES = [[DOUBLE] * 60, [PATTERN] * 60, [LONG], [BETWEEN]]


@pytest.fixture
def little(monkeypatch):
    """A small bound, so that the way to it is short."""
    monkeypatch.setattr(growth, "FREE", 1 << 14)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("rules", RULES)
def test_a_normalizer_that_multiplies_is_stopped(rules):
    component = normalizer({"type": "Sequence", "normalizers": rules})
    with pytest.raises(TextError, match="longer than"):
        component.normalize_str("a" * 20)
    with pytest.raises(TextError, match="longer than"):
        encode("a" * 20, component)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("rules", RULES)
def test_a_decoder_that_multiplies_is_stopped(rules):
    spec = {"type": "Sequence", "decoders": [{"type": "Fuse"}, *rules]}
    with pytest.raises(TextError, match="longer than"):
        build_decoder(Node(spec, "decoder")).decode(["a"] * 20)


def test_what_real_rules_do_is_allowed():
    growth.check_growth(0, 1 << 22)
    growth.check_growth(1 << 20, 1 << 25)
    with pytest.raises(TextError, match="a text of 10 characters longer than 4194304"):
        growth.check_growth(10, (1 << 22) + 1)
    with pytest.raises(TextError):
        growth.check_growth(1 << 20, (1 << 25) + 1)
