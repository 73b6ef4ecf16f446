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
    cdef object later(self)


cdef class Finding:
    cdef object path
    cdef SpanFinder finder
    cdef Trimmer trimmer
    cdef bint ready

    cdef bint place(self, Encoded piece, Places places, Py_ssize_t at, bint trims) except -1


cdef class Fit:
    cdef readonly object fitting
    cdef bint cuts
    cdef Py_ssize_t max_length, stride
    cdef bint left, alone
    cdef bint fills
    cdef Py_ssize_t length, multiple
    cdef bint right
    cdef tuple padding

    cdef Py_ssize_t target(self, Py_ssize_t size) noexcept
    cdef int fill(self, Deferred encoding, Py_ssize_t length) except -1


cdef class Frame:
    cdef Encoder encoder
    cdef Finding finding
    cdef array before
    cdef array after
    cdef type made
    cdef object later, share, cut
    cdef Frame rest                 # of what is cut off; None: nothing can be

    cdef Deferred encode(self, str text, AddedMatcher first, AddedMatcher second, Fit fit)
    cdef Deferred _cut(self, Encoded piece, Fit fit)


cdef class PairFrame:
    cdef Encoder encoder
    cdef Finding finding
    cdef array tokens
    cdef array sequences
    cdef type made
    cdef object make

    cdef Deferred encode(self, str text, str pair, AddedMatcher first, AddedMatcher second,
                         Fit fit)


cdef class Deferred:
    cdef array ids_
    cdef Frame frame                # made by it of `piece`, if there is one
    cdef Encoded piece
    cdef Source source              # else what finds the places, if there is one
    cdef object later               # makes what else there is; None: see `frame`
    cdef list fillings              # padding that `later` does not know of yet, or None
    cdef Py_ssize_t pads_before, pads_after
    cdef Places found
    cdef list overflowing_          # None: `pending` makes them, or there are none
    cdef object pending
    cdef public bint _read

    cdef Places placed(self)
    cdef Places _framed(self)
