# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Splitting a text 64 characters at a time, and by the automaton where that does not decide.

What the tables say of a place holds wherever a scan began, so the scan may go from one to
the other at any cut.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from .scanner cimport BLOCKS, Automaton

cdef extern from "windows.h" nogil:
    int tc_first_bit(uint64_t bits)
    enum: TC_TWO
    void tc_set_two(tc_tables *tables, uint16_t *two)
    uint16_t tc_set_runs(tc_tables *tables, uint16_t plain)
    void tc_set_products(tc_tables *tables, uint16_t plain, uint16_t runs,
                         uint16_t (*left)[16][16][16])

cdef extern from "levels.h" nogil:
    tc_level tc_level_of(int level)
    int tc_look(const tc_tables *t, const tc_level *level, const uint8_t *text, int n,
                size_t before, size_t after, tc_chunk *chunk)

cdef extern from "lookback.h" nogil:
    enum: TC_LONGEST_RUN
    enum: TC_ROW
    void tc_look_back_at(const tc_tables *t, tc_chunk *chunk, int block)


def levels():
    """The versions that can run on this processor: 0 plain C, 1 AVX2, 2 AVX-512."""
    cdef int level
    return [level for level in range(TC_LEVELS) if tc_level_of(level).judge != NULL]


cdef class WindowScanner:
    """The tables of a pattern, and its automaton.

    Parameters
    ----------
    automaton : Automaton
        Has a cutting table.
    groups, space, ends, second, third, right, verdicts, lengths, row_of, rows
        What ``textcore.pipeline.patterns.windows.Windows`` holds.
    level : int
        Which version looks at the tables; one of :func:`levels`.

    Raises ValueError for tables of another size, or values of sixteen and more.
    """

    def __init__(self, Automaton automaton not None, bytes groups not None, int space,
                 bytes ends not None, bytes second not None, bytes third not None,
                 bytes right not None, bytes verdicts not None, bytes lengths not None,
                 bytes row_of not None, bytes rows not None, int level):
        for table in (second, third, right, verdicts):
            if len(table) != 256 or max(table) > 15:
                raise ValueError("a table has 256 values below 16")
        if len(groups) != automaton.width - 1 or max(groups) > 14:
            raise ValueError("each symbol has a group below 15")
        # What a run is stands where a space does, so it has to be told from all characters.
        if (len(ends) != 16 or max(ends) > 14 or not 0 <= space < 15 or ends[space]
                or set(groups) & set(ends) - {0}):
            raise ValueError("the groups of runs of spaces are inconsistent")
        if level not in levels():
            raise ValueError(f"level {level} can't run here; it is one of {levels()}")
        if self.blocks != NULL:
            raise RuntimeError("a WindowScanner is built once")
        self.automaton = automaton
        self.level = level
        self.versions = tc_level_of(level)
        self.tables.space = space
        memcpy(self.tables.ends, <const uint8_t *>ends, 16)
        memcpy(self.tables.second, <const uint8_t *>second, 256)
        memcpy(self.tables.third, <const uint8_t *>third, 256)
        memcpy(self.tables.right, <const uint8_t *>right, 256)
        memcpy(self.tables.verdicts, <const uint8_t *>verdicts, 256)
        self.tables.usual = space
        self._look_back(lengths, row_of, rows)
        if level < 2:
            self._made_of_them(sum(1 << group for group in set(groups)))
        self._classes(groups)

    cdef int _look_back(self, bytes lengths, bytes row_of, bytes rows) except -1:
        """What is known behind runs of one group; after ``space`` and ``ends`` have been set."""
        cdef int group
        for group in range(16):
            self.tables.plain[group] = group
        for group in set(self.tables.ends[:16]) - {0}:
            self.tables.plain[group] = self.tables.space
        if not row_of:
            return 0
        if (len(lengths) != TC_LONGEST_RUN + 1 or max(lengths) > 15 or len(row_of) != 16 * 256
                or len(rows) % TC_ROW or max(row_of) >= len(rows) // TC_ROW
                or any(four & four >> 1 & 0x55 for four in rows)):
            raise ValueError("the tables for runs of a group are inconsistent")
        memcpy(self.tables.lengths, <const uint8_t *>lengths, TC_LONGEST_RUN + 1)
        self.row_of = row_of
        self.rows = rows
        self.tables.row_of = self.row_of
        self.tables.rows = self.rows
        return 0

    cdef int _classes(self, const uint8_t *groups) except -1:
        """The automaton's classes of characters, as groups."""
        cdef Py_ssize_t size = 0, i
        for i in range(BLOCKS):
            size = max(size, <Py_ssize_t>self.automaton.block_of[i] + 256)
        self.blocks = <uint8_t *>malloc(size)
        if self.blocks == NULL:
            raise MemoryError()
        for i in range(size):
            self.blocks[i] = self._group(groups[self.automaton.blocks[i]])
        for i in range(128):
            self.tables.groups[i] = self._group(groups[self.automaton.ascii[i]])
        if self.level == 0:
            self.two = <uint16_t *>malloc(TC_TWO * sizeof(uint16_t))
            if self.two == NULL:
                raise MemoryError()
            tc_set_two(&self.tables, self.two)
        self.tables.block_of = self.automaton.block_of
        self.tables.blocks = self.blocks
        if self.level == 2:
            self._flatten()
        return 0

    cdef int _flatten(self) except -1:
        """The groups of characters of up to three bytes, without blocks."""
        cdef int i
        self.flat = <uint8_t *>calloc(TC_FLAT, 1)
        if self.flat == NULL:
            raise MemoryError()
        for i in range(256):
            memcpy(self.flat + 256 * i, self.blocks + self.automaton.block_of[i], 256)
        self.tables.flat = self.flat
        return 0

    cdef uint8_t _group(self, uint8_t group) noexcept nogil:
        """A character's group, as the version takes it."""
        return self.tables.usual if group == self.tables.space else group

    cdef int _made_of_them(self, uint16_t plain) except -1:
        """What all but AVX-512 needs; ``plain``: a bit for each group of characters."""
        cdef uint16_t runs = tc_set_runs(&self.tables, plain)
        cdef uint16_t *left = <uint16_t *>malloc(16 * 16 * 16 * 16 * sizeof(uint16_t))
        if left == NULL:
            raise MemoryError()
        tc_set_products(&self.tables, plain, runs, <uint16_t (*)[16][16][16]>left)
        free(left)
        return 0

    def __dealloc__(self):
        free(self.blocks)
        free(self.two)
        free(self.flat)

    cdef Py_ssize_t scan(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                         Py_ssize_t *ends, Py_ssize_t room) noexcept nogil:
        cdef Py_ssize_t count = 0, at = pos, done = pos, end
        cdef int characters, block, blocks
        cdef tc_chunk chunk
        while at < n and count + SCAN_ROOM <= room:
            end = min(n, at + TC_CHUNK)
            while end < n and text[end] & 0xC0 == 0x80:
                end -= 1
            characters = tc_look(&self.tables, &self.versions, text + at, <int>(end - at),
                                 at, n - end, &chunk)
            blocks = (characters + 63) >> 6
            if characters & 63:
                chunk.cuts[blocks - 1] &= (<uint64_t>1 << (characters & 63)) - 1
                chunk.unknown[blocks - 1] &= (<uint64_t>1 << (characters & 63)) - 1
            if at == done:
                chunk.cuts[0] &= ~<uint64_t>1
                chunk.unknown[0] &= ~<uint64_t>1
            for block in range(blocks):
                if chunk.unknown[block] != 0 and self.tables.row_of != NULL:
                    tc_look_back_at(&self.tables, &chunk, block)
                if chunk.unknown[block] == 0 and (
                        block == 0 or done < at + chunk.offsets[64 * block]):
                    count += self.versions.spread(
                        chunk.cuts[block], chunk.offsets + 64 * block, at, ends + count)
                    if count:
                        done = ends[count - 1]
                else:
                    count += self._block(text, n, at, &chunk, block, &done, ends + count)
            at = max(end, done)
        if at == n and done < n:
            ends[count] = n
            count += 1
        return count

    cdef Py_ssize_t _block(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t at,
                           tc_chunk *chunk, int block, Py_ssize_t *done,
                           Py_ssize_t *ends) noexcept nogil:
        """The cuts after ``done`` in a block with unknown places, and ``done`` after them."""
        cdef const uint16_t *offsets = chunk.offsets + 64 * block
        cdef uint64_t unknown = chunk.unknown[block], left = chunk.cuts[block] | unknown
        cdef uint64_t here, below
        cdef Py_ssize_t count = 0, more
        while True:
            # All up to the last cut is decided.
            while left and at + offsets[tc_first_bit(left)] <= done[0]:
                left &= left - 1
            here = left & unknown
            here &= ~here + 1
            below = left & (here - 1)
            if below:
                count += self.versions.spread(below, offsets, at, ends + count)
                done[0] = ends[count - 1]
                left ^= below
            if here == 0:
                return count
            # The automaton goes on from the last cut, over all that is unknown.
            if (here << 12) & unknown and (here << 6) & unknown:
                more = self.automaton.scan(text, n, done[0], ends + count, RUN)
            else:
                ends[count] = self.automaton.piece_end(text, n, done[0])
                more = 1
            count += more
            done[0] = ends[count - 1]

    def verdicts(self, str text not None, bint back=False):
        """What is said before each character of a text: 1 for a cut, 2 for unknown (for tests).

        ``back``: after a look at what is before runs of a group, too.
        """
        cdef bytes data = text.encode()
        cdef const uint8_t *s = data
        cdef Py_ssize_t at = 0, end, n = len(data)
        cdef int i, count
        cdef uint64_t bit
        cdef tc_chunk chunk
        found = []
        while at < n:
            end = min(n, at + TC_CHUNK)
            while end < n and s[end] & 0xC0 == 0x80:
                end -= 1
            count = tc_look(&self.tables, &self.versions, s + at, <int>(end - at), at, n - end,
                            &chunk)
            for i in range(count):
                if back and self.tables.row_of != NULL and i % 64 == 0:
                    tc_look_back_at(&self.tables, &chunk, i >> 6)
                bit = <uint64_t>1 << (i & 63)
                found.append(2 if chunk.unknown[i >> 6] & bit
                             else 1 if chunk.cuts[i >> 6] & bit else 0)
            at = end
        return found

    def cut(self, str text not None):
        """The pieces of a text (for tests)."""
        cdef bytes data = text.encode()
        cdef Py_ssize_t ends[ENDS_ROOM]
        cdef Py_ssize_t pos = 0, count, i, n = len(data)
        pieces = []
        while pos < n:
            count = self.scan(data, n, pos, ends, ENDS_ROOM)
            for i in range(count):
                pieces.append(data[pos:ends[i]].decode())
                pos = ends[i]
        return pieces
