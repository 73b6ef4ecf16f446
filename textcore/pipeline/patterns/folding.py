"""Ignoring case: which characters and strings a pattern's characters stand for.

Oniguruma folds fully: a literal ``ss`` also matches ``ß``, and ``ß`` (alone or in a class)
also matches ``ss``. The dialect of Rust's ``regex`` folds one character to one. Both data
come from Unicode's ``CaseFolding.txt``, in the version that each engine has.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from textcore.pipeline.patterns import charset
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.syntax import (
    Atomic,
    Choice,
    Group,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
)
from textcore.unicode import folding, properties

Codes = tuple[int, ...]


def simple_closure(ranges: Ranges) -> Ranges:
    """A set with every character that Rust's one-to-one folding makes equal to one in it."""
    return folding.closure(ranges, "rust")


def simple_variants(code: int) -> Ranges:
    """The characters that Rust's one-to-one folding makes equal to one, itself included."""
    return charset.of_codes(map(ord, folding.equivalents(chr(code), "rust")))


def _variants(char: str) -> str:
    return folding.equivalents(char, "oniguruma")


def _any_of(chars: str) -> Node:
    return Set(charset.of_codes(map(ord, chars)))


@cache
def _expansions() -> dict[int, str]:
    """The characters that a string of others matches, with that string."""
    changing = properties.ranges("Changes_When_Casemapped", "oniguruma")
    codes = (code for first, last in changing for code in range(first, last + 1))
    found = {code: folding.expansion(chr(code), "oniguruma") for code in codes}
    return {code: string for code, string in found.items() if string}


def folded_class(ranges: Ranges, negative: bool) -> Node:
    """A bracketed class that ignores case, as Oniguruma reads it.

    Characters join the set before it is negated; strings (``ss`` for ``ß``) are further
    choices after the class, and belong to a class that is not negated.
    """
    closed = folding.closure(ranges, "oniguruma")
    if negative:
        return Set(charset.negate(closed))
    strings = {string for code, string in _expansions().items() if charset.contains(closed, code)}
    spelled = (
        Sequence(tuple(_any_of(_variants(char)) for char in string))
        for string in sorted(strings, key=lambda string: (len(string), string))
    )
    return Choice((Set(closed), *spelled)) if strings else Set(closed)


def _unravelled(codes: Codes, behind: bool) -> Node:
    """A literal that ignores case as a tree of sets and choices.

    From left to right, the longest of the next three, two or one characters that some
    single character folds to is taken as a unit with all its spellings.
    """
    text = "".join(map(chr, codes))
    items: list[Node] = []
    at = 0
    while at < len(text):
        for length in (3, 2):
            unit = text[at : at + length]
            single = "" if behind else folding.contractions(unit, "oniguruma")
            if len(unit) == length and single:
                items.append(_spellings(unit, unit, single))
                at += length
                break
        else:
            items.append(_one(text[at], behind))
            at += 1
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _one(char: str, behind: bool) -> Node:
    string = folding.expansion(char, "oniguruma")
    if not string or behind:
        return _any_of(_variants(char))
    return _spellings(char, string, folding.contractions(string, "oniguruma"))


def _spellings(written: str, string: str, single: str) -> Node:
    """All spellings of a string: as written, as one character, then letter by letter."""
    letters = ("".join(letters) for letters in product(*map(_variants, string)))
    spellings = dict.fromkeys((written, *single, *letters))
    return Choice(tuple(Sequence(tuple(map(_any_of, spelling))) for spelling in spellings))


def resolve(node: Node, behind: bool = False) -> Node:
    """The same tree without literals: sets, and choices where case is ignored.

    ``behind``: inside a look-behind, where only single characters fold.
    """
    if isinstance(node, Literal):
        if node.ignore_case:
            return _unravelled(node.codes, behind)
        sets: tuple[Node, ...] = tuple(Set(charset.single(code)) for code in node.codes)
        return sets[0] if len(sets) == 1 else Sequence(sets)
    if isinstance(node, Sequence):
        return Sequence(tuple(resolve(item, behind) for item in node.items))
    if isinstance(node, Choice):
        return Choice(tuple(resolve(item, behind) for item in node.items))
    if isinstance(node, Repeat):
        return Repeat(resolve(node.body, behind), node.low, node.high, node.greed)
    if isinstance(node, Group):
        return Group(resolve(node.body, behind), node.number)
    if isinstance(node, Atomic):
        return Atomic(resolve(node.body, behind))
    if isinstance(node, Look):
        return Look(resolve(node.body, behind or node.behind), node.behind, node.negative)
    return node
