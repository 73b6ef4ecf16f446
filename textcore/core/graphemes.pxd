"""Where characters that are seen as one begin and end, for the modules that ask without the GIL."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t


cdef class Graphemes:
    cdef uint16_t* index        # a block's number for each 128 code points
    cdef uint8_t* blocks
    cdef Py_ssize_t block_count

    cdef int _share(self, const uint8_t* flat) except -1
    cdef uint8_t kind_of(self, uint32_t char) noexcept nogil
    # The end of the cluster that begins at `start` (below `n`) of a text of 1, 2 or 4 bytes
    # a character.
    cdef Py_ssize_t end(self, int kind, const void* data, Py_ssize_t n,
                        Py_ssize_t start) noexcept nogil
