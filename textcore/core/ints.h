/* The value of a small int without a call: most of the time that reading a list of ids takes. */
#ifndef TEXTCORE_INTS_H
#define TEXTCORE_INTS_H

#include <Python.h>
#include <stdint.h>

/* The value of an exact int from 0 to 2**30 - 1; -1 for any other, which is then read through
 * the API. */
static inline int64_t tc_small_int(PyObject *value) {
#if PY_VERSION_HEX >= 0x030C0000 && !defined(Py_LIMITED_API)
    if (PyUnstable_Long_IsCompact((PyLongObject *)value)) {
        Py_ssize_t number = PyUnstable_Long_CompactValue((PyLongObject *)value);
        return 0 <= number && number < ((Py_ssize_t)1 << 30) ? number : -1;
    }
#elif !defined(Py_LIMITED_API) && !defined(PYPY_VERSION) && PYLONG_BITS_IN_DIGIT == 30
    /* An int's size is how many digits it has, below 0 for a negative one. */
    if (Py_SIZE(value) == 1) return ((PyLongObject *)value)->ob_digit[0];
    if (Py_SIZE(value) == 0) return 0;
#endif
    (void)value;
    return -1;
}

#endif
