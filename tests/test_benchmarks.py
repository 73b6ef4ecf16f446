"""The benchmarks run, their report can be read, and a wrong peer is not taken for a fast one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from benchmarks import models, tables
from benchmarks.charts import STYLE, bar_chart, groups_of
from benchmarks.curves import curve_chart, curves_of
from benchmarks.peers import PEERS, Loaded, Peer, Textcore, Tokenizers, only_pattern
from benchmarks.report import CHARTS, CONCERNS, CURVES, main, slug
from benchmarks.timing import CannotDo, Comparison, Outcome, Phase, Turns
from textcore.data import DEFAULT_DIR

ROOT = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"
TEXTS = ["Hello world", "naïve 👩‍👩‍👧‍👦", ""]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of one run over everything, with little text."""
    output = tmp_path_factory.mktemp("report") / "page.md"
    command = [sys.executable, "-m", "benchmarks.report", "--quick", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return output


def test_every_concern_is_measured_and_described(report):
    sections = re.findall(r"^## (.*)$", report.read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[2:] == list(CONCERNS)


def test_every_peer_is_in_the_first_section(report):
    section = report.read_text(encoding="utf-8").split("\n## ")[3]
    assert section.startswith("encode, warm")
    heading = next(line for line in section.splitlines() if line.startswith("| tokenizer"))
    shown = {cell.strip() for cell in heading.split("|")}
    explained = set(re.findall(r"^- ([^:]+): can't load", section, re.MULTILINE))
    assert {peer.name for peer in PEERS} == (shown & {peer.name for peer in PEERS}) | explained
    assert {"textcore", "tokenizers", "gigatoken", "fastokens"} <= shown


def test_a_quick_run_does_not_replace_the_real_report(capsys):
    with pytest.raises(SystemExit):
        main(["--quick"])
    assert "--output" in capsys.readouterr().err


@pytest.mark.parametrize("concern", CHARTS)
def test_charts_are_drawings_for_light_and_dark(report, concern):
    source = (report.parent / "page" / f"{slug(concern)}.svg").read_text(encoding="utf-8")
    drawing = ElementTree.fromstring(source)
    bars = [rect for rect in drawing.iter(f"{SVG}rect") if rect.get("class") != "page"]
    assert len(bars) >= 3
    assert all(0 < float(bar.get("width")) < float(drawing.get("width")) for bar in bars)
    assert "prefers-color-scheme: dark" in source
    assert f"(page/{slug(concern)}.svg)" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("concern", CURVES)
def test_curves_are_drawings_for_light_and_dark(report, concern):
    source = (report.parent / "page" / f"{slug(concern)}.svg").read_text(encoding="utf-8")
    drawing = ElementTree.fromstring(source)
    mine = [path for path in drawing.iter(f"{SVG}path") if path.get("class") == "curve mine"]
    assert mine
    for path in mine:
        places = [tuple(map(float, at.split())) for at in path.get("d")[1:].split("L")]
        assert places == sorted(places)
        assert len(places) > 1
        assert all(0 < x < float(drawing.get("width")) for x, _ in places)
        assert all(0 < y < float(drawing.get("height")) for _, y in places)
    assert "prefers-color-scheme: dark" in source
    assert f"(page/{slug(concern)}.svg)" in report.read_text(encoding="utf-8")


def curve_of(costs, problem=""):
    """Comparisons of a job at growing sizes, with what textcore needed for each."""
    return [
        Comparison(
            "a job",
            "",
            f"letters, {size:,} characters",
            "ms",
            1,
            {"textcore": Outcome(cost, problem)},
        )
        for size, cost in costs.items()
    ]


def test_a_curve_is_the_cost_of_a_unit():
    ((curve,),) = curves_of(curve_of({1_000: 1e-6, 10_000: 2e-5})).values()
    assert curve.points == (pytest.approx((1_000, 1)), pytest.approx((10_000, 2)))
    assert not curve.wrong


def test_a_wrong_curve_says_so():
    panels = curves_of(curve_of({1_000: 1e-6}, "wrong"))
    assert "textcore, wrong" in curve_chart("A job", "", panels)


def luminance(colour):
    """The relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("what", "least"), [("text", 4.5), (".faint", 4.5), (".ours", 3)])
def test_charts_have_the_contrast_that_reading_needs(what, least, dark):
    rules = STYLE.partition("@media")[2 * dark]
    found = dict(re.findall(r"(\S+) \{[^{}]*?fill: (#\w{6})", rules))
    lights = sorted((luminance(found[what]), luminance(found[".page"])))
    assert (lights[1] + 0.05) / (lights[0] + 0.05) >= least


class Stopwatch:
    """What pytest-benchmark does for a comparison, without its own report."""

    disabled = False

    def __init__(self):
        self.extra_info = {}

    def pedantic(self, function, *, setup, teardown, rounds):
        self.stats = self
        self.stats.stats = self
        self.data = []
        for _ in range(rounds):
            arguments, keywords = setup()
            start = time.process_time()
            function(*arguments, **keywords)
            self.data.append(time.process_time() - start)
            teardown(*arguments, **keywords)


def work(times):
    return sum(range(times)) is None


def measured(jobs, *, fresh=False, rounds=5):
    """The comparison of some jobs: a name to what it does."""
    results = []
    turns = Turns(Stopwatch(), results, rounds=rounds, turn=0.0, timer=time.process_time)
    makers = {name: (lambda job=job: job) for name, job in jobs.items()}
    turns.compare(makers, Phase("a job", lambda job: job(), 1e6), fresh=fresh)
    return results[0]


def giving(result, times=20_000):
    def job():
        work(times)
        return result

    return job


def test_a_ratio_is_that_of_medians():
    found = measured({"textcore": giving([1], 20_000), "tokenizers": giving([1], 100_000)})
    outcomes = found.outcomes
    assert found.ratio("tokenizers") == outcomes["tokenizers"].cost / outcomes["textcore"].cost
    assert found.ratio("tokenizers") > 1
    assert found.shown("textcore") == pytest.approx(1 / outcomes["textcore"].cost)


def test_a_wrong_peer_is_shown_and_is_not_the_fastest():
    found = measured(
        {
            "textcore": giving([[1], [2]]),
            "tokenizers": giving([[1], [2]]),
            "wrong": giving([[1], [3]], 1),
            "right": giving([[1], [2]], 10_000),
        }
    )
    assert found.outcomes["wrong"].problem == "wrong in 1 of 2"
    assert found.outcomes["wrong"].cost < found.outcomes["right"].cost
    assert found.fastest_peer() == "right"
    assert found.ratio("wrong") is None
    assert "✗" in tables.cell(found, "wrong")
    assert any("wrong: other results" in note for note in tables.notes([found]))


def test_a_peer_that_fails_is_shown_with_its_error():
    def fail():
        raise RuntimeError("no such thing\nin many words")

    found = measured({"textcore": giving([1]), "tokenizers": giving([1]), "lame": fail})
    assert found.outcomes["lame"] == Outcome(None, "RuntimeError: no such thing", 0)
    assert tables.cell(found, "lame") == tables.NOTHING


def test_a_wrong_result_of_ours_is_an_error():
    jobs = {"textcore": giving([1]), "tokenizers": giving([2])}
    with pytest.raises(AssertionError, match="textcore and tokenizers differ"):
        measured(jobs)


def test_an_error_of_ours_is_an_error():
    def fail():
        raise RuntimeError("ours")

    with pytest.raises(RuntimeError, match="ours"):
        measured({"textcore": fail, "tokenizers": giving([1])})


@pytest.mark.parametrize("fresh", [False, True])
def test_a_slow_peer_sits_out(fresh):
    found = measured(
        {
            "textcore": giving([1]),
            "tokenizers": giving([1], 2_000_000),
            "fast": giving([1], 10_000),
        },
        fresh=fresh,
    )
    assert found.outcomes["tokenizers"].rounds == 1
    assert found.outcomes["fast"].rounds == found.outcomes["textcore"].rounds == 5


def test_a_peer_that_is_slow_at_first_only_takes_part_to_the_end():
    results = []
    turns = Turns(Stopwatch(), results, rounds=4, turn=0.0, timer=time.process_time)
    costs = {"textcore": (1, 1), "tokenizers": (1000, 10), "fast": (10, 1000), "never": (999, 999)}
    turns.compare(
        {name: (lambda pair=pair: pair) for name, pair in costs.items()},
        Phase("one", lambda pair: work(2000 * pair[0]), 1),
        Phase("other", lambda pair: work(2000 * pair[1]), 1),
        fresh=True,
    )
    assert [one.concern for one in results] == ["one", "other"]
    for found in results:
        rounds = {name: outcome.rounds for name, outcome in found.outcomes.items()}
        assert rounds == {"textcore": 4, "tokenizers": 4, "fast": 4, "never": 1}


def test_what_is_quick_is_done_again_and_again():
    results, calls = [], []

    def job():
        calls.append(1)
        return giving([1], 1_000)()

    turns = Turns(Stopwatch(), results, rounds=2, turn=0.01, timer=time.process_time)
    turns.compare(
        {"textcore": lambda: job, "tokenizers": lambda: job}, Phase("a job", lambda f: f(), 1)
    )
    assert len(calls) > 2 * 2 * 2
    assert all(outcome.cost < 0.01 for outcome in results[0].outcomes.values())


def test_a_library_that_cannot_load_a_tokenizer_is_kept_as_its_error(tmp_path):
    class Refusing(Peer):
        name = module = distribution = "refusing"

        def __init__(self, folder):
            raise ValueError("not this one")

    (tmp_path / "tokenizer.json").write_bytes((DEFAULT_DIR / "tokenizer.json").read_bytes())
    makers = Loaded(tmp_path, [Textcore, Tokenizers, Refusing]).makers("encode")
    assert makers["textcore"]().encode(TEXTS) == makers["tokenizers"]().encode(TEXTS)
    for _ in range(2):
        with pytest.raises(CannotDo, match="can't load: not this one"):
            makers["refusing"]()


def test_only_libraries_with_a_job_take_part(tmp_path):
    loaded = Loaded(tmp_path, PEERS)
    assert {"textcore", "tokenizers"} < set(loaded.makers("stream")) < set(loaded.makers())


@pytest.mark.parametrize("job", ["encode_batch", "encode_batch_to_numpy"])
def test_batches_of_every_library_can_be_compared(tmp_path, job):
    models.small().put(tmp_path)
    makers = Loaded(tmp_path, PEERS).makers(job)
    expected = makers["tokenizers"]().encode(TEXTS)
    compared = 0
    for make in makers.values():
        try:
            peer = make()
        except CannotDo:
            continue
        batch = getattr(peer, job)(TEXTS)
        found = batch if job == "encode_batch" else peer.batch_lists(batch)
        assert [list(map(int, ids)) for ids in found] == expected
        compared += 1
    assert compared >= 5


def test_merges_are_the_pairs_that_spell_a_token():
    assert list(models.merges_of(["a", "b", "c", "ab", "bc", "abc"])) == [
        ["a", "b"],
        ["b", "c"],
        ["a", "bc"],
        ["ab", "c"],
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": {"type": "ByteLevel", "use_regex": True}},
        {"model": {"type": "Unigram"}},
    ],
)
def test_tiktoken_takes_only_what_it_can_do(change):
    spec = models.ranked(_ranks(), r"\w+|\W+", ())
    assert only_pattern(spec) == r"\w+|\W+"
    with pytest.raises(CannotDo):
        only_pattern({**spec, **change})


def _ranks():
    class File:
        def read_bytes(self):
            return b"YQ== 0\nYg== 1\nYWI= 2\n"

    return File()


def test_truncation_and_padding_of_a_file_are_left_out(tmp_path):
    spec = json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))
    spec["truncation"] = {
        "max_length": 2,
        "strategy": "LongestFirst",
        "stride": 0,
        "direction": "Right",
    }
    given, made = tmp_path / "given", tmp_path / "made"
    given.mkdir()
    made.mkdir()
    (given / "tokenizer.json").write_text(json.dumps(spec), encoding="utf-8")
    (model,) = models.given(tmp_path)
    model.put(made)
    assert len(Tokenizers(made).encode(["Hello world and more"])[0]) > 2


def test_a_chart_draws_only_who_did_all_texts():
    def comparison(text, **outcomes):
        return Comparison("encode", "t", text, "MB/s", 1e6, outcomes)

    groups = groups_of(
        [
            comparison("one", textcore=Outcome(0.1), some=Outcome(0.2), bad=Outcome(0.1, "wrong")),
            comparison("two", textcore=Outcome(0.4), some=Outcome(None, "no"), bad=Outcome(0.4)),
        ]
    )
    assert {bar.name: (round(bar.value, 3), bar.note) for bar in groups["t"]} == {
        "textcore": (5.0, ""),
        "bad": (5.0, "wrong in 1 of 2 texts"),
    }
    assert "wrong in 1 of 2 texts" in bar_chart("A <title>", "of it", "MB/s", groups)


def test_a_bar_that_would_hide_all_others_is_cut_off():
    values = [1.0, 2.0, 3.0, 1000.0]
    comparison = Comparison(
        "a", "t", "x", "ms", 1, {f"p{value}": Outcome(value) for value in values}
    )
    drawing = bar_chart("a", "b", "ms", groups_of([comparison]))
    assert drawing.count('class="gap"') == 1
    widths = [float(width) for width in re.findall(r'class="peer"[^>]* width="([\d.]+)"', drawing)]
    assert widths[2] == pytest.approx(3 * widths[0], rel=0.01)
    assert widths[3] > 2 * widths[2]


def test_rows_are_in_order_however_they_were_measured():
    measured_in = [("a", "x"), ("b", "x"), ("b", "y"), ("a", "y")]
    results = [Comparison("c", *pair, "MB", 1, {"textcore": Outcome(1.0)}) for pair in measured_in]
    (found,) = tables.by_concern(results).values()
    assert [(one.tokenizer, one.text) for one in found] == [
        ("a", "x"),
        ("a", "y"),
        ("b", "x"),
        ("b", "y"),
    ]


@pytest.mark.parametrize(
    ("value", "shown"), [(0.01234, "0.0123"), (1.5, "1.50"), (12345.6, "12,346"), (0, "0")]
)
def test_numbers_have_three_digits(value, shown):
    assert tables.number(value) == shown
