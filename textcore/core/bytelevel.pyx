# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The printable stand-ins of bytes in byte-level vocabularies, turned back into bytes.

Source: ``bytes_to_unicode`` of GPT-2's encoder.py (Radford et al. 2019): a byte that prints
in Latin-1 stands for itself, the others take the code points from 256 on, in order.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void *data, Py_ssize_t index)


cpdef bytes to_bytes(str token):
    """What a byte-level token stands for, or None where a character stands for no byte."""
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(token), i
    cdef int kind = PyUnicode_KIND(token), byte
    cdef void *data = PyUnicode_DATA(token)
    cdef bytes out = PyBytes_FromStringAndSize(NULL, n)
    cdef char *target = PyBytes_AS_STRING(out)
    for i in range(n):
        byte = byte_of(PyUnicode_READ(kind, data, i))
        if byte < 0:
            return None
        target[i] = <char>byte
    return out


def byte_contents(dict vocab not None):
    """Token to bytes, for the tokens of a vocabulary that are made of stand-ins."""
    cdef dict contents = {}
    for token in vocab:
        content = to_bytes(token)
        if content is not None:
            contents[token] = content
    return contents


def bytes_to_unicode():
    """The character that stands for each byte: a dict of 256 ints to one-character strings."""
    cdef int code
    return dict(sorted((byte_of(code), chr(code)) for code in range(0x144) if byte_of(code) >= 0))
