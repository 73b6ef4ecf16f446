# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lists of Python objects out of the arrays that an Encoding holds.

Most of their numbers are small and occur again and again, so they are ints that are made
once and shared: a list of ids or of offsets then allocates no ints at all.
"""

cimport cython
from cpython.array cimport array
from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define TC_FREE_THREADED 1
    #else
    #define TC_FREE_THREADED 0
    #endif
    """
    bint FREE_THREADED "TC_FREE_THREADED"

cdef extern from "lists.h":
    enum:
        TC_PAIR_STARTS
        TC_PAIR_LENGTHS
    int tc_fill_pairs(list out, list shared, PyObject **pairs, const int64_t *low,
                      const int64_t *high, Py_ssize_t n) except -1
    void tc_fill_words(list out, list shared, const int64_t *words, Py_ssize_t n) noexcept
    list tc_list_of(list shared, const unsigned int *ids, Py_ssize_t n)

cdef enum:
    SHARED = 1 << 18        # ints from this on are made as they come
    NO_WORD = -1

# Ints from 0 on. A list that others may be reading neither grows nor goes: a longer one takes its
# place, at least twice as long, and it stays among those that have been.
cdef list _ints = list(range(1 << 10))
cdef list _outgrown = []


# Offsets that are made once; the pages that are never written take no memory.
cdef PyObject **_pairs = NULL


cdef PyObject **shared_pairs() except? NULL:
    """A place for each pair of offsets that may be shared."""
    global _pairs
    if _pairs == NULL and not FREE_THREADED:
        _pairs = <PyObject **>calloc(TC_PAIR_STARTS * TC_PAIR_LENGTHS, sizeof(PyObject *))
        if _pairs == NULL:
            raise MemoryError()
    return _pairs


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


cdef list numbers_of(const unsigned int *data, Py_ssize_t n):
    """Ids as a list."""
    cdef Py_ssize_t i, size
    cdef unsigned int largest = 0
    cdef list out, known
    cdef object value
    for i in range(n):
        largest = max(largest, data[i])
    known = ints_below(<Py_ssize_t>largest + 1)
    size = len(known)
    if <Py_ssize_t>largest < size:
        return tc_list_of(known, data, n)
    out = PyList_New(n)
    for i in range(n):
        value = number(known, size, data[i])
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out


def numbers(array values not None):
    """An array of ids (typecode "I") as a list."""
    if values.typecode != "I":
        raise TypeError(f"ids have the typecode {values.typecode}, not I")
    return numbers_of(values.data.as_uints, len(values))


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


cdef list words_of(const int64_t *data, Py_ssize_t n):
    """Words as a list, -1 as None."""
    cdef Py_ssize_t i, size
    cdef list out = PyList_New(n), known
    cdef object value
    # One more than the largest, counted from -1: a smaller one would be very large.
    cdef uint64_t above = 0
    for i in range(n):
        if <uint64_t>(data[i] + 1) > above:
            above = <uint64_t>(data[i] + 1)
    known = ints_below(_largest(data, n) + 1)
    size = len(known)
    if above <= <uint64_t>size:
        tc_fill_words(out, known, data, n)
        return out
    for i in range(n):
        value = None if data[i] == NO_WORD else number(known, size, data[i])
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out


def words(array values not None):
    """An array (typecode "q") as a list, -1 as None."""
    if values.typecode != "q":
        raise TypeError(f"words have the typecode {values.typecode}, not q")
    return words_of(<const int64_t *>values.data.as_longlongs, len(values))


cdef list pairs_of(const int64_t *low, const int64_t *high, Py_ssize_t n):
    """Starts and ends as a list of (start, end)."""
    cdef list out = PyList_New(n)
    tc_fill_pairs(out, ints_below(max(_largest(low, n), _largest(high, n)) + 1),
                  shared_pairs(), low, high, n)
    return out


def pairs(array starts not None, array ends not None):
    """Two arrays (typecode "q") of one length as a list of (start, end)."""
    if starts.typecode != "q" or ends.typecode != "q":
        raise TypeError("starts and ends have the typecode q")
    if len(ends) != len(starts):
        raise ValueError(f"{len(starts)} starts and {len(ends)} ends")
    return pairs_of(<const int64_t *>starts.data.as_longlongs,
                    <const int64_t *>ends.data.as_longlongs, len(starts))
