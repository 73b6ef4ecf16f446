"""How the text of a region becomes a value: the content parsers of response templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import regex

from textcore.errors import TextError
from textcore.output.templates.call_lists import call_list

Arguments = Mapping[str, Any]

PLACEHOLDER = regex.compile(r"\{(\w+(?:\.\w+)*)\}")

# What stands for a string that has been taken out of a text.
_OUT, _IN = "\x01", "\x02"
_BARE_KEY = regex.compile(r'"(?:\\.|[^"\\])*"|(?<=[{,])(\s*)(\w+)(\s*):')


def _text(text: str, options: Arguments) -> str:
    return text.strip() if options.get("strip", True) else text


def _int(text: str, options: Arguments) -> int:
    return int(_text(text, options))


def _float(text: str, options: Arguments) -> float:
    return float(_text(text, options))


def _bool(text: str, options: Arguments) -> bool:
    return _text(text, options).lower() in ("true", "1")


def _json(text: str, options: Arguments) -> Any:
    """JSON, or what ``string_delims`` and ``unquoted_keys`` make into JSON."""
    delimiters = options.get("string_delims", [])
    if delimiters and (_OUT in text or _IN in text):
        raise TextError("response_template: json: the text has the characters U+0001 or U+0002")
    strings: list[str] = []

    def take_out(found: regex.Match[str]) -> str:
        strings.append(found[1])
        return f"{_OUT}{len(strings) - 1}{_IN}"

    source = text
    for opened, closed in delimiters:
        between = f"{regex.escape(opened)}(.*?){regex.escape(closed)}"
        source = regex.sub(between, take_out, source, flags=regex.DOTALL)
    if options.get("unquoted_keys", False):
        source = _BARE_KEY.sub(
            lambda m: m[0] if m[2] is None else f'{m[1]}"{m[2]}"{m[3]}:', source
        )
    if strings:
        source = regex.sub(
            f"{_OUT}([0-9]+){_IN}", lambda m: json.dumps(strings[int(m[1])]), source
        )
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        if options.get("allow_non_json"):
            return _text(text, options)
        raise TextError(f"response_template: json: {error}") from None
    except RecursionError:
        raise TextError("response_template: json: nested too deeply") from None


def _inner(text: str, parser: Arguments | None) -> Any:
    """A value within a region, by the parser that its options name."""
    if parser is None:
        return text
    return PARSERS[parser.get("name", "text")](text, parser.get("args", {}))


def _tags(text: str, options: Arguments) -> dict[str, Any]:
    """``xml-inline``: each match of ``tag_pattern`` is a key and a value."""
    pattern = options.get("tag_pattern")
    if pattern is None:
        raise TextError("response_template: xml-inline: there is no 'tag_pattern'")
    several = options.get("merge_duplicates", False)
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for found in regex.finditer(pattern, text, flags=regex.DOTALL):
        groups = found.groupdict()
        key = groups.get("key")
        if key is None:
            raise TextError("response_template: xml-inline: 'tag_pattern' has no group 'key'")
        value = _inner(groups.get("value", ""), options.get("value_parser"))
        if key in values and several:
            if key not in merged:
                values[key] = [values[key]]
                merged.add(key)
            values[key].append(value)
        else:
            values[key] = value
    return values


def _lines(text: str, options: Arguments) -> dict[str, Any]:
    """``kv-lines``: each line is a key and a value."""
    separator = options.get("kv_sep", ":")
    values: dict[str, Any] = {}
    for line in text.split(options.get("line_sep", "\n")):
        line = _text(line, options)
        if line and separator in line:
            key, value = line.split(separator, 1)
            value = _text(value, options)
            values[_text(key, options)] = _inner(value, options.get("value_parser"))
    return values


PARSERS: dict[str, Callable[[str, Arguments], Any]] = {
    "text": _text,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "json": _json,
    "xml-inline": _tags,
    "kv-lines": _lines,
    "python-call-list": lambda text, options: call_list(text),
}
VERBATIM = frozenset({"text", "int", "float", "bool"})
"""The parsers whose value is the text itself, so that its pieces can be shown as they come."""


def field_value(text: str, field: Any, captures: Mapping[str, str]) -> Any:
    """The value of a region, transformed as its field says."""
    value = PARSERS[field.content](text, field.content_args)
    if field.transform is None:
        return value
    if not field.transform_each:
        return _transformed(field.transform, {**captures, "content": value})
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise TextError(f"response_template: {field.name}: transform_each needs a list of objects")
    return [_transformed(field.transform, {**captures, **item}) for item in value]


def _transformed(transform: Any, scope: Mapping[str, Any]) -> Any:
    """A transform with its placeholders filled in."""
    if isinstance(transform, dict):
        return {key: _transformed(part, scope) for key, part in transform.items()}
    if isinstance(transform, list):
        return [_transformed(part, scope) for part in transform]
    found = PLACEHOLDER.fullmatch(transform) if isinstance(transform, str) else None
    if not found:
        return transform
    value: Any = scope
    for key in found[1].split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise TextError(f"response_template: nothing is called {found[1]!r:.80}")
        value = value[key]
    return value
