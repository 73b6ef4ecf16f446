"""A bound on how much longer a tokenizer's own rules may make a text.

A chain of thirty rules that each double a text makes a gigabyte of one character. Real
rules make a text a few times longer (one character has at most 18 in NFKD).
"""

from __future__ import annotations

from textcore.errors import TextError

FREE = 1 << 22
FACTOR = 32


def check_growth(before: int, after: int) -> None:
    """Refuse a text of ``before`` characters that becomes one of ``after``.

    Anything up to 4 Mi characters is allowed, and anything up to 32 times the text. Raises
    TextError.
    """
    if after > FREE and after > FACTOR * before:
        raise TextError(
            f"the tokenizer's own rules make a text of {before} characters longer than "
            f"{max(FREE, FACTOR * before)}"
        )
