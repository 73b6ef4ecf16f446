/* The pair table of a BPE model: (left symbol, right symbol) -> rank.
 *
 * A pair has two buckets where it may be (cuckoo hashing), each of two entries, so a look-up
 * reads four entries and has no branch to foretell: most pairs that are asked for are not
 * there. Where a pair and its rank fit into 63 bits, an entry is one number, and what is left
 * of it without the pair is the rank; else keys and ranks stand apart. */
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
    uint64_t *entries; /* left, right and, if narrow, rank; two to a bucket */
    uint32_t *ranks;   /* NULL if narrow */
    uint64_t factor;   /* what keys are multiplied by */
    uint64_t mask;     /* of the buckets */
    int bits;          /* of a bucket's number */
    int symbol_bits;
    int rank_bits; /* 0 if not narrow */
} tc_pairs;

enum {
    TC_KICKS = 256,   /* entries that one may move on before the table is made anew */
    TC_REBUILDS = 12, /* tries, the table twice as large after every fourth */
};

static inline int tc_bits_for(uint64_t count) {
    int bits = 1;
    while (bits < 63 && ((uint64_t)1 << bits) < count) bits++;
    return bits;
}

static inline void tc_pairs_free(tc_pairs *p) {
    free(p->entries);
    free(p->ranks);
    memset(p, 0, sizeof(*p));
}

/* What follows from a table's size (a power of two of buckets) and from how many symbols and
 * ranks there are; no memory yet. */
static inline void tc_pairs_fit(tc_pairs *p, uint64_t buckets, uint64_t factor, uint64_t symbols,
                                uint64_t ranks) {
    memset(p, 0, sizeof(*p));
    p->symbol_bits = tc_bits_for(symbols + 1);
    p->rank_bits = tc_bits_for(ranks + 1);
    if (2 * p->symbol_bits + p->rank_bits > 63) {
        p->symbol_bits = 32;
        p->rank_bits = 0;
    }
    p->factor = factor;
    p->mask = buckets - 1;
    p->bits = tc_bits_for(buckets);
}

static inline uint64_t tc_pairs_slots(const tc_pairs *p) { return 2 * (p->mask + 1); }

/* Memory without an entry; 0 where there is none. */
static inline int tc_pairs_clear(tc_pairs *p) {
    size_t slots = (size_t)tc_pairs_slots(p);
    p->entries = (uint64_t *)tc_room(sizeof(uint64_t) * slots);
    if (!p->rank_bits) p->ranks = (uint32_t *)malloc(sizeof(uint32_t) * slots);
    if (!p->entries || (!p->rank_bits && !p->ranks)) return 0;
    memset(p->entries, 0xFF, sizeof(uint64_t) * slots);
    return 1;
}

/* An empty table for so many pairs, at most four fifths full; 0 where there is no memory. */
static inline int tc_pairs_init(tc_pairs *p, uint64_t pairs, uint64_t symbols,
                                uint64_t ranks) {
    int bits = tc_bits_for((pairs + pairs / 4 + 16 + 1) / 2);
    tc_pairs_fit(p, (uint64_t)1 << bits, TC_K0, symbols, ranks);
    return tc_pairs_clear(p);
}

static inline uint64_t tc_pair_key(const tc_pairs *p, uint32_t left, uint32_t right) {
    return (uint64_t)left << p->symbol_bits | right;
}

/* The first entries of a key's two buckets. */
static inline void tc_pair_places(const tc_pairs *p, uint64_t key, uint64_t *one,
                                  uint64_t *other) {
    uint64_t hash = key * p->factor;
    *one = 2 * (hash >> (64 - p->bits));
    *other = 2 * (hash >> (64 - 2 * p->bits) & p->mask);
}

/* The rank of a pair in a narrow table, or a number with more than `rank_bits` bits. */
static inline uint64_t tc_narrow_rank(const tc_pairs *p, uint32_t left, uint32_t right) {
    uint64_t key = tc_pair_key(p, left, right), one, other, a, b, c, d;
    tc_pair_places(p, key, &one, &other);
    key <<= p->rank_bits;
    a = p->entries[one] ^ key;
    b = p->entries[one + 1] ^ key;
    c = p->entries[other] ^ key;
    d = p->entries[other + 1] ^ key;
    a = a < b ? a : b;
    c = c < d ? c : d;
    return a < c ? a : c;
}

static inline uint32_t tc_wide_rank(const tc_pairs *p, uint32_t left, uint32_t right) {
    uint64_t key = tc_pair_key(p, left, right), at[2];
    tc_pair_places(p, key, at, at + 1);
    for (int i = 0; i < 4; i++)
        if (p->entries[at[i >> 1] + (i & 1)] == key) return p->ranks[at[i >> 1] + (i & 1)];
    return TC_NO_RANK;
}

