from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .cuts cimport Cuts

# What a look-up gives where there is nothing; never a symbol or a rank.
cdef enum:
    NONE = 0xFFFFFFFF

# merge() and split() give these instead of a length.
cdef enum:
    NO_MEMORY = -1
    NO_UNK = -2


cdef struct Candidate:
    uint64_t order      # rank in the upper half, position in the lower: the queue's key
    uint32_t symbol     # what the merge makes


cdef struct Scratch:
    # A word while it is merged. Only the first `n` of `capacity` are in use.
    Py_ssize_t capacity
    uint32_t *symbols
    uint32_t *lengths
    int32_t *previous
    int32_t *following
    Candidate *queue
    Py_ssize_t queue_capacity


cdef void scratch_init(Scratch *w) noexcept nogil
cdef void scratch_free(Scratch *w) noexcept nogil
cdef bint scratch_reserve(Scratch *w, Py_ssize_t n) noexcept nogil


cdef struct CharMap:
    # Code point -> symbol: pages of 256, those without any entry shared.
    uint16_t index[4352]
    uint32_t *pages


cdef class BPE:
    cdef readonly Py_ssize_t size           # symbols
    cdef readonly bint byte_level
    cdef readonly Cuts cuts                 # None where a text can't be cut exactly
    cdef readonly Py_ssize_t fan_out        # at most so many symbols from one byte of text
    cdef uint32_t *ids                      # symbol -> token id
    cdef uint64_t *pair_keys
    cdef uint32_t *pair_ranks
    cdef uint64_t pair_mask
    cdef int pair_shift
    cdef uint32_t *merged                   # rank -> symbol
    cdef uint32_t *levels                   # rank -> order in the queue; NULL: the rank itself
    cdef uint32_t byte_symbols[256]
    cdef uint32_t fallback[256]
    cdef CharMap maps[4]
    cdef int map_of[4]
    cdef bint use_fallback, fuse_unk, unk_missing, plain_scan
    cdef uint32_t unk
    cdef bytes _affixes                     # keeps what `affixes` points to
    cdef const uint8_t *affixes             # the prefix, then the suffix
    cdef Py_ssize_t prefix_size, suffix_size
    # ignore_merges: the words that merging would not make one symbol of, by their bytes
    cdef readonly Py_ssize_t exceptions
    cdef uint32_t *word_slots
    cdef uint64_t word_mask
    cdef uint8_t *blob
    cdef uint32_t *blob_starts              # one more than there are words
    cdef uint32_t *word_symbols
    cdef dict _number(self, dict vocab)
    cdef int _add_merges(self, dict symbols, list merges, str prefix) except -1
    cdef int _make_pairs(self, Py_ssize_t pairs, Py_ssize_t ranks) except -1
    cdef int _add_joins(self, dict symbols, dict contents, list joins, list levels) except -1
    cdef int _set_levels(self, list levels, Py_ssize_t count) except -1
    cdef void _drop_words(self) noexcept
    cdef void _put_pair(self, uint32_t left, uint32_t right, uint32_t rank) noexcept nogil
    cdef int _map_bytes(self, dict symbols, dict contents) except -1
    cdef int _map_characters(self, dict symbols, str prefix, str suffix) except -1
    cdef int _map_fallback(self, dict symbols) except -1
    cdef int _add_exceptions(self, dict symbols, dict contents) except -1
    cdef int _put_words(self, dict symbols, dict words) except -1
    cdef bint _only_its_text(self, dict symbols)
    cdef int _add_cuts(self, dict symbols, dict contents) except -1
    cdef Py_ssize_t _split_characters(self, const uint8_t *text, Py_ssize_t n,
                                      Scratch *w) noexcept nogil
    cdef bint _fall_back(self, const uint8_t *s, int width, int which, Scratch *w,
                         Py_ssize_t *count) noexcept nogil
    cdef bint _bytes_of(self, const uint8_t *s, Py_ssize_t n, Scratch *w,
                        Py_ssize_t *at) noexcept nogil
    cdef Py_ssize_t _merge_by_scan(self, Scratch *w, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _merge_by_queue(self, Scratch *w, Py_ssize_t n) noexcept nogil
    cdef bint _push(self, Scratch *w, Py_ssize_t *queued, Py_ssize_t left,
                    Py_ssize_t right) noexcept nogil

    cdef uint32_t rank_of(self, uint32_t left, uint32_t right) noexcept nogil
    cdef uint32_t whole_word(self, const uint8_t *text, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t split(self, const uint8_t *text, Py_ssize_t n, Scratch *w) noexcept nogil
    cdef Py_ssize_t merge(self, Scratch *w, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil
