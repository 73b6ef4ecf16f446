"""Results as tables: in plain text at the end of a run, in Markdown in the report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import pytest

from benchmarks.timing import OURS, REFERENCE, Comparison, is_ours

RESULTS = pytest.StashKey[list[Comparison]]()
NOTHING = "–"


def by_concern(results: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    """The comparisons of each concern, by tokenizer and text, in the order of first appearance.

    A run takes them in another order, so that each tokenizer is loaded only once.
    """
    results = list(results)
    found: dict[str, list[Comparison]] = {one.concern: [] for one in results}
    tokenizers = list(dict.fromkeys(one.tokenizer for one in results))
    texts = list(dict.fromkeys(one.text for one in results))
    for one in sorted(
        results, key=lambda one: (tokenizers.index(one.tokenizer), texts.index(one.text))
    ):
        found[one.concern].append(one)
    return found


def libraries(comparisons: Iterable[Comparison]) -> list[str]:
    """Who has results, textcore and its variants first."""
    names = dict.fromkeys(
        name
        for one in comparisons
        for name, outcome in one.outcomes.items()
        if outcome.cost is not None
    )
    return sorted(names, key=lambda name: not is_ours(name))


def number(value: float) -> str:
    """Three significant digits, none of them after a point where that needs no exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def cell(comparison: Comparison, name: str) -> str:
    """A library's result; crossed where it is that of a wrong one."""
    if name not in comparison.outcomes:
        return ""
    value = comparison.shown(name)
    if value is None:
        return NOTHING
    problem = comparison.outcomes[name].problem
    return f"{number(value)} ✗" if problem else number(value)


def ratio(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


def mean(values: Iterable[float]) -> float:
    """The geometric mean, as is right for ratios."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def ratio_columns(comparisons: list[Comparison]) -> list[tuple[str, list[float | None]]]:
    """The columns of ratios: of each of ours to the fastest exact peer, and to the reference."""
    names = libraries(comparisons)
    columns = []
    for ours in (name for name in names if is_ours(name)):
        label = "/ fastest" if ours == OURS else f"{ours.removeprefix(OURS + ', ')} / fastest"
        found = [
            one.ratio(fastest, ours) if (fastest := one.fastest_peer()) is not None else None
            for one in comparisons
        ]
        columns.append((label, found))
    if REFERENCE in names:
        columns.append((f"/ {REFERENCE}", [one.ratio(REFERENCE) for one in comparisons]))
    return [column for column in columns if any(value is not None for value in column[1])]


def rows(comparisons: list[Comparison]) -> list[list[str]]:
    """A table's heading and rows."""
    names = libraries(comparisons)
    ratios = ratio_columns(comparisons)
    table = [["tokenizer", "text", *names, *(label for label, _ in ratios)]]
    for index, one in enumerate(comparisons):
        cells = [cell(one, name) for name in names]
        table.append(
            [one.tokenizer, one.text, *cells, *(ratio(values[index]) for _, values in ratios)]
        )
    return table


def notes(comparisons: list[Comparison]) -> list[str]:
    """Why a result is missing or crossed, the same reasons taken together."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in comparisons:
        for name, outcome in one.outcomes.items():
            if outcome.problem:
                wrong = outcome.cost is not None
                reason = "other results than the reference" if wrong else outcome.problem
                detail = outcome.problem.removeprefix("wrong ").removeprefix("wrong")
                text = f"{one.text} ({detail})" if wrong and detail else one.text if wrong else ""
                where = f"{one.tokenizer}: {text}" if text else one.tokenizer
                found.setdefault((name, reason), []).append(where)
    return [
        f"{name}: {reason} ({'; '.join(_grouped(dict.fromkeys(places)))})"
        for (name, reason), places in found.items()
    ]


def _grouped(places: Iterable[str]) -> Iterator[str]:
    """``a: x``, ``a: y`` as ``a: x, y``."""
    grouped: dict[str, list[str]] = {}
    for place in places:
        tokenizer, _, text = place.partition(": ")
        grouped.setdefault(tokenizer, []).extend([text] if text else [])
    for tokenizer, texts in grouped.items():
        yield f"{tokenizer}: {', '.join(texts)}" if texts else tokenizer


def text_table(results: list[Comparison]) -> Iterator[str]:
    """Everything that was measured, for a terminal."""
    for concern, comparisons in by_concern(results).items():
        yield ""
        yield f"{concern} ({comparisons[0].unit})"
        table = rows(comparisons)
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for row in table:
            left, right = row[:2], row[2:]
            cells = [text.ljust(width) for text, width in zip(left, widths, strict=False)]
            cells += [text.rjust(width) for text, width in zip(right, widths[2:], strict=True)]
            yield "  ".join(cells).rstrip()
        yield from (f"✗ – {note}" for note in notes(comparisons))


def markdown_table(table: list[list[str]]) -> Iterator[str]:
    """A heading and rows in Markdown; all columns but the first two are of numbers."""
    heading, *body = [[text.replace("|", "\\|") for text in row] for row in table]
    yield f"| {' | '.join(heading)} |"
    yield f"| {' | '.join(['---', '---', *['---:'] * (len(heading) - 2)])} |"
    for row in body:
        yield f"| {' | '.join(row)} |"