static inline uint32_t tc_pair_rank(const tc_pairs *p, uint32_t left, uint32_t right) {
    uint64_t rank;
    if (TC_UNLIKELY(!p->rank_bits)) return tc_wide_rank(p, left, right);
    rank = tc_narrow_rank(p, left, right);
    return rank >> p->rank_bits ? TC_NO_RANK : (uint32_t)rank;
}

static inline uint64_t tc_entry_key(const tc_pairs *p, uint64_t entry) {
    return entry >> p->rank_bits;
}

static inline void tc_swap_entry(tc_pairs *p, uint64_t at, uint64_t *entry, uint32_t *rank) {
    uint64_t had = p->entries[at];
    p->entries[at] = *entry;
    *entry = had;
    if (!p->rank_bits) {
        uint32_t had_rank = p->ranks[at];
        p->ranks[at] = *rank;
        *rank = had_rank;
    }
}

/* Put an entry into one of its places, moving others to their other place: 0 where that came
 * to no end, with the entry that is left over in `entry` and `rank`. */
static inline int tc_pair_settle(tc_pairs *p, uint64_t *entry, uint32_t *rank) {
    uint64_t at[2], from = TC_NO_ENTRY;
    for (int kick = 0; kick < TC_KICKS; kick++) {
        uint64_t place;
        tc_pair_places(p, tc_entry_key(p, *entry), at, at + 1);
        for (int i = 0; i < 4; i++) {
            place = at[i >> 1] + (i & 1);
            if (p->entries[place] != TC_NO_ENTRY) continue;
            tc_swap_entry(p, place, entry, rank);
            return 1;
        }
        /* Not back to where it has been driven from. */
        place = (at[0] == from ? at[1] : at[0]);
        from = place;
        tc_swap_entry(p, place + (kick >> 1 & 1), entry, rank);
    }
    return 0;
}

/* A table with another factor, and larger after some tries, for what did not fit: 0 where
 * there is no memory, or none of them does it. */
static inline int tc_pairs_rebuild(tc_pairs *p, uint64_t entry, uint32_t rank) {
    tc_pairs made = *p;
    for (int i = 1; i <= TC_REBUILDS; i++) {
        uint64_t slots = tc_pairs_slots(p), at = 0;
        uint64_t one = entry;
        uint32_t its = rank;
        made.factor = made.factor * TC_K1 + TC_K3 + 1;
        made.factor |= 1;
        if (i % 4 == 0) {
            made.mask = 2 * made.mask + 1;
            made.bits++;
        }
        made.entries = NULL;
        made.ranks = NULL;
        if (!tc_pairs_clear(&made)) break;
        while (tc_pair_settle(&made, &one, &its)) {
            while (at < slots && p->entries[at] == TC_NO_ENTRY) at++;
            if (at == slots) {
                free(p->entries);
                free(p->ranks);
                *p = made;
                return 1;
            }
            its = p->rank_bits ? 0 : p->ranks[at];
            one = p->entries[at++];
        }
        free(made.entries);
        free(made.ranks);
        made.entries = NULL;
        made.ranks = NULL;
    }
    free(made.entries);
    free(made.ranks);
    return 0;
}

/* Enter a pair, or change its rank; 0 where there is no memory. */
static inline int tc_pair_put(tc_pairs *p, uint32_t left, uint32_t right, uint32_t rank) {
    uint64_t key = tc_pair_key(p, left, right), at[2];
    uint64_t entry = p->rank_bits ? key << p->rank_bits | rank : key;
    tc_pair_places(p, key, at, at + 1);
    for (int i = 0; i < 4; i++) {
        uint64_t place = at[i >> 1] + (i & 1);
        if (p->entries[place] == TC_NO_ENTRY || tc_entry_key(p, p->entries[place]) != key)
            continue;
        p->entries[place] = entry;
        if (!p->rank_bits) p->ranks[place] = rank;
        return 1;
    }
    return tc_pair_settle(p, &entry, &rank) || tc_pairs_rebuild(p, entry, rank);
}

/* The pair in one place of the table; 0 where there is none. */
static inline int tc_pair_at(const tc_pairs *p, uint64_t at, uint32_t *left, uint32_t *right,
                             uint32_t *rank) {
    uint64_t entry = p->entries[at], key = tc_entry_key(p, entry);
    if (entry == TC_NO_ENTRY) return 0;
    *left = (uint32_t)(key >> p->symbol_bits);
    *right = (uint32_t)(key & (((uint64_t)1 << p->symbol_bits) - 1));
    *rank = p->rank_bits ? (uint32_t)(entry & (((uint64_t)1 << p->rank_bits) - 1))
                         : p->ranks[at];
    return 1;
}

#endif
