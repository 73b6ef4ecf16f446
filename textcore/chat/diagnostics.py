"""What a chat template does to a conversation that costs accuracy, found by probing it.

A template is a program, so nothing here asks which model it belongs to: it is rendered again
with marker strings in the place of (or around) what it was given, with and without one part,
and the renderings are compared. A probe that the template refuses says nothing.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from textcore.chat.data import REASONING_FIELDS
from textcore.chat.errors import PromptError
from textcore.chat.prompts import is_batch
from textcore.chat.templates import conversation_data
from textcore.chat.tools import tool_schemas
from textcore.errors import TextcoreError

Message = dict[Any, Any]

DOUBLED_BOS = "doubled-bos"
NO_GENERATION_PROMPT = "no-generation-prompt"
TOOL_IGNORED = "tool-ignored"
ROLE_DROPPED = "role-dropped"
CONTENT_DROPPED = "content-dropped"

_EXCERPT = 60


class ChatTokenizer(Protocol):
    """What the probes need of a ``Tokenizer``."""

    @property
    def special_ids(self) -> list[int]: ...

    @property
    def added_tokens(self) -> dict[str, int]: ...

    def apply_chat_template(self, messages: Any, tools: Any = None, **options: Any) -> Any: ...

    def encode(
        self, text: str, *, add_special_tokens: bool = False, allowed_special: Any = "all"
    ) -> list[int]: ...

    def id_to_token(self, id: int) -> str | None: ...


class Finding(NamedTuple):
    """One thing that costs accuracy.

    ``code`` is one of this module's constants, ``message`` says what happens, and ``evidence``
    is what shows it: a piece of the prompt, or the parts that left no trace.
    """

    code: str
    message: str
    evidence: str


class Probe:
    """A template with the conversation that it is probed with, and unique marker strings.

    Raises PromptError and TemplateFailure where the conversation can't be rendered as it is.
    """

    def __init__(
        self, tok: ChatTokenizer, messages: Any, tools: Any, variables: Mapping[str, Any]
    ) -> None:
        self.tok = tok
        if is_batch(messages):
            raise PromptError("only one conversation at a time can be diagnosed")
        self.messages = conversation_data(messages)
        self.tools = tool_schemas(tools)
        self._variables = variables
        self.prompt: str = self.render(self.messages, self.tools)
        known = f"{self.prompt}{self.messages}{self.tools}".lower()
        self._stem = "zq"
        while self._stem in known:
            self._stem += "kq"
        self._count = 0

    def render(
        self, messages: Sequence[Message], tools: Any = None, generation_prompt: bool = True
    ) -> str:
        """The prompt. Raises what the template raises."""
        text: str = self.tok.apply_chat_template(
            list(messages),
            tools,
            tokenize=False,
            add_generation_prompt=generation_prompt,
            **self._variables,
        )
        return text

    def try_render(
        self, messages: Sequence[Message], tools: Any = None, generation_prompt: bool = True
    ) -> str | None:
        """The prompt, or None where the template refuses what the probe made."""
        try:
            return self.render(messages, tools, generation_prompt)
        except TextcoreError:
            return None

    def marker(self) -> str:
        """A new marker: letters and digits, which no escaping and no quoting changes."""
        self._count += 1
        return f"{self._stem}{self._count}z"

    def markers_in(self, text: str) -> dict[str, int]:
        """The markers that a rendering shows, in whatever case, and where each first begins."""
        places: dict[str, int] = {}
        # Case is folded by ASCII only: other characters may change their number.
        for match in re.finditer(rf"{self._stem}[0-9]+z", text, re.IGNORECASE | re.ASCII):
            places.setdefault(match[0].lower(), match.start())
        return places

    def after(self, marker: str, text: str) -> str | None:
        """What follows a marker; None where a rendering does not show it."""
        start = self.markers_in(text).get(marker)
        return None if start is None else text[start + len(marker) :]


def diagnose(
    tok: ChatTokenizer, messages: Any, tools: Any = None, **variables: Any
) -> list[Finding]:
    """The warnings for one conversation and the tools that are offered in it.

    ``tok`` is a Tokenizer with a chat template, ``variables`` are the template's own, as in
    ``apply_chat_template``. Raises PromptError and TemplateFailure where the conversation itself
    can't be rendered.
    """
    try:
        probe = Probe(tok, messages, tools, variables)
        return [
            *doubled_bos(probe),
            *missing_generation_prompt(probe),
            *ignored_tools(probe),
            *dropped_content(probe),
        ]
    except RecursionError as error:
        raise PromptError("the messages or tools are nested too deeply") from error


# -- the beginning and the end ------------------------------------------------------------


def doubled_bos(probe: Probe) -> Iterator[Finding]:
    """The prompt begins with a control token twice, or will if it is encoded as a text."""
    tok = probe.tok
    added_tokens = tok.added_tokens
    control = {*tok.special_ids, *added_tokens.values()}
    allowed = frozenset(added_tokens)
    ids = tok.encode(probe.prompt, allowed_special=allowed)
    if len(ids) > 1 and ids[0] == ids[1] and ids[0] in control:
        message = f"the prompt begins with {tok.id_to_token(ids[0])} twice"
        yield Finding(DOUBLED_BOS, message, excerpt(probe.prompt))
        return
    added = tok.encode(probe.prompt, add_special_tokens=True, allowed_special=allowed)
    if ids and ids[0] in control and added[:2] == [ids[0], ids[0]]:
        token = tok.id_to_token(ids[0])
        yield Finding(
            DOUBLED_BOS,
            f"the template writes {token} and the tokenizer adds it too: text that it rendered "
            "must be encoded without special tokens (apply_chat_template does so)",
            f"encode(prompt, add_special_tokens=True) begins with {added[:2]}",
        )


def missing_generation_prompt(probe: Probe) -> Iterator[Finding]:
    """``add_generation_prompt`` changes nothing, and answers have a header all the same.

    Where an answer's text follows what ends the question, there is nothing to add.
    """
    marker = probe.marker()
    alone = [{"role": "user", "content": marker}]
    for question in (_with_last_question(probe.messages, marker), alone):
        prompt = probe.try_render(question, probe.tools)
        end = None if prompt is None else probe.after(marker, prompt)
        if end is not None:
            break
    if end is None or prompt != probe.try_render(question, probe.tools, False):
        return
    answer = probe.marker()
    answered = [*question, {"role": "assistant", "content": answer}]
    text = probe.try_render(answered, probe.tools, False)
    between = None if text is None else probe.after(marker, text)
    if between is None or answer not in probe.markers_in(between):
        return
    common = _common_length(end, between)
    header = between[common : probe.markers_in(between)[answer]]
    # A prompt that goes on otherwise has begun the answer in a way of its own.
    if header.strip() and not end[common:].strip():
        yield Finding(
            NO_GENERATION_PROMPT,
            "add_generation_prompt changes nothing: the model has to begin its own turn",
            f"an answer follows {excerpt_end(header)}, which is not written",
        )


def _common_length(first: str, second: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _with_last_question(messages: Sequence[Message], marker: str) -> list[Message]:
    """The conversation without the answers at its end, and a marker for what they answer."""
    end = len(messages)
    while end and messages[end - 1].get("role") == "assistant":
        end -= 1
    last = messages[end - 1] if end else {"role": "user"}
    return [*messages[: max(end - 1, 0)], {**last, "content": marker}]


# -- tools --------------------------------------------------------------------------------


def ignored_tools(probe: Probe) -> Iterator[Finding]:
    """Tools that leave no trace in the prompt, and parts of their definitions that don't."""
    tools = probe.tools
    if not tools:
        return
    marked = copy.deepcopy(list(tools))
    places = [list(_mark_tool(tool, probe)) for tool in marked]
    text = probe.try_render(probe.messages, marked)
    shown = None if text is None else probe.markers_in(text)
    for index, tool in enumerate(tools):
        others = [*tools[:index], *tools[index + 1 :]]
        if probe.try_render(probe.messages, others or None) == probe.prompt:
            missing = [""]
        elif shown is None:
            continue
        else:
            missing = [place for place, marker in places[index] if marker not in shown]
            if "name" in missing:
                missing = [""]
        yield from _tool_findings(f"tools[{index}]", _tool_name(tool), missing)


