"""The definition of the JSON that is read in calls, mended where it can only be meant in one way.

A plain reader of a complete text, by which the scanner is checked.
"""

from __future__ import annotations

SPACE = " \t\n\r"
DIGITS = "0123456789"
HEX = DIGITS + "abcdefABCDEF"
WORDS = {"true": "true", "false": "false", "null": "null"}
PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


class Malformed(Exception):
    """The text is no such JSON, whatever follows."""


class Cut(Exception):
    """The text ends within it."""


class LenientReader:
    """Reads one object; ``members`` are its own (key, JSON text), as they stand."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.depth = 0
        self.members: list[tuple[str, str]] = []

    def peek(self) -> str:
        if self.at == len(self.text):
            raise Cut
        return self.text[self.at]

    def next(self) -> str:
        character = self.peek()
        self.at += 1
        return character

    def space(self) -> str:
        """Whitespace, and newlines that are escaped outside strings."""
        taken = ""
        while (character := self.peek()) in SPACE + "\\":
            self.at += 1
            if character == "\\":
                if self.next() not in "nrt":
                    raise Malformed
                character = "\n"
            taken += character
        return taken

    def object(self) -> str:
        """The object that begins here, mended."""
        self.depth += 1
        outermost = not self.members and self.depth == 1
        out = self.next() + self.space()
        doubled = self.peek() == "{"
        if doubled:
            self.at += 1
            out += self.space()
            if self.peek() == "{":
                raise Malformed
        if self.peek() == "}":
            self.at += 1
            out += "" if doubled else "}"
        else:
            out += self.pairs(outermost, doubled)
        if doubled:
            out += self.space()
            while self.peek() == ",":
                # Members may stand between the two that close it.
                self.at += 1
                out += "," + self.space() + self.pair(False) + self.space()
            if self.next() != "}":
                raise Malformed
            out += "}"
        self.depth -= 1
        return out

    def pairs(self, outermost: bool, doubled: bool) -> str:
        """Members up to the brace that closes them, which is left out if it is ``doubled``."""
        out = ""
        while True:
            out += self.pair(outermost) + self.space()
            character = self.peek()
            if character == ",":
                self.at += 1
                out += "," + self.space()
            elif character == "}":
                self.at += 1
                return out + ("" if doubled else "}")
            elif character in "\"'" and not doubled:
                out += ", "
            else:
                raise Malformed

    def pair(self, outermost: bool) -> str:
        if self.peek() not in "\"'":
            raise Malformed
        key = self.string()
        between = self.space()
        if self.next() != ":":
            raise Malformed
        between += ":" + self.space()
        value = self.value()
        if outermost:
            self.members.append((key, value))
        return key + between + value

    def value(self) -> str:
        character = self.peek()
        if character in "\"'":
            return self.string()
        if character == "{":
            return self.object()
        if character == "[":
            return self.array()
        if character in "-" + DIGITS:
            return self.number()
        for word, meant in {**WORDS, **PYTHON_WORDS}.items():
            if character == word[0]:
                for expected in word:
                    if self.next() != expected:
                        raise Malformed
                return meant
        raise Malformed

    def array(self) -> str:
        self.depth += 1
        out = self.next() + self.space()
        if self.peek() == "]":
            out += self.next()
        else:
            while True:
                out += self.value() + self.space()
                character = self.next()
                out += character
                if character == "]":
                    break
                if character != ",":
                    raise Malformed
                out += self.space()
        self.depth -= 1
        return out

    def number(self) -> str:
        out = ""
        if self.peek() == "-":
            out += self.next()
        if self.peek() == "0":
            out += self.next()
            if self.peek() in DIGITS:
                raise Malformed
        else:
            out += self.digits()
        if self.peek() == ".":
            out += self.next() + self.digits()
        if self.peek() in "eE":
            out += self.next()
            if self.peek() in "+-":
                out += self.next()
            out += self.digits()
        return out

    def digits(self) -> str:
        if self.peek() not in DIGITS:
            raise Malformed
        out = ""
        while self.peek() in DIGITS:
            out += self.next()
        return out

    def string(self) -> str:
        quote = self.next()
        out = '"'
        while (character := self.next()) != quote:
            if character == "\\":
                out += self.escape(quote)
            elif character < " ":
                out += ESCAPES.get(character, f"\\u{ord(character):04x}")
            else:
                out += '\\"' if character == '"' else character
        return out + '"'

    def escape(self, quote: str) -> str:
        """What stands behind a backslash, with it."""
        character = self.peek()
        if character in '"\\/bfnrt':
            return "\\" + self.next()
        if character == "'":
            self.at += 1
            return "\\u0027"
        if character != "u":
            return "\\\\"
        self.at += 1
        if self.peek() not in HEX:
            return "\\u005cu"
        out = "\\u"
        for _ in range(4):
            if self.peek() not in HEX:
                raise Malformed
            out += self.next()
        return out
