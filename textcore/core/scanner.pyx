cdef class Automaton:
    cdef Py_ssize_t scan(self, const unsigned char *text, Py_ssize_t n, Py_ssize_t pos, Py_ssize_t *ends, Py_ssize_t max) noexcept nogil:
        ends[0]=n
        return 1
