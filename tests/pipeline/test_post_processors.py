"""Post-processors, against those of the reference read from the same specification."""

from __future__ import annotations

from typing import Any

import pytest
from component_support import (
    encode,
    facts,
    panic_of,
    post_processor,
    pre_tokenizer,
    reference,
    texts,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.encoding import Encoding
from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.post_processors import default_process


def sequence(name: str, type_id: int = 0) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": type_id}}


def special(name: str, type_id: int = 0) -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": type_id}}


A, B, CLS, SEP = sequence("A"), sequence("B", 1), special("[CLS]"), special("[SEP]")
SPECIALS = {
    "[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
    "[SEP]": {"id": "[SEP]", "ids": [2, 3], "tokens": ["[SEP]", "two"]},
    "none": {"id": "none", "ids": [], "tokens": []},
}


def template(single: list[Any], pair: list[Any]) -> dict[str, Any]:
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": pair,
        "special_tokens": SPECIALS,
    }


def byte_level(prefix: bool, trim: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim}


def roberta(prefix: bool, trim: bool) -> dict[str, Any]:
    ends = {"sep": ["</s>", 5], "cls": ["<s>", 6]}
    return {
        "type": "RobertaProcessing",
        **ends,
        "trim_offsets": trim,
        "add_prefix_space": prefix,
    }


BERT = {"type": "BertProcessing", "sep": ["[SEP]", 5], "cls": ["[CLS]", 6]}
USUAL = template([CLS, A, SEP], [CLS, A, SEP, B, special("[SEP]", 1)])
PROCESSORS = [
    BERT,
    USUAL,
    template([CLS, A], [CLS, A, CLS, sequence("B", 4)]),
    template([sequence("A", 3), special("none"), special("[SEP]", 2)], [B, A]),
    template([A, sequence("A", 1)], [A, sequence("A", 2), B]),
    template([CLS], [CLS, SEP]),
    template([], []),
    *[byte_level(prefix, trim) for prefix in (True, False) for trim in (True, False)],
    *[roberta(prefix, trim) for prefix in (True, False) for trim in (True, False)],
    {"type": "Sequence", "processors": []},
    {"type": "Sequence", "processors": [byte_level(False, True), USUAL]},
    {"type": "Sequence", "processors": [BERT, byte_level(True, True)]},
    {"type": "Sequence", "processors": [BERT, roberta(False, True)]},
]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
CUTS = st.none() | st.tuples(st.integers(0, 9), st.integers(0, 2))


@pytest.mark.parametrize("spec", [None, *PROCESSORS], ids=str)
@given(text=texts, pair=st.none() | texts, cut=CUTS, add=st.booleans())
@settings(max_examples=25, deadline=None)
def test_process(
    spec: object, text: str, pair: str | None, cut: tuple[int, int] | None, add: bool
) -> None:
    # Overflowing pieces are combined with each other: there must not be too many of them.
    text, pair = text[:5], pair and pair[:5]
    plain = reference(pre_tokenizer=BYTE_LEVEL)
    expected = [plain.encode(each) for each in (text, pair) if each is not None]
    split = pre_tokenizer(BYTE_LEVEL)
    got = [encode(each, None, split) for each in (text, pair) if each is not None]
    if cut is not None and (cut[0] == 0 or cut[1] < cut[0]):
        for encoding in expected + got:
            encoding.truncate(*cut)
    done = reference(post_processor=spec).post_process(*expected, *[None][: 2 - len(got)], add)
    if spec is None:
        ours = default_process(*got)
    else:
        ours = post_processor(spec).process(*got, add_special_tokens=add)
    assert facts(ours) == facts(done)


@given(st.lists(st.sampled_from(PROCESSORS[:-4]), max_size=3), texts, st.booleans())
@settings(max_examples=150, deadline=None)
def test_sequence(steps: list[object], text: str, add: bool) -> None:
    """A template leaves its pieces apart, so what follows sees each of them as a sequence."""
    spec = {"type": "Sequence", "processors": steps}
    ours = post_processor(spec)
    theirs = reference(post_processor=spec)
    if panic_of(lambda: theirs.encode(text, add_special_tokens=add)):
        with pytest.raises(SpecError, match=r"template"):
            ours.process(encode(text), None, add)
        assert ours.affixes(add) is None
    else:
        expected = theirs.encode(text, add_special_tokens=add)
        assert facts(ours.process(encode(text), None, add)) == facts(expected)


@pytest.mark.parametrize("spec", PROCESSORS, ids=str)
@pytest.mark.parametrize("is_pair", [False, True])
def test_added_tokens(spec: object, is_pair: bool) -> None:
    expected = reference(post_processor=spec).num_special_tokens_to_add(is_pair)
    assert post_processor(spec).added_tokens(is_pair) == expected


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("spec", PROCESSORS, ids=str)
def test_affixes(spec: object, add: bool) -> None:
    affixes = post_processor(spec).affixes(add)
    plain = reference().encode("ab日é", add_special_tokens=False).ids
    expected = reference(post_processor=spec).encode("ab日é", add_special_tokens=add).ids
    if affixes is None:
        assert expected.count(plain[0]) != 1
    else:
        assert [*affixes[0], *plain, *affixes[1]] == expected


