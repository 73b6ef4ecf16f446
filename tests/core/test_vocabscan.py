"""Tables read from a tokenizer.json's text, against the standard library's reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.vocabscan import Contents, scan_model

TEXT = st.text(st.sampled_from([*'ab"\\/\n\x00\x7féĠ你😀<|', "\u2028"]), min_size=1, max_size=5)
PLAIN = '{"model": {"vocab": {"a": 0, "b": 2, "ab": 7}, "merges": [["a", "b"]]}, "version": "1.0"}'


@st.composite
def models(draw: Any) -> dict[str, Any]:
    """A model whose ids rise and whose merges are of tokens."""
    words = draw(st.lists(TEXT, min_size=1, max_size=6, unique=True))
    pairs = draw(st.lists(st.tuples(*[st.sampled_from(words)] * 2), max_size=5))
    tokens = [*dict.fromkeys([*words, *(a + b for a, b in pairs)])]
    gaps = draw(st.lists(st.integers(1, 3), min_size=len(tokens), max_size=len(tokens)))
    vocab = {token: sum(gaps[: i + 1]) for i, token in enumerate(tokens)}
    return {"type": "BPE", "vocab": vocab, "merges": [list(pair) for pair in pairs]}


@st.composite
def documents(draw: Any) -> tuple[bytes, dict[str, Any]]:
    model = draw(models())
    if draw(st.booleans()) and not any(" " in token for token in model["vocab"]):
        model["merges"] = [" ".join(pair) for pair in model["merges"]]
    if draw(st.booleans()):
        model = dict(reversed(model.items()))
    others = {"version": "1.0", "decoder": {"type": "x", "model": [{}, "}\\"]}, "n": [1.5, None]}
    spec = {**others, "model": model} if draw(st.booleans()) else {"model": model, **others}
    text = json.dumps(
        spec, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 0, 2]))
    )
    return text.encode(), spec


def _whole(found: Any) -> Any:
    """What was read, as the standard library would have read it."""
    rest, vocabulary, merges = found
    spec = json.loads(rest)
    assert spec["model"]["vocab"] is None
    assert spec["model"]["merges"] is None
    spec["model"]["vocab"] = vocabulary.as_dict()
    spec["model"]["merges"] = [list(pair) for pair in merges.as_list()]
    return spec


def _with_lists(spec: dict[str, Any]) -> dict[str, Any]:
    """The same with its merges as lists."""
    merges = spec["model"]["merges"]
    merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
    return {**spec, "model": {**spec["model"], "merges": merges}}


@given(documents())
def test_reads_what_json_reads(document):
    text, spec = document
    found = scan_model(text)
    assert found is not None
    assert _whole(found) == _with_lists(spec)
    assert list(found[1].as_dict()) == list(spec["model"]["vocab"])


@settings(max_examples=400)
@given(documents(), st.data())
def test_a_changed_text_is_left_alone_or_read_as_json_reads_it(document, data):
    text, _ = document
    at = data.draw(st.integers(0, len(text)))
    upto = at + data.draw(st.integers(0, 3))
    new = data.draw(
        st.sampled_from([*b'{}[],:"\\ 019.-eu\x00\xc3\x28\xff\xed', None]).map(
            lambda byte: b"" if byte is None else bytes([byte])
        )
    )
    changed = text[:at] + new + text[upto:]
    found = scan_model(changed)
    if found is None:
        return
    try:
        spec = json.loads(changed.decode())
    except ValueError:
        # Then what is left is no JSON either.
        with pytest.raises(ValueError):
            json.loads(found[0].decode())
        return
    assert _whole(found) == _with_lists(spec)


@given(documents(), st.data())
def test_a_text_that_breaks_off_is_left_alone(document, data):
    text, _ = document
    assert scan_model(text[: data.draw(st.integers(0, text.rindex(b"}") - 1))]) is None


def _changed(old: str, new: str) -> bytes:
    assert old in PLAIN
    return PLAIN.replace(old, new, 1).encode()


def test_the_plain_text_is_read():
    assert scan_model(PLAIN.encode()) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"b": 2', '"a": 2', id="a token twice"),
        pytest.param('"b": 2', '"b": 9', id="ids that fall"),
        pytest.param('"b": 2', '"b": 0', id="an id twice"),
        pytest.param('"b": 2', '"b": -2', id="a negative id"),
        pytest.param('"b": 2', '"b": 2.0', id="a number with a point"),
        pytest.param('"b": 2', '"b": 02', id="a number with a leading zero"),
        pytest.param('"ab": 7', '"ab": 2147483648', id="an id that is too large"),
        pytest.param('"b": 2', '"": 2', id="an empty token"),
        pytest.param('"b": 2', '"b\\ud800": 2', id="half a character"),
        pytest.param('"b": 2', '"b": "2"', id="an id that is text"),
        pytest.param('"b"]', '"c"]', id="a merge of what is no token"),
        pytest.param('"b"]', '"a"]', id="a merge that makes no token"),
        pytest.param('"b"]', '"b", "b"]', id="a merge of three"),
        pytest.param('["a", "b"]', '["a", "b"], "a b"', id="two spellings"),
        pytest.param('["a", "b"]', '"#version: 0.2", "a b"', id="a line that is no merge"),
        pytest.param('["a", "b"]', '"ab"', id="a merge without a space"),
        pytest.param('["a", "b"]', '["a", "b"],', id="a comma too many"),
        pytest.param('"merges"', '"vocab"', id="a key twice"),
        pytest.param('"merges"', '"m\\u0065rges"', id="a key with an escape"),
        pytest.param('"model"', '"other"', id="no model"),
        pytest.param('{"a": 0, "b": 2, "ab": 7}', '["a", "b"]', id="a vocabulary that is a list"),
    ],
)
def test_what_is_unusual_is_left_alone(old, new):
    assert scan_model(_changed(old, new)) is None


def test_tokens_are_found_both_ways():
    found = scan_model(PLAIN.encode())
    assert found is not None
    _, vocabulary, _ = found
    assert [vocabulary.get(token) for token in ("a", "b", "ab", "c", "", "\ud800")] == [
        0, 2, 7, None, None, None,
    ]  # fmt: skip
    assert [vocabulary.token(i) for i in (-1, 0, 1, 2, 7, 8)] == [
        None, "a", None, "b", "ab", None,
    ]  # fmt: skip
    assert (len(vocabulary), vocabulary.max_id) == (3, 7)


def test_stand_ins_become_bytes_and_other_tokens_have_none():
    text = json.dumps({"model": {"vocab": {"Ġa": 0, "é": 1, "a b": 2, "Ċ": 3}, "merges": []}})
    found = scan_model(text.encode())
    assert found is not None
    contents = Contents(found[1], True)
    assert [contents.bytes_of(i) for i in range(-1, 5)] == [
        None, b" a", b"\xe9", None, b"\n", None,
    ]  # fmt: skip
    assert contents.single() == {"é": b"\xe9", "Ċ": b"\n"}
