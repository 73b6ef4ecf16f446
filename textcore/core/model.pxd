"""What the encoder asks of a model, and the memory that a word is encoded in."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .cuts cimport Cuts
from .units cimport tc_batch
from .words cimport tc_line

# What a look-up gives where there is nothing; never a symbol or a rank.
cdef enum:
    NONE = 0xFFFFFFFF

# encode() gives these instead of a number of symbols.
cdef enum:
    NO_MEMORY = -1
    NO_UNK = -2


cdef extern from "queue.h" nogil:
    ctypedef struct tc_candidate:
        uint64_t order      # rank in the upper half, position in the lower: the queue's key
        uint32_t symbol     # what the merge makes
    ctypedef struct tc_queue:
        pass
    void tc_queue_free(tc_queue *queue)
    void tc_queue_clear(tc_queue *queue)
    bint tc_queue_push(tc_queue *queue, uint64_t order, uint32_t symbol)
    bint tc_queue_pop(tc_queue *queue, tc_candidate *taken)


cdef struct Step:
    double score        # of the best way to here
    uint32_t symbol     # the last token on it
    int32_t start       # where that begins; -1 while there is no way to here


cdef struct Scratch:
    # A word while it is encoded. Only the first `n` of `capacity` are in use.
    Py_ssize_t capacity
    uint32_t *symbols
    uint32_t *lengths
    int32_t *previous
    int32_t *following
    uint32_t last[2]        # the two that were merged last, where that is noted
    tc_queue queue
    uint64_t *orders        # merges, in whatever order
    Py_ssize_t order_capacity
    Step *steps             # Viterbi: one for each place between two bytes
    Py_ssize_t step_capacity
    uint8_t *text           # a word that had to be rewritten
    Py_ssize_t text_capacity
    tc_line *lines          # a cache for models that keep one; borrowed, NULL for none
    uint64_t line_mask
    float carried           # what a streaming model knows of the text before
    bint carried_unknown


cdef void scratch_init(Scratch *w) noexcept nogil
cdef void scratch_free(Scratch *w) noexcept nogil

# Have room for words of so many symbols that has been written to: fresh memory takes longer than
# most words do.
cdef void scratch_prepare(Scratch *w, Py_ssize_t n) noexcept nogil

# Room for a word of so many symbols, steps or bytes; 0 where there is no memory (or no
# 31-bit index). What was there is lost.
cdef bint scratch_reserve(Scratch *w, Py_ssize_t n) noexcept nogil
cdef bint scratch_reserve_orders(Scratch *w, Py_ssize_t n) noexcept nogil
cdef bint scratch_reserve_steps(Scratch *w, Py_ssize_t n) noexcept nogil
cdef bint scratch_reserve_text(Scratch *w, Py_ssize_t n) noexcept nogil


cdef class WordModel:
    cdef readonly Py_ssize_t size           # symbols
    cdef readonly Py_ssize_t fan_out        # at most so many symbols from one byte of text
    cdef readonly Cuts cuts                 # None where a text can't be cut exactly
    cdef readonly Cuts fusing               # the same, if unknown neighbours are then made one
    cdef uint32_t unk                       # the symbol of what is unknown, or NONE
    cdef readonly Py_ssize_t exceptions     # words that are other symbols as pieces of words
    cdef readonly bint streams              # takes a whole text, segment by segment
    cdef uint32_t *ids                      # symbol -> token id

    # The symbol of a word that is among the exceptions, or NONE.
    cdef uint32_t whole_word(self, const uint8_t *text, Py_ssize_t n) noexcept nogil

    # A word's symbols into ``w``: how many, or NO_MEMORY, NO_UNK. ``whole``: it is a word,
    # not a piece of one between cuts. To a model that streams: a text begins here.
    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil

    # Encode words of a batch, given their numbers, none twice, and remember those that a line
    # has room for: how many free lines that took. Words that are exceptions are not asked
    # for. A model may leave any of them out. What the words are is said by the keys of
    # ``spelled``; they are remembered by those of ``batch``.
    cdef Py_ssize_t remember(self, const tc_batch *batch, const tc_batch *spelled,
                             const uint16_t *units, Py_ssize_t count, Scratch *w,
                             tc_line *lines, uint64_t mask, int level) noexcept nogil

    # Have what encoding reads brought into the processor's caches.
    cdef void touch(self) noexcept nogil

    # Where the segment of a text that starts at ``start`` ends, for a model that streams.
    cdef Py_ssize_t segment(self, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t start) noexcept nogil
