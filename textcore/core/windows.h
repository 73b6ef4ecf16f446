/* Where a text is cut, 64 characters at a time, and where that is not known.
 *
 * A chunk of text first becomes groups, one for each character, and offsets, where each
 * begins. A place is then judged by the groups of the three characters before it and the two
 * from it on, through four tables of 256 entries (textcore.pipeline.patterns.windows makes
 * them). Three versions give the same: plain C, AVX2, and AVX-512 with its byte
 * permutations; which one runs is decided at run time by what the processor has. */
#ifndef TEXTCORE_WINDOWS_H
#define TEXTCORE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    TC_CHUNK = 512,                      /* bytes of text, and so characters at most */
    TC_BLOCKS = TC_CHUNK / 64,
    TC_BEFORE = 3,                       /* groups that a look at a place reads before it, */
    TC_AFTER = 1,                        /* and after it */
    TC_SPARE = 16,
    TC_OUTSIDE = 15,                     /* the group of what is not text */
    TC_CONTINUATION = 0x80
};

/* A table of 16 times 16 entries of four bits, bit by bit: for each bit of an entry, and each
 * row, which of the row's entries have it (the first eight, and the others). */
typedef struct {
    uint8_t first[4][16];
    uint8_t other[4][16];
} tc_rows;

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
    /* The four tables, as AVX2 looks them up. */
    tc_rows second_rows, third_rows, right_rows, verdict_rows;
    /* The same, two look-ups in one: `third` by the three groups before a place, the first the
     * highest; and the verdict by that and the two groups from the place on. */
    uint8_t before[4096];
    uint8_t says[4096];
    uint8_t ended[16]; /* `ends`, and spaces where that is 0 */
} tc_tables;

static inline void tc_set_rows(tc_rows *rows, const uint8_t *table) {
    memset(rows, 0, sizeof(*rows));
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++)
            for (int bit = 0; bit < 4; bit++) {
                uint8_t *half = column < 8 ? &rows->first[bit][row] : &rows->other[bit][row];
                *half |= (uint8_t)((table[row << 4 | column] >> bit & 1) << (column & 7));
            }
}

/* After the four tables have been set: what is made of them. */
static inline void tc_set_tables(tc_tables *t) {
    tc_set_rows(&t->second_rows, t->second);
    tc_set_rows(&t->third_rows, t->third);
    tc_set_rows(&t->right_rows, t->right);
    tc_set_rows(&t->verdict_rows, t->verdicts);
    for (int i = 0; i < 16; i++) t->ended[i] = t->ends[i] ? t->ends[i] : t->space;
    for (int i = 0; i < 4096; i++) {
        t->before[i] = t->third[t->second[i >> 4] << 4 | (i & 15)];
        t->says[i] = t->verdicts[(i >> 8) << 4 | t->right[i & 255]];
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

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TC_EIGHT 1
#else
#define TC_EIGHT 0 /* Eight bytes in a number are the other way round. */
#endif
#define TC_BYTES(byte) (0x0101010101010101ull * (byte))

static inline uint64_t tc_load_8(const uint8_t *at) {
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    return bytes;
}

/* The lowest bit of each of eight bytes, the first byte's the lowest. */
static inline uint64_t tc_low_bits(uint64_t bytes) {
    return ((bytes & TC_BYTES(1)) * 0x0102040810204080ull) >> 56;
}

/* Groups and offsets of eight ASCII characters. */
static inline void tc_classify_8(const tc_tables *t, const uint8_t *text, int at,
                                 uint8_t *groups, uint16_t *offsets) {
    for (int i = 0; i < 8; i++) {
        groups[i] = t->groups[text[at + i]];
        offsets[i] = (uint16_t)(at + i);
    }
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
            continue;
        }
        for (; n - at >= 8 && !(tc_load_8(text + at) & TC_BYTES(0x80)); at += 8, count += 8)
            tc_classify_8(t, text, at, groups + count, offsets + count);
        for (; at < n && text[at] < 0x80; at++) {
            offsets[count] = (uint16_t)at;
            groups[count++] = t->groups[text[at]];
        }
    }
    return count;
}

