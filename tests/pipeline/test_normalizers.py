"""Normalizers, against those of the reference read from the same specification."""

from __future__ import annotations

import time
from typing import Any

import pytest
from component_support import encode, normalizer, panic_of, reference, texts
from hypothesis import example, given, settings
from hypothesis import strategies as st
from unicode_tables.graphemes import charsmap

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.normalized import NormalizedString


def replace(kind: str, pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def strip(left: bool, right: bool) -> dict[str, Any]:
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def bert(**what: bool | None) -> dict[str, Any]:
    nothing = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": None}
    return {"type": "BertNormalizer", **nothing, "lowercase": False, **what}


# Keys that go, shrink, grow, begin one another, and are clusters; also ones too long for that.
REPLACED = {
    "\t": " ", "\x1c": "", "a": "A", "ab": "never", "é": "e", "e\u0301": "é", "ﬁ": "fi",
    "½": "1⁄2", "ẛ": "ṡ", "\u0301": "", "\u0323": "^", "가": "가", "ᄀ\u1161": "가가",
    "👍🏽": "!", "👍": "+", "\ufdfa": "صلى الله", "\r": "R", "\n": "\n\n", "Σ": "σ\u0345",
}  # fmt: skip
FORMS = [{"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD")]
# The rest of these never insert before the first character, see test_inserted_at_start.
STEADY = [
    *FORMS,
    {"type": "Lowercase"},
    {"type": "StripAccents"},
    strip(True, True),
    strip(True, False),
    strip(False, True),
    strip(False, False),
    replace("String", " ", "▁"),
    replace("String", "a", "bé"),
    replace("String", "aa", "a"),
    replace("String", "ab", ""),
    replace("String", "a.b", r"\0$1"),
    replace("Regex", r"\s+", " "),
    replace("Regex", r"[ab]+", "日"),
    replace("Regex", r"(?<=a)(?=b)", "-"),
    replace("Regex", r"(?<=é)", "▁▁"),
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Prepend", "prepend": "é "},
    {"type": "Nmt"},
    {"type": "ByteLevel"},
    bert(clean_text=True),
    bert(handle_chinese_chars=True),
    bert(strip_accents=True),
    bert(lowercase=True, strip_accents=False),
    bert(lowercase=True),
    bert(clean_text=True, handle_chinese_chars=True, lowercase=True),
    {"type": "Precompiled", "precompiled_charsmap": charsmap(REPLACED)},
]
INSERTING = [
    replace("String", "", "-"),
    replace("Regex", "b*", "é"),
    replace("Regex", "^", "▁"),
    {"type": "Prepend", "prepend": ""},
]


def offsets_of(spec: object, text: str) -> list[tuple[int, int]]:
    """What each character of the normalized text stands for, from the reference."""
    return reference(normalizer=spec).encode(text).offsets


@pytest.mark.parametrize("spec", STEADY + INSERTING, ids=str)
@given(text=texts)
@settings(max_examples=40, deadline=None)
@example(text="")
@example(text="  \u0301\u0301 a.b aab\u0323\u0301  ")
def test_text_and_offsets(spec: object, text: str) -> None:
    ours = normalizer(spec)
    expected = reference(normalizer=spec).normalizer.normalize_str(text)
    assert ours.normalize_str(text) == expected
    piece = NormalizedString(text)
    ours.normalize(piece)
    assert piece.normalized == expected
    assert piece.original == text
    assert encode(text, ours).offsets == offsets_of(spec, text)


@given(st.lists(st.sampled_from(STEADY), max_size=4), texts)
@settings(max_examples=200, deadline=None)
def test_sequence(steps: list[object], text: str) -> None:
    spec = {"type": "Sequence", "normalizers": steps}
    ours = normalizer(spec)
    piece = NormalizedString(text)
    ours.normalize(piece)
    expected = reference(normalizer=spec).normalizer.normalize_str(text)
    assert (ours.normalize_str(text), piece.normalized) == (expected, expected)
    assert encode(text, ours).offsets == offsets_of(spec, text)


@pytest.mark.parametrize(
    ("then", "expected"), [({"type": "NFC"}, "▁é"), ({"type": "Lowercase"}, "▁e\u0301")]
)
def test_inserted_at_start(then: object, expected: str) -> None:
    """The reference loses count after an insertion before the first character; we don't."""
    spec = {"type": "Sequence", "normalizers": [replace("Regex", "^", "▁"), then]}
    text = "e\u0301"
    theirs = reference(normalizer=spec).normalizer
    problem = panic_of(lambda: theirs.normalize_str(text))
    assert "index out of bounds" in problem or theirs.normalize_str(text) == "▁▁é"
    ours = normalizer(spec)
    piece = NormalizedString(text)
    ours.normalize(piece)
    assert (ours.normalize_str(text), piece.normalized) == (expected, expected)
    assert piece.alignments[0] == (0, 0)


@pytest.mark.parametrize("spec", STEADY, ids=str)
@given(text=texts)
@settings(max_examples=30, deadline=None)
def test_moves_start(spec: object, text: str) -> None:
    ours = normalizer(spec)
    piece = NormalizedString(text)
    ours.normalize(piece)
    if piece.normalized and not ours.moves_start:
        assert piece.alignments[0][0] == 0


@pytest.mark.parametrize(
    "spec",
    [
        {"strip_left": True, "strip_right": False},
        {"type": "Bogus", "strip_left": True, "strip_right": True},
        {"type": None, "prepend": "x"},
        {"type": 5, "prepend": "x"},
        {"pattern": {"String": "a"}, "content": "b"},
        {"strip_left": 1, "strip_right": True, "prepend": "x"},
        {"normalizers": [{"type": "NFD"}, {"prepend": "q"}]},
        {"type": "NFC", "other": 1},
    ],
    ids=str,
)
def test_accepted_spelling(spec: object) -> None:
    text = "  aéa  "
    expected = reference(normalizer=spec).normalizer.normalize_str(text)
    assert normalizer(spec).normalize_str(text) == expected


SEQUENCE = "normalizer.normalizers[1]"


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({}, "normalizer.type"),
        ([], "normalizer"),
        ({"type": "nfc"}, "normalizer.type"),
        ({"type": ["NFC"]}, "normalizer.type"),
        ({"type": "Strip"}, "normalizer.strip_left"),
        ({"type": "Strip", "strip_left": True, "strip_right": 1}, "normalizer.strip_right"),
        ({"strip_left": None, "strip_right": True}, "normalizer.strip_left"),
        ({"type": "Prepend", "prepend": None}, "normalizer.prepend"),
        ({"type": "Prepend", "prepend": "\ud800"}, "normalizer.prepend"),
        ({"type": "Replace", "pattern": {"String": "a"}}, "normalizer.content"),
        ({"type": "Replace", "pattern": "a", "content": ""}, "normalizer.pattern"),
        ({"type": "Replace", "pattern": {}, "content": ""}, "normalizer.pattern"),
        ({"type": "Replace", "pattern": {"Glob": "a"}, "content": ""}, "normalizer.pattern"),
        (
            {"type": "Replace", "pattern": {"String": "a", "Regex": "b"}, "content": ""},
            "normalizer.pattern",
        ),
        (replace("Regex", "(", ""), "normalizer.pattern.Regex"),
        (
            {"type": "Replace", "pattern": {"String": 3}, "content": ""},
            "normalizer.pattern.String",
        ),
        ({"type": "Sequence"}, "normalizer.normalizers"),
        ({"type": "Sequence", "normalizers": [{"type": "NFC"}, None]}, SEQUENCE),
        ({"normalizers": [{"type": "NFC"}, {"type": "X"}]}, f"{SEQUENCE}.type"),
    ],
    ids=str,
)
def test_error_names_the_place(spec: object, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        normalizer(spec)
    assert caught.value.place == place
    with pytest.raises(Exception, match=r"."):
        reference(normalizer=spec or {"type": ""})


def test_unsupported_type_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"normalizer\.type: .*Something"):
        normalizer({"type": "Something"})


