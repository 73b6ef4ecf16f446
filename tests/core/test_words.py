"""The word cache."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.windows import levels
from textcore.core.words import WordCache

words = st.binary(min_size=1, max_size=31)
ids = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=8)


@given(st.dictionaries(words, ids, max_size=50))
def test_what_it_holds_is_what_was_put(entries):
    cache = WordCache(64)
    for word, value in entries.items():
        cache.put(word, value)
    for word, value in entries.items():
        assert cache.get(word) in (None, value)


@given(words, ids)
def test_remembers_a_word(word, value):
    cache = WordCache(4)
    cache.put(word, value)
    assert cache.get(word) == value


@given(words, words, ids)
def test_knows_no_other_word(word, other, value):
    cache = WordCache(4)
    cache.put(word, value)
    assert (cache.get(other) == value) == (word == other)


def test_a_word_and_the_same_with_a_zero_byte_differ():
    cache = WordCache(4)
    cache.put(b"a", [1])
    cache.put(b"a\0", [2])
    assert (cache.get(b"a"), cache.get(b"a\0")) == ([1], [2])


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("lines", [4, 8, 64])
@pytest.mark.parametrize("count", [2, 3, 4, 7, 40])
def test_words_change_places_and_none_is_lost(level, lines, count):
    """What is met is brought to its first line, over others that are met again."""
    draw = random.Random(lines * count)
    for number in range(100):
        cache = WordCache(lines)
        entries = {b"%d" % (number * count + i): [i] * draw.randint(1, 8) for i in range(count)}
        for word, value in entries.items():
            cache.put(word, value)
        held = {word: value for word, value in entries.items() if cache.get(word) is not None}
        for _ in range(8):
            some = draw.choices(list(held), k=20)
            assert cache.take(some, level) == [i for word in some for i in held[word]]
        assert {word: cache.get(word) for word in held} == held


def test_never_grows():
    cache = WordCache(16)
    for number in range(1000):
        cache.put(b"%d" % number, [number])
    assert sum(cache.get(b"%d" % number) is not None for number in range(1000)) <= 16


def test_grows_when_words_that_it_had_driven_out_are_met_again():
    cache = WordCache(1 << 19)
    words = [b"%d" % number for number in range(160_000)]
    held = []
    for _ in range(4):
        for word in words:
            if cache.get(word) is None:
                cache.put(word, [1])
        held.append(sum(cache.get(word) is not None for word in words))
    # There are 131,072 lines to begin with, which is room for nearly so many words.
    assert held[0] < 131_072
    assert held[-1] > 155_000


def test_does_not_grow_for_words_that_are_all_new():
    cache = WordCache(1 << 19)
    words = [b"%d" % number for number in range(250_000)]
    for word in words:
        cache.put(word, [1])
    assert sum(cache.get(word) is not None for word in words) <= 131_072


@pytest.mark.parametrize("lines", [0, 1, 2, 3, 6, -4])
def test_refuses_a_size_that_is_no_power_of_two(lines):
    with pytest.raises(ValueError, match="power of two"):
        WordCache(lines)


@pytest.mark.parametrize(
    ("word", "value"), [(b"", [1]), (b"x" * 32, [1]), (b"x", []), (b"x", [1] * 9)]
)
def test_refuses_what_does_not_fit(word, value):
    with pytest.raises(ValueError, match="1 to 31 bytes and 1 to 8 ids"):
        WordCache(4).put(word, value)
