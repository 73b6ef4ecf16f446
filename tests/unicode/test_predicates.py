import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers
from unicode_reference import SCALARS, members

from textcore.unicode import predicates, properties

NAMES = sorted(predicates.names())
EDGES = sorted(
    {
        chr(point + step)
        for name in NAMES
        for pair in predicates.ranges(name)
        for point in pair
        for step in (-1, 0, 1)
        if 0 <= point + step <= 0x10FFFF and not 0xD800 <= point + step < 0xE000
    }
)
TEXTS = st.lists(st.sampled_from(EDGES) | st.sampled_from(" a1.\n漢é²"), max_size=40).map("".join)


def offsets(pre_tokenizer, text):
    return [offset for _, offset in pre_tokenizer.pre_tokenize_str(text)]


@given(text=TEXTS)
def test_whitespace_split(text):
    runs = predicates.charset("is_whitespace").partition(text)
    expected = [(start, end) for start, end, inside in runs if not inside]
    assert expected == offsets(pre_tokenizers.WhitespaceSplit(), text)


@given(text=TEXTS)
def test_strip(text):
    charset = predicates.charset("is_whitespace")
    expected = text[charset.leading(text) :]
    expected = expected[: len(expected) - charset.trailing(expected)]
    assert expected == normalizers.Strip().normalize_str(text)


@pytest.mark.parametrize(
    ("name", "pre_tokenizer"),
    [
        ("is_numeric", pre_tokenizers.Digits(individual_digits=False)),
        ("is_punctuation", pre_tokenizers.Punctuation("contiguous")),
    ],
)
@given(text=TEXTS)
def test_runs(name, pre_tokenizer, text):
    runs = predicates.charset(name).partition(text)
    assert [(start, end) for start, end, _ in runs] == offsets(pre_tokenizer, text)


@given(text=TEXTS)
def test_words(text):
    word, space = predicates.charset("word"), predicates.charset("space")
    kinds = [(char in word) + 2 * (char in space) for char in text]
    expected = []
    for at, kind in enumerate(kinds):
        if kind == 2:
            continue
        if expected and expected[-1][1] == at and kinds[at - 1] == kind:
            expected[-1] = (expected[-1][0], at + 1)
        else:
            expected.append((at, at + 1))
    assert expected == offsets(pre_tokenizers.Whitespace(), text)


def bert(**what):
    nothing = dict.fromkeys(
        ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False
    )
    return normalizers.BertNormalizer(**(nothing | what)).normalize_str


def test_bert_clean_text_on_all_scalar_values():
    removed, space = (
        set(members(predicates.ranges(f"bert_{n}"))) for n in ("removed", "whitespace")
    )
    expected = "".join(" " if c in space else c for c in SCALARS if c not in removed)
    assert bert(clean_text=True)(SCALARS) == expected


def test_bert_chinese_on_all_scalar_values():
    chinese = set(members(predicates.ranges("bert_chinese")))
    expected = "".join(f" {c} " if c in chinese else c for c in SCALARS)
    assert bert(handle_chinese_chars=True)(SCALARS) == expected


@pytest.mark.parametrize(
    ("name", "strip"),
    [
        ("combining_mark", normalizers.StripAccents().normalize_str),
        ("nonspacing_mark", bert(strip_accents=True)),
    ],
)
def test_marks_on_all_scalar_values(name, strip):
    text = normalizers.NFD().normalize_str("\n".join(SCALARS))
    marks = set(members(predicates.ranges(name)))
    assert strip(text) == "".join(char for char in text if char not in marks)


def test_whitespace_and_words_are_the_rust_regex_crates():
    for name, escape in (("is_whitespace", r"\s"), ("space", r"\s"), ("word", r"\w")):
        assert predicates.ranges(name) == properties.ranges(escape, "rust")


def test_unknown_names_are_key_errors():
    with pytest.raises(KeyError):
        predicates.charset("is_nice")
