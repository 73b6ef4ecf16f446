from libc.stdint cimport uint8_t

from .model cimport WordModel
from .words cimport tc_key


cdef class Spaced(WordModel):
    cdef WordModel inner
    cdef bytes _mark
    cdef const uint8_t *mark            # in `_mark`
    cdef Py_ssize_t mark_size
    cdef bint always
    cdef bytes _prefix
    cdef const uint8_t *prefix
    cdef Py_ssize_t prefix_size
    cdef bint _mark_key(self, tc_key *marked, const tc_key *key) noexcept nogil
