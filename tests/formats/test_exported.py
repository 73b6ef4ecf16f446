"""A tokenizer of any format as a tokenizer.json: the reference gives the same ids with it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import mistral_common
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_files import trained_ranks, write_ranks
from test_saved import characters, original, scores, word_pieces, words

from textcore import Tokenizer
from textcore.cli import main
from textcore.errors import UnsupportedError
from textcore.formats.encodings import ENCODINGS
from textcore.formats.exported_merges import exact_merges
from textcore.pipeline.patterns import automaton, oniguruma, rust
from textcore.pipeline.patterns.folding import resolve
from textcore.pipeline.patterns.oniguruma_text import written

MISTRAL = Path(mistral_common.__file__).parent / "data"
TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\t'sStéÉ0129½<|>▁ab한日\u0301🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=40,
)
KINDS = (
    "default",
    "tekken",
    "ctc",
    "pieces",
    "words",
    "scores",
    "json gpt-2",
    "json deepseek-v3",
    "model identity",
    "model neither",
    "mistral",
)


@cache
def tokenizer(kind: str) -> Tokenizer:
    if kind == "mistral":
        return Tokenizer.from_file(MISTRAL / "tokenizer.model.v1")
    return original(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_the_same_with_the_reference(kind: str) -> None:
    ours = tokenizer(kind)
    text = ours.to_json()
    expected = tokenizers.Tokenizer.from_str(text)
    named = set(ours.added_tokens)

    @settings(max_examples=80, deadline=None)
    @given(TEXTS, st.sampled_from(["", *sorted(named)[:9]]))
    def check(text: str, inner: str) -> None:
        text = text + inner + text
        ids = expected.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, allowed_special=named) == ids

    check()
    again = Tokenizer.from_str(text)
    assert again.encode("hello  ab é") == ours.encode("hello  ab é")


def test_a_saved_tokenizer_is_written_alike(tmp_path: Path) -> None:
    for kind in ("default", "tekken", "pieces", "words", "scores", "json qwen2", "model identity"):
        ours = tokenizer(kind)
        ours.save(tmp_path / "saved")
        copy = Tokenizer.from_file(tmp_path / "saved")
        assert json.loads(copy.to_json()) == json.loads(ours.to_json())


def test_the_command_writes_json_by_the_name(tmp_path: Path) -> None:
    file, out = tmp_path / "in.json", tmp_path / "out.json"
    file.write_text(json.dumps(words()), encoding="utf-8")
    assert main(["convert", "--file", str(file), str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["model"]["type"] == "WordLevel"


@pytest.mark.parametrize("spec", [characters(), word_pieces(), words(), scores()])
def test_a_tokenizer_json_comes_back(spec: dict[str, object]) -> None:
    again = json.loads(Tokenizer(spec).to_json())
    for name, value in spec.items():
        if name != "model":
            assert again[name] == value
    assert again["model"].items() >= spec["model"].items()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("model plain", "precompiled_charsmap: .* grapheme clusters"),
        ("model suffix_keep", "precompiled_charsmap"),
        ("model unigram_identity", "in 64 bits, and SentencePiece in 32"),
        ("model symbols", "user-defined symbol depend on the whole text"),
        ("ranks", "would be decoded as the bytes"),
    ],
)
def test_what_cannot_be_said_is_refused(kind: str, problem: str) -> None:
    with pytest.raises(UnsupportedError, match=problem):
        original(kind).to_json()


@pytest.mark.parametrize("pattern", sorted({encoding.pattern for encoding in ENCODINGS}))
def test_published_patterns_are_the_same_automata(pattern: str) -> None:
    """Both dialects' readers give the same minimal automaton."""
    tree = resolve(rust.parse(pattern, ""))
    assert automaton.tables(resolve(oniguruma.parse(written(tree), ""))) == automaton.tables(tree)


@pytest.mark.parametrize(
    "pattern",
    [r"(?=a)b|(?<!x)y|\b\w+?|[^\d]{2,3}?|a{2}|(?>ab|a)b++", r"\Aa|b\z|(?m:^c|d$)|\B.|(e)f*?"],
)
def test_other_patterns(pattern: str) -> None:
    text = written(resolve(rust.parse(pattern, "")))
    assert written(resolve(oniguruma.parse(text, ""))) == text


@pytest.mark.parametrize("seed", range(12))
def test_merges_of_ranks(seed: int, tmp_path: Path) -> None:
    """Merges are refused, or give what ranks give, on texts that try ties."""
    file = write_ranks(tmp_path / "x.tiktoken", trained_ranks(seed, alphabet=b"ab"))
    ours = Tokenizer.from_file(file, pattern=r"[ab]+|[^ab]")
    try:
        merges = exact_merges(ours._pipeline.model)  # type: ignore[arg-type]
    except UnsupportedError:
        return
    assert merges
    expected = tokenizers.Tokenizer.from_str(ours.to_json())

    @settings(max_examples=150, deadline=None)
    @given(st.text("ab", max_size=60))
    def check(text: str) -> None:
        assert ours.encode(text) == expected.encode(text).ids

    check()
