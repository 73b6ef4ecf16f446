"""A format's declaration, inferred from how a chat template renders probes.

The probes are words that no template has. Where they stand in the renderings, and what is
the same in two renderings that differ in one word, says what the markers are. Nothing here is
certain: what is inferred counts only once messages rendered by the template come back.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from textcore.errors import SpecError, UnsupportedError
from textcore.output.bodies.named import RAW_PYTHON
from textcore.output.formats.declaration import (
    JsonObject,
    NamedValue,
    OutputFormat,
    Section,
    Tags,
)
from textcore.output.probing.channels import channels
from textcore.output.probing.conversations import VARIABLES
from textcore.output.probing.probes import (
    CONTENT,
    KEYS,
    NAMES,
    VALUES,
    Probe,
    common_prefix,
    common_suffix,
    whole_tags,
)
from textcore.output.probing.spellings import Item, spellings


def infer(template: str, variables: dict[str, Any]) -> OutputFormat:
    """The likeliest format of a template's calls and reasoning.

    Raises:
        UnsupportedError: the template renders no calls, or none that can be read.
    """
    return next(inferences(template, variables))


def inferences(template: str, variables: dict[str, Any]) -> Iterator[OutputFormat]:
    """The formats that the renderings may be in, the likeliest first.

    Raises:
        UnsupportedError: the template renders no calls, or none that can be read.
    """
    probe = Probe(template, variables)
    found = False
    problem = ""
    for form in channels(probe):
        found = True
        yield from refined(form)
    one = probe.output(probe.one)
    for item in spellings(probe, one):
        try:
            form = _format(probe, one, item)
        except (SpecError, UnsupportedError) as error:
            problem = problem or f"no format can be inferred: {error}"
            continue
        found = True
        yield from refined(form, probe, template)
    if not found:
        raise UnsupportedError(
            "chat_template", problem or "calls are spelled in no way that is known"
        )


def _format(probe: Probe, one: str, item: Item) -> OutputFormat:
    """The declaration around one spelling of a call."""
    dropped = (*probe.dropped(), *probe.dropped_with_calls())
    call_tags, section, bare, more = _around(probe, one, item, dropped)
    openers = [call_tags.open, section.open if section else ""]
    return OutputFormat(
        name="inferred",
        aliases=(),
        source="the chat template",
        reasoning=probe.reasoning,
        call=call_tags,
        body=item.body,
        formatting=_layout(probe, openers),
        turn=Tags(probe.turn_open, probe.turn_close),
        section=section,
        dropped=tuple(tag for tag in dict.fromkeys((*dropped, *more)) if tag not in openers),
        bare=bare,
    )


def _layout(probe: Probe, openers: list[str]) -> str:
    """The whitespace that stands next to tags."""
    reasoning = probe.reasoning
    openers = [opener for opener in openers if opener]
    tags = [*openers, *((reasoning.open, reasoning.close) if reasoning else ())]
    texts = [probe.one]
    try:
        texts.append(probe.calls({}, content=CONTENT))
        texts.append(probe.rendered({"content": CONTENT, "reasoning_content": "thoughts"}))
    except UnsupportedError:
        pass
    newlines = any("\n" + tag in text or tag + "\n" in text for tag in tags for text in texts)
    spaces = any(" " + opener in text for opener in openers for text in texts)
    return " " * spaces + "\n" * newlines


def _around(
    probe: Probe, text: str, item: Item, dropped: tuple[str, ...]
) -> tuple[Tags, Section | None, bool, tuple[str, ...]]:
    """The tags of a call, the section around all, whether calls need no tag, and what to drop."""
    before, behind = text[: item.start].strip(), text[item.end :].strip()
    if probe.reasoning and probe.reasoning.close in before:
        before = before.partition(probe.reasoning.close)[2].lstrip()
    for tag in dropped:
        before = before.removeprefix(tag).lstrip()
    two = probe.two()
    if two is None:
        section = None if before else Section(open="", separator=";")
        return Tags(before, behind), section, not before, ()
    first_end = two.find(text[item.start : item.end]) + item.end - item.start
    second = two.find(NAMES[1]) - (text.find(NAMES[0]) - item.start)
    between = two[first_end:second].strip()
    if item.body == NamedValue(separators=('":',)) or before.endswith("["):
        keyed = behind.startswith("}") and before.endswith('{"')
        return *_listed(before, behind, Tags('{"', "}") if keyed else Tags("", "")), ()
    close = whole_tags(common_prefix(between, behind)).strip()
    opened = common_suffix(between[len(close) :], before).strip()
    outer = before[: len(before) - len(opened)].strip()
    end = behind[len(close) :].strip()
    if not end:
        # Some templates close the section only behind a second call.
        last = two[second + item.end - item.start :].strip()
        end = last[len(close) :].strip() if last.startswith(close) else ""
    if not outer:
        section = None if close and opened else Section(open="")
        if not opened and not close:
            section = Section(open="", separator=between)
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


def refined(
    form: OutputFormat, probe: Probe | None = None, template: str = ""
) -> Iterator[OutputFormat]:
    """Readings of a declaration that the probes could not tell apart, the likeliest first."""
    yield form
    if form.section is not None and form.section.open and form.call.open:
        yield dataclasses.replace(form, section=dataclasses.replace(form.section, optional=True))
    if form.formatting:
        yield dataclasses.replace(form, formatting="")
    if probe is None:
        return
    readings = [form]
    body = form.body
    if isinstance(body, NamedValue) and body.value == "python":
        raw = dataclasses.replace(form, body=dataclasses.replace(body, value=RAW_PYTHON))
        readings.append(raw)
        yield raw
    for reading in list(readings):
        if form.bare:
            inline = dataclasses.replace(reading, inline=_inline(probe, reading))
            readings.append(inline)
            yield inline
    pad = _widest_pad(template, form)
    if pad.open or pad.close:
        for reading in readings:
            layout = "".join(sorted({*reading.formatting, *pad.close}))
            yield dataclasses.replace(reading, pad=pad, formatting=layout)
            if layout != reading.formatting:
                yield dataclasses.replace(reading, pad=pad, formatting=pad.close[:1])


def _inline(probe: Probe, form: OutputFormat) -> tuple[str, ...]:
    """What begins a call that needs no tag, behind content."""
    section = form.section
    if not isinstance(form.body, JsonObject):
        return (section.begin,) if section and section.begin else ()
    text = probe.calls({KEYS[0]: VALUES[0]}, content=CONTENT)
    if CONTENT not in text:
        return ()
    start = text.find("[" if section and section.begin else "{", text.index(CONTENT))
    name = text.find(json.dumps(NAMES[0]), start)
    return (text[start:name].rstrip(),) if 0 <= start < name else ()


def _widest_pad(template: str, form: OutputFormat) -> Tags:
    """What stands around content in any of the settings of thinking."""
    pads = [Tags("", "")]
    for variables in VARIABLES:
        try:
            pads.append(_pad(Probe(template, variables), form))
        except UnsupportedError:
            continue
    return Tags(
        *(max((getattr(pad, side) for pad in pads), key=len) for side in ("open", "close"))
    )


def _pad(probe: Probe, form: OutputFormat) -> Tags:
    """What stands around content and is no tag."""
    before, behind = probe.around_content()
    shared = common_prefix(before, probe.prompted)
    if not shared.strip():
        before = before[len(shared) :]
    tags = [*form.openers_of_reasoning, *form.closers_of_reasoning, *form.dropped]
    if any(tag in before for tag in tags):
        before = ""
    if any(tag in behind for tag in tags):
        behind = ""
    return Tags(before, behind if behind.isspace() else "")
