"""One word of many characters, which no cache holds: what a word costs as it gets longer."""

import random
import string
from functools import lru_cache
from itertools import count

import pytest

from benchmarks.timing import CannotDo, Phase, fewer

SIZES = {f"{size:,} characters": size for size in (10_000, 100_000, 1_000_000)}
# A peer that took longer than this for a word is not asked for one ten times as long.
PATIENCE = 1.0


@pytest.fixture(scope="session")
def gave_up(model):
    """The peers that are not asked for longer words, of one tokenizer."""
    return set()


@lru_cache(maxsize=16)
def word_of(characters, number):
    """A word of lower-case letters, and another one of each number."""
    return "".join(random.Random(number).choices(string.ascii_lowercase, k=characters))


def refuse():
    raise CannotDo(f"not run: more than {PATIENCE:g} s for a tenth of it")


@pytest.mark.parametrize("size", SIZES)
def test_long_word(turns, loaded, quick, gave_up, size):
    characters = SIZES[size] // (100 if quick else 1)

    def beginner(make):
        """Each time, the library and a word that it has not met."""
        numbers = count()
        return lambda: (make(), [word_of(characters, next(numbers))])

    makers = {name: beginner(make) for name, make in loaded.makers("encode").items()}
    makers |= dict.fromkeys(gave_up, refuse)
    turns.text = size
    turns.rounds = fewer(turns.rounds)
    turns.compare(
        makers,
        Phase("a long word", lambda pair: pair[0].encode(pair[1]), 1),
        unit="ms",
        fresh=True,
    )
    outcomes = turns.results[-1].outcomes
    slow = {name for name, found in outcomes.items() if (found.cost or 0.0) > PATIENCE}
    gave_up |= slow - {"textcore", "tokenizers"}
