"""transformers' own tokenizer tests, patched with textcore and unpatched, outcome by outcome.

    python scripts/check_transformers_tests.py CHECKOUT [--checkpoints DIR] [--only NAME ...]
                                               [--out DIR] [--seconds 300]

CHECKOUT is a folder with ``tests/`` of transformers' repository. Every test that is about
tokenizers is run twice, without a network: once as it is, once after
``textcore.compat.transformers.patch()``. The two outcomes have to be the same, and so has what a
failing test says, which for most is the values that it compared.

The tests ask for checkpoints by name. Those that are in DIR (``org--name``, with the files of the
checkpoint) are taken from there. For the others, where the test's class is of a fast tokenizer, a
small one of that class is trained on the tests' own text, so that a test runs that needs any
checkpoint of its class, rather than that one: where it needs that one, it fails, in both runs in
the same way. What can't be run without a download is listed with its reason.

Needs ``transformers``, ``pytest``, ``parameterized``, ``sentencepiece`` and ``protobuf``. Exits
with 0 only if tests were run and no two outcomes differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# What is about tokenizers, below a checkout's tests/.
TESTS = (
    "models/*/test_tokenization_*.py",
    "tokenization/test_*.py",
    "utils/test_tokenization_utils.py",
    "utils/test_convert_slow_tokenizer.py",
    "test_tokenization_common.py",
)
UNREACHABLE = (
    *("couldn't connect to", "Can't load tokenizer for", "does not appear to have a file named"),
    *("LocalEntryNotFound", "offline", "OfflineMode", "not a local folder", "Cannot reach"),
    *("is not a valid model identifier", "We have no connection", "outgoing traffic"),
)


def files(checkout: Path, only: list[str]) -> list[Path]:
    """The test files, those whose path has one of the words if there are any."""
    found = sorted({path for pattern in TESTS for path in (checkout / "tests").glob(pattern)})
    return [path for path in found if not only or any(word in str(path) for word in only)]


def search_path(checkout: Path) -> str:
    """Where the processes find modules: the plugin, textcore, the tests."""
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return os.pathsep.join([str(HERE), str(ROOT), str(checkout), *given])


def run(
    checkout: Path, paths: list[Path], patched: bool, cache: Path, results: Path, seconds: int
) -> dict[str, list[str]]:
    """Outcomes of tests by their names: [outcome, what it says].

    One process runs all files. Where it ends before its time, another one takes what is left.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": search_path(checkout),
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_CACHE": str(cache),
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_VERBOSITY": "error",
        "CHECK_RESULTS": str(results),
        "CHECK_PATCHED": "1" if patched else "",
        "CHECK_SECONDS": str(seconds),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "transformers_outcomes", "--continue-on-collection-errors"]
    left = [str(path.relative_to(checkout)) for path in paths]
    results.unlink(missing_ok=True)
    while left:
        done = subprocess.run(
            [*command, *left], cwd=checkout, env=environment, capture_output=True, check=False
        )
        if done.returncode in {0, 1, 2, 5}:
            break
        last = list(outcomes(results))[-1:] or left[:1]
        broken = last[0].split("::")[0]
        with results.open("a") as file:
            said = done.stdout.decode(errors="replace")[-500:]
            file.write(json.dumps([broken, "ended", f"exit {done.returncode}: {said}"]) + "\n")
        left = left[left.index(broken) + 1 :]
    return outcomes(results)


def outcomes(results: Path) -> dict[str, list[str]]:
    """What the plugin has written."""
    lines = results.read_text().splitlines() if results.exists() else []
    return {name: result for name, *result in map(json.loads, lines)}


def kind(outcome: list[str]) -> str:
    """An outcome for the summary: one that only a download would change is a kind of its own."""
    if outcome[0] in {"failed", "error"} and any(word in outcome[1] for word in UNREACHABLE):
        return "needs a download"
    return outcome[0]


def main() -> int:
    """Run, compare, and say what differs. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--checkpoints", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("transformers-outcomes"))
    parser.add_argument("--seconds", type=int, default=300)
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    cache = options.out / "hub"
    paths = files(checkout, options.only)
    made = [sys.executable, str(HERE / "transformers_checkpoints.py"), str(checkout), str(cache)]
    made += [str(options.checkpoints.resolve())] if options.checkpoints else []
    subprocess.run(made, check=True, env={**os.environ, "PYTHONPATH": search_path(checkout)})
    with ThreadPoolExecutor(2) as pool:
        plain, patched = pool.map(
            lambda patched: run(
                checkout,
                paths,
                patched,
                cache,
                options.out / f"{'patched' if patched else 'plain'}.jsonl",
                options.seconds,
            ),
            (False, True),
        )
    counts = Counter(map(kind, plain.values()))
    differing = 0
    for name in sorted({*plain, *patched}):
        before = plain.get(name, ["missing", ""])
        after = patched.get(name, ["missing", ""])
        if before != after:
            differing += 1
            print(f"DIFFERENT {name}\n  unpatched: {before}\n  patched:   {after}")
    print(f"unpatched: {dict(counts)}; {differing} different patched")
    return 0 if counts["passed"] and not differing else 1


if __name__ == "__main__":
    sys.exit(main())
