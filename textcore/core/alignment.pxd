from cpython.array cimport array


cdef struct Place:
    # The original characters that one character stands for.
    Py_ssize_t start
    Py_ssize_t end


cdef class Alignment:
    cdef Place *places
    cdef readonly Py_ssize_t count
    cdef Alignment owner            # whose memory `places` is in; None: its own
