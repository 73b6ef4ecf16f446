from libc.stdint cimport uint32_t

from textcore.core.utf8 cimport Utf8Decoder


cdef struct Entry:
    uint32_t start    # of the token's bytes in the table's buffer
    uint32_t sized    # their number, shifted left by 3, and the flags of the token


cdef enum:
    INLINE = 12


cdef struct Inline:
    unsigned char data[INLINE]  # of a token that has no more bytes than these
    uint32_t sized              # as in its Entry


cdef struct Bytes:    # a growing buffer
    unsigned char* data
    size_t size
    size_t room


cdef class ByteTable:
    cdef unsigned char* buffer
    cdef Entry* entries
    cdef Inline* shorts     # dense form only
    cdef uint32_t* keys     # sparse form only: the ids of the entries, sorted
    cdef uint32_t n_entries
    cdef readonly bint is_dense
    cdef readonly Py_ssize_t n_tokens
    cdef readonly Py_ssize_t n_byte_tokens
    cdef readonly long long max_id
    cdef readonly bint has_empty_text
    cdef unsigned char strip_utf8[4]
    cdef size_t strip_size
    cdef Py_ssize_t strip_count
    cdef object first
    # What streams are told of ids, made as they ask: without skipping special tokens, and with.
    cdef list texts

    cdef list whole_texts(self, bint skip)
    cdef object make_text(self, uint32_t token, bint skip)
    cdef Entry find(self, uint32_t token) noexcept nogil
    cdef int append(self, Bytes* out, const uint32_t* ids, Py_ssize_t n, bint skip) noexcept nogil
    cdef int _append_sparse(
        self, Bytes* out, const uint32_t* ids, Py_ssize_t n, bint skip
    ) noexcept nogil
    cdef int append_runs(
        self, Bytes* out, const uint32_t* ids, Py_ssize_t n, bint skip
    ) noexcept nogil
    cdef int fill(self, Bytes* out, object ids, bint skip, bint runs) except -1
    cdef size_t stripped(self, const Bytes* out) noexcept nogil
    cdef int _load(
        self, list ids, list strings, object special,
        bint stand_ins, bint fallback
    ) except -1
    cdef int _index(self, list ids) except -1
    cdef int _lay_shorts(self) except -1
    cdef Entry* search(self, uint32_t token) noexcept nogil


cdef class TokenStream:
    cdef ByteTable table
    cdef object pipeline
    cdef Utf8Decoder utf8
    cdef bint skip
    cdef bint started
    cdef bint flushed
    cdef Py_ssize_t strip_left
    cdef str strip
    cdef list texts             # of the table; None where it has none
    cdef bint plain             # whether these are all that is needed for one id
    cdef Py_ssize_t n_texts
    cdef list pieces
    cdef list blocks

    cdef str _add(self, object ids)
    cdef str _flush(self)
    cdef void _settle(self) noexcept
    cdef str _one(self, uint32_t token)
    cdef str _many(self, const uint32_t* ids, Py_ssize_t n)
    cdef str _stripped(self, str text)
    cdef int _keep(self, str text) except -1
