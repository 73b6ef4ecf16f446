/* How often each int is in a list of ids: copying the list then takes one change of a reference
 * count for each int, not for each place. The ids of a long prompt are five to ten times as many
 * as there are different ones, and their counts lie all over memory.
 *
 * Only where reference counts are plain numbers: see TC_TALLIES. */
#ifndef TEXTCORE_TALLY_H
#define TEXTCORE_TALLY_H

#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "mixing.h"

#if defined(Py_GIL_DISABLED) || defined(Py_REF_DEBUG) || defined(PYPY_VERSION)
#define TC_TALLIES 0
#else
#define TC_TALLIES 1
#endif

/* How far ahead an int is asked for: nothing is done between one and the next. */
#define TC_COUNTED_AHEAD 64

typedef struct {
    PyObject *item; /* borrowed from the shared ints */
    uint32_t id;
    int32_t times; /* may be below 0: an id may have several entries, and their sum counts */
} tc_counted;

typedef struct {
    tc_counted *items;
    size_t count;
    size_t capacity;
    size_t built; /* how many there were when all ids had been counted at once */
} tc_tally;

static inline void tc_tally_free(tc_tally *t) {
    free(t->items);
    memset(t, 0, sizeof(*t));
}

/* A new entry; 0 where there is no memory, and then nothing is counted any more. */
static inline int tc_tally_push(tc_tally *t, PyObject *shared, uint32_t id, int32_t times) {
    if (t->count == t->capacity) {
        size_t size = t->capacity ? t->capacity + t->capacity / 2 : 1024;
        tc_counted *items = (tc_counted *)realloc(t->items, size * sizeof(*items));
        if (!items) {
            tc_tally_free(t);
            return 0;
        }
        t->items = items;
        t->capacity = size;
    }
    t->items[t->count].item = PyList_GET_ITEM(shared, id);
    t->items[t->count].id = id;
    t->items[t->count++].times = times;
    return 1;
}

/* Count ids as there once more. `places` has a number for each id: where its entry is, if it is
 * there; else it may be anything, as what another tally left. */
static inline void tc_tally_add(tc_tally *t, uint32_t *places, PyObject *shared,
                                const uint32_t *ids, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        uint32_t id = ids[i], at = places[id];
        if (at < t->count && t->items[at].id == id) {
            t->items[at].times++;
        } else {
            places[id] = (uint32_t)t->count;
            if (!tc_tally_push(t, shared, id, 1)) return;
        }
    }
}

/* Count all ids anew. */
static inline void tc_tally_build(tc_tally *t, uint32_t *places, PyObject *shared,
                                  const uint32_t *ids, Py_ssize_t n) {
    t->count = 0;
    tc_tally_add(t, places, shared, ids, n);
    t->built = t->count;
}

/* Whether so many entries are an id's second one that all should be counted anew. */
static inline int tc_tally_is_worn(const tc_tally *t) {
    return t->count > 2 * t->built + 1024;
}

/* Count ids as gone. */
static inline void tc_tally_drop(tc_tally *t, PyObject *shared, const uint32_t *ids,
                                 Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++)
        if (!tc_tally_push(t, shared, ids[i], -1)) return;
}

/* A new list of a list's items, which are those counted; where nothing is counted, any. */
static inline PyObject *tc_copy_counted(PyObject *list, const tc_tally *t) {
#if TC_TALLIES
    Py_ssize_t n = PyList_GET_SIZE(list);
    if (t->count && t->count <= (size_t)n / 2) {
        PyObject *out = PyList_New(tc_roomy(n));
        if (out == NULL) return NULL;
        memcpy(&PyList_GET_ITEM(out, 0), &PyList_GET_ITEM(list, 0), (size_t)n * sizeof(PyObject *));
        for (size_t i = 0; i < t->count; i++) {
            const tc_counted *one = t->items + i;
            if (i + TC_COUNTED_AHEAD < t->count) TC_PREFETCH(one[TC_COUNTED_AHEAD].item);
            Py_SET_REFCNT(one->item, Py_REFCNT(one->item) + one->times);
        }
        if (tc_cut_list(out, n) < 0) {
            Py_DECREF(out);
            return NULL;
        }
        return out;
    }
#endif
    (void)t;
    return tc_copy_list(list);
}

#endif
