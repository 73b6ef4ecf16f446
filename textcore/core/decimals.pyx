# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Numbers of a JSON file, as the reference reads them.

It does not read each as the float next to it: the digits, as a 64-bit integer, become a float, and
that is divided by a power of ten. So a quarter of the scores of a real Unigram vocabulary are the
last bit off, and which of two ways to cut a word has the better total depends on it.
"""

from libc.math cimport isinf
from libc.stdint cimport uint64_t

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    MOST_POWER = 308
    # Beyond this an exponent says no more than that it is large.
    MOST_EXPONENT = 1 << 30

# Powers of ten as the floats next to them; set when the module is imported, and never again.
cdef double[MOST_POWER + 1] POWERS

cdef int _power
for _power in range(MOST_POWER + 1):
    POWERS[_power] = float(f"1e{_power}")


cdef inline bint _is_digit(char letter) noexcept nogil:
    return c"0" <= letter <= c"9"


cdef inline bint _add_digit(uint64_t *value, char letter) noexcept nogil:
    """Add a digit at the end of a number; 0 where that has no room for it."""
    cdef uint64_t digit = letter - c"0"
    if value[0] > (<uint64_t>-1 - digit) // 10:
        return 0
    value[0] = 10 * value[0] + digit
    return 1


cdef double _scaled(uint64_t digits, Py_ssize_t power) noexcept nogil:
    """Digits times a power of ten; infinite where it is out of range."""
    cdef double value = <double>digits
    while value != 0 and power < -MOST_POWER:
        value /= POWERS[MOST_POWER]
        power += MOST_POWER
    if value == 0:
        return 0
    if power < 0:
        return value / POWERS[-power]
    return value * POWERS[power] if power <= MOST_POWER else value * POWERS[MOST_POWER] * 1e308


def read_float(str text not None):
    """The value of a JSON number.

    Raises ValueError for one that is out of range, as the reference does, and for what is no
    number.
    """
    cdef Py_ssize_t n, at = 0, power = 0, exponent = 0
    cdef const char *s = PyUnicode_AsUTF8AndSize(text, &n)
    cdef bint negative = s[0] == c"-", falling
    cdef uint64_t digits = 0
    cdef double value
    at = negative
    # The first digits that have room; those after them count only for where the point is.
    while _is_digit(s[at]):
        if power or not _add_digit(&digits, s[at]):
            power += 1
        at += 1
    if s[at] == c".":
        at += 1
        while _is_digit(s[at]) and _add_digit(&digits, s[at]):
            power -= 1
            at += 1
        while _is_digit(s[at]):
            at += 1
    if s[at] == c"e" or s[at] == c"E":
        at += 1
        falling = s[at] == c"-"
        at += falling or s[at] == c"+"
        while _is_digit(s[at]):
            exponent = min(10 * exponent + (s[at] - c"0"), MOST_EXPONENT)
            at += 1
        power += -exponent if falling else exponent
    if at != n or not _is_digit(s[n - 1] if n else 0):
        raise ValueError(f"{text!r} is no number")
    value = _scaled(digits, power)
    if isinf(value):
        raise ValueError(f"{text} is out of range")
    return -value if negative else value
