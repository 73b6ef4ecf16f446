"""Comparing textcore with its peers: in one process, in turns, results checked first.

A round lets every library do the same job once, one after the other, so that all of them meet
the same machine at the same time; textcore's own turn is timed by ``pytest-benchmark``. What is
reported is each library's median, and ratios are ratios of these medians.
"""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

OURS = "textcore"
REFERENCE = "tokenizers"

ROUNDS = 7
# A turn lasts at least so many seconds: what is quicker is done again and again. Otherwise its
# time would be that of a processor whose caches hold what the library before it left there.
TURN = 0.02
# A first round that took so many times as long is no slow start, and a second would be wasted.
WARM_ENOUGH = 10

# A peer that takes SLOW times as long as the fastest peer is timed in one round only, so that
# the others can be timed more often.
SLOW = 4.0

# What a cost (seconds, or megabytes) and an amount (bytes, calls) are as a number to show.
UNITS: dict[str, Callable[[float, float], float]] = {
    "MB/s": lambda seconds, size: size / seconds / 1e6,
    "µs": lambda seconds, calls: seconds / calls * 1e6,
    "ms": lambda seconds, calls: seconds / calls * 1e3,
    "MB": lambda megabytes, _: megabytes,
}


class CannotDo(Exception):
    """A library can't load a tokenizer, or can't do a job: the message says why."""


@dataclass(frozen=True)
class Outcome:
    """What one library did in a comparison.

    ``cost`` is the median in seconds (megabytes for memory), None where there is none;
    ``problem`` says why, or in how many texts the result is wrong.
    """

    cost: float | None
    problem: str = ""
    rounds: int = 0

    @property
    def exact(self) -> bool:
        return self.cost is not None and not self.problem


@dataclass(frozen=True)
class Comparison:
    """One job with one tokenizer on one text, done by every library that can."""

    concern: str
    tokenizer: str
    text: str
    unit: str
    amount: float
    outcomes: dict[str, Outcome]

    def shown(self, name: str) -> float | None:
        """A library's result in the comparison's unit."""
        cost = self.outcomes[name].cost
        return None if cost is None else UNITS[self.unit](cost, self.amount)

    def fastest_peer(self) -> str | None:
        """The fastest of the peers whose results are right."""
        peers = [name for name, o in self.outcomes.items() if o.exact and not is_ours(name)]
        return min(peers, key=lambda name: self.outcomes[name].cost or 0.0, default=None)

    def ratio(self, peer: str, ours: str = OURS) -> float | None:
        """How many times a peer's cost is of ours: above 1, textcore is faster."""
        theirs, mine = self.outcomes.get(peer), self.outcomes.get(ours)
        if theirs is None or mine is None or not theirs.exact or not mine.cost:
            return None
        assert theirs.cost is not None
        return theirs.cost / mine.cost


def is_ours(name: str) -> bool:
    """Whether this is textcore, or textcore in a variant such as "textcore, AVX2"."""
    return name.split(",")[0] == OURS


@dataclass(frozen=True)
class Phase:
    """A job to be timed: what ``run`` does with a library, and how much of it that is."""

    concern: str
    run: Callable[[Any], Any]
    amount: float


@dataclass
class _Contestant:
    """A library in a comparison, with what has been measured of it so far."""

    name: str
    make: Callable[[], Any]
    costs: list[list[float]]
    problems: list[str]
    out: bool = False
    times: int = 1

    def turn(self, phases: tuple[Phase, ...], timer: Callable[[], float]) -> list[Any]:
        """One round: every phase in order, timed; what each of them gave."""
        subject = self.make()
        results = []
        for phase, costs in zip(phases, self.costs, strict=True):
            start = timer()
            result = self.run(phase, subject)
            costs.append((timer() - start) / self.times)
            results.append(result)
        return results

    def run(self, phase: Phase, subject: Any) -> Any:
        for _ in range(self.times - 1):
            phase.run(subject)
        return phase.run(subject)

    def start(self, phases: tuple[Phase, ...], turn: float, timer: Callable[[], float]) -> None:
        """Forget the round that warmed up; find how often a turn has to do the job."""
        if not self.out and max(costs[0] for costs in self.costs) < WARM_ENOUGH * turn:
            self.costs = [[] for _ in phases]
            self.try_turn(phases, timer)
            longest = max((costs[0] for costs in self.costs if costs), default=turn)
            self.times = max(1, math.ceil(turn / max(longest, 1e-6)))
        self.costs = [[] for _ in phases]

    def try_turn(self, phases: tuple[Phase, ...], timer: Callable[[], float]) -> list[Any]:
        """As :meth:`turn`; a peer that can't is out, and its error is kept."""
        try:
            return self.turn(phases, timer)
        except CannotDo as error:
            problem = str(error)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a Rust panic is no Exception
            problem = f"{type(error).__name__}: {error}"
        self.out = True
        self.costs = [[] for _ in phases]
        self.problems = [first_line(problem)] * len(phases)
        return []

    def outcome(self, index: int) -> Outcome:
        costs = self.costs[index]
        median = statistics.median(costs) if costs else None
        return Outcome(median, self.problems[index], len(costs))


