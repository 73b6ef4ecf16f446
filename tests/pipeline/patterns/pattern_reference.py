"""Split patterns in use, texts that are hard on them, and what their own engines find."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest
import tiktoken
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from textcore.pipeline.patterns import Pattern, charset, matching, oniguruma, rust
from textcore.pipeline.patterns.charset import Ranges
from textcore.pipeline.patterns.folding import resolve
from textcore.pipeline.patterns.program import Unfit
from textcore.pipeline.patterns.syntax import Set

Span = tuple[int, int]

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+@?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*@?"
)
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_HAN_CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+@?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*@?"
)

#: Patterns of tokenizer.json files, by the family that they come from.
ONIGURUMA = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    + _SPACES,
    "qwen": _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    + _SPACES,
    "qwen3_5": _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"
    + _SPACES,
    "o200k": _CASED.replace("@", _CONTRACTIONS)
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|"
    + _SPACES,
    "tekken": _CASED.replace("@?", "") + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + _SPACES,
    "kimi": r"[\p{Han}]+|"
    + _HAN_CASED.replace("@", _CONTRACTIONS)
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    + _SPACES,
    "deepseek_digits": r"\p{N}{1,3}",
    "deepseek_cjk": "[一-龥\u3040-ゟ゠-ヿ]+",
    "deepseek_words": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
    + "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|"
    + _SPACES,
    "bloom": " ?[^(\\s|[.,!?…。，、।۔،])]+",
    "clip": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]"
    r"|[^\s\p{L}\p{N}]+",
    "clip_folded": r"(?i)<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+"
    r"|[\p{N}]|[^\s\p{L}\p{N}]+",
    "falcon_digits": r"[0-9][0-9][0-9]",
    "superword": r"(?=(\d{3})+(?!\d))|\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
}

#: Patterns that ``tiktoken`` has of its own.
RUST = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": _CASED.replace("@", _CONTRACTIONS)
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|"
    + _SPACES,
    "whitespace": r"\w+|[^\w\s]+",
}

SCALARS = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))

#: Characters of every kind that a split pattern knows, its spaces and newlines most of all.
ALPHABET = " \t\n\r\u00a0\u2003\u3000abzABZßſKéÀʰǅªあカ漢字ไ"
ALPHABET += "١٢1234½²'’-_/.,!?…。،{}<|>😀\u200d\ufe0f\u0301\u0903\0"
WORDS = [
    "'s",
    "'S",
    "'ſ",
    "'ll",
    "'LL",
    "'Ve",
    "'re ",
    "don't",
    "  ",
    "\n\n",
    " \r\n",
    "<|endoftext|>",
]


def texts(seed: int, count: int, extra: Iterable[str] = ()) -> list[str]:
    """Random texts of up to 40 pieces, from the alphabet, the words and ``extra``."""
    chance = random.Random(seed)
    pieces = [*ALPHABET, *WORDS, *extra]
    made = []
    for _ in range(count):
        few = chance.sample(pieces, chance.randint(1, 12))
        made.append("".join(chance.choice(few) for _ in range(chance.randint(1, 40))))
    return made


def _sets(node: object) -> set[Ranges]:
    """The sets anywhere in a syntax tree."""
    if isinstance(node, Set):
        return {node.ranges}
    if isinstance(node, tuple):
        return set().union(*map(_sets, node))
    if not is_dataclass(node):
        return set()
    return set().union(*(_sets(getattr(node, field.name)) for field in fields(node)))


def borders(pattern: str, dialect: str) -> list[str]:
    """The characters on both sides of every border of every set in a pattern."""
    tree = resolve({"oniguruma": oniguruma, "rust": rust}[dialect].parse(pattern, ""))
    codes = {code for ranges in _sets(tree) for pair in ranges for code in pair}
    near = {code + step for code in codes for step in (-1, 0, 1)}
    return [chr(code) for code in sorted(near) if charset.contains(charset.ALL, code)]


class Oniguruma:
    """What Hugging Face ``tokenizers`` finds."""

    def __init__(self, pattern: str) -> None:
        self._matches = Split(Regex(pattern), "removed", invert=True)
        self._pieces = Split(Regex(pattern), "isolated")

    def spans(self, text: str) -> list[Span]:
        """The spans of the matches that are not empty."""
        return [span for _, span in self._matches.pre_tokenize_str(text)]

    def cuts(self, text: str) -> list[int]:
        """The ends of the pieces of an isolated split."""
        return [end for _, (_, end) in self._pieces.pre_tokenize_str(text)]


def by_regex(pattern: str, dialect: str) -> Pattern:
    """A pattern as the ``regex`` engine runs it, whether or not it has an automaton."""

    def unfit(tree: object) -> None:
        raise Unfit("not wanted")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "tables", unfit)
        return matching.compile_pattern(pattern, dialect)


def tiktoken_pieces(pattern: str, text: str, expected: list[str]) -> list[str]:
    """What ``tiktoken`` makes of a text, with a vocabulary that shows whether it is as expected.

    Each expected piece is a token, and each two that are neighbours are one of lower rank:
    pieces cut elsewhere, or joined, come out as other tokens.
    """
    ranks = {bytes([byte]): byte for byte in range(256)}
    for left, right in pairwise(expected):
        ranks.setdefault((left + right).encode(), len(ranks))
    for piece in expected:
        ranks.setdefault(piece.encode(), len(ranks))
    encoding = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    tokens = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
    return [token.decode("utf-8", "surrogateescape") for token in tokens]
