"""What other compiled modules may use of the normalizers."""

from libc.stdint cimport uint8_t, uint32_t


cpdef enum Form:
    NFC = 0
    NFD = 1
    NFKC = 2
    NFKD = 3

# The length of a prefix of `s`, UTF-8 of `n` bytes, that is certainly in the form already and
# that nothing after it can change: normalizing the rest by itself and appending it gives what
# normalizing the whole gives. It is `n` when all of the text is in the form; otherwise it ends
# before a starter (never inside a character). A cut-off or invalid last character counts as
# not in the form. `form` is a value of `Form`, `level` the vector code that may run: one of
# textcore.core.windows.levels().
cdef Py_ssize_t clean_prefix(
    int form, const unsigned char* s, Py_ssize_t n, int level
) noexcept nogil


cdef class FormText:
    # A text in a form, as UTF-8 in memory that is used again; for one thread.
    cdef uint8_t* data
    cdef Py_ssize_t room
    cdef uint32_t* _chars
    cdef Py_ssize_t _chars_room
    cdef object _work

    # Put a valid text there in `form`, of which the first `clean` bytes are what `clean_prefix`
    # found: how many bytes that is, or -1 where there is no memory.
    cdef Py_ssize_t run(self, int form, const unsigned char* s, Py_ssize_t n,
                        Py_ssize_t clean) noexcept nogil
    cdef bint _reserve(self, Py_ssize_t chars, Py_ssize_t size) noexcept nogil
    # Give the memory back.
    cdef void forget(self) noexcept nogil
