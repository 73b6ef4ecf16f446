cdef class Utf8Decoder:
    cdef unsigned char held[4]
    cdef Py_ssize_t n_held

    cdef int _hold(self, const unsigned char* data, Py_ssize_t size) except -1
    cdef str feed(self, const unsigned char* data, Py_ssize_t size)
    cdef str finish(self)


cdef str decode_utf8(const unsigned char* data, Py_ssize_t size)
