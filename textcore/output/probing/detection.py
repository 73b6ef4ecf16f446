"""From a chat template to the format that its messages come back in."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from textcore.errors import TextcoreError, UnsupportedError
from textcore.output.formats import FORMATS, OutputFormat
from textcore.output.formats.layout import UNKNOWN
from textcore.output.probing.conversations import (
    VARIABLES,
    NotRendered,
    call,
    generation_prompt,
    render,
)
from textcore.output.probing.inference import inferences
from textcore.output.probing.roundtrip import difference, generated, messages


class Detection(NamedTuple):
    """What was found of a template's format.

    Attributes:
        format: the declaration. Of the ways in which a known format writes calls, the one that
            the template writes is the first, which is the one that can be forced.
        known: the name of a known format that reads the template's messages, too, or None.
        came_back: how many rendered messages were parsed to what they were made of.
        refused: how many messages the template would not render.
        unknown: parts of a message that the template does not render, so that nothing is
            known of how the model writes them: any of "reasoning", "content" and "calls".
    """

    format: OutputFormat
    known: str | None
    came_back: int
    refused: int
    unknown: frozenset[str]

    @property
    def certainty(self) -> float:
        """The share of a message's parts that have been seen to come back, from 0 to 1."""
        return round((3 - len(self.unknown)) / 3, 2)


@lru_cache(maxsize=64)
def detect(template: str) -> Detection:
    """Find the format of a chat template, by nothing but its renderings.

    Raises:
        UnsupportedError: no format was found in which everything that the template renders comes
            back; the message says what did not.
        TextcoreError: the template is malformed.
    """
    problems: list[str] = []
    inferred: Detection | None = None
    for variables in (VARIABLES[1], VARIABLES[0], VARIABLES[2]):
        if inferred is not None:
            break
        try:
            for candidate in inferences(template, variables):
                try:
                    inferred = _verified(template, candidate)
                    break
                except UnsupportedError as error:
                    problems.append(error.problem)
        except UnsupportedError as error:
            problems.append(error.problem)
    for known, tried in _tries((*FORMATS, *_adapted(inferred))):
        try:
            found = _verified(template, tried)
        except UnsupportedError:
            continue
        if inferred is None or len(found.unknown) <= len(inferred.unknown):
            return found._replace(known=known.name, format=as_written(template, known))
    if inferred is None:
        raise UnsupportedError(
            "chat_template", f"no output format was found: {problems[0] if problems else ''}"
        )
    return inferred._replace(format=dataclasses.replace(inferred.format, layout=UNKNOWN))


def _tries(formats: tuple[OutputFormat, ...]) -> Iterator[tuple[OutputFormat, OutputFormat]]:
    """Formats, and each as it is to be tried: first without what it reads besides what it writes.

    Or a format that also reads another's calls would be found for the other's template.
    """
    for known in formats:
        yield known, dataclasses.replace(known, fallbacks=())
    for known in formats:
        if known.fallbacks:
            yield known, known


def _adapted(inferred: Detection | None) -> Iterator[OutputFormat]:
    """The known formats with the inferred one's markers, in turns as the template has them."""
    if inferred is None:
        return
    found = inferred.format
    alike = sorted(
        FORMATS,
        key=lambda known: (
            type(known.body) is not type(found.body),
            known.turn.open != found.turn.open,
        ),
    )
    for known in alike:
        if known.bare == found.bare and set(found.openers) <= set(known.openers):
            dropped = dict.fromkeys((*known.dropped, *found.dropped))
            yield dataclasses.replace(
                known,
                turn=found.turn,
                pad=found.pad,
                dropped=tuple(tag for tag in dropped if tag not in known.openers),
            )


def as_written(template: str, form: OutputFormat) -> OutputFormat:
    """A known format with the way first in which the template writes calls."""
    if not form.other_calls:
        return form
    message = {"role": "assistant", "content": "", "tool_calls": [call("go_on", {})]}
    for variables in VARIABLES:
        try:
            begun = generation_prompt(template, variables)
            output = generated(render(template, message, variables), begun, form)[1]
        except NotRendered:
            continue
        written = [way for way in form.ways if any(tag in output for tag in way.openers)]
        if not written or written[0] == form.ways[0]:
            return form
        first = written[0]
        return dataclasses.replace(
            form,
            call=first.call,
            body=first.body,
            section=first.section,
            other_calls=tuple(way for way in form.ways if way != first),
            layout=UNKNOWN,
        )
    return form


def _verified(template: str, form: OutputFormat) -> Detection:
    """What comes back of the messages, if all that is rendered does."""
    came_back = refused = calls = 0
    unknown = {"reasoning", "content", "calls"}
    refusal = ""
    for variables in VARIABLES:
        try:
            prompt = generation_prompt(template, variables)
        except NotRendered as error:
            refusal = str(error)
            continue
        if form.turn.open not in prompt:
            raise UnsupportedError("chat_template", "another way to begin the assistant's turn")
        for name, message in messages():
            try:
                problem, lost = difference(template, form, message, variables, quick=True)
            except NotRendered:
                refused += 1
                continue
            except TextcoreError as error:
                raise UnsupportedError("chat_template", str(error)) from None
            if problem:
                raise UnsupportedError("chat_template", f"{name}: {problem[:500]}")
            came_back += 1
            parts = {
                "reasoning": message.get("reasoning_content"),
                "content": message.get("content"),
                "calls": message.get("tool_calls"),
            }
            for part, value in parts.items():
                if value and not any(one.startswith(part) for one in lost):
                    unknown.discard(part)
                    calls += part == "calls"
    if not calls:
        raise UnsupportedError("chat_template", refusal or "calls are not rendered")
    return Detection(form, None, came_back, refused, frozenset(unknown))
