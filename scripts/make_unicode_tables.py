"""Make the pinned Unicode tables of ``textcore/unicode`` out of the installed references.

Run it with the `test` extra installed::

    python scripts/make_unicode_tables.py            # write the files
    python scripts/make_unicode_tables.py --check    # compare, write nothing, exit 1 if different

Nothing is taken from the running Python's own Unicode data: see ``docs/unicode.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from unicode_tables import folding, properties  # noqa: E402
from unicode_tables.probe import Oniguruma, Rust  # noqa: E402

from textcore.unicode import store  # noqa: E402

TARGET = HERE.parent / "textcore" / "unicode"


def oniguruma() -> bytes:
    """The properties of `tokenizers`' patterns."""
    facts = {"package": "tokenizers", "version": version("tokenizers"), "engine": "Oniguruma"}
    return store.pack(facts, properties.probe(Oniguruma(), "oniguruma"))


def rust() -> bytes:
    """The properties of `tiktoken`'s patterns."""
    facts = {"package": "tiktoken", "version": version("tiktoken"), "engine": "fancy-regex, regex"}
    return store.pack(facts, properties.probe(Rust(), "rust"))


def case_folding() -> bytes:
    """What matches what without regard to case, in both dialects."""
    engines = {"oniguruma": Oniguruma(), "rust": Rust()}
    tables = {
        dialect: {name: engine.find(rf"\p{{{name}}}") for name in ("ll", *folding.CASE_PROPERTIES)}
        for dialect, engine in engines.items()
    }
    known = folding.candidates(tables.values())
    content: dict[str, Any] = {
        "facts": {name: version(name) for name in ("tokenizers", "tiktoken")}
    }
    for dialect, engine in engines.items():
        if more := folding.affected(engine, known):
            raise AssertionError(f"{dialect} folds characters without case: {sorted(more)[:10]}")
        groups = folding.classes(dialect, known, tables[dialect]["ll"])
        wide = folding.sequences(known, groups) if dialect == "oniguruma" else {}
        content[dialect] = {"classes": groups, "sequences": wide}
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")


FILES: dict[str, Callable[[], bytes]] = {
    "oniguruma.bin": oniguruma,
    "rust.bin": rust,
    "folding.bin": case_folding,
}


def main(arguments: list[str] | None = None) -> int:
    """Write, or check, the files named (all without names); how many differ from the reference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("files", nargs="*", choices=[*FILES, []], help="which files, default all")
    options = parser.parse_args(arguments)
    different = 0
    for name in options.files or FILES:
        content = FILES[name]()
        path = TARGET / name
        if path.exists() and zlib.decompress(path.read_bytes()) == content:
            print(f"{name}: unchanged")
            continue
        if options.check:
            print(f"{name}: differs from the reference")
            different += 1
            continue
        path.write_bytes(zlib.compress(content, 9))
        print(f"{name}: {path.stat().st_size} bytes")
    return different


if __name__ == "__main__":
    sys.exit(min(main(), 1))
