/* The AVX-512 version of windows.h: 64 places at a time, by byte permutations. */
#ifndef TEXTCORE_WINDOWS512_H
#define TEXTCORE_WINDOWS512_H

#include "iota512.h"
#include "windows.h"

#ifdef TC_X86

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

/* In a block with more characters of two and three bytes than this, their groups are looked up
 * sixteen at a time. */
enum { TC_FEW = 4 };

/* The code points of sixteen characters of two or three bytes, each in four bytes that begin with
 * it. */
TC_AVX512 static inline __m512i tc_points(__m512i characters) {
    const __mmask16 three = _mm512_test_epi32_mask(characters, _mm512_set1_epi32(0x20));
    const __m512i kept = _mm512_mask_mov_epi32(_mm512_set1_epi32(0x00003F1F), three,
                                               _mm512_set1_epi32(0x003F3F0F));
    const __m512i shifts = _mm512_mask_mov_epi32(_mm512_set1_epi32(0x00000001), three,
                                                 _mm512_set1_epi32(0x00010040));
    /* The first two bytes' bits; those, and the third one's. */
    const __m512i two = _mm512_maddubs_epi16(_mm512_and_si512(characters, kept),
                                             _mm512_set1_epi32(0x00010140));
    return _mm512_madd_epi16(two, shifts);
}

/* Groups of characters of two and three bytes, in order: those that begin in `bytes` where `asked`
 * says. Some have their last bytes in `next`. */
TC_AVX512 static inline __m512i tc_groups_of(const tc_tables *t, __m512i bytes, __m512i next,
                                             __m512i places, uint64_t asked) {
    const __m512i each = _mm512_set4_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0);
    uint8_t groups[64];
    places = _mm512_maskz_compress_epi8(asked, places);
    for (int i = 0, count = (int)_mm_popcnt_u64(asked); i < count; i += 16) {
        __m512i at = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
        at = _mm512_add_epi8(_mm512_shuffle_epi8(at, each), _mm512_set1_epi32(0x03020100));
        const __m512i points = tc_points(_mm512_permutex2var_epi8(bytes, at, next));
        _mm_storeu_si128((__m128i *)(groups + i),
                         _mm512_cvtepi32_epi8(_mm512_i32gather_epi32(points, t->flat, 1)));
        places = _mm512_shuffle_i64x2(places, places, 0x39);
    }
    return _mm512_loadu_si512(groups);
}

/* The groups of characters that begin in 64 bytes at `text`, where `leads` says; those of ASCII have
 * been `found`, the `foreign` ones have not. */
TC_AVX512 static inline void tc_classify_foreign(const tc_tables *t, const uint8_t *text,
                                                 ptrdiff_t n, __m512i bytes, __m512i places,
                                                 __m512i found, uint64_t leads, uint64_t foreign,
                                                 uint8_t *groups) {
    __m512i ordered = _mm512_maskz_compress_epi8(leads, found);
    if (_mm_popcnt_u64(foreign) > TC_FEW) {
        const uint64_t after = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
        const __m512i next = _mm512_maskz_loadu_epi8(after, text + 64);
        const uint64_t four =
            foreign & _mm512_cmp_epu8_mask(bytes, _mm512_set1_epi8((char)0xF0), _MM_CMPINT_NLT);
        const uint64_t some = foreign & ~four;
        ordered = _mm512_mask_expand_epi8(ordered, _pext_u64(some, leads),
                                          tc_groups_of(t, bytes, next, places, some));
        foreign = four;
    }
    _mm512_storeu_si512(groups, ordered);
    for (; foreign; foreign &= foreign - 1) {
        int place = (int)_tzcnt_u64(foreign), size;
        groups[_mm_popcnt_u64(_bzhi_u64(leads, (unsigned)place))] =
            tc_group_of(t, text + place, &size);
    }
}

TC_AVX512 static int tc_classify_avx512(const tc_tables *t, const uint8_t *text, int n,
                                        size_t readable, tc_chunk *chunk) {
    const __m512i places = TC_IOTA_512;
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
        tc_store_offsets(chunk->offsets + count, at, _mm512_maskz_compress_epi8(leads, places));
        tc_classify_foreign(t, text + at, n - at, bytes, places, found, leads, leads & foreign,
                            groups + count);
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
#endif
