# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lists of Python objects out of the arrays that an Encoding holds.

Most of their numbers are small and occur again and again, so they are ints that are made
once and shared: a list of ids or of offsets then allocates no ints at all.
"""

cimport cython
from cpython.array cimport array
from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t, uint8_t

cdef extern from "lists.h":
    int tc_fill_pairs(list out, list shared, const int64_t *low, const int64_t *high,
                      Py_ssize_t n) except -1
    void tc_fill_list(list out, list shared, const unsigned int *ids, Py_ssize_t n) noexcept

cdef enum:
    SHARED = 1 << 18        # ints from this on are made as they come
    NO_WORD = -1

# Ints from 0 on. A list that others may be reading neither grows nor goes: a longer one takes its
# place, at least twice as long, and it stays among those that have been.
cdef list _ints = list(range(1 << 10))
cdef list _outgrown = []


cdef list ints_below(Py_ssize_t count):
    """A list of the ints from 0 on: of ``count``, or of as many as are shared."""
    global _ints
    cdef list known = _ints
    cdef Py_ssize_t size = len(known)
    if size >= min(count, SHARED):
        return known
    with cython.critical_section(_outgrown):
        known = _ints
        size = len(known)
        if size < min(count, SHARED):
            _outgrown.append(known)
            known = known + list(range(size, min(max(count, 2 * size), SHARED)))
            _ints = known
    return known


cdef inline object number(list known, Py_ssize_t size, int64_t value):
    if 0 <= value < size:
        return <object>PyList_GET_ITEM(known, value)
    return value


cdef int64_t _largest(const int64_t *values, Py_ssize_t n) noexcept nogil:
    cdef int64_t largest = 0
    cdef Py_ssize_t i
    for i in range(n):
        if values[i] > largest:
            largest = values[i]
    return largest


def numbers(array values not None):
    """An array of ids (typecode "I") as a list."""
    cdef Py_ssize_t n = len(values), i, size
    cdef const unsigned int *data = values.data.as_uints
    cdef unsigned int largest = 0
    cdef list out = PyList_New(n), known
    cdef object value
    if values.typecode != "I":
        raise TypeError(f"ids have the typecode {values.typecode}, not I")
    for i in range(n):
        largest = max(largest, data[i])
    known = ints_below(<Py_ssize_t>largest + 1)
    size = len(known)
    if <Py_ssize_t>largest < size:
        tc_fill_list(out, known, data, n)
        return out
    for i in range(n):
        value = number(known, size, data[i])
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out


def flags(bytearray values not None):
    """Bytes that are 0 or 1 as a list."""
    cdef Py_ssize_t n = len(values), i
    cdef const uint8_t *data = values
    cdef list out = PyList_New(n), known = _ints
    cdef object value
    for i in range(n):
        value = <object>PyList_GET_ITEM(known, data[i])
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out


def words(array values not None):
    """An array (typecode "q") as a list, -1 as None."""
    cdef Py_ssize_t n = len(values), i, size
    cdef const int64_t *data = <const int64_t *>values.data.as_longlongs
    cdef list out = PyList_New(n), known
    cdef object value
    if values.typecode != "q":
        raise TypeError(f"words have the typecode {values.typecode}, not q")
    known = ints_below(_largest(data, n) + 1)
    size = len(known)
    for i in range(n):
        value = None if data[i] == NO_WORD else number(known, size, data[i])
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out


def pairs(array starts not None, array ends not None):
    """Two arrays (typecode "q") of one length as a list of (start, end)."""
    cdef Py_ssize_t n = len(starts)
    cdef const int64_t *low = <const int64_t *>starts.data.as_longlongs
    cdef const int64_t *high = <const int64_t *>ends.data.as_longlongs
    cdef list out
    if starts.typecode != "q" or ends.typecode != "q":
        raise TypeError("starts and ends have the typecode q")
    if len(ends) != n:
        raise ValueError(f"{n} starts and {len(ends)} ends")
    out = PyList_New(n)
    tc_fill_pairs(out, ints_below(max(_largest(low, n), _largest(high, n)) + 1), low, high, n)
    return out


def trim(array starts not None, array ends not None, array ids not None, Py_ssize_t first,
         Py_ssize_t last, array leading not None, array trailing not None, bint prefixed):
    """Take blanks out of the offsets of tokens ``first`` to ``last``, in place.

    ``leading`` and ``trailing`` (typecode "I") say how many a token, by its id, begins and
    ends with. With ``prefixed``, one at the beginning of the first token, or of any that
    starts the text, stays in.
    """
    cdef Py_ssize_t i, size = len(leading)
    cdef int64_t *low = <int64_t *>starts.data.as_longlongs
    cdef int64_t *high = <int64_t *>ends.data.as_longlongs
    cdef int64_t before, after
    cdef unsigned int token
    if not 0 <= first <= last <= min(len(ids), len(starts), len(ends)) or len(trailing) != size:
        raise ValueError("columns of different lengths")
    for i in range(first, last):
        token = ids.data.as_uints[i]
        if <Py_ssize_t>token >= size:
            continue
        before, after = leading.data.as_uints[token], trailing.data.as_uints[token]
        if prefixed and before == 1 and (i == first or low[i] == 0):
            before = 0
        if before:
            low[i] = min(low[i] + before, high[i])
        if after and high[i] >= after:
            high[i] = max(high[i] - after, low[i])
