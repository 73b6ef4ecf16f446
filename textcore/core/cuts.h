/* Exact cuts: looking a boundary between two characters up, and the pieces of a text.
 *
 * Two bytes at a boundary are looked up in a table first. It says which parts of the two
 * characters some entry has side by side, usually all of both, if any; those are looked up in a
 * Bloom filter whose two bits lie in one word. The loop over a text has no branch that depends
 * on whether a boundary is a cut: that can't be foretold. */
#ifndef TEXTCORE_CUTS_H
#define TEXTCORE_CUTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mixing.h"
#include "neighbours.h"

#if defined(__GNUC__) || defined(__clang__)
#define TC_COLD __attribute__((noinline, unused))
#else
#define TC_COLD
#endif

typedef struct {
    /* 65,536, by the two bytes at a boundary: a bit (tc_part_bit) for each pair of parts, the last
     * bytes of one character and the first of the next, that some entry has there. */
    uint16_t *parts;
    uint64_t *pairs;  /* a Bloom filter of the parts at a boundary */
    uint64_t mask;    /* of the words of `pairs` */
    /* By a byte inside a character, less 0x80: a bit (tc_lead_bit) for each first byte of characters
     * of three bytes before which some entry has it. All that `pairs` has to say of such characters
     * it says of whole ones, but for parts of them that are noted in `odd`. */
    uint8_t whole[64];
    uint8_t odd[64];
    /* By the same byte: a bit (tc_second_bit) for each second byte of what is noted in `odd`. */
    uint8_t odd_second[64];
    tc_neighbours *near; /* what vectors look up */
    /* The character that stands for a space, or a space itself. */
    uint32_t space;
    int space_size;
} tc_cuts;

/* The bit for the last `before` bytes of a character and the first `after` of the next. */
static inline uint16_t tc_part_bit(int before, int after) {
    return (uint16_t)(1 << (4 * (before - 1) + after - 1));
}

/* The bit for characters of three bytes that begin with 0xE0 and so on. What seldom stands in one
 * text shares one: kana are apart, as are most Chinese characters, Hangul, and punctuation. */
static const uint8_t tc_lead_bits[16] = {128, 128, 64,  1,   2,   4,   8,   16,
                                         32,  32,  128, 128, 128, 128, 128, 64};

static inline uint8_t tc_lead_bit(uint8_t lead) { return tc_lead_bits[lead & 15]; }

static inline uint8_t tc_second_bit(uint8_t second) { return (uint8_t)(1 << (second & 7)); }

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

/* Make the tables that are made of the others, in memory for them. */
static inline void tc_settle(tc_cuts *cuts, void *memory) {
    cuts->near = (tc_neighbours *)tc_next_line(memory);
    tc_neighbours_init(cuts->near, cuts->parts);
    memcpy(cuts->near->whole, cuts->whole, sizeof(cuts->whole));
    memcpy(cuts->near->odd, cuts->odd, sizeof(cuts->odd));
    memcpy(cuts->near->odd_second, cuts->odd_second, sizeof(cuts->odd_second));
}

