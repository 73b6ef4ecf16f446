/* What two bytes at a boundary between characters say by themselves, in tables that vectors look
 * 64 boundaries up in.
 *
 * Two ASCII characters stand side by side in some entry or they don't: a matrix of bits, 128 by 128.
 * First characters with equal rows are one class, and eight classes share a table. For other bytes
 * it is enough to pass over most of what no entry has: the second ones come in eight kinds, and each
 * first one has a bit for each kind of which it may be joined to some. */
#ifndef TEXTCORE_NEIGHBOURS_H
#define TEXTCORE_NEIGHBOURS_H

#include <stdint.h>
#include <string.h>

#include "mixing.h"

/* No cut, whatever the characters are. */
#define TC_JOINED 0xFFFF

/* All that vectors read at once begins a cache line, as this does. */
typedef struct {
    uint8_t rows[16][128]; /* by the second character: a bit for each of eight classes of first ones */
    uint8_t classes[128];  /* of first characters, by eights */
    uint8_t inside[64];    /* by a byte inside a character, less 0x80: kinds of ASCII after it */
    uint8_t inside_lead[64]; /* kinds of first bytes after it */
    uint8_t ascii_lead[128]; /* by an ASCII character: kinds of first bytes after it */
    uint8_t whole[64], odd[64], odd_second[64]; /* those of cuts.h */
    int groups;            /* how many of `rows` there are */
    int asks;              /* an ASCII character beside which others may have more to ask, or -1 */
} tc_neighbours;

enum { TC_NEIGHBOURS_ROOM = sizeof(tc_neighbours) + 63 };

/* Kinds of ASCII characters: small letters, capitals, digits, a space, controls, brackets and
 * quotes, what ends words, and others. */
static const uint8_t tc_ascii_kinds[128] TC_ALIGNED = {
    16,  16, 16,  16,  16, 16,  16, 16, 16,  16, 16, 16, 16, 16,  16,  16,
    16,  16, 16,  16,  16, 16,  16, 16, 16,  16, 16, 16, 16, 16,  16,  16,
    8,   64, 32,  128, 128, 128, 128, 32, 32, 32, 128, 128, 64, 64, 64, 128,
    4,   4,  4,   4,   4,  4,   4,  4,  4,   4,  64, 64, 32, 128, 32,  64,
    128, 2,  2,   2,   2,  2,   2,  2,  2,   2,  2,  2,  2,  2,   2,   2,
    2,   2,  2,   2,   2,  2,   2,  2,  2,   2,  2,  32, 128, 32, 128, 128,
    32,  1,  1,   1,   1,  1,   1,  1,  1,   1,  1,  1,  1,  1,   1,   1,
    1,   1,  1,   1,   1,  1,   1,  1,  1,   1,  1,  32, 128, 32, 128, 16,
};

/* Kinds of first bytes from 0xC0 on: scripts that seldom stand side by side share one. */
static const uint8_t tc_lead_kinds[64] TC_ALIGNED = {
    1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2, 2, 128, 128, 128, 128,
    4,  4,  4,  4,  8,  8,  8,  8,  8,  8,  8, 8, 8, 8, 8, 8,
    8,  8,  16, 32, 64, 64, 64, 64, 64, 64, 8, 8, 8, 8, 8, 128,
    8,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8, 8, 8, 8, 8, 8,
};

/* Sort first ASCII characters into classes. */
static inline void tc_sort_rows(tc_neighbours *t, const uint16_t *parts) {
    uint64_t rows[128][2];
    int classes = 0;
    for (int first = 0; first < 128; first++) {
        uint64_t row[2] = {0, 0};
        for (int next = 0; next < 128; next++) {
            uint16_t part = parts[first << 8 | next];
            row[next >> 6] |= (uint64_t)(part == TC_JOINED) << (next & 63);
            /* Only of a space that is read as another character there may be more to ask. */
            if (part && part != TC_JOINED) t->asks = 0x20;
        }
        int same = 0;
        while (same < classes && (rows[same][0] != row[0] || rows[same][1] != row[1])) same++;
        t->classes[first] = (uint8_t)same;
        if (same < classes) continue;
        memcpy(rows[classes++], row, sizeof(row));
        for (int next = 0; next < 128; next++)
            t->rows[same >> 3][next] |= (uint8_t)((row[next >> 6] >> (next & 63) & 1) << (same & 7));
    }
    t->groups = (classes + 7) >> 3;
}

/* Make the tables of one of 65,536 entries, by both bytes, which has 0 where a cut is sure. */
static inline void tc_neighbours_init(tc_neighbours *t, const uint16_t *parts) {
    memset(t, 0, sizeof(*t));
    t->asks = -1;
    tc_sort_rows(t, parts);
    for (int first = 0; first < 64; first++) {
        const uint16_t *row = parts + ((0x80 + first) << 8);
        for (int next = 0; next < 128; next++)
            if (row[next]) t->inside[first] |= tc_ascii_kinds[next];
        for (int next = 0; next < 64; next++)
            if (row[0xC0 + next]) t->inside_lead[first] |= tc_lead_kinds[next];
    }
    for (int first = 0; first < 128; first++)
        for (int next = 0; next < 64; next++)
            if (parts[first << 8 | (0xC0 + next)]) t->ascii_lead[first] |= tc_lead_kinds[next];
}

#endif
