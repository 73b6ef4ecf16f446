from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "mixing.h" nogil:
    ctypedef struct tc_key:
        uint64_t w[4]
    uint64_t tc_hash_key(const tc_key *key)
    void TC_PREFETCH(const void *address)
    bint TC_LIKELY(bint x)

cdef enum:
    KEY_LIMIT = 31      # bytes of a word that can be a key
    IDS_LIMIT = 8       # ids of a word that can be cached


cdef struct Line:
    # One cache line. The last byte of the key holds the word's length (5 bits, never 0 in a
    # line in use) and, above it, its number of ids less one (3 bits).
    uint64_t w[4]
    uint32_t ids[8]


cdef class WordCache:
    cdef void *memory
    cdef Line *lines
    cdef uint64_t mask


cdef inline void load_key(tc_key *key, const uint8_t *word, Py_ssize_t n,
                          Py_ssize_t readable) noexcept nogil:
    """A word of 1 to KEY_LIMIT bytes as a key; ``readable`` bytes may be read at ``word``."""
    cdef int full, i
    memset(key, 0, sizeof(tc_key))
    if TC_LIKELY(readable >= 32):
        # Whole words of eight bytes, what lies past the end masked off.
        memcpy(key, word, 32)
        full = <int>(n >> 3)
        key.w[full] &= (<uint64_t>1 << ((n & 7) << 3)) - 1
        for i in range(full + 1, 4):
            key.w[i] = 0
    else:
        memcpy(key, word, n)
    key.w[3] |= <uint64_t>n << 56


cdef inline bint line_holds(const Line *line, const tc_key *key) noexcept nogil:
    return ((line.w[0] ^ key.w[0]) | (line.w[1] ^ key.w[1]) | (line.w[2] ^ key.w[2])
            | ((line.w[3] ^ key.w[3]) & <uint64_t>0x1FFFFFFFFFFFFFFF)) == 0


cdef inline const Line *find_line(Line *lines, uint64_t mask, uint64_t hashed,
                                  const tc_key *key) noexcept nogil:
    """The line of a word, or NULL. A word lives in one of two neighbours."""
    cdef Line *line = lines + (hashed & mask)
    if TC_LIKELY(line_holds(line, key)):
        return line
    line = lines + ((hashed & mask) ^ 1)
    if line_holds(line, key):
        return line
    return NULL


cdef inline int line_count(const Line *line) noexcept nogil:
    return <int>(line.w[3] >> 61) + 1


cdef inline void store_line(Line *lines, uint64_t mask, uint64_t hashed, const tc_key *key,
                            const uint32_t *ids, Py_ssize_t count) noexcept nogil:
    """Remember a word's ids (1 to IDS_LIMIT of them), in place of another if need be."""
    cdef Line *line = lines + (hashed & mask)
    cdef Line *other = lines + ((hashed & mask) ^ 1)
    if line.w[3] != 0 and (other.w[3] == 0 or hashed >> 63):
        line = other
    memcpy(line.w, key.w, 32)
    line.w[3] |= <uint64_t>(count - 1) << 61
    memcpy(line.ids, ids, count * sizeof(uint32_t))
