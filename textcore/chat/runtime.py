"""What the code of a compiled chat template imports: Jinja's runtime, with parts of our own."""

from __future__ import annotations

from typing import Any

from jinja2.exceptions import TemplateNotFound, TemplateRuntimeError
from jinja2.runtime import Context, TemplateReference, Undefined, identity, markup_join, str_join
from jinja2.utils import internalcode, missing
from markupsafe import Markup, escape

from textcore.core.rendering import Meter
from textcore.core.templatevars import LoopContext, Macro, Namespace

__all__ = [
    "LoopContext",
    "Macro",
    "Markup",
    "Namespace",
    "TemplateNotFound",
    "TemplateReference",
    "TemplateRuntimeError",
    "Undefined",
    "escape",
    "identity",
    "internalcode",
    "markup_join",
    "missing",
    "str_join",
]

_ESCAPED_WIDTH = 6


class ChatContext(Context):
    """The variables of one rendering, and the meter that it runs on."""

    meter: Meter
    missing = missing

    def escape(self, value: Any) -> Any:
        """The value as Markup, charged; only where a template asks for autoescape."""
        text = value if isinstance(value, str) else self.meter.text(value)
        self.meter.reserve(_ESCAPED_WIDTH * len(text))
        return escape(text)

    def join_markup(self, values: tuple[Any, ...]) -> str:
        """``a ~ b`` under autoescape."""
        texts = [v if isinstance(v, str) else self.meter.text(v) for v in values]
        self.meter.reserve(_ESCAPED_WIDTH * sum(map(len, texts)))
        return markup_join(texts)

    def derived(self, locals: dict[str, Any] | None = None) -> ChatContext:
        context = super().derived(locals)
        assert isinstance(context, ChatContext)
        context.meter = self.meter
        return context
