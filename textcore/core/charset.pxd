"""Sets of characters, for other compiled modules."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t

@cython.final
cdef class CharSet:
    cdef uint16_t* index  # a block's number for each 128 code points
    cdef uint8_t* blocks  # 16 bytes a block, one bit a code point
    cdef Py_ssize_t block_count

    # Whether a code point, which must be below 0x110000, is a member.
    cdef inline bint has(self, uint32_t char) noexcept nogil:
        return self.blocks[self.index[char >> 7] * 16 + ((char & 127) >> 3)] >> (char & 7) & 1
