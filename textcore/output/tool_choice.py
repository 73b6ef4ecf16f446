"""``tool_choice`` as a constraint: a regex that only whole, valid tool calls match.

A format whose markers are ordinary text can be forced by a regex over the model's output.
The Hermes form (NousResearch's function calling, also Qwen 2.5's and Qwen 3's chat templates)::

    <tool_call>
    {"name": NAME, "arguments": ARGUMENTS}
    </tool_call>
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..errors import SpecError, UnsupportedError
from .schema import MAX_POSITIONS, SEPARATORS, schema_fragment
from .schema.constraints import Object, Schema
from .schema.fragments import Composer, Fragment, literal


@dataclass(frozen=True, slots=True)
class CallForm:
    """A call as text: ``opening``, the name as JSON, ``middle``, the arguments, ``closing``."""

    opening: str
    middle: str
    closing: str


FORMS: Final[Mapping[str, CallForm]] = {
    "hermes": CallForm('<tool_call>\n{"name": ', ', "arguments": ', "}\n</tool_call>"),
}
"""The formats that can be forced by a regex."""

_TOOL_KEYS: Final = frozenset({"type", "function"})
_FUNCTION_KEYS: Final = frozenset({"type", "name", "description", "parameters", "strict"})


@dataclass(frozen=True, slots=True)
class Function:
    """A tool's name and its arguments' schema, ``place`` for errors about it."""

    name: str
    parameters: Any
    place: str


def tool_call_pattern(
    tools: Sequence[Mapping[str, Any]],
    name: str | None = None,
    *,
    format: str = "hermes",
    any_depth: int = 2,
    max_positions: int = MAX_POSITIONS,
) -> str:
    """A regex that matches exactly one call: of any of the tools, or of the one named.

    So an engine that keeps to it makes ``tool_choice: "required"`` (``name`` None) or a named
    ``tool_choice`` certain. The arguments are in the canonical form of ``json_schema_to_regex``
    with the default spacing, the one that chat templates render.

    Args:
        tools: OpenAI tool definitions (``{"type": "function", "function": {"name": ...,
            "parameters": ...}}``) or the bare function objects. Without ``parameters`` a tool
            takes an empty object.
        name: the one tool to be called.
        format: the form of a call; ``"hermes"``.
        any_depth, max_positions: as for ``json_schema_to_regex``.

    Raises:
        SpecError: no tools, two of one name, a malformed definition, or an unknown ``name``.
        UnsupportedError: an unknown ``format``, a tool that is not a function, or a schema that
            has no regex; the error names the tool and the keyword's JSON pointer.
    """
    if format not in FORMS:
        raise UnsupportedError(
            "format", f"{format!r} can't be forced by a regex; supported: {', '.join(FORMS)}"
        )
    form = FORMS[format]
    functions = _chosen(read_tools(tools), name)
    composer = Composer(max_positions)
    calls = [_call(function, form, any_depth, composer) for function in functions]
    composer.place = "tools"
    return composer.seq([literal(form.opening), composer.alt(calls), literal(form.closing)]).text


def read_tools(tools: Any) -> list[Function]:
    """The functions that tool definitions define, checked; raises as ``tool_call_pattern``."""
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


def _chosen(functions: list[Function], name: str | None) -> list[Function]:
    if name is None:
        return functions
    if not isinstance(name, str):
        raise TypeError(f"name: expected a string or None, not {type(name).__name__}")
    found = [function for function in functions if function.name == name]
    if not found:
        names = ", ".join(repr(function.name) for function in functions)
        raise SpecError("name", f"no tool is called {name!r}; there are {names}")
    return found


def _call(function: Function, form: CallForm, any_depth: int, composer: Composer) -> Fragment:
    """The part of a call that differs from tool to tool."""
    schema = {} if function.parameters is None else function.parameters
    place = f"{function.place}.parameters#"
    arguments = schema_fragment(
        schema,
        place=place,
        separators=SEPARATORS,
        any_depth=any_depth,
        composer=composer,
        also=Schema(place="an object, as arguments are", alternatives=(Object(place=place),)),
    )
    name = literal(json.dumps(function.name, ensure_ascii=False))
    return composer.seq([name, literal(form.middle), arguments])
