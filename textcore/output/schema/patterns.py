"""The ``pattern`` keyword: ECMAScript regexes over a string's value, for use inside JSON text.

A pattern is parsed, its anchors and its unanchored ends are resolved into a plain language
over code points, and that is written out as it looks between the quotes of canonical JSON:
a class that holds a quote, a backslash or control characters becomes a choice between the
characters that stand for themselves and the escapes of the others.

The dialect is what JSON Schema asks for (ECMA-262 with the ``u`` flag, section 6.4 of JSON
Schema Core 2020-12), less what is not regular or not position-free: look-around, word
boundaries and back-references are errors, as are property classes and flags.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ...errors import SpecError, UnsupportedError

Ranges = tuple[tuple[int, int], ...]

NESTING_LIMIT: Final = 50
"""Deepest nesting of groups."""

PATTERN_LIMIT: Final = 10_000
"""Longest pattern, and largest count in a quantifier."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set: sorted, disjoint, inclusive ranges without surrogates."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Cat:
    """One after the other; of nothing, the empty string."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """Any of them; of nothing, no string at all."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``low`` to ``high`` times; None: without end."""

    part: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Anchor:
    """``^`` or ``$``."""

    end: bool


Node = Chars | Cat | Alt | Repeat | Anchor

EMPTY: Final = Cat(())
NOTHING: Final = Alt(())


