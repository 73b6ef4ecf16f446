# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Extended grapheme clusters (Unicode Standard Annex 29, section 3.1.1).

The rules are the annex's; which characters they are about is given, since that differs from
one version of Unicode to the next. Regional indicators are left out (rules GB12 and GB13):
what the reference's normalizer makes of a text does not depend on them, as it looks only at
clusters of fewer than six bytes.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

cdef enum:
    BLOCK = 128
    BLOCKS = 0x110000 // 128

# The kinds of Grapheme_Cluster_Break, with Extended_Pictographic, in the low five bits.
cdef enum:
    OTHER = 0
    CONTROL = 1
    EXTEND = 2
    ZWJ = 3
    SPACING_MARK = 4
    PREPEND = 5
    L = 6
    V = 7
    T = 8
    LV = 9
    LVT = 10
    PICTOGRAPH = 11
    CR = 12
    LF = 13
    KIND = 31
    # Indic_Conjunct_Break, above them.
    CONSONANT = 32
    LINKER = 64
    CONJUNCT_EXTEND = 128

NUMBERS = {
    "control": CONTROL, "extend": EXTEND, "zwj": ZWJ, "spacing_mark": SPACING_MARK,
    "prepend": PREPEND, "l": L, "v": V, "t": T, "lv": LV, "lvt": LVT,
    "pictograph": PICTOGRAPH, "cr": CR, "lf": LF, "consonant": CONSONANT, "linker": LINKER,
    "conjunct_extend": CONJUNCT_EXTEND,
}


cdef inline uint32_t read(int kind, const void* data, Py_ssize_t i) noexcept nogil:
    if kind == 1:
        return (<const uint8_t*>data)[i]
    if kind == 2:
        return (<const uint16_t*>data)[i]
    return (<const uint32_t*>data)[i]


cdef class Graphemes:
    """Clusters by given kinds of characters; immutable.

    ``kinds``: inclusive (first, last) ranges of code points for each of "control", "extend",
    "zwj", "spacing_mark", "prepend", "l", "v", "t", "lv", "lvt", "pictograph", "cr", "lf",
    "consonant", "linker" and "conjunct_extend" that there is. Raises KeyError for another
    kind, ValueError for what is no range.
    """

    def __cinit__(self, kinds):
        cdef uint8_t* flat = <uint8_t*>PyMem_Calloc(0x110000, 1)
        cdef Py_ssize_t first, last, i
        cdef uint8_t number
        self.index = <uint16_t*>PyMem_Calloc(BLOCKS, sizeof(uint16_t))
        try:
            if flat == NULL or self.index == NULL:
                raise MemoryError()
            for name, ranges in kinds.items():
                number = NUMBERS[name]
                for first, last in ranges:
                    if not 0 <= first <= last < 0x110000:
                        raise ValueError(f"({first}, {last}) is no range of code points")
                    for i in range(first, last + 1):
                        flat[i] |= number
            self._share(flat)
        finally:
            PyMem_Free(flat)

    cdef int _share(self, const uint8_t* flat) except -1:
        """Keep one of equal neighbouring blocks."""
        cdef Py_ssize_t at
        self.block_count = 1
        for at in range(1, BLOCKS):
            self.block_count += memcmp(flat + at * BLOCK, flat + (at - 1) * BLOCK, BLOCK) != 0
        self.blocks = <uint8_t*>PyMem_Calloc(self.block_count, BLOCK)
        if self.blocks == NULL:
            raise MemoryError()
        self.block_count = 0
        for at in range(BLOCKS):
            if at == 0 or memcmp(flat + at * BLOCK, flat + (at - 1) * BLOCK, BLOCK) != 0:
                memcpy(self.blocks + self.block_count * BLOCK, flat + at * BLOCK, BLOCK)
                self.block_count += 1
            self.index[at] = <uint16_t>(self.block_count - 1)
        return 0

    def __dealloc__(self):
        PyMem_Free(self.index)
        PyMem_Free(self.blocks)

    cdef uint8_t kind_of(self, uint32_t char) noexcept nogil:
        return self.blocks[self.index[char // BLOCK] * BLOCK + char % BLOCK]

    cdef Py_ssize_t end(self, int kind, const void* data, Py_ssize_t n,
                        Py_ssize_t start) noexcept nogil:
        cdef Py_ssize_t at = start + 1
        cdef uint8_t full = self.kind_of(read(kind, data, start)), before, after
        # 1 after a pictograph and extenders, 2 with a joiner after those.
        cdef int pictograph = full & KIND == PICTOGRAPH
        # After a consonant and what may stand in a conjunct; linked: with a linker in it.
        cdef bint consonant = full & CONSONANT != 0, linked = 0, joins
        before = full & KIND
        while at < n:
            full = self.kind_of(read(kind, data, at))
            after = full & KIND
            if before == CR:
                joins = after == LF                                         # GB3
            elif before == CONTROL or before == LF:
                joins = 0                                                   # GB4
            elif after == CONTROL or after == CR or after == LF:
                joins = 0                                                   # GB5
            elif before == L and (after == L or after == V or after == LV or after == LVT):
                joins = 1                                                   # GB6
            elif (before == LV or before == V) and (after == V or after == T):
                joins = 1                                                   # GB7
            elif (before == LVT or before == T) and after == T:
                joins = 1                                                   # GB8
            elif after == EXTEND or after == ZWJ or after == SPACING_MARK or before == PREPEND:
                joins = 1                                                   # GB9, 9a, 9b
            elif full & CONSONANT and consonant and linked:
                joins = 1                                                   # GB9c
            else:
                joins = pictograph == 2 and after == PICTOGRAPH             # GB11
            if not joins:
                break
            if after == PICTOGRAPH:
                pictograph = 1
            elif pictograph == 1 and after == ZWJ:
                pictograph = 2
            elif pictograph == 2 or after != EXTEND:
                pictograph = 0
            if full & CONSONANT:
                consonant = 1
                linked = 0
            elif full & LINKER:
                linked = 1
            elif not full & CONJUNCT_EXTEND:
                consonant = 0
            before = after
            at += 1
        return at

    def split(self, str text not None):
        """The clusters of a text."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), start = 0, end
        found = []
        while start < n:
            end = self.end(kind, data, n, start)
            found.append(text[start:end])
            start = end
        return found