def test_affixes_of_the_usual_template() -> None:
    assert post_processor(USUAL).affixes() == ((1,), (2, 3))
    assert post_processor(USUAL).affixes(add_special_tokens=False) == ((), ())


@pytest.mark.parametrize(
    ("spec", "pair", "problem"),
    [
        (template([CLS, A, B], [A, B]), None, "sequence B"),
        (template([special("[UNK]"), A], [A, B]), None, r"\[UNK\]"),
        (template([A], [A, B, special("[UNK]")]), Encoding(), r"\[UNK\]"),
    ],
)
def test_what_a_template_cannot_do(spec: object, pair: Encoding | None, problem: str) -> None:
    """The reference loads these, and panics when it comes to them."""
    reference(post_processor=spec)
    with pytest.raises(SpecError, match=problem):
        post_processor(spec).process(Encoding(), pair)


def test_special_token_with_other_numbers_of_tokens() -> None:
    tokens = {"[CLS]": {"id": "[CLS]", "ids": [1, 2], "tokens": ["one"]}}
    spec = {**template([CLS, A], [A]), "special_tokens": tokens}
    expected = reference(post_processor=spec).encode("a")
    got = post_processor(spec).process(encode("a"))
    assert (got.ids, got.tokens) == (expected.ids, expected.tokens)


@pytest.mark.parametrize(
    "spec",
    [
        {"sep": ["a", 0], "cls": ["b", 1]},
        {"type": "TemplateProcessing", "sep": ["a", 0], "cls": ["b", 1]},
        {"type": "RobertaProcessing", "sep": ["a", 0], "cls": ["b", 1]},
        {**roberta(True, True), "type": "BertProcessing"},
        {**roberta(True, True), "trim_offsets": None},
        {**USUAL, "type": 5},
        {**USUAL, **byte_level(True, True)},
        {"type": "Sequence", "processors": [{"sep": ["a", 0], "cls": ["b", 4294967295]}]},
    ],
    ids=str,
)
def test_recognised_by_its_fields(spec: object) -> None:
    expected = reference(post_processor=spec).encode(" ab ", "日")
    assert facts(post_processor(spec).process(encode(" ab "), encode("日", type_id=1))) == facts(
        expected
    )


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({}, "type"),
        ([], ""),
        ({"type": "ByteLevel"}, "add_prefix_space"),
        ({"add_prefix_space": True, "trim_offsets": True}, "type"),
        ({"type": "BertProcessing", "sep": ["a", 1]}, "cls"),
        ({"type": "BertProcessing", "sep": ["a", -1], "cls": ["b", 1]}, "sep[1]"),
        ({"type": "BertProcessing", "sep": ["a", 2**32], "cls": ["b", 1]}, "sep[1]"),
        ({"type": "BertProcessing", "sep": ["a", 1], "cls": ["b", 1.0]}, "cls[1]"),
        ({"type": "BertProcessing", "sep": ["a", 1], "cls": [1, "b"]}, "cls[0]"),
        ({"type": "BertProcessing", "sep": ["a", 1], "cls": ["b"]}, "cls"),
        ({"type": "TemplateProcessing", "single": [], "pair": []}, "special_tokens"),
        (template([{"Token": {}}], []), "single[0]"),
        (template([{**A, **CLS}], []), "single[0]"),
        (template(["[CLS]", "$A"], []), "single[0]"),
        ({**USUAL, "single": "[CLS] $A"}, "single"),
        (template([], [A, {"Sequence": {"id": "C", "type_id": 0}}]), "pair[1].Sequence.id"),
        (template([{"Sequence": {"id": "A"}}], []), "single[0].Sequence.type_id"),
        (template([sequence("A", -1)], []), "single[0].Sequence.type_id"),
        ({**USUAL, "special_tokens": {"x": {"ids": [], "tokens": []}}}, "special_tokens.'x'.id"),
        (
            {**USUAL, "special_tokens": {"x": {"id": "x", "ids": [0.5], "tokens": []}}},
            "special_tokens.'x'.ids[0]",
        ),
        ({"type": "Sequence"}, "processors"),
        ({"type": "Sequence", "processors": [BERT, {"type": "ByteLevel"}]},
         "processors[1].add_prefix_space"),
        ({"processors": []}, "type"),
    ],
    ids=str,
)  # fmt: skip
def test_error_names_the_place(spec: object, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        post_processor(spec)
    assert caught.value.place == ("post_processor." + place).rstrip(".")
    with pytest.raises(Exception, match=r"."):
        reference(post_processor=spec)


def test_unsupported_type_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"post_processor\.type: .*'Other'"):
        post_processor({"type": "Other"})


def test_nesting_is_bounded() -> None:
    cyclic: dict[str, Any] = {"type": "Sequence"}
    cyclic["processors"] = [cyclic, cyclic]
    with pytest.raises(SpecError, match="nested"):
        post_processor(cyclic)
