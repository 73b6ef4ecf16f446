cdef class TextBuffer:
    cdef char* data             # `capacity` characters of `width` bytes; `length` are in use
    cdef int width              # 1, 2 or 4: the widest character so far decides
    cdef Py_ssize_t length
    cdef Py_ssize_t capacity

    cdef int extend(self, object text, Py_ssize_t start, Py_ssize_t end) except -1
    cdef object slice(self, Py_ssize_t start, Py_ssize_t end)
    cdef object pull(self, Py_ssize_t count)
    cdef int reserve(self, Py_ssize_t count, int width) except -1
    cdef void reset(self) noexcept
