from libc.stdint cimport uint8_t, uint32_t


cdef class TokenLengths:
    cdef uint32_t *full             # by id, in bytes of the word; 0: only the model knows
    cdef uint8_t *flags
    cdef Py_ssize_t size
    cdef Py_ssize_t prefix, suffix

    cdef int _fill(self, dict tokens, bint byte_level, str prefix, str suffix) except -1
    cdef void _forget(self, uint32_t token) noexcept
    cdef Py_ssize_t length(self, uint32_t token, Py_ssize_t at, Py_ssize_t end) noexcept nogil
