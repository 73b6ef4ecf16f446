"""Incremental UTF-8: bytes in any chunks to text, holding back incomplete characters only."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef extern from "Python.h":
    str PyUnicode_DecodeUTF8Stateful(
        const char* data, Py_ssize_t size, const char* errors, Py_ssize_t* consumed
    )
    str PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors)
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void* PyUnicode_DATA(object text) noexcept nogil


cdef enum:
    LONGEST_HELD = 3    # a character has at most 4 bytes, and one at least is missing
    STACK_ROOM = 256


cdef enum:
    # Below this size CPython's decoder is as fast.
    WORTHWHILE = 128
    MANY = 16           # characters of ASCII that are written at a time

cdef uint64_t NON_ASCII = 0x8080808080808080u


cdef void _survey(
    const unsigned char* data, Py_ssize_t size, Py_ssize_t* characters, unsigned char* top
) noexcept nogil:
    """Counts the bytes that begin a character, and finds the greatest byte."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t end
    cdef Py_ssize_t n = 0
    cdef uint8_t some, greatest = 0
    while i < size:
        # As many bytes as a byte can count, which compilers turn into vectors.
        end = min(i + 255, size)
        some = 0
        while i < end:
            some += (data[i] & 0xC0) != 0x80
            greatest = data[i] if data[i] > greatest else greatest
            i += 1
        n += some
    characters[0] = n
    top[0] = greatest


cdef inline void _put(void* out, Py_ssize_t at, uint32_t code, int width) noexcept nogil:
    if width == 1:
        (<uint8_t*>out)[at] = <uint8_t>code
    elif width == 2:
        (<uint16_t*>out)[at] = <uint16_t>code
    else:
        (<uint32_t*>out)[at] = code


cdef inline void _put_many(
    void* out, Py_ssize_t at, const unsigned char* data, int width
) noexcept nogil:
    """Writes MANY characters of ASCII, by way of arrays that a compiler knows to lie apart."""
    cdef uint8_t read[MANY]
    cdef uint16_t halves[MANY]
    cdef uint32_t words[MANY]
    cdef int i
    memcpy(read, data, MANY)
    if width == 1:
        memcpy(<uint8_t*>out + at, read, MANY)
    elif width == 2:
        for i in range(MANY):
            halves[i] = read[i]
        memcpy(<uint16_t*>out + at, halves, 2 * MANY)
    else:
        for i in range(MANY):
            words[i] = read[i]
        memcpy(<uint32_t*>out + at, words, 4 * MANY)


cdef inline bint _decode(
    const unsigned char* data, Py_ssize_t size, void* out, int width
) noexcept nogil:
    """Writes the characters of ``data``; false if it is ill-formed.

    ``out`` has room for as many characters of ``width`` bytes as there are bytes in
    ``data`` that are no continuation bytes: one is written for each of them at most.
    """
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t n = 0
    cdef uint64_t word, more
    cdef uint32_t a, b, c, d
    while i < size:
        a = data[i]
        if a < 0x80:
            _put(out, n, a, width)
            i += 1
            n += 1
            while size - i >= MANY:
                memcpy(&word, data + i, 8)
                memcpy(&more, data + i + 8, 8)
                if (word | more) & NON_ASCII:
                    break
                _put_many(out, n, data + i, width)
                i += MANY
                n += MANY
            continue
        if a < 0xE0:
            if a < 0xC2 or size - i < 2:
                return False
            b = <uint32_t>data[i + 1] ^ 0x80
            if b > 0x3F:
                return False
            _put(out, n, (a & 0x1F) << 6 | b, width)
            i += 2
        elif a < 0xF0:
            if size - i < 3:
                return False
            b = <uint32_t>data[i + 1] ^ 0x80
            c = <uint32_t>data[i + 2] ^ 0x80
            a = (a & 0x0F) << 12 | b << 6 | c
            if (b | c) > 0x3F or a < 0x800 or 0xD800 <= a <= 0xDFFF:
                return False
            _put(out, n, a, width)
            i += 3
        else:
            if a > 0xF4 or size - i < 4:
                return False
            b = <uint32_t>data[i + 1] ^ 0x80
            c = <uint32_t>data[i + 2] ^ 0x80
            d = <uint32_t>data[i + 3] ^ 0x80
            a = (a & 0x07) << 18 | b << 12 | c << 6 | d
            if (b | c | d) > 0x3F or a < 0x10000 or a > 0x10FFFF:
                return False
            _put(out, n, a, width)
            i += 4
        n += 1
    return True


cdef str decode_utf8(const unsigned char* data, Py_ssize_t size):
    """``bytes.decode("utf-8", "replace")``, fastest on long texts that are well-formed."""
    cdef Py_ssize_t characters
    cdef unsigned char top
    cdef bint good
    cdef str text
    cdef void* out
    if size >= WORTHWHILE:
        with nogil:
            _survey(data, size, &characters, &top)
        if top < 0x80:
            text = PyUnicode_New(size, 0x7F)
            memcpy(PyUnicode_DATA(text), data, size)
            return text
        # The greatest byte tells how wide the widest character is, in well-formed text.
        if top < 0xC4:
            text = PyUnicode_New(characters, 0xFF)
        elif top < 0xF0:
            text = PyUnicode_New(characters, 0xFFFF)
        else:
            text = PyUnicode_New(characters, 0x10FFFF)
        out = PyUnicode_DATA(text)
        with nogil:
            # Constant widths, so that each has a loop of its own.
            if top < 0xC4:
                good = _decode(data, size, out, 1)
            elif top < 0xF0:
                good = _decode(data, size, out, 2)
            else:
                good = _decode(data, size, out, 4)
        if good:
            return text
    return PyUnicode_DecodeUTF8(<const char*>data, size, b"replace")


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
