"""Run all suites once and write docs/benchmarks.md, its charts beside it.

python -m benchmarks.report [--tokenizer DIR …] [--corpus FILE …] [--quick] [--output FILE]
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import machine
from benchmarks.charts import bar_chart, groups_of
from benchmarks.corpora import ALL_DOCUMENTS, DOCUMENT_CHARACTERS, DOCUMENTS
from benchmarks.curves import curve_chart, curves_of
from benchmarks.peers import PEERS
from benchmarks.tables import (
    RESULTS,
    by_concern,
    markdown_table,
    mean,
    notes,
    ratio_columns,
    rows,
)
from benchmarks.timing import ROUNDS, SLOW, TURN, Comparison, fewer

FOLDER = Path(__file__).resolve().parent
OUTPUT = FOLDER.parent / "docs" / "benchmarks.md"

# In the order of the page: a concern, and what is said of it.
CONCERNS = {
    "encode, warm": "To lists of ids, one document a call, words seen before.",
    "encode to numpy, warm": "To arrays, one document a call, words seen before.",
    "encode, cold": "To lists, the first half of a text with a tokenizer that was just loaded.",
    "encode, unseen": "To lists, the other half, with that tokenizer.",
    "encode, other vector instructions": (
        "As the first table, with textcore kept from using AVX-512, and any vectors."
    ),
    "encode, short": "To lists, one short string a call.",
    "a growing conversation": (
        "To a list, four prompts of 100,000 characters in turn, each after a new turn of 1,000; "
        "textcore's prompt cache is on here. The mean of 16 calls."
    ),
    "a growing conversation to numpy": "The same, to an array.",
    "encode a batch": "To lists, all documents in one call on all processors; wall time.",
    "encode a batch to numpy": "To flat arrays, in one call on all processors; wall time.",
    "count, warm": "How many ids, one document a call.",
    "whole encodings": "Ids, offsets and words, one document a call, all of them read.",
    "decode": "From ids to text in one call.",
    "stream, one id a call": "From ids to text, as while a model generates.",
    "load": "From a file to a tokenizer that is ready; processor time, all threads.",
    "a long word": "One word without a place to split it at, met for the first time, to a list.",
    "memory, loaded": "Resident memory that a loaded tokenizer adds, in a process of its own.",
    "memory, words": "Resident memory added by text in which every word is new.",
    "chat, rendered with reasoning": "A conversation to its prompt's text.",
    "chat, rendered without reasoning": "The same with reasoning switched off.",
    "chat, rendered and encoded": "A conversation to its prompt's ids.",
    "chat, sanitized, beside textcore's ordinary path": (
        "To ids, with text that can't become control tokens: 0.9 is 1.11 times the time."
    ),
    "chat, template compiled": "From a template's source to what renders it.",
    "output parsed, one delta": "A model's text, four characters a delta, to messages.",
    "Unigram": "As the first table, a Unigram model.",
    "WordPiece": "As the first table, a WordPiece model.",
}
CHARTS = (
    "encode, warm",
    "encode, cold",
    "encode, unseen",
    "encode a batch",
    "decode",
    "stream, one id a call",
    "load",
)
# Concerns whose chart shows costs as they grow.
CURVES = ("a long word",)
WORDS = {
    "MB/s": "megabytes of UTF-8 text a second; longer is faster",
    "µs": "microseconds a call; shorter is faster",
    "ms": "milliseconds; shorter is faster",
    "MB": "megabytes",
}


class Collector:
    """Takes what a run of pytest has measured."""

    results: list[Comparison]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.results = session.config.stash.get(RESULTS, [])


def run(arguments: argparse.Namespace) -> tuple[int, list[Comparison]]:
    """All suites: pytest's exit code and the results."""
    command = [str(FOLDER), "--benchmark-quiet", "-p", "no:cacheprovider"]
    for option in ("tokenizer", "corpus", "peer"):
        command += [f"--{option}={value}" for value in getattr(arguments, option)]
    command += ["--quick"] * arguments.quick
    collector = Collector()
    code = pytest.main(command, plugins=[collector])
    return int(code), getattr(collector, "results", [])


def slug(concern: str) -> str:
    """A heading's anchor, and a chart's file."""
    return "-".join("".join(c for c in concern if c.isalnum() or c == " ").split())


