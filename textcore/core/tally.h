/* Ids as ints, and how often each of these is there: a list of them is then copied as memory, its
 * references having been counted before, for many lists at once. The ids of a long prompt are five
 * to ten times as many as there are different ones, and their counts lie all over memory.
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

enum {
    TC_COUNTED_AHEAD = 64, /* how far ahead an int is asked for: nothing is done between them */
    TC_PLACES_AHEAD = 16,
    TC_TALLY_STEP = 1024, /* ids that are counted before it is seen to that there is room */
    TC_LISTS = 64, /* whose references are counted at once, */
    TC_MOST_HELD = 1 << 24, /* but no more of them: some reference counts have 31 bits */
};

#define TC_NO_ID 0xFFFFFFFFu

typedef struct {
    PyObject *item; /* borrowed from the shared ints */
    uint32_t id;
    int32_t times; /* may be below 0: an id may have several entries, and their sum counts */
} tc_counted;

typedef struct {
    PyObject **ints; /* borrowed, too: one for each id that is counted, in order */
    size_t n;
    size_t room;
    tc_counted *items; /* the one after the last has no id */
    size_t count;
    size_t capacity;
    size_t built; /* how many there were when all ids had been counted at once */
    Py_ssize_t held; /* how many lists more of the ints the reference counts are ready for */
} tc_tally;

static inline void tc_add_references(PyObject *item, Py_ssize_t more) {
#if TC_TALLIES
    Py_SET_REFCNT(item, Py_REFCNT(item) + more);
#endif
}

/* Count the references of so many lists of what has entries, or, below 0, give them back. The ints
 * have other owners, so that none comes to be free. */
static inline void tc_tally_hold(tc_tally *t, Py_ssize_t lists) {
    if (lists == 0) return;
    for (size_t i = 0; i < t->count; i++) {
        const tc_counted *one = t->items + i;
        if (i + TC_COUNTED_AHEAD < t->count) TC_PREFETCH(one[TC_COUNTED_AHEAD].item);
        tc_add_references(one->item, one->times * lists);
    }
    t->held += lists;
}

/* Free a tally whose entries may not be those of its ints. */
static inline void tc_tally_drop(tc_tally *t) {
    for (size_t i = 0; t->held && i < t->n; i++) tc_add_references(t->ints[i], -t->held);
    t->held = 0;
    free(t->ints);
    free(t->items);
    memset(t, 0, sizeof(*t));
}

static inline void tc_tally_free(tc_tally *t) {
    tc_tally_hold(t, -t->held);
    free(t->ints);
    free(t->items);
    memset(t, 0, sizeof(*t));
}

/* Bytes that it takes. */
static inline size_t tc_tally_size(const tc_tally *t) {
    return t->room * sizeof(*t->ints) + t->capacity * sizeof(*t->items);
}

/* Room for so many entries more, and the one after them; 0 where there is no memory. */
static inline int tc_tally_reserve(tc_tally *t, size_t more) {
    size_t size = t->count + more + 1;
    tc_counted *items;
    if (size <= t->capacity) return 1;
    if (size < t->capacity + t->capacity / 2) size = t->capacity + t->capacity / 2;
    if (!(items = (tc_counted *)realloc(t->items, size * sizeof(*items)))) return 0;
    t->items = items;
    t->capacity = size;
    return 1;
}

/* Count ids as there once more; 0 where there is no memory. `places` has a number for each id:
 * where its entry is, if it is there; else it may be anything, as what another tally left. */
