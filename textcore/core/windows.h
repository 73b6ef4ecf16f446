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
    uint8_t ends[16]; /* what a run of spaces is, by the group that ends it; 0: spaces */
    uint8_t space;
} tc_tables;

/* `at` has three readable bytes before it and 65 from it on. */
typedef void (*tc_judge)(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                         uint64_t *unknown);

/* Turn runs of spaces into what they are by what ends them; a run that goes on after the
 * last of the 64 stays. */
static inline void tc_end_runs(const tc_tables *t, uint8_t *groups) {
    uint8_t run = 0;
    for (int i = 63; i >= 0; i--) {
        if (groups[i] != t->space)
            run = t->ends[groups[i]];
        else if (run)
            groups[i] = run;
    }
}

static void tc_judge_plain(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                           uint64_t *unknown) {
    uint64_t cut = 0, open = 0;
    uint8_t next[64];
    for (int i = 0; i < 64; i++) next[i] = t->groups[at[i + 1]];
    unsigned g3 = t->groups[at[-3]], g2 = t->groups[at[-2]], g1 = t->groups[at[-1]];
    unsigned g0 = t->groups[at[0]];
    uint8_t plain[64];
    memcpy(plain, next, 64);
    tc_end_runs(t, next);
    for (int i = 0; i < 64; i++) {
        unsigned left = t->third[t->second[g3 << 4 | g2] << 4 | g1];
        uint64_t verdict = t->verdicts[left << 4 | t->right[g0 << 4 | next[i]]];
        cut |= (verdict & 1) << i;
        open |= (verdict >> 1) << i;
        g3 = g2;
        g2 = g1;
        g1 = g0;
        g0 = plain[i];
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
    uint8_t groups[96 + 32], following[64];
    /* Groups of at[-3] .. at[64]; the last load stays inside the 65 readable bytes. */
    _mm256_storeu_si256((__m256i *)groups, tc_groups_256(t, at - 3));
    _mm256_storeu_si256((__m256i *)(groups + 32), tc_groups_256(t, at + 29));
    _mm256_storeu_si256((__m256i *)(groups + 36), tc_groups_256(t, at + 33));
    __m256i space = _mm256_set1_epi8((char)t->space);
    __m256i first = _mm256_loadu_si256((const __m256i *)(groups + 4));
    __m256i last = _mm256_loadu_si256((const __m256i *)(groups + 36));
    uint64_t spaces = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(first, space)) |
                      (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(last, space))
                          << 32;
    _mm256_storeu_si256((__m256i *)following, first);
    _mm256_storeu_si256((__m256i *)(following + 32), last);
    if (spaces) tc_end_runs(t, following);
    for (int half = 0; half < 64; half += 32) {
        const uint8_t *g = groups + 3 + half;
        __m256i g3 = _mm256_loadu_si256((const __m256i *)(g - 3));
        __m256i g2 = _mm256_loadu_si256((const __m256i *)(g - 2));
        __m256i g1 = _mm256_loadu_si256((const __m256i *)(g - 1));
        __m256i g0 = _mm256_loadu_si256((const __m256i *)g);
        __m256i next = _mm256_loadu_si256((const __m256i *)(following + half));
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

#define TC_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,bmi2")))

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

/* As tc_end_runs. Adding a run's first bit to the run carries to the bit after its end; the
 * runs that end in one way are then picked, and subtracting their first bits fills them. */
TC_AVX512 static inline __m512i tc_end_runs_512(const tc_tables *t, __m512i groups) {
    uint64_t spaces = _mm512_cmpeq_epi8_mask(groups, _mm512_set1_epi8((char)t->space));
    uint64_t firsts = spaces & ~(spaces << 1);
    uint64_t ends = (spaces + firsts) & ~spaces;
    if (!ends) return groups;
    __m512i kinds = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)t->ends));
    kinds = _mm512_shuffle_epi8(kinds, groups);
    for (uint64_t left = ends & _mm512_test_epi8_mask(kinds, kinds); left;) {
        /* The kind of the first end that is left, and all ends of that kind. */
        __m512i kind = _mm512_permutexvar_epi8(
            _mm512_set1_epi8((char)__builtin_ctzll(left)), kinds);
        uint64_t these = left & _mm512_cmpeq_epi8_mask(kinds, kind);
        uint64_t starts = _pdep_u64(_pext_u64(these, ends), firsts);
        groups = _mm512_mask_blend_epi8(these - starts, groups, kind);
        left &= ~these;
    }
    return groups;
}

TC_AVX512 static void tc_judge_avx512(const tc_tables *t, const uint8_t *at, uint64_t *cuts,
                                      uint64_t *unknown) {
    __m512i left = tc_look_up_512(t->second, tc_groups_512(t, at - 3), tc_groups_512(t, at - 2));
    left = tc_look_up_512(t->third, left, tc_groups_512(t, at - 1));
    __m512i next = tc_end_runs_512(t, tc_groups_512(t, at + 1));
    __m512i right = tc_look_up_512(t->right, tc_groups_512(t, at), next);
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
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("bmi2"))
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

#endif
