"""Curves as SVG: what a job costs for each unit of its size, as it grows.

Both axes are logarithmic. Work in proportion to the size is a level line, n log n one that
hardly rises, and n squared one as steep as the picture is high.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape

from benchmarks.charts import MARGIN, STYLE, WIDTH
from benchmarks.tables import mean, number
from benchmarks.timing import OURS, Comparison, is_ours

LEFT, RIGHT, TOP, HEIGHT, BELOW = 70, 120, 62, 210, 62
LABEL = 13

CURVES = """
.curve { fill: none; stroke: #8c959f; stroke-width: 1.5 }
.curve.mine { stroke: #0969da; stroke-width: 2.5 }
.curve.astray { stroke-dasharray: 4 3 }
.grid { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  .curve { stroke: #656c76 }
  .curve.mine { stroke: #4493f8 }
  .grid { stroke: #3d444d }
}
"""


@dataclass(frozen=True)
class Curve:
    """A library's cost for each unit, in nanoseconds, by size; ``wrong``: it is no exact peer."""

    name: str
    points: tuple[tuple[float, float], ...]
    wrong: bool


def curves_of(comparisons: list[Comparison]) -> dict[str, list[Curve]]:
    """A panel for each kind, where texts are called "kind, 1,000 characters".

    A point is the geometric mean over the tokenizers with which a library could do it.
    """
    panels: dict[str, dict[str, dict[int, list[float]]]] = {}
    wrong: set[tuple[str, str]] = set()
    for one in comparisons:
        kind, _, rest = one.text.partition(", ")
        size = int(rest.split()[0].replace(",", ""))
        for name, outcome in one.outcomes.items():
            if outcome.cost:
                points = panels.setdefault(kind, {}).setdefault(name, {})
                points.setdefault(size, []).append(outcome.cost / size * 1e9)
                if outcome.problem:
                    wrong.add((kind, name))
    return {
        kind: [
            Curve(
                name,
                tuple((size, mean(found)) for size, found in sorted(points.items())),
                (kind, name) in wrong,
            )
            for name, points in sorted(libraries.items(), key=lambda item: is_ours(item[0]))
        ]
        for kind, libraries in panels.items()
    }


def curve_chart(title: str, subtitle: str, panels: dict[str, list[Curve]]) -> str:
    """One picture, a panel for each kind below the other, all on the same scales."""
    points = [point for curves in panels.values() for one in curves for point in one.points]
    across = _ends(point[0] for point in points)
    up = _ends(point[1] for point in points)
    height = TOP + len(panels) * (HEIGHT + BELOW)
    lines = [
        line
        for index, (kind, curves) in enumerate(panels.items())
        for line in _panel(kind, curves, TOP + index * (HEIGHT + BELOW) + 24, across, up)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}{CURVES}</style>",
            f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
            f'<text class="title" x="{MARGIN}" y="28">{escape(title)}</text>',
            f'<text class="faint" x="{MARGIN}" y="47">{escape(subtitle)}</text>',
            *lines,
            "</svg>",
            "",
        ]
    )


def _ends(values: Iterable[float]) -> tuple[int, int]:
    """The powers of ten between which all values lie."""
    logarithms = [math.log10(value) for value in values]
    low, high = math.floor(min(logarithms)), math.ceil(max(logarithms))
    return low, max(high, low + 1)


def _panel(
    kind: str, curves: list[Curve], top: int, across: tuple[int, int], up: tuple[int, int]
) -> Iterator[str]:
    wide = WIDTH - LEFT - RIGHT

    def x(size: float) -> float:
        return LEFT + wide * (math.log10(size) - across[0]) / (across[1] - across[0])

    def y(cost: float) -> float:
        return top + HEIGHT * (up[1] - math.log10(cost)) / (up[1] - up[0])

    yield f'<text class="group" x="{MARGIN}" y="{top - 10}">{escape(kind)}</text>'
    for power in range(up[0], up[1] + 1):
        level = y(10**power)
        yield f'<path class="grid" d="M{LEFT} {level:.1f}h{wide}"/>'
        yield (
            f'<text class="faint" x="{LEFT - 8}" y="{level + 4:.1f}" text-anchor="end">'
            f"{number(10**power)} ns</text>"
        )
    for power in range(across[0], across[1] + 1):
        yield (
            f'<text class="faint" x="{x(10**power):.1f}" y="{top + HEIGHT + 18}" '
            f'text-anchor="middle">{10**power:,}</text>'
        )
    for curve in curves:
        way = "L".join(f"{x(size):.1f} {y(cost):.1f}" for size, cost in curve.points)
        kinds = "curve" + " mine" * is_ours(curve.name) + " astray" * curve.wrong
        yield f'<path class="{kinds}" d="M{way}"/>'
    yield from _labels(curves, x, y)


def _labels(
    curves: list[Curve], x: Callable[[float], float], y: Callable[[float], float]
) -> Iterator[str]:
    """Names at the curves' ends, moved apart where they would cover each other."""
    ends = sorted(curves, key=lambda curve: y(curve.points[-1][1]))
    places: list[float] = []
    for curve in ends:
        wanted = y(curve.points[-1][1]) + 4
        places.append(max(wanted, places[-1] + LABEL) if places else wanted)
    for curve, place in zip(ends, places, strict=True):
        weight = ' font-weight="600"' if curve.name == OURS else ' class="faint"'
        mark = ", wrong" if curve.wrong else ""
        at = x(curve.points[-1][0]) + 8
        yield f'<text x="{at:.1f}" y="{place:.1f}"{weight}>{escape(curve.name + mark)}</text>'
