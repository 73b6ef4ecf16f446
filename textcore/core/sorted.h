/* Merging a word of middling length: its merges sorted once, and what merging makes in a heap.
 *
 * A merge waits as one number, its rank above its place. Those of the word as it is are sorted by
 * rank, in two or three passes over them, and taken in turn; those that come up meanwhile, which
 * are fewer, wait in a heap, or behind each other where they come in order. One that waits no more
 * has another rank at its place by now.
 *
 * What is next is known some steps ahead, so what it will look up is asked for before; of what comes
 * up meanwhile, at once. A tree of
 * minima (minima.h) needs less memory for a symbol, and so is faster from some length on; and it
 * is where letters repeat, which makes many merges that never come to be applied. */
#ifndef TEXTCORE_SORTED_H
#define TEXTCORE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "minima.h"
#include "pairs.h"

enum {
    TC_SORTED_WORD = 1 << 14, /* symbols, at most */
    TC_SORTED_ROOM = 6,       /* numbers of memory for each */
    TC_SORT_BITS = 9, /* of a rank, in a pass of sorting; fewer in a word not so long */
    TC_SORT_FEW_BITS = 6,
    TC_SORT_FEW = 400,
    TC_SORTED_AHEAD = 8,
};

typedef struct {
    uint64_t *run; /* sorted */
    uint64_t *later; /* each no less than the one before */
    uint64_t *heap;
    int32_t *waiting; /* the rank at each place; TC_NO_WAIT for none */
    ptrdiff_t run_at, run_end, later_at, later_end, heap_count;
} tc_sorted;

/* Sort by rank numbers that are sorted by place; `other` has room for as many. */
static inline void tc_sort_ranks(uint64_t *keys, uint64_t *other, ptrdiff_t n, uint32_t greatest) {
    uint64_t *from = keys, *to = other;
    const int bits = n < TC_SORT_FEW ? TC_SORT_FEW_BITS : TC_SORT_BITS, values = 1 << bits;
    for (int shift = 32; greatest; shift += bits, greatest >>= bits) {
        uint32_t starts[1 << TC_SORT_BITS], sum = 0;
        uint64_t *swap = from;
        memset(starts, 0, sizeof(*starts) * (size_t)values);
        for (ptrdiff_t i = 0; i < n; i++) starts[from[i] >> shift & (uint32_t)(values - 1)]++;
        for (int i = 0; i < values; i++) {
            uint32_t size = starts[i];
            starts[i] = sum;
            sum += size;
        }
        for (ptrdiff_t i = 0; i < n; i++)
            to[starts[from[i] >> shift & (uint32_t)(values - 1)]++] = from[i];
        from = to;
        to = swap;
    }
    if (from != keys) memcpy(keys, from, (size_t)n * sizeof(*keys));
}

static inline void tc_sorted_push(tc_sorted *s, int32_t rank, ptrdiff_t at) {
    uint64_t key = (uint64_t)(uint32_t)rank << 32 | (uint64_t)at, *heap = s->heap;
    ptrdiff_t place;
    if (s->later_at == s->later_end || s->later[s->later_end - 1] <= key) {
        s->later[s->later_end++] = key;
        return;
    }
    for (place = s->heap_count++; place;) {
        ptrdiff_t parent = (place - 1) >> 2;
        if (heap[parent] <= key) break;
        heap[place] = heap[parent];
        place = parent;
    }
    heap[place] = key;
}

static inline void tc_sorted_drop_top(tc_sorted *s) {
    uint64_t *heap = s->heap, moving = heap[--s->heap_count];
    ptrdiff_t n = s->heap_count, at = 0;
    for (;;) {
        ptrdiff_t child = 4 * at + 1, best = child, last = child + 4 < n ? child + 4 : n;
        if (child >= n) break;
        while (++child < last) best = heap[child] < heap[best] ? child : best;
        if (moving <= heap[best]) break;
        heap[at] = heap[best];
        at = best;
    }
    heap[at] = moving;
}

/* The next merge that waits, taken; ~0 for none. */
static inline uint64_t tc_sorted_next(tc_sorted *s) {
    for (;;) {
        uint64_t key = s->run_at < s->run_end ? s->run[s->run_at] : TC_NO_ENTRY;
        uint64_t later = s->later_at < s->later_end ? s->later[s->later_at] : TC_NO_ENTRY;
        uint64_t top = s->heap_count ? s->heap[0] : TC_NO_ENTRY;
        if (key < later && key < top) {
            s->run_at++;
        } else if (later < top) {
            key = later;
            s->later_at++;
        } else if (top != TC_NO_ENTRY) {
            key = top;
            tc_sorted_drop_top(s);
        } else {
            return TC_NO_ENTRY;
        }
        if (s->waiting[(uint32_t)key] == (int32_t)(key >> 32)) return key;
    }
}

