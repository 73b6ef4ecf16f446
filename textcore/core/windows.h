/* Where a text is cut, 64 characters at a time, and where that is not known.
 *
 * A chunk of text first becomes groups, one for each character, and offsets, where each
 * begins. A place is then judged by the groups of the three characters before it and the two
 * from it on, through four tables of 256 entries (textcore.pipeline.patterns.windows makes
 * them), or through what is made of these (covers.h, places.h). Three versions give the same: plain C,
 * here, AVX2, and AVX-512 with its byte permutations; which one runs is decided at run time by what the
 * processor has (levels.h). */
#ifndef TEXTCORE_WINDOWS_H
#define TEXTCORE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "covers.h"
#include "mixing.h"
#include "places.h"

#if defined(__GNUC__) || defined(__clang__)
#define TC_COLD __attribute__((noinline, unused))
#else
#define TC_COLD
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define TC_X86 1
#include <immintrin.h>
#endif

/* Numbers that two bytes of ASCII are, and more; and code points of up to three bytes, with what is
 * read behind the last one. */
enum { TC_TWO = 0x7F80, TC_FLAT = 65536 + 4 };

typedef struct {
    uint8_t groups[128]; /* of ASCII characters */
    uint8_t second[256];
    uint8_t third[256];
    uint8_t right[256];
    uint8_t verdicts[256];
    uint8_t ends[16]; /* what a run of spaces is, by the group that ends it; 0: spaces */
    uint8_t space;
    /* What is known behind a run of one group, see lookback.h; NULL where nothing is. */
    const uint8_t *row_of;
    const uint8_t *rows;
    uint8_t lengths[32];
    uint8_t plain[16]; /* each group, or space for what a run of spaces is */
    /* The groups of all characters: of code point c, blocks[block_of[c >> 8] + (c & 255)]. */
    const uint32_t *block_of;
    const uint8_t *blocks;
    /* The same of characters of up to three bytes, in one table (TC_FLAT; only for AVX-512). */
    const uint8_t *flat;
    /* What is made of these. A run of spaces by what follows its last one, which may be what
     * another one is: */
    uint8_t ended[16];
    /* What most runs are, so that each space is taken for that; and the groups that make another
     * one of a run that they end: 255 for each of them; and they, those of characters first, and
     * how many these are, and all. */
    uint8_t usual;
    uint8_t is_odd_end[16];
    uint8_t odd_end[16];
    int odd_characters, odd_ends;
    /* For each of the groups around a place, and each group, the products that allow it: */
    int layers;
    uint8_t allows[TC_LAYERS][TC_AROUND][16];
    uint8_t say_cut[TC_LAYERS]; /* which of them say that there is a cut */
    /* For plain C, see places.h. And, with SSE2, the groups of two ASCII characters by their bytes, the
     * first the lower one (TC_TWO of them). */
    tc_place_table places;
    const uint16_t *two;
} tc_tables;

/* After `groups` has been set. */
static inline void tc_set_two(tc_tables *t, uint16_t *two) {
    for (int second = 0; second < 128; second++)
        for (int first = 0; first < 128; first++)
            two[second << 8 | first] = (uint16_t)(t->groups[first] | t->groups[second] << 8);
    t->two = two;
}

/* What a run of spaces usually is, and which groups end it otherwise: some of the groups of
 * characters, `plain`, or what stands where a text or chunk ends. */
static inline void tc_set_usual(tc_tables *t, uint16_t plain) {
    const uint8_t beyond[2] = {t->space, TC_OUTSIDE};
    int often[16] = {0}, most = 0;
    TC_EACH(group, plain) often[t->ended[group]]++;
    for (int kind = 1; kind < 16; kind++)
        if (often[kind] > often[most]) most = kind;
    t->usual = (uint8_t)most;
    t->odd_ends = 0;
    memset(t->is_odd_end, 0, sizeof(t->is_odd_end));
    TC_EACH(group, plain)
        if (group != t->space && t->ended[group] != most)
            t->odd_end[t->odd_ends++] = (uint8_t)group;
    t->odd_characters = t->odd_ends;
    for (int i = 0; i < 2; i++)
        if (t->ended[beyond[i]] != most) t->odd_end[t->odd_ends++] = beyond[i];
    for (int i = 0; i < t->odd_ends; i++) t->is_odd_end[t->odd_end[i]] = 0xFF;
}

