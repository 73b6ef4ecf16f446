"""Renderings in which it is followed what the template wrote itself."""

from textcore.core.rendering cimport Meter
from textcore.core.written cimport Ranges


cdef class Pieces:
    cdef list texts
    cdef Py_ssize_t length


cdef class FollowingMeter(Meter):
    cdef object follow
    cdef readonly Ranges ranges

    cdef bint has_written(self, value, tuple args, dict kwargs)
    cdef object marked(self, text, list strings)
    cdef object followed_items(self, iterable)
    cdef int extend(self, Pieces pieces, text) except -1
