/* The first place in a text where one of a few bytes stands: where an added token may begin. */
#ifndef TEXTCORE_FIRSTS_H
#define TEXTCORE_FIRSTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>


/* So many different bytes are compared with at once; more of them are looked up one by one. */
#define TC_FEW_FIRSTS 4

typedef struct {
    int few;
    uint8_t bytes[TC_FEW_FIRSTS];  /* the last one repeated */
    uint8_t is_first[256];
} tc_firsts;

static inline void tc_set_firsts(tc_firsts *firsts, const uint32_t *is_first) {
    int count = 0;
    memset(firsts, 0, sizeof(*firsts));
    for (int byte = 0; byte < 256; byte++) {
        if (!is_first[byte]) continue;
        firsts->is_first[byte] = 1;
        for (int i = count; i < TC_FEW_FIRSTS; i++) firsts->bytes[i] = (uint8_t)byte;
        count++;
    }
    firsts->few = 0 < count && count <= TC_FEW_FIRSTS;
}

/* A block of 64 bytes without any of them. Written so that a compiler makes vector code of it
 * for whatever machine. */
static inline int tc_none_first(const uint8_t *bytes, const uint8_t *text) {
    uint8_t any = 0;
    for (int i = 0; i < 64; i++) {
        any |= (uint8_t)((text[i] == bytes[0]) | (text[i] == bytes[1]) | (text[i] == bytes[2]) |
                         (text[i] == bytes[3]));
    }
    return !any;
}

/* The first place at or after `at` with one of the bytes, or n. */
static inline ptrdiff_t tc_find_first(const tc_firsts *firsts, const uint8_t *text, ptrdiff_t at,
                                      ptrdiff_t n) {
    /* The next few bytes by themselves: in markup, the next one is not far. */
    for (ptrdiff_t near_end = n - at > 16 ? at + 16 : n; at < near_end; at++) {
        if (firsts->is_first[text[at]]) return at;
    }
    if (firsts->few) {
        while (n - at >= 64 && tc_none_first(firsts->bytes, text + at)) at += 64;
    }
    while (at < n && !firsts->is_first[text[at]]) at++;
    return at;
}

#endif
