from libc.stdint cimport uint32_t


# A new numpy array with these ids: uint32, one dimension.
cdef object id_array(const uint32_t *ids, Py_ssize_t n)
