"""StopChecker against a slow twin that looks at the whole text at once."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.output.stops import StopChecker


class Twin:
    """The definition, by brute force over everything added so far."""

    def __init__(self, stops: list[str], include_stop: bool) -> None:
        self.stops = [stop for stop in stops if stop]
        self.include_stop = include_stop
        self.all = ""
        self.text = ""
        self.stopped: str | None = None

    def _release(self, end: int) -> str:
        piece = self.all[len(self.text) : end]
        self.text += piece
        return piece

    def add(self, delta: str) -> str:
        if self.stopped is not None:
            return ""
        self.all += delta
        for end in range(1, len(self.all) + 1):
            ending = [stop for stop in self.stops if self.all[:end].endswith(stop)]
            if ending:
                self.stopped = max(ending, key=len)
                return self._release(end if self.include_stop else end - len(self.stopped))
        held = 0
        for stop in self.stops:
            for size in range(1, len(stop)):
                if self.all.endswith(stop[:size]):
                    held = max(held, size)
        return self._release(len(self.all) - held)

    def finish(self) -> str:
        return "" if self.stopped is not None else self._release(len(self.all))


words = st.text(alphabet="ab", max_size=6)
stop_lists = st.lists(words, max_size=5)


@given(stops=stop_lists, deltas=st.lists(words, max_size=12), include_stop=st.booleans())
def test_every_delta_releases_what_the_definition_says(
    stops: list[str], deltas: list[str], include_stop: bool
) -> None:
    checker, twin = StopChecker(stops, include_stop), Twin(stops, include_stop)
    for delta in deltas:
        assert checker.add(delta) == twin.add(delta)
        assert checker.stopped == twin.stopped
        assert checker.text == twin.text
    assert checker.finish() == twin.finish()
    assert checker.text == twin.text


wide = st.text(alphabet="aé漢😀\ud800\udfff\x00", max_size=5)


@given(stops=st.lists(wide, max_size=4), deltas=st.lists(wide, max_size=8))
def test_characters_of_every_width_and_lone_surrogates(
    stops: list[str], deltas: list[str]
) -> None:
    checker, twin = StopChecker(stops), Twin(stops, False)
    assert [checker.add(delta) for delta in deltas] == [twin.add(delta) for delta in deltas]
    assert (checker.finish(), checker.stopped, checker.text) == (
        twin.finish(),
        twin.stopped,
        twin.text,
    )


@pytest.mark.parametrize("text", ["abcaabxabababc", "aababcab"])
@pytest.mark.parametrize("include_stop", [False, True])
def test_all_ways_to_cut_a_text_agree(text: str, include_stop: bool) -> None:
    stops = ["abc", "ababc", "xx", "bab"]
    results = set()
    for cuts in range(1 << (len(text) - 1)):
        checker = StopChecker(stops, include_stop)
        start = 0
        for end in range(1, len(text) + 1):
            if end == len(text) or cuts >> (end - 1) & 1:
                checker.add(text[start:end])
                start = end
        checker.finish()
        results.add((checker.text, checker.stopped))
    assert len(results) == 1


def test_of_stops_that_end_together_the_longest_wins() -> None:
    checker = StopChecker(["d>", "<end>", "nd>"])
    assert checker.add("text <en") == "text "
    assert checker.add("d>more") == ""
    assert checker.stopped == "<end>"
    assert checker.text == "text "


def test_the_stop_that_ends_first_wins_though_it_starts_later() -> None:
    checker = StopChecker(["abcd", "bc"])
    assert checker.add("abcd") == "a"
    assert checker.stopped == "bc"


def test_a_held_tail_comes_with_the_delta_that_rules_it_out() -> None:
    checker = StopChecker(["</s>"])
    assert checker.add("a<") == "a"
    assert checker.add("/s") == ""
    assert checker.add(" x<") == "</s x"
    assert checker.finish() == "<"
    assert checker.finish() == ""
    assert checker.text == "a</s x<"


def test_an_included_stop_comes_whole_and_at_once() -> None:
    checker = StopChecker(["STOP"], include_stop=True)
    assert [checker.add(c) for c in "aSTOPb"] == ["a", "", "", "", "STOP", ""]
    assert checker.text == "aSTOP"


def test_after_a_stop_nothing_more_is_said() -> None:
    checker = StopChecker("x")
    assert checker.add("axb") == "a"
    assert checker.add("c") == ""
    assert checker.finish() == ""
    assert checker.add("d") == ""
    assert checker.text == "a"


@pytest.mark.parametrize("stops", [None, "", [], [""], ()])
def test_no_stops_hold_nothing(stops: object) -> None:
    checker = StopChecker(stops)  # type: ignore[arg-type]
    assert checker.add("any") == "any"
    assert checker.stopped is None


def test_one_str_is_one_stop() -> None:
    checker = StopChecker("ab")
    assert checker.add("ba") == "b"
    assert checker.add("b") == ""
    assert checker.stopped == "ab"


def test_text_added_after_finish_is_an_error() -> None:
    checker = StopChecker(["x"])
    checker.finish()
    with pytest.raises(ValueError, match="finished"):
        checker.add("a")


@pytest.mark.parametrize("stops", [1, [1], ["a", None], b"ab", [b"ab"]])
def test_stops_of_a_wrong_type(stops: object) -> None:
    with pytest.raises(TypeError):
        StopChecker(stops)  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [None, b"a", 1, ["a"]])
def test_deltas_of_a_wrong_type(delta: object) -> None:
    with pytest.raises(TypeError, match="delta"):
        StopChecker(["x"]).add(delta)  # type: ignore[arg-type]


class Shouting(str):
    """A str whose own methods lie about its characters."""

    def __str__(self) -> str:
        return "other"

    def __len__(self) -> int:
        return 0


def test_subclasses_of_str_count_by_their_characters() -> None:
    checker = StopChecker([Shouting("ab"), "c"])
    assert checker.add(Shouting("xa")) == "x"
    checker.add("b")
    assert checker.stopped == "ab"


def seconds(stops: list[str], delta: str, count: int) -> float:
    checker = StopChecker(stops)
    start = time.perf_counter()
    for _ in range(count):
        checker.add(delta)
    assert checker.stopped is None
    assert len(checker.text) + len(checker.finish()) == len(delta) * count
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("stops", "delta"),
    [
        (["</s>"], "<"),
        (["a" * 9_999 + "b"], "aaaa"),
        ([f"{'ab' * 20}{number}" for number in range(1_000)], "abab"),
    ],
)
def test_a_million_adds_take_seconds_not_hours(stops: list[str], delta: str) -> None:
    # About 0.1 s; anything that grows with the text would take minutes.
    assert seconds(stops, delta, 1_000_000) < 10
