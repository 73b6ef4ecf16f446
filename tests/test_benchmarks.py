"""The benchmarks run, and find the same results in both libraries."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_benchmark_runs_on_one_corpus():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "benchmarks",
        "--benchmark-disable",
        "-k",
        "english",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    suites = len(list((ROOT / "benchmarks").glob("test_*.py")))
    passed = re.search(r"(\d+) passed", done.stdout)
    # Some are of several peers, each a test of its own.
    assert passed is not None
    assert int(passed[1]) >= suites
