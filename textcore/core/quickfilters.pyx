# cython: boundscheck=False, wraparound=False
"""Short ways through filters, for what templates mostly give them.

What a filter costs on a plain string, without arguments, is known without asking its guard. Such
a filter takes the context first, as Jinja passes it: see ``jinja2.pass_context``, which marks it.
"""

cimport cython
from cpython.tuple cimport PyTuple_GET_SIZE

from textcore.core.rendering cimport Meter

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object) noexcept
    int PyUnicode_KIND(object) noexcept


cdef class QuickFilter:
    """A filter that has a short way.

    ``run(context, value, ...)`` is the filter with its guard, ``quick(value)`` what it does to
    what may take the short way, which costs ``cost`` units of work and what the value does.
    """

    cdef object run
    cdef object quick
    cdef Py_ssize_t cost
    cdef public object jinja_pass_arg

    def __init__(self, run, quick, Py_ssize_t cost):
        self.run = run
        self.quick = quick
        self.cost = cost


@cython.final
cdef class TextFilter(QuickFilter):
    """A filter whose short way is for a plain string.

    It gives at most ``growth`` times as many characters as the string has: a part of them, all
    as they are, where that is 1.
    """

    cdef Py_ssize_t growth

    def __init__(self, run, quick, Py_ssize_t cost, Py_ssize_t growth):
        QuickFilter.__init__(self, run, quick, cost)
        self.growth = growth

    def around(self, wrap):
        """The same filter, the long way of which is ``wrap(run)``."""
        cdef TextFilter other = TextFilter(wrap(self.run), self.quick, self.cost, self.growth)
        other.jinja_pass_arg = self.jinja_pass_arg
        return other

    def __call__(self, context, value, /, *args, **kwargs):
        cdef Meter meter
        cdef Py_ssize_t length
        if type(value) is not str or PyTuple_GET_SIZE(args) or kwargs:
            return self.run(context, value, *args, **kwargs)
        meter = context.meter
        length = PyUnicode_GET_LENGTH(value)
        meter.spend(self.cost + (length >> (6 if self.growth == 1 else 2)))
        if self.growth > 1:
            meter.produce(self.growth * length, 4)
            return self.quick(value)
        result = self.quick(value)
        if result is not value:
            meter.produce(length, PyUnicode_KIND(value))
        return result


@cython.final
cdef class WalkingFilter(QuickFilter):
    """A filter to a string whose short way, which walks through all of a value, is for any.

    It is also taken with these ``arguments``, which change nothing.
    """

    cdef dict arguments

    def __init__(self, run, quick, Py_ssize_t cost, dict arguments not None):
        QuickFilter.__init__(self, run, quick, cost)
        self.arguments = arguments

    def __call__(self, context, value, /, *args, **kwargs):
        cdef Meter meter
        cdef str text
        if PyTuple_GET_SIZE(args) or (kwargs and kwargs != self.arguments):
            return self.run(context, value, *args, **kwargs)
        meter = context.meter
        meter.spend(self.cost)
        meter.weigh(value, 0)
        text = self.quick(value)
        meter.produce(PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text))
        return text