/* Which of 64 groups are those of a space. */
static inline uint64_t tc_spaces(const tc_tables *t, const uint8_t *groups) {
    uint64_t spaces = 0;
    for (int i = 0; i < 64; i += 8) {
        /* Below sixteen, so that a byte which is not 0 carries into its fifth bit. */
        uint64_t apart = tc_load_8(groups + i) ^ TC_BYTES((uint64_t)t->space);
        spaces |= tc_low_bits(~(apart + TC_BYTES(15)) >> 4) << i;
    }
    return spaces;
}

/* The 64 groups that follow those at `g`, runs of spaces turned into what they are by what
 * ends them; a run that goes on beyond stays. */
static inline void tc_following(const tc_tables *t, const uint8_t *g, uint8_t *following) {
    uint64_t spaces = 0;
    memcpy(following, g + 1, 64);
    if (TC_EIGHT)
        spaces = tc_spaces(t, following);
    else
        for (int i = 0; i < 64; i++) spaces |= (uint64_t)(following[i] == t->space) << i;
    /* From the last one on: each is what the one after it is, or what ends it. */
    uint8_t is = t->space;
    while (spaces) {
        int at = tc_last_bit(spaces);
        uint8_t after = g[at + 2], end = t->ended[after];
        is = after == t->space ? is : end;
        following[at] = is;
        spaces ^= 1ull << at;
    }
}

static void tc_judge_plain(const tc_tables *t, tc_chunk *chunk, int blocks) {
    for (int block = 0; block < blocks; block++) {
        const uint8_t *g = chunk->groups + 64 + 64 * block, *third = g - 3;
        uint64_t cut = 0, open = 0;
        uint8_t following[64], left[64], right[64], said[64];
        tc_following(t, g, following);
        /* Two groups a byte, for eight places at once. */
        for (int i = 0; i < 64; i += 8) {
            uint64_t two = tc_load_8(g + i - 2) << 4 | tc_load_8(g + i - 1);
            memcpy(left + i, &two, 8);
            two = tc_load_8(g + i) << 4 | tc_load_8(following + i);
            memcpy(right + i, &two, 8);
        }
        for (size_t i = 0; i < 64; i++) {
            size_t before = t->before[(size_t)third[i] << 8 | left[i]];
            said[i] = t->says[before << 8 | right[i]];
        }
        for (int i = 0; i < 64; i += 8) {
            if (TC_EIGHT) {
                uint64_t eight = tc_load_8(said + i);
                cut |= tc_low_bits(eight) << i;
                open |= tc_low_bits(eight >> 1) << i;
                continue;
            }
            for (int j = i; j < i + 8; j++) {
                cut |= (uint64_t)(said[j] & 1) << j;
                open |= (uint64_t)(said[j] >> 1) << j;
            }
        }
        chunk->cuts[block] = cut;
        chunk->unknown[block] = open;
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

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define TC_X86 1
#include <immintrin.h>

#define TC_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))

TC_AVX2 static inline __m256i tc_twice(const uint8_t *bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* Bits `0` to `bits` - 1 of the entries of a table for 32 rows and columns below sixteen. */
TC_AVX2 static inline __m256i tc_look_up_rows(const tc_rows *rows, __m256i row, __m256i column,
                                              int bits) {
    const __m256i single =
        _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8,
                         16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    __m256i asked = _mm256_shuffle_epi8(single, column);
    __m256i others = _mm256_slli_epi16(column, 4); /* the sign of each byte chooses the half */
    __m256i result = _mm256_setzero_si256();
    for (int bit = 0; bit < bits; bit++) {
        __m256i has = _mm256_blendv_epi8(_mm256_shuffle_epi8(tc_twice(rows->first[bit]), row),
                                         _mm256_shuffle_epi8(tc_twice(rows->other[bit]), row),
                                         others);
        has = _mm256_cmpeq_epi8(_mm256_and_si256(has, asked), asked);
        has = _mm256_and_si256(has, _mm256_set1_epi8((char)(1 << bit)));
        result = _mm256_or_si256(result, has);
    }
    return result;
}

/* table[high << 4 | low] for 32 bytes, `high` below `rows` and `low` below sixteen. */
TC_AVX2 static inline __m256i tc_look_up_256(const uint8_t *table, __m256i high, __m256i low,
                                             int rows) {
    __m256i result = _mm256_setzero_si256();
    for (int row = 0; row < rows; row++) {
        __m256i entries =
            _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + 16 * row)));
        __m256i here = _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)row));
        entries = _mm256_shuffle_epi8(entries, low);
        result = _mm256_or_si256(result, _mm256_and_si256(here, entries));
    }
    return result;
}

