"""Numpy arrays of ids; numpy is imported when the first is asked for."""

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

    def __cinit__(self):
        import numpy

        self.empty = numpy.empty
        self.uint32 = numpy.dtype(numpy.uint32)


cdef _Numpy _numpy = None


cdef object _new_array(Py_ssize_t n):
    """A new array of ``n`` uint32, filled with anything.

    The memory of a large one is rounded up, by at most an eighth, so that the memory of one
    that is gone fits the next one: fresh pages cost more than filling them does.
    """
    global _numpy
    cdef _Numpy numpy = _numpy
    cdef Py_ssize_t step = LARGE_ARRAY >> 3
    if numpy is None:
        numpy = _numpy = _Numpy()
    if n < LARGE_ARRAY:
        return numpy.empty(n, numpy.uint32)
    while step << 4 <= n:
        step <<= 1
    return numpy.empty((n + step - 1) // step * step, numpy.uint32)[:n]


cdef object id_array(const uint32_t *ids, Py_ssize_t n):
    cdef Py_buffer view
    cdef object array = _new_array(n)
    if n:
        PyObject_GetBuffer(array, &view, PyBUF_CONTIG)
        memcpy(view.buf, ids, n * sizeof(uint32_t))
        PyBuffer_Release(&view)
    return array
