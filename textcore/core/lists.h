/* Making lists of ints that are made once and shared. */
#ifndef TEXTCORE_LISTS_H
#define TEXTCORE_LISTS_H

#include <Python.h>
#include <stdint.h>

#include "mixing.h"
#include "spare.h"

/* How far ahead an int is asked for: its address, and its reference count, come from memory. */
#define TC_AHEAD 16

/* Whether a list's memory may be made here: where it comes from PyMem_Malloc, as it does in CPython
 * with the interpreter's lock. */
#if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION) || defined(Py_LIMITED_API)
#define TC_BARE_LISTS 0
#else
#define TC_BARE_LISTS 1
#endif

/* Items to make room for where n are needed. Sizes of large ones are rounded up by at most an
 * eighth: so the memory of one that is gone fits the next one of about its size, and needs not
 * come from the system page by page, which costs more than filling it. */
#define TC_LARGE_LIST 8192

static inline Py_ssize_t tc_roomy(Py_ssize_t n) {
    Py_ssize_t step = TC_LARGE_LIST / 8;
    if (n < TC_LARGE_LIST || n > PY_SSIZE_T_MAX / 4) return n;
    while (step * 16 <= n) step *= 2;
    return (n + step - 1) / step * step;
}

/* A new list with room for n items, which the caller sets before it does anything else; NULL with an
 * exception where memory runs out. A large one is not filled with NULL first: that is one pass of
 * writing less, of two. */
static inline PyObject *tc_bare_list(Py_ssize_t n) {
    const Py_ssize_t room = tc_roomy(n);
    PyObject *out;
#if TC_BARE_LISTS
    if (room >= TC_LARGE_LIST && room <= PY_SSIZE_T_MAX / 16) {
        PyObject **items = (PyObject **)PyMem_Malloc((size_t)room * sizeof(*items));
        if (!items) return PyErr_NoMemory();
        if (!(out = PyList_New(0))) {
            PyMem_Free(items);
            return NULL;
        }
        ((PyListObject *)out)->ob_item = items;
        ((PyListObject *)out)->allocated = room;
        Py_SET_SIZE((PyVarObject *)out, n);
        return out;
    }
#endif
    if (!(out = PyList_New(room))) return NULL;
    if (n < room && PyList_SetSlice(out, n, PY_SSIZE_T_MAX, NULL) < 0) {
        Py_DECREF(out);
        return NULL;
    }
    return out;
}

/* A new list of ints; every id is an index into `shared`. */
static inline PyObject *tc_list_of(PyObject *shared, const uint32_t *ids, Py_ssize_t n) {
    PyObject *out = tc_bare_list(n);
    Py_ssize_t i = 0;
    if (!out) return NULL;
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
    return out;
}

/* The int that a place of `shared` is to have from now on, or has got from another thread; NULL
 * with an exception where memory runs out. */
static inline PyObject *tc_make_int(PyObject **place, uint32_t value) {
    PyObject *made = PyLong_FromUnsignedLong(value);
    if (!made) return NULL;
    PyObject *before = tc_exchange_if(place, Py_None, made);
    Py_DECREF(before == Py_None ? before : made);
    return before == Py_None ? made : before;
}

/* As tc_list_of, `shared` having None in place of ints that have not been asked for: they are
 * made in the order of their first use, so that those of a text lie together. */
static inline PyObject *tc_list_making(PyObject *shared, const uint32_t *ids, Py_ssize_t n) {
    PyObject *out = tc_bare_list(n), **ints = &PyList_GET_ITEM(shared, 0);
    if (!out) return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = ints[ids[i]];
        if (i + TC_AHEAD < n) TC_PREFETCH(ints[ids[i + TC_AHEAD]]);
        if (TC_UNLIKELY(item == Py_None) && !(item = tc_make_int(ints + ids[i], ids[i]))) {
            Py_SET_SIZE((PyVarObject *)out, i);
            Py_DECREF(out);
            return NULL;
        }
        Py_INCREF(item);
        PyList_SET_ITEM(out, i, item);
    }
    return out;
}