TC_AVX2 static int tc_classify_avx2(const tc_tables *t, const uint8_t *text, int n,
                                    size_t readable, tc_chunk *chunk) {
    const __m256i step = _mm256_set1_epi16(16);
    const __m256i first = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint8_t *groups = chunk->groups + 64;
    uint16_t *offsets = chunk->offsets;
    int count = 0, at = 0, size;
    while (at < n) {
        int until = at + 32 < n ? at + 32 : n;
        if ((size_t)at + 32 <= readable) {
            __m256i bytes = _mm256_loadu_si256((const __m256i *)(text + at));
            if (_mm256_movemask_epi8(bytes) == 0) {
                __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
                __m256i high =
                    _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
                __m256i here = _mm256_add_epi16(first, _mm256_set1_epi16((short)at));
                _mm256_storeu_si256((__m256i *)(groups + count),
                                    tc_look_up_256(t->groups, high, low, 8));
                _mm256_storeu_si256((__m256i *)(offsets + count), here);
                _mm256_storeu_si256((__m256i *)(offsets + count + 16),
                                    _mm256_add_epi16(here, step));
                count += until - at;
                at = until;
                continue;
            }
        }
        while (at < until) {
            offsets[count] = (uint16_t)at;
            if (text[at] < 0x80) {
                groups[count++] = t->groups[text[at++]];
            } else {
                groups[count++] = tc_group_of(t, text + at, &size);
                at += size;
            }
        }
    }
    return count;
}

/* A byte of ones for each bit of 32. */
TC_AVX2 static inline __m256i tc_bits_to_bytes(uint32_t bits) {
    const __m256i from = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
                                            0x0303030303030303);
    const __m256i single = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), from);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, single), single);
}

/* In runs of spaces, what stands at the last one at all of them. As many runs start as end:
 * those of the ends of one kind are the starts in the same order, and a difference is all the
 * bits between. */
TC_AVX2 static inline void tc_spread_ends_avx2(uint64_t spaces, uint8_t *following) {
    const uint64_t all = spaces & ~(spaces >> 1), starts = spaces & ~(spaces << 1);
    __m256i low = _mm256_loadu_si256((const __m256i *)following);
    __m256i high = _mm256_loadu_si256((const __m256i *)(following + 32));
    for (uint64_t ends = all; ends;) {
        __m256i kind = _mm256_set1_epi8((char)following[_tzcnt_u64(ends)]);
        uint64_t alike = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, kind)), run;
        alike |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, kind)) << 32;
        alike &= ends;
        run = (alike << 1) - _pdep_u64(_pext_u64(alike, all), starts);
        low = _mm256_blendv_epi8(low, kind, tc_bits_to_bytes((uint32_t)run));
        high = _mm256_blendv_epi8(high, kind, tc_bits_to_bytes((uint32_t)(run >> 32)));
        ends ^= alike;
    }
    _mm256_storeu_si256((__m256i *)following, low);
    _mm256_storeu_si256((__m256i *)(following + 32), high);
}

