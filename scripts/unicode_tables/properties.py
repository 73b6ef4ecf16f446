r"""Every property and class name of each regex dialect, with the characters it stands for.

`names.txt` holds the names to try: the property and value aliases of the Unicode Character
Database and what the engines add to them, squeezed (lower case, no spaces, ``_`` or ``-``),
under the property that they are values of. What an engine refuses it doesn't have.
"""

from __future__ import annotations

from pathlib import Path

from unicode_tables.probe import Oniguruma, Ranges, Rust

ESCAPES = (r"\s", r"\d", r"\w", r"\h")
POSIX = [
    "alnum",
    "alpha",
    "ascii",
    "blank",
    "cntrl",
    "digit",
    "graph",
    "lower",
    "print",
    "punct",
    "space",
    "upper",
    "word",
    "xdigit",
]
KEYS = {
    "gc": "General_Category",
    "sc": "Script",
    "scx": "Script",
    "age": "Age",
    "gcb": "Grapheme_Cluster_Break",
    "wb": "Word_Break",
    "sb": "Sentence_Break",
}


def candidates() -> dict[str, list[str]]:
    """The names to try, by property."""
    sections: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "names.txt").read_text("ascii").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), [])
        else:
            section += line.split()
    return sections


def patterns(dialect: str) -> dict[str, str]:
    """Each name that a table may have in `dialect`, and the pattern that asks for it."""
    sections = candidates()
    wanted = {escape: escape for escape in ESCAPES}
    wanted |= {f"posix:{name}": f"[[:{name}:]]" for name in POSIX}
    bare = {name for names in sections.values() for name in names}
    bare |= {f"in{name}" for name in sections["Block"]}
    wanted |= {name: rf"\p{{{name}}}" for name in bare}
    if dialect == "rust":
        for key, section in KEYS.items():
            wanted |= {f"{key}={name}": rf"\p{{{key}={name}}}" for name in sections[section]}
    return wanted


def probe(engine: Oniguruma | Rust, dialect: str) -> dict[str, Ranges]:
    """The tables of one dialect.

    An engine may hold a class twice, once for use inside brackets. Where the two differ, the
    second table is kept under the name in brackets.
    """
    tables: dict[str, Ranges] = {}
    bracketed: dict[Ranges, Ranges] = {}
    for name, pattern in sorted(patterns(dialect).items()):
        try:
            found = engine.find(pattern)
        except ValueError:
            continue
        tables[name] = found
        if found not in bracketed or name.startswith("\\"):
            bracketed[found] = _find_in_brackets(engine, pattern)
        if bracketed[found] != found:
            tables[f"[{name}]"] = bracketed[found]
    return tables


def _find_in_brackets(engine: Oniguruma | Rust, pattern: str) -> Ranges:
    inside = engine.find(f"[{pattern}]")
    if engine.find(f"[^[^{pattern}]]") != inside:
        raise AssertionError(f"[^{pattern}] is not the complement of [{pattern}]")
    return inside


def unicode_version(assigned: Ranges) -> str:
    """The version of Unicode that assigns these characters, by the ages that "rust" knows."""
    rust = Rust()
    names = [name for name in candidates()["Age"] if name[0].isdigit()]
    for age in sorted(names, key=lambda name: tuple(map(int, name.split(".")))):
        # By age, the noncharacters count as assigned.
        if rust.find(rf"[\p{{age={age}}}--\p{{Noncharacter_Code_Point}}]") == assigned:
            return age
    raise AssertionError("these are the assigned characters of no version of Unicode")
