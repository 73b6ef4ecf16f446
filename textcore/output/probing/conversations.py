"""Conversations as a chat template wants them, rendered.

Templates take a call's arguments as an object or as JSON text, a message without content as an
empty one or as none, a call's name alone or in its id. What this one takes, its renderings say.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from textcore.chat.data import alias_reasoning
from textcore.chat.environment import ChatEnvironment, Helper
from textcore.chat.limits import DEFAULT_LIMITS, Limits
from textcore.chat.templates import ChatTemplate, template_variables
from textcore.core.rendering import Meter
from textcore.errors import TextcoreError

Message = dict[str, Any]

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "inspect_item",
            "description": "Look at something.",
            "parameters": {
                "type": "object",
                "properties": {
                    "at": {"type": "string", "description": "what"},
                    "as": {"type": "string", "description": "how"},
                    "times": {"type": "integer", "description": "how often"},
                    "scale": {"type": "number", "description": "how large"},
                    "deep": {"type": "boolean", "description": "whether in depth"},
                    "marks": {"type": "array", "description": "where", "items": {}},
                    "more": {
                        "type": "object",
                        "description": "what else",
                        "properties": {},
                        "additionalProperties": {},
                    },
                },
                "required": ["at"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "go_on",
            "description": "Go on.",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]
VARIABLES: tuple[dict[str, Any], ...] = (
    {},
    {"enable_thinking": True, "thinking": True},
    {"enable_thinking": False, "thinking": False},
)
USER: Message = {"role": "user", "content": "USER ASKS"}
_UNDEFINED = re.compile(r"'(\w+)' is undefined")
# A template asks for no more variables than this that it is not given.
_MISSING = 16
# Where templates look for a message's reasoning.
REASONING_KEYS = ("reasoning_content", "reasoning", "thinking", "thought")
_NAME, _KEY, _VALUE, _THOUGHT = "fncalledzq", "keycalledzq", "valcalledzq", "THOUGHTzq"


class NotRendered(Exception):
    """The template refuses the message."""


class Taken(NamedTuple):
    """How a template takes a message with calls.

    Attributes:
        content: the content of a message that has none.
        by_id: the template writes a call's id, which has to have the function's name in it.
            Kimi's does, as its server gives ids that the model has written.
        as_text: it wants arguments as JSON text, and writes objects as Python does.
    """

    content: str | None = ""
    by_id: bool = False
    as_text: bool = False


class _ProbeEnvironment(ChatEnvironment):
    """An environment in which lists of words may grow and shrink.

    ``transformers`` allows no template to do so, but other servers do, and what a model writes
    does not depend on where its template runs.
    """

    def unsafe_undefined(self, obj: Any, attribute: str) -> Any:
        """What a template gets in the place of an attribute that it may not have."""
        if type(obj) is list and attribute == "append":

            def append(meter: Meter, item: Any) -> None:
                if not isinstance(item, (str, int, float)):
                    raise TypeError(f"a list of words takes no {type(item).__name__}")
                meter.reserve(len(item) if isinstance(item, str) else 1)
                obj.append(item)

            return Helper(append)
        if type(obj) is list and attribute == "pop":
            return Helper(lambda meter, *at: obj.pop(*at))
        return super().unsafe_undefined(obj, attribute)


_ENVIRONMENT = _ProbeEnvironment(DEFAULT_LIMITS)


class _ProbedTemplate(ChatTemplate):
    """A template that is rendered to see what it writes."""

    def _environment_for(self, limits: Limits) -> ChatEnvironment:
        return _ENVIRONMENT


@lru_cache(maxsize=16)
def _compiled(template: str) -> _ProbedTemplate:
    return _ProbedTemplate(template)


def call(name: str, arguments: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """A tool call as a request's history has it, arguments parsed."""
    return {
        "id": f"call{number:05d}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def rendered(
    template: str, conversation: list[Message], prompt: bool, variables: dict[str, Any]
) -> str:
    """A conversation; what else the template asks for is an empty string."""
    return _rendered(template, conversation, prompt, variables, tools_of(template))


