"""A syntax tree written as a pattern in the dialect of a tokenizer.json (Oniguruma's).

Sets are written out in full, so that they are what they were in the dialect that the tree
comes from, whatever version of Unicode the reader of the pattern has.
"""

from __future__ import annotations

import string

from textcore.errors import UnsupportedError
from textcore.pipeline.patterns import charset
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.syntax import (
    Anchor,
    Atomic,
    BackReference,
    Choice,
    Group,
    Keep,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    WordBoundary,
)

_ANCHORS = {
    "text_start": r"\A",
    "text_end": r"\z",
    "text_end_or_last_newline": r"\Z",
    "line_start": "^",
    "line_end": "$",
    "search_start": r"\G",
}
_PLAIN = frozenset(string.ascii_letters + string.digits + " '!\"%,/:;<=>@_`~")


def _code(code: int) -> str:
    char = chr(code)
    # Most of a set's ranges end outside ASCII; as they are, they are short.
    plain = char in _PLAIN or (code > 0xA0 and char.isprintable())
    return char if plain else f"\\x{{{code:X}}}"


def _set(ranges: Ranges) -> str:
    if ranges == charset.ALL:
        return "(?m:.)"
    if not ranges:
        return "(?!)"
    if charset.size(ranges) == 1:
        return _code(ranges[0][0])
    inside = charset.negate(ranges)
    negative = len(inside) < len(ranges)
    parts = [
        _code(first) if first == last else f"{_code(first)}-{_code(last)}"
        for first, last in (inside if negative else ranges)
    ]
    return f"[{'^' if negative else ''}{''.join(parts)}]"


def _repeat(node: Repeat, place: str) -> str:
    # A sign after braces is another repeat in this dialect, so an atomic group says it.
    if node.greed == "possessive":
        return f"(?>{_repeat(Repeat(node.body, node.low, node.high, 'greedy'), place)})"
    body = f"(?:{written(node.body, place)})"
    lazy = "?" if node.greed == "lazy" else ""
    if (node.low, node.high) in ((0, None), (1, None), (0, 1)):
        return body + {(0, None): "*", (1, None): "+", (0, 1): "?"}[node.low, node.high] + lazy
    if node.low == node.high:
        return f"{body}{{{node.low}}}"
    high = "" if node.high is None else str(node.high)
    return f"{body}{{{node.low},{high}}}{lazy}"


def _boundary(node: WordBoundary) -> str:
    word = _set(node.word)
    before, after = f"(?<={word})", f"(?={word})"
    not_before, not_after = f"(?<!{word})", f"(?!{word})"
    if node.negative:
        return f"(?:{before}{after}|{not_before}{not_after})"
    return f"(?:{before}{not_after}|{not_before}{after})"


def written(node: Node, place: str = "") -> str:
    """The pattern of a tree. Raises UnsupportedError for what the dialect can't say."""
    if isinstance(node, Set):
        return _set(node.ranges)
    if isinstance(node, Literal) and not node.ignore_case:
        return "".join(map(_code, node.codes))
    if isinstance(node, Sequence):
        return "".join(written(item, place) for item in node.items)
    if isinstance(node, Choice):
        return f"(?:{'|'.join(written(item, place) for item in node.items)})"
    if isinstance(node, Repeat):
        return _repeat(node, place)
    if isinstance(node, Group):
        return f"({written(node.body, place)})"
    if isinstance(node, Atomic):
        return f"(?>{written(node.body, place)})"
    if isinstance(node, Look):
        opening = ("<" if node.behind else "") + ("!" if node.negative else "=")
        return f"(?{opening}{written(node.body, place)})"
    if isinstance(node, Anchor):
        return _ANCHORS[node.place]
    if isinstance(node, WordBoundary):
        return _boundary(node)
    if isinstance(node, Keep):
        return r"\K"
    assert isinstance(node, (Literal, BackReference))
    raise UnsupportedError(place, f"a {type(node).__name__} of another dialect can't be written")
