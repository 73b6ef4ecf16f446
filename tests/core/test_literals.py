"""LiteralScanner against ``ast.literal_eval``, and on what is no literal."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.literals import LiteralScanner

values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def scan(
    text: str, size: int | None = None, mark: str = "", arguments: bool = False
) -> str | None:
    """The JSON of a literal, fed in pieces; None if the text is none or has more."""
    scanner = LiteralScanner(mark)
    scanner.start(arguments)
    out, size = [], size or len(text) or 1
    for at in range(0, len(text), size):
        piece = text[at : at + size]
        if scanner.feed(piece) != len(piece):
            return None
        out.append(scanner.take())
    scanner.finish()
    out.append(scanner.take())
    return "".join(out) if scanner.done else None


@given(values, st.integers(1, 9))
def test_what_python_writes_comes_back_as_json(value: object, size: int) -> None:
    found = scan(repr(value), size)
    assert found is not None
    assert json.loads(found) == value
    assert scan(repr(value)) == found


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@given(st.text(st.sampled_from("'\"\\nux041Nqé\n \ud800"), max_size=12), st.integers(1, 4))
def test_strings_are_pythons_own(body: str, size: int) -> None:
    text = f"'{body}'"
    try:
        expected = ast.literal_eval(text)
    except (SyntaxError, ValueError, UnicodeEncodeError):
        expected = None
    found = scan(text, size)
    assert found == scan(text)
    strings = text.count("'") - text.count("\\'") == 2
    if isinstance(expected, str) and found is not None and strings:
        assert json.loads(found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'''a\n'b''' ", None),
        ("'''a\n'b'''", '"a\\n\'b"'),
        ("(1, 2,)", "[1, 2]"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("{1: 2, True: None}", '{"1": 2, "True": null}'),
        ("0x1F", "31"),
        ("-0b11", "-3"),
        ("1_000.5", "1000.5"),
        ("+.5", "0.5"),
        ("5.", "5.0"),
        ("1E400", "1E400"),
        ("007", "7"),
        ("'\\ud800'", '"\\ud800"'),
        ("'\ud800'", '"\\ud800"'),
        ("true", "true"),
        ("", None),
        ("name", None),
        ("-", None),
        (".", None),
        ("nan", None),
        ("[1", None),
        ("[1}", None),
        ("[1 2]", None),
        ("{'a'}", None),
        ("{'a' 1}", None),
        ("'a", None),
        ("'a\nb'", '"a\\nb"'),
        ("'\\x4'", None),
        ("'\\U00110000'", None),
        ("'\\N{DASH}'", None),
        ("1__0", None),
        ("0x" + "f" * 2000, None),
    ],
)
def test_literals(text: str, expected: str | None) -> None:
    assert scan(text) == expected
    assert scan(text, 1) == expected


@pytest.mark.parametrize("size", [1, 2, None])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a='sed -n '1,5p' f')", {"a": "sed -n '1,5p' f"}),
        ('a=\'it\'s\', b="say "hi"")', {"a": "it's", "b": 'say "hi"'}),
        ("a='x' )", {"a": "x"}),
        ("a='x\ny')", {"a": "x\ny"}),
        ("a=['it's', 'b'])", {"a": ["it's", "b"]}),
        ("a={'it's': 'b'})", {"a": {"it's": "b"}}),
        ("a={'x', 'y'})", {"a": ["x", "y"]}),
        ("a={'x'}, b={})", {"a": ["x"], "b": {}}),
        ("a='')", {"a": ""}),
        ("a='  ' , b='' )", {"a": "  ", "b": ""}),
    ],
)
def test_what_models_write_though_python_would_not(
    text: str, expected: object, size: int | None
) -> None:
    found = scan(text, size, arguments=True)
    assert found is not None
    assert json.loads(found) == expected


def test_strings_are_converted_where_the_key_asks_for_it() -> None:
    scanner = LiteralScanner()
    scanner.start(True, lambda key: key == "né", lambda key, text: f'["{key}", {len(text)}]')
    out = ""
    for character in "a='x', né = 'ab\\n', c={'né': 'd'})":
        scanner.feed(character)
        out += scanner.take()
    assert scanner.done
    assert json.loads(out) == {"a": "x", "né": ["né", 3], "c": {"né": "d"}}


def test_nothing_is_held_of_what_is_cut_off() -> None:
    for text in ("a=12", "a={'x'", "a='x' "):
        scanner = LiteralScanner()
        scanner.start(True, lambda _: True, lambda _, text: text)
        scanner.feed(text)
        before = scanner.take()
        assert not scanner.finish()
        assert text[-2:].strip("' ") in before + scanner.take()


def test_keyword_arguments() -> None:
    assert scan("a=1, b = 'x', c=[(2,)])", 1, arguments=True) == '{"a": 1, "b": "x", "c": [[2]]}'
    assert scan(")", arguments=True) == "{}"
    assert scan("1)", arguments=True) is None
    assert scan("a=1, 2)", arguments=True) is None


def test_marked_strings() -> None:
    text = 'at:<|"|>x"\n\\<|<|"|>,b:true,n:-5,xs:[1,{a b:None}]}'
    expected = {"at": 'x"\n\\<|', "b": True, "n": -5, "xs": [1, {"a b": None}]}
    for size in (1, 2, 5, 100):
        found = scan(text, size, '<|"|>', True)
        assert found is not None
        assert json.loads(found) == expected
    with pytest.raises(ValueError, match="ends as it begins"):
        LiteralScanner("<<")


def test_depth_is_no_recursion() -> None:
    depth = 1_000_000
    assert scan("[" * depth + "]" * depth, 1 << 16) == "[" * depth + "]" * depth


def test_digits_are_not_counted_again_and_again() -> None:
    assert scan("1" * 1_000_000, 4) == "1" * 1_000_000


def test_wrong_uses() -> None:
    with pytest.raises(TypeError):
        LiteralScanner().feed(b"1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="outside"):
        LiteralScanner().feed("1", 2)
