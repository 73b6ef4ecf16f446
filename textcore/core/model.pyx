# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What every compiled model shares: the encoder sees them all as a :class:`WordModel`."""

from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef void scratch_init(Scratch *w) noexcept nogil:
    memset(w, 0, sizeof(Scratch))


cdef void scratch_free(Scratch *w) noexcept nogil:
    free(w.symbols)
    free(w.lengths)
    free(w.previous)
    free(w.following)
    free(w.queue)
    memset(w, 0, sizeof(Scratch))


cdef bint scratch_reserve(Scratch *w, Py_ssize_t n) noexcept nogil:
    """Room for a word of ``n`` symbols; 0 where there is no memory (or no 31-bit index)."""
    cdef Py_ssize_t size
    if n <= w.capacity:
        return 1
    if n > 0x7FFFFFFE:
        return 0
    size = max(n, 2 * w.capacity, 256)
    scratch_free(w)
    w.symbols = <uint32_t *>malloc(size * sizeof(uint32_t))
    w.lengths = <uint32_t *>malloc(size * sizeof(uint32_t))
    w.previous = <int32_t *>malloc(size * sizeof(int32_t))
    w.following = <int32_t *>malloc(size * sizeof(int32_t))
    if w.symbols == NULL or w.lengths == NULL or w.previous == NULL or w.following == NULL:
        scratch_free(w)
        return 0
    w.capacity = size
    return 1


cdef class WordModel:
    """A model that makes tokens of one word at a time; immutable once made.

    ``size`` is how many different tokens it can give, ``fan_out`` how many at most from one
    byte, ``cuts`` where a long word may be cut without changing its tokens, ``exceptions``
    how many words are other tokens when they are pieces of words.
    """

    def __cinit__(self):
        self.fan_out = 1

    def __dealloc__(self):
        free(self.ids)

    cdef uint32_t whole_word(self, const uint8_t *text, Py_ssize_t n) noexcept nogil:
        return NONE

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        return 0