def _tool_findings(place: str, name: str, missing: Sequence[str]) -> Iterator[Finding]:
    if "" in missing:
        message = f"the template ignores the tool {name}"
        yield Finding(TOOL_IGNORED, message, f"{place} leaves no trace in the prompt")
    elif missing:
        message = f"the template ignores part of the definition of the tool {name}"
        left_out = ", ".join(missing)
        yield Finding(TOOL_IGNORED, message, f"{place} leaves no trace of: {left_out}")


def _tool_name(tool: Any) -> str:
    name = _definition(tool).get("name")
    return name if isinstance(name, str) else "without a name"


def _definition(tool: Any) -> dict[Any, Any]:
    """The object with the tool's name: the tool, or the function in it."""
    if not isinstance(tool, dict):
        return {}
    function = tool.get("function")
    return function if isinstance(function, dict) else tool


def _mark_tool(tool: Any, probe: Probe) -> Iterator[tuple[str, str]]:
    """Put markers into a tool; yields each one's place in the definition."""
    definition = _definition(tool)
    for key in ("name", "description"):
        if isinstance(definition.get(key), str) and definition[key]:
            definition[key] = marker = probe.marker()
            yield key, marker
    parameters = definition.get("parameters")
    if not isinstance(parameters, dict) or not isinstance(parameters.get("properties"), dict):
        return
    renamed = {}
    properties = parameters["properties"]
    for name, schema in properties.items():
        renamed[name] = marker = probe.marker()
        yield f"parameters.{name}", marker
        if isinstance(schema, dict) and schema.get("description"):
            schema["description"] = marker = probe.marker()
            yield f"parameters.{name}.description", marker
    parameters["properties"] = {renamed[name]: value for name, value in properties.items()}
    if isinstance(parameters.get("required"), list):
        parameters["required"] = [
            renamed.get(name, name) if isinstance(name, str) else name
            for name in parameters["required"]
        ]


