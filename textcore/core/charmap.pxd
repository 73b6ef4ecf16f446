from libc.stdint cimport uint32_t

from .charset cimport CharSet


cdef class CharRewriter:
    cdef CharSet removed
    cdef CharSet spaced
    cdef CharSet padded
    cdef unsigned char latin[256]       # what to do with a character of Latin-1
    cdef bint pads_latin

    cdef int action(self, uint32_t char) noexcept nogil
    cdef Py_ssize_t rewrite_latin(self, const unsigned char* data, Py_ssize_t n,
                                  unsigned char* out) noexcept nogil
    cdef Py_ssize_t rewrite_wide(self, int kind, const void* data, Py_ssize_t n, Py_ssize_t first,
                                 void* out) noexcept nogil
