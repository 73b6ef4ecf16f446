"""Which tokens of a text would change if more text came after it.

The last word may go on, and so may the whitespace before it; every token that could bridge
the end is tried. Source of the method: OpenAI's ``tiktoken`` (``encode_with_unstable``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from textcore.pipeline.characters import WHITESPACE

_BLANK = b" \n\t"


def unstable_count(tokens: list[int], last: int, token_bytes: Mapping[int, bytes]) -> int:
    """How many tokens at the end are unstable, of which ``last`` make up the last word.

    A last word of blanks may be divided otherwise, together with all blanks before it.
    """

    def blank(token: int) -> bool:
        return not token_bytes[token].strip(_BLANK)

    if last and blank(tokens[-last]):
        while last < len(tokens) and blank(tokens[-last - 1]):
            last += 1
    return last


def completions(
    unstable: bytes,
    tokens: list[bytes],
    ids: Mapping[bytes, int],
    encode: Callable[[str], list[int]],
    encode_word: Callable[[bytes], list[int]],
) -> set[tuple[int, ...]]:
    """The token sequences that texts beginning with ``unstable`` may begin with.

    ``tokens`` are all ordinary tokens in order; ``encode`` gives the ids of a text,
    ``encode_word`` those of the bytes of one word.
    """
    found: set[tuple[int, ...]] = {(ids[token],) for token in _beginning_with(unstable, tokens)}
    lengths = {token_id: len(token) for token, token_id in ids.items()}
    for at in range(1, len(unstable)):
        for token in _beginning_with(unstable[at:], tokens):
            data = unstable[:at] + token
            try:
                encoded = encode(data.decode())
            except UnicodeDecodeError:
                encoded = encode_word(data)
            found.add(_covering(encoded, lengths, len(unstable)))
    divided = _last_character(unstable)
    if divided:
        # A blank at the end may be split off by what comes.
        found.add((*encode_word(unstable[:divided]), *encode_word(unstable[divided:])))
    return found


def _beginning_with(prefix: bytes, tokens: list[bytes]) -> Iterator[bytes]:
    at = bisect_left(tokens, prefix)
    while at < len(tokens) and tokens[at].startswith(prefix):
        yield tokens[at]
        at += 1


def _covering(encoded: list[int], lengths: Mapping[int, int], size: int) -> tuple[int, ...]:
    """The first tokens that have ``size`` bytes together."""
    covered = 0
    for count, token in enumerate(encoded, 1):
        covered += lengths[token]
        if covered >= size:
            return tuple(encoded[:count])
    return tuple(encoded)


def _last_character(data: bytes) -> int:
    """Where the last character begins, if it is whitespace and not the only one; else 0."""
    at = len(data) - 1
    while at > 0 and data[at] & 0xC0 == 0x80:
        at -= 1
    try:
        return at if data[at:].decode() in WHITESPACE else 0
    except UnicodeDecodeError:
        return 0
