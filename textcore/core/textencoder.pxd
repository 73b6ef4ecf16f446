from libc.stdint cimport uint8_t, uint32_t

from .added cimport AddedMatcher
from .piecerules cimport PieceRules
from .wordencoder cimport WordEncoder
from .worker cimport Worker


# A string's UTF-8, kept by the string itself. Raises UnicodeEncodeError.
cdef const uint8_t *utf8_of(str text, Py_ssize_t *n) except NULL


# Whether an id is a control token's, of those that a worker guards.
cdef inline bint is_control(Worker worker, uint32_t token) noexcept nogil:
    token -= worker.control_base
    return token < <size_t>worker.control_size and worker.control[token]


cdef class TextEncoder(WordEncoder):
    cdef readonly object normalize
    cdef readonly PieceRules rules      # the same, compiled; None: `normalize`
    cdef int form                       # the Unicode form that it gives, or -1
    cdef readonly object pre_split
    cdef readonly TextEncoder direct    # for text that need not be normalized first, or None
    cdef bint plain                     # splits are all that comes before the model

    cdef int run_any(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                     AddedMatcher first, AddedMatcher second) except -1 nogil
    cdef int _run_short(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                        AddedMatcher first, AddedMatcher second) except -1 nogil
    cdef int run(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                 AddedMatcher first, AddedMatcher second, Py_ssize_t begin) except -1 nogil
    cdef int _mark(self, Worker worker, Py_ssize_t at, Py_ssize_t read) except -1 nogil
    cdef int _mark_inner(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         Py_ssize_t at, Py_ssize_t read) except -1 nogil
    cdef int _added(self, Worker worker, uint32_t token) except -1 nogil
    cdef int _ordinary(self, Worker worker, const uint8_t *text, Py_ssize_t n, bint at_start,
                       AddedMatcher second) except -1 nogil
    cdef int _python_normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint at_start, AddedMatcher second) except -1
    cdef int _normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         bint at_start, AddedMatcher second) except -1 nogil
    cdef int _piece(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint at_start) except -1 nogil
    cdef int _python_pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            bint at_start) except -1
