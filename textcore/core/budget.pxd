"""What one rendering of a template may cost."""


cdef class Budget:
    cdef long long work
    cdef readonly long long work_limit
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t list_size
    cdef long long memory
    cdef long long memory_limit
    cdef readonly Py_ssize_t bits
    cdef readonly int depth_limit

    cdef int spend(self, long long amount) except -1
    cdef int produce(self, Py_ssize_t length, int width) except -1
    cdef int produce_items(self, Py_ssize_t length) except -1
    cdef Py_ssize_t weigh(self, value, int depth) except -1
    cdef int count_nodes(
        self, value, int depth, Py_ssize_t* nodes, Py_ssize_t* depths
    ) except -1
    cdef Py_ssize_t bounded(self, Py_ssize_t total) except -1
    cdef object small(self, value)
    cdef bint is_large(self, value) except -1
