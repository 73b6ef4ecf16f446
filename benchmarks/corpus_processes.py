"""Whole processes that turn a file of text into ids: ``textcore tokenize`` and gigatoken.

    python benchmarks/corpus_processes.py MODEL_DIR FILE... [--rounds 5] [--separator TEXT]

Each process starts Python, loads the tokenizer and encodes a ``.txt`` or ``.jsonl`` file. What
textcore writes is complete when it ends: flat ids with an end of text after each document, on
disk, and an index. gigatoken's ``encode_files`` leaves an array in memory; it is timed alone,
and with the same flat ids written from it. The processes run in turns; the best wall time of
each is compared, and the processor time that it took. A first run of each, which is not timed,
leaves Python's bytecode, as installing a package does. Needs the extra ``bench``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy

from textcore import Tokenizer
from textcore.corpora.end_of_text import end_of_text_id

TEXTCORE = """
import sys
from textcore.corpora import Options, tokenize
model, file, output, end, separator = sys.argv[1:]
tokenize(
    [file], output, model, Options(separator=separator or None, end_of_text=int(end)),
    overwrite=True, show_progress=False,
)
"""
GIGATOKEN = """
import sys
import gigatoken
model, file, output, end, separator = sys.argv[1:]
if file.endswith(".txt"):
    source = gigatoken.TextFileSource([file], separator=separator or None)
else:
    source = gigatoken.JsonlFileSource([file])
ids = gigatoken.Tokenizer(model).encode_files(source)
"""
WRITING = """
import numpy
flat = numpy.asarray(ids.layout.content.data)
ends = numpy.asarray(ids.layout.offsets)[1:]
numpy.insert(flat, ends, int(end)).astype(numpy.uint32).tofile(output)
"""
PROGRAMS = {
    "textcore, written": TEXTCORE,
    "gigatoken, written": GIGATOKEN + WRITING,
    "gigatoken, in memory": GIGATOKEN,
}


@dataclass
class Run:
    """One process: seconds by the clock, and of all processors."""

    wall: float
    cpu: float


def run(program: str, arguments: list[str], bytecode: str) -> Run:
    """Run a program in a Python of its own that keeps bytecode in a folder."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=environment)
    wall, after = time.perf_counter() - start, os.times()
    user = after.children_user - before.children_user
    return Run(wall, user + after.children_system - before.children_system)


def differing(ours: Path, theirs: Path, end: int) -> int:
    """How many documents have other ids. Both files hold uint32, each document with its end."""
    one, two = (numpy.fromfile(path, dtype=numpy.uint32) for path in (ours, theirs))
    if numpy.array_equal(one, two):
        return 0
    cuts = [numpy.split(ids, numpy.flatnonzero(ids == end) + 1) for ids in (one, two)]
    return sum(not numpy.array_equal(a, b) for a, b in zip(*cuts, strict=True))


def compare(model: Path, file: Path, separator: str, rounds: int) -> None:
    """Time every program on a file, and print a line for each."""
    end = end_of_text_id(Tokenizer.from_dir(model), "auto")
    runs: dict[str, list[Run]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        outputs = {name: Path(folder, f"{number}.bin") for number, name in enumerate(PROGRAMS)}
        for number in range(rounds + 1):
            for name, program in PROGRAMS.items():
                arguments = [str(model), str(file), str(outputs[name]), str(end), separator]
                found = run(program, arguments, str(Path(folder, "bytecode")))
                if number:
                    runs[name].append(found)
        ours, theirs = list(outputs.values())[:2]
        print(f"{file.name}: {differing(ours, theirs, end or 0)} documents with other ids")
    best = {
        name: Run(min(each.wall for each in made), min(each.cpu for each in made))
        for name, made in runs.items()
    }
    ours_best = best["textcore, written"]
    for name, one in best.items():
        speed = file.stat().st_size / one.wall / 1e6
        print(
            f"  {name:<22} {one.wall:6.2f} s  {speed:7.1f} MB/s  {one.cpu:6.2f} s of cores  "
            f"textcore is {one.wall / ours_best.wall:.2f} times as fast, and "
            f"{one.cpu / ours_best.cpu:.2f} times with cores counted"
        )


def main() -> None:
    """Read the arguments, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, metavar="MODEL_DIR")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--separator", default="", help="between documents of a .txt file")
    args = parser.parse_args()
    for file in args.files:
        compare(args.model, file, args.separator, args.rounds)


if __name__ == "__main__":
    main()