/* After all above has been set, `plain` being the groups of characters: what runs of spaces are. Which
 * groups those are comes back. */
static inline uint16_t tc_set_runs(tc_tables *t, uint16_t plain) {
    uint16_t runs = 0;
    for (int i = 0; i < 16; i++) {
        t->ended[i] = t->ends[i] ? t->ends[i] : t->space;
        if (t->ends[i]) runs |= (uint16_t)(1 << t->ends[i]);
    }
    TC_EACH(run, runs) t->ended[run] = (uint8_t)run;
    tc_set_usual(t, plain);
    return runs;
}

/* After that, for AVX2 and plain C. `left` is scratch memory. */
static inline void tc_set_products(tc_tables *t, uint16_t plain, uint16_t runs, tc_left *left) {
    tc_cover cover;
    tc_make_cover(&cover, t->second, t->third, t->right, t->verdicts, plain, runs, t->space, left);
    t->layers = (cover.count + 7) / 8;
    memset(t->allows, 0, sizeof(t->allows));
    memset(t->say_cut, 0, sizeof(t->say_cut));
    for (int i = 0; i < cover.count; i++) {
        const tc_product *product = cover.products + i;
        for (int at = 0; at < TC_AROUND; at++)
            TC_EACH(group, product->sets[at]) t->allows[i / 8][at][group] |= (uint8_t)(1 << i % 8);
        if (i < cover.cuts) t->say_cut[i / 8] |= (uint8_t)(1 << i % 8);
    }
    if (!tc_place_products(&t->places, &cover))
        tc_place_states(&t->places, t->second, t->third, t->right, t->verdicts, t->plain);
}

/* A chunk of text as groups, and what the tables say of its places. */
typedef struct {
    uint64_t cuts[TC_BLOCKS];
    uint64_t unknown[TC_BLOCKS];
    uint16_t offsets[TC_CHUNK + 64]; /* where each character begins in the chunk */
    uint8_t groups[64 + TC_CHUNK + 128]; /* of each character, from 64 on */
} tc_chunk;

/* Groups and offsets of the characters of `n` bytes (TC_CHUNK at most, whole characters):
 * how many. `readable` bytes may be read. */
typedef int (*tc_classify)(const tc_tables *t, const uint8_t *text, int n, size_t readable,
                           tc_chunk *chunk);

/* Cuts and unknown places of the first `blocks` times 64 characters. */
typedef void (*tc_judge)(const tc_tables *t, tc_chunk *chunk, int blocks);

/* The places of all cuts of a block, `base` further on: how many. Up to TC_SPARE more places
 * than that are written to. */
typedef ptrdiff_t (*tc_spread)(uint64_t cuts, const uint16_t *offsets, ptrdiff_t base,
                               ptrdiff_t *ends);

typedef struct {
    tc_classify classify;
    tc_judge judge;
    tc_spread spread;
} tc_level;

