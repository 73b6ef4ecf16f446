"""The Jinja environment in which chat templates run: what they may use, and what they may not.

It is the environment of ``transformers`` 5.24: sandboxed and immutable, blocks trimmed, loop
controls, ``{% generation %}``, and a handful of helpers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from types import BuiltinMethodType, CodeType, MethodType
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.utils import generate_lorem_ipsum

from textcore.chat.checks import TESTS
from textcore.chat.compiler import ChatCodeGenerator
from textcore.chat.filters import FILTERS
from textcore.chat.formatting import FormatMethod
from textcore.chat.limits import Limits
from textcore.chat.runtime import ChatContext
from textcore.chat.tracking import GenerationBlocks
from textcore.core.budget import LimitExceeded
from textcore.core.rendering import Meter
from textcore.core.templatevars import Namespace

_JINJA_RUNTIME = "from jinja2.runtime import "
# Lines of a template, and where they are in the code: "1=12&3=15".
_LINES = re.compile(r"^debug_info = '([\d=&]+)'$", re.MULTILINE)
_OUR_RUNTIME = "from textcore.chat.runtime import "
# strftime may write this many times as much as its format.
_TIME_WIDTH = 256
_WORD_WIDTH = 16


class Refusal(jinja2.TemplateError):
    """What ``raise_exception`` raises."""


class Helper:
    """A function that a template may call; it takes the rendering's meter first."""

    takes_meter = True

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, meter: Meter, /, *args: Any, **kwargs: Any) -> Any:
        return self._function(meter, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<function {self._function.__name__}>"


def raise_exception(meter: Meter, message: Any) -> NoReturn:
    """The template's way to refuse a conversation."""
    raise Refusal(meter.text(message))


def strftime_now(meter: Meter, format: str) -> str:
    """The local time, formatted."""
    if isinstance(format, str):
        meter.reserve(_TIME_WIDTH * len(format))
    return datetime.now().strftime(format)


def lipsum(meter: Meter, n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:
    """Random text; html is taken and its markup made, as Jinja does."""
    words = n * max if isinstance(n, int) and isinstance(max, int) else 0
    meter.charge(256 + abs(words) * 32)
    meter.reserve(abs(words) * _WORD_WIDTH)
    return generate_lorem_ipsum(n, html, min, max)


def make_namespace(meter: Meter, *args: Any, **kwargs: Any) -> Namespace:
    """An object whose attributes a template may set."""
    return Namespace.__new__(Namespace, make_dict(meter, *args, **kwargs), refuse_private)


def refuse_private(name: str) -> NoReturn:
    """Raise SecurityError for a name that starts with an underscore."""
    raise SecurityError(
        "Chat templates cannot store underscore-prefixed attributes on a namespace, "
        f"but got {name!r}. Please rename the attribute."
    )


def make_dict(meter: Meter, *args: Any, **kwargs: Any) -> dict[Any, Any]:
    """``dict(...)``"""
    charged = [arg if isinstance(arg, dict) else _pairs(meter, arg) for arg in args]
    for value in charged:
        meter.reserve_items(len(value) if hasattr(value, "__len__") else 0, 64)
    return dict(*charged, **kwargs)


def _pairs(meter: Meter, value: Any) -> Any:
    if not hasattr(type(value), "__iter__"):
        return value
    pairs = meter.items_of(value)
    meter.measure(pairs)
    return pairs


class DictFactory(Helper):
    """``dict`` in a template: it makes dicts, and is not the type itself."""

    def __init__(self) -> None:
        super().__init__(make_dict)
        self.fromkeys = Helper(_fromkeys)


def _fromkeys(meter: Meter, keys: Any, *value: Any) -> dict[Any, Any]:
    pairs = _pairs(meter, keys)
    meter.reserve_items(len(pairs) if isinstance(pairs, list) else 0, 64)
    return dict.fromkeys(pairs, *value)


def ranged(meter: Meter, *args: Any) -> range:
    """``range(...)`` of at most 100,000 items."""
    return safe_range(*args)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """Compiles and runs chat templates within limits."""

    code_generator_class = ChatCodeGenerator
    context_class = ChatContext
    # Operators in this set are never folded into constants while compiling.
    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "**", "%"))

    def __init__(self, limits: Limits) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[GenerationBlocks, loopcontrols],
            cache_size=0,
            optimized=False,
        )
        self.limits = limits
        self.filters = dict(FILTERS)
        self.tests = dict(TESTS)
        self.globals.update(
            raise_exception=Helper(raise_exception),
            strftime_now=Helper(strftime_now),
            lipsum=Helper(lipsum),
            range=Helper(ranged),
            dict=DictFactory(),
            namespace=Helper(make_namespace),
        )

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """A metered ``format`` or ``format_map`` in the place of a string's own."""
        if not isinstance(value, (MethodType, BuiltinMethodType)):
            return None
        name = value.__name__
        if name not in ("format", "format_map") or not isinstance(value.__self__, str):
            return None
        return FormatMethod(self, value.__self__, name == "format_map")

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > self.limits.source:
            raise LimitExceeded("source", self.limits.source)
        return super()._parse(source, name, filename)

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,
    ) -> str:
        size = _tree_size(source, self.limits)
        code = super()._generate(source, name, filename, defer_init)
        if not code.startswith(_JINJA_RUNTIME):
            raise RuntimeError("this version of Jinja generates code that textcore doesn't know")
        return f"{_OUR_RUNTIME}{code[len(_JINJA_RUNTIME) :]}\ntree_size = {size}\n"

    def _compile(self, source: str, filename: str) -> CodeType:
        try:
            return super()._compile(source, filename)
        except SyntaxError as error:
            # A break outside a loop is found no sooner.
            line = _template_line(source, error.lineno or 0)
            raise jinja2.TemplateSyntaxError(error.msg, line) from None


def _template_line(code: str, line: int) -> int:
    """The template's line from which a line of its generated code comes."""
    found = _LINES.search(code)
    pairs = [pair.split("=") for pair in found.group(1).split("&")] if found else []
    return next((int(mine) for mine, its in reversed(pairs) if its and int(its) <= line), 1)


def _tree_size(tree: nodes.Template, limits: Limits) -> int:
    """The number of nodes. Raises LimitExceeded where compiling them would take too long."""
    names: set[str] = set()
    count = scopes = 0
    pending: list[nodes.Node] = [tree]
    while pending:
        node = pending.pop()
        count += 1
        if isinstance(node, (nodes.Name, nodes.Macro, nodes.Block)):
            names.add(node.name)
        if isinstance(node, nodes.Const):
            if isinstance(node.value, int) and node.value.bit_length() > limits.bits:
                raise LimitExceeded("bits", limits.bits)
        elif isinstance(node, nodes.Stmt) and not isinstance(node, (nodes.Output, nodes.Assign)):
            scopes += 1
        pending.extend(node.iter_child_nodes())
    if count > limits.nodes:
        raise LimitExceeded("nodes", limits.nodes)
    if len(names) * scopes > limits.scopes:
        raise LimitExceeded("scopes", limits.scopes)
    return count
