import pytest
from unicode_reference import MATCHED, members

from textcore.unicode import properties

CATEGORIES = [
    *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "LC", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
    *("P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So"),
    *("Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cn", "Co", "Cs"),
]
ESCAPES = [r"\s", r"\d", r"\w", r"\h"]
SCRIPTS = ["Han", "Latin", "Greek", "Hiragana", "Katakana", "Hangul", "Common", "Thai"]
BINARY = ["Alphabetic", "White_Space", "Emoji", "Extended_Pictographic", "ID_Start", "Any"]


def pattern(name: str) -> str:
    if name.startswith("posix:"):
        return f"[[:{name[6:]}:]]"
    return name if name.startswith("\\") else rf"\p{{{name}}}"


@pytest.fixture(scope="module", params=properties.DIALECTS)
def dialect(request):
    return request.param


@pytest.mark.parametrize("name", [*CATEGORIES, *ESCAPES, *SCRIPTS, *BINARY])
def test_equals_the_reference_on_all_scalar_values(name, dialect):
    assert members(properties.ranges(name, dialect)) == MATCHED[dialect](pattern(name))


def test_every_name_equals_the_reference_at_every_edge_of_every_table(dialect):
    names = [n for n in properties.names(dialect) if not n.startswith(("sc=", "gc="))]
    edges = {
        min(max(point + step, 0), 0x10FFFF)
        for name in names
        for pair in properties.ranges(name, dialect)
        for point in pair
        for step in (-1, 0, 1)
    }
    chars = "".join(chr(edge) for edge in sorted(edges) if not 0xD800 <= edge < 0xE000)
    wrong = [
        name
        for name in names
        if MATCHED[dialect](pattern(name), chars)
        != members(properties.ranges(name, dialect), chars)
    ]
    assert not wrong
    assert len(names) > 900
    assert len(chars) > 7000


@pytest.mark.parametrize("name", [*ESCAPES, "Word", "L", "Punct", "posix:word"])
def test_bracketed_equals_the_reference(name, dialect):
    latin = "".join(map(chr, range(0x180)))
    inside = members(properties.ranges(name, dialect, bracketed=True), latin)
    assert MATCHED[dialect](f"[{pattern(name)}]", latin) == inside
    outside = "".join(char for char in latin if char not in inside)
    assert MATCHED[dialect](f"[^{pattern(name)}]", latin) == outside


def test_word_outside_brackets_has_more_characters_in_oniguruma():
    outside = set(members(properties.ranges(r"\w", "oniguruma")))
    inside = set(members(properties.ranges(r"\w", "oniguruma", bracketed=True)))
    assert outside - inside == set("²³¹¼½¾")
    assert inside < outside


def test_ranges_are_sorted_disjoint_and_without_surrogates(dialect):
    for name in properties.names(dialect):
        end = -1
        for first, last in properties.ranges(name, dialect):
            assert end < first <= last <= 0x10FFFF, name
            assert last < 0xD800 or first > 0xDFFF, name
            end = last


@pytest.mark.parametrize(
    ("spelling", "plain"),
    [
        ("White_Space", "whitespace"),
        ("WHITE SPACE", "whitespace"),
        ("upper-case Letter", "lu"),
        ("hAn", "hani"),
    ],
)
def test_names_compare_loosely(spelling, plain, dialect):
    assert properties.ranges(spelling, dialect) == properties.ranges(plain, dialect)


@pytest.mark.parametrize(
    "name",
    ["Is_Greek", "sc=Greek", "script:greek", "Script=isGreek", "scx=Grek", "gc=Lu", "Gréeek"],
)
def test_rust_spellings_equal_the_reference(name):
    assert members(properties.ranges(name, "rust")) == MATCHED["rust"](pattern(name))


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("Nonsense", "rust"),
        ("Nonsense", "oniguruma"),
        ("", "oniguruma"),
        ("InBasic_Latin", "rust"),
        ("IsGreek", "oniguruma"),
        ("sc=Greek", "oniguruma"),
        ("isc", "rust"),
        ("scx=Nonsense", "rust"),
        ("nonsense=Greek", "rust"),
        ("posix:nonsense", "rust"),
        ("[word]", "oniguruma"),
        ("Gréeek", "oniguruma"),
        ("éisGreek", "rust"),
    ],
)
def test_unknown_names_are_key_errors_as_in_the_reference(name, dialect):
    with pytest.raises(KeyError):
        properties.ranges(name, dialect)
    if not name.startswith(("[", "posix:")):
        with pytest.raises(Exception, match=r"(?i)(property|regex|character|class)"):
            MATCHED[dialect](pattern(name), "a")


def test_unknown_dialect_is_a_value_error():
    with pytest.raises(ValueError, match="pcre"):
        properties.ranges("L", "pcre")


@pytest.mark.parametrize(
    ("dialect", "package"), [("oniguruma", "tokenizers"), ("rust", "tiktoken")]
)
def test_facts_name_the_reference(dialect, package):
    facts = properties.facts(dialect)
    assert (facts["package"], facts["unicode"]) == (package, "16.0")