/* The group of a character that is not ASCII, and its bytes. */
static inline uint8_t tc_group_of(const tc_tables *t, const uint8_t *at, int *size) {
    uint32_t lead = at[0], code;
    if (lead < 0xE0) {
        *size = 2;
        code = (lead & 0x1F) << 6 | (at[1] & 0x3F);
    } else if (lead < 0xF0) {
        *size = 3;
        code = (lead & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F);
    } else {
        *size = 4;
        code = (lead & 0x07) << 18 | (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 |
               (at[3] & 0x3F);
    }
    return t->blocks[t->block_of[code >> 8] + (code & 0xFF)];
}

/* The lowest set bit's number; `bits` is not 0. */
static inline int tc_first_bit(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    int count = 0;
    while (!(bits & 1)) {
        bits >>= 1;
        count++;
    }
    return count;
#endif
}

/* The highest set bit's number; `bits` is not 0. */
static inline int tc_last_bit(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return 63 - __builtin_clzll(bits);
#else
    int count = 0;
    while (bits >>= 1) count++;
    return count;
#endif
}

#define TC_BYTES(byte) (0x0101010101010101ull * (byte))

#ifdef TC_WINDOWS_SSE2
/* The groups of sixteen ASCII characters. */
static inline __m128i tc_sixteen_groups(const tc_tables *t, const uint8_t *text) {
    __m128i groups = _mm_setzero_si128();
    uint16_t at[8];
    memcpy(at, text, 16);
    groups = _mm_insert_epi16(groups, t->two[at[0]], 0);
    groups = _mm_insert_epi16(groups, t->two[at[1]], 1);
    groups = _mm_insert_epi16(groups, t->two[at[2]], 2);
    groups = _mm_insert_epi16(groups, t->two[at[3]], 3);
    groups = _mm_insert_epi16(groups, t->two[at[4]], 4);
    groups = _mm_insert_epi16(groups, t->two[at[5]], 5);
    groups = _mm_insert_epi16(groups, t->two[at[6]], 6);
    return _mm_insert_epi16(groups, t->two[at[7]], 7);
}
#endif

/* Groups and offsets of the ASCII characters from `at` on, sixteen at a time where there are so
 * many: how many. */
static inline int tc_classify_ascii(const tc_tables *t, const uint8_t *text, int n, int at,
                                    uint8_t *groups, uint16_t *offsets) {
    int count = 0;
#ifdef TC_WINDOWS_SSE2
    const __m128i first = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    for (; n - at >= 16; at += 16, count += 16) {
        __m128i here = _mm_add_epi16(first, _mm_set1_epi16((short)at));
        if (_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(text + at)))) break;
        /* Put together here: bytes that are stored one by one can't be read together at once. */
        _mm_storeu_si128((__m128i *)(groups + count), tc_sixteen_groups(t, text + at));
        _mm_storeu_si128((__m128i *)(offsets + count), here);
        _mm_storeu_si128((__m128i *)(offsets + count + 8),
                         _mm_add_epi16(here, _mm_set1_epi16(8)));
    }
#else
    for (; n - at >= 8; at += 8, count += 8) {
        uint64_t eight;
        memcpy(&eight, text + at, 8);
        if (eight & TC_BYTES(0x80)) break;
        for (int i = 0; i < 8; i++) {
            groups[count + i] = t->groups[text[at + i]];
            offsets[count + i] = (uint16_t)(at + i);
        }
    }
#endif
    for (; at < n && text[at] < 0x80; at++) {
        offsets[count] = (uint16_t)at;
        groups[count++] = t->groups[text[at]];
    }
    return count;
}

static int tc_classify_plain(const tc_tables *t, const uint8_t *text, int n, size_t readable,
                             tc_chunk *chunk) {
    uint8_t *groups = chunk->groups + 64;
    uint16_t *offsets = chunk->offsets;
    int count = 0, size;
    (void)readable;
    for (int at = 0; at < n;) {
        if (text[at] >= 0x80) {
            offsets[count] = (uint16_t)at;
            groups[count++] = tc_group_of(t, text + at, &size);
            at += size;
        } else {
            size = tc_classify_ascii(t, text, n, at, groups + count, offsets + count);
            count += size;
            at += size;
        }
    }
    return count;
}

/* Runs of spaces that end with those at `ends`, bits for places from `at` on, are what the next
 * group says. Rarely called: see `usual`. */
TC_COLD static void tc_end_runs_at(const tc_tables *t, uint8_t *groups, int at, uint64_t ends) {
    for (; ends; ends &= ends - 1) {
        int last = at + tc_first_bit(ends);
        const uint8_t kind = t->ended[groups[last + 1]];
        while (last >= 0 && groups[last] == t->usual) groups[last--] = kind;
    }
}

