from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef class Spellings:
    cdef readonly Py_ssize_t count
    cdef uint32_t ends[512]     # bits: what the ends of some word here say, see `_ends`
    cdef uint32_t *slots        # a word's number, or NONE
    cdef uint64_t mask          # of the slots
    cdef uint8_t *text          # of all words
    cdef uint32_t *starts       # of each in it, and one more
    cdef uint32_t *symbols

    # The symbol of a word, or NONE.
    cdef uint32_t find(self, const uint8_t *word, Py_ssize_t n) noexcept nogil
    cdef int _allocate(self, Py_ssize_t total) except -1
    cdef void _note_ends(self, const uint8_t *word, Py_ssize_t n) noexcept nogil
    cdef int _check(self, uint64_t slots, Py_ssize_t size, Py_ssize_t limit) except -1
