/* Merging a long word: the best pair of all from a tree of minima, again and again.
 *
 * The rank of the merge that waits at each symbol is a leaf; sixteen neighbours, one cache
 * line, have their least above them, and so on. A merge changes three leaves next to each other
 * and so mostly one line of each level: n log n for n symbols, and next to nothing of it is
 * spent waiting for memory, since what is left of the word is a bit for each symbol. */
#ifndef TEXTCORE_MINIMA_H
#define TEXTCORE_MINIMA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lanes.h"
#include "merging.h"
#include "pairs.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define TC_MINIMA_SSE2 1
#endif

/* Ranks have to be below this, which stands for no merge. */
#define TC_NO_WAIT 0x7FFFFFFF

enum { TC_FAN = 16, TC_FAN_BITS = 4, TC_MINIMA_LEVELS = 9 };

typedef struct {
    int32_t *levels[TC_MINIMA_LEVELS]; /* the leaves first; the last has at most TC_FAN */
    int depth;
    uint64_t *left; /* a bit for each symbol that has not been merged away */
} tc_minima;

static inline int32_t tc_least_of(const int32_t *v) {
#ifdef TC_MINIMA_SSE2
    __m128i a = _mm_loadu_si128((const __m128i *)v), b, less;
    for (int i = 4; i < TC_FAN; i += 4) {
        b = _mm_loadu_si128((const __m128i *)(v + i));
        less = _mm_cmplt_epi32(a, b);
        a = _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b));
    }
    b = _mm_shuffle_epi32(a, 0x4E);
    less = _mm_cmplt_epi32(a, b);
    a = _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b));
    b = _mm_shuffle_epi32(a, 0xB1);
    less = _mm_cmplt_epi32(a, b);
    a = _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b));
    return _mm_cvtsi128_si32(a);
#else
    int32_t least = v[0];
    for (int i = 1; i < TC_FAN; i++) least = v[i] < least ? v[i] : least;
    return least;
#endif
}

/* The first of TC_FAN values that is `value`; -1 for none. */
static inline int tc_first_of(const int32_t *v, int32_t value) {
#ifdef TC_MINIMA_SSE2
    const __m128i wanted = _mm_set1_epi32(value);
    __m128i a = _mm_packs_epi32(
        _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)v), wanted),
        _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(v + 4)), wanted));
    __m128i b = _mm_packs_epi32(
        _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(v + 8)), wanted),
        _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(v + 12)), wanted));
    uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
    return found ? tc_lowest(found) : -1;
#else
    for (int i = 0; i < TC_FAN; i++)
        if (v[i] == value) return i;
    return -1;
#endif
}

static inline ptrdiff_t tc_fan_up(ptrdiff_t n) { return (n + TC_FAN - 1) & ~(ptrdiff_t)(TC_FAN - 1); }

/* Lay a tree for n leaves out: the leaves in `leaves`, with room for n rounded up to a multiple
 * of TC_FAN; all else in `rest`, aligned to 8 bytes, with room for n numbers, where n is 128 or
 * more. */
static inline void tc_minima_lay(tc_minima *t, ptrdiff_t n, int32_t *leaves, int32_t *rest) {
    ptrdiff_t words = (n + 63) >> 6, size = n;
    t->left = (uint64_t *)rest;
    rest += 2 * words;
    t->levels[0] = leaves;
    t->depth = 1;
    while (size > TC_FAN) {
        size = (size + TC_FAN - 1) >> TC_FAN_BITS;
        t->levels[t->depth++] = rest;
        rest += tc_fan_up(size);
    }
    memset(t->left, 0xFF, (size_t)words * 8);
    if (n & 63) t->left[words - 1] = ((uint64_t)1 << (n & 63)) - 1;
}

/* The minima of all levels, from n leaves. */
static inline void tc_minima_fill(tc_minima *t, ptrdiff_t n) {
    for (int level = 0;; level++) {
        int32_t *at = t->levels[level];
        ptrdiff_t full = tc_fan_up(n), above = full >> TC_FAN_BITS;
        for (ptrdiff_t i = n; i < full; i++) at[i] = TC_NO_WAIT;
        if (level + 1 == t->depth) return;
        for (ptrdiff_t i = 0; i < above; i++)
            t->levels[level + 1][i] = tc_least_of(at + (i << TC_FAN_BITS));
        n = above;
    }
}

/* Leaves of one group of TC_FAN have changed. */
static inline void tc_minima_update(tc_minima *t, ptrdiff_t group) {
    for (int level = 1; level < t->depth; level++) {
        int32_t least = tc_least_of(t->levels[level - 1] + (group << TC_FAN_BITS));
        if (t->levels[level][group] == least) return;
        t->levels[level][group] = least;
        group >>= TC_FAN_BITS;
    }
}

/* The first leaf below a place of some level that is `least`, which is what stands there. */
static inline ptrdiff_t tc_minima_below(const tc_minima *t, int level, ptrdiff_t at,
                                        int32_t least) {
    while (level-- > 0)
        at = (at << TC_FAN_BITS) + tc_first_of(t->levels[level] + (at << TC_FAN_BITS), least);
    return at;
}

/* The leaf that is least, the first of these; -1 where nothing waits. */
static inline ptrdiff_t tc_minima_find(const tc_minima *t, int32_t *least) {
    *least = tc_least_of(t->levels[t->depth - 1]);
    return *least == TC_NO_WAIT ? -1 : tc_minima_below(t, t->depth, 0, *least);
}