def introduction(about: dict[str, Any]) -> Iterator[str]:
    yield from (
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks.report`, from one run; don't edit it by hand.",
        "",
        f"- date: {about['date']}, {about['minutes']:.0f} minutes",
        f"- machine: {about['machine']}; load average {about['load']} when the run began",
        f"- versions: {', '.join(f'{name} {v}' for name, v in about['versions'].items())}",
        f"- tokenizers: {about['tokenizers']}",
        f"- texts: {about['corpora']}",
        "",
        "## How it is measured",
        "",
        f"A text is cut into documents of {DOCUMENT_CHARACTERS:,} characters, of which "
        f"{DOCUMENTS} are taken evenly from all of it ({ALL_DOCUMENTS} for first passes). All "
        "libraries run in one process and in turns: each round lets every one of them do the job "
        f"again and again for {TURN * 1000:g} ms (once, where it has to be the first time), on "
        "one thread where nothing else is said. What counts is the processor time of the process "
        f"(wall time for batches), the median of {ROUNDS} rounds ({fewer(ROUNDS)} for loading, "
        "first passes and long words); ratios are ratios of medians. A peer that takes more than "
        f"{SLOW:g} times as long as the fastest one is timed in one round only.",
        "",
        "A peer is called as its own documentation would have it, without a wrapper around each "
        "call. *Warm* means that words have been met before. No library remembers whole texts: "
        "caches of texts or segments are off in every library that has one.",
        "",
        "Each library's results are compared with the reference's in the same run: `tokenizers` "
        "for ids and text, `transformers` for chat templates and output. **✗** marks a library "
        "that gives other results on that text: its speed is shown, but it is no peer to be "
        "measured against. – marks what a library can't do. The reasons are below each table. "
        "textcore's results have to be the same, or there is no report.",
        "",
        "*/ fastest* is how many times as fast as the fastest exact peer textcore is (above 1: "
        "textcore is faster, or takes less memory), */ tokenizers* the same for the reference.",
        "",
    )


def summary(grouped: dict[str, list[Comparison]]) -> Iterator[str]:
    """For each concern, the ratios of all of its rows taken together."""
    yield "## In short"
    yield ""
    table = [["what", "fastest exact peers", "ratio: mean", "least", "greatest", "/ tokenizers"]]
    for concern, comparisons in grouped.items():
        columns = dict(ratio_columns(comparisons))
        found = [value for value in columns.get("/ fastest", []) if value is not None]
        if not found:
            continue
        peers = dict.fromkeys(filter(None, (one.fastest_peer() for one in comparisons)))
        known = [value for value in columns.get("/ tokenizers", []) if value is not None]
        numbers = [mean(found), min(found), max(found), *([mean(known)] if known else [])]
        cells = [f"{value:.2f}" for value in numbers] + ["–"] * (4 - len(numbers))
        table.append([f"[{concern}](#{slug(concern).lower()})", ", ".join(peers), *cells])
    yield from markdown_table(table)
    yield ""


def section(concern: str, comparisons: list[Comparison], charts: str) -> Iterator[str]:
    unit = comparisons[0].unit
    yield f"## {concern}"
    yield ""
    yield f"{CONCERNS.get(concern, '')} In {WORDS[unit]}.".strip()
    yield ""
    if concern in (*CHARTS, *CURVES):
        shown = WORDS[unit] if concern in CHARTS else "nanoseconds a character, by length"
        yield f"![{concern}: {shown}]({charts}/{slug(concern)}.svg)"
        yield ""
    yield from markdown_table(rows(comparisons))
    yield ""
    for note in notes(comparisons):
        yield f"- {note}"
    yield ""


def chart(concern: str, comparisons: list[Comparison]) -> str:
    """The chart of a concern: a group for each tokenizer, means over the texts; or curves."""
    unit = comparisons[0].unit
    if concern in CURVES:
        subtitle = "nanoseconds a character by the number of characters; lower is faster"
        return curve_chart(concern.capitalize(), subtitle, curves_of(comparisons))
    groups = groups_of(comparisons)
    texts = dict.fromkeys(one.text for one in comparisons)
    over = f"; geometric mean over {', '.join(texts)}" if len(comparisons) > len(groups) else ""
    subtitle = WORDS[unit] + over
    return bar_chart(concern.capitalize(), subtitle, unit, groups)


def write(output: Path, results: list[Comparison], about: dict[str, Any]) -> None:
    """The page, and its charts in the folder beside it that has its name."""
    measured = by_concern(results)
    known = [concern for concern in CONCERNS if concern in measured]
    grouped = {concern: measured[concern] for concern in [*known, *measured]}
    charts = output.parent / output.stem
    charts.mkdir(parents=True, exist_ok=True)
    lines = [*introduction(about), *summary(grouped)]
    for concern, comparisons in grouped.items():
        lines += section(concern, comparisons, charts.name)
        if concern in (*CHARTS, *CURVES):
            svg = chart(concern, comparisons)
            (charts / f"{slug(concern)}.svg").write_text(svg, encoding="utf-8")
    output.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description="Run all suites and write a report."
    )
    for option, what, help in (
        ("tokenizer", "DIR", "folders with a tokenizer.json, or of such folders"),
        ("corpus", "FILE", "files of UTF-8 text"),
        ("peer", "NAME", "libraries to compare with, besides the reference (default: all)"),
    ):
        parser.add_argument(
            f"--{option}", nargs="+", action="extend", default=[], metavar=what, help=help
        )
    parser.add_argument("--quick", action="store_true", help="little text, once: only to try it")
    parser.add_argument("--output", type=Path, help="default: docs/benchmarks.md")
    options = parser.parse_args(arguments)
    if options.output is None and options.quick:
        parser.error("--quick needs an --output: it is no measurement to publish")
    load, start = machine.load(), time.monotonic()
    code, results = run(options)
    if code:
        print("no report: a suite failed", file=sys.stderr)
        return code
    named = [one for one in results if one.concern == "encode, warm"]
    about = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "minutes": (time.monotonic() - start) / 60,
        "machine": machine.machine(),
        "load": load,
        "versions": machine.versions(
            [*(peer.distribution for peer in PEERS), "transformers", "numpy"]
        ),
        "tokenizers": ", ".join(dict.fromkeys(one.tokenizer for one in named)),
        "corpora": ", ".join(dict.fromkeys(one.text for one in named)),
    }
    write(options.output or OUTPUT, results, about)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
