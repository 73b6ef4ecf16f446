"""A format's declaration, inferred from how a chat template renders probes.

The probes are words that no template has. Where they stand in the renderings, and what is
the same in two renderings that differ in one word, says what the markers are. Nothing here is
certain: what is inferred counts only once messages rendered by the template come back.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from textcore.core.jsonscan import JsonScanner
from textcore.errors import SpecError, UnsupportedError
from textcore.output.formats.declaration import (
    NAME,
    Body,
    JsonObject,
    NamedValue,
    OutputFormat,
    Section,
    TaggedParameters,
    Tags,
)
from textcore.output.probing.roundtrip import (
    NotRendered,
    call,
    generation_prompt,
    render,
)

NAMES = ("fnazq", "fnbzq")
KEYS = ("keyazq", "keybzq")
VALUES = ("valazq", "valbzq")
CONTENT, REASON, USER = "contentzq", "reasonzq", "USER ASKS"
TYPED: dict[str, Any] = {"string": "valczq", "number": 70707, "array": [70707], "null": None}


class Item(NamedTuple):
    """How one call is spelled, and where it stands in a text."""

    start: int
    end: int
    body: Body


def infer(template: str, variables: dict[str, Any]) -> OutputFormat:
    """The format of a template's calls and reasoning.

    Raises:
        UnsupportedError: the template renders no calls, or none that can be read.
    """
    probe = _Probe(template, variables)
    one = probe.output(probe.one)
    spellings = list(_spellings(probe, one))
    if not spellings:
        raise UnsupportedError("chat_template", "calls are spelled in no way that is known")
    reasoning = probe.reasoning()
    item = spellings[0]
    call_tags, section, bare, more = _around(probe, one, item, reasoning)
    layout = "\n" if probe.has_newlines(call_tags, section, reasoning) else ""
    try:
        return OutputFormat(
            name="inferred",
            aliases=(),
            source="the chat template",
            reasoning=reasoning,
            call=call_tags,
            body=item.body,
            formatting=layout,
            turn=Tags(probe.turn_open, probe.turn_close),
            section=section,
            dropped=tuple(dict.fromkeys((*probe.dropped(), *more))),
            bare=bare,
        )
    except SpecError as error:
        raise UnsupportedError("chat_template", f"no format can be inferred: {error}") from None


class _Probe:
    """A template's renderings of the probes, and where the assistant's turn is in them."""

    def __init__(self, template: str, variables: dict[str, Any]) -> None:
        self._template = template
        self._variables = variables
        self.prompt = self._prompt(variables)
        self.plain = self._render({"content": CONTENT})
        self._check(self.prompt, USER)
        self._check(self.plain, USER, CONTENT)
        self.one = self._calls({KEYS[0]: VALUES[0]})
        self._check(self.one, USER, KEYS[0], VALUES[0])
        self.turn_open = self._turn_open()
        self.turn_close = self._turn_close()

    def _prompt(self, variables: dict[str, Any]) -> str:
        try:
            return generation_prompt(self._template, variables)
        except NotRendered as error:
            raise UnsupportedError("chat_template", str(error)) from None

    def _render(self, message: dict[str, Any]) -> str:
        try:
            return render(
                self._template, {"role": "assistant", "content": "", **message}, self._variables
            )
        except NotRendered as error:
            raise UnsupportedError("chat_template", str(error)) from None

    def _calls(self, *arguments: dict[str, Any]) -> str:
        calls = [call(NAMES[i], values, i) for i, values in enumerate(arguments)]
        text = self._render({"tool_calls": calls})
        if NAMES[0] not in text:
            raise UnsupportedError("chat_template", "calls are not rendered")
        return text

    def _check(self, text: str, *words: str) -> None:
        """Raise where a rendering has not the probes' words."""
        for word in words:
            if word not in text:
                raise UnsupportedError("chat_template", f"{word!r} is not rendered as it stands")

    def _tails(self) -> tuple[str, str]:
        """What stands behind the user's message in prompts with and without thinking."""
        with_thinking, without = (
            self._prompt({"enable_thinking": thinking, "thinking": thinking}).rsplit(USER, 1)[-1]
            for thinking in (True, False)
        )
        return with_thinking, without

    def _prompted_reasoning(self) -> Tags | None:
        """The tags of reasoning, from what the prompt opens or closes."""
        try:
            thinking, without = (tail.rstrip() for tail in self._tails())
        except UnsupportedError:
            return None
        if thinking == without:
            return None
        opened, closed = _last_tag(thinking), _last_tag(without)
        if without.startswith(thinking):
            rest = without[len(thinking) :].strip()
            if rest != closed:
                opened = rest[: -len(closed)].strip() if closed else ""
        elif thinking.startswith(without):
            rest = thinking[len(without) :].strip()
            closed = ""
        elif closed.replace("/", "") != opened:
            return None
        return Tags(opened, closed) if opened and closed else None

    def _turn_open(self) -> str:
        """What the prompt and all renderings have behind the user's message, to its last tag."""
        prompt, plain, one = (
            text[text.index(USER) + len(USER) :] for text in (self.prompt, self.plain, self.one)
        )
        shared = _whole_tags(_common_prefix(_common_prefix(prompt, plain), one)).rstrip()
        tags = self.reasoning()
        for tag in (tags.close, tags.open) if tags else ():
            shared = shared.removesuffix(tag).rstrip()
        if not shared.strip():
            raise UnsupportedError("chat_template", "the assistant's turn has no beginning")
        return re.split(r"\n(?=\S)|(?<=>)(?=<)", shared)[-1]

    def _turn_close(self) -> str:
        """What stands behind content and behind calls alike."""
        behind = self.plain[self.plain.index(CONTENT) + len(CONTENT) :]
        calls = self.one[self.one.index(VALUES[0]) :]
        for tag in re.findall(r"<[^<>]+>", behind):
            if tag in calls:
                return str(tag)
        shared = _common_suffix(behind, calls).strip()
        return shared or "<EOS>"

    def output(self, text: str) -> str:
        """The assistant's turn of a rendering."""
        start = text.find(self.turn_open, text.index(USER)) + len(self.turn_open)
        ends = [
            end for close in (self.turn_close, "<EOS>") if (end := text.find(close, start)) >= 0
        ]
        return text[start : min(ends, default=len(text))]

    def two(self) -> str | None:
        """The turn with two calls, or None where a template takes but one."""
        try:
            text = self.output(self._calls({KEYS[0]: VALUES[0]}, {KEYS[1]: VALUES[1]}))
        except UnsupportedError:
            return None
        return text if NAMES[1] in text else None

    def with_arguments(self, arguments: dict[str, Any]) -> str:
        """The turn with one call with these arguments."""
        return self.output(self._calls(arguments))

    def reasoning(self) -> Tags | None:
        """The tags around reasoning, from a message or from what the prompt opens and closes."""
        for key in ("reasoning_content", "thinking"):
            try:
                text = self._render({"content": CONTENT, key: REASON})
            except UnsupportedError:
                continue
            before, found, rest = text.partition(REASON)
            if found and CONTENT in rest:
                opened = before.rsplit(USER, 1)[-1].rstrip()
                close = rest[: rest.index(CONTENT)].strip()
                tags = _last_tag(opened), close if close.count("<") < 2 else _first_tag(close)
                if all(tags):
                    return Tags(*tags)
        return self._prompted_reasoning()

    def dropped(self) -> tuple[str, ...]:
        """Tags around content alone."""
        text = self.output(self.plain)
        before, _, behind = text.partition(CONTENT)
        tags = [tag for tag in (_last_tag(before.rstrip()), _first_tag(behind.strip())) if tag]
        reasoning = self.reasoning()
        known = (reasoning.open, reasoning.close) if reasoning else ()
        return tuple(tag for tag in tags if tag not in known)

    def has_newlines(self, tags: Tags, section: Section | None, reasoning: Tags | None) -> bool:
        """Whether whitespace stands next to tags."""
        openers = [tags.open, section.open if section else ""]
        openers += [reasoning.open, reasoning.close] if reasoning else []
        texts = [self.one]
        try:
            both = {"content": CONTENT, "reasoning_content": REASON}
            texts.append(self._render({**both, "tool_calls": [call(NAMES[0], {})]}))
        except UnsupportedError:
            pass
        return any(
            "\n" + tag in text or tag + "\n" in text
            for tag in filter(None, openers)
            for text in texts
        )


