"""Text that knows which of its characters a template wrote itself."""


cdef class Ranges:
    cdef Py_ssize_t count
    cdef Py_ssize_t capacity
    cdef Py_ssize_t *bounds             # start, end, start, end, ...

    cdef int push(self, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int add(self, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int extend(self, Ranges other, Py_ssize_t at) except -1
    cdef Ranges inside(self, Py_ssize_t start, Py_ssize_t stop)


cdef class WrittenText(str):
    cdef readonly Ranges ranges


cdef WrittenText new_written(str text, Ranges ranges)
