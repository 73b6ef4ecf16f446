"""Docstrings become Markdown that reads as it was meant."""

from inspect import cleandoc

import pytest
from docstring_markdown import markdown


def test_roles_and_double_backquotes_become_code():
    doc = "Gives ``x``, see :class:`~textcore.Encoding` and :meth:`encode`."
    assert markdown(doc) == "Gives `x`, see `Encoding` and `encode`."


GOOGLE = """
    Does it.

    Args:
        first: what comes
            first.
        second, third: the others.

    Returns:
        The result, which is
        long.

    Raises:
        ValueError: never.
"""
NUMPY = """
    Does it.

    Parameters
    ----------
    first : int, optional
        What comes
        first.
    second : str

    Raises
    ------
    ValueError
        Never.
"""


@pytest.mark.parametrize(
    ("doc", "lines"),
    [
        (
            GOOGLE,
            [
                "Does it.",
                "",
                "**Arguments**",
                "",
                "- `first`: what comes",
                "  first.",
                "- `second, third`: the others.",
                "",
                "**Returns**",
                "",
                "The result, which is",
                "long.",
                "",
                "**Raises**",
                "",
                "- `ValueError`: never.",
            ],
        ),
        (
            NUMPY,
            [
                "Does it.",
                "",
                "**Arguments**",
                "",
                "- `first` (int, optional):",
                "  What comes",
                "  first.",
                "- `second` (str)",
                "",
                "**Raises**",
                "",
                "- `ValueError`:",
                "  Never.",
            ],
        ),
    ],
    ids=["google", "numpy"],
)
def test_sections_become_lists(doc, lines):
    assert markdown(cleandoc(doc)).split("\n") == lines


def test_text_without_sections_stays_as_it_is():
    doc = "One.\n\n- a list: of\n  things\n\nParameters are text here.\nRaises: no section."
    assert markdown(doc) == doc
