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

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

cdef extern from "cuts.h" nogil:
    enum: TC_JOINED
    uint16_t tc_part_bit(int before, int after)
    uint8_t tc_lead_bit(uint8_t lead)
    uint8_t tc_second_bit(uint8_t second)
    int tc_character_size(uint8_t lead)
    uint32_t tc_bytes(const uint8_t *at, int size)
    void tc_join(tc_cuts *cuts, uint32_t left, uint32_t right)
    enum: TC_NEIGHBOURS_ROOM
    void tc_settle(tc_cuts *cuts, void *memory)
    bint tc_joins(const tc_cuts *cuts, uint32_t left, uint32_t right)
    Py_ssize_t tc_pieces(const tc_cuts *cuts, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                         Py_ssize_t *ends, Py_ssize_t room)

cdef enum:
    TWO_BYTES = 65536
    INSIDE = 64     # bytes that may follow a first one
    ROOM = 64       # for the cuts that are found at once


cdef void _answer(Cuts cuts, uint16_t *parts, uint32_t left, int before, uint32_t right,
                  int after) noexcept nogil:
    """Ask of two characters, where it is all of both that decides."""
    if parts[0] == tc_part_bit(before, after):
        parts[0] = TC_JOINED if tc_joins(&cuts.cuts, left, right) else 0


