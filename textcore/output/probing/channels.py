"""Formats whose messages have headers, inferred from rendered probes.

A turn is messages in a row, each with a header: what opens the turn, words that say what the
message is, and a tag that all headers end with. Where the words stand and in which order, and
what the tags are, the renderings say.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from textcore.errors import SpecError
from textcore.output.formats.declaration import NAME as DECLARED_NAME
from textcore.output.formats.declaration import (
    Body,
    Channels,
    JsonArguments,
    OutputFormat,
    TaggedParameters,
    Tags,
)
from textcore.output.probing.probes import (
    CONTENT,
    KEYS,
    NAMES,
    REASON,
    VALUES,
    Probe,
    common_suffix,
    first_tag,
    last_tag,
)
from textcore.output.probing.spellings import spellings

NAME = r"(?P<name>[\w.-]+)"
NEVER = r"(?!)"


def channels(probe: Probe) -> Iterator[OutputFormat]:
    """The declarations of messages with headers that the probes can be read by."""
    headers = _Headers(probe)
    if not headers.found:
        return
    for loose in (True, False):
        try:
            yield headers.declaration(loose)
        except (SpecError, re.error):
            continue


class _Headers:
    """The headers of content, of a call and of reasoning, and what ends the bodies."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self.found = False
        opened = _opening(probe)
        plain = probe.plain[probe.plain.index("USER ASKS") + 9 :]
        one = probe.one[probe.one.index("USER ASKS") + 9 :]
        content = _behind(plain[: plain.index(CONTENT)], opened)
        if content is None:
            return
        self.body: Body = JsonArguments()
        start = one.find("{", one.find(NAMES[0]))
        end = one.rfind("}") + 1
        if start < 0 or KEYS[0] not in one[start:] or VALUES[0] not in one:
            tagged = _tagged_body(probe, one, last_tag(content.rstrip()))
            if tagged is None:
                return
            start, end, self.body = tagged
        call = _behind(one[:start], opened)
        if call is None or NAMES[0] not in call:
            return
        message = common_suffix(content, call)
        tag = last_tag(message.rstrip())
        message = tag or ("\n" if message.endswith("\n") else "")
        if not message or not content.rstrip().endswith(message.rstrip()):
            return
        self.opened, self.message = opened, message
        self.content = _header(content, message)
        self.call = _header(call, message)
        self.reasoning: str | None = None
        ends = [_end(plain[plain.index(CONTENT) + len(CONTENT) :], opened)]
        ends.append(_end(one[end:], opened))
        reasoned = probe.reasoned
        if reasoned is not None:
            before, _, behind = reasoned.partition(REASON)
            header = _behind(before[before.index("USER ASKS") + 9 :], opened)
            if header is not None and header.rstrip().endswith(message.rstrip()):
                self.reasoning = _header(header, message)
                ends.append(_end(behind, opened))
        self.ends = tuple(dict.fromkeys(end for end in ends if end and end != "<EOS>"))
        self.found = NAMES[0] in self.call and self.call != self.content

    def declaration(self, loose: bool) -> OutputFormat:
        """The format; ``loose`` patterns look for what tells the headers apart anywhere."""
        firsts = [text for text in (self.content, self.call, self.reasoning) if text is not None]
        begins = dict.fromkeys([self.opened, *(_first(text) for text in firsts)])
        optional = rf"^(?:{re.escape(self.opened)})?\s*"
        before, _, behind = self.call.partition(NAMES[0])
        others = [
            optional + re.escape(text.strip()) + r"\s*$"
            for text in (self.content, self.reasoning)
            if text is not None
        ]
        content, reasoning = others[0], others[1] if len(others) > 1 else NEVER
        call = optional + re.escape(before.strip()) + r"\s*" + NAME + re.escape(behind.strip())
        if loose:
            content = _word(self.content, self.reasoning, self.call)
            reasoning = _word(self.reasoning, self.content, self.call)
            others = [content, reasoning]
            # A call's words without its recipient, as in a remark before calls.
            theirs = {*re.findall(r"\w+", before), *re.findall(r"\w+", self.reasoning or "")}
            words = [word for word in re.findall(r"\w+", behind) if word not in theirs]
            content = "|".join([content, *(rf"\b{re.escape(word)}\b" for word in words)])
            marker = re.split(r"[\s>|]", before.rstrip())[-1]
            if marker:
                call = rf"(?:^|[\s>|]){re.escape(marker)}\s*{NAME}"
        if not marked(call, self.content, self.reasoning):
            call = rf"^(?!.*(?:{'|'.join(others)})).*?{call.removeprefix('^')}"
        return OutputFormat(
            name="inferred",
            aliases=(),
            source="the chat template",
            reasoning=None,
            call=Tags("", ""),
            body=self.body,
            formatting="",
            turn=Tags(self.opened, "<EOS>"),
            channels=Channels(
                begins=tuple(begins),
                message=self.message,
                ends=self.ends,
                call=call,
                reasoning=reasoning,
                content=content,
            ),
        )


