from libc.stdint cimport uint32_t


# A new numpy array of uint32, or of uint64 where it is ``wide``, filled with anything.
cdef object new_array(Py_ssize_t n, bint wide)

# The memory of such an array, for as long as that lives.
cdef void *data_of(object array) except? NULL

# A new array with these ids.
cdef object id_array(const uint32_t *ids, Py_ssize_t n)
