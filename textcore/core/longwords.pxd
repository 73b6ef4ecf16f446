"""A small cache of words that a line of the word cache has no room for."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef enum:
    LONG_BYTES = 240        # of a word that can be here
    LONG_IDS = 64           # that it can have


cdef struct LongWord:
    uint64_t hash
    uint32_t size           # bytes; 0: nothing is here
    uint32_t count          # ids
    uint8_t text[LONG_BYTES]
    uint32_t ids[LONG_IDS]


cdef class LongWords:
    cdef LongWord *words
    cdef Py_ssize_t mask

    # A word (LONG_BYTES at most), or NULL.
    cdef const LongWord *find(self, const uint8_t *text, Py_ssize_t n) noexcept nogil
    # Remember a word's ids, if there is room for it, in place of another's.
    cdef void store(self, const uint8_t *text, Py_ssize_t n, const uint32_t *ids,
                    Py_ssize_t count) noexcept nogil
