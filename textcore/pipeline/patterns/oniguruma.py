"""Reads patterns of the Oniguruma dialect: those of a tokenizer.json.

The reference compiles them with Oniguruma's own syntax (``ONIG_SYNTAX_ONIGURUMA``, UTF-8,
no options); source: Oniguruma's ``doc/RE`` and its behaviour, which the tests compare.
"""

from __future__ import annotations

from textcore.pipeline.patterns import charset, folding
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.oniguruma_class import ClassReader
from textcore.pipeline.patterns.reader import FOLDING
from textcore.pipeline.patterns.syntax import (
    Anchor,
    Atomic,
    BackReference,
    Choice,
    Greed,
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

_NEWLINE = charset.single(0x0A)
_ANCHORS: dict[str, Place] = {
    "A": "text_start",
    "z": "text_end",
    "Z": "text_end_or_last_newline",
    "G": "search_start",
}
_MAX_REPEAT = 100_000
_MAX_REFERENCE = 1000


class Enclosed:
    """A node that the reference keeps apart from its neighbours: one with its own options.

    It may be repeated whatever it holds, and literals do not join across its border.
    """

    def __init__(self, node: Node) -> None:
        self.node = node


class OnigurumaReader(ClassReader):
    """Reads a whole pattern into a syntax tree."""

    def __init__(self, pattern: str, place: str) -> None:
        super().__init__(pattern, place)
        self.groups = 0
        self.names: dict[str, list[int]] = {}
        self.references: list[tuple[int, bool]] = []

    def read(self) -> Node:
        """The tree of the whole pattern."""
        node = self._alternation()
        if not self.at_end:
            self.invalid("a closing parenthesis without an opening one")
        for number, by_name in self.references:
            if number > self.groups:
                self.invalid(f"a reference to group {number}, of {self.groups}")
            if self.names and not by_name:
                self.invalid("a reference by number beside named groups")
        return node

    # Sequences

    def _alternation(self) -> Node:
        """Branches up to a closing parenthesis or the end, under the options in force."""
        self.deeper()
        options = self.options
        branches = [self._branch()]
        while self.skip("|"):
            branches.append(self._branch())
        self.options = options
        self.depth -= 1
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _branch(self) -> Node:
        items: list[Node | Enclosed] = []
        while True:
            self._skip_ignored()
            if self.at_end or self.peek() in "|)":
                return self._joined(items)
            piece = self._piece()
            if isinstance(piece, Sequence) and items:
                items.extend(piece.items)
            else:
                items.append(piece)

    def _joined(self, items: list[Node | Enclosed]) -> Node:
        """A sequence in which neighbouring literals have become one string."""
        joined: list[Node] = []
        codes: list[int] = []
        ignore_case = False
        for item in items:
            if codes and not (isinstance(item, Literal) and item.ignore_case == ignore_case):
                joined.append(Literal(tuple(codes), ignore_case))
                codes = []
            if isinstance(item, Literal):
                codes.extend(item.codes)
                ignore_case = item.ignore_case
            elif not isinstance(item, Enclosed):
                joined.append(item)
            else:
                # A choice of one keeps a literal apart wherever the sequence ends up.
                alone = isinstance(item.node, Literal)
                joined.append(Choice((item.node,)) if alone else item.node)
        if codes:
            joined.append(Literal(tuple(codes), ignore_case))
        return joined[0] if len(joined) == 1 else Sequence(tuple(joined))

    def _skip_ignored(self) -> None:
        """Step over comments, and over blanks and line comments where option x is on."""
        while True:
            if self.skip("(?#"):
                while (char := self.take("the end of a comment")) != ")":
                    if char == "\\" and not self.at_end:
                        self.position += 1
            elif self.options.extended and self.peek() and self.peek() in " \t\n\r\f":
                self.position += 1
            elif self.options.extended and self.peek() == "#":
                end = self.pattern.find("\n", self.position)
                self.position = len(self.pattern) if end < 0 else end + 1
            else:
                return

    # Quantifiers

    def _piece(self) -> Node | Enclosed:
        """One atom with its quantifiers."""
        node, grouped = self._atom()
        levels = 0
        while True:
            self._skip_ignored()
            start = self.position
            quantifier = self._quantifier()
            if quantifier is None:
                break
            if _unrepeatable(node):
                self.position = start
                self.invalid("a quantifier after an assertion")
            self.deeper()
            levels += 1
            body = node.node if isinstance(node, Enclosed) else node
            low, high, greed = quantifier
            if (low, high) != (1, 1) and isinstance(body, Literal) and not grouped:
                head = Literal(body.codes[:-1], body.ignore_case)
                last = Literal(body.codes[-1:], body.ignore_case)
                if head.codes:
                    # Only after {1}, which dissolves a group: the rest binds to a character.
                    node = Sequence((head, _repeated(last, low, high, greed)))
                    grouped = False
                    continue
                body = last
            if (low, high) == (1, 1):
                # The reference drops {1}, and with it the group around a string.
                node = Atomic(body) if greed == "possessive" else node
            else:
                node = _repeated(body, low, high, greed)
            grouped = False
        self.depth -= levels
        return node

    def _quantifier(self) -> tuple[int, int | None, Greed] | None:
        char = self.peek()
        if char and char in "?*+":
            self.position += 1
            low, high = {"?": (0, 1), "*": (0, None), "+": (1, None)}[char]
            if self.skip("?"):
                return low, high, "lazy"
            return low, high, "possessive" if self.skip("+") else "greedy"
        return self._interval() if char == "{" else None

    def _interval(self) -> tuple[int, int | None, Greed] | None:
        """``{n}``, ``{n,}``, ``{n,m}`` or ``{,m}``; None where the brace is a literal."""
        start = self.position
        self.position += 1
        low_digits = self.take_while("0123456789", len(self.pattern))
        comma = self.skip(",")
        high_digits = self.take_while("0123456789", len(self.pattern)) if comma else low_digits
        if not (low_digits or high_digits) or not self.skip("}"):
            self.position = start
            return None
        low = self._count(low_digits) if low_digits else 0
        high = self._count(high_digits) if high_digits else None
        if high is not None and low > high:
            return high, low, "possessive"
        if comma and self.skip("?"):
            return low, high, "lazy"
        return low, high, "greedy"

    def _count(self, digits: str) -> int:
        if len(digits.lstrip("0")) > 6 or int(digits) > _MAX_REPEAT:
            self.invalid(f"a repeat count over {_MAX_REPEAT}")
        return int(digits)

    # Atoms

    def _atom(self) -> tuple[Node | Enclosed, bool]:
        """One atom, and whether it is a plain group (which a quantifier repeats whole)."""
        start = self.position
        if self._quantifier() is not None:
            self.position = start
            self.invalid("a quantifier without anything to repeat")
        char = self.take()
        if char == "(":
            return self._group()
        if char == "[":
            return self._class(), False
        if char == ".":
            return Set(charset.ALL if self.options.dot_all else charset.negate(_NEWLINE)), False
        if char == "^":
            return Anchor("line_start"), False
        if char == "$":
            return Anchor("line_end"), False
        if char == "\\":
            return self._escape(), False
        return self._literal(ord(char)), False

    def _literal(self, code: int) -> Literal:
        if code > charset.LAST:
            self.unsupported("a code point beyond Unicode")
        return Literal((code,), self.options.ignore_case)

    def _class(self) -> Node:
        ranges, negative = self.read_class()
        if not self.options.ignore_case:
            return Set(charset.negate(ranges) if negative else ranges)
        self.mention(FOLDING)
        return folding.folded_class(ranges, negative)

    def _escape(self) -> Node:
        char = self.take("an escaped character")
        if char in "wWdDsShH":
            return Set(self.shorthand(char))
        if char in "bB":
            return WordBoundary(self.shorthand("w"), char == "B")
        if char in _ANCHORS:
            return Anchor(_ANCHORS[char])
        if char == "K":
            return Keep()
        if char == "R":
            return _GENERAL_NEWLINE
        if char == "N":
            return Set(charset.negate(_NEWLINE))
        if char == "O":
            return Set(charset.ALL)
        if char in "XyY":
            self.unsupported(f"\\{char} (text segments)")
        if char in "123456789":
            return self._numbered(char)
        if char == "k" and self.peek() and self.peek() in "<'":
            return self._named_reference()
        if char == "g" and self.peek() and self.peek() in "<'":
            self.unsupported("\\g (calls of a group)")
        if char in "pP" and self.looking_at("{"):
            return Set(self.property(char))
        return self._literal(self.escaped_code(char))

    def _numbered(self, first: str) -> Node:
        """A back-reference, or an octal or literal digit where no such group can be."""
        start = self.position - 1
        self.position = start
        digits = self.take_while("0123456789", len(self.pattern))
        number = int(digits) if len(digits) <= 4 else _MAX_REFERENCE + 1
        if number <= _MAX_REFERENCE and (number <= self.groups or number <= 9):
            return self._reference((number,), by_name=False)
        self.position = start + 1
        if first in "89":
            return self._literal(ord(first))
        return self._literal(self.escaped_code(first))

    def _reference(self, numbers: tuple[int, ...], by_name: bool) -> Node:
        if self.options.ignore_case:
            self.unsupported("a back-reference that ignores case")
        self.references.extend((number, by_name) for number in numbers)
        return BackReference(numbers)

    def _named_reference(self) -> Node:
        name = self._name()
        if name.lstrip("-+").isdecimal() and name.isascii():
            number = int(name[:8])
            if name[0] == "-":
                number = self.groups + 1 + number
            elif name[0] == "+":
                number = self.groups + number
            if not 0 < number <= _MAX_REFERENCE:
                self.invalid(f"a reference to group {name}")
            return self._reference((number,), by_name=False)
        if "+" in name or "-" in name:
            self.unsupported("a back-reference with a recursion level")
        if name not in self.names:
            self.invalid(f"a reference to the unknown group {name!r}")
        return self._reference(tuple(reversed(self.names[name])), by_name=True)

    def _name(self) -> str:
        close = ">" if self.take() == "<" else "'"
        end = self.pattern.find(close, self.position)
        if end < 0:
            self.invalid("the name of a group does not end")
        name = self.pattern[self.position : end]
        self.position = end + 1
        if not name:
            self.invalid("an empty group name")
        return name

    # Groups

    def _group(self) -> tuple[Node | Enclosed, bool]:
        """What follows an opening parenthesis, up to its closing one."""
        if self.looking_at("*"):
            self.unsupported("callouts")
        if not self.skip("?"):
            return Enclosed(self._captured(None)), False
        if self.skip(":"):
            return self._closed(), True
        if self.skip("="):
            return Look(self._closed(), behind=False, negative=False), False
        if self.skip("!"):
            return Look(self._closed(), behind=False, negative=True), False
        if self.skip("<="):
            return self._behind(negative=False), False
        if self.skip("<!"):
            return self._behind(negative=True), False
        if self.skip(">"):
            return Enclosed(Atomic(self._closed())), False
        if self.peek() and self.peek() in "<'":
            return Enclosed(self._captured(self._name())), False
        if self.peek() and self.peek() in "~({":
            self.unsupported("(?" + self.peek())
        return Enclosed(self._with_options()), False

    def _closed(self) -> Node:
        node = self._alternation()
        if not self.skip(")"):
            self.invalid("a parenthesis that is not closed")
        return node

    def _behind(self, negative: bool) -> Node:
        body = self._closed()
        if not _allowed_behind(body, negative):
            self.invalid("what a look-behind may not hold")
        return Look(body, behind=True, negative=negative)

    def _captured(self, name: str | None) -> Node:
        self.groups += 1
        number = self.groups
        if name is not None:
            if not (name.replace("_", "a").isalnum() and not name[0].isdecimal()):
                self.invalid(f"{name!r} as the name of a group")
            self.names.setdefault(name, []).append(number)
        return Group(self._closed(), number)

    def _with_options(self) -> Node:
        """``(?imx-imx:...)``, or ``(?imx-imx)``, which lasts to the end of the group."""
        before = self.options
        options = before
        on = True
        while (char := self.take("an option")) not in "):":
            if char == "-":
                on = False
            elif char in "CILy":
                self.unsupported(f"the option {char}")
            else:
                changed = options.switched(char, on)
                if changed is None:
                    self.invalid(f"the group option {char!r}")
                options = changed
        self.options = options
        node = self._closed() if char == ":" else self._alternation()
        self.options = before
        return node


def _general_newline() -> Node:
    """``\\R``: a carriage return and line feed are never taken apart by backtracking."""
    carriage, line = charset.single(0x0D), charset.single(0x0A)
    others: Ranges = charset.normalize([(0x0A, 0x0C), (0x85, 0x85), (0x2028, 0x2029)])
    lone = Sequence((Set(carriage), Look(Set(line), behind=False, negative=True)))
    return Choice((Sequence((Set(carriage), Set(line))), lone, Set(others)))


_GENERAL_NEWLINE = _general_newline()


def _unrepeatable(node: Node | Enclosed) -> bool:
    """Whether the reference refuses to repeat a node: a bare assertion, or a choice with one."""
    if isinstance(node, Choice):
        return any(_unrepeatable(item) for item in node.items)
    return isinstance(node, (Look, Anchor, WordBoundary, Keep))


def _allowed_behind(node: Node, negative: bool) -> bool:
    """Whether the reference accepts a node within a look-behind of that sign."""
    if node == _GENERAL_NEWLINE:
        return True
    if isinstance(node, Look):
        return node.behind and (negative or not node.negative)
    if isinstance(node, Anchor):
        return node.place not in ("text_end", "text_end_or_last_newline")
    if isinstance(node, (Sequence, Choice)):
        return all(_allowed_behind(item, negative) for item in node.items)
    if isinstance(node, Group):
        return not negative and _allowed_behind(node.body, negative)
    if isinstance(node, (Repeat, Atomic)):
        return _allowed_behind(node.body, negative)
    return True


_SIMPLE: list[tuple[int, int | None, Greed]] = [
    (0, 1, "greedy"),
    (0, None, "greedy"),
    (1, None, "greedy"),
    (0, 1, "lazy"),
    (0, None, "lazy"),
    (1, None, "lazy"),
]
# What the reference makes of a repeat (column) of a repeat (row), both out of _SIMPLE: the
# number of the repeat that replaces both; "inner" keeps the inner one alone, "both" leaves
# them, and "lazy" is (x+)??.
_NESTED: list[list[int | str]] = [
    ["inner", 1, 1, 3, 4, "both"],
    ["inner", "inner", "inner", "lazy", "lazy", "inner"],
    [1, 1, "inner", "both", "lazy", "inner"],
    ["inner", 4, 4, "inner", 4, 4],
    ["inner", "inner", "inner", "inner", "inner", "inner"],
    ["both", 1, 2, 4, 4, "inner"],
]


def _repeated(body: Node, low: int, high: int | None, greed: Greed) -> Node:
    """A repeat; one of a repeat is simplified as the reference does it."""
    if greed == "possessive":
        return Atomic(_repeated(body, low, high, "greedy"))
    if not isinstance(body, Repeat):
        return Repeat(body, low, high, greed)
    outer = (low, high, greed)
    inner = (body.low, body.high, body.greed)
    if inner in _SIMPLE and outer in _SIMPLE:
        made = _NESTED[_SIMPLE.index(inner)][_SIMPLE.index(outer)]
        if made == "inner":
            return body
        if made == "lazy":
            return Repeat(Repeat(body.body, 1, None, "greedy"), 0, 1, "lazy")
        if isinstance(made, int):
            return Repeat(body.body, *_SIMPLE[made])
    elif low == high and body.low == body.high:
        return Repeat(body.body, low * body.low, low * body.low, greed)
    elif inner in _SIMPLE[1:3] and high is not None and high > 1 and greed == "greedy":
        return Repeat(body, low, max(low, 1), greed)
    return Repeat(body, low, high, greed)


def parse(pattern: str, place: str) -> Node:
    """The tree of a pattern; an error where the reference refuses it or it isn't known."""
    return OnigurumaReader(pattern, place).read()
