# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Tables of saved models: memory as bytes, and bytes as memory of one's own.

Whoever restores a table checks what is in it: no table may make compiled code read outside
of its memory.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

cdef extern from "pages.h" nogil:
    void *tc_room(size_t size)


cdef bytes table_bytes(const void *data, Py_ssize_t size):
    """A table as it is in memory."""
    return PyBytes_FromStringAndSize(<const char *>data, size) if size else b""


cdef void *table_copy(dict tables, str name, Py_ssize_t count, Py_ssize_t width) except NULL:
    """A table of ``count`` entries in memory of its own, which has a first one always."""
    cdef const uint8_t[::1] view
    cdef void *out
    if len(tables[name]) != count * width:
        raise ValueError(f"{name}: {len(tables[name])} bytes; expected {count * width}")
    out = tc_room(max(1, count) * width)
    if out == NULL:
        raise MemoryError()
    memset(out, 0, width)
    if count:
        view = tables[name]
        memcpy(out, &view[0], count * width)
    return out


cdef int table_fill(dict tables, str name, void *out, Py_ssize_t size) except -1:
    """A table of a known size, not empty, into memory that is there."""
    cdef const uint8_t[::1] view = tables[name]
    if view.shape[0] != size:
        raise ValueError(f"{name}: {view.shape[0]} bytes; expected {size}")
    memcpy(out, &view[0], size)
    return 0


def copied(bytes table not None, Py_ssize_t width):
    """A table of entries of ``width`` bytes, copied out and in again (for tests).

    Raises ValueError where it is no whole number of entries.
    """
    cdef Py_ssize_t count = len(table) // width
    cdef void *memory = table_copy({"table": table}, "table", count, width)
    try:
        return table_bytes(memory, count * width)
    finally:
        free(memory)
