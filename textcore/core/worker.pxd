from libc.stdint cimport uint8_t, uint32_t

from .added cimport AddedMatcher, Spans
from .longwords cimport LongWords
from .model cimport Scratch
from .normalize cimport FormText
from .piecerules cimport Made
from .prompts cimport Marks
from .units cimport TC_BATCH, tc_batch
from .windows cimport ENDS_ROOM
from .words cimport WordCache

cdef enum:
    MAX_LEVELS = 8
    BATCH = TC_BATCH

cdef extern from "stretches.h" nogil:
    # What a unit of a batch is.
    enum: TC_PIECE
    enum: TC_WHOLE
    enum: TC_DROPPED
    enum: TC_LAST_PIECE
    ctypedef struct tc_met:
        pass


cdef struct Level:
    # Where one split stands: in a piece of the split before it, and among such pieces.
    Py_ssize_t base             # the piece starts here
    Py_ssize_t pos
    Py_ssize_t end
    Py_ssize_t next             # pieces of `above` taken so far
    Py_ssize_t have


cdef struct Words:
    # Words that the splits have found, and where cutting them into units stands.
    Py_ssize_t pos
    Py_ssize_t end              # of the word that `pos` is in
    Py_ssize_t next             # words of `ends` taken so far
    Py_ssize_t have
    Py_ssize_t ends[ENDS_ROOM]


cdef class Worker:
    # What one call needs to itself: scratch memory, a word cache, the ids so far.
    cdef Scratch scratch
    cdef WordCache cache
    cdef LongWords long_words
    cdef Made made                      # a text as compiled rules normalize it
    cdef Spans spans
    cdef Spans inner
    cdef Spans trusted                  # where control tokens count, if `guarded`
    cdef bint guarded
    cdef const uint8_t *base            # the text that `trusted` is about
    cdef const uint8_t *control         # by id, from a base: 1 for control tokens
    cdef uint32_t control_base
    cdef Py_ssize_t control_size
    cdef Py_ssize_t found               # control tokens that were recognised
    cdef bint marking
    cdef Marks marks                    # where `base` encodes by itself, if `marking`
    # Whether tokens in normalized text, which is the text as it is, are such places, too;
    # then the tokens that come first, the size of `base`, and how much of it decided where
    # a piece between those tokens ends.
    cdef bint marking_inner
    cdef AddedMatcher outer
    cdef Py_ssize_t size
    cdef Py_ssize_t read
    cdef Level levels[MAX_LEVELS]
    cdef Words words
    cdef tc_batch batch
    cdef uint8_t kinds[BATCH]
    cdef tc_met met                     # pieces that were merged with others
    cdef Py_ssize_t fresh               # words of the batch that were new
    cdef Py_ssize_t above[MAX_LEVELS][ENDS_ROOM]    # ends that the split before a level gave
    cdef uint32_t *out
    cdef Py_ssize_t count
    cdef Py_ssize_t capacity

    cdef FormText formed                # text that was not in the normalizer's form
    cdef uint32_t *places               # see prompts.add_ints; NULL until it is needed

    cdef void lend_cache(self) noexcept nogil
    cdef bint reserve(self, Py_ssize_t more) noexcept nogil
    cdef uint32_t *reserve_places(self, Py_ssize_t ids) noexcept nogil
    cdef void shrink(self) noexcept nogil
