# cython: boundscheck=False, wraparound=False
"""Token ids from Python: lists, other sequences and integer buffers as one uint32 array."""

import sys

cimport cython
from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer,
)
from cpython.list cimport PyList_GET_SIZE
from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
)
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef extern from "Python.h":
    # On borrowed references, whose counts are better left alone: writing to 500,000
    # scattered integers costs more than reading them.
    ctypedef struct PyObject
    PyObject* PyList_GET_ITEM(list ids, Py_ssize_t index) noexcept
    bint PyLong_CheckExact(PyObject* value) noexcept
    long long borrowed_as_longlong "PyLong_AsLongLongAndOverflow" (
        PyObject* value, int* overflow
    ) noexcept
    bint PyIndex_Check(object)
    object PyNumber_Index(object)
    long long PyLong_AsLongLongAndOverflow(object, int* overflow) except? -1

cdef extern from "mixing.h":
    void TC_PREFETCH(const void* address) noexcept

cdef extern from "ints.h":
    int64_t tc_small_int(PyObject* value) noexcept

cdef enum:
    AHEAD = 32      # how far ahead an int is asked for: it comes from memory

# The format characters of the struct module; "!" is network order, which is big-endian.
cdef str SIGNED = "bhilqn"
cdef str UNSIGNED = "BHILQN"
cdef tuple FOREIGN_ORDERS = (">", "!") if sys.byteorder == "little" else ("<",)
cdef long long TOP = 0xFFFFFFFF


cdef uint32_t one_id(object value) except? 0xFFFFFFFF:
    """A Python integer (anything with ``__index__``) as a token id."""
    cdef int overflow = 0
    cdef long long number
    if type(value) is int:
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
    elif PyIndex_Check(value):
        value = PyNumber_Index(value)
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
    else:
        raise TypeError(f"a token id is an int, not {type(value).__name__}")
    if overflow or number < 0 or number > TOP:
        shown = str(value) if overflow == 0 else f"one of {value.bit_length()} bits"
        raise ValueError(f"a token id is from 0 to 4294967295, not {shown}")
    return <uint32_t>number


cdef Py_ssize_t _small_ids(list ids, uint32_t* out) noexcept:
    """Copies the ints at the start that need no call; how many."""
    cdef Py_ssize_t i, n = PyList_GET_SIZE(ids)
    cdef int64_t number
    cdef PyObject* item
    for i in range(n):
        item = PyList_GET_ITEM(ids, i)
        if i + AHEAD < n:
            TC_PREFETCH(PyList_GET_ITEM(ids, i + AHEAD))
        number = tc_small_int(item) if PyLong_CheckExact(item) else -1
        if number < 0:
            return i
        out[i] = <uint32_t>number
    return n


cdef inline uint64_t _read(const char* at, Py_ssize_t size, bint signed) noexcept nogil:
    """The integer of ``size`` bytes at an address that need not be aligned, sign-extended."""
    cdef uint64_t word = 0
    cdef uint32_t half = 0
    cdef uint16_t quarter = 0
    cdef uint8_t byte = 0
    if size == 8:
        memcpy(&word, at, 8)
        return word
    if size == 4:
        memcpy(&half, at, 4)
        return <uint64_t><int64_t><int32_t>half if signed else half
    if size == 2:
        memcpy(&quarter, at, 2)
        return <uint64_t><int64_t><int16_t>quarter if signed else quarter
    memcpy(&byte, at, 1)
    return <uint64_t><int64_t><int8_t>byte if signed else byte


