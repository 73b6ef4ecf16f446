from cpython.array cimport array
from libc.stdint cimport int64_t, uint32_t

from .added cimport AddedMatcher
from .encode cimport Encoder
from .spans cimport Encoded, Places, SpanFinder


cdef class Trimmer:
    cdef array leading
    cdef array trailing
    cdef tuple prefixed
    cdef object one

    cdef int run(self, Places places, const uint32_t *ids, Py_ssize_t first,
                 Py_ssize_t count) except -1
    cdef void _known(self, int64_t *low, int64_t *high, const uint32_t *ids, Py_ssize_t count,
                     bint prefixed) noexcept nogil


cdef class Source:
    cdef Places places(self, Py_ssize_t before, Py_ssize_t after)


cdef class Finding:
    cdef object path
    cdef SpanFinder finder
    cdef Trimmer trimmer
    cdef bint ready

    cdef bint place(self, Encoded piece, Places places, Py_ssize_t at, bint trims) except -1


cdef class Frame:
    cdef Encoder encoder
    cdef Finding finding
    cdef array before
    cdef array after
    cdef type made
    cdef object later

    cdef Deferred encode(self, str text, AddedMatcher first, AddedMatcher second)


cdef class Deferred:
    cdef array ids_
    cdef Frame frame                # made by it of `piece`, if there is one
    cdef Encoded piece
    cdef Source source              # else what finds the places, if there is one
    cdef object later               # makes what else there is; None: see `frame`
    cdef list fillings              # padding that `later` does not know of yet, or None
    cdef Py_ssize_t pads_before, pads_after
    cdef Places found
    cdef object overflowing_        # None for none
    cdef public bint _read

    cdef Places placed(self)
    cdef Places _framed(self)
