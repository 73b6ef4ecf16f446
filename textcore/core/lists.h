/* Filling a new list with ints that are made once and shared. */
#ifndef TEXTCORE_LISTS_H
#define TEXTCORE_LISTS_H

#include <Python.h>
#include <stdint.h>

#include "mixing.h"

/* How far ahead an int is asked for: its address, and its reference count, come from memory. */
#define TC_AHEAD 16

/* `out` is new and has room for n items; every id is an index into `shared`. */
static inline void tc_fill_list(PyObject *out, PyObject *shared, const uint32_t *ids,
                                Py_ssize_t n) {
    Py_ssize_t i = 0;
    for (; i + TC_AHEAD < n; i++) {
        PyObject *item = PyList_GET_ITEM(shared, ids[i]);
        TC_PREFETCH(PyList_GET_ITEM(shared, ids[i + TC_AHEAD]));
        Py_INCREF(item);
        PyList_SET_ITEM(out, i, item);
    }
    for (; i < n; i++) {
        PyObject *item = PyList_GET_ITEM(shared, ids[i]);
        Py_INCREF(item);
        PyList_SET_ITEM(out, i, item);
    }
}

#endif
