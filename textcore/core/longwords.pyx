# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A small cache of words that the word cache has no room for.

A line of that is too small for some (rules of dashes, long runs of spaces, words of many rare
characters), and a few short ones find their lines taken. Such words are rare in most texts, but
merging one takes as long as looking up a hundred others. The cache is bounded: a word takes the
place of another of the same places.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

cdef extern from "mixing.h" nogil:
    uint64_t tc_hash_bytes(const uint8_t *s, size_t n)


cdef enum:
    # It begins with so many places: fresh memory comes page by page, and takes longer than a word.
    FIRST_PLACES = 1024
    # A word may be in any of so many, neighbours; it is looked for up to the first free one.
    PLACES = 4


cdef class LongWords:
    """Room for up to ``count`` words (a power of two), 256 bytes each, made as they are stored."""

    def __cinit__(self, Py_ssize_t count):
        if count < 1 or count & (count - 1):
            raise ValueError(f"count must be a power of two, not {count}")
        self.limit = count

    def __dealloc__(self):
        free(self.words)

    cdef LongWord *place(self, uint64_t hashed, Py_ssize_t other) noexcept nogil:
        return self.words + ((<Py_ssize_t>(hashed >> 32) ^ other) & self.mask)

    cdef const LongWord *find(self, const uint8_t *text, Py_ssize_t n) noexcept nogil:
        cdef uint64_t hash
        cdef const LongWord *word
        cdef Py_ssize_t other
        if self.words == NULL:
            return NULL
        hash = tc_hash_bytes(text, n)
        for other in range(PLACES):
            word = self.place(hash, other)
            if word.size == 0:
                break
            if (word.hash == hash and word.size == n
                    and memcmp(word.data + 4 * word.count, text, n) == 0):
                return word
        return NULL

    cdef LongWord *room_for(self, uint64_t hashed) noexcept nogil:
        cdef Py_ssize_t other
        cdef LongWord *word
        for other in range(PLACES):
            word = self.place(hashed, other)
            if word.size == 0:
                self.used += 1
                return word
        # All are taken: any of them.
        return self.place(hashed, hashed & (PLACES - 1))

    cdef bint make_room(self) noexcept nogil:
        """Four times the places, where half are taken and there may be more; 0 if there are none."""
        cdef Py_ssize_t count = self.mask + 1 if self.words != NULL else 0, i
        cdef LongWord *words = self.words
        cdef LongWord *larger
        if count and (2 * self.used <= count or count == self.limit):
            return 1
        larger = <LongWord *>calloc(min(max(4 * count, FIRST_PLACES), self.limit),
                                    sizeof(LongWord))
        if larger == NULL:
            return count > 0
        self.words = larger
        self.mask = min(max(4 * count, FIRST_PLACES), self.limit) - 1
        self.used = 0
        for i in range(count):
            if words[i].size:
                memcpy(self.room_for(words[i].hash), &words[i], sizeof(LongWord))
        free(words)
        return 1

    cdef void store(self, const uint8_t *text, Py_ssize_t n, const uint32_t *ids,
                    Py_ssize_t count) noexcept nogil:
        cdef uint64_t hash
        cdef LongWord *word
        if n == 0 or n > LONG_BYTES or count > (LONG_ROOM - n) >> 2:
            return
        if not self.make_room():
            return
        hash = tc_hash_bytes(text, n)
        word = self.room_for(hash)
        word.hash = hash
        word.size = <uint16_t>n
        word.count = <uint16_t>count
        memcpy(word.data, ids, count * sizeof(uint32_t))
        memcpy(word.data + 4 * count, text, n)

    def get(self, bytes word not None):
        """The ids remembered for a word, or None (for tests)."""
        cdef const LongWord *found = NULL
        if len(word) <= LONG_BYTES:
            found = self.find(word, len(word))
        return None if found == NULL else [ids_of(found)[i] for i in range(found.count)]

    def put(self, bytes word not None, list ids not None):
        """Remember the ids of a word that is not there, where there is room (for tests)."""
        cdef uint32_t values[LONG_ROOM >> 2]
        cdef Py_ssize_t i
        for i in range(min(len(ids), LONG_ROOM >> 2)):
            values[i] = ids[i]
        self.store(word, len(word), values, len(ids))
