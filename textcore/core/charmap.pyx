# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rewriting a text character by character: some go, some become spaces, some get spaces."""

from cpython.array cimport array, clone
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from .charset cimport CharSet

cdef extern from "Python.h":
    object PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)

cdef array _no_origin = array("q")

cdef enum:
    KEEP = 0
    REMOVE = 1
    SPACE = 2
    PAD = 3


cdef inline uint32_t read(int kind, const void* data, Py_ssize_t i) noexcept nogil:
    if kind == 1:
        return (<const uint8_t*>data)[i]
    if kind == 2:
        return (<const uint16_t*>data)[i]
    return (<const uint32_t*>data)[i]


cdef inline void write(int kind, void* data, Py_ssize_t i, uint32_t char) noexcept nogil:
    if kind == 1:
        (<uint8_t*>data)[i] = <uint8_t>char
    elif kind == 2:
        (<uint16_t*>data)[i] = <uint16_t>char
    else:
        (<uint32_t*>data)[i] = char


cdef class CharRewriter:
    """Removes the characters ``removed``, makes ``spaced`` spaces, puts spaces around ``padded``.

    A set may be None, for none; of a character in several, the first decides. Immutable.
    """

    def __init__(self, CharSet removed, CharSet spaced, CharSet padded):
        cdef int code
        self.removed = removed
        self.spaced = spaced
        self.padded = padded
        self.pads_latin = 0
        for code in range(256):
            self.latin[code] = KEEP
            for action, members in ((PAD, padded), (SPACE, spaced), (REMOVE, removed)):
                if members is not None and chr(code) in members:
                    self.latin[code] = action
            self.pads_latin |= self.latin[code] == PAD

    cdef int action(self, uint32_t char) noexcept nogil:
        if char < 256:
            return self.latin[char]
        if self.removed is not None and self.removed.has(char):
            return REMOVE
        if self.spaced is not None and self.spaced.has(char):
            return SPACE
        if self.padded is not None and self.padded.has(char):
            return PAD
        return KEEP

    cdef Py_ssize_t rewrite_latin(self, const uint8_t* data, Py_ssize_t n,
                                  uint8_t* out) noexcept nogil:
        """A text of Latin-1, none of it padded: no branch that depends on the text."""
        cdef Py_ssize_t i, size = 0
        cdef uint8_t action
        for i in range(n):
            action = self.latin[data[i]]
            out[size] = 0x20 if action == SPACE else data[i]
            size += action != REMOVE
        return size

    cdef Py_ssize_t rewrite_wide(self, int kind, const void* data, Py_ssize_t n,
                                 Py_ssize_t first, void* out) noexcept nogil:
        """Any text, the characters before ``first`` being as they were."""
        cdef Py_ssize_t i, size = first
        cdef uint32_t char
        cdef int action
        memcpy(out, data, first * kind)
        for i in range(first, n):
            char = read(kind, data, i)
            action = self.action(char)
            if action == REMOVE:
                continue
            if action != KEEP:
                write(kind, out, size, 0x20)
                size += 1
                if action == SPACE:
                    continue
            write(kind, out, size, char)
            size += 1
            if action == PAD:
                write(kind, out, size, 0x20)
                size += 1
        return size

    def rewrite(self, str text not None):
        """``text`` rewritten, or ``text`` itself where there is nothing to do."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), first = 0, i, size, pads = 0
        cdef bint latin = kind == 1 and not self.pads_latin
        cdef char* out
        with nogil:
            while first < n and self.action(read(kind, data, first)) == KEEP:
                first += 1
            if self.padded is not None and not latin:
                for i in range(first, n):
                    pads += self.action(read(kind, data, i)) == PAD
        if first == n:
            return text
        out = <char*>PyMem_RawMalloc((n + 2 * pads) * kind)
        if out == NULL:
            raise MemoryError()
        try:
            with nogil:
                if latin:
                    size = self.rewrite_latin(<const uint8_t*>data, n, <uint8_t*>out)
                else:
                    size = self.rewrite_wide(kind, data, n, first, out)
            return PyUnicode_FromKindAndData(kind, out, size)
        finally:
            PyMem_RawFree(out)

    def origin(self, str text not None):
        """For each character of ``rewrite(text)``, which one of ``text`` it is from.

        An array of typecode "q"; a space that is put around a character is from that one.
        """
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), count = 0, i, copies
        cdef array origin
        cdef int64_t* out
        cdef int action
        with nogil:
            for i in range(n):
                action = self.action(read(kind, data, i))
                count += 0 if action == REMOVE else 3 if action == PAD else 1
        origin = clone(_no_origin, count, zero=False)
        out = <int64_t*>origin.data.as_longlongs
        with nogil:
            for i in range(n):
                action = self.action(read(kind, data, i))
                copies = 0 if action == REMOVE else 3 if action == PAD else 1
                for _ in range(copies):
                    out[0] = i
                    out += 1
        return origin
