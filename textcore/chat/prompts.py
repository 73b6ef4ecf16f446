"""From a conversation to the prompt of one model: which template, with which variables.

``ChatPrompts`` is what ``Tokenizer.apply_chat_template`` calls. It behaves as
``transformers`` 5.24's method of that name does up to the text, with the same errors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textcore.chat.continuation import Continuation
from textcore.chat.data import alias_reasoning
from textcore.chat.errors import PromptError
from textcore.chat.guarded import USUAL_ROLES, GuardedTemplate
from textcore.chat.special import named_special_tokens
from textcore.chat.templates import (
    ChatTemplate,
    Rendered,
    compile_template,
    conversation_data,
    refuse_empty,
    template_variables,
)
from textcore.chat.tracking import Span
from textcore.core.written import Ranges
from textcore.errors import SpecError

TEMPLATE_FILE = "chat_template.jinja"
TEMPLATE_FOLDER = "additional_chat_templates"
LEGACY_TEMPLATE_FILE = "chat_template.json"

_HELPERS = (
    "raise_exception",
    "strftime_now",
    "range",
    "dict",
    "lipsum",
    "cycler",
    "joiner",
    "namespace",
)
_OWN_VARIABLES = ("messages", "tools", "documents", "add_generation_prompt")
_ARGUMENTS = (
    "conversation",
    "chat_template",
    "continue_final_message",
    "chat_template_kwargs",
    "tokenize",
    "sanitize_control_tokens",
    "control_roles",
)


class _Mode(NamedTuple):
    """How to render: with spans of generation blocks, by which templates, for which roles."""

    spans: bool
    compile: Callable[[str], ChatTemplate]
    roles: frozenset[str] = frozenset()


class ChatPrompts:
    """The chat templates and special tokens of one model.

    ``config`` is tokenizer_config.json, ``special_tokens_map`` the file of that name, and
    ``template_files`` the sources of separate template files by name (``"default"`` is
    chat_template.jinja, the others are named as in additional_chat_templates/): where there are
    any, they replace the config's. ``chat_template`` is a source, a dict of named sources, or
    None. Raises SpecError for a field of the wrong type.
    """

    def __init__(
        self,
        config: Mapping[str, Any] | None = None,
        template_files: Mapping[str, str] | None = None,
        special_tokens_map: Mapping[str, Any] | None = None,
    ) -> None:
        self.special_tokens = named_special_tokens(config or {}, special_tokens_map)
        self.chat_template = _choose_source(config or {}, template_files or {})

    @classmethod
    def from_dir(cls, directory: str | Path) -> ChatPrompts:
        """The templates and special tokens of a model's folder, from whatever files it has."""
        folder = Path(directory)
        config = _read_json(folder / "tokenizer_config.json")
        files = {}
        if (folder / TEMPLATE_FILE).is_file():
            files["default"] = (folder / TEMPLATE_FILE).read_text(encoding="utf-8")
        for path in sorted((folder / TEMPLATE_FOLDER).glob("*.jinja")):
            files[path.name.removesuffix(".jinja")] = path.read_text(encoding="utf-8")
        if not files and not config.get("chat_template"):
            legacy = _read_json(folder / LEGACY_TEMPLATE_FILE).get("chat_template")
            if legacy is not None:
                config = {**config, "chat_template": legacy}
        return cls(config, files, _read_json(folder / "special_tokens_map.json"))

    def template_for(self, chat_template: str | None = None, tools: Any = None) -> str:
        """The source to render: the one named or given, else the model's own.

        Of several, ``tool_use`` is chosen where there are tools. Raises PromptError where there
        is none.
        """
        own = self.chat_template
        if isinstance(own, dict):
            return _choose_named(own, chat_template, tools)
        if chat_template is not None:
            return chat_template
        if own is None:
            raise PromptError(
                "Cannot use chat template functions because tokenizer.chat_template is not set "
                "and no template argument was passed! For information about writing templates "
                "and setting the tokenizer.chat_template attribute, please see the "
                "documentation at https://huggingface.co/docs/transformers/main/en/chat_templating"
            )
        return own

    def render(self, conversation: Any, *arguments: Any, **options: Any) -> Any:
        """The prompt (str) of a conversation, or the prompts (list[str]) of a batch of them.

        The arguments are those of `transformers`: ``tools``, ``documents``, ``chat_template``,
        ``add_generation_prompt`` (true unless given) and ``continue_final_message``, which ends
        the prompt inside the final message's content, or inside the field that it names, and
        excludes ``add_generation_prompt``. Other keywords are the caller's own variables and may
        replace special tokens; ``chat_template_kwargs`` are a request's, and may replace nothing.
        Raises PromptError and TemplateFailure.
        """
        mode = _Mode(False, compile_template)
        texts = [text for text, _ in self._rendered(mode, conversation, *arguments, **options)]
        return texts if is_batch(conversation) else texts[0]

    def render_spans(self, conversation: Any, *arguments: Any, **options: Any) -> Any:
        """As `render`, but each prompt is a `Rendered`, with its generation blocks' spans."""
        mode = _Mode(True, compile_template)
        rendered = [
            Rendered(*each) for each in self._rendered(mode, conversation, *arguments, **options)
        ]
        return rendered if is_batch(conversation) else rendered[0]

    def render_written(
        self,
        conversation: Any,
        *arguments: Any,
        compile: Callable[[str], GuardedTemplate],
        control_roles: Collection[str] = USUAL_ROLES,
        **options: Any,
    ) -> list[tuple[str, Ranges]]:
        """As `render`, but a list, each prompt with the ranges that the template wrote itself.

        That is the ranges which can be a part of a control token.
        ``control_roles`` are the roles that count as written by the template.
        """
        mode = _Mode(False, compile, frozenset(control_roles))
        return self._rendered(mode, conversation, *arguments, **options)

    def _rendered(
        self,
        mode: _Mode,
        /,
        conversation: Any,
        tools: Any = None,
        documents: Any = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = True,
        continue_final_message: bool | str = False,
        *,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        **variables: Any,
    ) -> list[tuple[str, Any]]:
        """Each conversation's prompt, by what `render` takes, with the ranges asked for."""
        merged = self._merged(variables, chat_template_kwargs)
        source = self.template_for(chat_template, tools)
        refuse_empty(conversation)
        batch = conversation if is_batch(conversation) else [conversation]
        prepared = [conversation_data(one) for one in batch]
        if continue_final_message and add_generation_prompt:
            raise PromptError(
                "continue_final_message and add_generation_prompt are not compatible. Use "
                "continue_final_message when you want the model to continue the final message, "
                "and add_generation_prompt when you want to add a header that will prompt it to "
                "start a new assistant message instead."
            )
        template = mode.compile(source)
        data = template_variables(tools, documents, add_generation_prompt, merged)
        rendered = []
        for messages in prepared:
            messages = alias_reasoning(messages)
            data["messages"] = messages
            continuation = None
            if continue_final_message:
                continuation = Continuation(messages, continue_final_message, source)
            ranges: list[Span] | Ranges = []
            if isinstance(template, GuardedTemplate):
                template.mark(data, self.special_tokens, mode.roles)
                text, ranges = template.render_written(data)
            elif mode.spans:
                text, ranges = template.render_spans(data)
            else:
                text = template.render(data)
            if continuation is not None:
                text = continuation.cut(text)
                ranges = ranges.clipped(len(text)) if isinstance(ranges, Ranges) else ranges
            rendered.append((text, ranges))
        return rendered

    def _merged(
        self, variables: Mapping[str, Any], request: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The special tokens, the caller's variables, and a request's that replace neither."""
        merged: dict[str, Any] = {**self.special_tokens, **variables}
        for name, value in (request or {}).items():
            if not isinstance(name, str):
                raise PromptError(f"a template variable's name must be a string, not {name!r}")
            if self._is_reserved(name) or name in merged:
                raise PromptError(f"a request may not set the template variable {name!r}")
            merged[name] = value
        return merged

    def _is_reserved(self, name: str) -> bool:
        return name in _OWN_VARIABLES or name in _ARGUMENTS or name in _HELPERS or _is_token(name)


def _is_token(name: str) -> bool:
    # Also of a token that this model lacks: a template may test whether it is defined.
    return name.endswith(("_token", "_tokens"))


def is_batch(conversation: Any) -> bool:
    """Whether this is a list of conversations, rather than of messages."""
    if not isinstance(conversation, (list, tuple)) or not conversation:
        return False
    first = conversation[0]
    return isinstance(first, (list, tuple)) or hasattr(first, "messages")


def assistant_mask(offsets: Sequence[Span], generation: Iterable[Span]) -> list[int]:
    """1 for each token that overlaps a generation block, else 0.

    ``offsets`` are the tokens' character spans in the rendered prompt, ``generation`` the
    blocks'; both in order.
    """
    spans = list(generation)
    mask = [0] * len(offsets)
    current = 0
    for index, (start, end) in enumerate(offsets):
        while current < len(spans) and start >= spans[current][1]:
            current += 1
        if current == len(spans):
            break
        if end > spans[current][0]:
            mask[index] = 1
    return mask


def _choose_source(
    config: Mapping[str, Any], files: Mapping[str, str]
) -> str | dict[str, str] | None:
    if files:
        return files["default"] if list(files) == ["default"] else dict(files)
    source = config.get("chat_template")
    if source is None or isinstance(source, str):
        return source
    if isinstance(source, Mapping):
        source = [{"name": name, "template": text} for name, text in source.items()]
    if not isinstance(source, (list, tuple)):
        raise SpecError("chat_template", f"must be a string or a list, not {source!r}")
    named = {}
    for index, entry in enumerate(source):
        name, text = (
            (entry.get("name"), entry.get("template"))
            if isinstance(entry, Mapping)
            else (None, None)
        )
        if not isinstance(name, str) or not isinstance(text, str):
            raise SpecError(f"chat_template[{index}]", "must have a name and a template")
        named[name] = text
    return named


def _choose_named(own: Mapping[str, str], chat_template: str | None, tools: Any) -> str:
    if chat_template is not None:
        return own.get(chat_template, chat_template)
    if tools is not None and "tool_use" in own:
        return own["tool_use"]
    if "default" in own:
        return own["default"]
    raise PromptError(
        "This model has multiple chat templates with no default specified! Please either pass a "
        "chat template or the name of the template you wish to use to the `chat_template` "
        f"argument. Available template names are {sorted(own)}."
    )


def _read_json(path: Path) -> dict[str, Any]:
    """A JSON object's file; empty where there is none."""
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise SpecError("", f"not valid JSON: {error}", file=path.name) from error
    if not isinstance(value, dict):
        raise SpecError("", "must be a JSON object", file=path.name)
    return value
