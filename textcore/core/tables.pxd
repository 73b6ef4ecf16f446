cdef bytes table_bytes(const void *data, Py_ssize_t size)
cdef void *table_copy(dict tables, str name, Py_ssize_t count, Py_ssize_t width) except NULL
cdef int table_fill(dict tables, str name, void *out, Py_ssize_t size) except -1
