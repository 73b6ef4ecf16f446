/* Characters that a Unicode form surely leaves alone, whatever is around them: most of most
 * texts. They are passed over 64 bytes at a time (AVX-512), 32 (AVX2), or, but for the most frequent
 * ones, one by one in a bit table.
 *
 * Only characters of up to three bytes are looked at; any other ends the run. */
#ifndef TEXTCORE_QUIET_H
#define TEXTCORE_QUIET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define TC_QUIET_SSE2 1
#endif

enum { TC_QUIET_BUCKETS = 1024 }; /* of 64 characters each */

typedef struct {
    uint64_t buckets[TC_QUIET_BUCKETS]; /* a bit for each character */
    uint8_t whole[128];                 /* a bit for each bucket: all of its characters are */
    uint32_t two;                       /* the same for the 32 buckets of two-byte characters */
    uint8_t low, high;                  /* all characters that begin with these bytes, or between */
} tc_quiet;

static inline void tc_quiet_add(tc_quiet *quiet, uint32_t code) {
    quiet->buckets[code >> 6] |= 1ull << (code & 63);
}

/* After all characters have been added. */
static inline void tc_quiet_done(tc_quiet *quiet) {
    for (int bucket = 0; bucket < TC_QUIET_BUCKETS; bucket++) {
        if (~quiet->buckets[bucket]) continue;
        quiet->whole[bucket >> 3] |= (uint8_t)(1 << (bucket & 7));
        if (bucket < 32) quiet->two |= 1u << bucket;
    }
    /* The longest run of leads of three bytes whose 64 buckets are all whole. */
    quiet->low = quiet->high = 0xFF;
    for (int lead = 0, from = 0; lead < 16; lead++) {
        for (int i = 0; i < 8; i++)
            if (quiet->whole[8 * lead + i] != 0xFF) from = lead + 1;
        if (lead >= from && (quiet->low == 0xFF || lead - from > quiet->high - quiet->low)) {
            quiet->low = (uint8_t)(0xE0 + from);
            quiet->high = (uint8_t)(0xE0 + lead);
        }
    }
}

/* The size of the quiet character at `s`, which begins with a byte above 127 and of which `n`
 * bytes can be read; 0 if it is none. */
static inline int tc_quiet_size(const tc_quiet *quiet, const uint8_t *s, ptrdiff_t n) {
    uint32_t bucket, lead = s[0];
    if (lead >= 0xE0 && lead < 0xF0 && n >= 3) {
        bucket = (lead & 15) << 6 | (s[1] & 63);
        return quiet->buckets[bucket] >> (s[2] & 63) & 1 ? 3 : 0;
    }
    if (lead >= 0xC0 && lead < 0xE0 && n >= 2)
        return quiet->buckets[lead & 31] >> (s[1] & 63) & 1 ? 2 : 0;
    return 0;
}

/* The end of the run of quiet characters that begins at `i`, a character's start. */
typedef ptrdiff_t (*tc_quiet_run)(const tc_quiet *quiet, const uint8_t *s, ptrdiff_t n,
                                  ptrdiff_t i);

/* As far as it goes one by one, or in blocks of ASCII. */
static ptrdiff_t tc_quiet_rest(const tc_quiet *quiet, const uint8_t *s, ptrdiff_t n, ptrdiff_t i) {
    uint64_t some[4];
    int size;
    while (i < n) {
        if (s[i] < 0x80) {
            i++;
            for (; n - i >= 32; i += 32) {
                memcpy(some, s + i, 32);
                if ((some[0] | some[1] | some[2] | some[3]) & 0x8080808080808080u) break;
            }
            while (i < n && s[i] < 0x80) i++;
        } else if ((size = tc_quiet_size(quiet, s + i, n - i)) != 0) {
            i += size;
        } else {
            break;
        }
    }
    return i;
}