def _whole_tags(text: str) -> str:
    """A text without the beginning of a tag at its end."""
    return text[: text.rfind("<")] if text.rfind("<") > text.rfind(">") else text


def _last_tag(text: str) -> str:
    found = re.search(r"[<\[][^<>\[\]\s][^<>\[\]]*[>\]](?:[a-z]+)?$", text)
    return found[0] if found else ""


def _first_tag(text: str) -> str:
    found = re.match(r"[<\[][^<>\[\]\s][^<>\[\]]*[>\]]", text)
    return found[0] if found else ""


# -- How a call is spelled -------------------------------------------------------------------


def _spellings(probe: _Probe, text: str) -> Iterator[Item]:
    """The ways in which the turn's one call can be read, the most special first."""
    for find in (_json_object, _keyed_object, _named_json, _python_call, _marked, _tagged):
        item = find(probe, text)
        if item is not None:
            yield item


def _objects_around(text: str, word: str) -> Iterator[tuple[int, int, Any]]:
    """The JSON objects that hold a word, the outermost first."""
    at = text.find(word)
    start = text.find("{")
    while 0 <= start < at:
        scanner = JsonScanner()
        end = scanner.feed(text, start)
        if scanner.done and end > at:
            yield start, end, json.loads(text[start:end])
        start = text.find("{", start + 1)


