/* Judging places in plain C, for windows.h: by products where there are few, else by states.
 *
 * Bytes that are two groups next to each other are looked up: three of them are around two places, so that
 * 32 products (covers.h) of two places take three loads of 64 bits. Where a pattern has more, a place takes
 * the state after the three groups before it, and what is said after that state before two groups. */
#ifndef TEXTCORE_PLACES_H
#define TEXTCORE_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "covers.h"
#include "mixing.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define TC_WINDOWS_SSE2 1
#endif

enum {
    TC_CHUNK = 1024,                     /* bytes of text, and so characters at most */
    TC_BLOCKS = TC_CHUNK / 64,
    TC_BEFORE = 3,                       /* groups that a look at a place reads before it, */
    TC_AFTER = 1,                        /* and after it */
    TC_SPARE = 16,
    TC_CONTINUATION = 0x80,
    TC_SAY_CUT = 1,                      /* what verdicts and rows say of a place, or 0 */
    TC_SAY_UNKNOWN = 2
};

/* Products that are looked up at once, for two places. */
enum { TC_PER_TABLE = 32 };

typedef struct {
    int products; /* whether there are no more; else by states */
    /* For three bytes, each two groups next to each other, the products that hold the first of two
     * places and those that hold the second; and which products say what. */
    uint32_t allows[3][256][2];
    uint32_t say_cut, say_unknown;
    /* The state after any three groups (256 times it), and what is said after each state, before any
     * two groups. */
    uint16_t state[4096];
    uint8_t said[4096];
} tc_place_table;

/* The places in a pair of groups, and in which byte a place has the groups around it: the first
 * place has two, two and one in the three bytes, the second one, two and two. */
static inline void tc_allow_pairs(tc_place_table *table, const tc_product *product, uint32_t bit) {
    const uint16_t *sets = product->sets;
    for (int pair = 0; pair < 256; pair++) {
        const int high = pair >> 4, low = pair & 15;
        uint32_t(*allows)[256][2] = table->allows;
        if (sets[0] >> high & sets[1] >> low & 1) allows[0][pair][0] |= bit;
        if (sets[0] >> low & 1) allows[0][pair][1] |= bit;
        if (sets[2] >> high & sets[3] >> low & 1) allows[1][pair][0] |= bit;
        if (sets[1] >> high & sets[2] >> low & 1) allows[1][pair][1] |= bit;
        if (sets[4] >> high & 1) allows[2][pair][0] |= bit;
        if (sets[3] >> high & sets[4] >> low & 1) allows[2][pair][1] |= bit;
    }
}

/* By products; 0 where there are too many. */
static inline int tc_place_products(tc_place_table *t, const tc_cover *cover) {
    memset(t, 0, sizeof(*t));
    if (cover->count > TC_PER_TABLE) return 0;
    for (int i = 0; i < cover->count; i++) {
        tc_allow_pairs(t, cover->products + i, 1u << i);
        if (i < cover->cuts) t->say_cut |= 1u << i;
        else t->say_unknown |= 1u << i;
    }
    return t->products = 1;
}

/* By states. What a run of spaces is counts as a space (`plain`) but where it is what follows. */
static inline void tc_place_states(tc_place_table *t, const uint8_t *second, const uint8_t *third,
                                   const uint8_t *right, const uint8_t *verdicts,
                                   const uint8_t *plain) {
    t->products = 0;
    for (int i = 0; i < 4096; i++) {
        const int high = plain[i >> 8], middle = plain[i >> 4 & 15], low = plain[i & 15];
        t->state[i] = (uint16_t)(third[second[high << 4 | middle] << 4 | low] << 8);
        t->said[i] = verdicts[(i >> 8) << 4 | right[middle << 4 | (i & 15)]];
    }
}

/* Each two groups from `groups` on as a byte, `count` times, and some more. */
static inline void tc_pack_pairs(const uint8_t *groups, int count, uint8_t *pairs) {
#ifdef TC_WINDOWS_SSE2
    const __m128i byte = _mm_set1_epi16(0xFF);
    for (int i = 0; i < count; i += 16) {
        __m128i low = _mm_loadu_si128((const __m128i *)(groups + 2 * i));
        __m128i high = _mm_loadu_si128((const __m128i *)(groups + 2 * i + 16));
        low = _mm_or_si128(_mm_slli_epi16(low, 4), _mm_srli_epi16(low, 8));
        high = _mm_or_si128(_mm_slli_epi16(high, 4), _mm_srli_epi16(high, 8));
        _mm_storeu_si128((__m128i *)(pairs + i), _mm_packus_epi16(_mm_and_si128(low, byte),
                                                                  _mm_and_si128(high, byte)));
    }
#else
    for (int i = 0; i < count; i++)
        pairs[i] = (uint8_t)(groups[2 * i] << 4 | groups[2 * i + 1]);
#endif
}

/* Those of 64 places that some product of `mask` holds; `any`: all products that hold one. */
static inline uint64_t tc_held_64(const uint32_t *held, uint32_t mask, uint32_t *any) {
    uint64_t found = 0;
#ifdef TC_WINDOWS_SSE2
    const __m128i wanted = _mm_set1_epi32((int)mask), zero = _mm_setzero_si128();
    __m128i all = zero;
    for (int i = 0; i < 64; i += 16) {
        __m128i four[4];
        for (int k = 0; k < 4; k++) {
            four[k] = _mm_loadu_si128((const __m128i *)(held + i + 4 * k));
            all = _mm_or_si128(all, four[k]);
            four[k] = _mm_cmpeq_epi32(_mm_and_si128(four[k], wanted), zero);
        }
        four[0] = _mm_packs_epi16(_mm_packs_epi32(four[0], four[1]),
                                  _mm_packs_epi32(four[2], four[3]));
        found |= (uint64_t)(uint16_t)~_mm_movemask_epi8(four[0]) << i;
    }
    all = _mm_or_si128(all, _mm_srli_si128(all, 8));
    *any = (uint32_t)_mm_cvtsi128_si32(_mm_or_si128(all, _mm_srli_si128(all, 4)));
#else
    *any = 0;
    for (int i = 0; i < 64; i++) {
        found |= (uint64_t)((held[i] & mask) != 0) << i;
        *any |= held[i];
    }
#endif
    return found;
}