/* One that vectors have, too: the lower half of a product, its upper bits folded in. */
static inline uint64_t tc_pair_hash(uint32_t left, uint32_t right) {
    uint64_t hash = ((uint64_t)left << 32 | right) * TC_K1;
    return hash ^ hash >> 32;
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

/* Whether an entry may reach over the boundary at `at`, with any of some parts. Rarely called, and
 * kept out of the loop that calls it, which needs the registers. */
TC_COLD static int tc_any_joins(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n, ptrdiff_t at,
                               uint32_t parts) {
    int space = cuts->space_size;
    for (int i = 0; i < 16; i++) {
        int before = (i >> 2) + 1, after = (i & 3) + 1;
        uint32_t left, right;
        if (!(parts >> i & 1)) continue;
        if (before > (text[at - 1] == 0x20 ? space : at)) continue;
        if (after > (text[at] == 0x20 ? space : n - at)) continue;
        left = text[at - 1] == 0x20 ? cuts->space >> (8 * (space - before))
                                    : tc_bytes(text + at - before, before);
        right = text[at] == 0x20 ? cuts->space & 0xFFFFFFFFu >> (32 - 8 * after)
                                 : tc_bytes(text + at, after);
        if (tc_joins(cuts, left, right)) return 1;
    }
    return 0;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (defined(__GNUC__) || defined(__clang__))
#define TC_LOADS 1
#define TC_LOWEST(bits) __builtin_ctz(bits)
#else
#define TC_LOADS 0
#define TC_LOWEST(bits) 0
#endif

/* The same of the parts for one bit, of four bytes that end and four that begin there. */
static inline int tc_part_joins(const tc_cuts *cuts, uint32_t left, uint32_t right, int bit) {
    return tc_joins(cuts, left >> (24 - 2 * (bit & 12)), right & 0xFFFFFFFFu >> (24 - 8 * (bit & 3)));
}

/* Whether an entry may reach over the boundary at `at` of a valid text. */
static inline int tc_joins_at(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                              ptrdiff_t at) {
    uint32_t parts = cuts->parts[(uint32_t)text[at - 1] << 8 | text[at]], left, right;
    /* It is known of nearly all characters of ASCII. */
    if ((uint16_t)(parts + 1) <= 1) return parts != 0;
    if (TC_UNLIKELY(!TC_LOADS || at < 4 ||
                    (cuts->space != 0x20 && (text[at - 1] == 0x20 || text[at] == 0x20))))
        return tc_any_joins(cuts, text, n, at, parts);
    /* Nothing is read from the end of the text on. */
    ptrdiff_t over = n - at < 4 ? at + 4 - n : 0;
    memcpy(&left, text + at - 4, 4);
    memcpy(&right, text + at - over, 4);
    right >>= 8 * over;
    /* One pair of parts, but rarely. */
    int joins = tc_part_joins(cuts, left, right, TC_LOWEST(parts));
    while (TC_UNLIKELY(parts &= parts - 1))
        joins |= tc_part_joins(cuts, left, right, TC_LOWEST(parts));
    return joins;
}

/* The same of a boundary between characters of three bytes, which are looked up in small tables. */
static inline int tc_threes_join_at(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                    ptrdiff_t at) {
    const uint8_t last = text[at - 1] & 63, bit = tc_lead_bit(text[at]);
    uint32_t left, right;
    if (TC_UNLIKELY(!TC_LOADS || (cuts->odd[last] & bit &&
                                  cuts->odd_second[last] & tc_second_bit(text[at + 1]))))
        return tc_joins_at(cuts, text, n, at);
    if (!(cuts->whole[last] & bit)) return 0;
    memcpy(&left, text + at - 3, 4);
    memcpy(&right, text + at - 1, 4);
    return tc_joins(cuts, left & 0xFFFFFF, right >> 8);
}

/* The cuts of a valid text after `pos` (where a character starts), and its end: up to `room`
 * of them (1 or more), and how many. */
static inline ptrdiff_t tc_pieces(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                  ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    ptrdiff_t count = 0, at;
    if (pos >= n) return 0;
    for (at = pos + tc_character_size(text[pos]); at < n;) {
        const int size = tc_character_size(text[at]);
        ends[count] = at;
        if (size == 3 && at - pos == 3) count += !tc_threes_join_at(cuts, text, n, at);
        else count += !tc_joins_at(cuts, text, n, at);
        if (count == room) return count;
        pos = at;
        at += size;
    }
    ends[count] = n;
    return count + 1;
}

typedef ptrdiff_t (*tc_find_pieces)(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                    ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room);

static ptrdiff_t tc_pieces_plain(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                 ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    return tc_pieces(cuts, text, n, pos, ends, room);
}

#endif