TC_AVX2 static void tc_judge_avx2(const tc_tables *t, tc_chunk *chunk, int blocks) {
    const __m256i space = _mm256_set1_epi8((char)t->space);
    const __m256i ends = tc_twice(t->ends);
    for (int block = 0; block < blocks; block++) {
        const uint8_t *groups = chunk->groups + 64 + 64 * block;
        uint64_t cut = 0, open = 0, spaces = 0;
        uint8_t following[64];
        /* The last space of each run by what follows it, then the others by the last one. */
        for (int half = 0; half < 64; half += 32) {
            __m256i next = _mm256_loadu_si256((const __m256i *)(groups + half + 1));
            __m256i kinds = _mm256_loadu_si256((const __m256i *)(groups + half + 2));
            __m256i here = _mm256_cmpeq_epi8(next, space);
            kinds = _mm256_shuffle_epi8(ends, kinds);
            spaces |= (uint64_t)(uint32_t)_mm256_movemask_epi8(here) << half;
            here = _mm256_andnot_si256(_mm256_cmpeq_epi8(kinds, _mm256_setzero_si256()), here);
            _mm256_storeu_si256((__m256i *)(following + half),
                                _mm256_blendv_epi8(next, kinds, here));
        }
        if (spaces & spaces >> 1) tc_spread_ends_avx2(spaces, following);
        for (int half = 0; half < 64; half += 32) {
            const uint8_t *g = groups + half;
            __m256i g3 = _mm256_loadu_si256((const __m256i *)(g - 3));
            __m256i g2 = _mm256_loadu_si256((const __m256i *)(g - 2));
            __m256i g1 = _mm256_loadu_si256((const __m256i *)(g - 1));
            __m256i g0 = _mm256_loadu_si256((const __m256i *)g);
            __m256i next = _mm256_loadu_si256((const __m256i *)(following + half));
            __m256i left = tc_look_up_rows(&t->second_rows, g3, g2, 4);
            left = tc_look_up_rows(&t->third_rows, left, g1, 4);
            __m256i right = tc_look_up_rows(&t->right_rows, g0, next, 4);
            __m256i verdict = tc_look_up_rows(&t->verdict_rows, left, right, 2);
            uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(verdict, 7));
            cut |= (uint64_t)bits << half;
            bits = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(verdict, 6));
            open |= (uint64_t)bits << half;
        }
        chunk->cuts[block] = cut;
        chunk->unknown[block] = open;
    }
}

#define TC_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))

/* Store places in 64 bytes that begin at `at` as offsets in the chunk. */
TC_AVX512 static inline void tc_store_offsets(uint16_t *offsets, int at, __m512i places) {
    const __m512i base = _mm512_set1_epi16((short)at);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(places));
    __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(places, 1));
    _mm512_storeu_si512(offsets, _mm512_add_epi16(low, base));
    _mm512_storeu_si512(offsets + 32, _mm512_add_epi16(high, base));
}

TC_AVX512 static int tc_classify_avx512(const tc_tables *t, const uint8_t *text, int n,
                                        size_t readable, tc_chunk *chunk) {
    static const uint8_t iota[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i places = _mm512_loadu_si512(iota);
    const __m512i low_half = _mm512_loadu_si512(t->groups);
    const __m512i high_half = _mm512_loadu_si512(t->groups + 64);
    uint8_t *groups = chunk->groups + 64;
    int count = 0;
    (void)readable;
    for (int at = 0; at < n; at += 64) {
        uint64_t present = n - at >= 64 ? ~0ull : (1ull << (n - at)) - 1;
        __m512i bytes = _mm512_maskz_loadu_epi8(present, text + at);
        uint64_t foreign = _mm512_movepi8_mask(bytes);
        __m512i found = _mm512_permutex2var_epi8(low_half, bytes, high_half);
        if (foreign == 0) {
            _mm512_storeu_si512(groups + count, found);
            tc_store_offsets(chunk->offsets + count, at, places);
            count += (int)_mm_popcnt_u64(present);
            continue;
        }
        /* Continuation bytes are, as signed numbers, below -64. */
        uint64_t leads =
            present & ~_mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64));
        _mm512_storeu_si512(groups + count, _mm512_maskz_compress_epi8(leads, found));
        tc_store_offsets(chunk->offsets + count, at, _mm512_maskz_compress_epi8(leads, places));
        for (uint64_t left = leads & foreign; left; left &= left - 1) {
            int place = (int)_tzcnt_u64(left), size;
            int number = (int)_mm_popcnt_u64(_bzhi_u64(leads, (unsigned)place));
            groups[count + number] = tc_group_of(t, text + at + place, &size);
        }
        count += (int)_mm_popcnt_u64(leads);
    }
    return count;
}

