"""What compiled chat templates run on."""

from textcore.core.budget cimport Budget
from textcore.core.templatevars cimport LoopContext


cdef class Meter(Budget):
    cdef int depth
    cdef readonly long long whole_cost
    cdef readonly Py_ssize_t written
    cdef readonly object environment
    cdef object undefined
    cdef dict guards
    cdef object generic_guard
    cdef public list spans

    cdef object to_text(self, value)
    cdef object joined(self, list strings)
    cdef list texts(self, tuple values)
    cdef bint take(self, piece, list written) except -1
    cdef object total(self, left, right)
    cdef object product(self, left, right)
    cdef object remainder(self, left, right)
    cdef object sliced(self, value, start, stop, step)
    cdef object found(self, value, argument)
    cdef object iterated(self, iterable, Py_ssize_t cost)
    cdef list listed(self, iterable)
    cdef object escaped_length(self, value)
    cdef int repeated(self, value, count) except -1
    cdef bint small_numbers(self, left, right) except -1
    cdef int charge_digits(self, left, right) except -1
    cdef Py_ssize_t position(self, argument, Py_ssize_t length) except -2
    cdef object guarded(self, value, str name, guard, tuple args, dict kwargs)
    cdef bint is_quick(self, value, str name, tuple args, dict kwargs)
    cdef object call_object(self, function, tuple args, dict kwargs)
    cdef object call_loop(self, LoopContext loop, tuple args, dict kwargs)
    cdef object call_builtin(self, function, tuple args, dict kwargs)
