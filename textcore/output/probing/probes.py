"""Probe conversations, rendered: words that no template has, and where they come out."""

from __future__ import annotations

import re
from typing import Any

from textcore.errors import UnsupportedError
from textcore.output.formats.declaration import Tags
from textcore.output.probing.conversations import NotRendered, call, generation_prompt, render

NAMES = ("fnazq", "fnbzq")
KEYS = ("keyazq", "keybzq")
VALUES = ("valazq", "valbzq")
CONTENT, REASON, USER = "contentzq", "reasonzq", "USER ASKS"
TAG = re.compile(r"<[^<>\s][^<>]*>|\[[^\[\]<>]+\]")


class Probe:
    """A template's renderings of the probes, and where the assistant's turn is in them.

    Raises:
        UnsupportedError: the template renders no calls, or not what it was given.
    """

    def __init__(self, template: str, variables: dict[str, Any]) -> None:
        self._template = template
        self._variables = variables
        self.prompt = self._prompt(variables)
        self.plain = self.rendered({"content": CONTENT})
        self._check(self.prompt, USER)
        self._check(self.plain, USER, CONTENT)
        self.one = self.calls({KEYS[0]: VALUES[0]})
        self._check(self.one, USER, KEYS[0], VALUES[0])
        self.reasoned = self._with_reasoning()
        self.turn_open = self._turn_open()
        self.reasoning = self._find_reasoning()
        self.turn_close = self._turn_close()

    def _prompt(self, variables: dict[str, Any]) -> str:
        try:
            return generation_prompt(self._template, variables)
        except NotRendered as error:
            raise UnsupportedError("chat_template", str(error)) from None

    def rendered(self, message: dict[str, Any]) -> str:
        """The conversation with this message of the assistant."""
        try:
            return render(
                self._template, {"role": "assistant", "content": "", **message}, self._variables
            )
        except NotRendered as error:
            raise UnsupportedError("chat_template", str(error)) from None

    def calls(self, *arguments: dict[str, Any], content: str = "") -> str:
        """The conversation with a call for each of the arguments."""
        calls = [call(NAMES[i], values, i) for i, values in enumerate(arguments)]
        text = self.rendered({"content": content, "tool_calls": calls})
        if NAMES[0] not in text:
            raise UnsupportedError("chat_template", "calls are not rendered")
        return text

    def _check(self, text: str, *words: str) -> None:
        """Raise where a rendering has not the probes' words."""
        for word in words:
            if word not in text:
                raise UnsupportedError("chat_template", f"{word!r} is not rendered as it stands")

    def _with_reasoning(self) -> str | None:
        """The conversation with reasoning before content, if it is rendered."""
        try:
            text = self.rendered({"content": CONTENT, "reasoning_content": REASON})
        except UnsupportedError:
            return None
        _, found, rest = text.partition(REASON)
        return text if found and CONTENT in rest else None

    def _turn_open(self) -> str:
        """The last of the prompt's parts that every rendering has before the message."""
        tails = [text[text.index(USER) + len(USER) :] for text in (self.plain, self.one)]
        if self.reasoned is not None:
            tails.append(self.reasoned[self.reasoned.index(USER) + len(USER) :])
        befores = [re.split("|".join((CONTENT, NAMES[0], REASON)), tail)[0] for tail in tails]
        prompt = self.prompt[self.prompt.index(USER) + len(USER) :].rstrip()
        for part in reversed(re.split(r"\n(?=\S)|(?<=>)(?=<)|\s+(?=<)", prompt)):
            part = part.strip()
            shared = part and all(part in before for before in befores)
            if shared and not self._is_of_reasoning(part, tails[0]):
                return part
        raise UnsupportedError("chat_template", "the assistant's turn has no beginning")

    def _is_of_reasoning(self, part: str, plain: str) -> bool:
        """Whether a part of the prompt is a tag of reasoning, not of the turn."""
        tags = set()
        if self.reasoned is not None:
            before, _, behind = self.reasoned.partition(REASON)
            if plain.partition(part)[2].lstrip().startswith(CONTENT):
                tags = {first_tag(behind.lstrip())}
            else:
                tags = {last_tag(before.rstrip()), first_tag(behind.lstrip())}
        prompted = self._prompted_reasoning()
        if prompted is not None:
            tags |= {prompted.open, prompted.close}
        return part in tags

    @property
    def prompted(self) -> str:
        """What the prompt has behind what opens the turn."""
        at = self.prompt.rfind(self.turn_open)
        return self.prompt[at + len(self.turn_open) :] if at >= 0 else ""

    def _find_reasoning(self) -> Tags | None:
        """The tags around reasoning, from a message or from what the prompt opens and closes."""
        if self.reasoned is None:
            return self._prompted_reasoning()
        before, _, rest = self.reasoned.partition(REASON)
        before = before[before.index(USER) + len(USER) :]
        plain = self.plain[self.plain.index(USER) + len(USER) :]
        shared = whole_tags(common_prefix(before, plain))
        opened = before[len(shared) :].strip()
        if not opened:
            implicit = plain[len(shared) :].lstrip().startswith(CONTENT)
            opened = self.prompted.strip() if implicit else last_tag(before.rstrip())
        close = rest[: rest.index(CONTENT)].strip()
        if len(TAG.findall(close)) > 1:
            close = first_tag(close)
        return Tags(opened, close) if opened and close else self._prompted_reasoning()

    def _prompted_reasoning(self) -> Tags | None:
        """The tags of reasoning, from the prompts with and without thinking."""
        try:
            thinking, without = (
                self._prompt({"enable_thinking": on, "thinking": on}).rsplit(USER, 1)[-1].rstrip()
                for on in (True, False)
            )
        except UnsupportedError:
            return None
        if thinking == without:
            return None
        opened, closed = last_tag(thinking), last_tag(without)
        if without.startswith(thinking):
            rest = without[len(thinking) :].strip()
            if rest != closed:
                opened = rest[: -len(closed)].strip() if closed else ""
        elif thinking.startswith(without) or closed.replace("/", "") != opened:
            return None
        return Tags(opened, closed) if opened and closed else None

    @property
    def between(self) -> str:
        """What stands between reasoning and content, behind the tag that closes reasoning."""
        if self.reasoned is None or self.reasoning is None:
            return ""
        rest = self.reasoned.partition(REASON)[2]
        rest = rest[: rest.index(CONTENT)]
        return rest.partition(self.reasoning.close)[2]

    def _turn_close(self) -> str:
        """What stands behind content and behind calls alike, and nowhere in the turn."""
        behind = self.plain[self.plain.index(CONTENT) + len(CONTENT) :]
        calls = self.one[self.one.index(VALUES[0]) :]
        turn = self.one[self.one.index(USER) + len(USER) :]
        turn = turn[turn.find(self.turn_open) + len(self.turn_open) : turn.index(VALUES[0])]
        tags = [tag for tag in TAG.findall(behind) if tag not in turn]
        for tag in tags:
            if tag in calls:
                return str(tag)
        shared = common_suffix(behind, calls).strip()
        if TAG.match(shared) or (shared and not TAG.search(behind)):
            return shared
        return str(tags[0]) if tags else "<EOS>"

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
            text = self.output(self.calls({KEYS[0]: VALUES[0]}, {KEYS[1]: VALUES[1]}))
        except UnsupportedError:
            return None
        return text if NAMES[1] in text else None

    def with_arguments(self, arguments: dict[str, Any]) -> str:
        """The turn with one call with these arguments."""
        return self.output(self.calls(arguments))

    def around_content(self) -> tuple[str, str]:
        """What the turn has before content and behind it."""
        text = self.output(self.plain)
        before, _, behind = text.partition(CONTENT)
        return before, behind

    def dropped(self) -> tuple[str, ...]:
        """Tags around content alone, or between reasoning and what follows."""
        before, behind = self.around_content()
        tags = [*TAG.findall(before), first_tag(behind.strip()), *TAG.findall(self.between)]
        if self.turn_open in self.between:
            tags.append(self.turn_open)
        known = (self.reasoning.open, self.reasoning.close) if self.reasoning else ()
        return tuple(
            tag for tag in dict.fromkeys(tags) if tag and not any(tag in one for one in known)
        )

    def dropped_with_calls(self) -> tuple[str, ...]:
        """Tags around content that only a message with calls has, as Llama 4's template does.

        A tag before content is no call's, and then neither is the one behind the content.
        """
        try:
            text = self.output(self.calls({KEYS[0]: VALUES[0]}, content=CONTENT))
        except UnsupportedError:
            return ()
        before, found, behind = text.partition(CONTENT)
        opened = last_tag(before.rstrip())
        known = self.reasoning.close if self.reasoning else ""
        if not found or not opened or opened in (known, *TAG.findall(self.plain)):
            return ()
        closed = first_tag(behind.lstrip())
        return (opened, closed) if closed else (opened,)


def common_prefix(one: str, other: str) -> str:
    """What both texts begin with."""
    size = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        size += 1
    return one[:size]


def common_suffix(one: str, other: str) -> str:
    """What both texts end with."""
    return common_prefix(one[::-1], other[::-1])[::-1]


def whole_tags(text: str) -> str:
    """A text without the beginning of a tag at its end."""
    return text[: text.rfind("<")] if text.rfind("<") > text.rfind(">") else text


def last_tag(text: str) -> str:
    """The tag that a text ends with, and letters behind it."""
    found = re.search(r"[<\[][^<>\[\]\s][^<>\[\]]*[>\]](?:[a-z]+)?$", text)
    return found[0] if found else ""


def first_tag(text: str) -> str:
    """The tag that a text begins with."""
    found = re.match(r"[<\[][^<>\[\]\s][^<>\[\]]*[>\]]", text)
    return found[0] if found else ""
