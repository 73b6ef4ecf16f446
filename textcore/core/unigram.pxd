from libc.stdint cimport uint8_t, uint32_t

from .model cimport Scratch, WordModel
from .trie cimport Trie


cdef class Unigram(WordModel):
    cdef Trie pieces
    cdef double *scores
    cdef double unk_score
    cdef uint32_t fallback[256]
    cdef bint use_fallback

    cdef bint _find_way(self, const uint8_t *text, Py_ssize_t n, Scratch *w) noexcept nogil
    cdef Py_ssize_t _unknown(self, const uint8_t *text, Py_ssize_t start, Py_ssize_t end,
                             Scratch *w, Py_ssize_t count) noexcept nogil
