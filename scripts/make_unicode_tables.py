"""Make the pinned Unicode tables out of the installed references, `tokenizers` and `tiktoken`.

Run it with the `test` extra installed::

    python scripts/make_unicode_tables.py            # write the files
    python scripts/make_unicode_tables.py --check    # compare, write nothing, exit 1 if different

Either takes some minutes; files can be named (``folding.bin``). Nothing is taken from the running
Python's own Unicode data: see ``docs/unicode.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from unicode_tables import folding, graphemes, normalization, predicates, properties  # noqa: E402
from unicode_tables.probe import Oniguruma, Rust  # noqa: E402

from textcore.unicode import store  # noqa: E402

PACKAGE = HERE.parent / "textcore"


def oniguruma() -> bytes:
    """The properties of `tokenizers`' patterns."""
    return pattern_properties(Oniguruma(), "oniguruma", "tokenizers", "Oniguruma")


def rust() -> bytes:
    """The properties of `tiktoken`'s patterns."""
    return pattern_properties(Rust(), "rust", "tiktoken", "fancy-regex, regex")


def pattern_properties(engine: Oniguruma | Rust, dialect: str, package: str, name: str) -> bytes:
    """A dialect's property file."""
    tables = properties.probe(engine, dialect)
    facts = {
        "package": package,
        "version": version(package),
        "engine": name,
        "unicode": properties.unicode_version(tables["assigned"]),
    }
    return store.pack(facts, tables)


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


def normalize_data() -> bytes:
    """The data of `tokenizers`' normalizers, as a C header."""
    data = normalization.probe()
    normalization.check_hangul(data)
    return normalization.header(data, version("tokenizers")).encode("ascii")


def character_predicates() -> bytes:
    """The kinds of characters that `tokenizers`' components tell apart."""
    facts = {"package": "tokenizers", "version": version("tokenizers")}
    tables = predicates.probe() | graphemes.probe() | graphemes.scripts()
    return store.pack(facts, tables)


class File(NamedTuple):
    """A file to make: where, out of what, and whether it is compressed."""

    path: Path
    content: Callable[[], bytes]
    compressed: bool

    def read(self) -> bytes | None:
        """The content the file has now."""
        if not self.path.exists():
            return None
        data = self.path.read_bytes()
        return zlib.decompress(data) if self.compressed else data

    def write(self, content: bytes) -> None:
        """Replace the content."""
        self.path.write_bytes(zlib.compress(content, 9) if self.compressed else content)


FILES = {
    file.path.name: file
    for file in (
        File(PACKAGE / "core" / "normalize_data.h", normalize_data, False),
        File(PACKAGE / "unicode" / "predicates.bin", character_predicates, True),
        File(PACKAGE / "unicode" / "folding.bin", case_folding, True),
        File(PACKAGE / "unicode" / "oniguruma.bin", oniguruma, True),
        File(PACKAGE / "unicode" / "rust.bin", rust, True),
    )
}


def main(arguments: list[str] | None = None) -> int:
    """Write, or check, the files named (all without names); how many differ from the reference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("files", nargs="*", help=f"which of {', '.join(FILES)}; default all")
    options = parser.parse_args(arguments)
    if unknown := set(options.files) - set(FILES):
        parser.error(f"no such file: {', '.join(sorted(unknown))}")
    different = 0
    for name in options.files or FILES:
        file = FILES[name]
        content = file.content()
        if file.read() == content:
            print(f"{name}: unchanged")
        elif options.check:
            print(f"{name}: differs from the reference")
            different += 1
        else:
            file.write(content)
            print(f"{name}: {file.path.stat().st_size} bytes")
    return different


if __name__ == "__main__":
    sys.exit(min(main(), 1))