static ptrdiff_t tc_quiet_run_plain(const tc_quiet *quiet, const uint8_t *s, ptrdiff_t n,
                                    ptrdiff_t i) {
#if defined(TC_QUIET_SSE2) && (defined(__GNUC__) || defined(__clang__))
    const __m128i low = _mm_set1_epi8((char)quiet->low), high = _mm_set1_epi8((char)quiet->high);
    const __m128i lead = _mm_set1_epi8((char)0xC0);
    const ptrdiff_t start = i;
    /* All of a character that begins in the sixteen bytes can be read. */
    for (; n - i >= 18; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(s + i));
        if (!_mm_movemask_epi8(bytes)) continue;
        __m128i in_range = _mm_and_si128(_mm_cmpeq_epi8(_mm_max_epu8(bytes, low), bytes),
                                         _mm_cmpeq_epi8(_mm_min_epu8(bytes, high), bytes));
        __m128i leads = _mm_cmpeq_epi8(_mm_max_epu8(bytes, lead), bytes);
        unsigned ask = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(in_range, leads));
        for (; ask; ask &= ask - 1) {
            ptrdiff_t at = i + __builtin_ctz(ask);
            if (!tc_quiet_size(quiet, s + at, n - at)) return at;
        }
    }
    while (i > start && i < n && (s[i] & 0xC0) == 0x80) i--;
#endif
    return tc_quiet_rest(quiet, s, n, i);
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>
#define TC_QUIET_256 __attribute__((target("avx2,bmi")))

TC_QUIET_256 static inline __m256i tc_quiet_row(const uint8_t *rows, int row, __m256i index) {
    __m128i entries = _mm_loadu_si128((const __m128i *)(rows + 16 * row));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), index);
}

/* Bytes of a table of 128, by indices below that: rows of sixteen, chosen by three bits. */
TC_QUIET_256 static inline __m256i tc_quiet_look_up(const uint8_t *table, __m256i index) {
    const __m256i bit4 = _mm256_slli_epi16(index, 3), bit5 = _mm256_slli_epi16(index, 2);
    const __m256i bit6 = _mm256_add_epi8(index, index);
    __m256i four[4];
    for (int i = 0; i < 4; i++)
        four[i] = _mm256_blendv_epi8(tc_quiet_row(table, 2 * i, index),
                                     tc_quiet_row(table, 2 * i + 1, index), bit4);
    four[0] = _mm256_blendv_epi8(four[0], four[1], bit5);
    four[2] = _mm256_blendv_epi8(four[2], four[3], bit5);
    return _mm256_blendv_epi8(four[0], four[2], bit6);
}

/* Those of 32 bytes that begin a character which is not surely quiet. */
TC_QUIET_256 static inline uint32_t tc_maybe_loud(const tc_quiet *quiet, const uint8_t *s,
                                                  __m256i bytes) {
    const __m256i single = _mm256_set1_epi64x((long long)0x8040201008040201ull);
    const __m256i seven = _mm256_set1_epi8(7), three = _mm256_set1_epi8((char)0xE0);
    const __m256i next = _mm256_loadu_si256((const __m256i *)(s + 1));
    const __m256i two = _mm256_set1_epi32((int)quiet->two);
    /* Three bytes: the lead's four bits and the second byte's six, as a bit of a byte. */
    __m256i bit = _mm256_shuffle_epi8(single, _mm256_and_si256(next, seven));
    __m256i index = _mm256_and_si256(_mm256_srli_epi16(next, 3), seven);
    index = _mm256_or_si256(
        index, _mm256_and_si256(_mm256_slli_epi16(bytes, 3), _mm256_set1_epi8(0x78)));
    __m256i have = _mm256_and_si256(tc_quiet_look_up(quiet->whole, index), bit);
    /* Two bytes: the lead's five bits; and what begins with none of these has no bit. */
    const __m256i is_three = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, three), bytes);
    bit = _mm256_shuffle_epi8(single, _mm256_and_si256(bytes, seven));
    index = _mm256_and_si256(_mm256_srli_epi16(bytes, 3), _mm256_set1_epi8(3));
    have = _mm256_blendv_epi8(_mm256_and_si256(_mm256_shuffle_epi8(two, index), bit), have,
                              is_three);
    have = _mm256_cmpeq_epi8(have, _mm256_setzero_si256());
    have = _mm256_or_si256(have, _mm256_cmpeq_epi8(
        _mm256_max_epu8(bytes, _mm256_set1_epi8((char)0xF0)), bytes));
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(
        have, _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8((char)0xC0)), bytes)));
}

