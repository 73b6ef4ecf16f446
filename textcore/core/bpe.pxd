from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from .cuts cimport Cuts
from .model cimport Scratch, WordModel
from .spellings cimport Spellings
from .units cimport tc_batch
from .words cimport tc_line

cdef extern from "pairs.h" nogil:
    ctypedef struct tc_pairs:
        uint64_t *entries
        uint32_t *ranks
        uint64_t factor
        int rank_bits
    uint64_t tc_pairs_slots(const tc_pairs *pairs)
    void tc_pairs_fit(tc_pairs *pairs, uint64_t buckets, uint64_t factor, uint64_t symbols,
                      uint64_t ranks)
    void tc_pairs_free(tc_pairs *pairs)
    bint tc_pairs_init(tc_pairs *pairs, uint64_t count, uint64_t symbols, uint64_t ranks)
    uint32_t tc_pair_rank(const tc_pairs *pairs, uint32_t left, uint32_t right)
    bint tc_pair_put(tc_pairs *pairs, uint32_t left, uint32_t right, uint32_t rank)
    bint tc_pair_at(const tc_pairs *pairs, uint64_t at, uint32_t *left, uint32_t *right,
                    uint32_t *rank)

cdef extern from "characters.h" nogil:
    enum: TC_CHARACTERS
    ctypedef struct tc_whole:
        uint32_t symbol
        uint32_t rank
    ctypedef struct tc_characters:
        tc_whole *whole
        uint32_t *across
    ctypedef struct tc_parts:
        tc_characters made
    bint tc_parts_init(tc_parts *p, size_t symbols)
    void tc_parts_free(tc_parts *p)
    void tc_parts_note(tc_parts *p, uint32_t symbol, const uint8_t *s, size_t n)
    Py_ssize_t tc_parts_settle(tc_parts *p, const tc_pairs *pairs, const uint32_t *merged,
                               const uint32_t *byte_symbols)
    void tc_characters_free(tc_characters *c)
    Py_ssize_t tc_first_symbols(const tc_characters *c, const uint32_t *byte_symbols,
                                const uint8_t *text, Py_ssize_t n, uint32_t *symbols,
                                uint32_t *lengths)

cdef extern from "lanes.h" nogil:
    ctypedef struct tc_merger:
        const tc_pairs *pairs
        const uint32_t *merged
        uint32_t first
        const uint32_t *ids
        const uint32_t *byte_symbols
        const uint32_t *byte_pairs
        const tc_characters *whole
        const uint32_t *symbols
        const uint8_t *sizes
    ctypedef Py_ssize_t (*tc_merge_words)(
        const tc_merger *merger, const tc_batch *batch, const uint16_t *units, Py_ssize_t count,
        tc_line *lines, uint64_t mask) noexcept nogil

cdef extern from "wholes.h" nogil:
    enum: TC_WHOLES_A_LINE
    uint32_t TC_WHOLE_SYMBOLS
    ctypedef struct tc_whole_token:
        uint64_t low
        uint64_t high
    ctypedef struct tc_wholes:
        tc_whole_token *tokens
        uint64_t mask
    bint tc_wholes_init(tc_wholes *w, uint64_t places)
    void tc_wholes_free(tc_wholes *w)
    uint64_t tc_wholes_places(uint64_t symbols)
    Py_ssize_t tc_take_wholes(const tc_wholes *w, const uint32_t *ids, const tc_batch *batch,
                              const uint16_t *units, Py_ssize_t count, uint16_t *left,
                              tc_line *lines, uint64_t mask, Py_ssize_t *used)
    void tc_wholes_add(tc_wholes *w, const uint8_t *text, size_t size, uint32_t symbol)
    bint tc_find_wholes(const tc_pairs *pairs, const uint32_t *merged, uint64_t ranks,
                        uint64_t symbols, const uint32_t *byte_symbols, bint sure, uint8_t *sizes)

cdef extern from "lastmerges.h" nogil:
    enum: TC_GIVEN_BACK
    enum: TC_UNKNOWN_TOKEN
    ctypedef struct tc_last_merges:
        uint8_t *tokens
    bint tc_last_merges_init(tc_last_merges *l, const tc_pairs *pairs, const uint32_t *merged,
                             uint64_t symbols, uint64_t ranks)
    void tc_last_merges_free(tc_last_merges *l)
    void tc_note_token(tc_last_merges *l, uint32_t symbol, Py_ssize_t count, uint32_t made,
                       const uint32_t *last)
    Py_ssize_t tc_keep_last(const tc_last_merges *l, tc_pairs *pairs, uint32_t **merged)


cdef struct CharMap:
    # Code point -> symbol: pages of 256, those without any entry shared.
    uint16_t index[4352]
    uint32_t *pages