def _rendered(
    template: str,
    conversation: list[Message],
    prompt: bool,
    variables: dict[str, Any],
    tools: list[dict[str, Any]] | None,
) -> str:
    compiled = _compiled(template)
    given = {"bos_token": "<BOS>", "eos_token": "<EOS>", **variables}
    data = template_variables(tools, None, prompt, given)
    # Servers give templates a content of None, which transformers 5 leaves out.
    data["messages"] = alias_reasoning(conversation)
    missing = 0
    while True:
        try:
            return compiled.render(data)
        except TextcoreError as error:
            found = _UNDEFINED.match(str(error))
            if not found or found[1] in data or missing == _MISSING:
                raise
            missing += 1
            data[found[1]] = ""


@lru_cache(maxsize=256)
def tools_of(template: str) -> list[dict[str, Any]] | None:
    """The tools that conversations have; none where the template can't write ours."""
    for variables in VARIABLES:
        for tools in (TOOLS, None):
            try:
                _rendered(template, [USER], True, variables, tools)
            except TextcoreError:
                continue
            return tools
    return TOOLS


@lru_cache(maxsize=256)
def reasoning_key(template: str) -> str:
    """The key of a message in which the template looks for reasoning."""
    for key in REASONING_KEYS:
        for variables in VARIABLES:
            message = {"role": "assistant", "content": "An answer.", key: _THOUGHT}
            try:
                text = rendered(template, [USER, message], False, variables)
            except TextcoreError:
                continue
            if _THOUGHT in text:
                return key
    return REASONING_KEYS[0]


@lru_cache(maxsize=256)
def taken(template: str) -> Taken:
    """How the template takes calls: the first way in which it writes one as it was given."""
    arguments = {_KEY: _VALUE}
    message = {"role": "assistant", "content": "", "tool_calls": [call(_NAME, arguments)]}
    for way in itertools.starmap(Taken, itertools.product(("", None), *[(False, True)] * 2)):
        for variables in VARIABLES:
            try:
                text = rendered(template, [USER, _as_taken(message, way)], False, variables)
            except TextcoreError:
                continue
            if _NAME in text and _VALUE in text and repr(arguments) not in text:
                return way
    return Taken()


def _as_taken(message: Message, way: Taken) -> Message:
    """A message with its calls, if there are any, as a template takes them."""
    if not message.get("tool_calls"):
        return message
    message = copy.deepcopy(message)
    message["content"] = message.get("content") or way.content
    for number, one in enumerate(message["tool_calls"]):
        function = one["function"]
        if way.by_id:
            one["id"] = f"functions.{function['name']}:{number}"
        if way.as_text:
            function["arguments"] = json.dumps(function["arguments"], ensure_ascii=False)
    return message


def render(template: str, message: Message, variables: dict[str, Any]) -> str:
    """The conversation with the message as its end, as the template takes it.

    Raises:
        NotRendered: the template refuses the message.
    """
    if "reasoning_content" in message:
        message = dict(message)
        thoughts = message.pop("reasoning_content")
        message[reasoning_key(template)] = thoughts
    way = taken(template)
    problems = []
    for as_text in (way.as_text, not way.as_text):
        told = _as_taken(message, way._replace(as_text=as_text))
        try:
            return rendered(template, [USER, told], False, variables)
        except TextcoreError as error:
            problems.append(str(error))
    raise NotRendered("; ".join(dict.fromkeys(problems)))


def generation_prompt(template: str, variables: dict[str, Any]) -> str:
    """What the model would be given.

    Raises:
        NotRendered: the template can't be rendered with these variables.
    """
    try:
        return rendered(template, [USER], True, variables)
    except TextcoreError as error:
        raise NotRendered(str(error)) from None
