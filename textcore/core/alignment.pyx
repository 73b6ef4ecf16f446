# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The original span of each character of a text that has been changed.

Every method gives a new alignment, for the text after one more change; none changes its own.
So a slice shares the memory of the whole.
"""

cimport cython
from cpython.array cimport array
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef Alignment made(Py_ssize_t count):
    """An alignment of so many characters, which the caller fills."""
    cdef Alignment new = Alignment.__new__(Alignment)
    new.places = <Place *>malloc(max(1, count) * sizeof(Place))
    if new.places == NULL:
        raise MemoryError()
    new.count = count
    return new


# It refers to one that was there before it, so there are no cycles; and were `owner` cleared by
# a collector, memory would be freed that is not its own.
@cython.no_gc
cdef class Alignment:
    """For each character of a text, the (start, end) of the originals that it stands for.

    Made by :func:`identity`.
    """

    def __dealloc__(self):
        if self.owner is None:
            free(self.places)

    def __len__(self):
        return self.count

    def spans(self):
        """All of it, as a list of (start, end)."""
        cdef Py_ssize_t i
        return [(self.places[i].start, self.places[i].end) for i in range(self.count)]

    def span(self, Py_ssize_t start, Py_ssize_t stop):
        """The (start, end) that characters ``start`` to ``stop``, at least one, stand for."""
        if not 0 <= start < stop <= self.count:
            raise IndexError(f"no characters {start} to {stop} among {self.count}")
        return self.places[start].start, self.places[stop - 1].end

    def slice(self, Py_ssize_t start, Py_ssize_t stop):
        """That of characters ``start`` to ``stop``."""
        cdef Alignment new
        if not 0 <= start <= stop <= self.count:
            raise IndexError(f"no characters {start} to {stop} among {self.count}")
        new = Alignment.__new__(Alignment)
        new.owner = self if self.owner is None else self.owner
        new.places = self.places + start
        new.count = stop - start
        return new

    def transform(self, array changes not None, Py_ssize_t skip, Py_ssize_t first):
        """After the first ``skip`` characters went, and the others changed as described.

        ``changes`` (typecode "i") has a number for each character of the new text: 0, it
        replaces the next one; 1, it is new, and stands for what the one before that stands
        for; -N, it replaces the next one and the N after that go. Before the first, a new one
        stands for nothing, at ``first``. Raises ValueError where characters run out.
        """
        cdef Py_ssize_t n = len(changes), at = min(skip, self.count), i
        cdef const int *change = changes.data.as_ints
        cdef Alignment new
        if changes.typecode != "i":
            raise TypeError(f"changes have the typecode {changes.typecode}, not i")
        new = made(n)
        for i in range(n):
            if change[i] > 0:
                if at:
                    new.places[i] = self.places[at - 1]
                else:
                    new.places[i].start = new.places[i].end = first
                continue
            if at >= self.count:
                raise ValueError(f"change {i} replaces more than {self.count} characters")
            new.places[i] = self.places[at]
            at = min(at + 1 - <Py_ssize_t>change[i], self.count)
        return new

    def derive(self, array origin not None):
        """That of a text whose character i was made from character ``origin[i]``.

        ``origin`` has the typecode "q".
        """
        cdef Py_ssize_t n = len(origin), i
        cdef const int64_t *at = <const int64_t *>origin.data.as_longlongs
        cdef Alignment new
        if origin.typecode != "q":
            raise TypeError(f"the origin has the typecode {origin.typecode}, not q")
        new = made(n)
        for i in range(n):
            if not 0 <= at[i] < self.count:
                raise IndexError(f"character {i} is made from {at[i]}, of {self.count}")
            new.places[i] = self.places[at[i]]
        return new

    def insert(self, Py_ssize_t at, Py_ssize_t size, Py_ssize_t start, Py_ssize_t end):
        """With ``size`` more characters before character ``at``, standing for (start, end)."""
        cdef Alignment new
        cdef Py_ssize_t i
        if not 0 <= at <= self.count or size < 0:
            raise IndexError(f"no character {at} among {self.count}")
        new = made(self.count + size)
        memcpy(new.places, self.places, at * sizeof(Place))
        for i in range(at, at + size):
            new.places[i].start = start
            new.places[i].end = end
        memcpy(new.places + at + size, self.places + at, (self.count - at) * sizeof(Place))
        return new

    def replace(self, list spans not None, Py_ssize_t size, Py_ssize_t first):
        """With ``size`` characters in the place of each span: pairs in rising order.

        They stand for the last character of the span; of an empty one, for the character
        before it, and at the very start for nothing, at ``first``.
        """
        cdef Py_ssize_t gone = 0, last = 0, at = 0, start, end, i
        cdef Alignment new
        cdef Place place
        for start, end in spans:
            if not last <= start <= end <= self.count:
                raise IndexError(f"a match at {start} to {end} after {last} of {self.count}")
            gone += end - start
            last = end
        new = made(self.count - gone + size * len(spans))
        last = 0
        for start, end in spans:
            memcpy(new.places + at, self.places + last, (start - last) * sizeof(Place))
            at += start - last
            if end:
                place = self.places[end - 1]
            else:
                place.start = place.end = first
            for i in range(at, at + size):
                new.places[i] = place
            at += size
            last = end
        memcpy(new.places + at, self.places + last, (self.count - last) * sizeof(Place))
        return new


def identity(Py_ssize_t first, Py_ssize_t count):
    """The alignment of ``count`` unchanged characters from character ``first`` on."""
    cdef Alignment new
    cdef Py_ssize_t i
    if count < 0:
        raise ValueError(f"{count} characters")
    new = made(count)
    for i in range(count):
        new.places[i].start = first + i
        new.places[i].end = first + i + 1
    return new