def _tagged_body(probe: Probe, one: str, message: str) -> tuple[int, int, Body] | None:
    """Tagged parameters behind a header, between tags that name the function again."""
    item = next((item for item in spellings(probe, one) if _is_tagged(item.body)), None)
    if item is None or not message or not isinstance(item.body, TaggedParameters):
        return None
    start = one.find(message, one.find(NAMES[0])) + len(message)
    again = one.find(NAMES[0], start)
    value = one.find(item.body.value_close, one.find(VALUES[0]))
    if again < 0 or value < 0:
        return None
    behind = one[value + len(item.body.value_close) :]
    close = behind[: len(behind) - len(behind.lstrip())]
    rest = behind.lstrip()
    while tag := first_tag(rest.lstrip()):
        if not tag.startswith("</"):
            break
        at = rest.index(tag) + len(tag)
        close, rest = close + rest[:at], rest[at:]
    before = r"\s*".join(re.escape(part) for part in one[start:again].split("\n"))
    after = one[again + len(NAMES[0]) : one.find(item.body.parameter, again)]
    body = dataclasses.replace(
        item.body,
        name=rf"\s*{before}{DECLARED_NAME}",
        name_ends=(after.strip(),),
        close=close.strip(),
    )
    return start, one.find(close.strip(), value) + len(close.strip()), body


def _is_tagged(body: Body) -> bool:
    return isinstance(body, TaggedParameters)


def marked(call: str, *headers: str | None) -> bool:
    """Whether a call's pattern is found in no other header."""
    return not any(header is not None and re.search(call, header) for header in headers)


def _opening(probe: Probe) -> str:
    """What opens each message of the assistant: the end of the prompt."""
    prompt = probe.prompt[probe.prompt.index("USER ASKS") + 9 :]
    at = prompt.rfind(probe.turn_open)
    return prompt[at:].rstrip() if at >= 0 else probe.turn_open


def _behind(text: str, opened: str) -> str | None:
    """What stands behind the last opening in a text."""
    at = text.rfind(opened)
    return text[at + len(opened) :] if at >= 0 else None


def _header(text: str, message: str) -> str:
    return text[: text.rstrip().rfind(message.rstrip())] if message.strip() else text.rstrip()


def _end(text: str, opened: str) -> str:
    """The tag that ends a body."""
    end = first_tag(text.lstrip())
    return "" if end and opened.startswith(end) else end


def _first(header: str) -> str:
    """What a header begins with, enough to know it by."""
    tag = first_tag(header)
    if tag:
        return tag
    found = re.match(r"\s*[^\s<\[]*?[=:]|\s*[^\s<\[]+", header)
    return found[0] if found and NAMES[0] not in found[0] else header[:1]


def _word(header: str | None, *others: str | None) -> str:
    """A pattern of the words that only this header has."""
    if header is None:
        return NEVER
    theirs = {word for other in others if other for word in re.findall(r"\w+", other)}
    words = [word for word in re.findall(r"\w+", header) if word not in theirs]
    if not words:
        return rf"^{re.escape(header.strip())}\s*$" if header.strip() else r"^\s*$"
    return r".*".join(rf"\b{re.escape(word)}\b" for word in words)
