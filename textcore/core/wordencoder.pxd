from libc.stdint cimport uint8_t, uint32_t

from .charset cimport CharSet
from .cuts cimport Cuts, tc_find_pieces
from .cutunits cimport tc_make_cut_units
from .model cimport WordModel
from .units cimport tc_passes
from .worker cimport MAX_LEVELS, Worker

cdef enum:
    # In a piece of fewer bytes, the automaton is faster than a look through windows.
    WIDE_FROM = 48


cdef class WordEncoder:
    cdef readonly WordModel model
    cdef readonly WordModel opening     # for a word at the start of the text; None: `model`
    cdef readonly CharSet drop          # words that begin so are none; None: there are none
    cdef bint drop_ascii[128]
    cdef readonly Cuts cuts
    cdef Py_ssize_t whole_limit         # longer words are cut first
    cdef bint always_cut                # texts are, however short they are
    cdef readonly tuple automata
    cdef readonly tuple windows         # in place of automata, or None
    cdef int levels                     # how many of them there are
    cdef void *splits[MAX_LEVELS]       # borrowed from `automata`
    cdef void *scanners[MAX_LEVELS]     # borrowed from `windows`; NULL for none
    cdef int level                      # the version of all that follows
    cdef tc_passes passes
    cdef tc_find_pieces find_pieces
    cdef tc_make_cut_units make_cut     # NULL: long words leave the loop over words
    cdef uint32_t fused                 # neighbours with this id are one; NONE: there is none

    cdef void _start(self, Worker worker, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _fill(self, Worker worker, const uint8_t *text, int level,
                          Py_ssize_t *ends, Py_ssize_t room) noexcept nogil
    cdef Py_ssize_t _next_units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint split) noexcept nogil
    cdef Py_ssize_t _units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                           Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t _other_word(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                Py_ssize_t count, bint dropping) noexcept nogil
    cdef Py_ssize_t _pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t count) noexcept nogil
    cdef void _keys(self, Worker worker, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                    Py_ssize_t count, Py_ssize_t more) noexcept nogil
    cdef int _words(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint split) except -1 nogil
    cdef Py_ssize_t _stretch(self, Worker worker, const uint8_t *text, Py_ssize_t start,
                             Py_ssize_t *unit, Py_ssize_t count) except -1 nogil
    cdef void _learn(self, Worker worker, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef void _fuse(self, Worker worker, Py_ssize_t first) noexcept nogil
    cdef int _stream(self, Worker worker, const uint8_t *text, Py_ssize_t n) except -1 nogil
    cdef int _miss(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   Py_ssize_t unit) except -1 nogil
    cdef Py_ssize_t _merge_out(self, Worker worker, WordModel model, const uint8_t *word,
                               Py_ssize_t n, bint whole) except -1 nogil
    cdef bint _drops(self, const uint8_t *word) noexcept nogil
    cdef Py_ssize_t _first_word(self, Worker worker, const uint8_t *text,
                                Py_ssize_t n) except -1 nogil
    cdef int _open(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   bint whole) except -1 nogil