# -- messages -----------------------------------------------------------------------------


class _Leaf(NamedTuple):
    """A string of the conversation that markers were put around (or beside)."""

    message: int
    field: str
    markers: tuple[str, ...]
    original: str

    @property
    def place(self) -> str:
        return f"messages[{self.message}].{self.field}"

    @property
    def is_content(self) -> bool:
        return self.field.startswith("content")


def dropped_content(probe: Probe) -> Iterator[Finding]:
    """Roles whose messages leave no trace, and single texts, parts and calls that don't."""
    marked = copy.deepcopy(probe.messages)
    leaves = list(_mark_messages(marked, probe))
    text = probe.try_render(marked, probe.tools)
    roles: dict[str, list[str]] = {}
    if text is not None:
        shown = probe.markers_in(text)
        lost = {leaf for leaf in leaves if not any(m in shown for m in leaf.markers)}
        roles = _dropped_roles(probe.messages, leaves, lost)
        for role, places in roles.items():
            what = f"the template drops messages of the role {role}"
            yield Finding(ROLE_DROPPED, what, f"{', '.join(places)} left no trace")
        for leaf in leaves:
            if _role(probe.messages[leaf.message]) not in roles:
                yield from _leaf_findings(leaf, leaf in lost, text, shown)
    for index, message in enumerate(probe.messages):
        if _role(message) not in roles:
            yield from _dropped_parts(probe, index)


def _role(message: Message) -> str:
    """A message's role, quoted; it may be anything, or missing."""
    return repr(message.get("role"))


def _dropped_roles(
    messages: Sequence[Message], leaves: Sequence[_Leaf], lost: Collection[_Leaf]
) -> dict[str, list[str]]:
    """Roles of which nothing is left, though they had content; with the lost places."""
    kept = {_role(messages[leaf.message]) for leaf in leaves if leaf not in lost}
    roles: dict[str, list[str]] = {}
    for leaf in leaves:
        role = _role(messages[leaf.message])
        if leaf in lost and role not in kept and leaf.is_content:
            roles.setdefault(role, []).append(leaf.place)
    return roles


def _leaf_findings(
    leaf: _Leaf, is_lost: bool, text: str, shown: Mapping[str, int]
) -> Iterator[Finding]:
    if is_lost:
        message = f"{leaf.place} disappears"
        yield Finding(CONTENT_DROPPED, message, excerpt(leaf.original))
        return
    missing = [marker for marker in leaf.markers if marker not in shown]
    if missing:
        where = "end" if leaf.markers[-1] in missing else "beginning"
        message = f"the {where} of {leaf.place} disappears"
        yield Finding(CONTENT_DROPPED, message, excerpt(leaf.original))
    elif len(leaf.markers) == 2:
        first, last = leaf.markers
        inside = text[shown[first] + len(first) : shown[last]]
        if not _is_inside(leaf.original, inside):
            message = f"a part of {leaf.place} disappears"
            yield Finding(CONTENT_DROPPED, message, f"what is left: {excerpt(inside)}")


