"""Reads patterns of the dialect of Rust's ``fancy-regex``: those of ``tiktoken``.

It is the syntax of the ``regex`` crate with look-around, back-references, atomic groups
and possessive quantifiers (after a counted repeat, too). Source: the documentation of the
two crates and their behaviour, which the tests compare.
"""

from __future__ import annotations

from typing import NamedTuple

from textcore.pipeline.patterns import charset, folding
from textcore.pipeline.patterns.rust_class import RustClassReader
from textcore.pipeline.patterns.syntax import (
    Anchor,
    Atomic,
    BackReference,
    Choice,
    Greed,
    Group,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    WordBoundary,
)

_NEWLINE = charset.single(0x0A)
_MAX_REPEAT = 100_000


class _Quantifier(NamedTuple):
    low: int
    high: int | None
    greed: Greed
    possessive: bool


class RustReader(RustClassReader):
    """Reads a whole pattern into a syntax tree."""

    def __init__(self, pattern: str, place: str) -> None:
        super().__init__(pattern, place)
        self.groups = 0
        self.names: dict[str, int] = {}
        self.references: list[int] = []

    def read(self) -> Node:
        """The tree of the whole pattern."""
        node = self._alternation()
        if not self.at_end:
            self.invalid("a closing parenthesis without an opening one")
        for number in self.references:
            if number > self.groups:
                self.invalid(f"a reference to group {number}, of {self.groups}")
        return node

    def _alternation(self) -> Node:
        """Branches up to a closing parenthesis or the end; flags set within end with it."""
        self.deeper()
        flags = self.flags
        branches = [self._branch()]
        while self.skip("|"):
            branches.append(self._branch())
        self.flags = flags
        self.depth -= 1
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _branch(self) -> Node:
        items: list[Node] = []
        while True:
            self._skip_ignored()
            if self.at_end or self.peek() in "|)":
                return items[0] if len(items) == 1 else Sequence(tuple(items))
            piece = self._piece()
            if piece is not None:
                items.append(piece)

    def _skip_ignored(self) -> None:
        """Step over comments, and over blanks and line comments where flag x is on."""
        while True:
            if self.skip("(?#"):
                while self.take("the end of a comment") != ")":
                    pass
            elif "x" in self.flags and self.peek().isspace():
                self.position += 1
            elif "x" in self.flags and self.peek() == "#":
                end = self.pattern.find("\n", self.position)
                self.position = len(self.pattern) if end < 0 else end + 1
            else:
                return

    def _piece(self) -> Node | None:
        """One atom with its quantifier; None for flags, which are no atom."""
        start = self.position
        if self._quantifier() is not None:
            self.position = start
            self.invalid("a quantifier without anything to repeat")
        atom = self._atom()
        if atom is None:
            return None
        self._skip_ignored()
        start = self.position
        quantifier = self._quantifier()
        if quantifier is None:
            return atom
        if isinstance(atom, (Look, Anchor, WordBoundary)) or atom == Sequence(()):
            self.position = start
            self.unsupported("a quantifier after an assertion")
        low, high, greed, possessive = quantifier
        repeat = Repeat(atom, low, high, greed)
        return Atomic(repeat) if possessive else repeat

    def _quantifier(self) -> _Quantifier | None:
        char = self.peek()
        low: int
        high: int | None
        if char and char in "?*+":
            self.position += 1
            low, high = {"?": (0, 1), "*": (0, None), "+": (1, None)}[char]
        elif char == "{" and (counts := self._counts()) is not None:
            low, high = counts
        else:
            return None
        lazy = self.skip("?") != ("U" in self.flags)
        return _Quantifier(low, high, "lazy" if lazy else "greedy", self.skip("+"))

    def _counts(self) -> tuple[int, int | None] | None:
        """``{n}``, ``{n,}``, ``{n,m}`` or ``{,m}``; None where the brace is a literal."""
        start = self.position
        self.position += 1
        low = self.take_while("0123456789", len(self.pattern))
        comma = self.skip(",")
        high = self.take_while("0123456789", len(self.pattern)) if comma else low
        if not (low or high) or not self.skip("}"):
            self.position = start
            return None
        counts = self._count(low or "0"), self._count(high) if high else None
        if counts[1] is not None and counts[0] > counts[1]:
            self.unsupported("a repeat whose least count exceeds its greatest")
        return counts

    def _count(self, digits: str) -> int:
        if len(digits.lstrip("0")) > 6 or int(digits) > _MAX_REPEAT:
            self.invalid(f"a repeat count over {_MAX_REPEAT}")
        return int(digits)

    def _atom(self) -> Node | None:
        char = self.take()
        if char == "(":
            return self._group()
        if char == "[":
            return Set(self.read_class())
        if char == ".":
            return Set(charset.ALL if "s" in self.flags else charset.negate(_NEWLINE))
        if char in "^$":
            return self._line_anchor(char)
        if char == "\\":
            return self._escape()
        return self._literal(ord(char))

    def _line_anchor(self, char: str) -> Node:
        text = Anchor("text_start") if char == "^" else Anchor("text_end")
        if "m" not in self.flags:
            return text
        newline = Look(Set(_NEWLINE), behind=char == "^", negative=False)
        return Choice((text, newline))

    def _literal(self, code: int) -> Node:
        if "i" in self.flags:
            return Set(folding.simple_variants(code))
        return Literal((code,))

    def _escape(self) -> Node:
        char = self.take("an escaped character")
        if char in "123456789":
            digits = char + self.take_while("0123456789", 3)
            return self._reference(int(digits))
        if char == "k" and self.skip("<"):
            return self._named_reference(">")
        if char in "bB":
            if self.looking_at("{"):
                self.unsupported("\\b{...}")
            return WordBoundary(self.property_ranges("\\w"), char == "B")
        if char in "Az":
            return Anchor("text_start" if char == "A" else "text_end")
        escaped = self.escaped(char)
        return self._literal(escaped) if isinstance(escaped, int) else Set(escaped)

    def _reference(self, number: int) -> Node:
        if "i" in self.flags:
            self.unsupported("a back-reference that ignores case")
        self.references.append(number)
        return BackReference((number,))

    def _named_reference(self, close: str) -> Node:
        name = self._name(close)
        if name not in self.names:
            self.invalid(f"a reference to the unknown group {name!r}")
        return self._reference(self.names[name])

    def _name(self, close: str) -> str:
        end = self.pattern.find(close, self.position)
        if end < 0:
            self.invalid("the name of a group does not end")
        name = self.pattern[self.position : end]
        self.position = end + 1
        if not name.isidentifier() or not name.isascii():
            self.unsupported(f"{name!r} as the name of a group")
        return name

    def _group(self) -> Node | None:
        """What follows an opening parenthesis, up to its closing one."""
        if not self.skip("?"):
            return self._captured(None)
        for opening, behind, negative in (
            ("=", False, False),
            ("!", False, True),
            ("<=", True, False),
            ("<!", True, True),
        ):
            if self.skip(opening):
                return Look(self._closed(), behind, negative)
        if self.skip(">"):
            return Atomic(self._closed())
        if self.skip("P="):
            return self._named_reference(")")
        if self.skip("<") or self.skip("P<"):
            return self._captured(self._name(">"))
        if self.peek() and self.peek() in "(P":
            self.unsupported("(?" + self.peek())
        return self._with_flags()

    def _closed(self) -> Node:
        node = self._alternation()
        if not self.skip(")"):
            self.invalid("a parenthesis that is not closed")
        return node

    def _captured(self, name: str | None) -> Node:
        self.groups += 1
        number = self.groups
        if name is not None:
            if name in self.names:
                self.invalid(f"a second group {name!r}")
            self.names[name] = number
        return Group(self._closed(), number)

    def _with_flags(self) -> Node | None:
        """``(?flags:...)``, or ``(?flags)``, which lasts to the end of the group around it."""
        flags = self.flags
        on = True
        while (char := self.take("a flag")) not in "):":
            if char == "-" and on:
                on = False
            elif char in "imsxU":
                flags = flags | {char} if on else flags - {char}
            elif char != "u" or not on:
                self.unsupported(f"the flag {char!r}")
        if char == ")":
            self.flags = flags
            return None
        before = self.flags
        self.flags = flags
        node = self._closed()
        self.flags = before
        return node


def parse(pattern: str, place: str) -> Node:
    """The tree of a pattern; an error where the reference refuses it or it isn't known."""
    return RustReader(pattern, place).read()