/* Note what two neighbours wait for: its rank. */
static inline int32_t tc_sorted_wait(tc_sorted *s, const tc_pairs *pairs, const uint32_t *symbols,
                                     ptrdiff_t at, ptrdiff_t next) {
    int32_t rank = tc_wait_of(pairs, symbols[at], symbols[next]);
    s->waiting[at] = rank;
    if (rank != TC_NO_WAIT) tc_sorted_push(s, rank, at);
    return rank;
}

/* Into the caller: GCC leaves calls of functions out that do nothing but this. */
TC_INTO_CALLER static inline void tc_pair_ask(const tc_pairs *p, uint32_t left, uint32_t right) {
    uint64_t one, other;
    tc_pair_places(p, tc_pair_key(p, left, right), &one, &other);
    TC_PREFETCH(p->entries + one);
    TC_PREFETCH(p->entries + other);
}

/* Ask for what a merge of this rank will look up, between two symbols or ends of the word (-1). */
TC_INTO_CALLER static inline void tc_sorted_ask(const tc_pairs *pairs, const uint32_t *merged,
                                                uint32_t first, int32_t rank,
                                                const uint32_t *symbols, ptrdiff_t before,
                                                ptrdiff_t after) {
    uint32_t made;
    if (rank == TC_NO_WAIT) return;
    made = merged ? merged[rank] : first + (uint32_t)rank;
    if (after >= 0) tc_pair_ask(pairs, made, symbols[after]);
    if (before >= 0) tc_pair_ask(pairs, symbols[before], made);
}

/* Apply all merges to `n` symbols (2 to TC_SORTED_WORD): how many are left. See tc_merge_long;
 * `previous` and `following` are its `leaves` and `rest`, `room` is for TC_SORTED_ROOM * n
 * numbers. */
static inline ptrdiff_t tc_merge_sorted(const tc_pairs *pairs, const uint32_t *merged,
                                        uint32_t first, const uint32_t *byte_pairs,
                                        const uint8_t *text, uint32_t *symbols,
                                        uint32_t *lengths, int32_t *previous,
                                        int32_t *following, uint64_t *room, ptrdiff_t n) {
    tc_sorted s;
    ptrdiff_t count = 0, repeated = 0;
    uint32_t greatest = 0;
    int32_t before_it = TC_NO_WAIT;
    uint64_t key;
    memset(&s, 0, sizeof(s));
    s.run = room;
    s.later = room + n;
    s.heap = s.later + 2 * n;
    s.waiting = (int32_t *)(s.heap + 2 * n);
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t rank = i + 1 == n   ? TC_NO_WAIT
                       : byte_pairs ? tc_bytes_wait(byte_pairs, text + i)
                                    : tc_wait_of(pairs, symbols[i], symbols[i + 1]);
        s.waiting[i] = rank;
        repeated += rank == before_it;
        before_it = rank;
        s.run[s.run_end] = (uint64_t)(uint32_t)rank << 32 | (uint64_t)i;
        s.run_end += rank != TC_NO_WAIT;
        greatest |= rank != TC_NO_WAIT ? (uint32_t)rank : 0;
        previous[i] = (int32_t)(i - 1);
        following[i] = (int32_t)(i + 1 < n ? i + 1 : -1);
    }
    if (repeated > n / 4)
        return tc_merge_long(pairs, merged, first, byte_pairs, text, symbols, lengths, previous,
                             following, n);
    tc_sort_ranks(s.run, s.heap, s.run_end, greatest);
    while ((key = tc_sorted_next(&s)) != TC_NO_ENTRY) {
        ptrdiff_t at = (ptrdiff_t)(uint32_t)key;
        ptrdiff_t gone = following[at], after = following[gone], before = previous[at];
        uint32_t rank = (uint32_t)(key >> 32);
        symbols[at] = merged ? merged[rank] : first + rank;
        s.waiting[gone] = TC_NO_WAIT;
        s.waiting[at] = TC_NO_WAIT;
        following[at] = (int32_t)after;
        lengths[at] += lengths[gone];
        lengths[gone] = 0;
        if (after >= 0) {
            int32_t mine;
            previous[after] = (int32_t)at;
            mine = tc_sorted_wait(&s, pairs, symbols, at, after);
            tc_sorted_ask(pairs, merged, first, mine, symbols, before, following[after]);
        }
        if (before >= 0) {
            int32_t its = tc_sorted_wait(&s, pairs, symbols, before, at);
            tc_sorted_ask(pairs, merged, first, its, symbols, previous[before], after);
        }
        if (s.run_at + TC_SORTED_AHEAD < s.run_end) {
            uint64_t coming = s.run[s.run_at + TC_SORTED_AHEAD];
            ptrdiff_t place = (ptrdiff_t)(uint32_t)coming;
            if (s.waiting[place] == (int32_t)(coming >> 32))
                tc_sorted_ask(pairs, merged, first, (int32_t)(coming >> 32), symbols,
                              previous[place], following[following[place]]);
        }
    }
    for (ptrdiff_t i = 0; i >= 0; i = following[i]) {
        symbols[count] = symbols[i];
        lengths[count++] = lengths[i];
    }
    return count;
}

#endif