def _is_inside(original: str, inside: str) -> bool:
    """Whether the ASCII letters and digits of one text are in the other, in order.

    Only those: the rest may have been escaped, which adds characters but takes none of these.
    """
    rest = iter(inside.lower())
    return all(c in rest for c in original.lower() if c.isascii() and c.isalnum())


def _mark_messages(messages: list[Message], probe: Probe) -> Iterator[_Leaf]:
    """Put markers around the strings of a conversation, in place."""
    questions = [i for i, message in enumerate(messages) if message.get("role") == "user"]
    last_question = questions[-1] if questions else -1
    for index, message in enumerate(messages):
        yield from _mark_content(message, index, probe)
        # Reasoning before the last question is left out on purpose by most templates.
        if index > last_question:
            for field in REASONING_FIELDS:
                original = message.get(field)
                if isinstance(original, str) and original:
                    message[field], markers = _wrap(original, True, probe)
                    yield _Leaf(index, field, markers, original)
                    break  # the others are other names for the same
        yield from _mark_calls(message, index, probe)


def _mark_content(message: Message, index: int, probe: Probe) -> Iterator[_Leaf]:
    """The content, or the text of each of its parts."""
    is_answer = message.get("role") == "assistant"
    content = message.get("content")
    if isinstance(content, str) and content:
        message["content"], markers = _wrap(content, is_answer, probe)
        yield _Leaf(index, "content", markers, content)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            original = part.get("text") if isinstance(part, dict) else None
            if isinstance(original, str) and original:
                part["text"], markers = _wrap(original, is_answer, probe)
                yield _Leaf(index, f"content[{number}].text", markers, original)


def _wrap(text: str, is_answer: bool, probe: Probe) -> tuple[str, tuple[str, ...]]:
    """A text with a marker at each end; of an answer, at the end only.

    The beginning of an answer may be reasoning, which templates cut off on purpose.
    """
    last = probe.marker()
    if is_answer:
        return f"{text} {last}", (last,)
    first = probe.marker()
    return f"{first} {text} {last}", (first, last)


def _mark_calls(message: Message, index: int, probe: Probe) -> Iterator[_Leaf]:
    """Rename each call of a message, and give it one argument more."""
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else []):
        definition = _definition(call)
        field = f"tool_calls[{number}]"
        if isinstance(definition.get("name"), str):
            original = definition["name"]
            definition["name"] = marker = probe.marker()
            yield _Leaf(index, f"{field}.name", (marker,), original)
        marker = probe.marker()
        arguments = definition.get("arguments")
        shown = str(arguments)
        if isinstance(arguments, dict):
            arguments[marker] = marker
        elif isinstance(arguments, str):
            try:
                parsed = json.loads(arguments)
            except (ValueError, RecursionError):
                continue
            if not isinstance(parsed, dict):
                continue
            definition["arguments"] = json.dumps({**parsed, marker: marker})
        else:
            continue
        yield _Leaf(index, f"{field}.arguments", (marker,), shown)


def _dropped_parts(probe: Probe, index: int) -> Iterator[Finding]:
    """Parts without text (images, say) that may as well not be there."""
    message = probe.messages[index]
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    for number, part in enumerate(parts):
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            continue
        without = list(probe.messages)
        without[index] = {**message, "content": parts[:number] + parts[number + 1 :]}
        if probe.try_render(without, probe.tools) == probe.prompt:
            kind = part.get("type") if isinstance(part, dict) else type(part).__name__
            what = f"messages[{index}].content[{number}] disappears"
            yield Finding(CONTENT_DROPPED, what, f"a part of the type {kind!r}")


# -- evidence -----------------------------------------------------------------------------


def excerpt(text: str) -> str:
    """The beginning of a text, quoted."""
    return repr(text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…")


def excerpt_end(text: str) -> str:
    """The end of a text, quoted."""
    return repr(text if len(text) <= _EXCERPT else "…" + text[-_EXCERPT:])
