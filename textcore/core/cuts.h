/* Exact cuts: looking a boundary between two characters up, and the pieces of a text.
 *
 * Two bytes at a boundary are looked up in a table first. Where the characters decide, their
 * pair is looked up in a Bloom filter whose two bits lie in one word. The loop over a text
 * has no branch that depends on whether a boundary is a cut: that can't be foretold. */
#ifndef TEXTCORE_CUTS_H
#define TEXTCORE_CUTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mixing.h"

/* What two bytes at a boundary between characters say about it. */
enum {
    TC_CUT = 0,    /* no entry has them there */
    TC_ASK = 1,    /* some entry has them: the characters decide */
    TC_JOINED = 2, /* no cut, whatever the characters are */
    TC_PART = 3    /* some entry has them with a part of a character: all its parts are asked */
};

typedef struct {
    uint8_t *classes; /* 65,536, by the two bytes at a boundary */
    uint64_t *pairs;  /* a Bloom filter of the characters at a boundary */
    uint64_t mask;    /* of the words of `pairs` */
    /* The character that stands for a space, or a space itself. */
    uint32_t space;
    int space_size;
} tc_cuts;

/* A character, or a part of one: its bytes, the first the lowest. */
typedef struct {
    uint32_t bytes;
    int size;
} tc_part;

/* Bytes of the character that starts with `lead`; 0 for a byte inside one. */
static inline int tc_character_size(uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC0) return 0;
    if (lead < 0xE0) return 2;
    return lead < 0xF0 ? 3 : 4;
}

static inline uint32_t tc_bytes(const uint8_t *at, int size) {
    uint32_t bytes = 0;
    for (int i = 0; i < size; i++) bytes |= (uint32_t)at[i] << (8 * i);
    return bytes;
}

/* The character at `at`, with `readable` bytes from there on. */
static inline tc_part tc_character(const tc_cuts *cuts, const uint8_t *at, ptrdiff_t readable) {
    tc_part part;
    if (*at == 0x20) {
        part.bytes = cuts->space;
        part.size = cuts->space_size;
        return part;
    }
    part.size = tc_character_size(*at);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (readable >= 4) {
        memcpy(&part.bytes, at, 4);
        part.bytes &= 0xFFFFFFFFu >> (32 - 8 * part.size);
        return part;
    }
#endif
    (void)readable;
    part.bytes = tc_bytes(at, part.size);
    return part;
}

static inline uint64_t tc_pair_hash(uint32_t left, uint32_t right) {
    return tc_mix((uint64_t)left << 32 ^ right ^ TC_K0, TC_K1);
}

static inline uint64_t tc_pair_bits(uint64_t hash) {
    return 1ull << (hash & 63) | 1ull << (hash >> 6 & 63);
}

static inline int tc_joins(const tc_cuts *cuts, uint32_t left, uint32_t right) {
    uint64_t hash = tc_pair_hash(left, right), bits = tc_pair_bits(hash);
    return (cuts->pairs[hash >> 12 & cuts->mask] & bits) == bits;
}

static inline void tc_join(tc_cuts *cuts, uint32_t left, uint32_t right) {
    uint64_t hash = tc_pair_hash(left, right);
    cuts->pairs[hash >> 12 & cuts->mask] |= tc_pair_bits(hash);
}

/* Whether an entry may reach over a boundary, with any part of the characters. */
static inline int tc_parts_join(const tc_cuts *cuts, tc_part left, tc_part right) {
    for (int before = 1; before <= left.size; before++) {
        uint32_t end = left.bytes >> (8 * (left.size - before));
        for (int after = 1; after <= right.size; after++)
            if (tc_joins(cuts, end, right.bytes & 0xFFFFFFFFu >> (32 - 8 * after))) return 1;
    }
    return 0;
}

/* The cuts of a valid text after `pos` (where a character starts), and its end: up to `room`
 * of them (1 or more), and how many. */
static inline ptrdiff_t tc_pieces(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n, ptrdiff_t pos,
                           ptrdiff_t *ends, ptrdiff_t room) {
    ptrdiff_t count = 0, at;
    tc_part left, right;
    if (pos >= n) return 0;
    left = tc_character(cuts, text + pos, n - pos);
    for (at = pos + tc_character_size(text[pos]); at < n; at += tc_character_size(text[at])) {
        uint8_t says = cuts->classes[(uint32_t)text[at - 1] << 8 | text[at]];
        right = tc_character(cuts, text + at, n - at);
        ends[count] = at;
        if (says == TC_ASK || says == TC_PART) {
            count += says == TC_ASK ? !tc_joins(cuts, left.bytes, right.bytes)
                                    : !tc_parts_join(cuts, left, right);
        } else {
            count += says == TC_CUT;
        }
        if (count == room) return count;
        left = right;
    }
    ends[count] = n;
    return count + 1;
}

#endif
