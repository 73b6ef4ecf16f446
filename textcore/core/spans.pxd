from cpython.array cimport array
from libc.stdint cimport int64_t, uint8_t, uint32_t

from .added cimport AddedMatcher
from .alignment cimport Place
from .encode cimport Encoder
from .lengths cimport TokenLengths
from .model cimport WordModel
from .unigram cimport Unigram
from .worker cimport Worker


cdef struct Cursor:
    # A place in a text in UTF-8: `count` characters begin before byte `at`.
    const uint8_t *data
    bint ascii
    Py_ssize_t at
    Py_ssize_t count
    # Of a mark that stands for the space before `at`: bytes not taken yet. `added`: it stands
    # for no space, but was put before the character at `at`.
    Py_ssize_t left
    bint added


cdef struct Segment:
    # A part of the original text without added tokens, as it is normalized.
    Cursor cursor
    const uint8_t *data
    Py_ssize_t n
    const Place *places         # of its characters; NULL: character i is base + i
    Py_ssize_t characters
    Py_ssize_t base             # the character of the whole text that it begins with
    bint told                   # what tokens tell of their words counts here
    bint dropping               # some words may be none


cdef struct Tokens:
    # The ids, how far they are placed, and where to.
    const uint32_t *ids
    Py_ssize_t count
    Py_ssize_t at
    Py_ssize_t first            # the index among all tokens of the one at 0
    int64_t word
    int64_t *words
    int64_t *starts
    int64_t *ends


cdef class Places:
    cdef readonly Py_ssize_t count
    cdef int64_t *words             # with `starts` and `ends` behind them, in one block
    cdef int64_t *starts
    cdef int64_t *ends
    cdef readonly list odd


cdef Places room_for(Py_ssize_t count)
cdef void put_nowhere(Places places, Py_ssize_t start, Py_ssize_t end) noexcept nogil


cdef class Encoded:
    cdef readonly str text
    cdef readonly array ids
    cdef readonly AddedMatcher first
    cdef readonly AddedMatcher second
    cdef readonly Py_ssize_t front, back


cpdef Encoded encoded(Encoder encoder, str text, AddedMatcher first, AddedMatcher second,
                      array before, array after)


cdef class SpanFinder:
    cdef Encoder encoder
    cdef TokenLengths lengths
    cdef int form
    cdef object align
    cdef dict contents
    cdef bint spaced                # the encoder's models put marks for spaces
    cdef bint prefixing             # words may get a mark before them
    cdef bint marked                # the tokens' lengths are for texts with such marks
    cdef Unigram unigram            # None: the model is another

    cdef bint place(self, Encoded piece, Places places, Py_ssize_t at) except -1
    cdef bint _span(self, Worker worker, Tokens *tokens, Cursor *cursor, Py_ssize_t index,
                    AddedMatcher second, list odd) except -1
    cdef bint _part(self, Worker worker, Tokens *tokens, Cursor *cursor, Py_ssize_t start,
                    Py_ssize_t end, AddedMatcher second, list odd) except -1
    cdef bint _direct_part(self, Tokens *tokens, Cursor *cursor, const uint8_t *data,
                           Py_ssize_t n) noexcept
    cdef bint _segment(self, Worker worker, Tokens *tokens, Segment *segment, bint at_start,
                       AddedMatcher second, list odd) except -1
    cdef int _piece(self, Worker worker, Tokens *tokens, Segment *segment, Py_ssize_t start,
                    Py_ssize_t end, bint at_start, list odd) except -1 nogil
    cdef int _words(self, Worker worker, Tokens *tokens, Segment *segment, Py_ssize_t start,
                    Py_ssize_t at, const Py_ssize_t *ends, Py_ssize_t count,
                    list odd) except -1 nogil
    cdef Py_ssize_t _told_words(self, Tokens *tokens, Segment *segment, Py_ssize_t start,
                                Py_ssize_t at, const Py_ssize_t *ends,
                                Py_ssize_t count) noexcept nogil
    cdef int _word(self, Worker worker, WordModel model, Tokens *tokens, Segment *segment,
                   Py_ssize_t start, Py_ssize_t end, list odd) except -1 nogil
    cdef bint _told_word(self, WordModel model, Tokens *tokens, Segment *segment,
                         Py_ssize_t start, Py_ssize_t n) noexcept nogil
    cdef int _asked(self, Worker worker, WordModel model, Tokens *tokens, Segment *segment,
                    Py_ssize_t start, Py_ssize_t end, list odd) except -1 nogil
    cdef bint _added(self, Tokens *tokens, Segment *segment, Cursor *cursor, int64_t token,
                     Py_ssize_t start, Py_ssize_t end, list odd) except -1
