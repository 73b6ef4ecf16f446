# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The word cache: a word's ids in one cache line, the word itself as the key.

Bounded: it never grows, and a new word takes the place of an old one. Not locked: each
worker of an encoder has a cache of its own.
"""

from libc.stdlib cimport free

cdef extern from "pages.h" nogil:
    void *tc_zeroed(size_t size, void **base)


cdef class WordCache:
    """Room for ``lines`` words (a power of two, at least 4), 64 bytes each."""

    def __cinit__(self, Py_ssize_t lines):
        if lines < 4 or lines & (lines - 1):
            raise ValueError(f"lines must be a power of two, at least 4; not {lines}")
        self.lines = <tc_line *>tc_zeroed(lines * sizeof(tc_line), &self.memory)
        if self.lines == NULL:
            raise MemoryError()
        self.mask = lines - 1

    def __dealloc__(self):
        free(self.memory)

    def get(self, bytes word not None):
        """The ids remembered for a word of 1 to 31 bytes, or None (for tests)."""
        cdef tc_key key
        cdef const tc_line *line
        cdef int i
        if not 1 <= len(word) <= KEY_LIMIT:
            return None
        tc_load_key(&key, word, len(word), len(word))
        line = tc_find_line(self.lines, self.mask, tc_hash_key(&key), &key)
        if line == NULL:
            return None
        return [line.ids[i] for i in range(tc_line_count(line))]

    def put(self, bytes word not None, list ids not None):
        """Remember 1 to 8 ids for a word of 1 to 31 bytes that is not there (for tests)."""
        cdef tc_key key
        cdef unsigned int values[IDS_LIMIT]
        cdef Py_ssize_t i
        if not 1 <= len(word) <= KEY_LIMIT or not 1 <= len(ids) <= IDS_LIMIT:
            raise ValueError("a cached word has 1 to 31 bytes and 1 to 8 ids")
        for i in range(len(ids)):
            values[i] = ids[i]
        tc_load_key(&key, word, len(word), len(word))
        tc_store_line(self.lines, self.mask, tc_hash_key(&key), &key, values, len(ids))
