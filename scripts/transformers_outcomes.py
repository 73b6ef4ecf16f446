"""A plugin of pytest: each test's outcome and what it says to a file, with textcore in place.

Used by check_transformers_tests.py, which sets ``CHECK_RESULTS`` (the file), ``CHECK_PATCHED``
and ``CHECK_SECONDS`` (how long a test may take).
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
from typing import Any

import pytest

# What differs between two runs of the same thing.
_VARYING = [
    (re.compile(r"(/[\w.-]+)*/tmp\w{6,}"), "TMP"),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    (re.compile(r"textcore\.compat\.(transformers\.Backend|tokenizers\.\w+\.Tokenizer)"), "TOK"),
    (re.compile(r"tokenizers\.Tokenizer"), "TOK"),
]


def pytest_configure(config: Any) -> None:
    """Patch before anything is imported that makes tokenizers."""
    from transformers import testing_utils

    # What a checkout of an earlier 5 imports.
    if not hasattr(testing_utils, "require_read_token"):
        testing_utils.require_read_token = lambda test: test
    if os.environ["CHECK_PATCHED"]:
        import textcore.compat.transformers

        textcore.compat.transformers.patch()


def _too_long(signum: int, frame: Any) -> None:
    raise TimeoutError("the test took too long")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    """Random choices are the same in each run."""
    random.seed(0)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(int(os.environ["CHECK_SECONDS"]))


def pytest_runtest_logreport(report: Any) -> None:
    """Write what became of a phase of a test, where it says something."""
    if report.when == "call" or report.outcome != "passed":
        _write(report, "error" if report.failed and report.when != "call" else report.outcome)


def pytest_collectreport(report: Any) -> None:
    """A file that can't be imported is an outcome, too."""
    if report.failed:
        _write(report, "error")


def _write(report: Any, outcome: str) -> None:
    crash = getattr(report.longrepr, "reprcrash", None)
    said = crash.message if crash is not None else str(report.longrepr or "")
    for pattern, stands in _VARYING:
        said = pattern.sub(stands, said)
    with open(os.environ["CHECK_RESULTS"], "a", encoding="utf-8") as out:
        out.write(json.dumps([report.nodeid, outcome, said[:4000]]) + "\n")