/* The 64 groups that follow those at `g`, runs of spaces turned into what they are. */
TC_AVX512 static inline __m512i tc_following_512(const tc_tables *t, const uint8_t *g) {
    __m512i next = _mm512_loadu_si512(g + 1);
    uint64_t spaces = _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8((char)t->space));
    if (!spaces) return next;
    __m512i kinds = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)t->ends));
    kinds = _mm512_shuffle_epi8(kinds, _mm512_loadu_si512(g + 2));
    /* The last space of each run by what follows it, then the others by the last one. */
    next = _mm512_mask_mov_epi8(next, spaces & _mm512_test_epi8_mask(kinds, kinds), kinds);
    uint64_t ends = spaces & ~(spaces >> 1);
    if (ends == spaces) return next;
    /* As many runs start as end: those of the ends of one kind are the starts in the same order,
     * and a difference is all the bits between. */
    const uint64_t starts = spaces & ~(spaces << 1);
    const __m512i kind_of = next;
    while (ends) {
        __m512i kind = _mm512_permutexvar_epi8(
            _mm512_set1_epi8((char)_tzcnt_u64(ends)), kind_of);
        uint64_t alike = _mm512_mask_cmpeq_epi8_mask(ends, kind_of, kind);
        uint64_t begin = _pdep_u64(_pext_u64(alike, spaces & ~(spaces >> 1)), starts);
        next = _mm512_mask_mov_epi8(next, (alike << 1) - begin, kind);
        ends ^= alike;
    }
    return next;
}

/* table[high << 4 | low] for 64 bytes: two permutations of 128 entries, one of them kept. */
#define TC_LOOK_UP_512(name, high, low)                                                      \
    tc_look_up_512(name##_0, name##_1, name##_2, name##_3, high, low)
#define TC_LOAD_512(name)                                                                    \
    const __m512i name##_0 = _mm512_loadu_si512(t->name);                                    \
    const __m512i name##_1 = _mm512_loadu_si512(t->name + 64);                               \
    const __m512i name##_2 = _mm512_loadu_si512(t->name + 128);                              \
    const __m512i name##_3 = _mm512_loadu_si512(t->name + 192)

TC_AVX512 static inline __m512i tc_look_up_512(__m512i a, __m512i b, __m512i c, __m512i d,
                                               __m512i high, __m512i low) {
    __m512i index = _mm512_or_si512(_mm512_slli_epi16(high, 4), low);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index),
                                  _mm512_permutex2var_epi8(a, index, b),
                                  _mm512_permutex2var_epi8(c, index, d));
}

TC_AVX512 static void tc_judge_avx512(const tc_tables *t, tc_chunk *chunk, int blocks) {
    TC_LOAD_512(second);
    TC_LOAD_512(third);
    TC_LOAD_512(right);
    TC_LOAD_512(verdicts);
    for (int block = 0; block < blocks; block++) {
        const uint8_t *g = chunk->groups + 64 + 64 * block;
        __m512i state = TC_LOOK_UP_512(second, _mm512_loadu_si512(g - 3),
                                       _mm512_loadu_si512(g - 2));
        state = TC_LOOK_UP_512(third, state, _mm512_loadu_si512(g - 1));
        __m512i ahead = tc_following_512(t, g);
        ahead = TC_LOOK_UP_512(right, _mm512_loadu_si512(g), ahead);
        __m512i verdict = TC_LOOK_UP_512(verdicts, state, ahead);
        chunk->cuts[block] = _mm512_test_epi8_mask(verdict, _mm512_set1_epi8(1));
        chunk->unknown[block] = _mm512_test_epi8_mask(verdict, _mm512_set1_epi8(2));
    }
}

