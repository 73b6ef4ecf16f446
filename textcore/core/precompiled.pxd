from libc.stdint cimport int32_t, uint8_t, uint32_t

from .graphemes cimport Graphemes


cdef class CharsMap:
    cdef uint32_t* units
    cdef Py_ssize_t unit_count
    cdef bytes _blob
    cdef const uint8_t* blob        # in `_blob`: UTF-8, a zero after each replacement
    cdef Py_ssize_t blob_size
    cdef Graphemes graphemes
    cdef bint plain_ascii[128]      # a character that stays, whatever comes after it

    cdef Py_ssize_t find(self, const uint8_t* key, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _plain_end(self, int kind, const void* data, Py_ssize_t n,
                               Py_ssize_t start) noexcept nogil
    cdef int _rewrite(self, int kind, const void* data, Py_ssize_t n, _Output out) except -1 nogil
    cdef bint _replace(self, int kind, const void* data, Py_ssize_t start, Py_ssize_t end,
                       _Output out) except -1 nogil


cdef class _Output:
    cdef uint32_t* chars
    cdef int32_t* changes
    cdef Py_ssize_t count, room
    cdef bint modified

    cdef int reserve(self, Py_ssize_t more) except -1 nogil
    cdef int put(self, uint32_t char, int32_t change) except -1 nogil
    cdef int copy(self, int kind, const void* data, Py_ssize_t start, Py_ssize_t end) except -1 nogil
