"""Bar charts as SVG, without a library: readable on a light page and on a dark one.

A chart brings its own background, which follows the reader's colour scheme.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from benchmarks.tables import libraries, mean, number
from benchmarks.timing import OURS, Comparison

WIDTH = 760
# What is longer than so many times the middle one of all bars is cut off.
LONGEST = 8
LABELS = 128  # room for the libraries' names
VALUES = 150  # and for what is written behind a bar
BAR, GAP, GROUP, MARGIN, TOP = 13, 4, 30, 16, 62

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.page { fill: #ffffff; stroke: #d1d9e0 }
.gap { fill: #ffffff }
.title { font-size: 15px; font-weight: 600 }
.group { font-weight: 600 }
.faint { fill: #59636e }
.ours { fill: #0969da }
.peer { fill: #8c959f }
.wrong { fill: none; stroke: #8c959f; stroke-dasharray: 3 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .page { fill: #0d1117; stroke: #3d444d }
  .gap { fill: #0d1117 }
  .faint { fill: #9198a1 }
  .ours { fill: #4493f8 }
  .peer { fill: #656c76 }
  .wrong { stroke: #9198a1 }
}
"""


@dataclass(frozen=True)
class Bar:
    """A library in a group: the mean of its results, and what is to be said of them."""

    name: str
    value: float
    note: str


def groups_of(comparisons: list[Comparison]) -> dict[str, list[Bar]]:
    """For each tokenizer, a bar for each library that could do all of its texts."""
    found: dict[str, list[Bar]] = {}
    for tokenizer in dict.fromkeys(one.tokenizer for one in comparisons):
        mine = [one for one in comparisons if one.tokenizer == tokenizer]
        bars = (_bar(name, mine) for name in libraries(mine))
        found[tokenizer] = [bar for bar in bars if bar is not None]
    return found


def _bar(name: str, comparisons: list[Comparison]) -> Bar | None:
    values = [one.shown(name) for one in comparisons if name in one.outcomes]
    known = [value for value in values if value]
    if not known or len(known) < len(comparisons):
        return None
    wrong = sum(bool(one.outcomes[name].problem) for one in comparisons)
    note = f"wrong in {wrong} of {len(known)} texts" if wrong and len(known) > 1 else ""
    return Bar(name, mean(known), note or ("wrong" if wrong else ""))


def bar_chart(title: str, subtitle: str, unit: str, groups: dict[str, list[Bar]]) -> str:
    """The chart of some groups of bars, all on one scale."""
    values = [bar.value for bars in groups.values() for bar in bars] or [1.0]
    lines = list(_groups(groups, unit, min(max(values), LONGEST * statistics.median(values))))
    height = TOP + len(groups) * GROUP + len(values) * (BAR + GAP) + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
            f'<text class="title" x="{MARGIN}" y="28">{escape(title)}</text>',
            f'<text class="faint" x="{MARGIN}" y="47">{escape(subtitle)}</text>',
            *lines,
            "</svg>",
            "",
        ]
    )


def _groups(groups: dict[str, list[Bar]], unit: str, longest: float) -> Iterator[str]:
    room = WIDTH - LABELS - VALUES - 2 * MARGIN
    y = TOP
    for name, bars in groups.items():
        yield f'<text class="group" x="{MARGIN}" y="{y + 18}">{escape(name)}</text>'
        y += GROUP
        for bar in bars:
            yield from _drawn(bar, y, unit, max(1.0, room * bar.value / longest), room)
            y += BAR + GAP


def _drawn(bar: Bar, y: int, unit: str, length: float, room: float) -> Iterator[str]:
    """A bar with its name and number; a gap in it where it is cut off."""
    cut = length > room
    length = min(length, room)
    ours = bar.name.startswith(OURS)
    kind = "wrong" if bar.note else "ours" if ours else "peer"
    left, middle = MARGIN + LABELS, y + BAR - 2.5
    shown = f"{number(bar.value)} {unit}" + (f", {bar.note}" if bar.note else "")
    gap = (
        f'<path class="gap" d="M{left + length - 24:.1f} {y + BAR + 1}l5 -{BAR + 2}h5'
        f'l-5 {BAR + 2}z"/>'
        if cut
        else ""
    )
    weight = ' font-weight="600"' if ours else ""
    yield (
        f'<text x="{left - 8}" y="{middle}" text-anchor="end"{weight}>{escape(bar.name)}</text>'
        f'<rect class="{kind}" x="{left}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>'
        f"{gap}"
        f'<text class="{"" if ours else "faint"}" x="{left + length + 6:.1f}" y="{middle}"'
        f"{weight}>{escape(shown)}</text>"
    )
