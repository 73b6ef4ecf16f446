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
    void tc_store_line(tc_line *lines, uint64_t mask, uint64_t hashed, const tc_key *key,
                       const uint32_t *ids, size_t count)

cdef enum:
    KEY_LIMIT = 31      # bytes of a word that can be a key
    IDS_LIMIT = 8       # ids of a word that can be cached


cdef class WordCache:
    cdef void *memory
    cdef tc_line *lines
    cdef uint64_t mask