def _json_object(probe: _Probe, text: str) -> Item | None:
    for start, end, value in _objects_around(text, NAMES[0]):
        names = [key for key, one in value.items() if one == NAMES[0]]
        arguments = [
            key
            for key, one in value.items()
            if one == {KEYS[0]: VALUES[0]} or (isinstance(one, str) and _is_arguments(one))
        ]
        if len(names) == 1 and len(arguments) == 1:
            return Item(start, end, JsonObject(names[0], (arguments[0],)))
    return None


def _is_arguments(text: str) -> bool:
    try:
        return bool(json.loads(text) == {KEYS[0]: VALUES[0]})
    except ValueError:
        return False


def _keyed_object(probe: _Probe, text: str) -> Item | None:
    for start, end, value in _objects_around(text, NAMES[0]):
        if value == {NAMES[0]: {KEYS[0]: VALUES[0]}}:
            inner = text.index("{", text.index(NAMES[0]))
            separator = text[text.index(NAMES[0]) + len(NAMES[0]) : inner].strip()
            return Item(start + 2, end - 1, NamedValue(separators=(separator,)))
    return None


def _named_json(probe: _Probe, text: str) -> Item | None:
    name = text.find(NAMES[0])
    for start, end, value in _objects_around(text, VALUES[0]):
        if value == {KEYS[0]: VALUES[0]} and name < start:
            separator = text[name + len(NAMES[0]) : start]
            before, ident, separator_end = separator.partition(call("", {})["id"])
            if ident and separator_end:
                pattern = rf"{NAME}(?:{re.escape(before)}[\w-]*)?"
                return Item(name, end, NamedValue((separator_end,), name=pattern))
            if separator:
                return Item(name, end, NamedValue(separators=(separator,)))
    return None


def _python_call(probe: _Probe, text: str) -> Item | None:
    found = re.search(rf"{NAMES[0]}\(\s*{KEYS[0]}\s*=\s*(['\"]){VALUES[0]}\1\s*\)", text)
    if not found:
        return None
    return Item(found.start(), found.end(), NamedValue(separators=("(",), value="python"))


def _marked(probe: _Probe, text: str) -> Item | None:
    found = re.search(rf"{NAMES[0]}\{{\s*{KEYS[0]}:(\S+?){VALUES[0]}\1\s*\}}", text)
    if not found or len(found[1]) < 2:
        return None
    body = NamedValue(separators=("{",), value=found[1])
    return Item(found.start(), found.end(), body)


def _tagged(probe: _Probe, text: str) -> Item | None:
    """Name, parameters with their keys, and values, each between tags."""
    two = probe.with_arguments({KEYS[0]: VALUES[0], KEYS[1]: VALUES[1]})
    words = (NAMES[0], KEYS[0], VALUES[0], KEYS[1], VALUES[1])
    places = [two.find(word) for word in words]
    if -1 in places or places != sorted(places):
        return None
    gaps = [
        two[places[i] + len(words[i]) : places[i + 1] if i < 4 else len(two)] for i in range(5)
    ]
    if gaps[1] != gaps[3]:
        return None
    behind_name, behind_key, between, _, behind = gaps
    parameter = _common_suffix(behind_name, between)
    parameter = parameter[parameter.rfind("<") :] if "<" in parameter else parameter.strip()
    if not parameter:
        return None
    close = between[: between.rfind(parameter)].rstrip()
    if not behind.startswith(close):
        return None
    newline = behind_key.endswith("\n") and close.startswith("\n")
    value_close = close.strip()
    none = probe.with_arguments({})
    rest = none[none.find(NAMES[0]) + len(NAMES[0]) :]
    name_end = behind_name[: len(behind_name) - len(parameter)]
    body_close = _first_tag(_common_suffix(behind[len(close) :], rest).lstrip())
    if not (parameter and value_close and body_close):
        return None
    key_ends, value_open = _key_ends(probe, behind_key)
    body = TaggedParameters(
        name_ends=(name_end.strip() or "\n",),
        parameter=parameter,
        key_ends=key_ends,
        value_close=value_close,
        close=body_close,
        value_open=value_open,
        newline=newline,
    )
    start = text.find(NAMES[0])
    end = text.find(body_close, start) + len(body_close)
    return Item(start, end, body)


