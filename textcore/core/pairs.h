/* The pair table of a BPE model: (left symbol, right symbol) -> rank.
 *
 * Open addressing, at most two thirds full. Where a pair and its rank fit into 63 bits, an entry is
 * one number, so that a look-up touches one cache line; else keys and ranks stand apart. A
 * small bit set before the table, which stays in the cache, answers for most pairs that are
 * not in it. */
#ifndef TEXTCORE_PAIRS_H
#define TEXTCORE_PAIRS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mixing.h"
#include "pages.h"

#define TC_NO_RANK 0xFFFFFFFFu
#define TC_NO_ENTRY (~(uint64_t)0)

typedef struct {
    uint64_t *entries; /* left, right and, if narrow, rank */
    uint32_t *ranks;   /* NULL if narrow */
    uint64_t *filter;
    uint64_t mask;
    uint64_t filter_mask;
    int shift;
    int symbol_bits;
    int rank_bits; /* 0 if not narrow */
} tc_pairs;

static inline int tc_bits_for(uint64_t count) {
    int bits = 1;
    while (bits < 63 && ((uint64_t)1 << bits) < count) bits++;
    return bits;
}

static inline void tc_pairs_free(tc_pairs *p) {
    free(p->entries);
    free(p->ranks);
    free(p->filter);
    memset(p, 0, sizeof(*p));
}

/* What follows from a table's size (powers of two) and from how many symbols and ranks there
 * are; no memory yet. */
static inline void tc_pairs_fit(tc_pairs *p, uint64_t slots, uint64_t filter_words,
                                uint64_t symbols, uint64_t ranks) {
    memset(p, 0, sizeof(*p));
    p->symbol_bits = tc_bits_for(symbols + 1);
    p->rank_bits = tc_bits_for(ranks + 1);
    if (2 * p->symbol_bits + p->rank_bits > 63) {
        p->symbol_bits = 32;
        p->rank_bits = 0;
    }
    p->mask = slots - 1;
    p->shift = 64;
    for (; slots > 1; slots >>= 1) p->shift--;
    p->filter_mask = filter_words * 64 - 1;
}

/* An empty table for so many pairs; 0 where there is no memory. */
static inline int tc_pairs_init(tc_pairs *p, uint64_t pairs, uint64_t symbols,
                                uint64_t ranks) {
    int bits = tc_bits_for(pairs + pairs / 2 + 16), filter_bits = tc_bits_for(12 * pairs + 64);
    if (filter_bits < 6) filter_bits = 6;
    tc_pairs_fit(p, (uint64_t)1 << bits, ((uint64_t)1 << filter_bits) / 64, symbols, ranks);
    if (!p->rank_bits) {
        p->ranks = (uint32_t *)malloc(sizeof(uint32_t) << bits);
        if (!p->ranks) return 0;
    }
    p->entries = (uint64_t *)tc_room(sizeof(uint64_t) << bits);
    p->filter = (uint64_t *)calloc(((size_t)1 << filter_bits) / 64 + 1, 8);
    if (!p->entries || !p->filter) return 0;
    memset(p->entries, 0xFF, sizeof(uint64_t) << bits);
    return 1;
}

static inline uint64_t tc_pair_key(const tc_pairs *p, uint32_t left, uint32_t right) {
    return (uint64_t)left << p->symbol_bits | right;
}

/* Two symbols from a hashed key: the place in the table from its upper bits, that in the
 * filter from its middle. */
static inline uint32_t tc_pair_rank(const tc_pairs *p, uint32_t left, uint32_t right) {
    uint64_t key = tc_pair_key(p, left, right), entry, at, bit;
    uint64_t hash = key * TC_K0;
    bit = (hash >> 20) & p->filter_mask;
    if (!(p->filter[bit >> 6] >> (bit & 63) & 1)) return TC_NO_RANK;
    at = hash >> p->shift;
    for (;;) {
        entry = p->entries[at];
        if (entry == TC_NO_ENTRY) return TC_NO_RANK;
        if (entry >> p->rank_bits == key)
            return p->rank_bits ? (uint32_t)(entry & (((uint64_t)1 << p->rank_bits) - 1))
                                : p->ranks[at];
        at = (at + 1) & p->mask;
    }
}

/* Enter a pair, or change its rank. */
static inline void tc_pair_put(tc_pairs *p, uint32_t left, uint32_t right, uint32_t rank) {
    uint64_t key = tc_pair_key(p, left, right);
    uint64_t hash = key * TC_K0, at = hash >> p->shift, bit = (hash >> 20) & p->filter_mask;
    p->filter[bit >> 6] |= (uint64_t)1 << (bit & 63);
    while (p->entries[at] != TC_NO_ENTRY && p->entries[at] >> p->rank_bits != key)
        at = (at + 1) & p->mask;
    p->entries[at] = p->rank_bits ? key << p->rank_bits | rank : key;
    if (!p->rank_bits) p->ranks[at] = rank;
}

/* The pair in one place of the table; 0 where there is none. */
static inline int tc_pair_at(const tc_pairs *p, uint64_t at, uint32_t *left, uint32_t *right,
                             uint32_t *rank) {
    uint64_t entry = p->entries[at], key = entry >> p->rank_bits;
    if (entry == TC_NO_ENTRY) return 0;
    *left = (uint32_t)(key >> p->symbol_bits);
    *right = (uint32_t)(key & (((uint64_t)1 << p->symbol_bits) - 1));
    *rank = p->rank_bits ? (uint32_t)(entry & (((uint64_t)1 << p->rank_bits) - 1))
                         : p->ranks[at];
    return 1;
}

#endif