# It refers to one that was there before it, so there are no cycles; and were `shared` cleared by
# a collector, its memory would be freed twice.
@cython.no_gc
cdef class Cuts:
    """The neighbours that occur inside the entries of a vocabulary.

    Parameters
    ----------
    entries : iterable of bytes
        What merges can make (UTF-8, possibly with broken characters at the ends).
    """

    def __cinit__(self):
        # One more than there are: vectors read an entry's neighbour with it.
        self.cuts.parts = <uint16_t *>calloc(TWO_BYTES + 1, sizeof(uint16_t))
        if self.cuts.parts == NULL:
            raise MemoryError()
        self.cuts.space = 0x20
        self.cuts.space_size = 1

    def __init__(self, list entries):
        cdef Py_ssize_t characters = 0
        cdef bytes entry
        for entry in entries:
            characters += len(entry)
        self._make_room(characters)
        for entry in entries:
            self._add(entry, len(entry))
        self.settle()

    cdef int settle(self) except -1:
        """Make the tables that are made of the others, which are complete."""
        if self.near_memory == NULL:
            self.near_memory = malloc(TC_NEIGHBOURS_ROOM)
        if self.near_memory == NULL:
            raise MemoryError()
        tc_settle(&self.cuts, self.near_memory)
        return 0

    cdef int _make_room(self, Py_ssize_t characters) except -1:
        """No neighbours yet; for entries of so many bytes together."""
        cdef uint64_t words = 1 << 10
        # Few bits are set: a false neighbour is rare, and costs a cut, never a wrong one.
        while words < <uint64_t>(characters >> 5) and words < (<uint64_t>1 << 20):
            words <<= 1
        if self.cuts.pairs != NULL:
            raise RuntimeError("Cuts is built once")
        self.cuts.pairs = <uint64_t *>calloc(words, 8)
        if self.cuts.pairs == NULL:
            raise MemoryError()
        self.cuts.mask = words - 1
        return 0

    def __dealloc__(self):
        free(self.cuts.parts)
        free(self.near_memory)
        if self.shared is None:
            free(self.cuts.pairs)

    cdef void _add(self, const uint8_t *s, Py_ssize_t n) noexcept nogil:
        """Note every boundary between characters inside one entry."""
        cdef Py_ssize_t i, start
        cdef int left, right, whole
        cdef uint32_t at, last, first
        for i in range(1, n):
            right = tc_character_size(s[i])
            if right == 0:
                continue
            start = i - 1
            while start > 0 and tc_character_size(s[start]) == 0:
                start -= 1
            left = tc_character_size(s[start])
            at = (<uint32_t>s[i - 1] << 8) | s[i]
            if (left != i - start and left) or i - start > 3 + (left == 4):
                # No valid text has such a character before the boundary.
                continue
            # The end of a character, or the beginning of one: any that has it may follow.
            whole = right if left else 0
            if right == 3 and left == 0 and i < 3:
                self._add_part(s, n, i)
            elif right == 3 and left == 3 and n - i == 1:
                self._note_odd(s, n, i)
            elif right == 3 and left == 3:
                self.cuts.whole[s[i - 1] & 63] |= tc_lead_bit(s[i])
            left = <int>(i - start)
            right = <int>min(right, n - i)
            if s[i - 1] < 0x80 and s[i] < 0x80:
                # Two ASCII characters are their two bytes: nothing is left to ask.
                self.cuts.parts[at] = TC_JOINED
            elif whole == right + 1:
                # But one byte is missing: all characters that begin so are asked for as one.
                self.cuts.parts[at] |= tc_part_bit(left, whole)
                first = tc_bytes(s + i, right)
                for last in range(0x80, 0xC0):
                    tc_join(&self.cuts, tc_bytes(s + start, left), first | last << 8 * right)
                continue
            else:
                self.cuts.parts[at] |= tc_part_bit(left, right)
            tc_join(&self.cuts, tc_bytes(s + start, left), tc_bytes(s + i, right))

    cdef void _note_odd(self, const uint8_t *s, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
        """Note that parts of characters stand side by side before and behind ``at``."""
        cdef uint8_t last = s[at - 1] & 63
        self.cuts.odd[last] |= tc_lead_bit(s[at])
        self.cuts.odd_second[last] |= tc_second_bit(s[at + 1]) if n - at > 1 else 0xFF

    cdef void _add_part(self, const uint8_t *s, Py_ssize_t n, Py_ssize_t size) noexcept nogil:
        """Note that an entry begins with ``size`` bytes, 1 or 2, that may end a character of
        three, and another one of three, or the beginning of it.

        Where all of the second is there, it is noted with all characters that end like that: those
        pairs are few, and vectors then ask for whole characters alone.
        """
        cdef uint32_t tail, right, lead, middle, pairs = 1024 if size == 1 else 16
        if n - size < 3 or self.spelled + pairs > self.cuts.mask << 1:
            self._note_odd(s, n, size)
            return
        self.cuts.whole[s[size - 1] & 63] |= tc_lead_bit(s[size])
        self.spelled += pairs
        right = tc_bytes(s + size, 3)
        tail = tc_bytes(s, <int>size) << (24 - 8 * size)
        for lead in range(0xE0, 0xF0):
            if size == 2:
                tc_join(&self.cuts, lead | tail, right)
                continue
            for middle in range(0x80, 0xC0):
                tc_join(&self.cuts, lead | middle << 8 | tail, right)

    cdef Py_ssize_t next(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos) noexcept nogil:
        cdef Py_ssize_t ends[2]
        return ends[0] if tc_pieces(&self.cuts, text, n, pos, ends, 1) else n

    @staticmethod
    def spaced(Cuts inner not None, bytes mark not None):
        """The cuts of texts in which a space is read as ``mark``, one character."""
        cdef Cuts cuts = Cuts.__new__(Cuts)
        cdef uint16_t *parts = cuts.cuts.parts
        cdef uint16_t *given = inner.cuts.parts
        cdef uint32_t byte, first, last, space, other
        cdef int size = <int>len(mark), width
        if not 1 <= size <= 4 or tc_character_size(mark[0]) != size:
            raise ValueError(f"a mark is one character, not {mark!r}")
        if inner.cuts.space != 0x20:
            raise ValueError("spaces are read as something else already")
        first, last = mark[0], mark[size - 1]
        memcpy(parts, given, TWO_BYTES * sizeof(uint16_t))
        for byte in range(256):
            parts[0x20 << 8 | byte] = given[last << 8 | byte]
            parts[byte << 8 | 0x20] = given[byte << 8 | first]
        parts[0x20 << 8 | 0x20] = given[last << 8 | first]
        space = tc_bytes(mark, size)
        for byte in range(128):
            # The characters are known: nothing is left to ask, either.
            other = space if byte == 0x20 else byte
            width = size if byte == 0x20 else 1
            _answer(inner, &parts[0x20 << 8 | byte], space, size, other, width)
            if byte != 0x20:
                _answer(inner, &parts[byte << 8 | 0x20], other, 1, space, size)
        cuts.shared = inner
        cuts.cuts.pairs = inner.cuts.pairs
        cuts.cuts.mask = inner.cuts.mask
        cuts.cuts.space = space
        cuts.cuts.space_size = size
        memcpy(cuts.cuts.whole, inner.cuts.whole, INSIDE)
        memcpy(cuts.cuts.odd, inner.cuts.odd, INSIDE)
        memcpy(cuts.cuts.odd_second, inner.cuts.odd_second, INSIDE)
        cuts.settle()
        return cuts

    def tables(self, str name not None):
        """What :meth:`restore` makes the same cuts from: tables as bytes, by names of their own."""
        return {
            f"{name}_parts": PyBytes_FromStringAndSize(<const char *>self.cuts.parts,
                                                       TWO_BYTES * sizeof(uint16_t)),
            f"{name}_pairs": PyBytes_FromStringAndSize(<const char *>self.cuts.pairs,
                                                       (self.cuts.mask + 1) << 3),
            f"{name}_whole": PyBytes_FromStringAndSize(<const char *>self.cuts.whole, INSIDE),
            f"{name}_odd": PyBytes_FromStringAndSize(<const char *>self.cuts.odd, INSIDE),
            f"{name}_odd_second": PyBytes_FromStringAndSize(<const char *>self.cuts.odd_second,
                                                            INSIDE),
        }

    @staticmethod
    def restore(dict tables not None, str name not None):
        """Cuts from their tables. Raises ValueError for tables of a wrong size."""
        cdef Cuts cuts = Cuts.__new__(Cuts)
        cdef const uint8_t[::1] part_view = tables[f"{name}_parts"]
        cdef const uint8_t[::1] pair_view = tables[f"{name}_pairs"]
        cdef const uint8_t[::1] whole_view = tables[f"{name}_whole"]
        cdef const uint8_t[::1] odd_view = tables[f"{name}_odd"]
        cdef const uint8_t[::1] second_view = tables[f"{name}_odd_second"]
        cdef Py_ssize_t size = pair_view.shape[0]
        if (part_view.shape[0] != 2 * TWO_BYTES or size < 8 or size & (size - 1)
                or whole_view.shape[0] != INSIDE or odd_view.shape[0] != INSIDE
                or second_view.shape[0] != INSIDE):
            raise ValueError(f"{name}_parts and its like: a table of a wrong size")
        cuts.cuts.pairs = <uint64_t *>malloc(size)
        if cuts.cuts.pairs == NULL:
            raise MemoryError()
        memcpy(cuts.cuts.parts, &part_view[0], 2 * TWO_BYTES)
        memcpy(cuts.cuts.pairs, &pair_view[0], size)
        memcpy(cuts.cuts.whole, &whole_view[0], INSIDE)
        memcpy(cuts.cuts.odd, &odd_view[0], INSIDE)
        memcpy(cuts.cuts.odd_second, &second_view[0], INSIDE)
        cuts.cuts.mask = (<uint64_t>size >> 3) - 1
        cuts.settle()
        return cuts

    def cut(self, str text not None, int level=0):
        """The pieces of ``text`` between its cuts (for tests and for explaining).

        ``level`` is one of ``textcore.core.windows.levels()``.
        """
        cdef bytes data = text.encode()
        cdef Py_ssize_t pos = 0, count, i
        cdef Py_ssize_t ends[ROOM]
        cdef tc_find_pieces find = tc_pieces_of(level)
        pieces = []
        while pos < len(data):
            count = find(&self.cuts, data, len(data), pos, ends, ROOM)
            for i in range(count):
                pieces.append(data[pos:ends[i]].decode())
                pos = ends[i]
        return pieces