@cython.final
cdef class IdArray:
    """The ids of any sequence of integers or one-dimensional integer buffer.

    Lists, tuples and other iterables are copied, as are buffers of anything but packed
    uint32, which are only referred to. Ids are integers from 0 to 2**32 - 1.

    Raises ``ValueError`` for an integer out of this range and ``TypeError`` for what is not
    an integer, both with its position; and ``TypeError`` for text, bytes, buffers of other
    types and those that are not one-dimensional.
    """

    def __cinit__(self, ids):
        self.data = NULL
        self.owned = NULL
        self.n = 0
        self.viewing = False
        if type(ids) is list:
            self._from_list(<list>ids)
        elif isinstance(ids, (str, bytes, bytearray)):
            raise TypeError(f"token ids are a sequence of int, not {type(ids).__name__}")
        elif isinstance(ids, (tuple, list)):
            self._from_list(list(ids))
        elif PyObject_CheckBuffer(ids):
            self._from_buffer(ids)
        else:
            try:
                iterator = iter(ids)
            except TypeError:
                raise TypeError(
                    f"token ids are a sequence of int, not {type(ids).__name__}"
                ) from None
            self._from_list(list(iterator))

    def __dealloc__(self):
        if self.viewing:
            PyBuffer_Release(&self.view)
        free(self.owned)

    def __len__(self):
        return self.n

    def tolist(self):
        """The ids as a list of int."""
        cdef Py_ssize_t i
        return [self.data[i] for i in range(self.n)]

    cdef int _allocate(self, Py_ssize_t n) except -1:
        self.owned = <uint32_t*>malloc((n if n else 1) * sizeof(uint32_t))
        if self.owned == NULL:
            raise MemoryError
        self.data = self.owned
        self.n = n
        return 0

    cdef int _from_list(self, list ids) except -1:
        cdef Py_ssize_t i, n
        cdef int overflow = 0
        cdef long long number
        cdef PyObject* item
        with cython.critical_section(ids):
            n = PyList_GET_SIZE(ids)
            self._allocate(n)
            for i in range(_small_ids(ids, self.owned), n):
                # An element's __index__ may have shortened the list.
                if i >= PyList_GET_SIZE(ids):
                    self.n = i
                    break
                item = PyList_GET_ITEM(ids, i)
                if PyLong_CheckExact(item):
                    number = borrowed_as_longlong(item, &overflow)
                    if overflow == 0 and 0 <= number <= TOP:
                        self.owned[i] = <uint32_t>number
                        continue
                try:
                    self.owned[i] = one_id(<object>item)
                except (TypeError, ValueError) as error:
                    if type(error) not in (TypeError, ValueError):
                        raise
                    raise type(error)(f"ids[{i}]: {error}") from None
        return 0

    cdef int _from_buffer(self, object ids) except -1:
        cdef str code
        PyObject_GetBuffer(ids, &self.view, PyBUF_FORMAT | PyBUF_STRIDES)
        self.viewing = True
        code = self.view.format.decode("ascii", "replace") if self.view.format != NULL else "B"
        if self.view.ndim != 1:
            raise TypeError(f"a buffer of token ids has 1 dimension, not {self.view.ndim}")
        if code[:1] in FOREIGN_ORDERS:
            raise TypeError(f"a buffer of token ids is in native byte order, not {code!r}")
        code = code.lstrip("@=<>!")
        if len(code) != 1 or code not in SIGNED + UNSIGNED:
            raise TypeError(f"a buffer of token ids holds integers, not {code!r}")
        self.n = self.view.shape[0]
        if (
            code in UNSIGNED and self.view.itemsize == 4 and self.view.strides[0] == 4
            and <size_t>self.view.buf % sizeof(uint32_t) == 0
        ):
            self.data = <const uint32_t*>self.view.buf
            return 0
        return self._convert(self.view.strides[0], self.view.itemsize, code in SIGNED)

    cdef int _convert(self, Py_ssize_t stride, Py_ssize_t size, bint signed) except -1:
        cdef const char* at = <const char*>self.view.buf
        cdef Py_ssize_t i, bad = -1
        cdef Py_ssize_t n = self.n
        cdef uint64_t value = 0
        self._allocate(n)
        with nogil:
            for i in range(n):
                # Negative numbers become huge ones, and so fail the same comparison.
                value = _read(at, size, signed)
                if value > <uint64_t>TOP:
                    bad = i
                    break
                self.owned[i] = <uint32_t>value
                at += stride
        if bad >= 0:
            shown = str(<int64_t>value) if signed else str(value)
            raise ValueError(f"ids[{bad}]: a token id is from 0 to 4294967295, not {shown}")
        return 0
