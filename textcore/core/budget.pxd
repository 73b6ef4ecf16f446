"""What one rendering of a template may cost."""

cimport cython

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object) noexcept
    int PyUnicode_KIND(object) noexcept


cdef class Budget:
    cdef long long work
    cdef readonly long long work_limit
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t list_size
    cdef long long memory
    cdef long long memory_limit
    cdef readonly Py_ssize_t bits
    cdef readonly int depth_limit

    cdef int exceeded(self, str limit) except -1
    cdef Py_ssize_t weigh(self, value, int depth) except -1
    cdef int count_nodes(
        self, value, int depth, Py_ssize_t* nodes, Py_ssize_t* depths
    ) except -1
    cdef object small(self, value)
    cdef bint is_large(self, value) except -1

    @cython.final
    cdef inline int spend(self, long long amount) except -1:
        self.work -= amount
        if self.work < 0:
            return self.exceeded("work")
        return 0

    @cython.final
    cdef inline int produce(self, Py_ssize_t length, int width) except -1:
        """Charge a string that is about to be made, of so many bytes a character."""
        if length > self.size:
            return self.exceeded("size")
        self.memory -= <long long>length * width
        if self.memory < 0:
            return self.exceeded("memory")
        return self.spend(length >> 6)

    @cython.final
    cdef inline int produce_items(self, Py_ssize_t length) except -1:
        """Charge a list that is about to be made of values that exist."""
        if length > self.list_size:
            return self.exceeded("size")
        self.memory -= <long long>length * 8
        if self.memory < 0:
            return self.exceeded("memory")
        return self.spend(length >> 2)

    @cython.final
    cdef inline Py_ssize_t weigh_text(self, text) except -1:
        cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
        self.spend(1 + (length >> 6))
        return (12 if PyUnicode_KIND(text) == 4 else 6) * length + 2

    @cython.final
    cdef inline Py_ssize_t weigh_item(self, value, int depth) except -1:
        return self.weigh_text(value) if type(value) is str else self.weigh(value, depth)

    @cython.final
    cdef inline Py_ssize_t bounded(self, Py_ssize_t total) except -1:
        # Even where every character was escaped, a string this long would be too long.
        if total // 12 > self.size:
            return self.exceeded("size")
        return total
