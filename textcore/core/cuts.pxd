from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "cuts.h" nogil:
    ctypedef struct tc_neighbours:
        pass
    ctypedef struct tc_cuts:
        uint16_t *parts
        uint64_t *pairs
        uint64_t mask
        uint8_t whole[64]
        uint8_t odd[64]
        uint8_t odd_second[64]
        tc_neighbours *near
        uint32_t space
        int space_size

cdef extern from "cuts512.h" nogil:
    ctypedef Py_ssize_t (*tc_find_pieces)(
        const tc_cuts *cuts, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t *ends, Py_ssize_t room) noexcept nogil
    # Which finds cuts after ``pos`` and the text's end: up to ``room`` (1 or more), and how many.
    tc_find_pieces tc_pieces_of(int level)


cdef class Cuts:
    cdef tc_cuts cuts
    cdef Cuts shared        # whose pairs these are, if not its own
    cdef void *near_memory
    cdef uint64_t spelled   # pairs of characters that entries have only parts of

    cdef int _make_room(self, Py_ssize_t characters) except -1
    cdef int settle(self) except -1
    # The first cut after ``pos`` (a character's start) in valid UTF-8, or ``n``.
    cdef Py_ssize_t next(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos) noexcept nogil
    cdef void _add(self, const uint8_t *s, Py_ssize_t n) noexcept nogil
    cdef void _note_odd(self, const uint8_t *s, Py_ssize_t n, Py_ssize_t at) noexcept nogil
    cdef void _add_part(self, const uint8_t *s, Py_ssize_t n, Py_ssize_t size) noexcept nogil
