"""A tekken.json gives mistral-common's ids and texts, or is refused."""

from __future__ import annotations

import base64
import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import mistral_common
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy, Tekkenizer

from textcore import Tokenizer
from textcore.errors import SpecError

DATA = Path(mistral_common.__file__).parent / "data"
FILES = ("tekken_240718.json", "tekken_240911.json")
TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\r\t'sStTÉé0129½<|>[INST]/한日\u3000\u0301🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=60,
)


@cache
def both(name: str) -> tuple[Tokenizer, Tekkenizer]:
    return Tokenizer.from_file(DATA / name), Tekkenizer.from_file(DATA / name)


@pytest.mark.parametrize("name", FILES)
def test_ids_are_mistrals(name: str) -> None:
    tokenizer, expected = both(name)

    @settings(max_examples=150, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        ids = expected.encode(text, bos=False, eos=False)
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == expected.decode(ids)

    check()


@pytest.mark.parametrize("name", FILES)
def test_control_tokens_are_found_only_where_named(name: str) -> None:
    tokenizer, expected = both(name)
    text = "<s>[INST] hello [/INST]"
    assert tokenizer.encode(text) == expected.encode(text, bos=False, eos=False)
    ids = tokenizer.encode(text, allowed_special={"<s>", "[INST]", "[/INST]"})
    middle = expected.encode(" hello ", bos=False, eos=False)
    assert ids == [1, 3, *middle, 4]


@pytest.mark.parametrize("name", FILES)
def test_vocabulary_is_mistrals(name: str) -> None:
    tokenizer, expected = both(name)
    assert tokenizer.vocab_size == expected.n_words
    assert tokenizer.special_ids == sorted(expected.special_ids)
    for token_id in range(0, expected.n_words, 7):
        policy = SpecialTokenPolicy.KEEP
        piece = expected.id_to_byte_piece(token_id, special_token_policy=policy)
        assert tokenizer.token_bytes(token_id) == piece
    for token_id in expected.special_ids:
        assert tokenizer.id_to_token(token_id) == expected.id_to_piece(token_id)


def test_prompts_have_control_tokens(tmp_path: Path) -> None:
    """What a template writes becomes control tokens, though texts have none."""
    (tmp_path / "tekken.json").write_bytes((DATA / FILES[0]).read_bytes())
    template = "<s>{% for m in messages %}[INST]{{ m.content }}[/INST]{% endfor %}"
    (tmp_path / "chat_template.jinja").write_text(template, encoding="utf-8")
    tokenizer = Tokenizer.from_dir(tmp_path)
    ids = tokenizer.apply_chat_template([{"role": "user", "content": "hi"}])
    assert ids == [1, 3, *tokenizer.encode("hi"), 4]


def small() -> dict[str, Any]:
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", b"bc"]
    return {
        "config": {
            "pattern": r"\p{L}+|\P{L}+",
            "default_vocab_size": len(tokens) + 12,
            "default_num_special_tokens": 12,
            "version": "v11",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for rank, token in enumerate(tokens)
        ],
        "special_tokens": [
            {"rank": rank, "token_str": text, "is_control": True}
            for rank, text in enumerate(["<unk>", "<s>", "</s>"])
        ],
    }


def test_named_special_tokens_and_fillers(tmp_path: Path) -> None:
    file = tmp_path / "tekken.json"
    file.write_text(json.dumps(small()), encoding="utf-8")
    tokenizer, expected = Tokenizer.from_file(file), Tekkenizer.from_file(file)
    assert tokenizer.encode("abcab bc") == expected.encode("abcab bc", bos=False, eos=False)
    assert [tokenizer.id_to_token(i) for i in range(12)] == [
        expected.id_to_piece(i) for i in range(12)
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d["config"].pop("pattern"), "config.pattern: missing"),
        (lambda d: d["config"].update(default_vocab_size=400), "default_vocab_size"),
        (lambda d: d["config"].update(default_vocab_size=-4), "default_vocab_size"),
        (lambda d: d["config"].update(default_num_special_tokens=2**40), "default_num_special"),
        (
            lambda d: d["config"].update(default_num_special_tokens=2, default_vocab_size=261),
            "special_tokens: 3 tokens; config says 2",
        ),
        (lambda d: d["vocab"][3].update(rank=4), r"vocab\[3\].rank: expected 3"),
        (lambda d: d["vocab"][3].update(token_bytes="?"), r"vocab\[3\].token_bytes: not base64"),
        (lambda d: d["vocab"][3].update(token_bytes="AA=="), r"vocab\[3\]: .*there already"),
        (lambda d: d["special_tokens"][1].update(rank=5), r"special_tokens\[1\].rank"),
        (lambda d: d["special_tokens"][1].update(token_str="<unk>"), "there twice"),
        (lambda d: d["special_tokens"][1].update(token_str="\ud800"), "surrogate"),
        (lambda d: d["config"].update(pattern="("), "config.pattern|pattern"),
    ],
)
def test_wrong_files_are_refused(change: Any, problem: str, tmp_path: Path) -> None:
    data = copy.deepcopy(small())
    change(data)
    file = tmp_path / "tekken.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(SpecError, match=problem):
        Tokenizer.from_file(file)
