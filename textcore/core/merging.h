/* Merging a short word: the best pair of all, again and again.
 *
 * A merge waits at its left symbol as one number, its rank above its place, so that the least
 * of all is the next one. What is merged away stays where it is, and a bit says so: nothing
 * is moved until the end. */
#ifndef TEXTCORE_MERGING_H
#define TEXTCORE_MERGING_H

#include <stddef.h>
#include <stdint.h>

#include "pairs.h"

enum { TC_SHORT_WORD = 32, TC_PLACE_BITS = 5 };

/* Ranks have to be below this. */
#define TC_SHORT_RANKS (1u << (32 - TC_PLACE_BITS))
#define TC_NO_MERGE 0xFFFFFFFFu

static inline int tc_lowest(uint32_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctz(bits);
#else
    int at = 0;
    while (!(bits >> at & 1)) at++;
    return at;
#endif
}

static inline int tc_highest(uint32_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return 31 - __builtin_clz(bits);
#else
    int at = 31;
    while (!(bits >> at & 1)) at--;
    return at;
#endif
}

static inline uint32_t tc_waiting(const tc_pairs *pairs, const uint32_t *symbols, int at,
                                  int next) {
    uint32_t rank = tc_pair_rank(pairs, symbols[at], symbols[next]);
    return rank == TC_NO_RANK ? TC_NO_MERGE : rank << TC_PLACE_BITS | (uint32_t)at;
}

static inline uint32_t tc_least(const uint32_t *waiting, int n) {
    uint32_t a = TC_NO_MERGE, b = TC_NO_MERGE;
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        a = waiting[i] < a ? waiting[i] : a;
        b = waiting[i + 1] < b ? waiting[i + 1] : b;
    }
    if (i < n) a = waiting[i] < a ? waiting[i] : a;
    return a < b ? a : b;
}

/* Apply all merges to `n` symbols (1 to TC_SHORT_WORD): how many are left. `merged` has what
 * each rank makes, or is NULL where that is `first` plus the rank: one load less to wait for.
 * `lengths` has what each symbol stands for; `last`, if not NULL, gets the two that were merged last. */
static inline ptrdiff_t tc_merge_short(const tc_pairs *pairs, const uint32_t *merged,
                                       uint32_t first, uint32_t *symbols, uint32_t *lengths,
                                       ptrdiff_t n, uint32_t *last) {
    uint32_t waiting[TC_SHORT_WORD];
    uint32_t left = 0xFFFFFFFFu >> (32 - n), least;
    ptrdiff_t count = 0;
    for (int i = 0; i + 1 < n; i++) waiting[i] = tc_waiting(pairs, symbols, i, i + 1);
    waiting[n - 1] = TC_NO_MERGE;
    while ((least = tc_least(waiting, (int)n)) != TC_NO_MERGE) {
        int at = least & (TC_SHORT_WORD - 1);
        uint32_t before = left & ((1u << at) - 1), after = left & ~((2u << at) - 1);
        int next = tc_lowest(after);
        uint32_t rank = least >> TC_PLACE_BITS;
        if (last) {
            last[0] = symbols[at];
            last[1] = symbols[next];
        }
        symbols[at] = merged ? merged[rank] : first + rank;
        lengths[at] += lengths[next];
        waiting[next] = TC_NO_MERGE;
        left ^= 1u << next;
        after ^= 1u << next;
        waiting[at] = after ? tc_waiting(pairs, symbols, at, tc_lowest(after)) : TC_NO_MERGE;
        if (before) {
            int previous = tc_highest(before);
            waiting[previous] = tc_waiting(pairs, symbols, previous, at);
        }
    }
    for (; left; left &= left - 1) {
        symbols[count] = symbols[tc_lowest(left)];
        lengths[count++] = lengths[tc_lowest(left)];
    }
    return count;
}

#endif
