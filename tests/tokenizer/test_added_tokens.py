"""Added tokens of every kind in a whole tokenizer, beside the reference."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.errors import UnsupportedError

CONTENTS = ["a", "ab", " ", "  ", "\n", "\n\n", " a", "a ", "É", "e\u0301", "B", "<s>", "s", "日"]
NORMALIZERS = [
    None,
    {"type": "NFC"},
    {"type": "NFD"},
    {"type": "Prepend", "prepend": "é"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "ab "},
]
ALPHABET = [*"abABcdsx <>\n\té.日", "\u0301", "É"]
flags = st.fixed_dictionaries(
    {name: st.booleans() for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
)


def _spec(normalizer: Any, added: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "version": "1.0",
        "normalizer": normalizer,
        "added_tokens": [{"id": 40 + i, **token} for i, token in enumerate(added)],
        "model": {"type": "BPE", "vocab": {c: i for i, c in enumerate(ALPHABET)}, "merges": []},
    }


def _reference(spec: dict[str, Any], text: str) -> Any:
    """The reference's encoding; None where it panics (a token that starts after its end)."""
    try:
        return tokenizers.Tokenizer.from_str(json.dumps(spec)).encode(text)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


@given(
    normalizer=st.sampled_from(NORMALIZERS),
    added=st.lists(
        st.tuples(st.sampled_from(CONTENTS), flags), max_size=5, unique_by=lambda entry: entry[0]
    ),
    pieces=st.lists(st.sampled_from([*CONTENTS, *"cx\t."]), max_size=12),
)
def test_tokens_of_every_kind(normalizer, added, pieces):
    spec = _spec(normalizer, [{"content": content, **kind} for content, kind in added])
    text = "".join(pieces)
    tokenizer = Tokenizer(spec)
    ours = tokenizer.encoding(text)
    assert ours.ids == tokenizer.encode(text)
    theirs = _reference(spec, text)
    if theirs is not None:
        assert (ours.ids, ours.tokens, ours.offsets, ours.word_ids) == (
            theirs.ids,
            theirs.tokens,
            theirs.offsets,
            theirs.word_ids,
        )


@pytest.mark.parametrize("contents", [("Ab", "ab"), ("ab", "Ab")])
def test_of_tokens_that_a_normalizer_makes_alike_one_is_found(contents):
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)
    added = [{"content": content, "normalized": True, **plain} for content in contents]
    spec = _spec({"type": "Lowercase"}, added)
    tokenizer = Tokenizer(spec)
    assert tokenizer.encode("aab aBx") == [0, len(ALPHABET), 8, len(ALPHABET), 7]
    found = _reference(spec, "aab aBx").ids
    assert found[1] == found[3]
    assert found[1] in (len(ALPHABET), len(ALPHABET) + 1)


def test_a_token_of_which_a_normalizer_leaves_nothing_is_refused():
    """The reference loads it and cuts every text into its characters."""
    token = {"content": " ", "single_word": False, "lstrip": False, "rstrip": False}
    strip = {"type": "Strip", "strip_left": True, "strip_right": True}
    spec = _spec(strip, [{**token, "normalized": True, "special": False}])
    assert _reference(spec, " abc ").word_ids == [0, 1, 2]
    with pytest.raises(UnsupportedError, match="added_tokens: the normalizer leaves nothing of"):
        Tokenizer(spec)


def test_a_token_whose_id_another_gets_is_not_found() -> None:
    """In a vocabulary with gaps, the ids that follow its size are taken, too."""
    alphabet = {"a": 3, "b": 0, "c": 7}
    names = {"lstrip": False, "rstrip": False, "single_word": False, "special": False}
    added = [{"content": text, "normalized": False, **names} for text in ("a", "ca")]
    spec = {
        "version": "1.0",
        "added_tokens": [{"id": 40 + i, **token} for i, token in enumerate(added)],
        "model": {"type": "BPE", "vocab": alphabet, "merges": []},
    }
    expected = _reference(spec, "abca")
    tokenizer = Tokenizer(spec)
    assert tokenizer.encode("abca") == expected.ids
    assert tokenizer.encoding("abca").word_ids == expected.word_ids
