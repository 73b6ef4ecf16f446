"""The parts of the Rust dialect that denote characters: escapes and classes."""

from __future__ import annotations

from textcore.pipeline.patterns import charset, folding
from textcore.pipeline.patterns.charset import LAST, Ranges
from textcore.pipeline.patterns.reader import FOLDING, Reader

_CONTROLS = {"n": 10, "t": 9, "r": 13, "f": 12, "a": 7, "e": 27, "v": 11}
_HEX = "0123456789abcdefABCDEF"
_DIGITS = {"x": 2, "u": 4, "U": 8}
_HEX_DIGITS: Ranges = ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))


class RustClassReader(Reader):
    """Reads escapes that stand for characters, and bracketed classes."""

    dialect = "rust"

    def __init__(self, pattern: str, place: str) -> None:
        super().__init__(pattern, place)
        self.flags: frozenset[str] = frozenset()

    def escaped(self, char: str) -> Ranges | int:
        """The set or the code point of an escape that begins with ``\\char``."""
        if char in "wWdDsS":
            ranges = self.property_ranges("\\" + char.lower())
            return charset.negate(ranges) if char.isupper() else ranges
        if char in "hH":
            return charset.negate(_HEX_DIGITS) if char == "H" else _HEX_DIGITS
        if char in "pP":
            return self._property(char == "P")
        if char in _DIGITS:
            return self._hexadecimal(_DIGITS[char])
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char.isalnum() or (ord(char) < 0x80 and char in "<>") or ord(char) >= 0x80:
            self.unsupported("\\" + char)
        return ord(char)

    def _hexadecimal(self, count: int) -> int:
        if self.skip("{"):
            digits = self.take_while(_HEX, 8)
            if not digits or not self.skip("}"):
                self.invalid("the braces around a code point")
        else:
            digits = self.take_while(_HEX, count)
            if len(digits) < count:
                self.invalid(f"a code point of fewer than {count} digits")
        return self.code_point(digits, 16)

    def _property(self, negative: bool) -> Ranges:
        if self.skip("{"):
            end = self.pattern.find("}", self.position)
            if end < 0:
                self.invalid("the name of a property does not end")
            name = self.pattern[self.position : end]
            self.position = end + 1
        else:
            name = self.take("the name of a property")
        for sign in ("!=", "=", ":"):
            kind, found, value = name.partition(sign)
            if found:
                if kind.lower() not in ("gc", "sc", "general_category", "script"):
                    self.unsupported(f"the property {name!r}")
                negative ^= sign == "!="
                name = value
                break
        ranges = self._folded(self.property_ranges(name))
        return charset.negate(ranges) if negative else ranges

    # Classes

    def read_class(self) -> Ranges:
        """The set of ``[...]``, whose ``[`` is read."""
        self.deeper()
        negative = self.skip("^")
        result: Ranges | None = None
        operator = ""
        parts: list[Ranges] = []
        while self.skip("-"):
            parts.append(charset.single(ord("-")))
        if not parts and self.skip("]"):
            parts.append(charset.single(ord("]")))
        while True:
            if self.at_end:
                self.invalid("a class that does not end")
            if self.skip("]"):
                break
            following = self.pattern[self.position : self.position + 2]
            if following in ("&&", "--", "~~"):
                result = self._combined(result, operator, parts)
                operator = following
                parts = []
                self.position += 2
            else:
                parts.append(self._class_item())
        result = self._folded(self._combined(result, operator, parts))
        self.depth -= 1
        return charset.negate(result) if negative else result

    def _folded(self, ranges: Ranges) -> Ranges:
        if "i" not in self.flags:
            return ranges
        self.mention(FOLDING)
        return folding.simple_closure(ranges)

    def _combined(self, left: Ranges | None, operator: str, parts: list[Ranges]) -> Ranges:
        right = charset.union(*parts)
        if left is None:
            return right
        left, right = self._folded(left), self._folded(right)
        if operator == "&&":
            return charset.intersect(left, right)
        if operator == "--":
            return charset.difference(left, right)
        return charset.difference(charset.union(left, right), charset.intersect(left, right))

    def _class_item(self) -> Ranges:
        """One set, character or range of a class."""
        char = self.take()
        if "x" in self.flags and (char.isspace() or char == "#"):
            self.unsupported("blanks in a class with the flag x")
        if char == "[":
            named = self._posix() if self.looking_at(":") else None
            return self.read_class() if named is None else named
        low = self._class_char(char)
        following = self.pattern[self.position + 1 : self.position + 2]
        if self.peek() != "-" or following in ("", "]", "-"):
            return charset.single(low) if isinstance(low, int) else low
        self.position += 1
        high = self._class_char(self.take())
        if not isinstance(low, int) or not isinstance(high, int):
            self.invalid("a class as the end of a range")
        if low > high:
            self.invalid("a range that ends before it begins")
        return charset.normalize([(low, min(high, LAST))])

    def _class_char(self, char: str) -> Ranges | int:
        if char != "\\":
            return ord(char)
        return self.escaped(self.take("an escaped character"))

    def _posix(self) -> Ranges | None:
        """``[:name:]`` or ``[:^name:]`` (its ``[`` is read); None where it is no such class."""
        end = self.pattern.find(":]", self.position + 1)
        name = self.pattern[self.position + 1 : end] if end >= 0 else ""
        negative = name.startswith("^")
        bare = name[1:] if negative else name
        if not (bare.isascii() and bare.isalpha()):
            return None
        self.position = end + 2
        ranges = self.property_ranges("posix:" + bare)
        return charset.negate(ranges) if negative else ranges