/* The products that hold each of the two places that three pairs are around. */
static inline void tc_look_up_pair(const tc_place_table *table, size_t before, size_t here,
                                   size_t after, uint32_t *held) {
    uint64_t both, other;
    memcpy(&both, table->allows[0][before], 8);
    memcpy(&other, table->allows[1][here], 8);
    both &= other;
    memcpy(&other, table->allows[2][after], 8);
    both &= other;
    memcpy(held, &both, 8);
}

/* The same of the places that `count` pairs, a multiple of four, begin before. */
static inline void tc_look_up_pairs(const tc_place_table *table, const uint8_t *pairs,
                                    ptrdiff_t count, uint32_t *held) {
    const uint8_t *const stop = pairs + count;
    size_t a = pairs[0], b = pairs[1];
    for (; pairs < stop; pairs += 4, held += 8) {
        const size_t c = pairs[2], d = pairs[3], e = pairs[4], f = pairs[5];
        tc_look_up_pair(table, a, b, c, held);
        tc_look_up_pair(table, b, c, d, held + 2);
        tc_look_up_pair(table, c, d, e, held + 4);
        tc_look_up_pair(table, d, e, f, held + 6);
        a = e;
        b = f;
    }
}

static inline void tc_judge_by_products(const tc_place_table *t, const uint8_t *groups, int blocks,
                                        uint64_t *cuts, uint64_t *unknown) {
    uint8_t pairs[TC_CHUNK / 2 + 32];
    uint32_t held[TC_CHUNK], any;
    tc_pack_pairs(groups - TC_BEFORE, 32 * blocks + 2, pairs);
    tc_look_up_pairs(t, pairs, 32 * blocks, held);
    for (int block = 0; block < blocks; block++) {
        unknown[block] = 0;
        cuts[block] = tc_held_64(held + 64 * block, t->say_cut, &any);
        if (TC_UNLIKELY(any & t->say_unknown))
            unknown[block] = tc_held_64(held + 64 * block, t->say_unknown, &any);
    }
}

/* Where a look-up for a place begins: the three groups before it, and the two from it on. */
typedef struct {
    uint16_t before[TC_CHUNK];
    uint8_t ahead[TC_CHUNK], said[TC_CHUNK];
} tc_places;

static inline void tc_fill_places(const uint8_t *g, int count, tc_places *p) {
#ifdef TC_WINDOWS_SSE2
    for (int i = 0; i < count; i += 16, g += 16) {
        /* Groups are below sixteen, so that none is shifted out of its byte. */
        const __m128i first = _mm_loadu_si128((const __m128i *)(g - 3));
        const __m128i middle = _mm_loadu_si128((const __m128i *)(g - 2));
        const __m128i last = _mm_loadu_si128((const __m128i *)(g - 1));
        const __m128i here = _mm_loadu_si128((const __m128i *)g);
        const __m128i next = _mm_loadu_si128((const __m128i *)(g + 1));
        const __m128i low = _mm_or_si128(_mm_slli_epi16(middle, 4), last);
        _mm_storeu_si128((__m128i *)(p->before + i), _mm_unpacklo_epi8(low, first));
        _mm_storeu_si128((__m128i *)(p->before + i + 8), _mm_unpackhi_epi8(low, first));
        _mm_storeu_si128((__m128i *)(p->ahead + i), _mm_or_si128(_mm_slli_epi16(here, 4), next));
    }
#else
    for (int i = 0; i < count; i++, g++) {
        p->before[i] = (uint16_t)(g[-3] << 8 | g[-2] << 4 | g[-1]);
        p->ahead[i] = (uint8_t)(g[0] << 4 | g[1]);
    }
#endif
}

/* Which of 64 places are said to be cuts, and which unknown. */
static inline void tc_gather_said(const uint8_t *said, uint64_t *cuts, uint64_t *unknown) {
    *cuts = *unknown = 0;
#ifdef TC_WINDOWS_SSE2
    for (int i = 0; i < 64; i += 16) {
        const __m128i sixteen = _mm_loadu_si128((const __m128i *)(said + i));
        *cuts |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_slli_epi16(sixteen, 7)) << i;
        *unknown |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_slli_epi16(sixteen, 6)) << i;
    }
#else
    for (int i = 0; i < 64; i++) {
        *cuts |= (uint64_t)(said[i] & TC_SAY_CUT) << i;
        *unknown |= (uint64_t)(said[i] >> 1) << i;
    }
#endif
}

static inline void tc_judge_by_states(const tc_place_table *t, const uint8_t *groups, int blocks,
                                      uint64_t *cuts, uint64_t *unknown) {
    tc_places p;
    tc_fill_places(groups, 64 * blocks, &p);
    for (int i = 0; i < 64 * blocks; i++) p.said[i] = t->said[t->state[p.before[i]] | p.ahead[i]];
    for (int block = 0; block < blocks; block++)
        tc_gather_said(p.said + 64 * block, cuts + block, unknown + block);
}

#endif
