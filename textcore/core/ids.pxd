from cpython.buffer cimport Py_buffer
from libc.stdint cimport uint32_t


cdef class IdArray:
    cdef const uint32_t* data    # n ids, all below 2**32; valid as long as this object is
    cdef Py_ssize_t n
    cdef uint32_t* owned
    cdef Py_buffer view
    cdef bint viewing

    cdef int _from_list(self, list ids) except -1
    cdef int _from_buffer(self, object ids) except -1
    cdef int _convert(self, Py_ssize_t stride, Py_ssize_t size, bint signed) except -1
    cdef int _allocate(self, Py_ssize_t n) except -1


cdef uint32_t one_id(object value) except? 0xFFFFFFFF