/* The first leaf that is `rank`, where none before `at` is, and none at all is less: found from
 * the place of the last one upwards, since the next one is often near. -1 for none. */
static inline ptrdiff_t tc_minima_next(const tc_minima *t, ptrdiff_t at, int32_t rank) {
    for (int level = 0; level < t->depth; level++) {
        at &= ~(ptrdiff_t)(TC_FAN - 1);
        int found = tc_first_of(t->levels[level] + at, rank);
        if (found >= 0) return tc_minima_below(t, level, at + found, rank);
        at >>= TC_FAN_BITS;
    }
    return -1;
}

static inline int tc_lowest_of_64(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    return (uint32_t)bits ? tc_lowest((uint32_t)bits) : 32 + tc_lowest((uint32_t)(bits >> 32));
#endif
}

static inline int tc_highest_of_64(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return 63 - __builtin_clzll(bits);
#else
    return bits >> 32 ? 32 + tc_highest((uint32_t)(bits >> 32)) : tc_highest((uint32_t)bits);
#endif
}

/* The next symbol after `at` that is left; -1 for none. */
static inline ptrdiff_t tc_next_left(const tc_minima *t, ptrdiff_t words, ptrdiff_t at) {
    ptrdiff_t word = at >> 6;
    uint64_t bits = t->left[word] & ~(((uint64_t)2 << (at & 63)) - 1);
    while (!bits) {
        if (++word == words) return -1;
        bits = t->left[word];
    }
    return (word << 6) + tc_lowest_of_64(bits);
}

static inline ptrdiff_t tc_previous_left(const tc_minima *t, ptrdiff_t at) {
    ptrdiff_t word = at >> 6;
    uint64_t bits = t->left[word] & (((uint64_t)1 << (at & 63)) - 1);
    while (!bits) {
        if (--word < 0) return -1;
        bits = t->left[word];
    }
    return (word << 6) + tc_highest_of_64(bits);
}

static inline int32_t tc_wait_of(const tc_pairs *pairs, uint32_t left, uint32_t right) {
    uint32_t rank = tc_pair_rank(pairs, left, right);
    return rank == TC_NO_RANK ? TC_NO_WAIT : (int32_t)rank;
}

/* What two neighbouring bytes wait for, of which there is a table: see lanes.h. */
static inline int32_t tc_bytes_wait(const uint32_t *byte_pairs, const uint8_t *at) {
    uint32_t waiting = byte_pairs[at[0] << 8 | at[1]];
    return waiting >= TC_NONE_WAITS ? TC_NO_WAIT : (int32_t)(waiting >> TC_PLACE_BITS);
}

/* Apply all merges to `n` symbols (2 or more): how many are left. For `merged` and `first` see
 * tc_merge_short; for `leaves` and `rest`, tc_minima_lay. `lengths` has what each symbol stands
 * for. Where the symbols are those of bytes, and there is a table of pairs of bytes, both are
 * given; else NULL. */
static inline ptrdiff_t tc_merge_long(const tc_pairs *pairs, const uint32_t *merged,
                                      uint32_t first, const uint32_t *byte_pairs,
                                      const uint8_t *text, uint32_t *symbols, uint32_t *lengths,
                                      int32_t *leaves, int32_t *rest, ptrdiff_t n) {
    tc_minima tree;
    ptrdiff_t words = (n + 63) >> 6, at, count = 0;
    int32_t rank;
    tc_minima_lay(&tree, n, leaves, rest);
    for (ptrdiff_t i = 0; i + 1 < n; i++)
        leaves[i] = byte_pairs ? tc_bytes_wait(byte_pairs, text + i)
                               : tc_wait_of(pairs, symbols[i], symbols[i + 1]);
    leaves[n - 1] = TC_NO_WAIT;
    tc_minima_fill(&tree, n);
    at = tc_minima_find(&tree, &rank);
    while (at >= 0) {
        ptrdiff_t next = tc_next_left(&tree, words, at), after, before;
        ptrdiff_t group = at >> TC_FAN_BITS;
        int32_t least;
        tree.left[next >> 6] ^= (uint64_t)1 << (next & 63);
        symbols[at] = merged ? merged[rank] : first + (uint32_t)rank;
        after = tc_next_left(&tree, words, next);
        before = tc_previous_left(&tree, at);
        leaves[next] = TC_NO_WAIT;
        leaves[at] = after < 0 ? TC_NO_WAIT : tc_wait_of(pairs, symbols[at], symbols[after]);
        least = leaves[at];
        if (before >= 0) {
            leaves[before] = tc_wait_of(pairs, symbols[before], symbols[at]);
            if (leaves[before] < least) least = leaves[before];
            if (before >> TC_FAN_BITS != group) tc_minima_update(&tree, before >> TC_FAN_BITS);
        }
        if (next >> TC_FAN_BITS != group) tc_minima_update(&tree, next >> TC_FAN_BITS);
        tc_minima_update(&tree, group);
        /* What has come to wait comes later, mostly. */
        at = least > rank ? tc_minima_next(&tree, at, rank) : -1;
        if (at < 0) at = tc_minima_find(&tree, &rank);
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        if (tree.left[i >> 6] >> (i & 63) & 1) {
            symbols[count] = symbols[i];
            lengths[count++] = lengths[i];
        } else {
            lengths[count - 1] += lengths[i];
        }
    }
    return count;
}

#endif
