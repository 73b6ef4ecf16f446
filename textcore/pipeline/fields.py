"""Fields that several components share, checked as the reference's reader checks them.

The format is that of ``tokenizer.json``; required fields, defaults and accepted spellings
are those of Hugging Face ``tokenizers`` 0.23.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.matches import Finder, Literal
from textcore.pipeline.patterns import compile_pattern
from textcore.pipeline.spec import Node, shorten

Built = TypeVar("Built")
Builder = Callable[[Node, int], Built]

# The reference's JSON reader stops at 128 levels, and a Sequence takes two of them.
MAX_DEPTH = 64
MAX_PARTS = 1 << 21
U32_MAX = 0xFFFF_FFFF


class RustPattern(str):
    """A pattern in the dialect "rust", in the place of one in a tokenizer.json's dialect.

    For specifications that the reader of another format makes; no JSON holds one.
    """

    __slots__ = ()


def string(node: Node, key: str) -> str:
    """The string at ``key``; one with a lone surrogate is no text and is refused."""
    value = node.get(key, str)
    return check_text(value, node.at(key))


def check_text(value: object, place: str) -> str:
    """``value`` as a string that UTF-8 can carry."""
    if not isinstance(value, str):
        raise SpecError(place, f"expected a string, found {shorten(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise SpecError(place, f"{shorten(value)} has a lone surrogate") from None
    return value


def character(node: Node, key: str) -> str:
    """The single character at ``key``."""
    value = string(node, key)
    if len(value) != 1:
        raise node.error(key, f"expected one character, found {shorten(value)}")
    return value


def unsigned(value: object, place: str) -> int:
    """``value`` as an unsigned 32-bit integer."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= U32_MAX:
        raise SpecError(place, f"expected an integer from 0 to {U32_MAX}, found {shorten(value)}")
    return value


def pattern(node: Node, key: str = "pattern") -> tuple[str, str, Finder]:
    """The ``{"String": ...}`` or ``{"Regex": ...}`` at ``key``: its kind, text and finder."""
    inner = node.get(key, dict)
    place = node.at(key)
    if len(inner) != 1 or next(iter(inner)) not in ("String", "Regex"):
        raise SpecError(place, "expected an object with one key, String or Regex")
    kind, value = next(iter(inner.items()))
    text = check_text(value, f"{place}.{kind}")
    if kind == "String":
        return kind, text, Literal(text)
    dialect = "rust" if isinstance(text, RustPattern) else "oniguruma"
    return kind, text, compile_pattern(text, dialect, f"{place}.{kind}")


def check_depth(node: Node, depth: int) -> None:
    """Refuse components nested deeper than the reference reads them."""
    if depth > MAX_DEPTH:
        # The place of such a node is long and says nothing: show its beginning.
        raise SpecError(f"{node.place[:80]}…", f"nested more than {MAX_DEPTH} deep")


def check_size(node: Node) -> None:
    """Refuse a component of more parts than any file has.

    In a file it is the file's size that bounds them. An object made in Python may hold a
    part many times over, and then a short one describes more than can ever be built.
    """
    count = 0
    values: list[tuple[object, int]] = [(node.data, 0)]
    while values:
        value, depth = values.pop()
        # What is nested deeper is refused where it is built, with its place.
        if depth > 4 * MAX_DEPTH or not isinstance(value, (dict, list)):
            continue
        count += len(value)
        if count > MAX_PARTS:
            raise SpecError(node.place, f"has more than {MAX_PARTS} parts")
        parts = value.values() if isinstance(value, dict) else value
        values.extend((part, depth + 1) for part in parts)


def unsupported(node: Node, what: str, known: Mapping[str, object]) -> SpecError:
    """The error for a component whose type nobody here builds."""
    if "type" not in node.data:
        return node.error("type", f"missing; expected the type of a {what}")
    kind = node.data["type"]
    problem = f"{what} {shorten(kind)} is not supported; supported: {', '.join(known)}"
    return UnsupportedError(node.at("type"), problem)


def by_shape(
    node: Node, depth: int, shapes: Mapping[tuple[str, ...], Builder[Built]]
) -> tuple[Built | None, SpecError | None]:
    """The first of ``shapes`` that fits the fields of ``node``, whatever its type says.

    Returns what was built, or the first error of a shape whose fields were all there.
    """
    problem: SpecError | None = None
    for keys, build in shapes.items():
        if all(key in node.data for key in keys):
            try:
                return build(node, depth), None
            except SpecError as error:
                problem = problem or error
    return None, problem
