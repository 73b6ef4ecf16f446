"""A syntax tree as a pattern for the ``regex`` package, with every set written out.

Nothing is left to that package's own Unicode data or case folding, so the result means
what the tree means, whichever version of Unicode ``regex`` has.
"""

from __future__ import annotations

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
    Place,
    Repeat,
    Sequence,
    Set,
    WordBoundary,
)

_ANCHORS: dict[Place, str] = {
    "text_start": r"\A",
    "text_end": r"\Z",
    "text_end_or_last_newline": r"(?=\n?\Z)",
    "line_start": r"(?:\A|(?<=\n)(?!\Z))",
    "line_end": r"(?=\n|\Z)",
    "search_start": r"\G",
}


#: How much a tree may ask of the ``regex`` package, which writes out every repeat as often
#: as it must match, and takes some 20 µs for each range of a set.
MAX_NODES = 200_000
MAX_RANGES = 40_000


def too_large(tree: Node) -> bool:
    """Whether the ``regex`` package would take too long, or too much memory, for a tree."""
    nodes, ranges = _size(tree)
    return nodes > MAX_NODES or ranges > MAX_RANGES


def _size(node: Node) -> tuple[int, int]:
    """How many nodes a tree has with its repeats written out, and how many ranges as it is."""
    times = 1
    inner: tuple[Node, ...] = ()
    if isinstance(node, (Sequence, Choice)):
        inner = node.items
    elif isinstance(node, (Group, Atomic, Look)):
        inner = (node.body,)
    elif isinstance(node, Repeat):
        inner = (node.body,)
        times = max(node.low, 1)
    sizes = [_size(item) for item in inner]
    ranges = len(node.ranges) if isinstance(node, Set) and len(node.ranges) > 1 else 0
    return 1 + times * sum(size[0] for size in sizes), ranges + sum(size[1] for size in sizes)


def _code(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _set(ranges: Ranges) -> str:
    if ranges == charset.ALL:
        return "(?s:.)"
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


def _repeat(node: Repeat) -> str:
    high = "" if node.high is None else str(node.high)
    sign = {"greedy": "", "lazy": "?", "possessive": "+"}[node.greed]
    return f"(?:{rewrite(node.body)}){{{node.low},{high}}}{sign}"


def _look(node: Look) -> str:
    opening = ("<" if node.behind else "") + ("!" if node.negative else "=")
    return f"(?{opening}{rewrite(node.body)})"


def _boundary(node: WordBoundary) -> str:
    word = _set(node.word)
    before, after = f"(?<={word})", f"(?={word})"
    not_before, not_after = f"(?<!{word})", f"(?!{word})"
    if node.negative:
        return f"(?:{before}{after}|{not_before}{not_after})"
    return f"(?:{before}{not_after}|{not_before}{after})"


def rewrite(node: Node) -> str:
    """The pattern (``regex.V0``, no flags) of a tree whose literals are resolved or plain."""
    if isinstance(node, Set):
        return _set(node.ranges)
    if isinstance(node, Literal):
        return "".join(_set(charset.single(code)) for code in node.codes)
    if isinstance(node, Sequence):
        return "".join(rewrite(item) for item in node.items)
    if isinstance(node, Choice):
        return f"(?:{'|'.join(rewrite(item) for item in node.items)})"
    if isinstance(node, Repeat):
        return _repeat(node)
    if isinstance(node, Group):
        return f"({rewrite(node.body)})"
    if isinstance(node, BackReference):
        choices = "|".join(rf"\g<{number}>" for number in node.numbers)
        return f"(?>{choices})"
    if isinstance(node, Atomic):
        return f"(?>{rewrite(node.body)})"
    if isinstance(node, Look):
        return _look(node)
    if isinstance(node, Anchor):
        return _ANCHORS[node.place]
    if isinstance(node, WordBoundary):
        return _boundary(node)
    assert isinstance(node, Keep)
    return r"\K"
