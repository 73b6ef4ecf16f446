"""Tools as templates see them: JSON schemas, or Python functions described as such.

The schema of a function comes from its signature, its type hints and a docstring in Google's
style, by the rules of ``transformers.utils.get_json_schema`` (5.24).
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, Literal, Union

from textcore.chat.errors import PromptError, ToolSchemaError

Schema = dict[str, Any]

_SCALAR_NAMES: dict[type, str] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
}
_TYPE_NAMES: dict[Any, str] = {**_SCALAR_NAMES, list: "array", tuple: "array", dict: "object"}
# Types of other packages that stand for media; looked up only where they have been imported.
_MEDIA_TYPES = (("PIL.Image", "Image", "image"), ("torch", "Tensor", "audio"))

_SUMMARY = re.compile(r"(.*?)[\n\s]*(?:Args:|Returns:|Raises:|\Z)", re.DOTALL)
_ARGUMENTS = re.compile(r"\n\s*Args:\n(.*?)[\n\s]*(?:Returns:|Raises:|\Z)", re.DOTALL)
_RETURNS = re.compile(r"\n\s*Returns:\n\s*(.*?)[\n\s]*(?:Raises:|\Z)", re.DOTALL)
_ARGUMENT_HEAD = re.compile(r"([ \t]*)(\w+)(?:[ \t]*\([^()\n]*\))?:")
_CHOICES = re.compile(r"\(choices:\s*(.*?)\)\s*$", re.IGNORECASE)


def tool_schemas(tools: Iterable[Any] | None) -> list[Schema] | None:
    """The tools as JSON schemas: dicts as they are, functions and methods by `function_schema`.

    Raises PromptError for anything else, ToolSchemaError for a function that can't be described.
    """
    if tools is None:
        return None
    return [_tool_schema(tool) for tool in tools]


def _tool_schema(tool: Any) -> Schema:
    if isinstance(tool, dict):
        return tool
    if inspect.isfunction(tool) or inspect.ismethod(tool):
        return function_schema(tool)
    raise PromptError(
        "Tools should either be a JSON schema, or a callable function with type hints "
        "and a docstring suitable for auto-conversion to a schema."
    )


def function_schema(function: Callable[..., Any]) -> Schema:
    """``{"type": "function", "function": {name, description, parameters[, return]}}``.

    Every parameter needs a type hint and an entry under ``Args:`` in the docstring; an entry may
    end in ``(choices: [JSON values])``, which becomes an ``enum``. Raises ToolSchemaError.
    """
    name = getattr(function, "__name__", "operation")
    docstring = (inspect.getdoc(function) or "").strip()
    if not docstring:
        raise ToolSchemaError(
            f"Cannot generate JSON schema for {name} because it has no docstring!"
        )
    summary, described, returns = _read_docstring(docstring)
    parameters, returned = _signature_schema(function, name)
    for argument, schema in parameters["properties"].items():
        if argument not in described:
            raise ToolSchemaError(
                f"Cannot generate JSON schema for {name} because the docstring has no "
                f"description for the argument '{argument}'"
            )
        _describe(schema, described[argument])
    result: Schema = {"name": name, "description": summary, "parameters": parameters}
    if returned is not None:
        if returns is not None:
            returned["description"] = returns
        result["return"] = returned
    return {"type": "function", "function": result}


def _describe(schema: Schema, description: str) -> None:
    choices = _CHOICES.search(description)
    if choices:
        values = json.loads(choices.group(1))
        schema["enum"] = [v.strip() if isinstance(v, str) else v for v in values]
        description = description[: choices.start()].strip()
    schema["description"] = description


def _read_docstring(docstring: str) -> tuple[str, dict[str, str], str | None]:
    """A Google-style docstring: its description, its arguments', and what it returns."""
    summary = _SUMMARY.match(docstring)
    arguments = _ARGUMENTS.search(docstring)
    returns = _RETURNS.search(docstring)
    return (
        summary.group(1).strip() if summary else "",
        _read_arguments(arguments.group(1)) if arguments else {},
        returns.group(1).strip() if returns else None,
    )


def _read_arguments(block: str) -> dict[str, str]:
    """Each argument's description, its lines joined by one space.

    A line ``name:`` or ``name (type):`` starts an argument, unless it is indented deeper than
    the argument before it, or comes right after that one's name, which has nothing on its own
    line: then it belongs to that one's description.
    """
    described: dict[str, str] = {}
    indentation, name, lines = "", "", list[str]()
    for line in block.split("\n"):
        if not line.strip():
            continue
        head = _ARGUMENT_HEAD.match(line)
        goes_on = name and (lines == [""] or _is_deeper(line, indentation))
        if head and not goes_on:
            if name:
                described[name] = " ".join(lines)
            indentation, name = head.group(1), head.group(2)
            lines = [line[head.end() :].strip()]
        elif name:
            lines.append(line.strip())
    if name:
        described[name] = " ".join(lines)
    return {key: text.strip() for key, text in described.items()}


def _is_deeper(line: str, indentation: str) -> bool:
    rest = line[len(indentation) :]
    return line.startswith(indentation) and rest[:1] in (" ", "\t") and rest[:1] != ""