TC_QUIET_256 static ptrdiff_t tc_quiet_run_256(const tc_quiet *quiet, const uint8_t *s,
                                               ptrdiff_t n, ptrdiff_t i) {
    const ptrdiff_t start = i;
    /* All of a character that begins in the 32 bytes can be read. */
    for (; n - i >= 34; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(s + i));
        if (!_mm256_movemask_epi8(bytes)) continue;
        for (uint32_t loud = tc_maybe_loud(quiet, s + i, bytes); loud; loud &= loud - 1) {
            ptrdiff_t at = i + (ptrdiff_t)_tzcnt_u32(loud);
            if (!tc_quiet_size(quiet, s + at, n - at)) return at;
        }
    }
    while (i > start && i < n && (s[i] & 0xC0) == 0x80) i--;
    return tc_quiet_rest(quiet, s, n, i);
}

#define TC_QUIET_512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,bmi,bmi2")))

TC_QUIET_512 static ptrdiff_t tc_quiet_run_512(const tc_quiet *quiet, const uint8_t *s,
                                               ptrdiff_t n, ptrdiff_t i) {
    const __m512i whole_low = _mm512_loadu_si512(quiet->whole);
    const __m512i whole_high = _mm512_loadu_si512(quiet->whole + 64);
    const __m512i two = _mm512_broadcast_i32x4(_mm_cvtsi32_si128((int)quiet->two));
    const __m512i single = _mm512_set1_epi64((long long)0x8040201008040201ull);
    const ptrdiff_t start = i;
    /* All of a character that begins in the 64 bytes can be read. */
    while (n - i >= 66) {
        __m512i bytes = _mm512_loadu_si512(s + i);
        uint64_t foreign = _mm512_movepi8_mask(bytes), leads, loud;
        __m512i next, bit, index, have;
        if (foreign == 0) {
            i += 64;
            continue;
        }
        next = _mm512_loadu_si512(s + i + 1);
        /* Three bytes: the lead's four bits and the second byte's six, as a bit of a byte. */
        bit = _mm512_shuffle_epi8(single, _mm512_and_si512(next, _mm512_set1_epi8(7)));
        index = _mm512_and_si512(_mm512_srli_epi16(next, 3), _mm512_set1_epi8(7));
        index = _mm512_or_si512(
            index, _mm512_and_si512(_mm512_slli_epi16(bytes, 3), _mm512_set1_epi8(0x78)));
        have = _mm512_permutex2var_epi8(whole_low, index, whole_high);
        loud = _mm512_testn_epi8_mask(have, bit);
        loud &= _mm512_cmp_epu8_mask(bytes, _mm512_set1_epi8((char)0xE0), _MM_CMPINT_NLT);
        /* Two bytes: the lead's five bits; and what begins with none of these. */
        bit = _mm512_shuffle_epi8(single, _mm512_and_si512(bytes, _mm512_set1_epi8(7)));
        index = _mm512_and_si512(_mm512_srli_epi16(bytes, 3), _mm512_set1_epi8(3));
        have = _mm512_shuffle_epi8(two, index);
        loud |= _mm512_mask_testn_epi8_mask(
            _mm512_cmp_epu8_mask(bytes, _mm512_set1_epi8((char)0xE0), _MM_CMPINT_LT), have, bit);
        loud |= _mm512_cmp_epu8_mask(bytes, _mm512_set1_epi8((char)0xF0), _MM_CMPINT_NLT);
        leads = foreign & _mm512_cmp_epu8_mask(bytes, _mm512_set1_epi8((char)0xC0),
                                               _MM_CMPINT_NLT);
        for (loud &= leads; loud; loud &= loud - 1) {
            ptrdiff_t at = i + (ptrdiff_t)_tzcnt_u64(loud);
            if (!tc_quiet_size(quiet, s + at, n - at)) return at;
        }
        i += 64;
    }
    while (i > start && i < n && (s[i] & 0xC0) == 0x80) i--;
    return tc_quiet_rest(quiet, s, n, i);
}
#endif

/* The version of a level of windows.h, or a lower one that runs here. */
static inline tc_quiet_run tc_quiet_run_of(int level) {
#ifdef TC_QUIET_512
    if (level >= 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
        return tc_quiet_run_512;
    if (level >= 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
        return tc_quiet_run_256;
#endif
    (void)level;
    return tc_quiet_run_plain;
}

#endif
