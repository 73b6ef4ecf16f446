/* Places for objects that threads take, give back and fill without a lock. */
#ifndef TEXTCORE_SPARE_H
#define TEXTCORE_SPARE_H

#include <Python.h>

#if defined(Py_GIL_DISABLED) && defined(_MSC_VER)
#include <intrin.h>
#endif

/* Put a value (a reference, or NULL) into a place; what was there belongs to the caller. */
static inline PyObject *tc_exchange(PyObject **place, PyObject *value) {
#if !defined(Py_GIL_DISABLED)
    PyObject *before = *place;
    *place = value;
    return before;
#elif defined(_MSC_VER)
    return (PyObject *)_InterlockedExchangePointer((void *volatile *)place, value);
#else
    return __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL);
#endif
}

/* Put a value into a place that has `expected`; what was there, and still is if it was another. */
static inline PyObject *tc_exchange_if(PyObject **place, PyObject *expected, PyObject *value) {
#if !defined(Py_GIL_DISABLED)
    PyObject *before = *place;
    if (before == expected) *place = value;
    return before;
#elif defined(_MSC_VER)
    return (PyObject *)_InterlockedCompareExchangePointer((void *volatile *)place, value, expected);
#else
    __atomic_compare_exchange_n(place, &expected, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return expected;
#endif
}

/* Take a value out of its place to look at it for a moment, in which no other thread may have it and
 * nothing is done that could run Python code; NULL where there is none. With the interpreter's lock
 * it may stay there. */
static inline PyObject *tc_borrow(PyObject **place) {
#if !defined(Py_GIL_DISABLED)
    return *place;
#else
    return tc_exchange(place, NULL);
#endif
}

/* Put it back; one that has been put there meanwhile comes out, and belongs to the caller. */
static inline PyObject *tc_give_back(PyObject **place, PyObject *value) {
#if !defined(Py_GIL_DISABLED)
    (void)place;
    (void)value;
    return NULL;
#else
    return tc_exchange(place, value);
#endif
}

static inline void tc_drop(PyObject *value) { Py_XDECREF(value); }

#endif
