from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef class Vocabulary:
    # Texts one behind the other, in the order of their ids; all different, as are the ids.
    cdef readonly Py_ssize_t count
    cdef uint8_t *blob
    cdef uint32_t *starts           # one more than there are texts
    cdef uint32_t *ids
    cdef uint32_t *slots            # open addressing by text
    cdef uint64_t mask

    cdef uint32_t find(self, const uint8_t *text, Py_ssize_t n) noexcept nogil
    cdef bint index(self) noexcept nogil
    cdef str _text(self, Py_ssize_t at)


cdef class Merges:
    # What merges, in order of rank, as places in the vocabulary.
    cdef readonly Py_ssize_t count
    cdef readonly Vocabulary vocabulary
    cdef uint32_t *parts            # left, right and what they make, of each


cdef class Contents:
    # The bytes that the texts of a vocabulary stand for.
    cdef Py_ssize_t count
    cdef Vocabulary vocabulary
    cdef uint8_t *own
    cdef const uint8_t *blob
    cdef uint32_t *own_starts
    cdef const uint32_t *starts
    cdef uint8_t *missing           # NULL: every text has them

    cdef bint has(self, Py_ssize_t symbol) noexcept nogil
    cdef void _translate(self) noexcept nogil
