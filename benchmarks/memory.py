"""What memory a library takes, measured in a process that does nothing else.

    python -m benchmarks.memory load PEER DIR       megabytes that loading a tokenizer adds
    python -m benchmarks.memory words PEER DIR MB   and that encoding new words adds, 8 times

Resident memory, before and after; a line of JSON.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.corpora import random_words
from benchmarks.peers import BY_NAME, load
from benchmarks.timing import CannotDo, first_line

STEPS = 8


def resident() -> float:
    """Megabytes of this process in memory; where that can't be asked, its greatest ever."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.is_file():
        pages = int(statm.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    greatest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return greatest / 1e6 if sys.platform == "darwin" else greatest / 1e3


def added_by_loading(name: str, folder: Path) -> float:
    """Megabytes that a loaded tokenizer takes, once it has encoded something."""
    peer = BY_NAME[name]
    importlib.import_module(peer.module)
    before = resident()
    loaded = load(peer, folder)
    loaded.encode(["Hello world"])
    return resident() - before


def added_by_words(name: str, folder: Path, megabytes: int) -> list[float]:
    """Megabytes added after each eighth of so much text in which every word is new."""
    peer = BY_NAME[name]
    loaded = load(peer, folder)
    loaded.encode(["Hello world"])
    step = max(1, megabytes * 1_000_000 // STEPS)
    before, found = resident(), []
    for number in range(STEPS):
        left = step
        while left > 0:
            text = random_words(min(left, 4000), seed=number * step + left)
            loaded.encode([text])
            left -= len(text)
        found.append(resident() - before)
    return found


def measure(*arguments: str) -> list[float]:
    """Run this script. Raises CannotDo with the error of a library that can't."""
    command = [sys.executable, "-m", "benchmarks.memory", *arguments]
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise CannotDo(first_line(lines[-1] if lines else f"exit code {done.returncode}"))
    found: list[float] = json.loads(done.stdout)
    return found


def main(arguments: list[str]) -> None:
    what, name, folder, *rest = arguments
    try:
        if what == "load":
            found = [added_by_loading(name, Path(folder))]
        else:
            found = added_by_words(name, Path(folder), int(rest[0]))
    except CannotDo as reason:
        sys.exit(str(reason))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
