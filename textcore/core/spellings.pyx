# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words by their bytes, with a symbol each: a model's exceptions, or the tokens that it joins."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from .model cimport NONE
from .tables cimport table_bytes, table_copy

cdef extern from "mixing.h" nogil:
    uint64_t tc_hash_bytes(const uint8_t *s, size_t n)


cdef inline uint32_t _ends(const uint8_t *word, Py_ssize_t n) noexcept nogil:
    """What a word's ends and length say: nearly every word that is not here is told by it."""
    cdef Py_ssize_t last = n - 1
    cdef uint32_t both
    if n == 0:
        return 0
    both = (word[0] | <uint32_t>word[n > 1] << 8 | <uint32_t>word[last - (n > 1)] << 16
            | <uint32_t>word[last] << 24)
    return ((both ^ <uint32_t>n * 0x85EBCA6Bu) * 0x9E3779B1u) >> 18


cdef class Spellings:
    """A set of words that does not change.

    ``words`` has the bytes of each by a key of any kind, ``symbols`` the symbols by the same
    keys. No two words are alike.
    """

    def __init__(self, dict symbols not None, dict words not None):
        cdef Py_ssize_t total = 0, at = 0, number = 0
        cdef uint64_t slots = 16, slot
        cdef bytes word
        if self.slots != NULL:
            raise RuntimeError("Spellings are built once")
        for word in words.values():
            total += len(word)
        self.count = len(words)
        while slots < <uint64_t>(2 * self.count):
            slots <<= 1
        self.mask = slots - 1
        self._allocate(total)
        for key, word in words.items():
            self.starts[number] = <uint32_t>at
            memcpy(self.text + at, <const uint8_t *>word, len(word))
            at += len(word)
            self.symbols[number] = symbols[key]
            self._note_ends(word, len(word))
            slot = tc_hash_bytes(word, len(word)) & self.mask
            while self.slots[slot] != NONE:
                slot = (slot + 1) & self.mask
            self.slots[slot] = <uint32_t>number
            number += 1
        self.starts[self.count] = <uint32_t>at

    cdef int _allocate(self, Py_ssize_t total) except -1:
        """Memory for words of so many bytes, and no word in any slot."""
        if total >= 0xFFFFFFFF:
            raise MemoryError("a vocabulary of 4 GiB")
        self.slots = <uint32_t *>malloc((self.mask + 1) * sizeof(uint32_t))
        self.text = <uint8_t *>malloc(max(1, total))
        self.starts = <uint32_t *>malloc((self.count + 1) * sizeof(uint32_t))
        self.symbols = <uint32_t *>malloc(max(1, self.count) * sizeof(uint32_t))
        if self.slots == NULL or self.text == NULL or self.starts == NULL or self.symbols == NULL:
            raise MemoryError()
        memset(self.slots, 0xFF, (self.mask + 1) * sizeof(uint32_t))
        return 0

    def __dealloc__(self):
        free(self.slots)
        free(self.text)
        free(self.starts)
        free(self.symbols)

    cdef void _note_ends(self, const uint8_t *word, Py_ssize_t n) noexcept nogil:
        cdef uint32_t ends = _ends(word, n)
        self.ends[ends >> 5] |= <uint32_t>1 << (ends & 31)

    cdef uint32_t find(self, const uint8_t *word, Py_ssize_t n) noexcept nogil:
        cdef uint32_t number, start, ends = _ends(word, n)
        cdef uint64_t slot
        if not self.ends[ends >> 5] >> (ends & 31) & 1:
            return NONE
        slot = tc_hash_bytes(word, n) & self.mask
        while self.slots[slot] != NONE:
            number = self.slots[slot]
            start = self.starts[number]
            if (self.starts[number + 1] - start == <uint32_t>n
                    and memcmp(self.text + start, word, n) == 0):
                return self.symbols[number]
            slot = (slot + 1) & self.mask
        return NONE

    def get(self, bytes word not None):
        """The symbol of a word, or None."""
        cdef uint32_t symbol = self.find(word, len(word))
        return None if symbol == NONE else symbol

    def tables(self):
        """What :meth:`restore` makes the same set from: tables as bytes, by name."""
        return {
            "word_slots": table_bytes(self.slots, (self.mask + 1) * 4),
            "word_blob": table_bytes(self.text, self.starts[self.count]),
            "word_starts": table_bytes(self.starts, (self.count + 1) * 4),
            "word_symbols": table_bytes(self.symbols, self.count * 4),
        }

    @staticmethod
    def restore(dict tables not None, Py_ssize_t limit):
        """A set from its tables; symbols are below ``limit``.

        Raises ValueError where tables don't fit together: no look-up may read outside of them.
        """
        cdef Spellings made = Spellings.__new__(Spellings)
        cdef Py_ssize_t slots = len(tables["word_slots"]) // 4, size = len(tables["word_blob"])
        if slots < 16 or slots & (slots - 1):
            raise ValueError("word_slots: a wrong size")
        made.count = len(tables["word_symbols"]) // 4
        made.mask = slots - 1
        made.slots = <uint32_t *>table_copy(tables, "word_slots", slots, 4)
        made.text = <uint8_t *>table_copy(tables, "word_blob", size, 1)
        made.starts = <uint32_t *>table_copy(tables, "word_starts", made.count + 1, 4)
        made.symbols = <uint32_t *>table_copy(tables, "word_symbols", made.count, 4)
        made._check(slots, size, limit)
        return made

    cdef int _check(self, uint64_t slots, Py_ssize_t size, Py_ssize_t limit) except -1:
        cdef uint64_t slot
        cdef Py_ssize_t i
        cdef bint empty = False
        for slot in range(slots):
            empty = empty or self.slots[slot] == NONE
            if self.slots[slot] != NONE and self.slots[slot] >= <uint64_t>self.count:
                raise ValueError(f"word_slots[{slot}]: {self.slots[slot]} of {self.count}")
        for i in range(self.count):
            if self.starts[i] > self.starts[i + 1]:
                raise ValueError(f"word_starts[{i}]: out of order")
            if self.symbols[i] >= <uint64_t>limit:
                raise ValueError(f"word_symbols[{i}]: {self.symbols[i]} of {limit}")
        if not empty or self.starts[self.count] != <uint64_t>size:
            raise ValueError("word_slots: no empty slot, or texts of another size")
        for i in range(self.count):
            self._note_ends(self.text + self.starts[i], self.starts[i + 1] - self.starts[i])
        return 0
