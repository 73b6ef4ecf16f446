/* The priority queue of possible merges: lowest order first.
 *
 * Candidates that come in rising order, as those of a repeated letter do, are kept as a run
 * and cost nothing to sort; the others go into a heap of four children a node. What is next is
 * the lower of the run's first and the heap's top. */
#ifndef TEXTCORE_QUEUE_H
#define TEXTCORE_QUEUE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

typedef struct {
    uint64_t order;  /* rank in the upper half, position in the lower */
    uint32_t symbol; /* what the merge makes */
} tc_candidate;

typedef struct {
    tc_candidate *items;
    size_t first; /* of the run: what is before has been taken */
    size_t count;
    size_t capacity;
} tc_candidates;

typedef struct {
    tc_candidates heap;
    tc_candidates run;
} tc_queue;

static inline void tc_queue_free(tc_queue *q) {
    free(q->heap.items);
    free(q->run.items);
    memset(q, 0, sizeof(*q));
}

static inline void tc_queue_clear(tc_queue *q) {
    q->heap.first = q->heap.count = q->run.first = q->run.count = 0;
}

static inline int tc_append(tc_candidates *c, tc_candidate item) {
    if (c->count == c->capacity) {
        size_t left = c->count - c->first, size = c->capacity ? 2 * c->capacity : 256;
        tc_candidate *items = c->items;
        /* What has been taken from the front makes room first. */
        if (2 * left > c->capacity || !c->capacity) {
            items = (tc_candidate *)tc_room(size * sizeof(*items));
            if (!items) return 0;
            c->capacity = size;
        }
        if (left) memmove(items, c->items + c->first, left * sizeof(*items));
        if (items != c->items) free(c->items);
        c->items = items;
        c->first = 0;
        c->count = left;
    }
    c->items[c->count++] = item;
    return 1;
}

/* Add a candidate; 0 where there is no memory. */
static inline int tc_queue_push(tc_queue *q, uint64_t order, uint32_t symbol) {
    tc_candidate item = {order, symbol};
    tc_candidates *run = &q->run;
    size_t at;
    if (run->first == run->count) run->first = run->count = 0;
    if (!run->count || run->items[run->count - 1].order <= order) return tc_append(run, item);
    if (!tc_append(&q->heap, item)) return 0;
    tc_candidate *heap = q->heap.items;
    for (at = q->heap.count - 1; at; at = (at - 1) >> 2) {
        size_t parent = (at - 1) >> 2;
        if (heap[parent].order <= order) break;
        heap[at] = heap[parent];
    }
    heap[at] = item;
    return 1;
}

/* Take the candidate of the lowest order; 0 where there is none. */
static inline int tc_queue_pop(tc_queue *q, tc_candidate *taken) {
    tc_candidates *run = &q->run;
    tc_candidate *heap = q->heap.items;
    tc_candidate moving;
    size_t n = q->heap.count, at = 0;
    if (run->first < run->count && (!n || run->items[run->first].order <= heap[0].order)) {
        *taken = run->items[run->first++];
        return 1;
    }
    if (!n) return 0;
    *taken = heap[0];
    moving = heap[--n];
    q->heap.count = n;
    for (;;) {
        size_t child = 4 * at + 1, best = child, last = child + 4 < n ? child + 4 : n;
        if (child >= n) break;
        while (++child < last)
            if (heap[child].order < heap[best].order) best = child;
        if (moving.order <= heap[best].order) break;
        heap[at] = heap[best];
        at = best;
    }
    if (n) heap[at] = moving;
    return 1;
}

#endif
