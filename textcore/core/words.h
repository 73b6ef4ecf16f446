/* A word as the key of a cache line: making it, hashing it, comparing it.
 *
 * A line is 64 bytes: 32 of key, then eight ids. The last byte of the key holds the word's
 * length in five bits (never 0 in a line in use) and, in a line only, its number of ids less
 * one in the other three. */
#ifndef TEXTCORE_WORDS_H
#define TEXTCORE_WORDS_H

#include "mixing.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define TC_SSE2 1
#endif

#define TC_KEY_LIMIT 31
#define TC_IDS_LIMIT 8

typedef struct { uint64_t w[4]; } tc_key;
typedef struct { uint64_t w[4]; uint32_t ids[8]; } tc_line;

/* Thirty-two bytes kept, thirty-two dropped: the row for n bytes starts 32 - n bytes in. */
static const uint8_t tc_keep[64] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

/* A word of 1 to 31 bytes as a key; `readable` bytes may be read at `word`. */
static inline void tc_load_key(tc_key *key, const uint8_t *word, size_t n, size_t readable) {
    if (TC_LIKELY(readable >= 32)) {
#ifdef TC_SSE2
        const uint8_t *keep = tc_keep + 32 - n;
        __m128i low = _mm_loadu_si128((const __m128i *)word);
        __m128i high = _mm_loadu_si128((const __m128i *)(word + 16));
        low = _mm_and_si128(low, _mm_loadu_si128((const __m128i *)keep));
        high = _mm_and_si128(high, _mm_loadu_si128((const __m128i *)(keep + 16)));
        high = _mm_or_si128(high, _mm_slli_si128(_mm_cvtsi32_si128((int)n), 15));
        _mm_storeu_si128((__m128i *)key->w, low);
        _mm_storeu_si128((__m128i *)(key->w + 2), high);
        return;
#else
        uint64_t keep[4];
        memcpy(keep, tc_keep + 32 - n, 32);
        memcpy(key->w, word, 32);
        for (int i = 0; i < 4; i++) key->w[i] &= keep[i];
#endif
    } else {
        memset(key->w, 0, 32);
        memcpy(key->w, word, n);
    }
    key->w[3] |= (uint64_t)n << 56;
}

/* Two words of a key as one: for words of up to sixteen bytes the first one. */
static inline uint64_t tc_fold(uint64_t low, uint64_t high) {
    return low ^ (high << 32 | high >> 32) ^ high << 13;
}

/* One multiply, of a word's bytes alone. Words that collide cost time, never a wrong id. */
static inline uint64_t tc_hash_key(const tc_key *key) {
    return tc_mix(tc_fold(key->w[0], key->w[2]) ^ TC_K0,
                  tc_fold(key->w[1], key->w[3] & 0x00FFFFFFFFFFFFFFull) ^ TC_K1);
}

#ifdef TC_SSE2
/* The same of a word in two vectors, 0 behind its end. */
static inline uint64_t tc_hash_halves(__m128i low, __m128i high) {
    const __m128i salt = _mm_set_epi64x((long long)TC_K1, (long long)TC_K0);
    uint64_t two[2];
    low = _mm_xor_si128(_mm_xor_si128(low, salt), _mm_shuffle_epi32(high, 0xB1));
    _mm_storeu_si128((__m128i *)two, _mm_xor_si128(low, _mm_slli_epi64(high, 13)));
    return tc_mix(two[0], two[1]);
}
#endif

static inline int tc_line_holds(const tc_line *line, const tc_key *key) {
#ifdef TC_SSE2
    const __m128i bits = _mm_set_epi64x(0x1FFFFFFFFFFFFFFFll, -1);
    __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)line->w),
                                 _mm_loadu_si128((const __m128i *)key->w));
    __m128i high = _mm_and_si128(_mm_loadu_si128((const __m128i *)(line->w + 2)), bits);
    high = _mm_cmpeq_epi8(high, _mm_loadu_si128((const __m128i *)(key->w + 2)));
    return _mm_movemask_epi8(_mm_and_si128(low, high)) == 0xFFFF;
#else
    return ((line->w[0] ^ key->w[0]) | (line->w[1] ^ key->w[1]) | (line->w[2] ^ key->w[2]) |
            ((line->w[3] ^ key->w[3]) & 0x1FFFFFFFFFFFFFFFull)) == 0;
#endif
}

/* The line of a word, or NULL. A word lives in the first of four neighbours that was free, and
 * none gets free again: beyond a free one there is nothing to look for. */
static inline const tc_line *tc_find_line(const tc_line *lines, uint64_t mask, uint64_t hash,
                                          const tc_key *key) {
    for (unsigned other = 0; other < 4; other++) {
        const tc_line *line = lines + ((hash & mask) ^ other);
        if (TC_LIKELY(tc_line_holds(line, key))) return line;
        if (!line->w[3]) break;
    }
    return NULL;
}

static inline int tc_line_count(const tc_line *line) { return (int)(line->w[3] >> 61) + 1; }

/* Remember a word's ids (1 to 8 of them), in place of another word's if need be: whether it
 * took a free line. */
static inline int tc_store_line(tc_line *lines, uint64_t mask, uint64_t hash,
                                const tc_key *key, const uint32_t *ids, size_t count) {
    tc_line *line = lines + (hash & mask);
    unsigned other = 0;
    while (other < 4 && line->w[3]) line = lines + ((hash & mask) ^ (++other & 3));
    if (other == 4) line = lines + ((hash & mask) ^ (hash >> 62));
    memcpy(line->w, key->w, 32);
    line->w[3] |= (uint64_t)(count - 1) << 61;
    memcpy(line->ids, ids, count * sizeof(uint32_t));
    return other < 4;
}

/* Let a word that is in the line `other` of its four change places with what is in its first one.
 * All four are those of all words in them; a word is looked for up to the first free line, so none
 * may be moved behind one. Then that one is taken, and the word is in two lines. */
static inline void tc_bring_first(tc_line *lines, uint64_t place, uint64_t other) {
    const tc_line first = lines[place];
    lines[place] = lines[place ^ other];
    if (other == 2 && !lines[place ^ 3].w[3]) lines[place ^ 3] = first;
    else lines[place ^ other] = first;
}

/* Whether a word that is not there would find a free line. */
static inline int tc_has_room(const tc_line *lines, uint64_t mask, uint64_t hash) {
    for (unsigned other = 0; other < 4; other++)
        if (!lines[(hash & mask) ^ other].w[3]) return 1;
    return 0;
}

static inline tc_key tc_key_of(const tc_line *line) {
    tc_key key = {{line->w[0], line->w[1], line->w[2], line->w[3] & 0x1FFFFFFFFFFFFFFFull}};
    return key;
}

#endif