TC_AVX512 static ptrdiff_t tc_spread_512(uint64_t cuts, const uint16_t *offsets, ptrdiff_t base,
                                         ptrdiff_t *ends) {
    const __m512i from = _mm512_set1_epi64((long long)base);
    ptrdiff_t total = 0;
    for (int half = 0; half < 2; half++) {
        __mmask32 here = (__mmask32)(cuts >> 32 * half);
        __m512i places = _mm512_loadu_si512(offsets + 32 * half);
        ptrdiff_t count = (ptrdiff_t)_mm_popcnt_u32(here);
        __m128i eight;
        places = _mm512_maskz_compress_epi16(here, places);
        /* Sixteen whether there are so many or not; more are rare. */
        eight = _mm512_castsi512_si128(places);
        _mm512_storeu_si512(ends + total, _mm512_add_epi64(_mm512_cvtepu16_epi64(eight), from));
        eight = _mm512_extracti32x4_epi32(places, 1);
        _mm512_storeu_si512(ends + total + 8,
                            _mm512_add_epi64(_mm512_cvtepu16_epi64(eight), from));
        if (count > 16) {
            eight = _mm512_extracti32x4_epi32(places, 2);
            _mm512_storeu_si512(ends + total + 16,
                                _mm512_add_epi64(_mm512_cvtepu16_epi64(eight), from));
            eight = _mm512_extracti32x4_epi32(places, 3);
            _mm512_storeu_si512(ends + total + 24,
                                _mm512_add_epi64(_mm512_cvtepu16_epi64(eight), from));
        }
        total += count;
    }
    return total;
}
#endif

#define TC_LEVELS 3

/* The versions of a level: 0 plain, 1 AVX2, 2 AVX-512; none where it can't run here. */
static inline tc_level tc_level_of(int level) {
    tc_level made = {0, 0, 0};
    if (level == 0) {
        made.classify = tc_classify_plain;
        made.judge = tc_judge_plain;
        made.spread = tc_spread_plain;
    }
#ifdef TC_X86
    __builtin_cpu_init();
    if (level == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("lzcnt")) {
        made.classify = tc_classify_avx2;
        made.judge = tc_judge_avx2;
        made.spread = tc_spread_plain;
    }
    if (level == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt")) {
        made.classify = tc_classify_avx512;
        made.judge = tc_judge_avx512;
        made.spread = tc_spread_512;
    }
#endif
    return made;
}

/* Look at the `n` bytes at `text` (whole characters, TC_CHUNK at most) of a text that has
 * `before` bytes before them and `after` bytes after them: the number of characters. */
static inline int tc_look(const tc_tables *t, const tc_level *level, const uint8_t *text, int n,
                   size_t before, size_t after, tc_chunk *chunk) {
    uint8_t *groups = chunk->groups + 64;
    const uint8_t *at = text;
    int size, count = level->classify(t, text, n, (size_t)n + after, chunk);
    for (int i = 1; i <= TC_BEFORE; i++) {
        groups[-i] = TC_OUTSIDE;
        if ((size_t)(text - at) == before) continue;
        do at--;
        while ((*at & 0xC0) == TC_CONTINUATION);
        groups[-i] = *at < 0x80 ? t->groups[*at] : tc_group_of(t, at, &size);
    }
    at = text + n;
    /* Where the text goes on, a run of spaces has no end that is known. */
    memset(groups + count, after ? t->space : TC_OUTSIDE, 64 + TC_AFTER);
    if (after) groups[count] = *at < 0x80 ? t->groups[*at] : tc_group_of(t, at, &size);
    level->judge(t, chunk, (count + 63) / 64);
    return count;
}

#endif
