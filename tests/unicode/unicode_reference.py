"""The installed references, asked about characters: the slow twins the tables are compared to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import tiktoken
from tokenizers import NormalizedString, Regex

SCALARS = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
"""All 1,112,064 Unicode scalar values, in order."""

BYTES = {bytes([byte]): byte for byte in range(256)}
ALL = NormalizedString(SCALARS)


def oniguruma(pattern: str, chars: str = SCALARS) -> str:
    """Those of `chars`, which ascend, that a character class matches in tokenizers."""
    text = ALL if chars is SCALARS else NormalizedString(chars)
    found = []
    end = 0
    for piece in text.split(Regex(f"{pattern}+"), "removed"):
        start = chars.index(piece.normalized[0], end)
        found.append(chars[end:start])
        end = start + len(piece.normalized)
    return "".join([*found, chars[end:]])


def rust(pattern: str, chars: str = SCALARS) -> str:
    """Those of `chars` that a character class matches in tiktoken, which drops all others."""
    encoding = tiktoken.Encoding(
        "probe", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={}
    )
    return bytes(encoding.encode_ordinary(chars)).decode()


MATCHED = {"oniguruma": oniguruma, "rust": rust}


def members(ranges: tuple[tuple[int, int], ...], chars: str = SCALARS) -> str:
    """Those of `chars`, which ascend, that are in ranges."""
    return "".join(
        chars[bisect_left(chars, chr(first)) : bisect_right(chars, chr(last))]
        for first, last in ranges
    )
