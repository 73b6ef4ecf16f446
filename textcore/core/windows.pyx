# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Splitting a text 64 places at a time, and by the automaton where that does not decide.

What the tables say of a place holds wherever a scan began, so the scan may go from one to
the other at any cut.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from .scanner cimport Automaton

cdef extern from "windows.h" nogil:
    enum: TC_LEVELS
    tc_judge tc_judge_of(int level)
    int tc_first_bit(uint64_t bits)

cdef enum:
    BLOCK = 64
    # Bytes that a look at a block reads before its start, and from it on.
    BEFORE = 3
    AFTER = 65
    # Where the next places are unknown as well, the automaton makes so many cuts at once.
    RUN = 40


def levels():
    """The versions that can run on this processor: 0 plain C, 1 AVX2, 2 AVX-512."""
    cdef int level
    return [level for level in range(TC_LEVELS) if tc_judge_of(level) != NULL]


cdef class WindowScanner:
    """The tables of a pattern whose matches cover every text, and its automaton.

    Parameters
    ----------
    automaton : Automaton
        Covers every text, and has a cutting table.
    groups, space, ends, second, third, right, verdicts
        What ``textcore.pipeline.patterns.windows.Windows`` holds.
    level : int
        Which version looks at the tables; one of :func:`levels`.

    Raises ValueError for tables of another size, or values of sixteen and more.
    """

    def __init__(self, Automaton automaton not None, bytes groups not None, int space,
                 bytes ends not None, bytes second not None, bytes third not None, bytes right not None,
                 bytes verdicts not None, int level):
        if not automaton.covers:
            raise ValueError("the automaton leaves gaps")
        for table in (groups, second, third, right, verdicts):
            if len(table) != 256 or max(table) > 15:
                raise ValueError("a table has 256 values below 16")
        if len(ends) != 16 or max(ends) > 15 or not 0 <= space < 15:
            raise ValueError("the groups of runs of spaces are inconsistent")
        if groups[128:] != b"\x0f" * 128:
            raise ValueError("bytes that are not ASCII are of group 15")
        if level not in levels():
            raise ValueError(f"level {level} can't run here; it is one of {levels()}")
        self.automaton = automaton
        self.level = level
        self.judge = tc_judge_of(level)
        self.tables.space = space
        memcpy(self.tables.ends, <const uint8_t *>ends, 16)
        memcpy(self.tables.groups, <const uint8_t *>groups, 256)
        memcpy(self.tables.second, <const uint8_t *>second, 256)
        memcpy(self.tables.third, <const uint8_t *>third, 256)
        memcpy(self.tables.right, <const uint8_t *>right, 256)
        memcpy(self.tables.verdicts, <const uint8_t *>verdicts, 256)

    cdef void _look(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t at, uint64_t *cuts,
                    uint64_t *unknown) noexcept nogil:
        """Judge the block at ``at``; near the text's ends, on a copy with room around it."""
        cdef uint8_t near[BEFORE + AFTER]
        cdef Py_ssize_t first, last
        if at >= BEFORE and at + AFTER <= n:
            self.judge(&self.tables, text + at, cuts, unknown)
            return
        # What is not text reads as foreign, which decides nothing.
        memset(near, 0x80, sizeof(near))
        first = max(at - BEFORE, 0)
        last = min(at + AFTER, n)
        memcpy(near + BEFORE - (at - first), text + first, last - first)
        self.judge(&self.tables, near + BEFORE, cuts, unknown)
        # The last place of a text is followed by its end, of which the tables know nothing.
        if at + BLOCK >= n:
            unknown[0] |= <uint64_t>-1 << max(n - 1 - at, 0)
            cuts[0] &= ~unknown[0]

    cdef Py_ssize_t scan(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                         Py_ssize_t *ends, Py_ssize_t room) noexcept nogil:
        """The ends of the pieces from ``pos`` (a cut) on: at most ``room``, and how many.

        All is done when the last is ``n``; ``room`` is 2 or more.
        """
        cdef Py_ssize_t count = 0, at = pos, done = pos, start, more
        cdef uint64_t cuts, unknown, here
        while done < n and count + 2 <= room:
            self._look(text, n, at, &cuts, &unknown)
            # At `done` there is a cut already; nothing before it is asked for again.
            if at <= done:
                here = ~<uint64_t>0 << (done - at) << 1 if done - at < BLOCK else 0
                cuts &= here
                unknown &= here
            if unknown == 0 and count + BLOCK <= room:
                while cuts:
                    done = ends[count] = at + tc_first_bit(cuts)
                    count += 1
                    cuts &= cuts - 1
                at += BLOCK
                continue
            while (cuts | unknown) and count + 2 <= room:
                here = (cuts | unknown) & (~(cuts | unknown) + 1)
                if cuts & here:
                    done = ends[count] = at + tc_first_bit(here)
                    count += 1
                    cuts ^= here
                    continue
                # The automaton goes on from the last cut, over all that is unknown.
                start = done
                more = RUN if (here << 12) & unknown and (here << 6) & unknown else 2
                more = self.automaton.scan(text, n, start, ends + count,
                                           min(more, room - count))
                count += more
                done = ends[count - 1]
                if done >= at + BLOCK or done >= n:
                    break
                here = ~<uint64_t>0 << (done - at) << 1 if done >= at else ~<uint64_t>0
                cuts &= here
                unknown &= here
            at = at + BLOCK if done < at + BLOCK and not (cuts | unknown) else done
        return count

    def cut(self, str text not None, Py_ssize_t room=256):
        """The pieces of a text (for tests), ``room`` ends at a time."""
        cdef bytes data = text.encode()
        cdef Py_ssize_t ends[256]
        cdef Py_ssize_t pos = 0, count, i, n = len(data)
        if not 2 <= room <= 256:
            raise ValueError("room is from 2 to 256")
        pieces = []
        while pos < n:
            count = self.scan(data, n, pos, ends, room)
            for i in range(count):
                pieces.append(data[pos:ends[i]].decode())
                pos = ends[i]
        return pieces
