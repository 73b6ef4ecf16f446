"""Objects that templates see besides plain data: loops, namespaces, macros."""


cdef int enter_iteration() except -1
cdef void leave_iteration() noexcept


cdef class LoopContext:
    cdef object iterable
    cdef object iterator
    cdef object make_undefined
    cdef object recursion
    cdef readonly Py_ssize_t index0
    cdef readonly Py_ssize_t depth0
    cdef Py_ssize_t known_length
    cdef object after
    cdef object current
    cdef object before
    cdef object last_changed

    cdef object advance(self)
    cdef object peek(self)
    cdef Py_ssize_t count(self) except -1
    cdef object recurse(self, tuple args, dict kwargs)


cdef class Namespace:
    cdef dict attributes
    cdef object refuse



cdef class Macro:
    cdef object function
    cdef object undefined
    cdef object context
    cdef object markup
    cdef readonly object name
    cdef readonly tuple arguments
    cdef readonly bint catch_kwargs
    cdef readonly bint catch_varargs
    cdef readonly bint caller
    cdef readonly bint explicit_caller
    cdef Py_ssize_t cost

    cdef object invoke(self, tuple args, dict kwargs)
    cdef int refuse(self, dict kwargs) except -1
