r"""Languages over a string's value, written as the JSON text of the string.

The canonical text of a string is what ``json.dumps(value, ensure_ascii=False)`` writes: every
character stands for itself, but ``\"`` ``\\`` ``\b`` ``\f`` ``\n`` ``\r`` ``\t``, and ``\u00xx``
in lower case for the other control characters. So each value has one text, and conditions on
the value (its length in code points, a pattern) become conditions on the text.
"""

from __future__ import annotations

from typing import Final

from .fragments import EMPTY, Composer, Fragment, literal, regex_escape
from .patterns import NOTHING, Alt, Cat, Chars, Node, Ranges, Repeat, complement, ranges_of

_SHORT: Final = {0x22: '"', 0x5C: "\\", 8: "b", 9: "t", 10: "n", 12: "f", 13: "r"}
_PLAIN: Final = complement(ranges_of([(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)]))
_CLASS_META: Final = frozenset("\\]^[-&~|")


def _class_char(code: int) -> str:
    char = chr(code)
    if code < 0x7F:
        return "\\" + char if char in _CLASS_META else regex_escape(char) if code < 32 else char
    return f"\\x{code:02x}" if code < 0x100 else (
        f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )  # fmt: skip


def char_class(ranges: Ranges) -> str:
    """A class of the raw characters in (non-empty) ranges, spelled in ASCII."""
    parts = []
    for low, high in ranges:
        parts.append(_class_char(low))
        if high > low:
            parts.append(("-" if high > low + 1 else "") + _class_char(high))
    return f"[{''.join(parts)}]"


def _within(ranges: Ranges, codes: range | tuple[int, ...]) -> list[int]:
    return [c for c in codes if any(low <= c <= high for low, high in ranges)]


def _both(first: Ranges, second: Ranges) -> Ranges:
    return complement(ranges_of((*complement(first), *complement(second), (0xD800, 0xDFFF))))


def _char(ranges: Ranges) -> list[tuple[str, int]]:
    """The alternatives that one character of a set has in JSON text, each with its positions."""
    parts = []
    plain = _both(ranges, _PLAIN)
    if plain:
        single = len(plain) == 1 and plain[0][0] == plain[0][1]
        parts.append((regex_escape(chr(plain[0][0])) if single else char_class(plain), 1))
    short = [_SHORT[c] for c in _within(ranges, tuple(_SHORT))]
    if len(short) == 1:
        parts.append((r"\\" + regex_escape(short[0]), 2))
    elif short:
        parts.append((r"\\[" + "".join(short).replace("\\", r"\\") + "]", 2))
    for high in "01":
        codes = _within(ranges, range(int(high) * 16, int(high) * 16 + 16))
        digits = "".join(f"{c % 16:x}" for c in codes if c not in _SHORT)
        if digits:
            parts.append((rf"\\u00{high}" + _hex_class(digits), 6))
    return parts


def _hex_class(digits: str) -> str:
    if len(digits) == 1:
        return digits
    return {"0123456789abcdef": "[0-9a-f]", "01234567bef": "[0-7bef]"}.get(digits, f"[{digits}]")


def write(node: Node, composer: Composer) -> Fragment | None:
    """A language as it looks between the quotes; None when it is empty."""
    if isinstance(node, Chars):
        parts = [Fragment(text, count) for text, count in _char(node.ranges)]
        if len(parts) == 1:
            text = parts[0].text
            single = text.startswith("[") or len(text) == 1
            return Fragment(text, parts[0].positions, single)
        return composer.alt(parts) if parts else None
    if isinstance(node, Cat):
        written = [write(part, composer) for part in node.parts]
        return None if None in written else composer.seq(p for p in written if p)
    if isinstance(node, Alt):
        return _alternation(node, composer)
    assert isinstance(node, Repeat)
    inner = write(node.part, composer)
    if inner is None:
        return EMPTY if node.low == 0 else None
    return composer.repeat(inner, node.low, node.high)


def _alternation(node: Alt, composer: Composer) -> Fragment | None:
    kept = [p for p in (write(part, composer) for part in node.parts) if p is not None]
    some = [p for p in kept if p.text]
    if not some:
        return EMPTY if kept else None
    joined = composer.alt(some)
    return joined if len(some) == len(kept) else composer.optional(joined)


def quoted(node: Node, composer: Composer) -> Fragment | None:
    """The JSON text of the strings in a language; None when it is empty."""
    inner = None if node == NOTHING else write(node, composer)
    return None if inner is None else composer.seq([literal('"'), inner, literal('"')])
