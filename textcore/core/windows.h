/* Where a text is cut, 64 characters at a time, and where that is not known.
 *
 * A chunk of text first becomes groups, one for each character, and offsets, where each
 * begins. A place is then judged by the groups of the three characters before it and the two
 * from it on, through four tables of 256 entries (textcore.pipeline.patterns.windows makes
 * them), or through what is made of these (covers.h). Three versions give the same: plain C, here,
 * AVX2, and AVX-512 with its byte permutations; which one runs is decided at run time by what the
 * processor has (levels.h). */
#ifndef TEXTCORE_WINDOWS_H
#define TEXTCORE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "covers.h"
#include "mixing.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define TC_WINDOWS_SSE2 1
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TC_COLD __attribute__((noinline, unused))
#else
#define TC_COLD
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define TC_X86 1
#include <immintrin.h>
#endif

enum {
    TC_CHUNK = 512,                      /* bytes of text, and so characters at most */
    TC_BLOCKS = TC_CHUNK / 64,
    TC_BEFORE = 3,                       /* groups that a look at a place reads before it, */
    TC_AFTER = 1,                        /* and after it */
    TC_SPARE = 16,
    TC_CONTINUATION = 0x80
};

/* Products of covers.h that one pass of plain C looks up, for two places at once. */
enum { TC_PASS = 32, TC_PASSES = TC_PRODUCTS / TC_PASS };

/* For three bytes, each two groups next to each other, the products that hold the first of two
 * places and those that hold the second. */
typedef struct {
    uint32_t allows[3][256][2];
    uint32_t say_cut, say_unknown; /* which products say what */
} tc_pass;

typedef struct {
    uint8_t groups[128]; /* of ASCII characters */
    uint8_t second[256];
    uint8_t third[256];
    uint8_t right[256];
    uint8_t verdicts[256];
    uint8_t ends[16]; /* what a run of spaces is, by the group that ends it; 0: spaces */
    uint8_t space;
    /* The groups of all characters: of code point c, blocks[block_of[c >> 8] + (c & 255)]. */
    const uint32_t *block_of;
    const uint8_t *blocks;
    /* What is made of these. A run of spaces by what follows its last one, which may be what
     * another one is: */
    uint8_t ended[16];
    /* What most runs are, so that each space is taken for that; and the groups that make another
     * one of a run that they end: their number, they, and 255 for each of them. */
    uint8_t usual;
    int odd_ends;
    uint8_t odd_end[16];
    uint8_t is_odd_end[16];
    /* For each of the groups around a place, and each group, the products that allow it: */
    int layers;
    uint8_t allows[TC_LAYERS][TC_AROUND][16];
    uint8_t say_cut[TC_LAYERS]; /* which of them say that there is a cut */
    /* The same for plain C: */
    int passes;
    tc_pass pass[TC_PASSES];
} tc_tables;

/* The places in a pair of groups, and in which byte a place has the groups around it: the first
 * place has two, two and one in the three bytes, the second one, two and two. */
static inline void tc_allow_pairs(tc_pass *pass, const tc_product *product, uint32_t bit) {
    const uint16_t *sets = product->sets;
    for (int pair = 0; pair < 256; pair++) {
        const int high = pair >> 4, low = pair & 15;
        uint32_t(*allows)[256][2] = pass->allows;
        if (sets[0] >> high & sets[1] >> low & 1) allows[0][pair][0] |= bit;
        if (sets[0] >> low & 1) allows[0][pair][1] |= bit;
        if (sets[2] >> high & sets[3] >> low & 1) allows[1][pair][0] |= bit;
        if (sets[1] >> high & sets[2] >> low & 1) allows[1][pair][1] |= bit;
        if (sets[4] >> high & 1) allows[2][pair][0] |= bit;
        if (sets[3] >> high & sets[4] >> low & 1) allows[2][pair][1] |= bit;
    }
}