def ranges_of(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Sorted and merged, surrogates taken out."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    kept = []
    for low, high in merged:
        if low < 0xD800:
            kept.append((low, min(high, 0xD7FF)))
        if high > 0xDFFF:
            kept.append((max(low, 0xE000), high))
    return tuple(kept)


def complement(ranges: Ranges) -> Ranges:
    """Every other code point."""
    gaps, start = [], 0
    for low, high in ranges:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= 0x10FFFF:
        gaps.append((start, 0x10FFFF))
    return ranges_of(gaps)


ANY_CHAR: Final = Chars(ranges_of([(0, 0x10FFFF)]))
ANY_TEXT: Final = Repeat(ANY_CHAR, 0, None)

_DIGITS: Final = ranges_of([(0x30, 0x39)])
_WORD: Final = ranges_of([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
# WhiteSpace and LineTerminator of ECMA-262, sections 12.2 and 12.3.
_SPACE: Final = ranges_of(
    [
        *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
        *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
        (0xFEFF, 0xFEFF),
    ]
)
_CLASSES: Final = {
    "d": _DIGITS,
    "D": complement(_DIGITS),
    "w": _WORD,
    "W": complement(_WORD),
    "s": _SPACE,
    "S": complement(_SPACE),
}
_DOT: Final = complement(ranges_of([(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]))
_CONTROL: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_DECIMAL: Final = frozenset("0123456789")
_HEX: Final = frozenset("0123456789abcdefABCDEF")


class _Parser:
    """Recursive descent over one pattern; ``place`` is the pointer that errors name."""

    def __init__(self, source: str, place: str) -> None:
        self.source = source
        self.place = place
        self.at = 0
        self.depth = 0

    def fail(self, problem: str) -> SpecError:
        return SpecError(self.place, f"pattern, character {self.at}: {problem}")

    def unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(
            self.place, f"pattern, character {self.at}: {what} can't be honoured in a regex"
        )

    def peek(self, count: int = 1) -> str:
        return self.source[self.at : self.at + count]

    def take(self, text: str) -> bool:
        found = self.source.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def parse(self) -> Node:
        node = self.alternation()
        if self.at < len(self.source):
            raise self.fail("unbalanced ')'")
        return node

    def alternation(self) -> Node:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Alt(tuple(branches))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.source) and self.peek() not in "|)":
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else Cat(tuple(parts))

    def term(self) -> Node:
        bare_anchor = self.peek() in "^$"
        node = self.atom()
        bounds = self.quantifier()
        if bounds is None:
            return node
        if bare_anchor:
            raise self.fail("an anchor can't be repeated")
        # A lazy quantifier prefers other matches, but allows the same strings.
        self.take("?")
        if self.peek() and self.peek() in "*+?":
            raise self.fail("a quantifier can't be repeated")
        return Repeat(node, *bounds)

    def quantifier(self) -> tuple[int, int | None] | None:
        for mark, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(mark):
                return bounds
        if self.peek() != "{":
            return None
        stop = self.source.find("}", self.at, self.at + 32)
        low, comma, high = self.source[self.at + 1 : max(stop, 0)].partition(",")
        if not low or not _DECIMAL.issuperset(low + high):
            return None
        self.at = stop + 1
        least = int(low)
        most = (int(high) if high else None) if comma else least
        if most is not None and most < least:
            raise self.fail("numbers out of order in a quantifier")
        if max(least, most or 0) > PATTERN_LIMIT:
            raise self.unsupported(f"a count above {PATTERN_LIMIT}")
        return least, most

    def atom(self) -> Node:
        char = self.peek()
        if char in "*+?":
            raise self.fail("nothing to repeat")
        self.at += 1
        if char == "(":
            return self.group()
        if char == "[":
            return Chars(self.char_class())
        if char == ".":
            return Chars(_DOT)
        if char in "^$":
            return Anchor(char == "$")
        if char == "\\":
            return Chars(self.escape(in_class=False))
        return Chars(ranges_of([(ord(char), ord(char))]))

    def group(self) -> Node:
        if self.take("?"):
            if self.take("<") and self.peek() not in ("=", "!"):
                close = self.source.find(">", self.at)
                if close < 0 or not self.source[self.at : close].isidentifier():
                    raise self.fail("a group's name is not an identifier")
                self.at = close + 1
            elif not self.take(":"):
                look = self.peek() in ("=", "!") or self.source[self.at - 1] == "<"
                raise self.unsupported("look-around" if look else "an inline flag")
        self.depth += 1
        if self.depth > NESTING_LIMIT:
            raise self.unsupported(f"groups nested deeper than {NESTING_LIMIT}")
        node = self.alternation()
        self.depth -= 1
        if not self.take(")"):
            raise self.fail("missing ')'")
        return node

    def char_class(self) -> Ranges:
        negated = self.take("^")
        pairs: list[tuple[int, int]] = []
        while not self.take("]"):
            first = self.class_item()
            if self.peek() == "-" and self.peek(2) not in ("-]", "-"):
                self.at += 1
                last = self.class_item()
                if not (_is_single(first) and _is_single(last)):
                    raise self.fail("a range between classes")
                if first[0][0] > last[0][0]:
                    raise self.fail("a range out of order")
                first = ((first[0][0], last[0][0]),)
            pairs += first
        ranges = ranges_of(pairs)
        return complement(ranges) if negated else ranges

    def class_item(self) -> Ranges:
        char = self.peek()
        if not char:
            raise self.fail("missing ']'")
        self.at += 1
        if char == "\\":
            return self.escape(in_class=True)
        return ((ord(char), ord(char)),)

    def escape(self, *, in_class: bool) -> Ranges:
        char = self.peek()
        if not char:
            raise self.fail("a backslash at the end")
        self.at += 1
        if char in _CLASSES:
            return _CLASSES[char]
        if in_class and char in "b-":
            code = 8 if char == "b" else 0x2D
        elif char in _CONTROL and not (char == "0" and self.peek().isdigit()):
            code = _CONTROL[char]
        elif char in _SYNTAX or (char.isascii() and not char.isalnum()):
            code = ord(char)
        elif char == "x":
            code = self.hexadecimal(2)
        elif char == "u":
            code = self.unicode_escape()
        elif char == "c" and self.peek().isascii() and self.peek().isalpha():
            code = ord(self.peek()) % 32
            self.at += 1
        else:
            raise self.unsupported(_ESCAPE_NAMES.get(char, f"the escape \\{char}"))
        return ((code, code),)

    def hexadecimal(self, count: int) -> int:
        digits = self.peek(count)
        if len(digits) < count or not _HEX.issuperset(digits):
            raise self.fail(f"expected {count} hexadecimal digits")
        self.at += count
        return int(digits, 16)

    def unicode_escape(self) -> int:
        if self.take("{"):
            close = self.source.find("}", self.at, self.at + 16)
            digits = self.source[self.at : max(close, self.at)]
            if not digits or not _HEX.issuperset(digits) or int(digits, 16) > 0x10FFFF:
                raise self.fail("expected a code point in braces")
            self.at = close + 1
            return int(digits, 16)
        code = self.hexadecimal(4)
        if 0xD800 <= code < 0xDC00 and self.peek(2) == "\\u":
            back = self.at
            self.at += 2
            low = self.hexadecimal(4) if self.peek() != "{" else 0
            if 0xDC00 <= low < 0xE000:
                return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            self.at = back
        return code


_ESCAPE_NAMES: Final = {
    "b": "a word boundary",
    "B": "a word boundary",
    "k": "a back-reference",
    "p": "a property class",
    "P": "a property class",
} | dict.fromkeys("0123456789", "a back-reference or octal escape")


def _is_single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def parse_pattern(source: str, place: str) -> Node:
    """The language of the *whole* strings that ``source`` matches somewhere, free of anchors.

    Raises:
        SpecError: the pattern is malformed.
        UnsupportedError: it uses what is not regular, or anchors inside a repeat.
    """
    if len(source) > PATTERN_LIMIT:
        raise UnsupportedError(place, f"a pattern longer than {PATTERN_LIMIT} characters")
    parser = _Parser(source, place)
    variants = _resolve(parser.parse(), parser)
    branches = []
    for (at_start, at_end), node in variants.items():
        before: tuple[Node, ...] = () if at_start else (ANY_TEXT,)
        after: tuple[Node, ...] = () if at_end else (ANY_TEXT,)
        branches.append(Cat((*before, node, *after)))
    return Alt(tuple(branches))


# Anchors. A node's matches are sorted by what they assert: (the match begins at the start
# of the string, it ends at its end). Where an assertion lands between two parts, the part on
# its far side can only be empty.

_Variants = dict[tuple[bool, bool], Node]
_FREE: Final = (False, False)


def _resolve(node: Node, parser: _Parser) -> _Variants:
    if isinstance(node, Anchor):
        return {(not node.end, node.end): EMPTY}
    if isinstance(node, Chars):
        return {_FREE: node}
    if isinstance(node, Alt):
        merged: dict[tuple[bool, bool], list[Node]] = {}
        for part in node.parts:
            for key, inner in _resolve(part, parser).items():
                merged.setdefault(key, []).append(inner)
        return {key: Alt(tuple(parts)) for key, parts in merged.items()}
    if isinstance(node, Cat):
        result: _Variants = {_FREE: EMPTY}
        for part in node.parts:
            result = _join(result, _resolve(part, parser))
        return result
    inside = _resolve(node.part, parser)
    if set(inside) <= {_FREE}:
        return {_FREE: Repeat(inside[_FREE], node.low, node.high)} if inside else {}
    if (node.low, node.high) == (0, 1):
        free = Alt((inside.pop(_FREE, NOTHING), EMPTY))
        return {**inside, _FREE: free}
    raise parser.unsupported("an anchor inside a repeated group")


def _join(left: _Variants, right: _Variants) -> _Variants:
    merged: dict[tuple[bool, bool], list[Node]] = {}
    for (start, stopped), before in left.items():
        for (begun, end), after in right.items():
            first, second = before, after
            key = (start, end)
            if begun:
                if not nullable(before):
                    continue
                first, key = EMPTY, (True, end)
            if stopped:
                if not nullable(after):
                    continue
                second, key = EMPTY, (key[0], True)
            both = _cat(first, second)
            merged.setdefault(key, []).append(both)
    return {
        key: parts[0] if len(parts) == 1 else Alt(tuple(parts)) for key, parts in merged.items()
    }


def _cat(first: Node, second: Node) -> Node:
    left = first.parts if isinstance(first, Cat) else (first,)
    right = second.parts if isinstance(second, Cat) else (second,)
    return Cat(left + right)


def nullable(node: Node) -> bool:
    """Whether the empty string is in the language."""
    if isinstance(node, Cat):
        return all(map(nullable, node.parts))
    if isinstance(node, Alt):
        return any(map(nullable, node.parts))
    return isinstance(node, Repeat) and (node.low == 0 or nullable(node.part))
