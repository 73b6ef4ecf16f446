"""One word of many characters, which no cache holds: what a word costs as it gets longer."""

import random
import string
from functools import lru_cache
from itertools import count

import pytest

from benchmarks.timing import CannotDo, Phase, fewer

SIZES = (1_000, 10_000, 100_000, 1_000_000)
# What a word is made of: some can be cut, or are merged in few steps, others are not.
KINDS = {
    "letters": string.ascii_lowercase,
    "one letter": "a",
    "four letters": "ACGT",
    "Chinese": "的一是不了人我在有他这中大来上国个到说们",
}
# A peer that took longer than this for a word is not asked for one ten times as long.
PATIENCE = 1.0


@pytest.fixture(scope="session")
def gave_up(model):
    """The peers that are not asked for longer words, of one tokenizer: (peer, kind of word)."""
    return set()


@lru_cache(maxsize=16)
def word_of(kind, characters, number):
    """A word of a kind, and another one of each number."""
    letters = random.Random(number).choices(KINDS[kind], k=characters)
    if kind == "one letter":
        letters[: number % characters] = []
    return "".join(letters)


def refuse():
    raise CannotDo(f"not run: more than {PATIENCE:g} s for a tenth of it")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES, ids="{:,}".format)
def test_long_word(turns, loaded, quick, gave_up, kind, size):
    characters = size // (100 if quick else 1)

    def beginner(make):
        """Each time, the library and a word that it has not met."""
        numbers = count()
        return lambda: (make(), [word_of(kind, characters, next(numbers))])

    makers = {name: beginner(make) for name, make in loaded.makers("encode").items()}
    makers |= {name: refuse for name, refused in gave_up if refused == kind}
    turns.text = f"{kind}, {size:,} characters"
    turns.rounds = fewer(turns.rounds)
    turns.compare(
        makers,
        Phase("a long word", lambda pair: pair[0].encode(pair[1]), 1),
        unit="ms",
        fresh=True,
    )
    outcomes = turns.results[-1].outcomes
    slow = {name for name, found in outcomes.items() if (found.cost or 0.0) > PATIENCE}
    gave_up |= {(name, kind) for name in slow - {"textcore", "tokenizers"}}
