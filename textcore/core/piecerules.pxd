from libc.stdint cimport uint8_t, uint32_t

from .trie cimport Trie


cdef struct Made:
    # A normalized text; only the first `size` of `room` bytes are in use.
    uint8_t *data
    Py_ssize_t size
    Py_ssize_t room


cdef void made_free(Made *made) noexcept nogil


cdef class PieceRules:
    cdef Trie rules
    cdef Trie symbols           # None where there are none
    cdef uint8_t *first         # by two bytes: whether a step is more than a copy there
    cdef bytes _texts
    cdef const uint8_t *texts   # in `_texts`: what each rule makes
    cdef uint32_t *starts       # by rule, one more than there are rules
    cdef Py_ssize_t count       # rules
    cdef bint prefix
    cdef bint squeeze
    cdef bint escape
    cdef bint suffix

    cdef void _flags(self, bint prefix, bint squeeze, bint escape, bint suffix) noexcept
    cdef Py_ssize_t _step(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t at,
                          const uint8_t **made, Py_ssize_t *size) noexcept nogil
    cdef Py_ssize_t run(self, const uint8_t *text, Py_ssize_t n, Made *out) noexcept nogil
