from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "words.h" nogil:
    ctypedef struct tc_key:
        uint64_t w[4]
    ctypedef struct tc_line:
        uint64_t w[4]
        uint32_t ids[8]
    void tc_load_key(tc_key *key, const uint8_t *word, size_t n, size_t readable)
    uint64_t tc_hash_key(const tc_key *key)
    const tc_line *tc_find_line(const tc_line *lines, uint64_t mask, uint64_t hashed,
                                const tc_key *key)
    int tc_line_count(const tc_line *line)
    bint tc_store_line(tc_line *lines, uint64_t mask, uint64_t hashed, const tc_key *key,
                       const uint32_t *ids, size_t count)
    bint tc_has_room(const tc_line *lines, uint64_t mask, uint64_t hashed)
    tc_key tc_key_of(const tc_line *line)

cdef enum:
    KEY_LIMIT = 31      # bytes of a word that can be a key
    IDS_LIMIT = 8       # ids of a word that can be cached


ctypedef uint64_t (*tc_hash)(const tc_key *key) noexcept nogil


cdef class WordCache:
    cdef void *memory
    cdef tc_line *lines
    cdef uint64_t mask
    cdef Py_ssize_t used        # lines that hold a word
    cdef Py_ssize_t limit       # lines that there may be at most
    cdef uint8_t *noted         # a bit for each word that was noted, by its hash; or NULL
    cdef Py_ssize_t again       # words noted more than once

    cdef inline bint crowded(self) noexcept nogil:
        """Whether larger would be better: many words that it had driven out were met again."""
        return self.again > (<Py_ssize_t>self.mask + 1) >> 2

    cdef inline bint watches(self) noexcept nogil:
        """Whether new words are to be noted: half of the lines are in use, and there may be more."""
        return 2 * self.used > <Py_ssize_t>self.mask and <Py_ssize_t>self.mask + 1 < self.limit

    # Note a word that is about to be remembered.
    cdef void note(self, uint64_t hashed) noexcept nogil

    cdef inline bint takes(self, uint64_t hashed) noexcept nogil:
        """Whether a new word is best remembered here: where it need not drive out another.

        A few sets of four lines fill long before the others, and the words of one that has
        too many would take turns for ever. Only a cache that is full lets them.
        """
        return (tc_has_room(self.lines, self.mask, hashed)
                or 2 * self.used > <Py_ssize_t>self.mask)

    # Four times the lines, the words kept, or up to the limit. Without memory it stays as it is.
    cdef void grow(self, tc_hash hash) noexcept nogil
