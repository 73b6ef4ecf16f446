"""What the limits of chat templates cost: rendering with them, and in a copy without.

    python benchmarks/limits_cost.py [TEMPLATE_DIR] [--rounds N] [--same]

The copy of textcore.chat and its compiled parts is made in a temporary directory under another
name, with a budget that is compiled to charge nothing, and without what is there for the limits
alone: operators, loops, comparisons, filters, tests and methods are Jinja's and Python's own.
``--same`` leaves the limits in the copy, which shows how far the measurement can be trusted.

Each round is a process of its own, with hashes of its own. Both render the conversation of
test_chat.py in turns there, on processor time, and each pair of neighbouring turns gives a ratio.
A template's ratio is the median of the rounds' medians.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = "textcore_unlimited"
COMPILED = ("budget", "following", "quickfilters", "rendering", "templatevars", "written")
TURNS = 40
# A turn takes at least so many seconds.
TURN = 0.004
# The bodies of the budget's methods, in a copy that has no limits.
BODIES = {
    "budget.pxd": {
        "cdef inline int spend(": "return 0",
        "cdef inline int produce(": "return 0",
        "cdef inline int produce_items(": "return 0",
        "cdef inline Py_ssize_t weigh_text(": "return 0",
        "cdef inline Py_ssize_t weigh_item(": "return 0",
    },
    "budget.pyx": {
        "def charge(": "return None",
        "def reserve(": "return None",
        "def reserve_items(": "return None",
        "def charge_layout(": "return None",
        "def charge_sorting(": "return None",
        "def check_bits(": "return value",
        "cdef Py_ssize_t weigh(": "return 0",
        "cdef int count_nodes(": "return 0",
        "cdef object small(": "return value",
    },
}
# What our code generator writes for the limits alone.
VISITORS = ("Compare", "For", "Dict", "Add", "Sub", "Mul", "Div", "FloorDiv", "Pow", "Mod")


def without_charges(folder: Path) -> None:
    """Make the budget's methods do nothing."""
    for name, bodies in BODIES.items():
        path = folder / COPY / "core" / name
        source = path.read_text(encoding="utf-8")
        for start, body in bodies.items():
            head = r"(    " + re.escape(start) + r"[^:]*?\)(?: except -1)?:\n)"
            source, count = re.subn(head, rf"\1        {body}\n", source, flags=re.S)
            if count != 1:
                raise ValueError(f"{name} has no {start!r} of the form that this script knows")
        path.write_text(source, encoding="utf-8")


def make_copy(folder: Path, limited: bool) -> None:
    """A copy of what renders chat templates, under a name of its own."""
    package = folder / COPY
    sources = [ROOT / "textcore" / "errors.py", *(ROOT / "textcore" / "chat").glob("*.py")]
    for name in COMPILED:
        sources += (ROOT / "textcore" / "core").glob(f"{name}.p[yx][xd]")
    for source in sources:
        text = source.read_text(encoding="utf-8")
        target = package / source.relative_to(ROOT / "textcore")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(re.sub(r"\btextcore\b", COPY, text), encoding="utf-8")
    for name in ("", "core", "chat"):
        (package / name / "__init__.py").touch()
    if not limited:
        without_charges(folder)
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    setup = re.sub(r"\btextcore\b", COPY, setup)
    (folder / "setup.py").write_text(setup, encoding="utf-8")
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def drop_guards() -> None:
    """Take away from the copy what only charges, before its environment is made."""
    import jinja2.filters
    import jinja2.tests
    from jinja2.compiler import CodeGenerator

    checks, compiler, filters, methods = (
        importlib.import_module(f"{COPY}.chat.{name}")
        for name in ("checks", "compiler", "filters", "methods")
    )
    filters.FILTERS.update(jinja2.filters.FILTERS)

    def to_json(value, *args, **kwargs):
        if args or (kwargs and kwargs != {"ensure_ascii": False}):
            return filters.to_json(value, *args, **kwargs)
        return filters.encode_json(value)

    filters.FILTERS["tojson"] = to_json
    checks.TESTS.update(jinja2.tests.TESTS)
    for table in methods.GUARDS.values():
        for name in table:
            if name not in ("format", "format_map"):
                table[name] = None
    for name in VISITORS:
        visit = f"visit_{name}"
        setattr(compiler.ChatCodeGenerator, visit, getattr(CodeGenerator, visit))


def measure(directory: str | None, same: bool) -> None:
    """Print the microseconds of one rendering of each template, and the ratio, as JSON."""
    sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "scripts")]
    if not same:
        drop_guards()
    from test_chat import accepted, templates

    from textcore import Tokenizer
    from textcore.chat.prompts import ChatPrompts
    from textcore.data import DEFAULT_DIR

    spec = json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))
    copied = importlib.import_module(f"{COPY}.chat.prompts").ChatPrompts
    found = {}
    for name, template in templates(Path(directory) if directory else None):
        config = {"bos_token": "<s>", "eos_token": "</s>", "chat_template": template}
        messages, tools = accepted(Tokenizer(spec, config))
        limited, unlimited = ChatPrompts(config).render, copied(config).render
        if limited(messages, tools) != unlimited(messages, tools):
            raise ValueError(f"{name}: the copy renders another prompt")
        found[name] = race(
            partial(limited, messages, tools),
            partial(unlimited, messages, tools),
        )
    print(json.dumps(found))


def race(ours: Callable[[], str], other: Callable[[], str]) -> tuple[float, float, float]:
    """The microseconds of one call of each, and the ratio: medians of many turns."""
    calls = 1
    while timed(ours, calls) < TURN:
        calls *= 2
    timed(other, calls)
    pairs = []
    for turn in range(TURNS):
        # Who goes first changes, as the second may find the caches warmer.
        if turn % 2:
            pairs.append((timed(ours, calls), timed(other, calls)))
        else:
            pairs.append((timed(other, calls), timed(ours, calls))[::-1])
    first, second = zip(*pairs, strict=True)
    ratio = statistics.median(a / b for a, b in pairs)
    each = 1e6 / calls
    return statistics.median(first) * each, statistics.median(second) * each, ratio


def timed(call: Callable[[], str], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        call()
    return time.process_time() - start


def run(folder: str, directory: str | None, same: bool) -> dict[str, list[float]]:
    """One round, in a process of its own."""
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {folder!r}, {str(ROOT / 'benchmarks')!r}]\n"
        f"import limits_cost; limits_cost.measure({directory!r}, {same!r})\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("templates", nargs="?", help="a folder of *.jinja to render, besides ours")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--same", action="store_true", help="leave the limits in the copy")
    options = parser.parse_args()
    directory = str(Path(options.templates).resolve()) if options.templates else None
    with tempfile.TemporaryDirectory() as folder:
        make_copy(Path(folder), options.same)
        rounds = [run(folder, directory, options.same) for _ in range(options.rounds)]
    medians = []
    print("  limited   without  ratio   (lowest, highest round)  (microseconds)")
    for name in rounds[0]:
        ours, other, ratios = zip(*(each[name] for each in rounds), strict=True)
        median = statistics.median(ratios)
        medians.append(median)
        times = f"{statistics.median(ours):9.1f} {statistics.median(other):9.1f}"
        print(f"{times} {median:6.3f}   ({min(ratios):.3f}, {max(ratios):.3f})  {name}")
    print(f"median of the ratios {statistics.median(medians):.3f}, largest {max(medians):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
