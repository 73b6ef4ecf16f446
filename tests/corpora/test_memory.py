"""Memory does not grow with what is read."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest
from corpus_files import MODEL

PROGRAM = """
import resource, sys
from textcore.corpora import Options, tokenize
path, output, model, separator = sys.argv[1:]
tokenize([path], output, model, Options(separator=separator or None), threads=2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
WORDS = "Some words of a document, and of the next one; 123 words.\n"


def peak(tmp_path, name, unit, megabytes, separator=""):
    """The job's largest memory in MiB, for a file of so many times ``unit``.

    The file is written in pieces: what this process has counts for one that it starts.
    """
    path, output = tmp_path / name, tmp_path / f"{name}.npy"
    piece = unit.encode() * (1_000_000 // len(unit))
    with gzip.open(path, "wb", 1) if path.suffix == ".gz" else open(path, "wb") as file:
        for _ in range(megabytes):
            file.write(piece)
    command = [sys.executable, "-c", PROGRAM, str(path), str(output), str(MODEL), separator]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout) >> 10


@pytest.mark.parametrize(
    ("name", "unit", "separator"),
    [
        ("in.txt.gz", WORDS, ""),
        ("in.jsonl", json.dumps({"text": WORDS}) + "\n", ""),
    ],
    ids=["one document", "lines of JSON"],
)
def test_a_large_file_needs_no_more_memory_than_a_small_one(tmp_path, name, unit, separator):
    small = peak(tmp_path, f"small-{name}", unit, 20, separator)
    large = peak(tmp_path, f"large-{name}", unit, 80, separator)
    # A third of what the larger file has more.
    assert large - small < 20
