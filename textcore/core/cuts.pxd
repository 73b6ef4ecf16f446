from libc.stdint cimport uint8_t, uint64_t


cdef class Cuts:
    cdef uint8_t *classes           # 65,536, by the two bytes at a boundary
    cdef uint64_t *pairs            # bit set, by the hashed characters at a boundary
    cdef uint64_t mask

    cdef void _add(self, const uint8_t *s, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t next(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos) noexcept nogil
