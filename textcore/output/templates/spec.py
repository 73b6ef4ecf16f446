"""A response template, checked: its fields, what opens and closes them, how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

from textcore.errors import SpecError
from textcore.output.templates.contents import PARSERS, PLACEHOLDER

VERSION = 1
_TOP_KEYS = {"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"}
_FIELD_KEYS = {
    *("open", "open_pattern", "close", "close_pattern", "content", "content_args"),
    *("repeats", "join", "optional", "transform", "transform_each"),
}


@dataclass(frozen=True)
class Anchor:
    """What opens or closes a region: literals, or a pattern.

    Attributes:
        pattern: finds it.
        literals: the literals, longest first, or None for a pattern.
        may_grow: one literal begins another, so a match at the text's end may become longer.
    """

    pattern: regex.Pattern[str]
    literals: tuple[str, ...] | None
    may_grow: bool


@dataclass(frozen=True)
class Field:
    """One field of the message."""

    name: str
    open: Anchor | None
    close: Anchor | None
    content: str
    content_args: Mapping[str, Any]
    repeats: bool
    join: str | None
    optional: bool
    transform: Any
    transform_each: bool


class ResponseTemplate:
    """A response template that has been checked.

    Args:
        spec: the template, as ``response_template`` stands in a tokenizer_config.json.

    Raises:
        SpecError: it is malformed; the error names the place.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        place = "response_template"
        if not isinstance(spec, Mapping):
            raise SpecError(place, f"expected an object, not {type(spec).__name__}")
        if spec.get("version", VERSION) != VERSION:
            raise SpecError(f"{place}.version", f"unsupported: {spec.get('version')!r:.80}")
        _no_others(spec, _TOP_KEYS, place)
        self.defaults = spec.get("defaults", {})
        if not isinstance(self.defaults, dict):
            raise SpecError(f"{place}.defaults", "expected an object")
        fields = spec.get("fields", {})
        if not isinstance(fields, Mapping) or not fields:
            raise SpecError(f"{place}.fields", "expected an object that is not empty")
        self.fields = {name: _field(name, raw) for name, raw in fields.items()}
        implicit = [field for field in self.fields.values() if field.open is None]
        if len(implicit) > 1:
            names = ", ".join(field.name for field in implicit)
            raise SpecError(f"{place}.fields", f"more than one without an opening: {names}")
        self.implicit = implicit[0] if implicit else None
        start = _anchor(place, spec, "start_anchor", "start_anchor_pattern")
        if start is None:
            raise SpecError(f"{place}.start_anchor", "missing, and no start_anchor_pattern")
        self.start = start

    def tail(self, prefix: str) -> str:
        """What of a prompt belongs to the message: all behind the last start anchor."""
        end = 0
        for found in self.start.pattern.finditer(prefix):
            end = found.end()
        return prefix[end:]


def _no_others(spec: Mapping[str, Any], known: set[str], place: str) -> None:
    others = sorted(str(key) for key in spec if key not in known)
    if others:
        raise SpecError(place, f"unknown keys: {', '.join(others):.200}")


def _anchor(place: str, spec: Mapping[str, Any], literal: str, pattern: str) -> Anchor | None:
    """An opening or closing, by its two possible keys."""
    if literal in spec and pattern in spec:
        raise SpecError(place, f"both {literal!r} and {pattern!r}")
    if pattern in spec:
        try:
            return Anchor(regex.compile(spec[pattern], regex.DOTALL), None, False)
        except (regex.error, TypeError) as error:
            raise SpecError(f"{place}.{pattern}", f"no pattern: {error}") from None
    if literal not in spec:
        return None
    texts = [spec[literal]] if isinstance(spec[literal], str) else spec[literal]
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
        raise SpecError(f"{place}.{literal}", "expected a string or a list of strings")
    if "" in texts:
        raise SpecError(f"{place}.{literal}", "an empty string")
    literals = tuple(sorted(dict.fromkeys(texts), key=len, reverse=True))
    grows = any(a != b and a.startswith(b) for a in literals for b in literals)
    return Anchor(
        regex.compile("|".join(map(regex.escape, literals)), regex.DOTALL), literals, grows
    )


def _field(name: str, raw: Any) -> Field:
    place = f"response_template.fields.{name}"
    if not isinstance(raw, Mapping):
        raise SpecError(place, f"expected an object, not {type(raw).__name__}")
    _no_others(raw, _FIELD_KEYS, place)
    content = raw.get("content", "text")
    if content not in PARSERS:
        raise SpecError(f"{place}.content", f"{content!r:.80}; known: {', '.join(PARSERS)}")
    opened = _anchor(place, raw, "open", "open_pattern")
    closed = _anchor(place, raw, "close", "close_pattern")
    join = raw.get("join")
    if join is not None and not isinstance(join, str):
        raise SpecError(f"{place}.join", "expected a string")
    if join is not None and not raw.get("repeats", False):
        raise SpecError(f"{place}.join", "needs 'repeats': true")
    each = raw.get("transform_each", False)
    transform = raw.get("transform")
    if not isinstance(each, bool):
        raise SpecError(f"{place}.transform_each", "expected true or false")
    if each and transform is None:
        raise SpecError(f"{place}.transform_each", "there is no transform")
    if transform is not None:
        _check_transform(transform, f"{place}.transform")
    else:
        groups = {group for part in (opened, closed) if part for group in part.pattern.groupindex}
        if groups:
            raise SpecError(place, f"groups without a transform: {', '.join(sorted(groups))}")
    return Field(
        name=name,
        open=opened,
        close=closed,
        content=content,
        content_args=raw.get("content_args", {}),
        repeats=raw.get("repeats", False),
        join=join,
        optional=raw.get("optional", True),
        transform=transform,
        transform_each=each,
    )


def _check_transform(transform: Any, place: str) -> None:
    """A string is a placeholder or has none."""
    if isinstance(transform, dict):
        for part in transform.values():
            _check_transform(part, place)
    elif isinstance(transform, list):
        for part in transform:
            _check_transform(part, place)
    elif (
        isinstance(transform, str)
        and PLACEHOLDER.search(transform)
        and not PLACEHOLDER.fullmatch(transform)
    ):
        raise SpecError(place, f"a placeholder within other text: {transform!r:.80}")
