"""What other compiled modules may use of the normalizers."""

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
