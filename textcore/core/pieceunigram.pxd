from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .cuts cimport Cuts
from .model cimport Scratch, Step, WordModel
from .trie cimport Trie
from .words cimport tc_key, tc_line


cdef struct Batched:
    # A unit that the cache is asked for.
    tc_key key
    uint64_t hashed
    Py_ssize_t end


cdef struct Way:
    # Where one text stands: what its further pieces depend on.
    Py_ssize_t count    # symbols so far
    Py_ssize_t summed   # those of them that are in `score`
    float score         # of the best way
    float bound         # the score up to `count` is not further from 0
    bint unknown        # the last symbol is unknown text


cdef class PieceUnigram(WordModel):
    cdef Trie pieces
    cdef Cuts joints            # where no piece reaches across
    cdef bint spaced            # a mark after anything else is such a place, and enough
    cdef float *scores
    cdef float unk_score
    cdef uint32_t bytes[256]
    cdef bint use_bytes

    cdef Py_ssize_t _unit_end(self, const uint8_t *text, Py_ssize_t n,
                              Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t segment(self, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t start) noexcept nogil
    cdef float _find_way(self, const uint8_t *text, Py_ssize_t n, float score,
                         Scratch *w) noexcept nogil
    cdef void _study(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                     uint32_t *line) noexcept nogil
    cdef void _note(self, const uint8_t *text, Py_ssize_t n, const Step *steps,
                    const double *gap, Py_ssize_t characters, double largest,
                    uint32_t *line) noexcept nogil
    cdef bint _search(self, const uint8_t *text, Py_ssize_t n, Way *way,
                      Scratch *w) noexcept nogil
    cdef void _sum_up(self, Way *way, Scratch *w) noexcept nogil
    cdef void _put_unknown(self, const tc_line *line, Way *way, Scratch *w) noexcept nogil
    cdef bint _cached(self, const uint8_t *text, const Batched *unit, Py_ssize_t n, Way *way,
                      Scratch *w) noexcept nogil
    cdef bint _parts(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t readable, Way *way,
                     Scratch *w) noexcept nogil
    cdef void _put_way(self, const uint8_t *text, Py_ssize_t n, Way *way,
                       Scratch *w) noexcept nogil
