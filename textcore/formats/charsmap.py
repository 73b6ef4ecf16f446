"""The normalization rules of a SentencePiece model: a double-array trie and its texts.

``precompiled_charsmap`` is the trie's size in bytes (little-endian, 32 bits), the trie's
units (32 bits each), then the replacements, each ended by a zero byte; a key's value is
where its replacement begins. Sources: SentencePiece's ``normalizer.cc``, and the unit
layout of Susumu Yata's ``darts-clone``.
"""

from __future__ import annotations

import struct

from textcore.errors import SpecError

# Published rules number some 40,000 of up to 16 bytes. A trie may share its branches, so
# that a small hostile one spells endlessly many keys.
MAX_STEPS = 2_000_000
MAX_KEY = 64

_LEAF = 1 << 31


def read_charsmap(data: bytes, place: str) -> dict[str, str]:
    """The rules: what each text is replaced by. Raises SpecError."""
    if not data:
        return {}
    if len(data) < 4:
        raise SpecError(place, "shorter than its header of 4 bytes")
    size = int.from_bytes(data[:4], "little")
    if size % 4 or not 4 <= size <= len(data) - 4:
        raise SpecError(place, f"a trie of {size} bytes; {len(data) - 4} are there")
    units = struct.unpack_from(f"<{size // 4}I", data, 4)
    texts = data[4 + size :]
    rules: dict[str, str] = {}
    for key, value in _keys(units, place):
        try:
            rules[key.decode()] = _replacement(texts, value, place)
        except UnicodeDecodeError:
            raise SpecError(place, f"the key {key.hex()} is not UTF-8") from None
    return rules


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & (1 << 9)) >> 6)


def _keys(units: tuple[int, ...], place: str) -> list[tuple[bytes, int]]:
    """All keys of the trie with their values.

    A unit's label and place say which base it hangs on, so that children are found without
    trying every byte.
    """
    children: dict[int, list[tuple[int, int]]] = {}
    for index, unit in enumerate(units):
        label = unit & (_LEAF | 0xFF)
        if label <= 0xFF and label != 0:
            children.setdefault(index ^ label, []).append((label, index))
    found = []
    steps = 0
    todo = [(_offset(units[0]), b"")]
    while todo:
        base, key = todo.pop()
        for label, index in children.get(base, ()):
            steps += 1
            if steps > MAX_STEPS or len(key) >= MAX_KEY:
                raise SpecError(place, "the trie has too many or too long keys")
            unit = units[index]
            longer = key + bytes([label])
            below = index ^ _offset(unit)
            if unit & (1 << 8):
                if below >= len(units):
                    raise SpecError(place, f"a value outside of the trie, at {below}")
                found.append((longer, units[below] & (_LEAF - 1)))
            todo.append((below, longer))
    return found


def _replacement(texts: bytes, start: int, place: str) -> str:
    end = texts.find(b"\0", start)
    if start >= len(texts) or end < 0:
        raise SpecError(place, f"a replacement outside of the texts, at {start}")
    try:
        return texts[start:end].decode()
    except UnicodeDecodeError:
        raise SpecError(place, f"the replacement at {start} is not UTF-8") from None
