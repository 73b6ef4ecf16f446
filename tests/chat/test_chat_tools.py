"""Schemas of Python functions, against transformers' get_json_schema."""

import enum
import json
import re
from typing import Any, Literal, Optional, Union

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from transformers.utils import get_json_schema
from transformers.utils.chat_template_utils import DocstringParsingException

from textcore.chat.errors import ToolSchemaError
from textcore.chat.tools import function_schema, tool_schemas


class Color(enum.Enum):
    RED = "red"
    TWO = 2


class Empty(enum.Enum):
    pass


class Odd(enum.Enum):
    A = (1, 2)


def make(docstring, **hints):
    """A function with these hints and this docstring."""

    def tool(a=1, b=2):
        return a, b

    tool.__doc__ = docstring
    tool.__annotations__ = hints
    return tool


def simple(x: int, y: "float", name: str = "x", flag: bool = False) -> str:
    """Does things.

    More words,
    on lines.

    Args:
        x: The first,
            which goes on
        y (float): The second: with a colon

            and a blank line
        name: One of them (choices: ["a", " b "])
        flag:
            Below its name

    Returns:
        A text,
        of two lines.

    Raises:
        ValueError: never
    """


def no_arguments():
    """Only a summary"""


def containers(
    a: list[int],
    b: dict[str, list[float]],
    c: tuple[int, str],
    d: Optional[int],  # noqa: UP045
    e: Union[int, str],  # noqa: UP007
    f: int | None | list[str],  # noqa: RUF036
    g: Literal["x", 1, None, True],
    h: Color,
    i: Any,
    j: list,
    k: dict,
    l: tuple,  # noqa: E741
    m: list | tuple,
    n: Literal["only"],
    o: Union[list[int], Color, None],  # noqa: UP007
) -> list[Empty]:
    """All of them.

    Args:
        a: a
        b: b
        c: c
        d: d
        e: e
        f: f
        g: g
        h: h
        i: i
        j: j
        k: k
        l: l
        m: m
        n: n
        o: o
    """


class Holder:
    def method(self, x: int):
        """A method.

        Args:
            x: it
        """

    @classmethod
    def of(cls, x: int):
        """A class method.

        Args:
            x: it
        """


def tabs(x: int, y: int):
    """T

    Args:
        x: one
        y: two
    Returns:
        nothing
    """


@pytest.mark.parametrize(
    "function", [simple, no_arguments, containers, Holder().method, Holder.of, Holder.method, tabs]
)
def test_schema_is_the_references(function):
    assert function_schema(function) == get_json_schema(function)


DOC = "D\n\nArgs:\n    a: x\n    b: y"


@pytest.mark.parametrize(
    "function",
    [
        make(None, a=int, b=int),
        make("  ", a=int, b=int),
        make("D", a=int, b=int),
        make(DOC, a=int),
        make(DOC, a=object, b=int),
        make(DOC, a=Empty, b=int),
        make(DOC, a=Odd, b=int),
        make(DOC, a=tuple[int], b=int),
        make(DOC, a=tuple[int, ...], b=int),
        make(DOC, a=set[int], b=int),
        make(DOC, a=Literal[b"x"], b=int),
        make(DOC, a=list[object], b=int),
    ],
)
def test_errors_are_the_references(function):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        get_json_schema(function)
    with pytest.raises(ToolSchemaError) as mine:
        function_schema(function)
    assert str(mine.value) == str(theirs.value)


PARTS = [
    "Args:",
    "Returns:",
    "Raises:",
    "a:",
    "b (int):",
    "c[int]:",
    "(choices: [1])",
    "a: x",
    "text",
]
DOCSTRINGS = st.lists(
    st.tuples(
        st.sampled_from(["", " ", "\t", "\n", "\n\n", "\n    ", "\n        "]),
        st.sampled_from(PARTS),
    ),
    max_size=14,
).map(lambda parts: "Does" + "".join(space + part for space, part in parts))


@settings(max_examples=300, deadline=None)
@given(DOCSTRINGS)
@example("Does.\n\nArgs:\n    a:\n    b: c\n    b: d")
def test_docstrings_are_read_as_by_the_reference(docstring):
    function = make(docstring, a=int, b=str)
    try:
        expected = get_json_schema(function)
    except DocstringParsingException as error:
        with pytest.raises(ToolSchemaError, match=re.escape(str(error))):
            function_schema(function)
    except json.JSONDecodeError:
        with pytest.raises(json.JSONDecodeError):
            function_schema(function)
    else:
        assert function_schema(function) == expected


def test_return_hint_that_has_no_schema_is_left_out():
    function = make(DOC, a=int, b=int)
    function.__annotations__["return"] = object
    assert function_schema(function) == get_json_schema(function)


def test_schemas_pass_through_and_functions_become_schemas():
    schema = {"type": "function", "function": {"name": "f"}}
    assert tool_schemas([schema, no_arguments]) == [schema, get_json_schema(no_arguments)]
    assert tool_schemas(None) is None
