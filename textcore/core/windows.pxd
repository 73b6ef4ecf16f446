from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from .scanner cimport Automaton

cdef extern from "windows.h" nogil:
    enum:
        TC_CHUNK
        TC_SPARE
        TC_BLOCKS
        TC_FLAT
    ctypedef struct tc_tables:
        uint8_t groups[128]
        uint8_t second[256]
        uint8_t third[256]
        uint8_t right[256]
        uint8_t verdicts[256]
        uint8_t ends[16]
        uint8_t space
        uint8_t usual
        const uint8_t *row_of
        const uint8_t *rows
        uint8_t lengths[32]
        uint8_t plain[16]
        const uint32_t *block_of
        const uint8_t *blocks
        const uint8_t *flat
    ctypedef struct tc_chunk:
        uint64_t *cuts
        uint64_t *unknown
        uint16_t *offsets
    ctypedef struct tc_level:
        void *judge
        Py_ssize_t (*spread)(uint64_t cuts, const uint16_t *offsets, Py_ssize_t base,
                             Py_ssize_t *ends) noexcept nogil

cdef extern from "levels.h" nogil:
    enum: TC_LEVELS

cdef enum:
    # Where the next places are unknown as well, the automaton makes so many cuts at once.
    RUN = 40
    # Room that a scan needs: a chunk's cuts, one run of the automaton, and what is written in vain.
    SCAN_ROOM = TC_CHUNK + RUN + TC_SPARE
    ENDS_ROOM = 2048


cdef class WindowScanner:
    cdef readonly Automaton automaton
    cdef readonly int level
    cdef tc_tables tables
    cdef tc_level versions
    cdef uint8_t *blocks
    cdef uint16_t *two
    cdef uint8_t *flat
    cdef bytes row_of           # what `tables` reads
    cdef bytes rows

    # The ends of the pieces from ``pos`` (a cut) on: at most ``room`` (at least SCAN_ROOM),
    # and how many. All is done when the last is ``n``.
    cdef Py_ssize_t scan(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                         Py_ssize_t *ends, Py_ssize_t room) noexcept nogil
    cdef int _look_back(self, bytes lengths, bytes row_of, bytes rows) except -1
    cdef int _classes(self, const uint8_t *groups) except -1
    cdef int _flatten(self) except -1
    cdef uint8_t _group(self, uint8_t group) noexcept nogil
    cdef int _made_of_them(self, uint16_t plain) except -1
    cdef Py_ssize_t _block(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t at,
                           tc_chunk *chunk, int block, Py_ssize_t *done,
                           Py_ssize_t *ends) noexcept nogil
