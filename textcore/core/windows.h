/* Sixty-four places of a text at a time: where it is cut, and where that is not known.
 *
 * A place is judged by the three bytes before it and the two from it on, through four tables
 * of 256 entries (textcore.pipeline.patterns.windows makes them). Three versions give the
 * same: plain C, AVX2, and AVX-512 with its byte permutations; which one runs is decided at
 * run time by what the processor has. */
#ifndef TEXTCORE_WINDOWS_H
#define TEXTCORE_WINDOWS_H

#include <stdint.h>
#include <string.h>

typedef struct {
    uint8_t groups[256];
    uint8_t second[256];
    uint8_t third[256];
    uint8_t right[256];
    uint8_t verdicts[256];
} tc_tables;

/* `at` has three readable bytes before it and 65 from it on. */
typedef void (*tc_judge)(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                         uint64_t *unknown);

static void tc_judge_plain(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                           uint64_t *unknown) {
    uint64_t cut = 0, open = 0;
    unsigned g3 = t->groups[at[-3]], g2 = t->groups[at[-2]], g1 = t->groups[at[-1]];
    unsigned g0 = t->groups[at[0]];
    for (int i = 0; i < 64; i++) {
        unsigned next = t->groups[at[i + 1]];
        unsigned left = t->third[t->second[g3 << 4 | g2] << 4 | g1];
        uint64_t verdict = t->verdicts[left << 4 | t->right[g0 << 4 | next]];
        cut |= (verdict & 1) << i;
        open |= (verdict >> 1) << i;
        g3 = g2;
        g2 = g1;
        g1 = g0;
        g0 = next;
    }
    *cuts = cut;
    *unknown = open;
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define TC_X86 1
#include <immintrin.h>

/* table[high << 4 | low] for 32 bytes, `high` and `low` below sixteen. */
__attribute__((target("avx2"))) static inline __m256i tc_look_up_256(const uint8_t *table,
                                                                     __m256i high,
                                                                     __m256i low, int rows) {
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

/* The groups of 32 bytes: every byte that is not ASCII has the last one. */
__attribute__((target("avx2"))) static inline __m256i tc_groups_256(const tc_tables *t,
                                                                    const uint8_t *at) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)at);
    __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
    __m256i groups = tc_look_up_256(t->groups, high, low, 8);
    __m256i foreign = _mm256_cmpgt_epi8(_mm256_setzero_si256(), bytes);
    return _mm256_or_si256(groups, _mm256_and_si256(foreign, _mm256_set1_epi8(15)));
}

__attribute__((target("avx2"))) static void tc_judge_avx2(const tc_tables *t,
                                                          const uint8_t *at, uint64_t *cuts,
                                                          uint64_t *unknown) {
    uint64_t cut = 0, open = 0;
    uint8_t groups[96 + 32];
    /* Groups of at[-3] .. at[64]; the last load stays inside the 65 readable bytes. */
    _mm256_storeu_si256((__m256i *)groups, tc_groups_256(t, at - 3));
    _mm256_storeu_si256((__m256i *)(groups + 32), tc_groups_256(t, at + 29));
    _mm256_storeu_si256((__m256i *)(groups + 36), tc_groups_256(t, at + 33));
    for (int half = 0; half < 64; half += 32) {
        const uint8_t *g = groups + 3 + half;
        __m256i g3 = _mm256_loadu_si256((const __m256i *)(g - 3));
        __m256i g2 = _mm256_loadu_si256((const __m256i *)(g - 2));
        __m256i g1 = _mm256_loadu_si256((const __m256i *)(g - 1));
        __m256i g0 = _mm256_loadu_si256((const __m256i *)g);
        __m256i next = _mm256_loadu_si256((const __m256i *)(g + 1));
        __m256i left = tc_look_up_256(t->third, tc_look_up_256(t->second, g3, g2, 16), g1, 16);
        __m256i right = tc_look_up_256(t->right, g0, next, 16);
        __m256i verdict = tc_look_up_256(t->verdicts, left, right, 16);
        uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(verdict, 7));
        cut |= (uint64_t)bits << half;
        bits = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(verdict, 6));
        open |= (uint64_t)bits << half;
    }
    *cuts = cut;
    *unknown = open;
}

#define TC_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

/* table[high << 4 | low] for 64 bytes: two permutations of 128 entries, one of them kept. */
TC_AVX512 static inline __m512i tc_look_up_512(const uint8_t *table, __m512i high,
                                               __m512i low) {
    __m512i index = _mm512_or_si512(_mm512_slli_epi16(high, 4), low);
    __m512i first = _mm512_permutex2var_epi8(_mm512_loadu_si512(table), index,
                                             _mm512_loadu_si512(table + 64));
    __m512i second = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), index,
                                              _mm512_loadu_si512(table + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), first, second);
}

TC_AVX512 static inline __m512i tc_groups_512(const tc_tables *t, const uint8_t *at) {
    __m512i bytes = _mm512_loadu_si512(at);
    __m512i groups = _mm512_permutex2var_epi8(_mm512_loadu_si512(t->groups), bytes,
                                              _mm512_loadu_si512(t->groups + 64));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), groups, _mm512_set1_epi8(15));
}

TC_AVX512 static void tc_judge_avx512(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                                      uint64_t *unknown) {
    __m512i left = tc_look_up_512(t->second, tc_groups_512(t, at - 3), tc_groups_512(t, at - 2));
    left = tc_look_up_512(t->third, left, tc_groups_512(t, at - 1));
    __m512i right = tc_look_up_512(t->right, tc_groups_512(t, at), tc_groups_512(t, at + 1));
    __m512i verdict = tc_look_up_512(t->verdicts, left, right);
    *cuts = _mm512_test_epi8_mask(verdict, _mm512_set1_epi8(1));
    *unknown = _mm512_test_epi8_mask(verdict, _mm512_set1_epi8(2));
}
#endif

#define TC_LEVELS 3

/* The version of a level: 0 plain, 1 AVX2, 2 AVX-512; NULL where it can't run here. */
static tc_judge tc_judge_of(int level) {
    if (level == 0) return tc_judge_plain;
#ifdef TC_X86
    __builtin_cpu_init();
    if (level == 1 && __builtin_cpu_supports("avx2")) return tc_judge_avx2;
    if (level == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
        return tc_judge_avx512;
#endif
    return NULL;
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

static inline int tc_bits(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
#endif
}

#endif
