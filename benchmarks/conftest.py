"""Run textcore and the reference in turns on the same text, and report the ratio.

    python -m pytest benchmarks --benchmark-only [--model-dir DIR] [--template-dir DIR]

``pytest-benchmark`` times textcore; the reference runs before each of its rounds, so that
both meet the same machine at the same time. Results are compared for equality first.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from corpora import CORPORA, documents
from tokenizers import Tokenizer as Reference

from textcore import Tokenizer
from textcore.data import DEFAULT_DIR

ROUNDS = 7
RESULTS = pytest.StashKey[list["Result"]]()


@dataclass
class Result:
    """One comparison: median seconds of each library for the same bytes of text."""

    name: str
    textcore: float
    peer: float
    size: int


class Turns:
    """Times one job in both libraries, in turns."""

    def __init__(self, benchmark: Any, name: str, results: list[Result]) -> None:
        self.benchmark, self.name, self.results = benchmark, name, results

    def compare(
        self,
        ours: Callable[[Any], object],
        peer: Callable[[Any], object],
        *,
        size: int,
        make_ours: Callable[[], Any] = lambda: None,
        make_peer: Callable[[], Any] = lambda: None,
    ) -> None:
        """Time ``ours(make_ours())`` and ``peer(make_peer())``, without the making.

        ``size`` is the bytes of UTF-8 that one call handles. Both results must be equal.
        """
        assert ours(make_ours()) == peer(make_peer()), "textcore and the reference differ"
        seconds: list[float] = []

        def setup() -> tuple[tuple[Any], dict[str, Any]]:
            argument = make_peer()
            start = time.perf_counter()
            peer(argument)
            seconds.append(time.perf_counter() - start)
            return (make_ours(),), {}

        if self.benchmark.disabled:  # nothing is timed: it has been seen to work
            self.benchmark(ours, make_ours())
            return
        self.benchmark.pedantic(ours, setup=setup, rounds=ROUNDS, iterations=1)
        median = self.benchmark.stats.stats.median
        result = Result(self.name, median, statistics.median(seconds), size)
        self.benchmark.extra_info["peer_median_s"] = result.peer
        self.benchmark.extra_info["ratio"] = result.peer / result.textcore
        self.results.append(result)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--model-dir",
        type=Path,
        default=DEFAULT_DIR,
        help="a directory with a tokenizer.json (default: the packaged tokenizer)",
    )
    parser.addoption(
        "--template-dir",
        type=Path,
        help="a directory of chat templates (*.jinja) to render besides ours",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RESULTS] = []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    results = config.stash[RESULTS]
    if not results:
        return
    terminalreporter.section("textcore beside its peers")
    terminalreporter.line(f"{'':<40} {'textcore':>10} {'peer':>10} {'ratio':>7}")
    for result in results:
        ours, peer = (result.size / s / 1e6 for s in (result.textcore, result.peer))
        terminalreporter.line(f"{result.name:<40} {ours:>10.2f} {peer:>10.2f} {ours / peer:>7.2f}")
    terminalreporter.line(
        "MB of UTF-8 text per second, medians; a ratio above 1: textcore is faster. "
        "The peer is tokenizers unless the name says another."
    )


@pytest.fixture(params=list(CORPORA))
def corpus(request: pytest.FixtureRequest) -> list[str]:
    """The documents of one corpus."""
    return documents(request.param)


@pytest.fixture
def size(corpus: list[str]) -> int:
    """The corpus's size in bytes of UTF-8."""
    return sum(len(text.encode()) for text in corpus)


@pytest.fixture(scope="session")
def load_ours(request: pytest.FixtureRequest) -> Callable[[], Tokenizer]:
    """Makes a new tokenizer of textcore, with nothing in its cache."""
    directory = request.config.getoption("--model-dir")
    return lambda: Tokenizer.from_dir(directory)


@pytest.fixture(scope="session")
def load_peer(request: pytest.FixtureRequest) -> Callable[[], Reference]:
    """Makes a new tokenizer of the reference, without truncation and padding."""
    path = request.config.getoption("--model-dir") / "tokenizer.json"

    def load() -> Reference:
        peer = Reference.from_file(str(path))
        peer.no_truncation()
        peer.no_padding()
        return peer

    return load


@pytest.fixture(scope="session")
def ours(load_ours: Callable[[], Tokenizer]) -> Tokenizer:
    """A tokenizer of textcore that all benchmarks share."""
    return load_ours()


@pytest.fixture(scope="session")
def peer(load_peer: Callable[[], Reference]) -> Reference:
    """The reference's tokenizer that all benchmarks share."""
    return load_peer()


@pytest.fixture
def turns(request: pytest.FixtureRequest, benchmark: Any) -> Turns:
    """The comparison of the test that asks for it."""
    return Turns(benchmark, request.node.name, request.config.stash[RESULTS])
