from libc.stdint cimport uint8_t, uint32_t

from .added cimport AddedMatcher


cdef enum:
    # A text with fewer added tokens than this is no conversation.
    TURNS = 3


cdef struct Mark:
    # A place right after an added token, from where a text encodes by itself.
    Py_ssize_t at
    Py_ssize_t read             # a text that is the same up to here has the mark as well
    Py_ssize_t ids              # how many ids come before it


cdef struct Marks:
    Mark *items
    Py_ssize_t count
    Py_ssize_t capacity
    Py_ssize_t found            # added tokens, whether they got a mark or not
    Py_ssize_t spacing          # no two but the last two are closer


cdef extern from "tally.h":
    ctypedef struct tc_tally:
        pass


cdef void marks_free(Marks *marks) noexcept nogil
cdef bint marks_push(Marks *marks, Py_ssize_t at, Py_ssize_t read, Py_ssize_t ids) noexcept nogil


cdef class Prompt:
    # A text and its ids. It belongs to one call, or to the cache and then to no call.
    cdef str text
    cdef AddedMatcher first
    cdef AddedMatcher second
    cdef uint32_t *ids
    cdef Py_ssize_t count
    cdef Py_ssize_t capacity
    cdef list shared            # an int for each id, once a list of them is asked for
    cdef tc_tally tally         # of the first ids, as such ints
    cdef Marks marks            # in characters
    cdef Py_ssize_t start       # what of the text has ids
    cdef Py_ssize_t cost        # bytes, about
    cdef bint recent            # used since the hand came by
    cdef Py_ssize_t index       # where it belongs in the cache of this version
    cdef size_t version

    cdef Py_ssize_t compare(self, Prompt other, Py_ssize_t *same) noexcept
    cdef int add_ids(self, const uint32_t *ids, Py_ssize_t count) except -1
    cdef int add_marks(self, const Marks *marks, const uint8_t *text, Py_ssize_t n,
                       Py_ssize_t begin) except -1
    cdef list list_of_ids(self, list shared, uint32_t *places)
    cdef int copy(self, Prompt other, Py_ssize_t marks) except -1
    cdef Py_ssize_t usable(self, Py_ssize_t same, Py_ssize_t least) noexcept
    cdef Py_ssize_t length_after(self, Py_ssize_t marks) noexcept
    cdef Py_ssize_t size(self) noexcept
    cdef void cut(self, Py_ssize_t marks)


cdef class PromptCache:
    cdef readonly Py_ssize_t bound      # bytes
    cdef readonly Py_ssize_t used
    cdef readonly Py_ssize_t shortest   # texts that are remembered, in characters
    cdef list prompts                   # in the order of compare
    cdef size_t version                 # how often that has changed
    cdef Py_ssize_t hand                # the next that is asked whether it was used lately

    cdef Py_ssize_t place(self, Prompt prompt, Py_ssize_t *best, Py_ssize_t *same)
    cdef Prompt take(self, str text, AddedMatcher first, AddedMatcher second)
    cdef int keep(self, Prompt prompt) except -1
    cdef Prompt remove(self, Py_ssize_t index)
