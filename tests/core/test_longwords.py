"""The cache of words that a line of the word cache has no room for."""

import random

from hypothesis import given
from hypothesis import strategies as st

from textcore.core.longwords import LongWords

words = st.binary(min_size=1, max_size=260)
numbers = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=70)


@given(st.lists(st.tuples(words, numbers), max_size=30, unique_by=lambda pair: pair[0]))
def test_what_is_found_is_what_was_put(pairs):
    cache, known = LongWords(8), {}
    for word, ids in pairs:
        cache.put(word, ids)
        fits = len(word) <= 240 and len(word) + 4 * len(ids) <= 244
        if fits:
            known[word] = ids
            assert cache.get(word) == ids
        for other, expected in known.items():
            assert cache.get(other) in (None, expected)


def test_words_that_have_no_room_are_left_out():
    cache = LongWords(8)
    cache.put(b"x" * 240, [1])
    cache.put(b"y" * 240, [1, 2])
    cache.put(b"z" * 241, [1])
    cache.put(b"w" * 4, list(range(60)))
    cache.put(b"v" * 4, list(range(61)))
    assert cache.get(b"x" * 240) == [1]
    assert cache.get(b"y" * 240) is cache.get(b"z" * 241) is None
    assert cache.get(b"w" * 4) == list(range(60))
    assert cache.get(b"v" * 4) is None


def test_most_words_of_a_cache_that_is_half_full_are_there():
    """A word has four places."""
    draw = random.Random(1)
    cache = LongWords(1024)
    some = [draw.randbytes(40) for _ in range(512)]
    for number, word in enumerate(some):
        cache.put(word, [number])
    assert sum(cache.get(word) == [number] for number, word in enumerate(some)) > 490


def test_words_are_kept_when_it_grows():
    draw = random.Random(2)
    cache = LongWords(8192)
    some = [draw.randbytes(40) for _ in range(4000)]
    for number, word in enumerate(some):
        cache.put(word, [number, 7])
    kept = [cache.get(word) for word in some]
    assert sum(found == [number, 7] for number, found in enumerate(kept)) > 3700
    assert all(found in (None, [number, 7]) for number, found in enumerate(kept))
