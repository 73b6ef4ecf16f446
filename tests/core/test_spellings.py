"""Words by their bytes, and what damaged tables of them do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.spellings import Spellings

short_words = st.binary(max_size=4)
WORDS = {"a": b"a", "b": b"ab", "empty": b"", "long": b"x" * 300}
SYMBOLS = {"a": 7, "b": 0, "empty": 3, "long": 9}


@given(words=st.sets(short_words, max_size=60), asked=st.lists(short_words, max_size=60))
def test_words_have_their_symbols_and_others_none(words, asked):
    symbols = {word: 3 * number for number, word in enumerate(words)}
    spellings = Spellings(symbols, {word: word for word in words})
    for made in (spellings, Spellings.restore(spellings.tables(), 3 * len(words) + 1)):
        assert made.count == len(words)
        for word in [*words, *asked]:
            assert made.get(word) == symbols.get(word)


def test_words_with_equal_ends_are_told_apart():
    spellings = Spellings({0: 0}, {0: b"ab--yz"})
    assert spellings.get(b"ab--yz") == 0
    assert spellings.get(b"ab++yz") is None


def damaged(name, value):
    return {**Spellings(SYMBOLS, WORDS).tables(), name: value}


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        (damaged("word_slots", b""), "word_slots: a wrong size"),
        (damaged("word_slots", bytes(12)), "word_slots: a wrong size"),
        (damaged("word_slots", bytes(64)), "no empty slot"),
        (damaged("word_slots", b"\5" * 64), r"word_slots\[0\]: \d+ of 4"),
        (damaged("word_blob", b"short"), "texts of another size"),
        (damaged("word_starts", bytes(4)), "word_starts: 4 bytes; expected 20"),
        (damaged("word_starts", b"\xff" * 4 + bytes(16)), r"word_starts\[0\]: out of order"),
        (damaged("word_symbols", b"\xff" * 16), r"word_symbols\[0\]: 4294967295 of 10"),
    ],
)
def test_damaged_tables_are_refused(tables, problem):
    with pytest.raises(ValueError, match=problem):
        Spellings.restore(tables, 10)


def test_symbols_are_below_the_limit():
    tables = Spellings(SYMBOLS, WORDS).tables()
    with pytest.raises(ValueError, match="9 of 9"):
        Spellings.restore(tables, 9)
