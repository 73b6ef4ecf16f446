r"""Which characters, and sequences of characters, match each other under ``(?i:…)``.

For every character that has to do with case, the pattern ``(?i:x)`` is run over all of them.
That no other character is affected is shown without running a million patterns: two characters
that match each other differ in some bit of their code points, so the class of all the others
that have this bit set would match one character too many (`affected`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from string import ascii_lowercase

import tiktoken
from tokenizers import NormalizedString, Regex, normalizers
from unicode_tables.probe import SCALARS, Oniguruma, Ranges, Rust, to_ranges

CASE_PROPERTIES = ("cased", "cwcf", "cwl", "cwu", "cwt", "cwcm", "lowercase", "uppercase")
MAX_RANGES = 8000  # Oniguruma takes no class of more than 10,000


def candidates(tables: Iterable[Mapping[str, Ranges]]) -> list[str]:
    """All the characters that some property of some dialect says have to do with case."""
    points = {
        point
        for properties in tables
        for name in CASE_PROPERTIES
        for first, last in properties[name]
        for point in range(first, last + 1)
    }
    return [chr(point) for point in sorted(points)]


def bracket(ranges: Ranges) -> str:
    """A character class of `ranges`, in a syntax both engines read."""
    return "[" + "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in ranges) + "]"


def affected(engine: Oniguruma | Rust, known: Iterable[str]) -> set[int]:
    """The code points outside `known` that match another character under ``(?i)``."""
    seen = set(known)
    others = [ord(char) for char in SCALARS if char not in seen]
    found: set[int] = set()
    for bit in range(21):
        ranges = to_ranges(point for point in others if point >> bit & 1)
        for start in range(0, len(ranges), MAX_RANGES):
            part = ranges[start : start + MAX_RANGES]
            matched = engine.find(f"(?i:{bracket(part)})")
            if matched != part:
                found |= set(_points(matched)) ^ set(_points(part))
    return found


def _points(ranges: Ranges) -> Iterator[int]:
    for first, last in ranges:
        yield from range(first, last + 1)


def lines_matched(pattern: str, lines: list[str]) -> list[str]:
    """The lines that the whole of Oniguruma's `pattern` matches."""
    rest = NormalizedString("\n".join(lines)).split(Regex(f"^{pattern}$"), "removed")
    left = {line for piece in rest for line in piece.normalized.split("\n")}
    return [line for line in lines if line not in left]


def rust_matches(pattern: str, chars: list[str]) -> list[str]:
    """The characters that tiktoken's `pattern` matches."""
    encoding = tiktoken.Encoding(
        "probe", pat_str=pattern, mergeable_ranks=Rust.RANKS, special_tokens={}
    )
    return list(bytes(encoding.encode_ordinary("".join(chars))).decode())


def classes(dialect: str, known: list[str], lowercase: Ranges) -> list[str]:
    """The sets of characters that match each other, each as a string in code point order,
    but for its first lower-case letter (one of `lowercase`), which stands at the front.
    """
    matches = lines_matched if dialect == "oniguruma" else rust_matches
    found = {char: "".join(matches(_ignoring_case(char), known)) for char in known}
    for char, others in found.items():
        if any(found[other] != others for other in others) or char not in others:
            raise AssertionError(f"matching {char!r} without regard to case is no equivalence")
    letters = {chr(point) for point in _points(lowercase)}
    groups = {others for others in found.values() if len(others) > 1}
    return sorted("".join(sorted(group, key=lambda c: c not in letters)) for group in groups)


def _ignoring_case(char: str) -> str:
    return rf"(?i:\x{{{ord(char):x}}})"


def sequences(known: list[str], groups: list[str]) -> dict[str, str]:
    """Oniguruma's matches of one character with two or three.

    The result maps a sequence, each character of which is the first of its class in `groups`,
    to the characters that match it. Tried are all decompositions, whole and with all but the
    last character composed again, all pairs and triples of ASCII letters, and then all pairs
    and triples of the characters seen in what was found.
    """
    everything = f"(?i:{bracket(to_ranges(map(ord, known)))})"
    found = lines_matched(everything, sorted(_decompositions() | _words(ascii_lowercase)))
    first = {char: members[0] for members in groups for char in members}
    alphabet = sorted({first.get(char, char) for line in found for char in line})
    found = lines_matched(everything, sorted(_words(alphabet)))
    result: dict[str, str] = {}
    for char in known:
        for line in lines_matched(_ignoring_case(char), found):
            result[line] = result.get(line, "") + char
    if set(result) != set(found):
        raise AssertionError("a sequence matched a class, but none of its characters")
    return result


def _decompositions() -> set[str]:
    composed = normalizers.NFC()
    found = set()
    for form in (normalizers.NFD(), normalizers.NFKD()):
        lines = form.normalize_str("\n".join(SCALARS.replace("\n", ""))).split("\n")
        for line in lines:
            if len(line) > 1:
                found |= {line, composed.normalize_str(line[:-1]) + line[-1]}
    return {line for line in found if len(line) in (2, 3)}


def _words(alphabet: Iterable[str]) -> set[str]:
    letters = list(alphabet)
    return {"".join(word) for size in (2, 3) for word in product(letters, repeat=size)}
