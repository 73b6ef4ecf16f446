"""A small cache of words that a line of the word cache has no room for."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    LONG_BYTES = 240        # of a word that can be here, with one id
    LONG_ROOM = 244         # for ids and bytes together


cdef struct LongWord:
    uint64_t hash
    uint16_t size           # bytes; 0: nothing is here
    uint16_t count          # ids
    uint8_t data[LONG_ROOM] # the ids, then the bytes


cdef inline const uint32_t *ids_of(const LongWord *word) noexcept nogil:
    return <const uint32_t *>word.data


cdef class LongWords:
    cdef LongWord *words
    cdef Py_ssize_t mask
    cdef Py_ssize_t used        # places that hold a word
    cdef Py_ssize_t limit       # places that there may be at most

    # One of the places that a word may be in: they are neighbours.
    cdef LongWord *place(self, uint64_t hashed, Py_ssize_t other) noexcept nogil
    # One for a word that is not there: a free one, or that of another word.
    cdef LongWord *room_for(self, uint64_t hashed) noexcept nogil
    cdef bint make_room(self) noexcept nogil
    # A word (LONG_BYTES at most), or NULL.
    cdef const LongWord *find(self, const uint8_t *text, Py_ssize_t n) noexcept nogil
    # Remember the ids of a word that is not there, if there is room for it, in place of another's.
    cdef void store(self, const uint8_t *text, Py_ssize_t n, const uint32_t *ids,
                    Py_ssize_t count) noexcept nogil
