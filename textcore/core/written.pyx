# cython: boundscheck=False, wraparound=False
"""Text that knows which of its characters a template wrote itself.

`WrittenText` is a ``str`` with `Ranges`. What keeps the ranges up to date is a
`FollowingMeter` (textcore.core.following) and textcore.chat.provenance; whatever else is done
with such a text gives an ordinary ``str``, which has none.
"""

cimport cython
from libc.stdlib cimport free, realloc

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        const char *tp_name


@cython.final
@cython.no_gc
@cython.freelist(32)
cdef class Ranges:
    """Ranges of a text's characters: (start, end) pairs in rising order.

    Raises ValueError for pairs that fall or overlap.
    """

    def __init__(self, pairs=()):
        cdef Py_ssize_t start, end, last = 0
        for start, end in pairs:
            if start < last or end < start:
                raise ValueError("the ranges of a text don't rise")
            self.push(start, end)
            last = end

    def __dealloc__(self):
        free(self.bounds)

    cdef int push(self, Py_ssize_t start, Py_ssize_t end) except -1:
        cdef Py_ssize_t capacity
        cdef Py_ssize_t *bounds
        if self.count == self.capacity:
            capacity = max(4, 2 * self.capacity)
            bounds = <Py_ssize_t *>realloc(self.bounds, 2 * capacity * sizeof(Py_ssize_t))
            if bounds == NULL:
                raise MemoryError()
            self.bounds = bounds
            self.capacity = capacity
        self.bounds[2 * self.count] = start
        self.bounds[2 * self.count + 1] = end
        self.count += 1
        return 0

    cdef int add(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Add a range behind all others; one that touches the last makes it longer."""
        if self.count and self.bounds[2 * self.count - 1] == start:
            self.bounds[2 * self.count - 1] = end
            return 0
        return self.push(start, end)

    cdef int extend(self, Ranges other, Py_ssize_t at) except -1:
        """Add another text's ranges, whose start is at ``at``."""
        cdef Py_ssize_t i
        for i in range(other.count):
            self.add(other.bounds[2 * i] + at, other.bounds[2 * i + 1] + at)
        return 0

    cdef Ranges inside(self, Py_ssize_t start, Py_ssize_t stop):
        """The ranges in the characters ``start`` to ``stop``, counted from ``start``."""
        cdef Ranges part = Ranges.__new__(Ranges)
        cdef Py_ssize_t low = 0, high = self.count, i, first, last
        while low < high:  # the first that ends behind ``start``
            i = (low + high) >> 1
            if self.bounds[2 * i + 1] <= start:
                low = i + 1
            else:
                high = i
        for i in range(low, self.count):
            first = max(self.bounds[2 * i], start)
            last = min(self.bounds[2 * i + 1], stop)
            if first >= last:
                break
            part.push(first - start, last - start)
        return part

    def clipped(self, Py_ssize_t length):
        """The ranges of the first ``length`` characters."""
        return self.inside(0, length)

    def __len__(self):
        return self.count

    def __iter__(self):
        cdef Py_ssize_t i
        return iter([(self.bounds[2 * i], self.bounds[2 * i + 1]) for i in range(self.count)])

    def __repr__(self):
        return f"Ranges({list(self)})"


@cython.final
@cython.no_gc
cdef class WrittenText(str):
    """A str with the ranges of its characters that the template wrote (None: none of them)."""

    def part(self, Py_ssize_t start, Py_ssize_t stop):
        """The characters ``start`` to ``stop``, with their ranges where they have some."""
        cdef Ranges ranges
        text = str.__str__(self)[start:stop]
        if self.ranges is None:
            return text
        ranges = self.ranges.inside(start, stop)
        return new_written(text, ranges) if ranges.count else text

    def like(self, str text not None):
        """A text of the same length, with these ranges."""
        if len(text) != len(self):
            raise ValueError("the texts are not of the same length")
        return text if self.ranges is None else new_written(text, self.ranges)


cdef WrittenText new_written(str text, Ranges ranges):
    cdef WrittenText written = WrittenText.__new__(WrittenText, text)
    written.ranges = ranges
    return written


def written_text(str text not None, ranges=None):
    """A text with these ranges ((start, end) pairs), or all of which the template wrote."""
    return new_written(text, Ranges(((0, len(text)),) if ranges is None and text else ranges or ()))


# Errors that name the type of a value say what they say of any text.
(<PyTypeObject *>WrittenText).tp_name = b"str"
