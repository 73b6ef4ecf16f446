r"""Unicode properties and character classes, as each regex dialect's engine has them.

Two engines that know different versions of Unicode disagree about thousands of characters,
so a class is never looked up in whatever the running Python knows: the sets here were read
out of the engines themselves (``scripts/make_unicode_tables.py``), over all scalar values.

Dialects:

* ``"oniguruma"``: Oniguruma in Ruby's syntax, which `tokenizers` uses for the patterns of a
  tokenizer.json;
* ``"rust"``: the Rust crates ``regex`` and ``fancy-regex``, which `tiktoken` uses.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from textcore.unicode.store import Ranges, Store

DIALECTS = ("oniguruma", "rust")

# ``\p{key=value}`` of the Rust crates, by how the key may be spelled. "gc" and "sc" can be left
# out in a pattern, the others can't. (Unicode Standard Annex 44, property aliases.)
_KEYS = {
    "gc": "gc",
    "generalcategory": "gc",
    "sc": "sc",
    "script": "sc",
    "scx": "scx",
    "scriptextensions": "scx",
    "age": "age",
    "gcb": "gcb",
    "graphemeclusterbreak": "gcb",
    "sb": "sb",
    "sentencebreak": "sb",
    "wb": "wb",
    "wordbreak": "wb",
}


@cache
def _store(dialect: str) -> Store:
    if dialect not in DIALECTS:
        raise ValueError(f"unknown regex dialect {dialect!r}, expected one of {DIALECTS}")
    return Store(Path(__file__).parent / f"{dialect}.bin")


def facts(dialect: str) -> dict[str, str]:
    """What a dialect's tables were read from, as strings.

    Keys: "package" and its "version", the "engine" in it, and the version of "unicode" it knows.
    """
    return dict(_store(dialect).facts)


def names(dialect: str) -> frozenset[str]:
    """Every name that `ranges` knows in a dialect, in the spelling the tables use."""
    return frozenset(name for name in _store(dialect).names if not name.startswith("["))


def ranges(name: str, dialect: str, bracketed: bool = False) -> Ranges:
    r"""The characters of a property or character class, as sorted inclusive ranges.

    `name` is what stands between the braces of ``\p{…}`` (``"L"``, ``"Lu"``, ``"Han"``,
    ``"White_Space"``, ``"InBasic_Latin"``; for "rust" also ``"scx=Greek"``), a class escape
    (``r"\s"``, ``r"\d"``, ``r"\w"``, ``r"\h"``), or a POSIX bracket's name after ``posix:``
    (``"posix:alpha"`` for ``[[:alpha:]]``). Names compare as the dialect compares them: without
    regard to case, spaces, ``_`` and ``-``, and in "rust" also to a leading ``is`` and to
    characters outside ASCII. A negation
    (``^``, ``!=``, ``\S``) is the caller's. Surrogates, which no text contains, are left out.

    `bracketed` asks for the class as it is inside square brackets: Oniguruma's ``\w`` matches
    ``²³¹¼½¾``, its ``[\w]`` doesn't (outside brackets it has a table of its own for U+0000 to
    U+00FF, which ``\b`` uses, too). All other classes are the same in both places.

    Raises KeyError for a name the dialect doesn't know, ValueError for an unknown dialect.
    """
    store = _store(dialect)
    try:
        key = _canonical(name, dialect)
        if bracketed and f"[{key}]" in store:
            key = f"[{key}]"
        return store.ranges(key)
    except KeyError:
        raise KeyError(f"{dialect} has no character property named {name!r}") from None


def _canonical(name: str, dialect: str) -> str:
    if name.startswith(("\\", "posix:")):
        return name
    if dialect == "oniguruma":
        if not name.isascii():
            raise KeyError(name)
        return _squeeze(name)
    key, separator, value = name.replace(":", "=", 1).partition("=")
    if not separator:
        return _without_is(name)
    return f"{_KEYS[_without_is(key)]}={_without_is(value)}"


def _squeeze(name: str) -> str:
    if "[" in name:  # brackets mark our own second tables
        raise KeyError(name)
    name = name.encode("ascii", "ignore").decode()  # so does the Rust crate
    return name.replace(" ", "").replace("_", "").replace("-", "").lower()


def _without_is(name: str) -> str:
    # "isc" is ISO_Comment (which the crates don't have), not "c" with a prefix.
    bare = _squeeze(name[2:] if name[:2].lower() == "is" else name)
    return "isc" if bare == "c" and name[:1] in "iI" else bare
