/* The first place in a text where an added token may begin, by its first two bytes. */
#ifndef TEXTCORE_FIRSTS_H
#define TEXTCORE_FIRSTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

/* So many different bytes are compared with at once; more of them are looked up one by one. */
#define TC_FEW_FIRSTS 4

typedef struct {
    int count;
    uint8_t bytes[TC_FEW_FIRSTS]; /* the last one repeated */
    uint8_t is_first[256];        /* a bit that few others share, or 0 */
    uint8_t follows[256];         /* the bits of those that a byte may follow */
} tc_firsts;

static inline void tc_set_firsts(tc_firsts *firsts, const uint32_t *is_first) {
    memset(firsts, 0, sizeof(*firsts));
    for (int byte = 0; byte < 256; byte++) {
        if (!is_first[byte]) continue;
        firsts->is_first[byte] = (uint8_t)(1 << (firsts->count & 7));
        for (int i = firsts->count; i < TC_FEW_FIRSTS; i++) firsts->bytes[i] = (uint8_t)byte;
        firsts->count++;
    }
}

/* A token begins with these two bytes. */
static inline void tc_set_second(tc_firsts *firsts, uint8_t first, uint8_t second) {
    firsts->follows[second] |= firsts->is_first[first];
}

/* Whether none of 16 times `blocks` bytes is one of the first `few`. */
static inline int tc_none_of(const tc_firsts *firsts, const uint8_t *text, int blocks, int few) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128i any = _mm_setzero_si128();
    for (int at = 0; at < 16 * blocks; at += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(text + at));
        for (int i = 0; i < few; i++)
            any = _mm_or_si128(
                any, _mm_cmpeq_epi8(block, _mm_set1_epi8((char)firsts->bytes[i])));
    }
    return !_mm_movemask_epi8(any);
#else
    uint8_t any = 0;
    for (int at = 0; at < 16 * blocks; at++)
        for (int i = 0; i < few; i++) any |= (uint8_t)(text[at] == firsts->bytes[i]);
    return !any;
#endif
}

/* The end of the blocks of 64 bytes from `at` on without any of them. */
static inline ptrdiff_t tc_pass_blocks(const tc_firsts *firsts, const uint8_t *text, ptrdiff_t at,
                                       ptrdiff_t n) {
    if (firsts->count == 2)
        while (n - at >= 64 && tc_none_of(firsts, text + at, 4, 2)) at += 64;
    else
        while (n - at >= 64 && tc_none_of(firsts, text + at, 4, TC_FEW_FIRSTS)) at += 64;
    return at;
}

/* The first place at or after `at` with one of the bytes, or n. */
static inline ptrdiff_t tc_next_first(const tc_firsts *firsts, const uint8_t *text, ptrdiff_t at,
                                      ptrdiff_t n) {
    if (firsts->count == 1) {
        const void *found = memchr(text + at, firsts->bytes[0], (size_t)(n - at));
        return found ? (const uint8_t *)found - text : n;
    }
    /* In markup, the next one is not far: a small step first. */
    if (firsts->count <= TC_FEW_FIRSTS && n - at >= 16 &&
        tc_none_of(firsts, text + at, 1, TC_FEW_FIRSTS)) {
        at = tc_pass_blocks(firsts, text, at + 16, n);
        while (n - at >= 16 && tc_none_of(firsts, text + at, 1, TC_FEW_FIRSTS)) at += 16;
        /* The last few bytes once more, with some of those before. */
        if (n - at < 16 && tc_none_of(firsts, text + n - 16, 1, TC_FEW_FIRSTS)) return n;
    }
    while (at < n && !firsts->is_first[text[at]]) at++;
    return at;
}

/* The first place at or after `at` where a token may begin, or n. */
static inline ptrdiff_t tc_find_first(const tc_firsts *firsts, const uint8_t *text, ptrdiff_t at,
                                      ptrdiff_t n) {
    if (!firsts->count) return n;
    while (at < n) {
        at = tc_next_first(firsts, text, at, n);
        if (at + 1 >= n || firsts->follows[text[at + 1]] & firsts->is_first[text[at]]) break;
        at++;
    }
    return at;
}

#endif
