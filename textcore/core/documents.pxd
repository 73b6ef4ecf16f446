from libc.stdint cimport int64_t, uint8_t


cdef struct Document:
    # Where a document's text stands in the buffer that holds it.
    Py_ssize_t start
    Py_ssize_t end


cdef class Documents:
    cdef object owner           # what `data` belongs to; None: to this object
    cdef const uint8_t *data
    cdef uint8_t *own
    cdef Document *items
    cdef Py_ssize_t count
    cdef Py_ssize_t capacity
    cdef readonly Py_ssize_t empty

    cdef bint push(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil


cdef Py_ssize_t valid_prefix(const uint8_t *s, Py_ssize_t n) noexcept nogil
