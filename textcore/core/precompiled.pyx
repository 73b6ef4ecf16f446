# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""SentencePiece's precompiled normalization: a trie of what is replaced, and replacements.

The format is that of ``precompiled_charsmap`` in SentencePiece's normalizer specification: a
double-array trie of darts-clone (32-bit units, little endian, their size in bytes before
them), then replacements in UTF-8, each with a zero after it. What is looked up, and what of
it is used, is as in the Rust crate ``spm_precompiled``, which is not as in SentencePiece:
grapheme clusters of fewer than six bytes first, then single characters; and of several keys
that a cluster begins with, the shortest stands for the whole cluster.
"""

from cpython.array cimport array, clone
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.unicode cimport (
    PyUnicode_DATA, PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH, PyUnicode_KIND,
)
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from .graphemes cimport Graphemes

cdef extern from "Python.h":
    object PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)

cdef array _no_changes = array("i")

cdef enum:
    # Longer clusters are looked up by their characters.
    CLUSTER_LIMIT = 5


cdef inline uint32_t read(int kind, const void* data, Py_ssize_t i) noexcept nogil:
    if kind == 1:
        return (<const uint8_t*>data)[i]
    if kind == 2:
        return (<const uint16_t*>data)[i]
    return (<const uint32_t*>data)[i]


cdef inline int encode(uint32_t char, uint8_t* to) noexcept nogil:
    """Write a character in UTF-8; its length."""
    if char < 0x80:
        to[0] = <uint8_t>char
        return 1
    if char < 0x800:
        to[0] = <uint8_t>(0xC0 | char >> 6)
        to[1] = <uint8_t>(0x80 | (char & 0x3F))
        return 2
    if char < 0x10000:
        to[0] = <uint8_t>(0xE0 | char >> 12)
        to[1] = <uint8_t>(0x80 | (char >> 6 & 0x3F))
        to[2] = <uint8_t>(0x80 | (char & 0x3F))
        return 3
    to[0] = <uint8_t>(0xF0 | char >> 18)
    to[1] = <uint8_t>(0x80 | (char >> 12 & 0x3F))
    to[2] = <uint8_t>(0x80 | (char >> 6 & 0x3F))
    to[3] = <uint8_t>(0x80 | (char & 0x3F))
    return 4


cdef inline int decode(const uint8_t* s, uint32_t* char) noexcept nogil:
    """The character at ``s`` in valid UTF-8, and its length."""
    if s[0] < 0x80:
        char[0] = s[0]
        return 1
    if s[0] < 0xE0:
        char[0] = (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu)
        return 2
    if s[0] < 0xF0:
        char[0] = (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu)
        return 3
    char[0] = (s[0] & 7u) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu)
    return 4


cdef class _Output:
    """The characters of a text as it is rewritten, and how each came about. Not shared."""

    def __dealloc__(self):
        PyMem_RawFree(self.chars)
        PyMem_RawFree(self.changes)

    cdef int reserve(self, Py_ssize_t more) except -1 nogil:
        """Room for so many more characters."""
        cdef Py_ssize_t room
        cdef uint32_t* chars
        cdef int32_t* changes
        if self.count + more > self.room:
            room = max(self.count + more, 2 * self.room, <Py_ssize_t>256)
            chars = <uint32_t*>PyMem_RawRealloc(self.chars, room * sizeof(uint32_t))
            if chars != NULL:
                self.chars = chars
            changes = <int32_t*>PyMem_RawRealloc(self.changes, room * sizeof(int32_t))
            if changes != NULL:
                self.changes = changes
            if chars == NULL or changes == NULL:
                with gil:
                    raise MemoryError()
            self.room = room
        return 0

    cdef int put(self, uint32_t char, int32_t change) except -1 nogil:
        self.reserve(1)
        self.chars[self.count] = char
        self.changes[self.count] = change
        self.count += 1
        return 0

    cdef int copy(self, int kind, const void* data, Py_ssize_t start,
                  Py_ssize_t end) except -1 nogil:
        """Put characters as they are."""
        cdef Py_ssize_t i
        cdef uint32_t* to
        self.reserve(end - start)
        to = self.chars + self.count
        memset(self.changes + self.count, 0, (end - start) * sizeof(int32_t))
        if kind == 1:
            for i in range(start, end):
                to[i - start] = (<const uint8_t*>data)[i]
        else:
            for i in range(start, end):
                to[i - start] = read(kind, data, i)
        self.count += end - start
        return 0


cdef class CharsMap:
    """The replacements of a ``precompiled_charsmap``, decoded from base64; immutable.

    Raises ValueError for data that is cut off, or whose replacements are not UTF-8. A trie
    that leads out of itself, or to no replacement, replaces nothing there.
    """

    def __init__(self, bytes data not None, Graphemes graphemes not None):
        cdef Py_ssize_t i, size
        cdef uint8_t single[2]
        cdef const uint8_t* bytes_at = data
        if self.units != NULL:
            raise RuntimeError("CharsMap is built once")
        if len(data) < 4:
            raise ValueError("it has no size of its trie")
        size = int.from_bytes(data[:4], "little") // 4
        if len(data) < 4 + 4 * size:
            raise ValueError("its trie is cut off")
        self._blob = data[4 + 4 * size:]
        self._blob.decode()
        self.blob = self._blob
        self.blob_size = len(self._blob)
        self.unit_count = size
        self.units = <uint32_t*>PyMem_RawMalloc(max(1, size) * sizeof(uint32_t))
        if self.units == NULL:
            raise MemoryError()
        for i in range(size):
            bytes_at += 4
            self.units[i] = (<uint32_t>bytes_at[0] | <uint32_t>bytes_at[1] << 8
                             | <uint32_t>bytes_at[2] << 16 | <uint32_t>bytes_at[3] << 24)
        self.graphemes = graphemes
        memset(self.plain_ascii, 0, sizeof(self.plain_ascii))
        for i in range(128):
            single[0] = <uint8_t>i
            self.plain_ascii[i] = i != 0x0D and self.find(single, 1) < 0

    def __dealloc__(self):
        PyMem_RawFree(self.units)

    cdef Py_ssize_t find(self, const uint8_t* key, Py_ssize_t n) noexcept nogil:
        """Where the replacement for the shortest key that ``key`` begins with starts, or -1."""
        cdef size_t node = 0
        cdef uint32_t unit
        cdef Py_ssize_t i, value
        if self.unit_count == 0:
            return -1
        unit = self.units[0]
        node ^= <size_t>(unit >> 10) << ((unit & (1 << 9)) >> 6)
        for i in range(n):
            if key[i] == 0:
                return -1
            node ^= key[i]
            if node >= <size_t>self.unit_count:
                return -1
            unit = self.units[node]
            if unit & (<uint32_t>1 << 31 | 0xFF) != key[i]:
                return -1
            node ^= <size_t>(unit >> 10) << ((unit & (1 << 9)) >> 6)
            if unit >> 8 & 1:
                if node >= <size_t>self.unit_count:
                    return -1
                value = self.units[node] & 0x7FFFFFFF
                if value > self.blob_size or (
                        value < self.blob_size and self.blob[value] & 0xC0 == 0x80):
                    return -1
                return value
        return -1

    cdef bint _replace(self, int kind, const void* data, Py_ssize_t start, Py_ssize_t end,
                       _Output out) except -1 nogil:
        """Put the replacement of some characters, if they have one."""
        cdef uint8_t key[32]
        cdef Py_ssize_t i, n = 0, at, first = out.count, grown
        cdef uint32_t char = 0
        for i in range(start, end):
            if n > CLUSTER_LIMIT:
                return 0
            n += encode(read(kind, data, i), key + n)
        if end - start > 1 and n > CLUSTER_LIMIT:
            return 0
        at = self.find(key, n)
        if at < 0:
            return 0
        while at < self.blob_size and self.blob[at]:
            at += decode(self.blob + at, &char)
            out.put(char, 0)
        # The reference's bookkeeping: new characters last, and one that is lost goes with
        # the character before it, whatever that one is.
        grown = (out.count - first) - (end - start)
        if grown > 0:
            for i in range(out.count - grown, out.count):
                out.changes[i] = 1
        elif grown < 0 and out.count:
            out.changes[out.count - 1] += <int32_t>grown
        out.modified = 1
        return 1

    cdef Py_ssize_t _plain_end(self, int kind, const void* data, Py_ssize_t n,
                               Py_ssize_t start) noexcept nogil:
        """Where the characters from ``start`` on end that are ASCII, stay, and are clusters.

        An ASCII character is a cluster of its own before another one, but for CR before LF.
        """
        cdef Py_ssize_t at = start
        cdef uint32_t char
        while at < n:
            char = read(kind, data, at)
            if char >= 128 or not self.plain_ascii[char]:
                break
            at += 1
        # What is not ASCII may go with the last one.
        return at - 1 if start < at < n and read(kind, data, at) >= 128 else at

    cdef int _rewrite(self, int kind, const void* data, Py_ssize_t n,
                      _Output out) except -1 nogil:
        cdef Py_ssize_t start = 0, end, i
        while start < n:
            end = self._plain_end(kind, data, n, start)
            if end > start:
                out.copy(kind, data, start, end)
                start = end
                continue
            end = self.graphemes.end(kind, data, n, start)
            if not self._replace(kind, data, start, end, out):
                for i in range(start, end):
                    if not self._replace(kind, data, i, i + 1, out):
                        out.put(read(kind, data, i), 0)
            start = end
        return 0

    def lookup(self, str text not None):
        """What replaces a text that begins with a key (the shortest one), or None."""
        cdef bytes key = text.encode()
        cdef Py_ssize_t at = self.find(key, len(key))
        if at < 0:
            return None
        return self._blob[at:].split(b"\0", 1)[0].decode()

    def normalize(self, str text not None):
        """``text`` normalized, or ``text`` itself where nothing is replaced."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
        cdef Py_ssize_t plain
        cdef _Output out
        with nogil:
            plain = self._plain_end(kind, data, n, 0)
        if plain == n:
            return text
        out = _Output()
        with nogil:
            self._rewrite(kind, data, n, out)
        if not out.modified:
            return text
        return PyUnicode_FromKindAndData(4, out.chars, out.count)

    def changes(self, str text not None):
        """``normalize(text)`` and the changes of its characters; None if nothing is replaced.

        Changes are an array (typecode "i"), as in the reference's
        ``NormalizedString::transform``: 0, the character replaces the next one of ``text``; 1,
        it is new; -N, it replaces the next one, and the N after that go.
        """
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
        cdef _Output out = _Output()
        cdef array changes
        with nogil:
            self._rewrite(kind, data, n, out)
        if not out.modified:
            return None
        changes = clone(_no_changes, out.count, zero=False)
        memcpy(changes.data.as_ints, out.changes, out.count * sizeof(int32_t))
        return PyUnicode_FromKindAndData(4, out.chars, out.count), changes
