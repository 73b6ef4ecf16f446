"""The automaton of a split pattern, for the modules that run it without the GIL."""

from libc.stdint cimport uint32_t


cdef enum:
    BLOCKS = 0x1100     # of 256 code points each


cdef struct Cut:
    # A move of a cutting table: the next state's row, and what the move says. The row is a
    # pointer, so that the way from one move to the next is a single load.
    const Cut* next
    uint32_t says


cdef struct Memo:
    # Places from which no match ends: an open-addressing set of (position, state) keys.
    unsigned long long* keys
    Py_ssize_t size
    Py_ssize_t used


cdef class Automaton:
    cdef uint32_t* block_of
    cdef unsigned char* blocks
    cdef unsigned char ascii[128]
    cdef uint32_t* moves
    cdef Cut* cuts
    cdef uint32_t* starts
    cdef uint32_t width
    cdef Py_ssize_t states
    cdef bint by_context
    # Whether every text is tiled by matches, and whether successive searches
    # take linear time in total on any text.
    cdef readonly bint covers
    cdef readonly bint linear

    # Below, ``text[0:n]`` is valid UTF-8 and ``pos`` (0..n) is at a character.

    # The first match at or after ``pos``, by leftmost-first rules; 0 where there is none.
    cdef bint find(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t* start, Py_ssize_t* end,
    ) noexcept nogil

    # The ends of the pieces into which the starts and ends of the matches cut the text
    # from ``pos`` on: at most ``max`` (at least 2), and their number. All is done when the
    # last is ``n``; else go on at the last.
    cdef Py_ssize_t scan(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t* ends, Py_ssize_t max,
    ) noexcept nogil

    # The first of those ends; there is a cutting table, and ``pos`` is not ``n``.
    cdef Py_ssize_t piece_end(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos
    ) noexcept nogil

    cdef uint32_t symbol(
        self, const unsigned char* at, Py_ssize_t* size
    ) noexcept nogil
    cdef uint32_t start_state(
        self, const unsigned char* text, Py_ssize_t pos
    ) noexcept nogil
    cdef Py_ssize_t match_at(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos, uint32_t state,
        Memo* memo,
    ) noexcept nogil
    cdef void forget(
        self, const unsigned char* text, Py_ssize_t pos, Py_ssize_t stop, uint32_t state,
        Memo* memo,
    ) noexcept nogil
    cdef bint search(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t* start, Py_ssize_t* end, Memo* memo,
    ) noexcept nogil
    cdef Py_ssize_t cut(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos, Py_ssize_t* ends
    ) noexcept nogil
