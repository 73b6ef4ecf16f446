import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import NormalizedString, Regex
from unicode_reference import MATCHED, SCALARS, members, rust

from textcore.unicode import folding, properties

CASE = ("Cased", "CWCF", "CWL", "CWU", "CWT", "CWCM")


def cased(dialect):
    ranges = [properties.ranges(name, dialect) for name in CASE]
    points = {p for pairs in ranges for first, last in pairs for p in range(first, last + 1)}
    return [chr(point) for point in sorted(points)]


def lines_matched(pattern, lines):
    """The lines that the whole of a pattern matches in tokenizers."""
    rest = NormalizedString("\n".join(lines)).split(Regex(f"^{pattern}$"), "removed")
    left = {line for piece in rest for line in piece.normalized.split("\n")}
    return [line for line in lines if line not in left]


@pytest.fixture(scope="module", params=properties.DIALECTS)
def dialect(request):
    return request.param


def test_equivalents_equal_the_reference_for_every_character_with_case(dialect):
    chars = cased(dialect)
    text = "".join(chars) if dialect == "rust" else "\n".join(chars)
    lines = NormalizedString(text)
    wrong = []
    for char in chars:
        expected = folding.equivalents(char, dialect)
        pattern = rf"(?i:\x{{{ord(char):x}}})"
        if dialect == "rust":
            same = sorted(rust(pattern, text)) == sorted(expected)
        else:
            rest = lines.split(Regex(pattern), "removed")
            kept = text.translate(dict.fromkeys(map(ord, expected)))
            same = "".join(piece.normalized for piece in rest) == kept
        if not same:
            wrong.append(char)
    assert not wrong
    assert len(chars) > 4000


@pytest.mark.parametrize("name", ["Lu", "Lt", "So", "Armenian"])
def test_closure_equals_the_reference_on_all_scalar_values(name, dialect):
    closed = folding.closure(properties.ranges(name, dialect), dialect)
    assert MATCHED[dialect](rf"(?i:[\p{{{name}}}])") == members(closed)


def test_only_characters_with_case_fold(dialect):
    known = set(cased(dialect))
    assert {c for c in SCALARS if folding.equivalents(c, dialect) != c} <= known
    assert {c for c in SCALARS if folding.expansion(c, dialect)} <= known


def test_a_property_outside_brackets_is_not_folded_in_oniguruma():
    lu = members(properties.ranges("Lu", "oniguruma"))
    assert MATCHED["oniguruma"](r"(?i:\p{Lu})") == lu


def test_expansions_equal_the_reference():
    sequences = sorted({folding.expansion(c, "oniguruma") for c in SCALARS} - {""})
    expected = [char for char in SCALARS if folding.expansion(char, "oniguruma")]
    for char in expected:
        found = lines_matched(rf"(?i:\x{{{ord(char):x}}})", sequences)
        assert found == [folding.expansion(char, "oniguruma")]
    assert len(expected) == 104  # those of CaseFolding.txt with status F


@given(st.data())
def test_every_spelling_of_an_expansion_matches(data):
    char = data.draw(st.sampled_from("ßẞŉǰΐևẖẗᾀᾼῲﬁﬃﬅﬆﬗİ"))
    spelling = "".join(
        data.draw(st.sampled_from(folding.equivalents(part, "oniguruma")))
        for part in folding.expansion(char, "oniguruma")
    )
    assert lines_matched(rf"(?i:\x{{{ord(char):x}}})", [spelling, "-"]) == [spelling]
    assert char in folding.contractions(spelling, "oniguruma")
    escaped = "".join(rf"\x{{{ord(part):x}}}" for part in spelling)
    assert lines_matched(f"(?i:{escaped})", [char, "-"]) == [char]


def test_rust_has_no_expansions():
    assert not any(folding.expansion(char, "rust") for char in SCALARS)
    assert folding.contractions("ss", "rust") == ""
    assert rust("(?i:ß)", "sSẞß") == "ẞß"


def test_the_representative_is_a_lower_case_letter(dialect):
    assert [folding.representative(c, dialect) for c in "KSΙ-"] == ["k", "s", "ι", "-"]


def test_unknown_dialect_is_a_value_error():
    with pytest.raises(ValueError, match="pcre"):
        folding.equivalents("a", "pcre")
