from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t


cdef extern from "told.h" nogil:
    ctypedef struct tc_told:
        uint16_t size
        uint8_t characters
        uint8_t flags
    ctypedef struct tc_telling:
        const tc_told *told
        uint32_t known
        uint8_t affixed
    enum:
        TC_TOLD_INSIDE
        TC_TOLD_LATER
        TC_TOLD_LAST
        TC_TOLD_MARKED
    Py_ssize_t tc_place_word(const tc_telling *by, const uint32_t *ids, Py_ssize_t have,
                             Py_ssize_t n, int added, int64_t *count, int64_t *starts,
                             int64_t *ends)
    Py_ssize_t tc_place_words(const tc_telling *by, const uint32_t *ids, Py_ssize_t have,
                              const Py_ssize_t *stops, Py_ssize_t count, Py_ssize_t at,
                              int64_t *characters, int64_t word, int64_t *words,
                              int64_t *starts, int64_t *ends, Py_ssize_t *passed)
    bint tc_holds(const uint8_t *data, Py_ssize_t n, const uint8_t *text, Py_ssize_t size)


cdef class TokenLengths:
    cdef tc_told *told              # by id: the same, of those that need no second look
    cdef uint32_t *full             # by id, in bytes of the word; 0: only the model knows
    cdef uint8_t *flags
    cdef Py_ssize_t size
    cdef Py_ssize_t prefix, suffix
    cdef tc_telling telling         # by `told`

    cdef int _fill(self, dict tokens, bint byte_level, str prefix, str suffix, str mark) except -1
    cdef int _tell(self, uint32_t token_id, str token, Py_ssize_t size, bytes content, str prefix,
                   str suffix, str mark) except -1
    cdef void _forget(self, uint32_t token) noexcept
    cdef Py_ssize_t length(self, uint32_t token, Py_ssize_t at, Py_ssize_t end) noexcept nogil
