"""Hostile output for every format, at full size: time has to be linear in the text.

    python scripts/check_hostile_outputs.py [--family NAME ...] [--scale 1.0] [--calls N]

For every family: an argument of 10 MB, a number of 100,000 digits, nesting 100,000 deep and a
million tiny calls, each in one piece and in pieces of 64 characters. A tenth of the same is
parsed first; what costs more than three times as much a character (and more than a tenth of a
second) is no longer linear, which is a problem, as is a call that does not come out complete.
Then 200 KB of each of the family's markers, and of their beginnings, alone and within an
argument: whatever comes of that, in linear time. Exits with 0 only if something was parsed and
there was no problem.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from textcore.output.formats import FORMATS, NestedElements, OutputFormat, TaggedParameters
from textcore.output.parser import OutputParser

SPELLED = Path(__file__).resolve().parent.parent / "tests" / "output" / "spelled.py"
PIECE = 64
NUMBER = 123454321
# What a tenth of the text may cost, relative to the whole of it, for each character.
WORST = 3.0
NOISE = 0.1


def spelling() -> Any:
    """The suite's module that writes calls in any declared format."""
    spec = importlib.util.spec_from_file_location("spelled", SPELLED)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.spelled


def hostile(
    spelled: Any, form: OutputFormat, scale: float, calls: int
) -> Iterator[tuple[str, str, int]]:
    """Outputs by name, and how many calls they make."""
    yield "10 MB", spelled(form, [("f", {"a": "word " * int(2_000_000 * scale)})]), 1
    digits = "7" * int(100_000 * scale)
    yield "digits", spelled(form, [("f", {"a": NUMBER})]).replace(str(NUMBER), digits), 1
    nested = spelled(form, [("f", {"a": [NUMBER]})])
    levels = int(100_000 * scale)
    opened, closed, inner = "[", "]", f"[{NUMBER}]"
    if isinstance(form.body, NestedElements):
        opened, closed = (f"{form.body.mark}<{end}item>" for end in ("", "/"))
        inner = f"{opened}{NUMBER}{closed}"
    yield "nesting", nested.replace(inner, opened * levels + closed * levels), 1
    count = int(calls * scale)
    yield "calls", spelled(form, [("f", {"a": "b"})] * count), count


def lookalikes(spelled: Any, form: OutputFormat, scale: float) -> Iterator[tuple[str, str]]:
    """Outputs of nothing but markers, by what they consist of."""
    whole = spelled(form, [("f", {"a": "VALUE"}), ("g", {})])
    before, _, behind = whole.partition("VALUE")
    size = int(200_000 * scale)
    tags = {tag for way in form.readings for tag in (*way.openers, *way.strays, *way.followers)}
    body = form.body
    if isinstance(body, TaggedParameters):
        tags |= {body.parameter, body.value_close, f"{body.parameter}b{body.key_ends[0][0]}"}
        tags |= {body.value_close + " " * 50, f"\n{body.close}\n", body.value_open}
    tags |= {before, behind, before + "x", whole[: len(whole) // 2], "{", '{"', "[", ',"'}
    for tag in sorted(tags - {""}):
        many = tag * (size // len(tag))
        yield f"{tag[:40]!r} repeated", many
        yield f"{tag[:40]!r} in an argument", before + many + behind
        yield f"{tag[:40]!r} in an unclosed argument", before + many


def parse(form: OutputFormat, text: str, piece: int) -> tuple[float, int]:
    """The seconds that it takes, and the calls that come out complete."""
    parser = OutputParser(True, True, format=form, stream_arguments=True)
    began = time.process_time()
    for at in range(0, len(text), piece):
        parser.feed(text[at : at + piece])
    parser.feed("", final=True)
    return time.process_time() - began, parser.calls - len(parser.incomplete)


def check(spelled: Any, form: OutputFormat, scale: float, calls: int) -> list[str]:
    """Print a family's row; return its problems."""
    problems = []
    row = []
    tenths = {name: text for name, text, _ in hostile(spelled, form, scale / 10, calls)}
    for name, text, count in hostile(spelled, form, scale, calls):
        costs = []
        for piece in (len(text), PIECE):
            small, _ = parse(form, tenths[name], min(piece, len(tenths[name])))
            took, found = parse(form, text, piece)
            costs.append(f"{took:.2f}")
            if found != count:
                problems.append(f"{name}: {found} calls of {count}")
            growth = took / len(text) / max(small / len(tenths[name]), 1e-12)
            if growth > WORST and took > NOISE:
                problems.append(f"{name}: {growth:.1f} times as much a character")
        row.append(f"{name} {'/'.join(costs)} s")
    slowest = 0.0
    small_texts = dict(lookalikes(spelled, form, scale / 10))
    for name, text in lookalikes(spelled, form, scale):
        for piece in (len(text), PIECE):
            small, _ = parse(form, small_texts[name], min(piece, len(small_texts[name])))
            took, _ = parse(form, text, piece)
            slowest = max(slowest, took)
            growth = took / len(text) / max(small / len(small_texts[name]), 1e-12)
            if growth > WORST and took > NOISE:
                problems.append(f"{name}: {growth:.1f} times as much a character")
    row.append(f"markers {slowest:.2f} s at most")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{form.name:18} {', '.join(row)}; {peak} MB at most so far", *problems, flush=True)
    return problems


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--calls", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    spelled = spelling()
    forms = [form for form in FORMATS if not options.family or form.name in options.family]
    problems = []
    for form in forms:
        problems += check(spelled, form, options.scale, options.calls)
    print(f"{len(forms)} families, {len(problems)} problems")
    return 0 if forms and not problems else 1


if __name__ == "__main__":
    sys.exit(main())
