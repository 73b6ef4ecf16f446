"""Write docs/formats.md: the table of output formats, from their declarations.

    python scripts/make_format_docs.py [--check]

Examples and what they were rendered by come from the suite's texts (tests/output/wire_texts.py).
``--check`` writes nothing and exits with 1 where docs/formats.md is out of date.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from textcore.output.formats import (
    FORMATS,
    Calls,
    JsonArguments,
    JsonObject,
    NamedValue,
    NestedElements,
    OutputFormat,
)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "formats.md"
TEXTS = ROOT / "tests" / "output" / "wire_texts.py"
RENDERED_BY = "rendered by the chat template of "

INTRODUCTION = """\
# The output formats

One row a family, as servers name them; the aliases are further names for the same format. The
page is made from the declarations in `textcore/output/formats/` by
`scripts/make_format_docs.py`.

- **Early**: whether a call is announced with its name, before its arguments are complete, if
  `stream_arguments` does not say.
- **Forced**: how `tool_choice` can be made certain ([forcing](forcing.md)): by the regex of
  `tool_call_pattern` where a call's markers are ordinary text, by the grammar of
  `tool_call_grammar` everywhere. Where they are control tokens, a regex can't name them, and
  the grammar needs the model's tokenizer.
- **Round trip**: the templates whose renderings, parsed, are the messages that they were
  rendered from. Where there are none, the example is published text.
"""


def texts() -> list[Any]:
    """The suite's texts of every family."""
    spec = importlib.util.spec_from_file_location("wire_texts", TEXTS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [*module.RENDERED, *module.PUBLISHED]


def code(text: str) -> str:
    """A text as it stands, as Markdown's code."""
    if not text:
        return "none"
    shown = text.replace("\n", "\\n")
    fence = "``" if "`" in shown else "`"
    return f"{fence}{' ' * (len(fence) - 1)}{shown}{' ' * (len(fence) - 1)}{fence}"


def spelling(form: OutputFormat | Calls) -> str:
    """How a call says its name and its arguments."""
    body = form.body
    if isinstance(body, JsonObject):
        keys = " or ".join(code(key) for key in body.arguments)
        return f"a JSON object: the name in {code(body.name)}, the arguments in {keys}"
    if isinstance(body, JsonArguments):
        return "the header names the function; the body is a JSON object"
    if isinstance(body, NamedValue):
        kind = {"json": "a JSON object", "python": "keyword arguments of a Python call"}.get(
            body.value, f"an object with bare keys and strings between {code(body.value)}"
        )
        ends = " or ".join(code(end) for end in body.separators)
        return f"the name, {ends}, and {kind}"
    if isinstance(body, NestedElements):
        return (
            f"the name, {code(body.name_end)}, and elements, each tag behind {code(body.mark)};"
            f" {code(body.close)}"
        )
    return (
        f"the name; parameters from {code(body.parameter)} to {code(body.value_close)};"
        f" {code(body.close)}"
    )


def around(tags: Any) -> str:
    """Two tags and what stands between them."""
    return f"{code(tags.open)} … {code(tags.close)}"


def around_calls(form: OutputFormat | Calls) -> Iterable[str]:
    """The lines on what stands around calls."""
    section = form.section
    if section and (section.open or section.begin):
        edges = f"{code(section.open + section.begin)} … {code(section.end + section.close)}"
        between = f", {code(section.separator)} between" if section.separator else ""
        missing = " (may be missing)" if section.optional else ""
        yield f"Around all calls: {edges}{between}{missing}."
    if form.call.open or form.call.close:
        yield f"Around a call: {around(form.call)}."


def markers(form: OutputFormat) -> Iterable[str]:
    """The lines on a format's markers."""
    if form.channels:
        channels = form.channels
        ends = ", ".join(map(code, channels.ends))
        yield f"Messages: a header, {code(channels.message)}, a body, and one of {ends}."
    if form.reasoning:
        yield f"Reasoning: {', or '.join(around(tags) for tags in form.reasonings)}."
        if form.openless:
            begun = ", ".join(map(code, form.openless))
            yield f"Reasoning whose opening tag is missing may begin the output with {begun}."
        if form.call_ends_reasoning:
            yield "A call ends reasoning that is still open."
    yield from around_calls(form)
    if form.bare:
        yield "At the start of the output, calls need no tag."
    if form.inline:
        begun = ", ".join(map(code, form.inline))
        yield f"In the middle of content, a call without its tag may begin with {begun}."
    yield f"A call: {spelling(form)}."
    for way in form.other_calls:
        yield f"Or {spelling(way)}."
        yield from around_calls(way)
    for way in form.fallbacks:
        yield f"If it is none such: {spelling(way)}."
    if form.unlisted:
        ends = " or ".join(code(end) for end in form.unlisted.separators)
        yield f"Or a single call outside a list: the name, {ends}, and a JSON object."
    if form.dropped:
        yield f"Left out of content: {', '.join(map(code, form.dropped))}."


def forced(form: OutputFormat) -> str:
    """How calls in a format are made certain."""
    if form.control:
        return "by a grammar, its control tokens by id"
    return "by a regex, or by a grammar"


def section_of(form: OutputFormat, wires: Sequence[Any]) -> str:
    """A format's part of the page."""
    mine = [wire for wire in wires if wire.format == form.name]
    sources = dict.fromkeys(
        wire.source.removeprefix(RENDERED_BY)
        for wire in mine
        if wire.source.startswith(RENDERED_BY)
    )
    lines = [f"## {form.name}", ""]
    if form.aliases:
        lines += [f"Aliases: {', '.join(map(code, form.aliases))}.", ""]
    lines += [f"- {line}" for line in markers(form)]
    lines.append(f"- Early: {'yes' if form.early else 'no'}.")
    lines.append(f"- Forced: {forced(form)}.")
    lines.append(f"- Round trip: {', '.join(sources) or 'none'}.")
    lines.append(f"- Source: {form.source}.")
    calls = sorted((wire for wire in mine if wire.calls), key=lambda wire: len(wire.text))
    if calls:
        example = calls[0]
        source = example.source.replace(RENDERED_BY, "")
        lines += ["", f"An example, from {source}:", "", "~~~text", example.text, "~~~"]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    wires = texts()
    return (
        "\n\n".join([INTRODUCTION.strip(), *(section_of(form, wires) for form in FORMATS)]) + "\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    made = page()
    if parser.parse_args(arguments).check:
        return int(not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != made)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
