"""What `tokenizers` takes for one grapheme cluster, and for one script, seen from outside.

The normalizer Precompiled replaces a cluster of fewer than six bytes as a whole where its
first character has a replacement, so whether characters are one cluster shows in whether the
second one is still there. What such short clusters cannot show does not matter to it either.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterable, Mapping

from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.normalizers import Normalizer
from unicode_tables.probe import SCALARS, Ranges, to_ranges

MARK = "\u0300"  # an extender of two bytes
KA, VIRAMA = "\u0915", "\u094d"
JOINER = "\u200d"
COPYRIGHT = "\u00a9"
V, T, L = "\u1161", "\u11a8", "\u1100"


def charsmap(replaced: Mapping[str, str]) -> str:
    """A ``precompiled_charsmap`` that replaces keys by values, in base64.

    Every node has 256 units of its own: large, and simple.
    """
    children: list[dict[int, int]] = [{}]
    ends = {}
    values: dict[str, int] = {}
    blob = b""
    for key, value in replaced.items():
        if value not in values:
            values[value] = len(blob)
            blob += value.encode() + b"\0"
        node = 0
        for byte in key.encode():
            if byte not in children[node]:
                children[node][byte] = len(children)
                children.append({})
            node = children[node][byte]
        ends[node] = values[value]
    # Node i's children stand at (i + 1) * 256 + (the byte that led to it) ^ (their byte).
    units = [0] * ((len(children) + 1) * 256)
    leads = [0] * len(children)
    units[0] = 1 << 10 | 1 << 9
    for node, by_byte in enumerate(children):
        base = (node + 1) * 256 + leads[node]
        for byte, child in by_byte.items():
            leads[child] = byte
            at = base ^ byte
            offset = (at ^ ((child + 1) * 256 + (at & 0xFF))) >> 8
            leads[child] = at & 0xFF
            units[at] = byte | offset << 10 | 1 << 9 | (child in ends) << 8
        if node in ends:
            units[base] = 1 << 31 | ends[node]
    data = struct.pack(f"<I{len(units)}I", 4 * len(units), *units)
    return base64.b64encode(data + blob).decode()


def precompiled(keys: Iterable[str]) -> Normalizer:
    """The reference's normalizer with a map of ``keys`` to "@"."""
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    normalizer = {
        "type": "Precompiled",
        "precompiled_charsmap": charsmap(dict.fromkeys(keys, "@")),
    }
    spec = {"version": "1.0", "normalizer": normalizer, "model": model, "added_tokens": []}
    found = Tokenizer.from_str(json.dumps(spec)).normalizer
    assert found is not None
    return found


def probe() -> dict[str, Ranges]:
    """The kinds by name (see ``textcore/core/graphemes.pyx``), as ``grapheme_…``."""
    chars = "".join(char for char in SCALARS if char not in "\r\n\0@a" + MARK)
    letter = precompiled("a")
    every = precompiled(char for char in SCALARS if char not in "\n\0@a" + MARK)
    joining = _attached(letter, chars, first="a") | {MARK}
    prepend = _attached(every, chars, "a") - joining
    # With the mark, a character of four bytes has six.
    short = "".join(char for char in chars if char < "\U00010000")
    stopped = set(short) - _attached(every, short, MARK)
    after_emoji = _later(every, lambda c: COPYRIGHT + c + JOINER, COPYRIGHT, chars + MARK)
    extend = (after_emoji & joining) - {JOINER}
    pictographs = _later(every, lambda c: c + JOINER, COPYRIGHT, chars) - prepend - joining
    plain = "".join(char for char in chars if char not in prepend and char not in joining)
    before_v = _later(every, str, V, plain)
    before_t = _later(every, str, T, plain)
    after_v = _after(every, V, plain)
    after_l = _after(every, L, plain)
    conjunct = _later(every, lambda c: KA + c, KA, chars + MARK) - prepend
    between = _later(every, lambda c: KA + VIRAMA + c, KA, chars + MARK) - prepend
    found = {
        "cr": {"\r"},
        "lf": {"\n"},
        "control": stopped | {"\0"},
        "extend": extend,
        "zwj": {JOINER},
        "spacing_mark": joining - extend - {JOINER},
        "prepend": prepend,
        "l": before_v - before_t,
        "v": before_v & before_t & after_v,
        "lv": (before_v & before_t) - after_v,
        "lvt": (before_t - before_v) & after_l,
        "t": before_t - before_v - after_l,
        "pictograph": pictographs,
        "linker": conjunct & joining,
        "conjunct_extend": (between & joining) - conjunct,
        "consonant": _later(every, lambda c: c + VIRAMA, KA, plain),
    }
    return {
        f"grapheme_{name}": to_ranges(sorted(map(ord, members))) for name, members in found.items()
    }


def _attached(
    normalizer: Normalizer, chars: str, last: str | None = None, first: str = ""
) -> set[str]:
    """The characters that are one cluster with ``first`` before them, or ``last`` after."""
    results = normalizer.normalize_str("\n".join(first + char + (last or "") for char in chars))
    pairs = zip(chars, results.split("\n"), strict=True)
    return {char for char, result in pairs if result == "@"}


def _later(every: Normalizer, before: Callable[[str], str], last: str, chars: str) -> set[str]:
    """The characters after whose ``before`` a ``last`` is no cluster of its own."""
    results = every.normalize_str("\n".join(before(c) + last + MARK for c in chars)).split("\n")
    pairs = zip(chars, results, strict=True)
    return {char for char, result in pairs if result.endswith(MARK)}


def _after(every: Normalizer, first: str, chars: str) -> set[str]:
    """The characters of at most three bytes that go with ``first`` before them."""
    short = "".join(char for char in chars if "\u0800" <= char < "\U00010000")
    results = every.normalize_str("\n".join(first + c + MARK for c in short)).split("\n")
    return {c for c, result in zip(short, results, strict=True) if result.endswith(MARK)}


def scripts() -> dict[str, Ranges]:
    """The scripts that UnicodeScripts tells apart, each named by its first character."""
    component = pre_tokenizers.UnicodeScripts()

    def pieces(text: str) -> list[str]:
        return [piece for piece, _ in component.pre_tokenize_str(text)]

    known = [char for char in SCALARS if pieces(char)]
    members: dict[str, list[str]] = {}
    for run in pieces("".join(known)):
        script = next((first for first in members if len(pieces(first + run[0])) == 1), run[0])
        members.setdefault(script, []).append(run)
    return {
        f"script_{ord(first):04X}": to_ranges(sorted(map(ord, "".join(runs))))
        for first, runs in members.items()
    }
