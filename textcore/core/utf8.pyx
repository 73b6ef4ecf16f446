"""Incremental UTF-8: bytes in any chunks to text, holding back incomplete characters only."""

cimport cython
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef extern from "Python.h":
    str PyUnicode_DecodeUTF8Stateful(
        const char* data, Py_ssize_t size, const char* errors, Py_ssize_t* consumed
    )
    str PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors)


cdef enum:
    LONGEST_HELD = 3    # a character has at most 4 bytes, and one at least is missing
    STACK_ROOM = 256


@cython.final
cdef class Utf8Decoder:
    """Decodes UTF-8 that arrives in chunks.

    Whatever the chunks, the pieces joined equal ``bytes.decode("utf-8", "replace")`` of the
    whole: every maximal subpart of an ill-formed sequence becomes one U+FFFD (Unicode
    Standard, chapter 3.9, "U+FFFD substitution of maximal subparts"). A piece has every
    character that its bytes complete; only the bytes of a character that may still be
    completed, 3 at most, are held back.

    One object decodes one stream; it is not to be used by two threads at a time.
    """

    def __cinit__(self):
        self.n_held = 0

    @cython.critical_section
    def decode(self, const unsigned char[::1] data not None, bint final=False):
        """The text that ``data`` (any bytes-like object) completes.

        With ``final`` the stream ends here, so that a character that is still incomplete
        comes out as U+FFFD; the decoder is then as new.
        """
        cdef Py_ssize_t size = data.shape[0]
        text = self.feed(&data[0], size) if size else ""
        return text + self.finish() if final else text

    @cython.critical_section
    def flush(self):
        """Ends the stream: U+FFFD if a character is incomplete, else the empty string."""
        return self.finish()

    @property
    def pending(self):
        """The bytes held back: the beginning of one character, 0 to 3 bytes."""
        return self.held[: self.n_held]

    cdef str feed(self, const unsigned char* data, Py_ssize_t size):
        """As ``decode``, for compiled callers; ``data`` is read only during the call."""
        cdef unsigned char room[STACK_ROOM]
        cdef unsigned char* joined
        cdef Py_ssize_t used = 0
        cdef Py_ssize_t total = size + self.n_held
        cdef str text
        if size == 0:
            return ""
        if self.n_held == 0:
            text = PyUnicode_DecodeUTF8Stateful(<const char*>data, size, b"replace", &used)
            self._hold(data + used, size - used)
            return text
        joined = &room[0]
        if total > STACK_ROOM:
            joined = <unsigned char*>malloc(total)
            if joined == NULL:
                raise MemoryError
        try:
            memcpy(joined, self.held, self.n_held)
            memcpy(joined + self.n_held, data, size)
            text = PyUnicode_DecodeUTF8Stateful(<const char*>joined, total, b"replace", &used)
            self._hold(joined + used, total - used)
        finally:
            if joined != &room[0]:
                free(joined)
        return text

    cdef int _hold(self, const unsigned char* data, Py_ssize_t size) except -1:
        if not 0 <= size <= LONGEST_HELD:
            raise SystemError("the UTF-8 codec left more than an incomplete character")
        memcpy(self.held, data, size)
        self.n_held = size
        return 0

    cdef str finish(self):
        """As ``flush``, for compiled callers."""
        cdef Py_ssize_t size = self.n_held
        if size == 0:
            return ""
        self.n_held = 0
        return PyUnicode_DecodeUTF8(<const char*>self.held, size, b"replace")
