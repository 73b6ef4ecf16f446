/* Characters that a Unicode form surely leaves alone, whatever is around them: most of most
 * texts. They are passed over 64 bytes at a time (AVX-512), or one by one in a bit table.
 *
 * Only characters of up to three bytes are looked at; any other ends the run. */
#ifndef TEXTCORE_QUIET_H
#define TEXTCORE_QUIET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TC_QUIET_BUCKETS = 1024 }; /* of 64 characters each */

typedef struct {
    uint64_t buckets[TC_QUIET_BUCKETS]; /* a bit for each character */
    uint8_t whole[128];                 /* a bit for each bucket: all of its characters are */
    uint32_t two;                       /* the same for the 32 buckets of two-byte characters */
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

static ptrdiff_t tc_quiet_run_plain(const tc_quiet *quiet, const uint8_t *s, ptrdiff_t n,
                                    ptrdiff_t i) {
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

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>
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
    return tc_quiet_run_plain(quiet, s, n, i);
}
#endif

/* The version of a level of windows.h, or a lower one that runs here. */
static inline tc_quiet_run tc_quiet_run_of(int level) {
#ifdef TC_QUIET_512
    if (level >= 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
        return tc_quiet_run_512;
#endif
    (void)level;
    return tc_quiet_run_plain;
}

#endif
