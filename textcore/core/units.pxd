"""A batch of words; see units.h."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from .words cimport tc_hash, tc_key, tc_line

cdef extern from "units.h" nogil:
    enum: TC_BATCH
    ctypedef struct tc_batch:
        tc_key *keys
        uint64_t *hashes
        Py_ssize_t *ends
        uint64_t turn
    ctypedef struct tc_passes:
        Py_ssize_t (*make)(tc_batch *batch, Py_ssize_t first, const uint8_t *text, Py_ssize_t n,
                           Py_ssize_t start, const Py_ssize_t *ends, Py_ssize_t count,
                           Py_ssize_t limit, const tc_line *lines, uint64_t mask) noexcept nogil
        Py_ssize_t (*take)(tc_batch *batch, Py_ssize_t first, Py_ssize_t to,
                           tc_line *lines, uint64_t mask, uint32_t **out) noexcept nogil
        Py_ssize_t (*lacking)(const tc_batch *batch, Py_ssize_t first, Py_ssize_t to,
                              const tc_line *lines, uint64_t mask, uint16_t *units) noexcept nogil
        tc_hash hash
    tc_passes tc_passes_of(int level)
    void tc_no_key(tc_batch *batch, Py_ssize_t number)
