"""What the suites share: the tokenizers and texts to measure with, and the table at the end.

python -m pytest benchmarks [--tokenizer DIR] [--corpus FILE] [--peer NAME]
    [--templates DIR] [--quick]
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from benchmarks import corpora, models
from benchmarks.corpora import DOCUMENTS, Corpus
from benchmarks.peers import BY_NAME, PEERS, Loaded, Peer, missing
from benchmarks.tables import RESULTS, text_table
from benchmarks.timing import OURS, REFERENCE, ROUNDS, TURN, Comparison, Turns

T = TypeVar("T")

PEERS_KEY = pytest.StashKey[tuple[type[Peer], ...]]()
MODELS = pytest.StashKey[dict[str, models.Model]]()
CORPORA = pytest.StashKey[dict[str, Callable[[], Corpus]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("textcore")
    group.addoption(
        "--tokenizer",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder with a tokenizer.json, or of such folders (default: those of packages)",
    )
    group.addoption(
        "--corpus",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a file of UTF-8 text (default: text that is on every machine)",
    )
    group.addoption(
        "--peer",
        action="append",
        default=[],
        choices=sorted(set(BY_NAME) - {OURS, REFERENCE}),
        help="compare with this library, besides the reference (default: all)",
    )
    group.addoption(
        "--templates",
        type=Path,
        metavar="DIR",
        help="a folder of chat templates (*.jinja) to render besides ours",
    )
    group.addoption("--rounds", type=int, default=ROUNDS, help=f"default: {ROUNDS}")
    group.addoption("--quick", action="store_true", help="little text, once: only that it works")


def pytest_configure(config: pytest.Config) -> None:
    names = config.getoption("--peer") or list(BY_NAME)
    peers = tuple(peer for peer in PEERS if peer.name in (OURS, REFERENCE, *names))
    if lacking := missing(peers):
        raise pytest.UsageError(
            f"not installed: {', '.join(lacking)}; pip install 'textcore[bench]', "
            "or name those to compare with by --peer"
        )
    config.stash[PEERS_KEY] = peers
    config.stash[RESULTS] = []
    if config.getoption("--quick"):
        config.option.rounds = 1
    config.stash[MODELS] = _by_name((model.name, model) for model in _models(config))
    config.stash[CORPORA] = _by_name(_corpora(config))


def _by_name(pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise pytest.UsageError(f"two are called {name!r}: results go by names")
        found[name] = value
    return found


def _models(config: pytest.Config) -> list[models.Model]:
    if given := config.getoption("--tokenizer"):
        return [model for path in given for model in models.given(path)]
    return [models.small()] if config.getoption("--quick") else models.packaged()


def _corpora(config: pytest.Config) -> Iterator[tuple[str, Callable[[], Corpus]]]:
    if given := config.getoption("--corpus"):
        yield from ((path.stem, partial(corpora.from_file, path)) for path in given)
    else:
        names = ["english", "chinese"] if config.getoption("--quick") else list(corpora.MADE)
        yield from ((name, partial(corpora.made, name)) for name in names)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, key in {"model": MODELS, "corpus": CORPORA}.items():
        if name in metafunc.fixturenames:
            known = list(metafunc.config.stash[key])
            metafunc.parametrize(name, known, indirect=True, scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Process time, unless a suite's own mark says otherwise: other processes don't count."""
    for item in items:
        if item.get_closest_marker("benchmark") is None:
            item.add_marker(pytest.mark.benchmark(timer=time.process_time))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for line in text_table(config.stash[RESULTS]):
        terminalreporter.line(line)


@pytest.fixture(scope="session")
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tokenizer.json of one of the tokenizers."""
    folder = tmp_path_factory.mktemp(request.param)
    request.config.stash[MODELS][request.param].put(folder)
    return folder


@pytest.fixture(scope="session")
def peers(request: pytest.FixtureRequest) -> tuple[type[Peer], ...]:
    """The libraries that take part."""
    return request.config.stash[PEERS_KEY]


@pytest.fixture(scope="session")
def loaded(model: Path, peers: tuple[type[Peer], ...]) -> Iterator[Loaded]:
    """The tokenizer in all libraries; gone before the next one is loaded."""
    libraries = Loaded(model, peers)
    yield libraries
    libraries.close()


@pytest.fixture(scope="session")
def corpus(request: pytest.FixtureRequest) -> Corpus:
    """One of the texts."""
    return request.config.stash[CORPORA][request.param]()


@pytest.fixture(scope="session")
def quick(request: pytest.FixtureRequest) -> bool:
    """Whether it need only work."""
    return bool(request.config.getoption("--quick"))


@pytest.fixture
def documents(corpus: Corpus, quick: bool) -> list[str]:
    """A corpus as documents."""
    return corpus.documents(2 if quick else DOCUMENTS)


@pytest.fixture(scope="session")
def some_of_all(request: pytest.FixtureRequest, quick: bool) -> list[str]:
    """A few documents of every corpus."""
    texts = [make() for make in request.config.stash[CORPORA].values()]
    return [text for corpus in texts for text in corpus.documents(1 if quick else 10)]


@pytest.fixture
def results(request: pytest.FixtureRequest) -> list[Comparison]:
    """What has been measured, of which a report is made."""
    return request.config.stash[RESULTS]


@pytest.fixture
def turns(request: pytest.FixtureRequest, benchmark: Any, results: list[Comparison]) -> Turns:
    """The comparison of the test that asks for it."""
    params = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    return Turns(
        benchmark,
        results,
        tokenizer=params.get("model", ""),
        text=params.get("corpus", ""),
        rounds=request.config.getoption("--rounds"),
        turn=0.0 if request.config.getoption("--quick") else TURN,
        timer=request.node.get_closest_marker("benchmark").kwargs["timer"],
    )