/* What a run of spaces usually is, and which of the `groups` end it otherwise. */
static inline void tc_set_usual(tc_tables *t, uint32_t groups) {
    int often[16] = {0}, most = 0;
    TC_EACH(group, groups) often[t->ended[group]]++;
    for (int kind = 1; kind < 16; kind++)
        if (often[kind] > often[most]) most = kind;
    t->usual = (uint8_t)most;
    t->odd_ends = 0;
    memset(t->is_odd_end, 0, sizeof(t->is_odd_end));
    TC_EACH(group, groups) {
        if (t->ended[group] == most) continue;
        t->odd_end[t->odd_ends++] = (uint8_t)group;
        t->is_odd_end[group] = 0xFF;
    }
}

/* After all above has been set, `plain` being the groups of characters: what is made of it. `left`
 * is scratch memory. */
static inline void tc_set_tables(tc_tables *t, uint16_t plain, uint16_t (*left)[16][16][16]) {
    tc_cover cover;
    uint16_t runs = 0;
    for (int i = 0; i < 16; i++) {
        t->ended[i] = t->ends[i] ? t->ends[i] : t->space;
        if (t->ends[i]) runs |= (uint16_t)(1 << t->ends[i]);
    }
    TC_EACH(run, runs) t->ended[run] = (uint8_t)run;
    tc_set_usual(t, plain | runs | 1 << t->space | 1 << TC_OUTSIDE);
    tc_make_cover(&cover, t->second, t->third, t->right, t->verdicts, plain, runs, t->space, left);
    t->layers = (cover.count + 7) / 8;
    t->passes = (cover.count + TC_PASS - 1) / TC_PASS;
    memset(t->allows, 0, sizeof(t->allows));
    memset(t->say_cut, 0, sizeof(t->say_cut));
    memset(t->pass, 0, sizeof(t->pass));
    for (int i = 0; i < cover.count; i++) {
        const tc_product *product = cover.products + i;
        const uint32_t bit = 1u << i % TC_PASS;
        tc_pass *pass = t->pass + i / TC_PASS;
        tc_allow_pairs(pass, product, bit);
        for (int at = 0; at < TC_AROUND; at++)
            TC_EACH(group, product->sets[at]) t->allows[i / 8][at][group] |= (uint8_t)(1 << i % 8);
        if (i < cover.cuts) {
            t->say_cut[i / 8] |= (uint8_t)(1 << i % 8);
            pass->say_cut |= bit;
        } else {
            pass->say_unknown |= bit;
        }
    }
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
        for (int i = 0; i < 16; i++) groups[count + i] = t->groups[text[at + i]];
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

/* Which of 64 groups are a run of the usual kind, and which end one that is of another kind. */
static inline uint64_t tc_find_runs(const tc_tables *t, const uint8_t *groups, uint64_t *odd_ends) {
    uint64_t runs = 0, odd = 0;
#ifdef TC_WINDOWS_SSE2
    const __m128i usual = _mm_set1_epi8((char)t->usual);
    for (int i = 0; i < 64; i += 16) {
        __m128i sixteen = _mm_loadu_si128((const __m128i *)(groups + i)), ends;
        ends = _mm_setzero_si128();
        for (int k = 0; k < t->odd_ends; k++)
            ends = _mm_or_si128(ends, _mm_cmpeq_epi8(sixteen, _mm_set1_epi8((char)t->odd_end[k])));
        runs |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, usual)) << i;
        odd |= (uint64_t)(unsigned)_mm_movemask_epi8(ends) << i;
    }
#else
    for (int i = 0; i < 64; i++) {
        runs |= (uint64_t)(groups[i] == t->usual) << i;
        odd |= (uint64_t)(t->is_odd_end[groups[i]] & 1) << i;
    }
#endif
    *odd_ends = odd;
    return runs;
}

/* Runs of spaces turned into what they are by what ends them; one that goes on beyond the last
 * block is a space. From there on, since a run may begin in one block and end in the next. */
