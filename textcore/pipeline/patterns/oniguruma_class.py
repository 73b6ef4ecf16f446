"""The parts of the Oniguruma dialect that denote characters: options, escapes, classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textcore.pipeline.patterns import charset
from textcore.pipeline.patterns.charset import LAST, Ranges
from textcore.pipeline.patterns.reader import Reader

_ASCII: Ranges = ((0, 0x7F),)
_OPTION_NAMES = {
    "i": "ignore_case",
    "m": "dot_all",
    "x": "extended",
    "W": "ascii_word",
    "D": "ascii_digit",
    "S": "ascii_space",
    "P": "ascii_posix",
}
_CONTROLS = {"n": 10, "t": 9, "r": 13, "f": 12, "a": 7, "b": 8, "e": 27, "v": 11}
_POSIX = frozenset(
    {"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph"}
    | {"lower", "print", "punct", "space", "upper", "word", "xdigit"}
)
_HEX = "0123456789abcdefABCDEF"


@dataclass(frozen=True)
class Options:
    """The options in force at one place of a pattern."""

    ignore_case: bool = False
    dot_all: bool = False
    extended: bool = False
    ascii_word: bool = False
    ascii_digit: bool = False
    ascii_space: bool = False
    ascii_posix: bool = False

    def switched(self, letter: str, on: bool) -> Options | None:
        """The options with one more on or off; None for a letter that is no option."""
        name = _OPTION_NAMES.get(letter)
        return replace(self, **{name: on}) if name else None

    def limits_to_ascii(self, name: str) -> bool:
        """Whether a POSIX class or shorthand stands for ASCII characters only."""
        return (
            self.ascii_posix
            or (name == "word" and self.ascii_word)
            or (name == "digit" and self.ascii_digit)
            or (name == "space" and self.ascii_space)
        )


class ClassReader(Reader):
    """Reads escapes that stand for characters, and bracketed classes."""

    dialect = "oniguruma"

    def __init__(self, pattern: str, place: str) -> None:
        super().__init__(pattern, place)
        self.options = Options()

    # Sets with a name

    def shorthand(self, letter: str, bracketed: bool = False) -> Ranges:
        """The set of ``\\w``, ``\\s``, ``\\d``, ``\\h`` or, in upper case, of what is outside."""
        lower = letter.lower()
        ranges = self.property_ranges("\\" + lower, bracketed)
        name = {"w": "word", "d": "digit", "s": "space", "h": "xdigit"}[lower]
        if self.options.limits_to_ascii(name):
            ranges = charset.intersect(ranges, _ASCII)
        return charset.negate(ranges) if letter.isupper() else ranges

    def property(self, letter: str, bracketed: bool = False) -> Ranges:
        """The set of ``\\p{Name}`` or ``\\p{^Name}`` (read up to the brace); ``\\P`` negates."""
        self.position += 1
        negative = self.skip("^") != (letter == "P")
        end = self.pattern.find("}", self.position)
        name = self.pattern[self.position : end] if end >= 0 else "("
        if any(char in "(){|" for char in name):
            self.invalid("the name of a property does not end")
        self.position = end + 1
        ranges = self.property_ranges(name, bracketed)
        if self.options.limits_to_ascii(name.lower()) and name.lower() in _POSIX:
            ranges = charset.intersect(ranges, _ASCII)
        return charset.negate(ranges) if negative else ranges

    # Escaped characters

    def escaped_code(self, char: str) -> int:
        """The code point of an escape that begins with ``\\char``, inside a class or not."""
        if char in "01234567":
            self.position -= 1
            digits = self.take_while("01234567", 3)
            if int(digits, 8) > 0xFF:
                self.unsupported(f"the octal byte {digits}")
            return self._from_bytes(int(digits, 8), octal=True)
        if char == "x" and self.looking_at("{"):
            return self._braced(_HEX, 16, 8)
        if char == "x":
            return self._from_bytes(int(self.take_while(_HEX, 2) or "0", 16), octal=False)
        if char == "o" and self.looking_at("{"):
            return self._braced("01234567", 8, 11)
        if char == "u":
            digits = self.take_while(_HEX, 4)
            if len(digits) < 4:
                self.invalid("\\u without four hexadecimal digits")
            return self.code_point(digits, 16)
        if char == "c" or (char == "C" and self.skip("-")):
            return self._control()
        if char in "CM":
            self.unsupported("\\" + char)
        return _CONTROLS.get(char, ord(char))

    def _control(self) -> int:
        char = self.take("a control character")
        if char == "?":
            return 0x7F
        code = ord(char)
        if char == "\\":
            code = self.escaped_code(self.take("an escaped character"))
        return code & 0x9F

    def _braced(self, digits: str, base: int, limit: int) -> int:
        start = self.position
        self.position += 1
        number = self.take_while(digits, limit)
        if not number:
            # Not a number after all: the letter stands for itself.
            self.position = start
            return ord(self.pattern[start - 1])
        if self.peek() and self.peek() in " \n":
            self.unsupported("a sequence of code points in braces")
        if not self.skip("}"):
            self.invalid("the braces around a code point do not close")
        code = int(number, base)
        return code if code > LAST else self.code_point(number, base)

    def _from_bytes(self, first: int, octal: bool) -> int:
        """A character from escaped bytes, which must be the UTF-8 of one."""
        size = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        encoded = bytearray([first])
        while len(encoded) < size:
            if octal and self.skip("\\"):
                digits = self.take_while("01234567", 3)
            elif not octal and self.skip("\\x"):
                digits = self.take_while(_HEX, 2)
            else:
                digits = ""
            if not digits or int(digits, 8 if octal else 16) > 0xFF:
                self.unsupported("an escaped byte that is no character")
            encoded.append(int(digits, 8 if octal else 16))
        try:
            return ord(encoded.decode("utf-8"))
        except (UnicodeDecodeError, TypeError):
            self.unsupported("escaped bytes that are not UTF-8")

    # Classes

    def read_class(self) -> tuple[Ranges, bool]:
        """The set inside ``[...]`` (its ``[`` is read), and whether it is negated."""
        self.deeper()
        negative = self.skip("^")
        if self.looking_at("]") and "]" not in self.pattern[self.position + 1 :]:
            self.invalid("an empty class")
        parts: list[Ranges] = []
        operands: list[Ranges] = []
        first = True
        while True:
            if self.at_end:
                self.invalid("a class that does not end")
            if self.looking_at("]") and not first:
                self.position += 1
                break
            first = False
            if self.skip("&&"):
                operands.append(charset.union(*parts))
                parts = []
            else:
                parts.append(self._class_item(starts_operand=not parts))
        result = charset.union(*parts)
        for operand in operands:
            result = charset.intersect(result, operand)
        self.depth -= 1
        return result, negative

    def _class_item(self, starts_operand: bool) -> Ranges:
        """One set, character or range of a class."""
        char = self.take()
        if char == "[":
            if self.looking_at(":") and (named := self._posix()) is not None:
                self._refuse_range_from_set()
                return named
            ranges, negative = self.read_class()
            return charset.negate(ranges) if negative else ranges
        code = self._class_escape() if char == "\\" else ord(char)
        if not isinstance(code, int):
            self._refuse_range_from_set()
            return code
        if code > LAST:
            self.invalid("a code point beyond Unicode")
        if char == "-" and not starts_operand and not self.looking_at("-"):
            # A hyphen after a range or a set stands for itself, and begins no range.
            return charset.single(code)
        return self._range_from(code)

    def _range_from(self, low: int) -> Ranges:
        """The rest of a range that begins with ``low``, or that character alone."""
        follows = self.pattern[self.position + 1 : self.position + 3]
        if self.peek() != "-" or follows[:1] in ("", "]") or follows == "&&":
            return charset.single(low)
        self.position += 1
        char = self.take()
        if char == "[" and (not self.looking_at(":") or self._posix() is None):
            self.unsupported("a class as the end of a range")
        high = self._class_escape() if char == "\\" else ord(char)
        if char == "[" or not isinstance(high, int):
            self.invalid("a class as the end of a range")
        if low > high:
            self.invalid("a range that ends before it begins")
        return charset.normalize([(low, min(high, LAST))])

    def _refuse_range_from_set(self) -> None:
        follows = self.pattern[self.position + 1 : self.position + 3]
        if self.peek() == "-" and follows[:1] not in ("", "]") and follows != "&&":
            self.invalid("a range that begins with a class")

    def _class_escape(self) -> Ranges | int:
        """The set, or the code point, of an escape in a class (its backslash is read)."""
        char = self.take("an escaped character")
        if char in "wWdDsShH":
            return self.shorthand(char, bracketed=True)
        if char in "pP" and self.looking_at("{"):
            return self.property(char, bracketed=True)
        return self.escaped_code(char)

    def _posix(self) -> Ranges | None:
        """``[:name:]`` or ``[:^name:]`` (its ``[`` is read); None where it is no such class."""
        end = self.pattern.find(":]", self.position + 1)
        name = self.pattern[self.position + 1 : end] if end >= 0 else ""
        negative = name.startswith("^")
        bare = name.lstrip("^") if name.startswith("^") else name
        if not bare.isalpha():
            return None
        if bare not in _POSIX:
            self.invalid(f"the POSIX class {name!r}")
        self.position = end + 2
        ranges = self.property_ranges("posix:" + bare, bracketed=True)
        if self.options.limits_to_ascii(bare):
            ranges = charset.intersect(ranges, _ASCII)
        return charset.negate(ranges) if negative else ranges
