# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A set of characters, and the runs of its members in a text.

A two-level bit map: two loads a character, whatever the set. Sets of few ranges share most of
their blocks, so one takes 20 to 60 KB. A set doesn't change once it is made, and may be used by
any number of threads.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.string cimport memcmp, memcpy, memset

cdef enum:
    BLOCK_BYTES = 16
    BLOCKS = 0x110000 // 128


cdef inline uint32_t read(int kind, const void* data, Py_ssize_t i) noexcept nogil:
    if kind == 1:
        return (<const uint8_t*> data)[i]
    if kind == 2:
        return (<const uint16_t*> data)[i]
    return (<const uint32_t*> data)[i]


cdef void share_blocks(CharSet self, const uint8_t* bits) noexcept nogil:
    """Fill the index and the blocks from one bit a code point; equal neighbours are shared."""
    cdef Py_ssize_t at
    self.block_count = 0
    for at in range(BLOCKS):
        if self.block_count == 0 or memcmp(
            self.blocks + (self.block_count - 1) * BLOCK_BYTES, bits + at * BLOCK_BYTES, BLOCK_BYTES
        ):
            memcpy(
                self.blocks + self.block_count * BLOCK_BYTES, bits + at * BLOCK_BYTES, BLOCK_BYTES
            )
            self.block_count += 1
        self.index[at] = <uint16_t> (self.block_count - 1)  # at most BLOCKS, 8,704


cdef int shrink(CharSet self) except -1:
    """Give back the room of blocks that are not needed."""
    cdef uint8_t* blocks = <uint8_t*> PyMem_Calloc(self.block_count, BLOCK_BYTES)
    if blocks == NULL:
        raise MemoryError
    memcpy(blocks, self.blocks, self.block_count * BLOCK_BYTES)
    PyMem_Free(self.blocks)
    self.blocks = blocks
    return 0


@cython.final
cdef class CharSet:
    """The characters of some code point ranges.

    `ranges` holds inclusive ``(first, last)`` pairs in any order. Raises ValueError for a pair
    that is no range of code points.
    """

    def __cinit__(self, ranges):
        cdef Py_ssize_t first, last, point
        cdef uint8_t* bits = <uint8_t*> PyMem_Calloc(BLOCKS, BLOCK_BYTES)
        self.index = <uint16_t*> PyMem_Calloc(BLOCKS, sizeof(uint16_t))
        self.blocks = <uint8_t*> PyMem_Calloc(BLOCKS, BLOCK_BYTES)
        try:
            if bits == NULL or self.index == NULL or self.blocks == NULL:
                raise MemoryError
            for first, last in ranges:
                if not 0 <= first <= last < 0x110000:
                    raise ValueError(f"({first}, {last}) is no range of code points")
                point = first
                while point <= last:
                    if point & 7 == 0 and point + 7 <= last:
                        memset(bits + (point >> 3), 0xFF, (last + 1 - point) >> 3)
                        point += (last + 1 - point) >> 3 << 3
                    else:
                        bits[point >> 3] |= 1 << (point & 7)
                        point += 1
            share_blocks(self, bits)
        finally:
            PyMem_Free(bits)
        shrink(self)

    def __dealloc__(self):
        PyMem_Free(self.index)
        PyMem_Free(self.blocks)

    def __contains__(self, str char not None) -> bool:
        if len(char) != 1:
            raise ValueError(f"{char!r} is not a character")
        return self.has(ord(char))

    def spans(self, str text not None) -> list:
        """The longest runs of members in `text`, as ``(start, end)`` pairs."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), i = 0, start
        cdef list found = []
        while i < n:
            while i < n and not self.has(read(kind, data, i)):
                i += 1
            if i == n:
                break
            start = i
            while i < n and self.has(read(kind, data, i)):
                i += 1
            found.append((start, i))
        return found

    def partition(self, str text not None) -> list:
        """All of `text` in runs of members and of others: ``(start, end, members)`` triples."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), i = 0, start
        cdef bint inside
        cdef list found = []
        while i < n:
            start = i
            inside = self.has(read(kind, data, i))
            while i < n and self.has(read(kind, data, i)) == inside:
                i += 1
            found.append((start, i, inside))
        return found

    def leading(self, str text not None) -> int:
        """How many members `text` starts with."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), i = 0
        while i < n and self.has(read(kind, data, i)):
            i += 1
        return i

    def trailing(self, str text not None) -> int:
        """How many members `text` ends with."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), i = n
        while i > 0 and self.has(read(kind, data, i - 1)):
            i -= 1
        return n - i
