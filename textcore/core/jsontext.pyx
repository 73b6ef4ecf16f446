# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Text as it stands within a JSON string: a stream's pieces are mostly that already."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport (
    PyUnicode_Check,
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from libc.stdint cimport uint32_t

cdef enum:
    LONGEST = 6                 # \uXXXX


cdef inline bint is_special(uint32_t c) noexcept nogil:
    return c < 32 or c == 34 or c == 92 or 0xD800 <= c < 0xE000


cdef inline uint32_t letter(uint32_t c) noexcept nogil:
    """What stands behind the backslash for ``c``, or 0 where only its number can."""
    if c == 34 or c == 92:
        return c
    if c == 10:
        return 110
    if c == 13:
        return 114
    if c == 9:
        return 116
    if c == 8:
        return 98
    if c == 12:
        return 102
    return 0


cdef Py_ssize_t write(int kind, void* data, Py_ssize_t size, uint32_t* out) noexcept:
    """Write the text escaped; return its length."""
    cdef Py_ssize_t at, end = 0
    cdef uint32_t c, mnemonic, digit
    cdef int shift
    for at in range(size):
        c = PyUnicode_READ(kind, data, at)
        if not is_special(c):
            out[end] = c
            end += 1
            continue
        out[end] = 92
        mnemonic = letter(c)
        if mnemonic:
            out[end + 1] = mnemonic
            end += 2
            continue
        out[end + 1] = 117
        for shift in range(4):
            digit = (c >> (12 - 4 * shift)) & 15
            out[end + 2 + shift] = digit + (48 if digit < 10 else 87)
        end += 6
    return end


def json_string_part(text):
    """A piece of a string as it stands within a JSON string, lone surrogates escaped.

    Raises:
        TypeError: ``text`` is not a str.
    """
    cdef Py_ssize_t at, size, special = 0
    cdef int kind
    cdef void* data
    cdef uint32_t* out
    if not PyUnicode_Check(text):
        raise TypeError(f"a text is a str, not {type(text).__name__}")
    size = PyUnicode_GET_LENGTH(text)
    kind = <int>PyUnicode_KIND(text)
    data = PyUnicode_DATA(text)
    for at in range(size):
        special += is_special(PyUnicode_READ(kind, data, at))
    if special == 0:
        return text
    out = <uint32_t*>PyMem_Malloc((size + (LONGEST - 1) * special) * sizeof(uint32_t))
    if out == NULL:
        raise MemoryError
    try:
        return PyUnicode_FromKindAndData(4, out, write(kind, data, size, out))
    finally:
        PyMem_Free(out)
