# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Exact cuts: places in a text that no merge can span.

Every symbol that a merge can make is an entry of the vocabulary. So where no entry holds
the two characters around a place next to each other, nothing is ever merged across that
place, and both sides encode on their own. That holds only where the symbols of a text are
its bytes or characters and nothing else (no prefix, no suffix, no unknown token): the
caller checks it.

Entries may break characters apart. Where such an entry holds only a part of a character on
one side of a boundary, that part is noted, and a text is asked for all parts of its own
characters there.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

cdef extern from "mixing.h" nogil:
    uint64_t tc_mix(uint64_t a, uint64_t b)
    uint64_t TC_K0
    uint64_t TC_K1

# What two bytes at a boundary between characters say about it.
cdef enum:
    CUT = 0         # no entry has them there
    ASK = 1         # some entry has them: the characters decide
    JOINED = 2      # no cut, whatever the characters are
    PART = 3        # some entry has them with a part of a character: all its parts are asked


cdef inline int _length(uint8_t lead) noexcept nogil:
    """Bytes of the character that starts with ``lead``; 0 for a byte inside one."""
    if lead < 0x80:
        return 1
    if lead < 0xC0:
        return 0
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


cdef inline uint64_t _pair_hash(const uint8_t *left, int left_length,
                                const uint8_t *right, int right_length) noexcept nogil:
    cdef uint64_t a = 0, b = 0
    cdef int i
    for i in range(left_length):
        a = (a << 8) | left[i]
    for i in range(right_length):
        b = (b << 8) | right[i]
    return tc_mix(((a << 32) | b) ^ TC_K0, TC_K1)


cdef class Cuts:
    """The neighbours that occur inside the entries of a vocabulary.

    Parameters
    ----------
    entries : iterable of bytes
        What merges can make (UTF-8, possibly with broken characters at the ends).
    """

    def __cinit__(self):
        self.classes = <uint8_t *>calloc(65536, 1)
        if self.classes == NULL:
            raise MemoryError()

    def __init__(self, list entries):
        cdef Py_ssize_t characters = 0
        cdef bytes entry
        for entry in entries:
            characters += len(entry)
        self._make_room(characters)
        for entry in entries:
            self._add(entry, len(entry))

    cdef int _make_room(self, Py_ssize_t characters) except -1:
        """No neighbours yet; for entries of so many bytes together."""
        cdef uint64_t bits = 1 << 16
        # Few bits are set: a false neighbour is rare, and costs a cut, never a wrong one.
        while bits < <uint64_t>(8 * characters) and bits < (<uint64_t>1 << 26):
            bits <<= 1
        if self.pairs != NULL:
            raise RuntimeError("Cuts is built once")
        self.pairs = <uint64_t *>calloc(bits >> 6, 8)
        if self.pairs == NULL:
            raise MemoryError()
        self.mask = bits - 1
        return 0

    def __dealloc__(self):
        free(self.classes)
        free(self.pairs)

    cdef inline void _set(self, uint64_t bit) noexcept nogil:
        self.pairs[bit >> 6] |= <uint64_t>1 << (bit & 63)

    cdef inline bint _has(self, uint64_t bit) noexcept nogil:
        return (self.pairs[bit >> 6] >> (bit & 63)) & 1

    cdef void _add(self, const uint8_t *s, Py_ssize_t n) noexcept nogil:
        """Note every boundary between characters inside one entry."""
        cdef Py_ssize_t i, start
        cdef int left, right
        cdef uint32_t at
        cdef uint64_t h
        for i in range(1, n):
            right = _length(s[i])
            if right == 0:
                continue
            start = i - 1
            while start > 0 and _length(s[start]) == 0:
                start -= 1
            left = _length(s[start])
            at = (<uint32_t>s[i - 1] << 8) | s[i]
            if (left != i - start and left) or i - start > 3 + (left == 4):
                # No valid text has such a character before the boundary.
                continue
            if left == 0 or right > n - i:
                # The end of a character, or the beginning of one: any that has it may follow.
                left = <int>(i - start)
                right = <int>min(right, n - i)
                self.classes[at] = PART
            elif self.classes[at] == CUT:
                # Two ASCII characters are their two bytes: nothing is left to ask.
                self.classes[at] = JOINED if s[i - 1] < 0x80 and s[i] < 0x80 else ASK
            h = _pair_hash(s + start, left, s + i, right)
            self._set(h & self.mask)
            self._set((h >> 32) & self.mask)

    cdef bint _joins(self, const uint8_t *left, int left_length, const uint8_t *right,
                     int right_length) noexcept nogil:
        cdef uint64_t h = _pair_hash(left, left_length, right, right_length)
        return self._has(h & self.mask) and self._has((h >> 32) & self.mask)

    cdef bint _parts_join(self, const uint8_t *boundary, int left, int right) noexcept nogil:
        """Whether an entry may reach over a boundary, with any part of the characters."""
        cdef int before, after
        for before in range(1, left + 1):
            for after in range(1, right + 1):
                if self._joins(boundary - before, before, boundary, after):
                    return 1
        return 0

    cdef Py_ssize_t next(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos) noexcept nogil:
        """The first cut after ``pos`` (a character's start) in valid UTF-8, or ``n``."""
        cdef Py_ssize_t at = pos
        cdef int left, right
        cdef uint8_t verdict
        if pos >= n:
            return n
        left = _length(text[at])
        while at + left < n:
            right = _length(text[at + left])
            verdict = self.classes[(<uint32_t>text[at + left - 1] << 8) | text[at + left]]
            if verdict == CUT:
                return at + left
            if verdict == ASK:
                if not self._joins(text + at, left, text + at + left, right):
                    return at + left
            elif verdict == PART and not self._parts_join(text + at + left, left, right):
                return at + left
            at += left
            left = right
        return n

    def tables(self):
        """What :meth:`restore` makes the same cuts from: two tables as bytes."""
        return (PyBytes_FromStringAndSize(<const char *>self.classes, 65536),
                PyBytes_FromStringAndSize(<const char *>self.pairs, (self.mask + 1) >> 3))

    @staticmethod
    def restore(classes, pairs):
        """Cuts from their tables. Raises ValueError for tables of a wrong size."""
        cdef Cuts cuts = Cuts.__new__(Cuts)
        cdef const uint8_t[::1] class_view = classes
        cdef const uint8_t[::1] pair_view = pairs
        cdef Py_ssize_t size = pair_view.shape[0]
        if class_view.shape[0] != 65536 or size < 8 or size & (size - 1):
            raise ValueError("a table of cuts has a wrong size")
        cuts.pairs = <uint64_t *>malloc(size)
        if cuts.pairs == NULL:
            raise MemoryError()
        memcpy(cuts.classes, &class_view[0], 65536)
        memcpy(cuts.pairs, &pair_view[0], size)
        cuts.mask = (<uint64_t>size << 3) - 1
        return cuts

    def cut(self, str text not None):
        """The pieces of ``text`` between its cuts (for tests and for explaining)."""
        cdef bytes data = text.encode()
        cdef Py_ssize_t pos = 0, end
        pieces = []
        while pos < len(data):
            end = self.next(data, len(data), pos)
            pieces.append(data[pos:end].decode())
            pos = end
        return pieces
