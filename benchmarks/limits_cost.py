"""What the limits of chat templates cost: rendering with them, and in a copy without.

    python benchmarks/limits_cost.py [TEMPLATE_DIR] [--rounds N]

The copy of the package is made in a temporary directory, with a budget that is compiled to
charge nothing, and without what is there for the limits alone: the guards of filters, tests and
methods, and the charging of loops and comparisons. Both render the conversation of test_chat.py in
processes of their own, in turns; times are of the processor, and each is the least of all rounds.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = 200
# The bodies of the budget's methods, in a copy that has no limits.
BODIES = {
    "cdef int spend(": "return 0",
    "cdef int produce(": "return 0",
    "cdef int produce_items(": "return 0",
    "def charge(": "return None",
    "def reserve(": "return None",
    "def reserve_items(": "return None",
    "def check_bits(": "return value",
    "cdef Py_ssize_t weigh(": "return 0",
    "cdef int count_nodes(": "return 0",
    "cdef object small(": "return value",
}


def without_charges(source: str) -> str:
    """The source of budget.pyx with methods that do nothing."""
    for start, body in BODIES.items():
        pattern = re.compile(r"(    " + re.escape(start) + r"[^:]*?\)(?: except -1)?:\n)", re.S)
        source, count = pattern.subn(rf"\1        {body}\n", source)
        if count != 1:
            raise ValueError(f"budget.pyx has no {start!r} of the form that this script knows")
    return source


def unlimited_copy(folder: Path) -> None:
    """A copy of the package without limits."""
    shutil.copytree(ROOT / "textcore", folder / "textcore")
    shutil.copy(ROOT / "setup.py", folder)
    budget = folder / "textcore" / "core" / "budget.pyx"
    budget.write_text(without_charges(budget.read_text()))
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def drop_guards() -> None:
    """Take away what only charges, before the environment is made."""
    import jinja2.filters
    import jinja2.tests
    from jinja2.compiler import CodeGenerator

    from textcore.chat import checks, compiler, filters, methods

    own = {name: filters.FILTERS[name] for name in ("tojson", "string", "join", "list", "int")}
    filters.FILTERS.update({**jinja2.filters.FILTERS, **own})
    checks.TESTS.update(jinja2.tests.TESTS)
    for table in methods.GUARDS.values():
        for name in table:
            if name not in ("format", "format_map"):
                table[name] = None
    generator = compiler.ChatCodeGenerator
    for name in ("visit_Compare", "visit_For", "visit_Dict"):
        setattr(generator, name, getattr(CodeGenerator, name))


def measure(names: list[str]) -> None:
    """Print the microseconds of one rendering of each template, as JSON."""
    sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "scripts")]
    import time

    from test_chat import accepted, templates

    from textcore import Tokenizer
    from textcore.chat.prompts import ChatPrompts
    from textcore.data import DEFAULT_DIR

    spec = json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))
    found = {}
    for name, template in templates(Path(names[0]) if names else None):
        config = {"bos_token": "<s>", "eos_token": "</s>", "chat_template": template}
        messages, tools = accepted(Tokenizer(spec, config))
        prompts = ChatPrompts(config)
        prompts.render(messages, tools)
        start = time.process_time()
        for _ in range(CALLS):
            prompts.render(messages, tools)
        found[name] = (time.process_time() - start) / CALLS * 1e6
    print(json.dumps(found))


def run(folder: Path, *arguments: str) -> dict[str, float]:
    code = (
        f"import sys; sys.path[:0] = [{str(folder)!r}, {str(ROOT / 'benchmarks')!r}]\n"
        "import limits_cost, textcore\n"
        f"assert textcore.__file__.startswith({str(folder)!r})\n"
        f"{'limits_cost.drop_guards()' if folder != ROOT else ''}\n"
        f"limits_cost.measure({list(arguments)!r})\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def least(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(each[name] for each in rounds) for name in rounds[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("templates", nargs="?", help="a folder of *.jinja to render, besides ours")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    arguments = [str(Path(options.templates).resolve())] if options.templates else []
    with tempfile.TemporaryDirectory() as folder:
        unlimited_copy(Path(folder))
        limited, unlimited = [], []
        for _ in range(options.rounds):
            limited.append(run(ROOT, *arguments))
            unlimited.append(run(Path(folder), *arguments))
    ratios = []
    print(f"{'limited':>9} {'without':>9} {'ratio':>6}  (microseconds)")
    for name, time in least(limited).items():
        without = least(unlimited)[name]
        ratios.append(time / without)
        print(f"{time:9.1f} {without:9.1f} {time / without:6.3f}  {name}")
    print(f"median of the ratios {statistics.median(ratios):.3f}, largest {max(ratios):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