def _signature_schema(function: Callable[..., Any], name: str) -> tuple[Schema, Schema | None]:
    """The schema of the parameters, and of what is returned where its hint has one."""
    hints = typing.get_type_hints(function)
    parameters = inspect.signature(function).parameters
    receiver = _receiver(parameters)
    required = []
    for parameter in parameters.values():
        if parameter.name == receiver:
            continue
        if parameter.annotation is inspect.Parameter.empty:
            raise ToolSchemaError(
                f"Argument {parameter.name} is missing a type hint in function {name}"
            )
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    returned = None
    properties = {}
    for key, hint in hints.items():
        if key == "return":
            returned = _return_schema(hint)
        elif key != receiver:
            properties[key] = _hint_schema(hint)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema, returned


def _receiver(parameters: typing.Mapping[str, inspect.Parameter]) -> str | None:
    """The name of an implicit receiver: a first parameter ``self`` or ``cls`` without a hint."""
    first = next(iter(parameters.values()), None)
    if first is None or first.name not in ("self", "cls"):
        return None
    return first.name if first.annotation is inspect.Parameter.empty else None


def _return_schema(hint: Any) -> Schema | None:
    # A model never writes what a function returns, so a hint that can't be described is left out.
    try:
        return _hint_schema(hint)
    except ToolSchemaError:
        return None


def _hint_schema(hint: Any) -> Schema:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _enum_class_schema(hint) if _is_enum(hint) else _bare_schema(hint)
    if origin is Union or origin is types.UnionType:
        return _union_schema(args)
    if origin is Literal:
        if any(type(arg) not in _SCALAR_NAMES for arg in args):
            raise ToolSchemaError(
                "Only the valid python literals can be listed in typing.Literal."
            )
        return _values_schema(list(args))
    if origin is list:
        return {"type": "array", "items": _hint_schema(args[0])} if args else {"type": "array"}
    if origin is tuple:
        return _tuple_schema(hint, args)
    if origin is dict:
        values = {"additionalProperties": _hint_schema(args[1])} if len(args) == 2 else {}
        return {"type": "object", **values}
    raise ToolSchemaError(
        "Couldn't parse this type hint, likely due to a custom class or object: ", hint
    )


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


def _bare_schema(hint: Any) -> Schema:
    if hint is Any:
        return {}
    name = _TYPE_NAMES.get(hint) if isinstance(hint, type) else None
    for module, attribute, media in _MEDIA_TYPES:
        if hint is not None and hint is getattr(sys.modules.get(module), attribute, None):
            name = media
    if name is None:
        raise ToolSchemaError(
            f"Couldn't convert the type hint {hint!r} to a JSON schema, likely because it is a "
            "custom class or object. Supported type hints are basic types like int, float, str "
            "and bool, Enum classes, typing.Literal, and list, tuple, dict and Union types "
            "containing those. If you need a more complex schema than that, you can write the "
            "JSON schema for your tool by hand and pass that instead of the function."
        )
    return {"type": name}


def _enum_class_schema(hint: type[Enum]) -> Schema:
    values = [member.value for member in hint]
    if not values:
        raise ToolSchemaError(
            f"The Enum {hint.__name__} has no members, so no value could ever match it."
        )
    if any(type(value) not in _SCALAR_NAMES for value in values):
        raise ToolSchemaError(
            f"The Enum {hint.__name__} has member values that cannot be written as JSON scalars.\n"
            f"Values: {values}\n"
            "Enum member values must be int, float, str, bool or None to be converted to a "
            "JSON schema."
        )
    return _values_schema(values)


def _values_schema(values: list[Any]) -> Schema:
    names = list(dict.fromkeys(_SCALAR_NAMES[type(value)] for value in values))
    return {"type": names[0] if len(names) == 1 else names, "enum": values}


def _union_schema(args: tuple[Any, ...]) -> Schema:
    members = [_hint_schema(arg) for arg in args if arg is not type(None)]
    schema: Schema
    if len(members) == 1:
        schema = members[0]
    elif all(m.keys() == {"type"} and isinstance(m["type"], str) for m in members):
        names = sorted({member["type"] for member in members})
        schema = {"type": names[0] if len(names) == 1 else names}
    else:
        schema = {"anyOf": members}
    if type(None) in args:
        schema["nullable"] = True
    return schema


def _tuple_schema(hint: Any, args: tuple[Any, ...]) -> Schema:
    if not args:
        return {"type": "array"}
    if len(args) == 1:
        raise ToolSchemaError(
            f"The type hint {str(hint).replace('typing.', '')} is a Tuple with a single element, "
            "which we do not automatically convert to JSON schema as it is rarely necessary. If "
            "this input can contain more than one element, we recommend using a list[] type "
            "instead, or if it really is a single element, remove the tuple[] wrapper and just "
            "pass the element directly."
        )
    if ... in args:
        raise ToolSchemaError(
            "Conversion of '...' is not supported in Tuple type hints. "
            "Use list[] types for variable-length inputs instead."
        )
    return {"type": "array", "prefixItems": [_hint_schema(arg) for arg in args]}
