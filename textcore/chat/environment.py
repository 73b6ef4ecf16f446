"""The Jinja environment in which chat templates run: what they may use, and what they may not.

It is the environment of ``transformers`` 5.24: sandboxed and immutable, blocks trimmed, loop
controls, ``{% generation %}``, and a handful of helpers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from textcore.chat.tracking import GenerationBlocks


class Refusal(jinja2.TemplateError):
    """What ``raise_exception`` raises."""


def raise_exception(message: str) -> NoReturn:
    """The template's way to refuse a conversation."""
    raise Refusal(message)


def strftime_now(format: str) -> str:
    """The local time, formatted."""
    return datetime.now().strftime(format)


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as models have seen it in training: Jinja's own filter escapes HTML's characters."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


class DictFactory:
    """``dict`` in a template: it makes dicts, and is not the type itself."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, keys: Iterable[Any], value: Any = None) -> dict[Any, Any]:
        return dict.fromkeys(keys, value)


class TemplateNamespace(Namespace):
    """``namespace`` in a template: it can't hold names that start with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # `self` must stay free as a keyword
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _refuse_private(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_private(name)
        Namespace.__setitem__(self, name, value)


def _refuse_private(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(
            "Chat templates cannot store underscore-prefixed attributes on a namespace, "
            f"but got {name!r}. Please rename the attribute."
        )


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """Compiles and runs chat templates."""

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[GenerationBlocks, loopcontrols],
            cache_size=0,
        )
        self.filters["tojson"] = tojson
        self.globals.update(
            raise_exception=raise_exception,
            strftime_now=strftime_now,
            dict=DictFactory(),
            namespace=TemplateNamespace,
        )