cdef class BPE(WordModel):
    cdef readonly bint byte_level
    cdef tc_pairs pairs
    cdef uint32_t *merged                   # rank -> symbol
    cdef Py_ssize_t ranks                   # how many there are of `merged`
    cdef Py_ssize_t given                   # how many pairs were given
    cdef bint in_order                      # merged[rank] is merged[0] + rank
    cdef uint32_t *levels                   # rank -> order in the queue; NULL: the rank itself
    cdef uint32_t byte_symbols[256]
    cdef bint in_lanes                      # short words may be merged side by side
    cdef uint32_t *byte_pairs               # what waits for two bytes; NULL: not `in_lanes`, or characters
    cdef tc_characters characters           # to begin with; no tables: words begin as bytes
    cdef bint pruned                        # to merges that make tokens as merging does
    cdef tc_wholes wholes                   # tokens that new words are looked up in
    cdef uint32_t fallback[256]
    cdef CharMap maps[4]
    cdef int map_of[4]
    cdef bint use_fallback, fuse_unk, unk_missing, plain_scan
    cdef bytes _affixes                     # keeps what `affixes` points to
    cdef const uint8_t *affixes             # the prefix, then the suffix
    cdef Py_ssize_t prefix_size, suffix_size
    cdef Spellings excepted                 # the exceptions of ignore_merges; None: there are none

    cdef dict _number(self, dict vocab)
    cdef int _add_merges(self, dict symbols, list merges, str prefix) except -1
    cdef void _settle(self) noexcept nogil
    cdef int _put_pair(self, uint32_t left, uint32_t right, uint32_t rank) except -1
    cdef int _make_lanes(self) except -1
    cdef void _fill_merger(self, tc_merger *merger) noexcept nogil
    cdef bytearray _wholes(self)
    cdef int _find_wholes(self, dict symbols, dict contents) except -1
    cdef int _settle_parts(self, tc_parts *parts) except -1
    cdef int _begin_with_characters(self, dict symbols, dict contents) except -1
    cdef int _make_pairs(self, Py_ssize_t pairs, Py_ssize_t ranks) except -1
    cdef int _add_joins(self, dict symbols, dict contents, list joins, list levels) except -1
    cdef int _set_levels(self, list levels, Py_ssize_t count) except -1
    cdef int _map_bytes(self, dict symbols, dict contents) except -1
    cdef int _map_characters(self, dict symbols, str prefix, str suffix) except -1
    cdef int _map_fallback(self, dict symbols) except -1
    cdef bint _redundant(self)
    cdef bint _spells_text(self)
    cdef int _try_token(self, tc_last_merges *last, uint32_t symbol, const uint8_t *word,
                        Py_ssize_t n, Scratch *w) except -1
    cdef int _keep_last_merges(self, const tc_last_merges *last) except -1
    cdef bint _is_exception(self, const tc_last_merges *last, uint32_t symbol,
                            const uint8_t *word, Py_ssize_t n, Scratch *w) except -1
    cdef int _try_tokens(self, dict symbols, dict contents, bint ignore_merges) except -1
    cdef bint _only_its_text(self)
    cdef bint _unknown_is_apart(self)
    cdef Cuts _cuts(self, dict symbols, dict contents)
    cdef Py_ssize_t _split_characters(self, const uint8_t *text, Py_ssize_t n,
                                      Scratch *w) noexcept nogil
    cdef bint _fall_back(self, const uint8_t *s, int width, int which, Scratch *w,
                         Py_ssize_t *count) noexcept nogil
    cdef bint _bytes_of(self, const uint8_t *s, Py_ssize_t n, Scratch *w,
                        Py_ssize_t *at) noexcept nogil
    cdef Py_ssize_t _merge_by_queue(self, Scratch *w, Py_ssize_t n) noexcept nogil
    cdef bint _push(self, Scratch *w, Py_ssize_t left, Py_ssize_t right) noexcept nogil

    cdef Py_ssize_t split(self, const uint8_t *text, Py_ssize_t n, Scratch *w) noexcept nogil
    cdef Py_ssize_t _remember_split(self, const tc_batch *batch, const tc_batch *spelled,
                                    const uint16_t *units, Py_ssize_t count, Scratch *w,
                                    tc_line *lines, uint64_t mask, tc_merger *merger,
                                    tc_merge_words merge) noexcept nogil
    cdef Py_ssize_t merge(self, const uint8_t *text, Scratch *w, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _merge_runs(self, const uint8_t *text, Scratch *w,
                                Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _merge_long(self, const uint8_t *text, Scratch *w,
                                Py_ssize_t n) noexcept nogil
