# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The word cache: a word's ids in one cache line, the word itself as the key.

Bounded: when it is full, a new word takes the place of an old one. Not locked: each worker
of an encoder has a cache of its own.

It begins small, and grows when that has cost about as much as growing does. Fresh memory takes
as long as encoding a few hundred thousand words, and a text of words that are never met again,
such as the pieces of one long word, would pay for it in vain. So from some time on new words are
noted, and those counted that had been there before.
"""

from libc.stdlib cimport calloc, free

from .units cimport TC_BATCH, tc_batch, tc_passes, tc_passes_of

cdef extern from "pages.h" nogil:
    void *tc_zeroed(size_t size, void **base)

# A cache begins no larger than this: most texts have few words, and memory has to be cleared.
cdef enum:
    FIRST_LINES = 1 << 17
    # Of the words noted. With so many, and some hundred thousand words that are all new, few are
    # taken for others.
    NOTED_BITS = 1 << 21


cdef class WordCache:
    """Room for ``lines`` words (a power of two, at least 4), 64 bytes each, when it has grown."""

    def __cinit__(self, Py_ssize_t lines):
        if lines < 4 or lines & (lines - 1):
            raise ValueError(f"lines must be a power of two, at least 4; not {lines}")
        self.limit = lines
        lines = min(lines, FIRST_LINES)
        self.lines = <tc_line *>tc_zeroed(lines * sizeof(tc_line), &self.memory)
        if self.lines == NULL:
            raise MemoryError()
        self.mask = lines - 1

    cdef void grow(self, tc_hash hash) noexcept nogil:
        cdef Py_ssize_t lines = min(self.limit, 4 * (<Py_ssize_t>self.mask + 1)), i
        cdef void *memory
        cdef tc_line *larger = <tc_line *>tc_zeroed(lines * sizeof(tc_line), &memory)
        cdef tc_line *line
        cdef tc_key key
        if larger == NULL:
            # It goes on as it is, and does not ask for memory again and again.
            self.limit = <Py_ssize_t>self.mask + 1
            self.again = 0
            return
        self.used = 0
        for i in range(<Py_ssize_t>self.mask + 1):
            line = self.lines + i
            if line.w[3]:
                key = tc_key_of(line)
                self.used += tc_store_line(larger, lines - 1, hash(&key), &key, line.ids,
                                           tc_line_count(line))
        free(self.memory)
        free(self.noted)
        self.noted = NULL
        self.again = 0
        self.memory = memory
        self.lines = larger
        self.mask = lines - 1

    cdef void note(self, uint64_t hashed) noexcept nogil:
        cdef uint64_t bit = hashed >> 17 & (NOTED_BITS - 1)
        cdef uint8_t *place
        if self.noted == NULL:
            self.noted = <uint8_t *>calloc(NOTED_BITS >> 3, 1)
            if self.noted == NULL:
                return
        place = self.noted + (bit >> 3)
        self.again += place[0] >> (bit & 7) & 1
        place[0] |= <uint8_t>(1 << (bit & 7))

    def __dealloc__(self):
        free(self.memory)
        free(self.noted)

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

    def take(self, list words not None, int level):
        """The ids of words of 1 to 31 bytes, up to the first that is not there (for tests).

        As a batch takes them, by ``level``: one of ``textcore.core.windows.levels()``.
        """
        cdef tc_batch batch
        cdef tc_passes passes = tc_passes_of(level)
        cdef unsigned int out[IDS_LIMIT * (TC_BATCH + 1)]
        cdef unsigned int *end = out
        cdef Py_ssize_t i, count = len(words)
        if count > TC_BATCH or not all(1 <= len(word) <= KEY_LIMIT for word in words):
            raise ValueError(f"at most {TC_BATCH} words of 1 to 31 bytes are a batch")
        for i in range(count):
            tc_load_key(&batch.keys[i], <bytes>words[i], len(words[i]), len(words[i]))
            batch.hashes[i] = tc_hash_key(&batch.keys[i])
        batch.turn = 0
        passes.take(&batch, 0, count, self.lines, self.mask, &end)
        return [out[i] for i in range(end - out)]

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
        if self.watches():
            self.note(tc_hash_key(&key))
        self.used += tc_store_line(self.lines, self.mask, tc_hash_key(&key), &key, values,
                                   len(ids))
        if self.crowded():
            self.grow(tc_hash_key)