class Turns:
    """Times jobs in all libraries, in turns, for the test that asks for it."""

    def __init__(
        self,
        benchmark: Any,
        results: list[Comparison],
        *,
        tokenizer: str = "",
        text: str = "",
        rounds: int,
        turn: float = TURN,
        timer: Callable[[], float],
    ) -> None:
        self.benchmark, self.results = benchmark, results
        self.tokenizer, self.text = tokenizer, text
        self.rounds, self.turn, self.timer = rounds, turn, timer

    def compare(
        self,
        makers: Mapping[str, Callable[[], Any]],
        *phases: Phase,
        unit: str = "MB/s",
        fresh: bool = False,
        expected: list[Any] | None = None,
        reference: str = REFERENCE,
        listed: Callable[[Any], Any] = lambda result: result,
    ) -> None:
        """Do all phases with what each maker makes, in turns, and keep a result of each phase.

        ``fresh``: what is made serves one round only (the making is not timed), so the round
        in which results are checked counts. Otherwise that round is the one that warms up.
        A result, made comparable by ``listed``, is compared with the ``reference``'s, or with
        what is ``expected`` of each phase where the reference has no part. A peer that gives
        another is marked; textcore must give the same.
        """
        contestants = [
            _Contestant(name, make, [[] for _ in phases], [""] * len(phases))
            for name, make in makers.items()
        ]
        self._check(contestants, phases, listed, reference, expected)
        if not fresh:
            for contestant in contestants:
                contestant.start(phases, self.turn, self.timer)
        ours = next(contestant for contestant in contestants if contestant.name == OURS)
        others = [c for c in contestants if c is not ours]

        self._time(ours, others, phases, max(1, self.rounds - fresh))
        if self.benchmark.disabled:  # nothing was timed: it has been seen to work
            return
        ours.costs[0] += [cost / ours.times for cost in self.benchmark.stats.stats.data]
        self._keep(contestants, phases, unit)

    def race(
        self,
        concern: str,
        jobs: Mapping[str, Callable[[], Any]],
        amount: float = 1,
        *,
        unit: str = "ms",
        reference: str,
    ) -> None:
        """As :meth:`compare`, of jobs that need no library made: a name to what it calls."""
        makers = {name: partial(_given, job) for name, job in jobs.items()}
        phase = Phase(concern, lambda job: job(), amount)
        self.compare(makers, phase, unit=unit, reference=reference)

    def _check(
        self,
        contestants: list[_Contestant],
        phases: tuple[Phase, ...],
        listed: Callable[[Any], Any],
        reference: str,
        expected: list[Any] | None,
    ) -> None:
        """One round of everything, and whose results are not the reference's."""
        for contestant in sorted(contestants, key=lambda c: c.name != reference):
            # Only a peer may fail: an error of ours is an error of the benchmark.
            turn = contestant.turn if is_ours(contestant.name) else contestant.try_turn
            results = [listed(result) for result in turn(phases, self.timer)]
            if not results:
                continue
            if expected is None:
                assert contestant.name == reference, f"{reference} takes no part"
                expected = results
            contestant.problems = [
                difference(*pair) for pair in zip(results, expected, strict=True)
            ]
            wrong = [problem for problem in contestant.problems if problem]
            if is_ours(contestant.name) and wrong:
                raise AssertionError(f"{contestant.name} and {reference} differ: {wrong[0]}")

    def _time(
        self,
        ours: _Contestant,
        others: list[_Contestant],
        phases: tuple[Phase, ...],
        rounds: int,
    ) -> None:
        """The rounds: everyone else's turn, then ours, of which the first phase is timed."""

        def setup() -> tuple[tuple[Any], dict[str, Any]]:
            for contestant in others:
                if not contestant.out:
                    contestant.try_turn(phases, self.timer)
            _drop_slow(others)
            return (ours.make(),), {}

        def rest(subject: Any) -> None:
            for phase, costs in list(zip(phases, ours.costs, strict=True))[1:]:
                start = self.timer()
                ours.run(phase, subject)
                costs.append((self.timer() - start) / ours.times)

        first = partial(ours.run, phases[0])
        gc.collect()
        gc.disable()
        try:
            _drop_slow(others)
            self.benchmark.pedantic(first, setup=setup, teardown=rest, rounds=rounds)
        finally:
            gc.enable()

    def _keep(self, contestants: list[_Contestant], phases: tuple[Phase, ...], unit: str) -> None:
        for index, phase in enumerate(phases):
            outcomes = {c.name: c.outcome(index) for c in contestants}
            kept = Comparison(
                phase.concern, self.tokenizer, self.text, unit, phase.amount, outcomes
            )
            self.results.append(kept)
            fastest = kept.fastest_peer()
            if index == 0 and fastest is not None:
                self.benchmark.extra_info["fastest_peer"] = fastest
                self.benchmark.extra_info["ratio"] = kept.ratio(fastest)


def fewer(rounds: int) -> int:
    """The rounds of a job that needs a tokenizer loaded anew, which takes far longer than it."""
    return max(min(rounds, 2), rounds // 3)


def _given(job: Callable[[], Any]) -> Callable[[], Any]:
    return job


def _drop_slow(contestants: list[_Contestant]) -> None:
    """Let the peers sit out that are far slower than the fastest right one, in every phase."""
    peers = [one for one in contestants if not is_ours(one.name) and not one.out and one.costs[0]]
    near: set[str] = set()
    for phase in range(len(peers[0].costs) if peers else 0):
        medians = {peer.name: statistics.median(peer.costs[phase]) for peer in peers}
        right = [medians[peer.name] for peer in peers if not peer.problems[phase]]
        fastest = min(right or medians.values())
        near |= {name for name, median in medians.items() if median <= SLOW * fastest}
    for peer in peers:
        peer.out = peer.name not in near


def difference(result: Any, expected: Any) -> str:
    """How a result differs from the reference's: in how many texts, or ""."""
    if result == expected:
        return ""
    if isinstance(result, list) and len(result) == len(expected) > 1:
        count = sum(one != other for one, other in zip(result, expected, strict=True))
        return f"wrong in {count} of {len(expected)}"
    return "wrong"


def first_line(text: str, limit: int = 120) -> str:
    """The first line of an error message, of bounded length."""
    line = text.strip().split("\n")[0]
    return line if len(line) <= limit else line[: limit - 1] + "…"
