"""The API reference is current, and has every public name."""

import ast

import make_api_docs
import pytest

import textcore


@pytest.fixture(scope="module")
def page() -> str:
    return make_api_docs.PAGE.read_text(encoding="utf-8")


def test_the_page_is_what_the_docstrings_give(page):
    assert page == make_api_docs.render(), "run scripts/make_api_docs.py"


@pytest.mark.parametrize("name", textcore.__all__)
def test_every_public_name_is_documented(page, name):
    definition = make_api_docs.find(name, "textcore")
    assert f"### `{name}`\n" in page
    assert definition.doc.strip(), f"{definition.module}.{name} has no docstring"


def public_classes() -> list[str]:
    return [n for n in textcore.__all__ if isinstance(getattr(textcore, n), type)]


@pytest.mark.parametrize("name", public_classes())
def test_every_public_method_is_documented(name):
    members = list(make_api_docs.members(make_api_docs.find(name, "textcore")))
    assert members
    assert [node.name for node, doc in members if not doc.strip()] == []


def function(source: str) -> ast.FunctionDef:
    return ast.parse(source).body[0]


@pytest.mark.parametrize(
    "spelled",
    [
        "f()",
        "f(a, b=1) -> int",
        'f(a: int, /, b: str = "x", *, c=None, d: int) -> list[int]',
        "f(*args: int, a: int = 2, **kwargs: str)",
        "f(a, *, b)",
    ],
)
def test_a_signature_is_as_its_source_spells_it(spelled):
    assert make_api_docs.signature("f", function(f"def {spelled}: ...")) == spelled


def test_a_long_signature_has_a_parameter_a_line():
    parts = [f"parameter_{n}: dict[str, int] = (1, 2)" for n in range(3)]
    found = make_api_docs.signature("f", function(f"def f({', '.join(parts)}) -> None: ..."))
    assert found.split("\n") == ["f(", *(f"    {part}," for part in parts), ") -> None"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("def m(self, x: int) -> str: ...", "m(x: int) -> str"),
        ("def m(self, /, x): ...", "m(x)"),
        ("@classmethod\ndef m(cls, x): ...", "m(x)"),
        ("@staticmethod\ndef m(x): ...", "m(x)"),
    ],
)
def test_self_is_not_shown(source, shown):
    assert make_api_docs.signature("m", function(source), method=True) == shown
