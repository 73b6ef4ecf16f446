from libc.stdint cimport uint8_t, uint32_t

from .charset cimport CharSet


cdef class CharRewriter:
    cdef CharSet removed
    cdef CharSet spaced
    cdef CharSet padded
    cdef uint8_t *actions               # what to do with a character, up to U+FFFF
    cdef bint pads_latin

    cdef uint8_t look_up(self, uint32_t char) noexcept nogil
    cdef uint8_t action(self, uint32_t char) noexcept nogil
    cdef Py_ssize_t rewrite_latin(self, const unsigned char* data, Py_ssize_t n,
                                  unsigned char* out) noexcept nogil
    cdef Py_ssize_t rewrite_wide(self, int kind, const void* data, Py_ssize_t n, Py_ssize_t first,
                                 void* out) noexcept nogil
