from libc.stdint cimport int64_t


cdef list numbers_of(const unsigned int *data, Py_ssize_t n)
cdef list words_of(const int64_t *data, Py_ssize_t n)
cdef list pairs_of(const int64_t *low, const int64_t *high, Py_ssize_t n)