/* Which of 64 groups are a run of the usual kind, and which end one that is of another kind: one of
 * the first `odd_ends` groups that do. */
static inline uint64_t tc_find_runs(const tc_tables *t, const uint8_t *groups, int odd_ends,
                                    uint64_t *ends) {
    uint64_t runs = 0, found = 0;
#ifdef TC_WINDOWS_SSE2
    const __m128i usual = _mm_set1_epi8((char)t->usual);
    __m128i odd[4], sixteen[4];
    for (int i = 0; i < 4; i++) {
        sixteen[i] = _mm_loadu_si128((const __m128i *)(groups + 16 * i));
        runs |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen[i], usual)) << 16 * i;
        odd[i] = _mm_setzero_si128();
    }
    for (int k = 0; k < odd_ends; k++) {
        const __m128i one = _mm_set1_epi8((char)t->odd_end[k]);
        for (int i = 0; i < 4; i++)
            odd[i] = _mm_or_si128(odd[i], _mm_cmpeq_epi8(sixteen[i], one));
    }
    for (int i = 0; i < 4; i++)
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(odd[i]) << 16 * i;
#else
    (void)odd_ends;
    for (int i = 0; i < 64; i++) {
        runs |= (uint64_t)(groups[i] == t->usual) << i;
        found |= (uint64_t)(t->is_odd_end[groups[i]] & 1) << i;
    }
#endif
    *ends = found;
    return runs;
}

/* Runs of spaces turned into what they are by what ends them; one that goes on beyond the last
 * block is a space. From there on, since a run may begin in one block and end in the next. */
static void tc_end_runs_plain(const tc_tables *t, uint8_t *groups, int blocks) {
    uint64_t later = t->is_odd_end[groups[64 * blocks]] & 1;
    int odd_ends = t->odd_ends; /* in the last block there may be what is beyond the characters */
    for (int at = 64 * (blocks - 1); at >= 0; at -= 64) {
        uint64_t odd, runs = tc_find_runs(t, groups + at, odd_ends, &odd);
        uint64_t ends = runs & (odd >> 1 | later << 63);
        if (TC_UNLIKELY(ends)) tc_end_runs_at(t, groups, at, ends);
        later = odd & 1;
        odd_ends = t->odd_characters;
    }
}

static void tc_judge_plain(const tc_tables *t, tc_chunk *chunk, int blocks) {
    uint8_t *groups = chunk->groups + 64;
    tc_end_runs_plain(t, groups, blocks);
    if (t->places.products)
        tc_judge_by_products(&t->places, groups, blocks, chunk->cuts, chunk->unknown);
    else
        tc_judge_by_states(&t->places, groups, blocks, chunk->cuts, chunk->unknown);
}

/* Without an instruction for it, which the baseline lacks, and a compiler would call a function. */
static inline int tc_count_bits(uint64_t bits) {
    bits -= bits >> 1 & TC_BYTES(0x55);
    bits = (bits & TC_BYTES(0x33)) + (bits >> 2 & TC_BYTES(0x33));
    return (int)(((bits + (bits >> 4)) & TC_BYTES(0x0F)) * TC_BYTES(1) >> 56);
}

/* The places of all cuts of a block, `base` further on: how many. */
static ptrdiff_t tc_spread_plain(uint64_t cuts, const uint16_t *offsets, ptrdiff_t base,
                                 ptrdiff_t *ends) {
    const uint64_t guard = 1ull << 63; /* or there may be no lowest bit */
    ptrdiff_t total = tc_count_bits(cuts);
    ptrdiff_t count = 0;
    /* Sixteen, then four at a time, whether there are so many or not: fewer branches to guess. */
    for (; count < 16; count++, cuts &= cuts - 1)
        ends[count] = base + offsets[tc_first_bit(cuts | guard)];
    while (count < total)
        for (int i = 0; i < 4; i++, count++, cuts &= cuts - 1)
            ends[count] = base + offsets[tc_first_bit(cuts | guard)];
    return total;
}

#endif
