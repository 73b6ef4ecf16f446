"""Numpy arrays of ids and of offsets; numpy is imported when the first is asked for."""

cimport cython
from cpython.buffer cimport PyBUF_CONTIG, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

cdef enum:
    # Ids in an array whose memory is worth reusing.
    LARGE_ARRAY = 1 << 14


@cython.final
cdef class _Numpy:
    """What is used of numpy."""
    cdef object empty
    cdef object uint32
    cdef object uint64

    def __cinit__(self):
        import numpy

        self.empty = numpy.empty
        self.uint32 = numpy.dtype(numpy.uint32)
        self.uint64 = numpy.dtype(numpy.uint64)


cdef _Numpy _numpy = None
cdef list _lock = []        # held while that is set, which is once


cdef _Numpy _imported():
    global _numpy
    with cython.critical_section(_lock):
        if _numpy is None:
            _numpy = _Numpy()
    return _numpy


cdef object new_array(Py_ssize_t n, bint wide):
    # The memory of a large one is rounded up, by at most an eighth, so that the memory of one
    # that is gone fits the next one: fresh pages cost more than filling them does.
    cdef _Numpy numpy = _numpy
    cdef Py_ssize_t step = LARGE_ARRAY >> 3
    cdef object dtype
    if numpy is None:
        numpy = _imported()
    dtype = numpy.uint64 if wide else numpy.uint32
    if n < LARGE_ARRAY:
        return numpy.empty(n, dtype)
    while step << 4 <= n:
        step <<= 1
    return numpy.empty((n + step - 1) // step * step, dtype)[:n]


cdef void *data_of(object array) except? NULL:
    cdef Py_buffer view
    cdef void *data
    PyObject_GetBuffer(array, &view, PyBUF_CONTIG)
    data = view.buf
    PyBuffer_Release(&view)
    return data


def empty_array(Py_ssize_t n, bint wide=False):
    """A new array of ``n`` uint32, or of uint64 where it is ``wide``, filled with anything."""
    return new_array(n, wide)


cdef object id_array(const uint32_t *ids, Py_ssize_t n):
    cdef object array = new_array(n, 0)
    if n:
        memcpy(data_of(array), ids, n * sizeof(uint32_t))
    return array
