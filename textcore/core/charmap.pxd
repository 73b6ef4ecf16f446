from libc.stdint cimport uint32_t

from .charset cimport CharSet


cdef class CharRewriter:
    cdef CharSet removed
    cdef CharSet spaced
    cdef CharSet padded
    cdef unsigned char ascii[128]

    cdef int action(self, uint32_t char) noexcept nogil
