"""The ids of a short text where nothing about it is rare; see quick.h."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .added cimport tc_firsts
from .cuts cimport tc_cuts
from .units cimport tc_passes
from .windows cimport tc_tables
from .words cimport tc_line

cdef extern from "quick.h":
    bint tc_has_utf8(object text) noexcept

cdef extern from "quick.h" nogil:
    enum: TC_QUICK
    ctypedef struct tc_quick:
        const tc_tables *tables
        void *memory
        const tc_cuts *cuts
        int opening
    ctypedef Py_ssize_t (*tc_quick_ids)(
        const tc_quick *quick, const tc_firsts *first, const tc_firsts *second,
        const tc_line *lines, uint64_t mask, const uint8_t *text, Py_ssize_t n,
        uint32_t *ids) noexcept nogil
    bint tc_quick_tables(tc_quick *quick, const tc_tables *tables)
    tc_quick_ids tc_quick_of(const tc_passes *passes, int level)
