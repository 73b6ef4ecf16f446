/* Characters that a byte-level model makes whole before anything else can happen to them.
 *
 * A word may begin with their symbols instead of their bytes', which saves the merges inside
 * of them. It comes to the same if every merge that a character takes part in has a higher
 * rank than all merges that make it, and so has every merge that joins a part of it to what
 * stands beside it: as long as it is not whole, one of its own merges is the next, or a lower
 * one elsewhere. What stands beside it is looked at in each word, since few neighbours have
 * such merges. */
#ifndef TEXTCORE_CHARACTERS_H
#define TEXTCORE_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

/* Characters of two and three bytes have code points below this. */
#define TC_CHARACTERS 65536

/* A character as a symbol (TC_NO_RANK: it is none), and the highest rank that makes it. */
typedef struct {
    uint32_t symbol, rank;
} tc_whole;

typedef struct {
    tc_whole *whole; /* by code point */
    /* By two bytes: the lowest rank that joins a part of a character to its neighbour, where
     * these stand to the left and the right of the boundary. */
    uint32_t *across;
} tc_characters;

/* Bytes of the character that begins with `lead`; 0 for a byte inside of one, and for a byte
 * that begins none. */
static inline int tc_width_of(uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

/* The code point of two or three bytes. */
static inline uint32_t tc_point_of(const uint8_t *s, int width) {
    return width == 2 ? (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu)
                      : (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
}

/* Whether `width` bytes, two or three, of which the first says so, are a character. */
static inline int tc_is_character(const uint8_t *s, int width) {
    if ((s[1] & 0xC0) != 0x80) return 0;
    return width == 2 || ((s[2] & 0xC0) == 0x80 && tc_point_of(s, 3) >= 0x800);
}

/* The symbol of the character that begins at `at`, if the word may begin with it as a whole;
 * else TC_NO_RANK. */
static inline uint32_t tc_whole_symbol(const tc_characters *c, const uint8_t *text, ptrdiff_t n,
                                       ptrdiff_t at, int width) {
    const uint8_t *s = text + at;
    ptrdiff_t end = at + width;
    if ((width != 2 && width != 3) || end > n || !tc_is_character(s, width)) return TC_NO_RANK;
    tc_whole whole = c->whole[tc_point_of(s, width)];
    if (at && whole.rank >= c->across[s[-1] << 8 | s[0]]) return TC_NO_RANK;
    if (end < n && whole.rank >= c->across[text[end - 1] << 8 | text[end]]) return TC_NO_RANK;
    return whole.symbol;
}

/* The first symbols of a word and how many bytes each stands for: how many. A byte without a
 * symbol is left out. */
static inline ptrdiff_t tc_first_symbols(const tc_characters *c, const uint32_t *byte_symbols,
                                         const uint8_t *text, ptrdiff_t n, uint32_t *symbols,
                                         uint32_t *lengths) {
    ptrdiff_t at = 0, count = 0;
    while (at < n) {
        int width = tc_width_of(text[at]);
        uint32_t symbol = tc_whole_symbol(c, text, n, at, width);
        if (symbol == TC_NO_RANK) {
            symbol = byte_symbols[text[at]];
            width = 1;
        }
        symbols[count] = symbol;
        lengths[count] = (uint32_t)width;
        count += symbol != TC_NO_RANK;
        at += width;
    }
    return count;
}

static inline void tc_characters_free(tc_characters *c) {
    free(c->whole);
    free(c->across);
    memset(c, 0, sizeof(*c));
}

/* What is found out about the tokens of a vocabulary, to make the tables of. */
typedef struct {
    tc_characters made;
    uint32_t *ends; /* by symbol: its first byte, its last byte, and what it is of a character */
    uint32_t *used; /* by symbol: the lowest rank that it takes part in */
} tc_parts;

enum {
    TC_PART_START = 1 << 16, /* the first bytes of a character, but not all */
    TC_PART_END = 1 << 17,   /* bytes inside of a character only */
};

static inline void tc_parts_free(tc_parts *p) {
    tc_characters_free(&p->made);
    free(p->ends);
    free(p->used);
    memset(p, 0, sizeof(*p));
}

static inline int tc_parts_init(tc_parts *p, size_t symbols) {
    p->made.whole = (tc_whole *)malloc(TC_CHARACTERS * sizeof(tc_whole));
    p->made.across = (uint32_t *)malloc(65536 * sizeof(uint32_t));
    p->ends = (uint32_t *)calloc(symbols + 1, sizeof(uint32_t));
    p->used = (uint32_t *)malloc((symbols + 1) * sizeof(uint32_t));
    if (!p->made.whole || !p->made.across || !p->ends || !p->used) {
        tc_parts_free(p);
        return 0;
    }
    memset(p->made.whole, 0xFF, TC_CHARACTERS * sizeof(tc_whole));
    memset(p->made.across, 0xFF, 65536 * sizeof(uint32_t));
    memset(p->used, 0xFF, (symbols + 1) * sizeof(uint32_t));
    return 1;
}

/* Note what a symbol stands for. */
static inline void tc_parts_note(tc_parts *p, uint32_t symbol, const uint8_t *s, size_t n) {
    size_t inside = 0;
    if (n == 0) return;
    int width = tc_width_of(s[0]);
    while (inside < n && (s[inside] & 0xC0) == 0x80) inside++;
    p->ends[symbol] = (uint32_t)(s[0] << 8 | s[n - 1]);
    if (inside == n) p->ends[symbol] |= TC_PART_END;
    if (width > 1 && n < (size_t)width) p->ends[symbol] |= TC_PART_START;
    if ((width == 2 || width == 3) && n == (size_t)width && tc_is_character(s, width))
        p->made.whole[tc_point_of(s, width)].symbol = symbol;
}

static inline void tc_lower(uint32_t *least, uint32_t rank) {
    if (rank < *least) *least = rank;
}

static inline int tc_bytes_of_point(uint32_t point, uint8_t *s) {
    if (point < 0x800) {
        s[0] = (uint8_t)(0xC0 | point >> 6);
        s[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    s[0] = (uint8_t)(0xE0 | point >> 12);
    s[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    s[2] = (uint8_t)(0x80 | (point & 0x3F));
    return 3;
}

/* The highest rank of the merges that make a character of its bytes, or TC_NO_RANK where that
 * is not what they make. */
static inline uint32_t tc_rank_of_character(const tc_pairs *pairs, const uint32_t *merged,
                                            const uint32_t *byte_symbols, uint32_t point,
                                            uint32_t symbol) {
    uint8_t s[3];
    uint32_t symbols[3], highest = 0;
    int n = tc_bytes_of_point(point, s);
    for (int i = 0; i < n; i++)
        if ((symbols[i] = byte_symbols[s[i]]) == TC_NO_RANK) return TC_NO_RANK;
    for (; n > 1; n--) {
        uint32_t first = tc_pair_rank(pairs, symbols[0], symbols[1]);
        uint32_t second = n == 3 ? tc_pair_rank(pairs, symbols[1], symbols[2]) : TC_NO_RANK;
        int at = second < first;
        uint32_t rank = at ? second : first;
        if (rank == TC_NO_RANK) return TC_NO_RANK;
        if (rank > highest) highest = rank;
        symbols[at] = merged[rank];
        if (!at) symbols[1] = symbols[2];
    }
    return symbols[0] == symbol ? highest : TC_NO_RANK;
}

/* Make the tables, of the tokens noted: how many characters may be taken as a whole. */
static inline ptrdiff_t tc_parts_settle(tc_parts *p, const tc_pairs *pairs,
                                        const uint32_t *merged, const uint32_t *byte_symbols) {
    uint32_t left, right, rank;
    ptrdiff_t count = 0;
    for (uint64_t at = 0; at < tc_pairs_slots(pairs); at++) {
        if (!tc_pair_at(pairs, at, &left, &right, &rank)) continue;
        tc_lower(p->used + left, rank);
        tc_lower(p->used + right, rank);
        uint32_t before = p->ends[left], after = p->ends[right];
        /* Bytes of one character have no boundary between them. */
        if ((after >> 8 & 0xC0) == 0x80) continue;
        if (before & TC_PART_END || after & TC_PART_START)
            tc_lower(p->made.across + ((before & 0xFF) << 8 | (after >> 8 & 0xFF)), rank);
    }
    for (uint32_t point = 0x80; point < TC_CHARACTERS; point++) {
        tc_whole *whole = p->made.whole + point;
        if (whole->symbol == TC_NO_RANK) continue;
        whole->rank = tc_rank_of_character(pairs, merged, byte_symbols, point, whole->symbol);
        if (whole->rank < p->used[whole->symbol]) count++;
        else whole->symbol = TC_NO_RANK;
    }
    return count;
}

#endif
