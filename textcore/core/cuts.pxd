from libc.stdint cimport uint8_t, uint64_t


cdef class Cuts:
    cdef uint8_t *classes           # 65,536, by the two bytes at a boundary
    cdef uint64_t *pairs            # Bloom filter of the characters at a boundary, two bits each
    cdef uint64_t mask

    cdef bint _joins(self, const uint8_t *left, int left_length, const uint8_t *right,
                     int right_length) noexcept nogil
    cdef bint _parts_join(self, const uint8_t *boundary, int left, int right) noexcept nogil
    cdef void _set(self, uint64_t bit) noexcept nogil
    cdef bint _has(self, uint64_t bit) noexcept nogil
    cdef int _make_room(self, Py_ssize_t characters) except -1
    cdef void _add(self, const uint8_t *s, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t next(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos) noexcept nogil
