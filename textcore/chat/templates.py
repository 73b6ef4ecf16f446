"""Compile and render chat templates.

A chat template is a Jinja program that comes with a model and writes its prompt. It renders here
as ``apply_chat_template`` of ``transformers`` 5.24 renders it, character for character.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple, cast

import jinja2
from jinja2.exceptions import SecurityError

from textcore.chat.data import alias_reasoning, plain_data, plain_messages
from textcore.chat.environment import ChatEnvironment, Refusal
from textcore.chat.errors import (
    PromptError,
    PromptTypeError,
    TemplateFailure,
    TemplateLimitError,
    TemplateRefusal,
    TemplateSecurityError,
)
from textcore.chat.limits import DEFAULT_LIMITS, Limits, describe
from textcore.chat.methods import GUARDS, generic_guard
from textcore.chat.runtime import ChatContext
from textcore.chat.tools import tool_schemas
from textcore.chat.tracking import Span
from textcore.core.budget import LimitExceeded
from textcore.core.rendering import Meter

CACHE_SIZE = 64
"""How many compiled templates are kept."""


class Rendered(NamedTuple):
    """A rendered prompt and the character spans in it that ``{% generation %}`` blocks wrote."""

    text: str
    generation: list[Span]


class ChatTemplate:
    """A compiled chat template; it may be rendered from several threads at once.

    ``limits`` bound compiling and each rendering. Raises TemplateFailure where the source is not
    a template.
    """

    def __init__(self, source: str, limits: Limits = DEFAULT_LIMITS) -> None:
        self.source = source
        self.limits = limits
        self._environment = self._environment_for(limits)
        try:
            self._template = self._environment.from_string(source)
        except Exception as error:
            raise failure_of(error) from error
        self._cost: int = self._template.root_render_func.__globals__["tree_size"]

    def _environment_for(self, limits: Limits) -> ChatEnvironment:
        return _ENVIRONMENT if limits == DEFAULT_LIMITS else ChatEnvironment(limits)

    def render(self, variables: dict[str, Any]) -> str:
        """The text that the template writes, given plain data. Raises TemplateFailure."""
        return self._run(variables)[0]

    def render_spans(self, variables: dict[str, Any]) -> Rendered:
        """The same, with the spans of the template's generation blocks."""
        text, meter = self._run(variables)
        return Rendered(text, meter.spans)

    def _run(self, variables: dict[str, Any]) -> tuple[str, Meter]:
        context = cast(ChatContext, self._template.new_context(variables))
        try:
            context.meter = meter = self._new_meter()
            return meter.collect(self._template.root_render_func(context)), meter
        except Exception as error:
            raise failure_of(error) from error

    def _new_meter(self) -> Meter:
        return Meter(*self._meter_arguments(GUARDS))

    def _meter_arguments(self, guards: dict[type, dict[str, Any]]) -> tuple[Any, ...]:
        limits = self.limits
        return (
            self._environment,
            guards,
            generic_guard,
            limits.work,
            limits.size,
            limits.memory,
            limits.bits,
            limits.depth,
            self._cost,
        )


def failure_of(error: Exception) -> TemplateFailure:
    """The error of ours that tells what went wrong in a template, and on which line."""
    if isinstance(error, TemplateFailure):
        return error
    if isinstance(error, jinja2.TemplateSyntaxError):
        return TemplateFailure(error.message or "the template can't be parsed", error.lineno)
    line = _template_line(error.__traceback__)
    message = str(error)
    if isinstance(error, Refusal):
        return TemplateRefusal(message, line)
    if isinstance(error, SecurityError):
        return TemplateSecurityError(message, line)
    if isinstance(error, LimitExceeded):
        return TemplateLimitError(error.limit, describe(error.limit, error.amount), line)
    if isinstance(error, RecursionError):
        return TemplateLimitError("depth", "the template or its data are nested too deeply", line)
    return TemplateFailure(message or type(error).__name__, line)


def _template_line(traceback: TracebackType | None) -> int | None:
    """The line of the innermost template code in a traceback."""
    line = None
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return line


class _TemplateCache:
    """Compiled templates by their source; the least recently used goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._templates: OrderedDict[str, ChatTemplate] = OrderedDict()

    def get(self, source: str) -> ChatTemplate:
        with self._lock:
            template = self._templates.get(source)
            if template is not None:
                self._templates.move_to_end(source)
                return template
        template = ChatTemplate(source)  # outside the lock: compiling takes milliseconds
        with self._lock:
            self._templates[source] = template
            while len(self._templates) > self._size:
                self._templates.popitem(last=False)
        return template


_ENVIRONMENT = ChatEnvironment(DEFAULT_LIMITS)
_CACHE = _TemplateCache(CACHE_SIZE)


def compile_template(source: str) -> ChatTemplate:
    """The compiled template of a source, from a bounded cache. Raises TemplateFailure."""
    return _CACHE.get(source)


def template_variables(
    tools: Any, documents: Any, add_generation_prompt: Any, variables: Mapping[str, Any]
) -> dict[str, Any]:
    """What a template sees besides ``messages``, as plain data."""
    if documents is not None:
        for document in documents:
            if not isinstance(document, dict):
                raise PromptTypeError(
                    "Documents should be a list of dicts with 'title' and 'text' keys!"
                )
    for name in ("messages", "tools", "documents", "add_generation_prompt"):
        if name in variables:
            raise PromptError(f"the template variable {name!r} can't be replaced")
    schemas = tool_schemas(tools)
    try:
        result: dict[str, Any] = plain_data(dict(variables))
        result["tools"] = plain_data(schemas)
        result["documents"] = plain_data(documents)
    except RecursionError as error:
        raise PromptError("the tools, documents or variables are nested too deeply") from error
    result["add_generation_prompt"] = add_generation_prompt
    return result


def render_chat(
    template: str,
    messages: Any,
    tools: Any = None,
    add_generation_prompt: bool = True,
    **variables: Any,
) -> str:
    """The prompt that a chat template writes for a conversation.

    ``template`` is Jinja source. ``messages`` are dicts (or dataclasses, or pydantic models) with
    ``role``, ``content`` and whatever else the template reads. ``tools`` are JSON schemas or
    Python functions. ``variables`` reach the template as they are named: ``documents``,
    ``bos_token``, ``enable_thinking``, ...

    Raises TemplateFailure (with the template's message and line) where the template is wrong,
    refuses its input or reaches for what it may not; PromptError for a wrong conversation.
    """
    compiled = compile_template(template)
    refuse_empty(messages)
    documents = variables.pop("documents", None)
    prepared = conversation_data(messages)
    data = template_variables(tools, documents, add_generation_prompt, variables)
    data["messages"] = alias_reasoning(prepared)
    return compiled.render(data)


def conversation_data(conversation: Any) -> list[dict[Any, Any]]:
    """A conversation's messages as plain data. Raises PromptError."""
    try:
        return plain_messages(conversation)
    except RecursionError as error:
        raise PromptError("the conversation contains itself, or is nested too deeply") from error


def refuse_empty(conversation: Any) -> None:
    """Raise PromptError where there is nothing to render."""
    if isinstance(conversation, (list, tuple)) and not conversation:
        raise PromptError(
            "Cannot apply chat template to an empty conversation. Provide at least one message."
        )
