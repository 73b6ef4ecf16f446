import random
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from unicode_reference import SCALARS

from textcore.core import normalize
from textcore.core.windows import levels

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
FUNCTIONS = {
    "NFC": normalize.nfc,
    "NFD": normalize.nfd,
    "NFKC": normalize.nfkc,
    "NFKD": normalize.nfkd,
    "Lowercase": normalize.lowercase,
    "StripAccents": normalize.strip_accents,
}
WITH_CHANGES = {
    "NFC": normalize.nfc_with_changes,
    "NFD": normalize.nfd_with_changes,
    "NFKC": normalize.nfkc_with_changes,
    "NFKD": normalize.nfkd_with_changes,
    "Lowercase": normalize.lowercase_with_changes,
}
REFERENCE = {name: getattr(normalizers, name)().normalize_str for name in FUNCTIONS}

DECOMPOSED = [c for c in SCALARS if normalize.nfkd(c) != c]
MARKS = [c for c in SCALARS if not normalize.strip_accents(c)]
JAMO = [*map(chr, range(0x1100, 0x1200)), "가", "각", "\ud7a3"]
INTERESTING = st.one_of(
    st.sampled_from(MARKS),
    st.sampled_from(MARKS[:80]),
    st.sampled_from(DECOMPOSED),
    st.sampled_from(JAMO),
    st.sampled_from("aeoAsSΣσςıIİßßsKkιυ漢字かがば\u09c7\u09be\u0dd9\u0dcf\u0b47\u212b\ufb1d"),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.lists(INTERESTING, max_size=40).map("".join)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("between", ["", "\n", "\u0301", "가"])
def test_equals_the_reference_on_all_scalar_values(name, between):
    text = between.join(SCALARS)
    assert FUNCTIONS[name](text) == REFERENCE[name](text)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(text=TEXTS)
def test_equals_the_reference(name, text):
    assert FUNCTIONS[name](text) == REFERENCE[name](text)


def test_equals_the_reference_on_long_runs_of_marks():
    draw = random.Random(7)
    for _ in range(40):
        text = "".join(draw.choices(MARKS + ["a", "e", "ǖ"] * 3, k=300))
        for name in FORMS:
            assert FUNCTIONS[name](text) == REFERENCE[name](text)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(text=TEXTS)
def test_returns_the_same_object_when_nothing_changes(name, text):
    once = FUNCTIONS[name](text)
    assert FUNCTIONS[name](once) is once


@given(text=TEXTS)
def test_the_forms_are_related_as_the_annex_says(text):
    nfc, nfd, nfkc, nfkd = (FUNCTIONS[name] for name in FORMS)
    assert nfc(nfd(text)) == nfc(text)
    assert nfd(nfc(text)) == nfd(text)
    assert nfkc(nfc(text)) == nfkc(nfd(text)) == nfkc(nfkd(text)) == nfkc(text)
    assert nfkd(nfc(text)) == nfkd(nfd(text)) == nfkd(nfkc(text)) == nfkd(text)


def split_characters(normalizer):
    """A tokenizer whose offsets show which original characters each character comes from."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(?m:.)"), "isolated")
    return tokenizer


def aligned(text, changes):
    """Offsets by the rule of NormalizedString::transform, in characters."""
    offsets = []
    at = 0
    for change in changes:
        offsets.append((at, at + 1) if change <= 0 else (at - 1, at) if at else (0, 0))
        at += 1 - change if change <= 0 else 0
    return offsets


@pytest.mark.parametrize("name", WITH_CHANGES)
@given(text=TEXTS)
def test_changes_align_as_the_reference_does(name, text):
    changed, changes = WITH_CHANGES[name](text)
    assert changed == FUNCTIONS[name](text)
    encoding = split_characters(getattr(normalizers, name)()).encode(text)
    assert aligned(text, changes) == encoding.offsets


@pytest.mark.parametrize("name", FORMS)
@given(text=TEXTS, cut=st.integers(0, 60))
def test_what_follows_a_clean_prefix_can_be_normalized_alone(name, text, cut):
    form = normalize.Form[name]
    data = text.encode()
    size = normalize.utf8_clean_prefix(data, form)
    head, tail = data[:size].decode(), data[size:].decode()
    assert head + FUNCTIONS[name](tail) == FUNCTIONS[name](text)
    assert normalize.utf8_clean_prefix(data[:cut], form) <= len(data[:cut])


@pytest.mark.parametrize("name", FORMS)
@given(text=TEXTS)
def test_utf8_is_normalized_as_the_text_is(name, text):
    form = normalize.Form[name]
    assert normalize.utf8_normalized(text, form) == FUNCTIONS[name](text).encode()


@pytest.mark.parametrize("name", FORMS)
def test_utf8_of_every_character_is_normalized(name):
    form = normalize.Form[name]
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    assert normalize.utf8_normalized(text, form) == FUNCTIONS[name](text).encode()


FILLING = st.sampled_from(
    [
        "plain ASCII. ",
        "é",
        "漢",
        "か",
        "が",
        "ま",
        "한",
        "न",
        "ы",
        "\u0301",
        "😀",
        "\u3099",
        "a\u0327",
    ]
)


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", FORMS)
@given(parts=st.lists(st.tuples(FILLING, st.integers(1, 70)), max_size=6))
def test_no_level_calls_clean_what_another_does_not(name, level, parts):
    data = "".join(text * times for text, times in parts).encode()
    form = normalize.Form[name]
    size = normalize.utf8_clean_prefix(data, form, level)
    assert size == normalize.utf8_clean_prefix(data, form)
    head, tail = data[:size].decode(), data[size:].decode()
    assert head + FUNCTIONS[name](tail) == FUNCTIONS[name](data.decode())


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", FORMS)
def test_every_character_among_others_is_clean_if_it_stays(name, level):
    form = normalize.Form[name]
    around = "漢" * 10, "字" * 20
    for code in [*range(0x80, 0xD800, 7), *range(0xE000, 0x11000, 7), *range(0x3040, 0x3100)]:
        text = chr(code).join(around)
        size = normalize.utf8_clean_prefix(text.encode(), form, level)
        assert size < len(text.encode()) or FUNCTIONS[name](text) == text


@pytest.mark.parametrize("name", FORMS)
def test_plain_text_is_a_clean_prefix(name):
    for text in ("", "plain ASCII text, long enough", "漢字和汉字", "かなカナ、", "\U0001f600 ß"):
        data = text.encode()
        assert normalize.utf8_clean_prefix(data, normalize.Form[name]) == len(data)


@pytest.mark.parametrize("name", ["NFC", "NFKC"])
def test_hangul_and_accented_letters_are_clean_when_composed(name):
    data = "한국어 がぎぐ éüÅ Việt Nam".encode()
    assert normalize.utf8_clean_prefix(data, normalize.Form[name]) == len(data)


@pytest.mark.parametrize(
    "data", [b"ab\xff", b"ab\xe4\xb8", b"ab\xc3", b"ab\xf0\x9f\x98", b"ab\x80"]
)
def test_invalid_utf8_is_not_clean(data):
    assert normalize.utf8_clean_prefix(data, normalize.Form.NFC) in (0, 1)


@given(data=st.binary(max_size=40))
def test_any_bytes_have_a_clean_prefix(data):
    for form in normalize.Form:
        assert 0 <= normalize.utf8_clean_prefix(data, form) <= len(data)


@pytest.mark.parametrize("name", FORMS)
def test_a_million_marks_take_linear_time(name):
    def seconds(text):
        start = time.perf_counter()
        FUNCTIONS[name](text)
        return time.perf_counter() - start

    marks = "\u0345\u0334\u0300\u0316\u0315"
    short = min(seconds("a" + marks * 4_000) for _ in range(5))
    assert seconds("a" + marks * 200_000) < 50 * max(short, 0.001) * 5


def test_hangul_syllables_compose_from_their_jamo():
    assert normalize.nfd("각") == "\u1100\u1161\u11a8"
    assert normalize.nfc("\u1100\u1161\u11a8") == "각"
    assert normalize.nfc("가\u11a7") == "가\u11a7"  # not a trailing consonant


@pytest.mark.parametrize(
    ("text", "lowered"),
    [("ΟΔΟΣ", "οδοσ"), ("İ", "i̇"), ("ß", "ß"), ("ẞ", "ß"), ("ÀÉ", "àé"), ("ASCII", "ascii")],
)
def test_lowercase_knows_no_context(text, lowered):
    assert normalize.lowercase(text) == lowered == REFERENCE["Lowercase"](text)


def test_normalize_takes_the_name_of_a_form():
    assert normalize.normalize("ﬁé", "NFKD") == "fie\u0301"
    with pytest.raises(ValueError, match="NFX"):
        normalize.normalize("a", "NFX")


@pytest.mark.parametrize("function", [*FUNCTIONS.values(), *WITH_CHANGES.values()])
@pytest.mark.parametrize("value", [None, b"a", 1])
def test_other_types_are_refused(function, value):
    with pytest.raises(TypeError):
        function(value)


@pytest.mark.parametrize("name", FORMS)
def test_lone_surrogates_pass_through(name):
    assert FUNCTIONS[name]("\ud800e\u0301\udfff").startswith("\ud800")
    assert re.fullmatch("\ud800(é|e\u0301)\udfff", FUNCTIONS[name]("\ud800e\u0301\udfff"))
