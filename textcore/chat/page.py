"""A prompt as one HTML page: its tokens as coloured spans, and what was found about it.

The page loads and runs nothing: styles are inside, there is no script, and its policy forbids
both. Everything that comes from a prompt is escaped; characters that would not be seen, or that
would turn others around, are shown as code points.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from textcore.chat.diagnostics import Finding
from textcore.chat.segments import Segment, code_point, ids_of, is_hidden, visible

HUES = 4
"""How many background colours alternate."""

# Each pair of text and background has a contrast of at least 7 to 1.
LIGHT = {
    "ink": "#1a1a1a",
    "paper": "#ffffff",
    "t0": "#dbeafe",
    "t1": "#dcfce7",
    "t2": "#fef3c7",
    "t3": "#fce7f3",
    "control-ink": "#ffffff",
    "control": "#5b21b6",
    "warning": "#ffe4d6",
}
DARK = {
    "ink": "#f0f0f0",
    "paper": "#121212",
    "t0": "#1e3a5f",
    "t1": "#14432a",
    "t2": "#4d3b06",
    "t3": "#55213f",
    "control-ink": "#121212",
    "control": "#c4b5fd",
    "warning": "#5c2612",
}

_STYLE = """
:root { color-scheme: light dark; %(light)s }
@media (prefers-color-scheme: dark) { :root { %(dark)s } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
.prompt, .ids { font: 0.9rem/1.9 ui-monospace, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.t { border-radius: 0.2rem; padding: 0.15rem 0; }
%(hues)s
.control { background: var(--control); color: var(--control-ink); font-weight: bold; }
.nl::before { content: "\\21b5"; opacity: 0.7; }
.hidden { outline: 1px solid; }
.hidden::before { content: attr(data-is); font-size: 0.75em; font-style: normal; }
.warnings { padding: 0; list-style: none; }
.warnings li { margin: 0.5rem 0; padding: 0.5rem 0.75rem; border-radius: 0.3rem;
  background: var(--warning); overflow-wrap: anywhere; }
.warnings code { white-space: pre-wrap; }
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(plain_title)s</title>
<style>%(style)s</style>
</head>
<body>
<h1>%(title)s</h1>
<p>%(summary)s</p>
%(findings)s
<div class="prompt">%(tokens)s</div>
%(ids)s
</body>
</html>
"""


def prompt_page(
    title: str, segments: Sequence[Segment], findings: Sequence[Finding], show_ids: bool = False
) -> str:
    """The page (to be written as UTF-8) of a prompt's segments and the warnings about it.

    Each token is a ``span`` whose title names its ids; with ``show_ids``, the ids also stand
    below the prompt.
    """
    ids = ids_of(segments)
    control = sum(segment.is_control for segment in segments)
    listed = " ".join(map(str, ids))
    return _PAGE % {
        "plain_title": html.escape(visible(title)),
        "title": "".join(_escaped(title)),
        "style": _style(),
        "summary": f"{len(ids)} tokens, {control} of them control tokens",
        "findings": _findings(findings),
        "tokens": "".join(_spans(segments)),
        "ids": f'<h2>Ids</h2>\n<div class="ids">{listed}</div>' if show_ids else "",
    }


def _style() -> str:
    def variables(colours: dict[str, str]) -> str:
        return " ".join(f"--{name}: {colour};" for name, colour in colours.items())

    hues = "\n".join(f".t{i} {{ background: var(--t{i}); }}" for i in range(HUES))
    return _STYLE % {"light": variables(LIGHT), "dark": variables(DARK), "hues": hues}


def _spans(segments: Iterable[Segment]) -> Iterator[str]:
    number = 0
    for segment in segments:
        text = "".join(_escaped(segment.text))
        if not segment.ids:
            yield text  # left out by the tokenizer: without a colour
            continue
        kind = "control" if segment.is_control else f"t{number % HUES}"
        number += not segment.is_control
        ids = ", ".join(map(str, segment.ids))
        yield f'<span class="t {kind}" title="{ids}">{text}</span>'


def _escaped(text: str) -> Iterator[str]:
    """A text's characters as HTML, with marks for what would not be seen."""
    for character in text:
        if character == "\n":
            yield '<i class="nl"></i>\n'
        elif is_hidden(character):
            yield f'<i class="hidden" data-is="{code_point(character)}"></i>'
        else:
            yield html.escape(character)


def _findings(findings: Sequence[Finding]) -> str:
    items = []
    for finding in findings:
        code, message, evidence = ("".join(_escaped(text)) for text in finding)
        items.append(f"<li><strong>{code}</strong>: {message}<br><code>{evidence}</code></li>")
    return f'<ul class="warnings">\n{"".join(items)}\n</ul>' if items else ""
