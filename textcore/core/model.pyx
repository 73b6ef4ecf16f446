# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What every compiled model shares: the encoder sees them all as a :class:`WordModel`."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef extern from "pages.h" nogil:
    void *tc_room(size_t size)

cdef extern from "sorted.h" nogil:
    enum: TC_SORTED_ROOM


cdef enum:
    LIMIT = 0x7FFFFFFE


cdef void scratch_init(Scratch *w) noexcept nogil:
    memset(w, 0, sizeof(Scratch))


cdef void scratch_free(Scratch *w) noexcept nogil:
    free(w.symbols)
    free(w.lengths)
    free(w.previous)
    free(w.following)
    tc_queue_free(&w.queue)
    free(w.orders)
    free(w.steps)
    free(w.text)
    memset(w, 0, sizeof(Scratch))


cdef bint scratch_reserve(Scratch *w, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t size
    if n <= w.capacity:
        return 1
    if n > LIMIT:
        return 0
    size = max(n, 2 * w.capacity, 256)
    free(w.symbols)
    free(w.lengths)
    free(w.previous)
    free(w.following)
    w.symbols = <uint32_t *>tc_room(size * sizeof(uint32_t))
    w.lengths = <uint32_t *>tc_room(size * sizeof(uint32_t))
    w.previous = <int32_t *>tc_room(size * sizeof(int32_t))
    w.following = <int32_t *>tc_room(size * sizeof(int32_t))
    w.capacity = size
    if w.symbols == NULL or w.lengths == NULL or w.previous == NULL or w.following == NULL:
        scratch_free(w)
        return 0
    return 1


cdef bint _reserve(void **memory, Py_ssize_t *capacity, Py_ssize_t n,
                   size_t width) noexcept nogil:
    """Room for ``n`` items of ``width`` bytes, what was there lost; 0 where there is none."""
    if n <= capacity[0]:
        return 1
    if n > LIMIT:
        return 0
    free(memory[0])
    capacity[0] = max(n, 2 * capacity[0], 256)
    memory[0] = malloc(capacity[0] * width)
    if memory[0] == NULL:
        capacity[0] = 0
        return 0
    return 1


cdef bint scratch_reserve_orders(Scratch *w, Py_ssize_t n) noexcept nogil:
    return _reserve(<void **>&w.orders, &w.order_capacity, n, sizeof(uint64_t))


cdef bint scratch_reserve_steps(Scratch *w, Py_ssize_t n) noexcept nogil:
    return _reserve(<void **>&w.steps, &w.step_capacity, n, sizeof(Step))


cdef bint scratch_reserve_text(Scratch *w, Py_ssize_t n) noexcept nogil:
    return _reserve(<void **>&w.text, &w.text_capacity, n, 1)


cdef void scratch_prepare(Scratch *w, Py_ssize_t n) noexcept nogil:
    if scratch_reserve(w, n):
        memset(w.symbols, 0, w.capacity * sizeof(uint32_t))
        memset(w.lengths, 0, w.capacity * sizeof(uint32_t))
        memset(w.previous, 0, w.capacity * sizeof(int32_t))
        memset(w.following, 0, w.capacity * sizeof(int32_t))
    if scratch_reserve_orders(w, TC_SORTED_ROOM * n):
        memset(w.orders, 0, w.order_capacity * sizeof(uint64_t))


cdef class WordModel:
    """A model that makes tokens of one word at a time; immutable once made.

    ``size`` is how many different tokens it can give, ``fan_out`` how many at most from one
    byte, ``cuts`` where a long word may be cut without changing its tokens, ``fusing`` where
    it may if then neighbouring unknown tokens are made one, ``exceptions`` how many words are other tokens when they are pieces of words, ``streams`` whether its
    words are whole texts, which it is given in segments.
    """

    def __cinit__(self):
        self.fan_out = 1
        self.unk = NONE

    def __dealloc__(self):
        free(self.ids)

    cdef uint32_t whole_word(self, const uint8_t *text, Py_ssize_t n) noexcept nogil:
        return NONE

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        return 0

    cdef Py_ssize_t remember(self, const tc_batch *batch, const tc_batch *spelled,
                             const uint16_t *units, Py_ssize_t count, Scratch *w,
                             tc_line *lines, uint64_t mask, int level) noexcept nogil:
        return 0

    cdef void touch(self) noexcept nogil:
        pass

    cdef Py_ssize_t segment(self, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t start) noexcept nogil:
        return n

    def largest_id(self):
        """The largest id of a token, or -1 where there is none."""
        cdef Py_ssize_t i, largest = -1
        for i in range(self.size):
            largest = max(largest, <Py_ssize_t>self.ids[i])
        return largest

    def symbols(self, bytes word not None):
        """One word's symbols and their lengths in bytes: a list of (symbol, length).

        Raises ValueError where an unknown token is needed and the vocabulary lacks it.
        """
        cdef Scratch w
        cdef Py_ssize_t count, i, n = len(word)
        cdef const uint8_t *text = word
        scratch_init(&w)
        try:
            with nogil:
                count = self.encode(text, n, &w, 1)
            if count == NO_MEMORY:
                raise MemoryError("a word is too long to encode")
            if count == NO_UNK:
                raise ValueError("model.unk_token is needed here and is not in the vocabulary")
            return [(w.symbols[i], w.lengths[i]) for i in range(count)]
        finally:
            scratch_free(&w)
