from libc.stdint cimport uint8_t, uint64_t

from .scanner cimport Automaton

cdef extern from "windows.h" nogil:
    ctypedef struct tc_tables:
        uint8_t groups[256]
        uint8_t second[256]
        uint8_t third[256]
        uint8_t right[256]
        uint8_t verdicts[256]
        uint8_t ends[16]
        uint8_t space
    ctypedef void (*tc_judge)(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                              uint64_t *unknown) noexcept nogil


cdef class WindowScanner:
    cdef readonly Automaton automaton
    cdef readonly int level
    cdef tc_tables tables
    cdef tc_judge judge

    cdef void _look(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t at, uint64_t *cuts,
                    uint64_t *unknown) noexcept nogil
    cdef Py_ssize_t scan(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                         Py_ssize_t *ends, Py_ssize_t room) noexcept nogil