@pytest.mark.parametrize(
    ("charsmap", "problem"),
    [
        ("", "it has no size of its trie"),
        ("AAA=", "it has no size"),
        ("BAAAAA==", "its trie is cut off"),
        ("AAAAAP8=", "its replacements are not UTF-8, at byte 0"),
        ("AAAA", "it has no size"),
        ("A", "is no base64"),
        ("AAAAAB==", "is no base64"),
        ("AA AA", "is no base64"),
    ],
)
def test_broken_charsmap(charsmap: str, problem: str) -> None:
    spec = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    with pytest.raises(SpecError, match=problem) as caught:
        normalizer(spec)
    assert caught.value.place == "normalizer.precompiled_charsmap"
    assert panic_of(lambda: reference(normalizer=spec))


def test_nesting_is_bounded() -> None:
    nested: dict[str, Any] = {"type": "NFC"}
    for _ in range(60):
        nested = {"type": "Sequence", "normalizers": [nested]}
    assert normalizer(nested).normalize_str("e\u0301") == "é"
    assert reference(normalizer=nested).normalizer.normalize_str("e\u0301") == "é"
    cyclic: dict[str, Any] = {"type": "Sequence"}
    cyclic["normalizers"] = [cyclic, cyclic]
    with pytest.raises(SpecError, match="nested"):
        normalizer(cyclic)


def test_long_text_takes_linear_time() -> None:
    spec = {"type": "Sequence", "normalizers": [*FORMS, replace("Regex", "a+|", "é"), *STEADY]}
    piece = NormalizedString("ae\u0301 " * 25_000)
    began = time.perf_counter()
    normalizer(spec).normalize(piece)
    # Quadratic steps would take minutes.
    assert time.perf_counter() - began < 20
    assert len(piece.alignments) == len(piece.normalized) > 100_000
