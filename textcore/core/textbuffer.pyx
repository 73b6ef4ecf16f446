# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Text that grows by small pieces: one contiguous buffer of code points.

A list of a million four-character strings takes some twenty times the memory of its
text, and ``+=`` on an attribute copies everything every time. Here appending costs
amortised the length of the piece, and the buffer is as wide as its widest character,
as CPython's own strings are (PEP 393).
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport (
    PyUnicode_Check,
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
)
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memmove

cdef enum:
    FIRST_CAPACITY = 64
    # An emptied buffer above this many bytes gives its memory back.
    KEPT_BYTES = 1 << 16


cdef void store(char* data, int width, Py_ssize_t at, int kind, const void* source,
                Py_ssize_t start, Py_ssize_t count) noexcept nogil:
    """Copy ``count`` characters of ``kind`` bytes each to where they take ``width`` bytes."""
    cdef Py_ssize_t i
    if kind == width:
        memcpy(data + at * width, <const char*>source + start * kind, count * width)
    elif width == 2:
        for i in range(count):
            (<uint16_t*>data)[at + i] = (<const uint8_t*>source)[start + i]
    elif kind == 1:
        for i in range(count):
            (<uint32_t*>data)[at + i] = (<const uint8_t*>source)[start + i]
    else:
        for i in range(count):
            (<uint32_t*>data)[at + i] = (<const uint16_t*>source)[start + i]


cdef class TextBuffer:
    """A queue of characters: append at the end, take from the front.

    Not safe to share between threads without a lock, like every stream's state.
    """

    def __dealloc__(self):
        PyMem_Free(self.data)

    def __len__(self):
        return self.length

    cdef int reserve(self, Py_ssize_t count, int width) except -1:
        """Room for ``count`` characters of ``width`` bytes; what is there is kept."""
        cdef Py_ssize_t capacity
        cdef char* data
        if width == self.width:
            if count <= self.capacity:
                return 0
            capacity = max(count, self.capacity + (self.capacity >> 1), <Py_ssize_t>FIRST_CAPACITY)
            data = <char*>PyMem_Realloc(self.data, capacity * width)
            if data == NULL:
                raise MemoryError
            self.data = data
        else:
            capacity = max(count, <Py_ssize_t>FIRST_CAPACITY)
            data = <char*>PyMem_Realloc(NULL, capacity * width)
            if data == NULL:
                raise MemoryError
            if self.length:
                store(data, width, 0, self.width, self.data, 0, self.length)
            PyMem_Free(self.data)
            self.data = data
            self.width = width
        self.capacity = capacity
        return 0

    cdef int extend(self, object text, Py_ssize_t start, Py_ssize_t end) except -1:
        """Append ``text[start:end]``; the caller has checked the type and the bounds."""
        cdef int kind
        if end <= start:
            return 0
        kind = <int>PyUnicode_KIND(text)
        if self.length + (end - start) > self.capacity or kind > self.width:
            self.reserve(self.length + (end - start), max(kind, self.width))
        store(self.data, self.width, self.length, kind, PyUnicode_DATA(text), start, end - start)
        self.length += end - start
        return 0

    cdef object slice(self, Py_ssize_t start, Py_ssize_t end):
        """The characters from ``start`` to ``end``, bounds checked by the caller."""
        if end <= start:
            return ""
        return PyUnicode_FromKindAndData(self.width, self.data + start * self.width, end - start)

    cdef object pull(self, Py_ssize_t count):
        """Remove the first ``count`` characters and return them; ``count`` is in bounds."""
        cdef object taken = self.slice(0, count)
        cdef Py_ssize_t rest = self.length - count
        if rest == 0:
            self.reset()
        elif count:
            memmove(self.data, self.data + count * self.width, rest * self.width)
            self.length = rest
        return taken

    cdef void reset(self) noexcept:
        """Forget all the text."""
        self.length = 0
        if self.capacity * self.width > KEPT_BYTES:
            PyMem_Free(self.data)
            self.data = NULL
            self.capacity = 0
            self.width = 0

    def append(self, text, start=0, end=None):
        """Append ``text[start:end]``, with the bounds of a slice that counts from the front.

        Raises:
            TypeError: ``text`` is not a str.
            ValueError: a bound is negative.
        """
        cdef Py_ssize_t size, first = start, last
        if not PyUnicode_Check(text):
            raise TypeError(f"expected str, not {type(text).__name__}")
        size = PyUnicode_GET_LENGTH(text)
        last = size if end is None else end
        if first < 0 or last < 0:
            raise ValueError("a bound of a text is negative")
        self.extend(text, first, min(last, size))

    def take(self):
        """All the text, which leaves the buffer empty."""
        return self.pull(self.length)

    def clear(self):
        """Forget all the text."""
        self.reset()

    def text(self):
        """All the text, which stays."""
        return self.slice(0, self.length)