static void tc_end_runs_plain(const tc_tables *t, uint8_t *groups, int blocks) {
    uint64_t later = t->is_odd_end[groups[64 * blocks]] & 1;
    for (int at = 64 * (blocks - 1); at >= 0; at -= 64) {
        uint64_t odd, runs = tc_find_runs(t, groups + at, &odd);
        uint64_t ends = runs & (odd >> 1 | later << 63);
        if (TC_UNLIKELY(ends)) tc_end_runs_at(t, groups, at, ends);
        later = odd & 1;
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

/* Those of 64 places that some product of `mask` holds. */
static inline uint64_t tc_held_64(const uint32_t *held, uint32_t mask) {
    uint64_t found = 0;
#ifdef TC_WINDOWS_SSE2
    const __m128i wanted = _mm_set1_epi32((int)mask), zero = _mm_setzero_si128();
    for (int i = 0; i < 64; i += 16) {
        __m128i four[4];
        for (int k = 0; k < 4; k++) {
            four[k] = _mm_loadu_si128((const __m128i *)(held + i + 4 * k));
            four[k] = _mm_cmpeq_epi32(_mm_and_si128(four[k], wanted), zero);
        }
        four[0] = _mm_packs_epi16(_mm_packs_epi32(four[0], four[1]),
                                  _mm_packs_epi32(four[2], four[3]));
        found |= (uint64_t)(uint16_t)~_mm_movemask_epi8(four[0]) << i;
    }
#else
    for (int i = 0; i < 64; i++) found |= (uint64_t)((held[i] & mask) != 0) << i;
#endif
    return found;
}

/* Whether some product of `mask` holds one of 64 places. */
static inline int tc_any_held(const uint32_t *held, uint32_t mask) {
    uint32_t any = 0;
    for (int i = 0; i < 64; i++) any |= held[i];
    return (any & mask) != 0;
}

/* The products that hold each of two times `count` places. */
static inline void tc_look_up_pairs(const tc_pass *pass, const uint8_t *pairs, int count,
                                    uint32_t *held) {
    size_t before = pairs[0], here = pairs[1];
    for (int i = 0; i < count; i++) {
        const size_t after = pairs[i + 2];
        uint64_t both, other;
        memcpy(&both, pass->allows[0][before], 8);
        memcpy(&other, pass->allows[1][here], 8);
        both &= other;
        memcpy(&other, pass->allows[2][after], 8);
        both &= other;
        memcpy(held + 2 * i, &both, 8);
        before = here;
        here = after;
    }
}

static void tc_judge_plain(const tc_tables *t, tc_chunk *chunk, int blocks) {
    uint8_t *groups = chunk->groups + 64, pairs[TC_CHUNK / 2 + 32];
    uint32_t held[TC_CHUNK];
    tc_end_runs_plain(t, groups, blocks);
    tc_pack_pairs(groups - TC_BEFORE, 32 * blocks + 2, pairs);
    memset(chunk->cuts, 0, sizeof(chunk->cuts));
    memset(chunk->unknown, 0, sizeof(chunk->unknown));
    for (const tc_pass *pass = t->pass; pass < t->pass + t->passes; pass++) {
        tc_look_up_pairs(pass, pairs, 32 * blocks, held);
        for (int block = 0; block < blocks; block++) {
            if (pass->say_cut) chunk->cuts[block] |= tc_held_64(held + 64 * block, pass->say_cut);
            if (tc_any_held(held + 64 * block, pass->say_unknown))
                chunk->unknown[block] |= tc_held_64(held + 64 * block, pass->say_unknown);
        }
    }
}

static inline int tc_count_bits(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
#endif
}

/* The places of all cuts of a block, `base` further on: how many. */
static ptrdiff_t tc_spread_plain(uint64_t cuts, const uint16_t *offsets, ptrdiff_t base,
                                 ptrdiff_t *ends) {
    const uint64_t guard = 1ull << 63; /* or there may be no lowest bit */
    ptrdiff_t total = tc_count_bits(cuts);
    /* Four at a time, whether there are four or not: fewer branches to guess. */
    for (ptrdiff_t count = 0; count < total; count += 4) {
        for (int i = 0; i < 4; i++) {
            ends[count + i] = base + offsets[tc_first_bit(cuts | guard)];
            cuts &= cuts - 1;
        }
    }
    return total;
}

#endif