static inline int tc_tally_count(tc_tally *t, uint32_t *places, PyObject *shared,
                                 const uint32_t *ids, size_t n) {
    while (n) {
        const size_t step = n < TC_TALLY_STEP ? n : TC_TALLY_STEP, before = t->count;
        size_t count = before;
        tc_counted *items;
        if (!tc_tally_reserve(t, step)) return 0;
        items = t->items;
        items[count].id = TC_NO_ID;
        items[count].times = 0;
        /* No branch on whether an id has an entry: that can't be foretold. */
        for (size_t i = 0; i < step; i++) {
            const uint32_t id = ids[i];
            size_t at = places[id];
            if (i + TC_PLACES_AHEAD < n) TC_PREFETCH(places + ids[i + TC_PLACES_AHEAD]);
            at = at < count ? at : count;
            at = items[at].id == id ? at : count;
            places[id] = (uint32_t)at;
            items[at].id = id;
            items[at].times++;
            count += at == count;
            items[count].id = TC_NO_ID;
            items[count].times = 0;
        }
        for (size_t i = before; i < count; i++) {
            if (i + TC_PLACES_AHEAD < count)
                TC_PREFETCH(&PyList_GET_ITEM(shared, items[i + TC_PLACES_AHEAD].id));
            items[i].item = PyList_GET_ITEM(shared, items[i].id);
        }
        t->count = count;
        ids += step;
        n -= step;
    }
    return 1;
}

/* Whether so many entries are an id's second one that all should be counted anew. */
static inline int tc_tally_is_worn(const tc_tally *t) {
    return t->count > 2 * t->built + TC_TALLY_STEP;
}

/* Take in all ids that have not been, of n: 0 where there is no memory, and the tally is empty. */
static inline int tc_tally_extend(tc_tally *t, uint32_t *places, PyObject *shared,
                                  const uint32_t *ids, size_t n) {
    PyObject **ints = t->ints;
    int done = 1;
    if (n > t->room) {
        /* For the next turn, too. */
        const size_t room = n + (n >> 3);
        ints = (PyObject **)realloc(ints, room * sizeof(*ints));
        done = ints != NULL;
        if (done) {
            t->ints = ints;
            t->room = room;
        }
    }
    for (size_t i = t->n; done && i < n; i++) {
        PyObject **place = &PyList_GET_ITEM(shared, ids[i]);
        if (i + TC_AHEAD < n) TC_PREFETCH(&PyList_GET_ITEM(shared, ids[i + TC_AHEAD]));
        ints[i] = *place != Py_None ? *place : tc_make_int(place, ids[i]);
        done = ints[i] != NULL;
    }
    if (PyErr_Occurred()) PyErr_Clear(); /* a list that is made without this will say so */
    if (t->n == 0 || tc_tally_is_worn(t)) {
        t->count = 0;
        done = done && tc_tally_count(t, places, shared, ids, n);
        t->built = t->count;
    } else {
        done = done && tc_tally_count(t, places, shared, ids + t->n, n - t->n);
    }
    if (!done) {
        tc_tally_drop(t);
        return 0;
    }
    for (size_t i = t->n; t->held && i < n; i++) tc_add_references(ints[i], t->held);
    t->n = n;
    return 1;
}

/* Forget all but the first n ids, of these. */
static inline void tc_tally_cut(tc_tally *t, PyObject *shared, const uint32_t *ids, size_t n) {
    if (n >= t->n) return;
    if (!tc_tally_reserve(t, t->n - n)) {
        tc_tally_free(t);
        return;
    }
    for (; t->n > n; t->n--) {
        tc_counted *one = t->items + t->count++;
        one->id = ids[t->n - 1];
        one->item = PyList_GET_ITEM(shared, one->id);
        one->times = -1;
        if (t->held) tc_add_references(one->item, -t->held);
    }
}

/* A new list of all ints. `ids` are what they were made from. */
static inline PyObject *tc_tally_list(tc_tally *t, PyObject *shared, const uint32_t *ids) {
#if TC_TALLIES
    const size_t most = TC_MOST_HELD / (t->n + 1);
    if (t->count <= t->n / 2 && most) {
        PyObject *out = tc_bare_list((Py_ssize_t)t->n);
        if (out == NULL) return NULL;
        if (t->n) memcpy(&PyList_GET_ITEM(out, 0), t->ints, t->n * sizeof(*t->ints));
        if (!t->held) tc_tally_hold(t, most < TC_LISTS ? (Py_ssize_t)most : TC_LISTS);
        t->held--;
        return out;
    }
#endif
    return tc_list_of(shared, ids, (Py_ssize_t)t->n);
}

#endif
