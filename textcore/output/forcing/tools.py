"""Tool definitions as the chat API has them, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...errors import SpecError, UnsupportedError
from .bodies import Function

_TOOL_KEYS: Final = frozenset({"type", "function"})
_FUNCTION_KEYS: Final = frozenset({"type", "name", "description", "parameters", "strict"})


def read_tools(tools: Any) -> list[Function]:
    """The functions that tool definitions define.

    Raises:
        SpecError: there are none, two have one name, or a definition is malformed.
        UnsupportedError: a tool is no function, or has a key that is not known.
    """
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Sequence):
        raise SpecError("tools", f"expected a list of tools, not {type(tools).__name__}")
    if not tools:
        raise SpecError("tools", "an empty list: there is nothing to call")
    functions: dict[str, Function] = {}
    for index, tool in enumerate(tools):
        function = _function(tool, f"tools[{index}]")
        if function.name in functions:
            raise SpecError(
                function.place,
                f"a second tool of the name {function.name!r}"
                f" (the first is {functions[function.name].place})",
            )
        functions[function.name] = function
    return list(functions.values())


def _function(tool: Any, place: str) -> Function:
    if not isinstance(tool, Mapping):
        raise SpecError(place, f"expected a tool definition, not {type(tool).__name__}")
    kind = tool.get("type", "function")
    if kind != "function":
        raise UnsupportedError(f"{place}.type", f"{kind!r}: only functions can be called by JSON")
    body = tool
    if "function" in tool:
        _known(tool, _TOOL_KEYS, place)
        place, body = f"{place}.function", tool["function"]
        if not isinstance(body, Mapping):
            raise SpecError(place, f"expected an object, not {type(body).__name__}")
    _known(body, _FUNCTION_KEYS, place)
    name = body.get("name")
    if not isinstance(name, str) or not name:
        raise SpecError(f"{place}.name", f"expected a non-empty string, not {name!r}")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise SpecError(f"{place}.name", "a lone surrogate can't be written") from None
    for key, kinds in (("description", str), ("strict", bool)):
        if not isinstance(body.get(key), kinds | None):
            raise SpecError(f"{place}.{key}", f"expected a {kinds.__name__}")
    return Function(name, body.get("parameters"), place)


def _known(body: Mapping[str, Any], keys: frozenset[str], place: str) -> None:
    for key in body:
        if key not in keys:
            raise UnsupportedError(
                place, f"unknown key {str(key)[:80]!r}; known are {', '.join(sorted(keys))}"
            )


def named(functions: list[Function], name: str) -> list[Function]:
    """The one function of a name.

    Raises:
        SpecError: there is none.
        TypeError: the name is no string.
    """
    if not isinstance(name, str):
        raise TypeError(f"name: expected a string, not {type(name).__name__}")
    found = [function for function in functions if function.name == name]
    if not found:
        names = ", ".join(repr(function.name) for function in functions)
        raise SpecError("name", f"no tool is called {name!r}; there are {names}")
    return found
