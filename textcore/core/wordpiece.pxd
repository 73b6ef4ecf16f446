from libc.stdint cimport uint8_t, uint32_t

from .model cimport WordModel
from .trie cimport Trie


cdef class WordPiece(WordModel):
    cdef readonly str prefix
    cdef Trie words             # tokens as they are: what a word may begin with
    cdef Trie rest              # without the prefix: what it may go on with
    cdef Py_ssize_t max_chars


cdef class WordLevel(WordModel):
    cdef Trie words
