from libc.stdint cimport uint8_t, uint32_t

from .cuts cimport Cuts
from .model cimport Scratch, WordModel
from .trie cimport Trie


cdef struct Way:
    # Where one text stands: what its further pieces depend on.
    float score         # of the best way to here
    Py_ssize_t count    # symbols so far
    bint unknown        # the last of them is unknown text


cdef class PieceUnigram(WordModel):
    cdef Trie pieces
    cdef Cuts joints            # where no piece reaches across
    cdef bint spaced            # a mark after anything else is such a place, and enough
    cdef float *scores
    cdef float unk_score
    cdef uint32_t unk           # `size` where there is none
    cdef uint32_t bytes[256]
    cdef bint use_bytes

    cdef Py_ssize_t _unit_end(self, const uint8_t *text, Py_ssize_t n,
                              Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t segment(self, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t start) noexcept nogil
    cdef float _find_way(self, const uint8_t *text, Py_ssize_t n, float score,
                         Scratch *w) noexcept nogil
    cdef float _limit(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                      uint32_t *ids, Py_ssize_t *count) noexcept nogil
    cdef bint _unit(self, const uint8_t *text, Py_ssize_t n, Way *way,
                    Scratch *w) noexcept nogil
    cdef void _put_way(self, const uint8_t *text, Py_ssize_t n, Way *way,
                       Scratch *w) noexcept nogil