/* The same of few ids: what a new list costs is most of it. */
static inline PyObject *tc_short_list(PyObject *shared, const uint32_t *ids, Py_ssize_t n) {
    PyObject **ints = &PyList_GET_ITEM(shared, 0), **items;
    PyObject *out;
    for (Py_ssize_t i = 0; i < n; i++)
        if (TC_UNLIKELY(ints[ids[i]] == Py_None)) return tc_list_making(shared, ids, n);
    if (!(out = PyList_New(TC_BARE_LISTS ? 0 : n))) return NULL;
#if TC_BARE_LISTS
    /* PyList_New would clear the memory first. */
    if (!(items = (PyObject **)PyMem_Malloc((size_t)n * sizeof(*items)))) {
        Py_DECREF(out);
        return PyErr_NoMemory();
    }
    ((PyListObject *)out)->ob_item = items;
    ((PyListObject *)out)->allocated = n;
    Py_SET_SIZE((PyVarObject *)out, n);
#else
    items = ((PyListObject *)out)->ob_item;
#endif
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_INCREF(ints[ids[i]]);
        items[i] = ints[ids[i]];
    }
    return out;
}

/* A new reference to the int of a value: one of `size` shared ones, or its own. */
static inline PyObject *tc_int(PyObject *const *shared, Py_ssize_t size, int64_t value) {
    if (TC_LIKELY((uint64_t)value < (uint64_t)size)) {
        Py_INCREF(shared[value]);
        return shared[value];
    }
    return PyLong_FromLongLong(value);
}

/* `out` is new and has room for n items; every value is an index into `shared`, or -1 for None. */
static inline void tc_fill_words(PyObject *out, PyObject *shared, const int64_t *words,
                                 Py_ssize_t n) {
    PyObject *const *ints = &PyList_GET_ITEM(shared, 0);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = words[i] < 0 ? Py_None : ints[words[i]];
        Py_INCREF(item);
        PyList_SET_ITEM(out, i, item);
    }
}

/* Pairs (low, high) that are made once and shared: those of the first characters of a text and
 * of at most so many characters. A list of shared pairs takes a fifth of the time of new ones. */
#define TC_PAIR_STARTS ((int64_t)1 << 14)
#define TC_PAIR_LENGTHS 16

/* A new reference to a new pair of ints; NULL with an exception where memory runs out. */
static inline PyObject *tc_new_pair(PyObject *const *ints, Py_ssize_t size, int64_t low,
                                    int64_t high) {
    PyObject *pair = PyTuple_New(2);
    if (!pair) return NULL;
    PyObject *first = tc_int(ints, size, low);
    PyObject *last = tc_int(ints, size, high);
    PyTuple_SET_ITEM(pair, 0, first);
    PyTuple_SET_ITEM(pair, 1, last);
    if (!first || !last) {
        Py_DECREF(pair);
        return NULL;
    }
    /* Two ints are in no cycle: the collector need not look. */
    PyObject_GC_UnTrack(pair);
    return pair;
}

/* `out` is new and has room for n items; -1 with an exception where memory runs out. `pairs`
 * has a place for each pair that may be shared, or is NULL: then none is. Who calls holds what
 * guards these places: the interpreter's lock. */
static inline int tc_fill_pairs(PyObject *out, PyObject *shared, PyObject **pairs,
                                const int64_t *low, const int64_t *high, Py_ssize_t n) {
    PyObject *const *ints = &PyList_GET_ITEM(shared, 0);
    const Py_ssize_t size = PyList_GET_SIZE(shared);
    PyObject *pair = NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        const uint64_t length = (uint64_t)(high[i] - low[i]);
        if (pairs && (uint64_t)low[i] < TC_PAIR_STARTS && length < TC_PAIR_LENGTHS) {
            PyObject **place = pairs + low[i] * TC_PAIR_LENGTHS + length;
            pair = *place;
            if (TC_UNLIKELY(!pair)) {
                if (!(pair = tc_new_pair(ints, size, low[i], high[i]))) return -1;
                *place = pair;
            }
            Py_INCREF(pair);
        } else if (i && low[i] == low[i - 1] && high[i] == high[i - 1]) {
            /* Tokens of one character follow each other, and share their pair. */
            Py_INCREF(pair);
        } else if (!(pair = tc_new_pair(ints, size, low[i], high[i]))) {
            return -1;
        }
        PyList_SET_ITEM(out, i, pair);
    }
    return 0;
}

#endif
