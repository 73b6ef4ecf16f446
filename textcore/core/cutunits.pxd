"""Words as units, long ones cut; see cutunits.h."""

from libc.stdint cimport uint8_t, uint64_t

from .cuts cimport tc_cuts
from .units cimport tc_batch
from .words cimport tc_line

cdef extern from "cutunits.h" nogil:
    ctypedef Py_ssize_t (*tc_make_cut_units)(
        const tc_cuts *cuts, tc_batch *batch, uint8_t *kinds, Py_ssize_t first,
        const uint8_t *text, Py_ssize_t start, const Py_ssize_t *ends, Py_ssize_t *words,
        Py_ssize_t limit, const tc_line *lines, uint64_t mask) noexcept nogil
    # NULL where there is no such version.
    tc_make_cut_units tc_make_cut_of(int level)