def _key_ends(probe: _Probe, behind_key: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """What ends a key, by the type of the value, and what opens the value."""
    parts = behind_key.split("\n")
    if len(parts) > 1 and parts[1].strip():
        return ((parts[0], ""),), parts[1].strip()
    tags = re.findall(r"<[^<>]+>", behind_key)
    if len(tags) == 2 and behind_key == "".join(tags):
        return ((tags[0], ""),), tags[1]
    ends: dict[str, str] = {}
    for kind, value in TYPED.items():
        text = probe.with_arguments({KEYS[0]: value})
        shown = value if isinstance(value, str) else json.dumps(value)
        at = text.find(KEYS[0]) + len(KEYS[0])
        stop = text.find(shown, at)
        if stop >= 0:
            ends.setdefault(text[at:stop].rstrip("\n"), "string" if kind == "string" else "json")
    if len(ends) == 1:
        return ((behind_key.rstrip("\n"), ""),), ""
    return tuple(ends.items()), ""


def _common_prefix(one: str, other: str) -> str:
    size = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        size += 1
    return one[:size]


def _common_suffix(one: str, other: str) -> str:
    return _common_prefix(one[::-1], other[::-1])[::-1]


# -- What stands around calls ----------------------------------------------------------------


def _around(
    probe: _Probe, text: str, item: Item, reasoning: Tags | None
) -> tuple[Tags, Section | None, bool, tuple[str, ...]]:
    """The tags of a call, the section around all, whether calls need no tag, and what to drop."""
    before, behind = text[: item.start].strip(), text[item.end :].strip()
    if reasoning and reasoning.close in before:
        before = before[before.index(reasoning.close) + len(reasoning.close) :].lstrip()
    two = probe.two()
    if two is None:
        section = None if before else Section(open="", separator=";")
        return Tags(before, behind), section, not before, ()
    first_end = two.find(text[item.start : item.end]) + item.end - item.start
    second = two.find(NAMES[1]) - (text.find(NAMES[0]) - item.start)
    between = two[first_end:second].strip()
    if item.body == NamedValue(separators=('":',)) or before.endswith("[") or between == ",":
        keyed = behind.startswith("}") and before.endswith('{"')
        return *_listed(before, behind, Tags('{"', "}") if keyed else Tags("", "")), ()
    close = _whole_tags(_common_prefix(between, behind)).strip()
    opened = _common_suffix(between[len(close) :], before).strip()
    outer = before[: len(before) - len(opened)].strip()
    end = behind[len(close) :].strip()
    if not outer:
        section = None if close and opened else Section(open="")
        return Tags(opened, close), section, not opened, (end,) if end else ()
    return Tags(opened, close), Section(outer, end), False, ()


def _listed(before: str, behind: str, tags: Tags) -> tuple[Tags, Section | None, bool]:
    """Calls in a list."""
    if tags.open:
        before = before.rstrip()[: -len(tags.open)]
        behind = behind.lstrip()[len(tags.close) :]
    begin = before.rstrip()
    end = behind.lstrip()
    if not begin.endswith("[") or not end.startswith("]"):
        raise UnsupportedError("chat_template", "calls stand in a list that is not one")
    outer = begin[:-1].strip()
    section = Section(outer, end[1:].strip(), begin="[", separator=",", end="]")
    return tags, section, not outer


def refined(form: OutputFormat) -> Iterator[OutputFormat]:
    """Readings of a declaration that the probes could not tell apart, the likeliest first."""
    yield form
    if form.section is not None and form.section.open and form.call.open:
        yield dataclasses.replace(form, section=dataclasses.replace(form.section, optional=True))
    if form.formatting:
        yield dataclasses.replace(form, formatting="")
