"""The data of the four normalization forms, of Lowercase and of StripAccents, as `tokenizers`
applies them, and the C header that holds it.

Every character is normalized alone (between line feeds, which nothing composes with). What can
only be seen in company is derived: the order of combining marks from how a string of all of
them is sorted, and compositions from decompositions that compose again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tokenizers import normalizers
from unicode_tables.probe import SCALARS

HANGUL = range(0xAC00, 0xD7A4)
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
BLOCK = 128


class Data(NamedTuple):
    """What the reference does to characters. Those it leaves alone are in no table."""

    alone: dict[str, dict[str, str]]  # form -> character -> what it becomes, if that differs
    lower: dict[str, str]
    marks: set[str]  # that StripAccents removes
    order: dict[str, int]  # non-starter -> rank of its combining class, from 1
    pairs: dict[tuple[str, str], str]  # canonical compositions without Hangul


def _changed(normalize: Callable[[str], str], chars: str, form: str = "{}") -> dict[str, str]:
    """What becomes of the characters, each alone in a line of a given form, if it changes."""
    changed: dict[str, str] = {}
    for start in range(0, len(chars), 1024):
        before = list(map(form.format, chars[start : start + 1024]))
        after = normalize("\n".join(before)).split("\n")
        if after != before:
            lines = zip(chars[start:], before, after, strict=False)
            changed |= {char: result for char, line, result in lines if line != result}
    return changed


def _order(nfd: Callable[[str], str], stable: str) -> dict[str, int]:
    """Ranks of the combining classes of those characters of `stable` that have one.

    U+0334 has the lowest class and U+0345 the highest, so a character that neither stays in
    front of the one nor goes in front of the other is a starter.
    """
    lowest, highest = "\u0334", "\u0345"
    found = {lowest, highest} | set(_changed(nfd, stable, "{}" + lowest))
    found |= set(_changed(nfd, stable, highest + "{}"))
    nonstarters = "".join(sorted(found))
    ascending = nfd(nonstarters)
    backward = nfd(nonstarters[::-1])
    place = {char: at for at, char in enumerate(backward)}
    ranks: dict[str, int] = {}
    rank = 0
    for at, char in enumerate(ascending):
        # Sorting is stable, so within a class the reversed string comes out reversed.
        if at == 0 or place[ascending[at - 1]] < place[char]:
            rank += 1
        ranks[char] = rank
    return ranks


def _pairs(
    nfc: Callable[[str], str], decompositions: dict[str, str]
) -> dict[tuple[str, str], str]:
    pairs = {}
    for char, parts in decompositions.items():
        if ord(char) in HANGUL or nfc(char) != char:
            continue
        first, second = nfc(parts[:-1]), parts[-1]
        if len(first) != 1 or nfc(first + second) != char:
            raise AssertionError(f"{char!r} is no composition of two characters")
        pairs[first, second] = char
    return pairs


def probe() -> Data:
    """Ask the reference for everything."""
    chars = SCALARS.replace("\n", "")
    forms = {form: getattr(normalizers, form)().normalize_str for form in FORMS}
    alone = {form: _changed(normalize, chars) for form, normalize in forms.items()}
    stable = "".join(char for char in chars if char not in alone["NFD"])
    kept = set(normalizers.StripAccents().normalize_str(SCALARS))
    return Data(
        alone,
        _changed(normalizers.Lowercase().normalize_str, chars),
        set(SCALARS) - kept,
        _order(forms["NFD"], stable),
        _pairs(forms["NFC"], alone["NFD"]),
    )


def _hangul(point: int) -> str:
    index = point - HANGUL.start
    parts = [0x1100 + index // 588, 0x1161 + index % 588 // 28]
    return "".join(map(chr, parts + [0x11A7 + index % 28] * bool(index % 28)))


def check_hangul(data: Data) -> None:
    """The code treats Hangul by arithmetic (The Unicode Standard, section 3.12)."""
    for point in HANGUL:
        char = chr(point)
        if any(data.alone[form].get(char) != _hangul(point) for form in ("NFD", "NFKD")):
            raise AssertionError(f"{char!r} is not decomposed as a Hangul syllable")
        if any(char in data.alone[form] for form in ("NFC", "NFKC")):
            raise AssertionError(f"{char!r} is not composed as a Hangul syllable")


def _properties(data: Data) -> list[int]:
    """One number a code point: bits 0-7 the rank of its class, then a bit for each flag."""
    seconds = {second for _, second in data.pairs}
    seconds |= set(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))
    values = [0] * 0x110000
    for char, rank in data.order.items():
        values[ord(char)] = rank
    members = [*(data.alone[form] for form in FORMS), seconds, data.lower, data.marks]
    for bit, chars in enumerate(members, start=8):
        for char in chars:
            values[ord(char)] |= 1 << bit
    if any(values[0x4000:0xA000]):
        raise AssertionError("U+4000 to U+9FFF, which the code skips, are not all inert")
    return values


def _mappings(data: Data) -> tuple[list[int], list[int]]:
    """For each code point an offset (0: none) into the second list, where there are:

    the three lengths (bits 0-7, 8-15, 16-23) and then the characters of its canonical and its
    compatibility decomposition (length 0: as the canonical one) and its lower-case mapping.
    """
    offsets = [0] * 0x110000
    words = [0]
    for char in sorted({*data.alone["NFD"], *data.alone["NFKD"], *data.lower}):
        if ord(char) in HANGUL:
            continue
        canonical = data.alone["NFD"].get(char, "")
        compatible = data.alone["NFKD"].get(char, "")
        parts = [canonical, "" if compatible == canonical else compatible]
        parts.append(data.lower.get(char, ""))
        offsets[ord(char)] = len(words)
        words.append(sum(len(part) << 8 * i for i, part in enumerate(parts)))
        words += [ord(part) for part in "".join(parts)]
    return offsets, words


def _blocks(values: list[int]) -> tuple[list[int], list[int]]:
    """A two-level table of `values`: the number of each block of them, and the blocks."""
    known: dict[tuple[int, ...], int] = {}
    index = []
    for start in range(0, len(values), BLOCK):
        index.append(known.setdefault(tuple(values[start : start + BLOCK]), len(known)))
    return index, [value for block in known for value in block]


def _array(kind: str, name: str, values: Iterable[int]) -> str:
    lines = [f"static const {kind} {name}[] = {{"]
    line = ""
    for item in map("{},".format, values):
        if len(line) + len(item) > 99:
            lines.append(line)
            line = ""
        line += item
    return "\n".join([*lines, line, "};", ""])


def header(data: Data, version: str) -> str:
    """The tables in C."""
    values = _properties(data)
    distinct = sorted(set(values))
    number = {value: at for at, value in enumerate(distinct)}
    index, blocks = _blocks([number[value] for value in values])
    offsets, words = _mappings(data)
    map_index, map_blocks = _blocks(offsets)
    pairs = sorted((ord(a), ord(b), ord(composed)) for (a, b), composed in data.pairs.items())
    limits = {len(distinct): 0x100, max(index): 0x100, max(map_index): 0x100, len(words): 0x10000}
    if any(size > limit for size, limit in limits.items()) or max(data.order.values()) > 63:
        raise AssertionError("the tables need wider types")
    return "\n".join(
        [
            f"/* Made by scripts/make_unicode_tables.py out of tokenizers {version}: the Unicode",
            " * data of its normalizers. See docs/unicode.md. Do not edit. */",
            "#include <stdint.h>",
            f"#define NORM_BLOCK {BLOCK}",
            f"#define NORM_PAIRS {len(pairs)}",
            "#define NORM_RANKS 64",
            _array("uint16_t", "norm_properties", distinct),
            _array("uint8_t", "norm_index", index),
            _array("uint8_t", "norm_blocks", blocks),
            _array("uint8_t", "norm_map_index", map_index),
            _array("uint16_t", "norm_map_blocks", map_blocks),
            _array("uint32_t", "norm_words", words),
            _array("uint32_t", "norm_first", [pair[0] for pair in pairs]),
            _array("uint32_t", "norm_second", [pair[1] for pair in pairs]),
            _array("uint32_t", "norm_composed", [pair[2] for pair in pairs]),
        ]
    )
