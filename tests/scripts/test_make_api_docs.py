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


def test_markup_becomes_markdown():
    doc = "Gives ``x``, see :class:`~textcore.Encoding` and :meth:`encode`."
    assert make_api_docs.markdown(doc) == "Gives `x`, see `Encoding` and `encode`."


def test_long_signatures_have_a_parameter_a_line():
    long = (
        "f(" + ", ".join(f"parameter_{n}: dict[str, int] = (1, 2)" for n in range(3)) + ") -> None"
    )
    lines = make_api_docs.wrapped(long).split("\n")
    assert lines[0] == "f("
    assert lines[1:4] == [f"    parameter_{n}: dict[str, int] = (1, 2)," for n in range(3)]
    assert lines[4] == ") -> None"


def test_self_is_not_shown_and_static_methods_keep_their_first_parameter():
    source = "class C:\n def a(self, x: int) -> str: ...\n @staticmethod\n def b(x: int): ..."
    node = ast.parse(source).body[0]
    assert [make_api_docs.arguments(f, method=True) for f in node.body] == [
        "(x: int) -> str",
        "(x: int)",
    ]
