/* Where the next U+2581 stands: the mark that SentencePiece writes for a space. */
#ifndef TEXTCORE_MARKS_H
#define TEXTCORE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

static inline int tc_is_mark(const uint8_t *at) {
    return at[0] == 0xE2 && at[1] == 0x96 && at[2] == 0x81;
}

/* The first mark in text[at:n], or n. */
static inline ptrdiff_t tc_next_mark(const uint8_t *text, ptrdiff_t n, ptrdiff_t at) {
#if defined(__SSE2__) && defined(__GNUC__)
    const __m128i lead = _mm_set1_epi8((char)0xE2);
    while (at + 18 <= n) {
        unsigned found = (unsigned)_mm_movemask_epi8(
            _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(text + at)), lead));
        while (found) {
            ptrdiff_t place = at + __builtin_ctz(found);
            if (tc_is_mark(text + place)) return place;
            found &= found - 1;
        }
        at += 16;
    }
#endif
    for (; at + 3 <= n; at++)
        if (tc_is_mark(text + at)) return at;
    return n;
}

#endif
