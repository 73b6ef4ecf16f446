"""Lists of Python calls with keyword arguments, in the strict grammar of response templates."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import regex

from textcore.errors import TextError

DEPTH = 100
LARGEST = 2**53 - 1
_SPACE = regex.compile(r"[ \t\n\r]*+")
_NAME = regex.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*")
_NUMBER = regex.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_STRING = regex.compile(r"""'((?:[^'\\\n\r]|\\.)*+)'|"((?:[^"\\\n\r]|\\.)*+)\"""", regex.DOTALL)
_ESCAPE = regex.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))",
    regex.DOTALL,
)
_SIMPLE = dict(zip("\\'\"/bfnrt", "\\'\"/\b\f\n\r\t", strict=True))
_WORDS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}


def call_list(text: str) -> list[dict[str, Any]]:
    """``[f(a=1), g()]`` as ``[{"name": ..., "arguments": {...}}, ...]``.

    Raises:
        TextError: the text is not such a list, to its end.
    """
    reader = _Reader(text)
    reader.expect("[")
    calls = []
    if not reader.skip("]"):
        while True:
            calls.append(reader.call())
            if reader.skip("]"):
                break
            reader.expect(",")
    reader.space()
    if reader.at != len(text):
        reader.fail("text behind the list")
    return calls


class _Reader:
    """A position in a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, problem: str) -> NoReturn:
        raise TextError(f"response_template: python-call-list: {problem} at {self.at}")

    def space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found
        self.at = found.end()

    def peek(self, characters: str) -> bool:
        self.space()
        return self.text[self.at : self.at + 1] != "" and self.text[self.at] in characters

    def skip(self, character: str) -> bool:
        if not self.peek(character):
            return False
        self.at += 1
        return True

    def expect(self, character: str) -> None:
        if not self.skip(character):
            self.fail(f"expected {character!r}")

    def name(self) -> str:
        self.space()
        found = _NAME.match(self.text, self.at)
        if not found:
            self.fail("expected a name")
        self.at = found.end()
        return str(found[0])

    def call(self) -> dict[str, Any]:
        name = self.name()
        self.expect("(")
        arguments: dict[str, Any] = {}
        if not self.skip(")"):
            while True:
                key = self.name()
                self.expect("=")
                self.add(arguments, key, self.value(0))
                if self.skip(")"):
                    break
                self.expect(",")
        return {"name": name, "arguments": arguments}

    def add(self, values: dict[str, Any], key: str, value: Any) -> None:
        if key in values:
            self.fail(f"{key!r:.80} a second time")
        values[key] = value

    def value(self, depth: int) -> Any:
        if self.peek("'\""):
            return self.string()
        if self.peek("[{"):
            if depth >= DEPTH:
                self.fail(f"more than {DEPTH} levels")
            return self.items(depth + 1) if self.skip("[") else self.pairs(depth + 1)
        found = _NUMBER.match(self.text, self.at)
        if found:
            return self.number(found)
        found = _NAME.match(self.text, self.at)
        if found and found[0] in _WORDS:
            self.at = found.end()
            return _WORDS[found[0]]
        return self.fail("expected a value")

    def items(self, depth: int) -> list[Any]:
        values: list[Any] = []
        if self.skip("]"):
            return values
        while True:
            values.append(self.value(depth))
            if self.skip("]"):
                return values
            self.expect(",")

    def pairs(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        self.expect("{")
        if self.skip("}"):
            return values
        while True:
            if not self.peek("'\""):
                self.fail("expected a string as the key")
            key = self.string()
            self.expect(":")
            self.add(values, key, self.value(depth))
            if self.skip("}"):
                return values
            self.expect(",")

    def number(self, found: regex.Match[str]) -> int | float:
        digits = found[0]
        if found[1] is None and found[2] is None:
            if len(digits) > 17 or abs(int(digits)) > LARGEST:
                self.fail("an integer beyond 2**53 - 1")
            self.at = found.end()
            return int(digits)
        if math.isinf(float(digits)):
            self.fail("a number that is too large")
        self.at = found.end()
        return float(digits)

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if not found:
            self.fail("not a string")
        body: str = found[1] if found[1] is not None else found[2]
        if any("\ud800" <= c <= "\udfff" for c in body):
            self.fail("a lone surrogate in the string")
        value: str = _ESCAPE.sub(self.escape, body)
        self.at = found.end()
        return value

    def escape(self, found: regex.Match[str]) -> str:
        if found[1] is not None:
            high, low = int(found[1], 16) - 0xD800, int(found[2], 16) - 0xDC00
            return chr(0x10000 + (high << 10) + low)
        if found[3] is not None:
            code = int(found[3], 16)
            if 0xD800 <= code <= 0xDFFF:
                self.fail("a lone surrogate's escape in the string")
            return chr(code)
        if found[4] not in _SIMPLE:
            self.fail(f"the escape {found[0]!r} in the string")
        return _SIMPLE[found[4]]
