/* Exact cuts eight places at a time, with AVX-512, and the choice of a version. */
#ifndef TEXTCORE_CUTS512_H
#define TEXTCORE_CUTS512_H

#include "cuts.h"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

#define TC_CUTS_512                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,"          \
                          "avx512vbmi2,bmi,bmi2,popcnt")))

/* Eight boundaries at once, with what four bytes before and four behind each say: those of
 * `valid` at which some entry has one pair of parts, and those that may have more to ask. */
TC_CUTS_512 static inline __mmask8 tc_join_eight(const tc_cuts *cuts, __m512i around,
                                                 __mmask8 valid, __mmask8 *more) {
    const __m512i byte = _mm512_set1_epi64(0xFF);
    const __m256i all = _mm256_set1_epi32(TC_JOINED), ones = _mm256_set1_epi32(-1);
    __m512i last = _mm512_and_si512(_mm512_srli_epi64(around, 24), byte);
    __m512i first = _mm512_and_si512(_mm512_srli_epi64(around, 32), byte);
    __m256i parts = _mm512_i64gather_epi32(
        _mm512_or_si512(_mm512_slli_epi64(last, 8), first), cuts->parts, 2);
    parts = _mm256_and_si256(parts, all);
    __mmask8 joined = _mm256_cmpeq_epi32_mask(parts, all);
    __mmask8 ask = (__mmask8)(_mm256_test_epi32_mask(parts, parts) & ~joined & valid);
    *more = 0;
    if (!ask) return joined;
    *more = _mm256_mask_test_epi32_mask(ask, parts, _mm256_add_epi32(parts, ones));
    if (cuts->space != 0x20) {
        const __m512i space = _mm512_set1_epi64(0x20);
        *more |= _mm512_mask_cmpeq_epi64_mask(ask, last, space) |
                 _mm512_mask_cmpeq_epi64_mask(ask, first, space);
    }
    /* The one bit's number: the bytes of the left character, and of the right one, less one. */
    __m256i bit = _mm256_sub_epi32(_mm256_set1_epi32(31), _mm256_lzcnt_epi32(parts));
    __m256i before = _mm256_and_si256(bit, _mm256_set1_epi32(12));
    __m256i after = _mm256_and_si256(bit, _mm256_set1_epi32(3));
    const __m256i most = _mm256_set1_epi32(24);
    __m256i left = _mm256_srlv_epi32(_mm512_cvtepi64_epi32(around),
                                     _mm256_sub_epi32(most, _mm256_slli_epi32(before, 1)));
    __m256i right = _mm256_and_si256(
        _mm512_cvtepi64_epi32(_mm512_srli_epi64(around, 32)),
        _mm256_srlv_epi32(ones, _mm256_sub_epi32(most, _mm256_slli_epi32(after, 3))));
    __m512i hash = _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(left), 32),
                                   _mm512_cvtepu32_epi64(right));
    hash = _mm512_mullo_epi64(hash, _mm512_set1_epi64((long long)TC_K1));
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
    __m512i word = _mm512_and_si512(_mm512_srli_epi64(hash, 12),
                                    _mm512_set1_epi64((long long)cuts->mask));
    word = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), ask, word, cuts->pairs, 8);
    const __m512i one = _mm512_set1_epi64(1), six = _mm512_set1_epi64(63);
    __m512i bits = _mm512_or_si512(
        _mm512_sllv_epi64(one, _mm512_and_si512(hash, six)),
        _mm512_sllv_epi64(one, _mm512_and_si512(_mm512_srli_epi64(hash, 6), six)));
    word = _mm512_and_si512(word, bits);
    return joined | _mm512_mask_cmpeq_epi64_mask(ask, word, bits);
}

/* A bit for each of eight boundaries: whether whole characters, each with the one after it in the
 * upper half of its number, stand side by side in some entry. */
TC_CUTS_512 static inline __mmask8 tc_whole_eight(const tc_cuts *cuts, __m512i both,
                                                  __mmask8 valid) {
    const __m512i one = _mm512_set1_epi64(1);
    __m512i hash = _mm512_mullo_epi64(both, _mm512_set1_epi64((long long)TC_K1));
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
    __m512i word = _mm512_and_si512(_mm512_srli_epi64(hash, 12),
                                    _mm512_set1_epi64((long long)cuts->mask));
    word = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), valid, word, cuts->pairs, 8);
    /* Only the lowest six bits of a count are looked at. */
    __m512i bits = _mm512_or_si512(_mm512_rolv_epi64(one, hash),
                                   _mm512_rolv_epi64(one, _mm512_srli_epi64(hash, 6)));
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(word, bits), bits) & valid;
}

TC_CUTS_512 static inline __m512i tc_iota(void) {
    return _mm512_set_epi64(0x3F3E3D3C3B3A3938, 0x3736353433323130, 0x2F2E2D2C2B2A2928,
                            0x2726252423222120, 0x1F1E1D1C1B1A1918, 0x1716151413121110,
                            0x0F0E0D0C0B0A0908, 0x0706050403020100);
}

/* Bytes of a text from `at` on; those outside of it are 0. */
TC_CUTS_512 static inline __m512i tc_bytes_near(const uint8_t *text, ptrdiff_t n, ptrdiff_t at) {
    uint64_t inside = n - at >= 64 ? ~0ull : (1ull << (n - at)) - 1;
    if (at < 0) inside &= ~0ull << -at;
    return _mm512_maskz_loadu_epi8(inside, text + at);
}

enum { TC_NEAR = 56 }; /* boundaries whose surroundings fit 64 bytes */

/* The first bytes of 21 characters of three bytes. */
#define TC_THREES 0x1249249249249249ull

/* Where characters of three bytes begin. */
TC_CUTS_512 static inline uint64_t tc_threes(__m512i bytes) {
    return _mm512_cmpeq_epi8_mask(_mm512_and_si512(bytes, _mm512_set1_epi8((char)0xF0)),
                                  _mm512_set1_epi8((char)0xE0));
}

/* Where the bytes of a character of three are, and above them those of the one before it. */
#define TC_BOTH(i) (0x0002010000050403 + (i) * 0x0003030300030303)

/* What a table of `cuts` has of boundaries before characters of three bytes: a bit where the last
 * byte before one is, in 64 bytes and what `next` has one place on. */
TC_CUTS_512 static inline uint64_t tc_noted(const uint8_t *table, __m512i bytes, __m512i next) {
    const __m512i bits =
        _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)tc_lead_bits));
    return _mm512_test_epi8_mask(_mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(table)),
                                 _mm512_permutexvar_epi8(next, bits));
}

/* Up to sixteen boundaries after `*pos`, where there are characters of three bytes on both sides:
 * most of a Chinese or Japanese text. `*pos` is moved on to the last of them. Sixteen ends may be
 * written; how many there are, or -1 if so many characters don't follow, nor the text's end. */
TC_CUTS_512 static inline ptrdiff_t tc_pieces_of_three(const tc_cuts *cuts, const uint8_t *text,
                                                       ptrdiff_t n, ptrdiff_t *pos,
                                                       ptrdiff_t *ends) {
    const __m512i both = _mm512_set_epi64(TC_BOTH(7), TC_BOTH(6), TC_BOTH(5), TC_BOTH(4),
                                          TC_BOTH(3), TC_BOTH(2), TC_BOTH(1), TC_BOTH(0));
    const __mmask64 three = 0x7777777777777777;
    const ptrdiff_t at = *pos;
    const uint64_t inside = n - at >= 64 ? ~0ull : (1ull << (n - at)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, text + at);
    int size = (int)_tzcnt_u64((~tc_threes(bytes) & TC_THREES) | 1ull << 63) / 3 - 1;
    if (size > 16) size = 16;
    if (size < 1 || (size < 16 && n - at > 3 * (size + 1))) return -1;
    const unsigned valid = (1u << size) - 1;
    const uint64_t asked = TC_THREES << 2 & ((1ull << 3 * size) - 1);
    const __m512i next = _mm512_maskz_loadu_epi8(inside >> 1, text + at + 1);
    const uint64_t whole = tc_noted(cuts->whole, bytes, next) & asked;
    unsigned joins = 0;
    if (whole) {
        joins = tc_whole_eight(
            cuts, _mm512_maskz_permutexvar_epi8(three, both, bytes), (__mmask8)valid);
        if (size > 8) {
            const __m512i later = _mm512_add_epi8(both, _mm512_set1_epi8(24));
            joins |= (unsigned)tc_whole_eight(
                cuts, _mm512_maskz_permutexvar_epi8(three, later, bytes),
                (__mmask8)(valid >> 8)) << 8;
        }
        joins &= (unsigned)_pext_u64(whole, TC_THREES << 2);
    }
    uint64_t odd = tc_noted(cuts->odd, bytes, next) & asked;
    for (; TC_UNLIKELY(odd); odd &= odd - 1) {
        int place = (int)_tzcnt_u64(odd) / 3;
        joins &= ~(1u << place);
        joins |= (unsigned)tc_joins_at(cuts, text, n, at + 3 * place + 3) << place;
    }
    const unsigned cut = valid & ~joins;
    const __m512i places = _mm512_add_epi64(_mm512_set1_epi64(at),
                                            _mm512_set_epi64(24, 21, 18, 15, 12, 9, 6, 3));
    const ptrdiff_t first = (ptrdiff_t)_mm_popcnt_u32(cut & 0xFF);
    _mm512_storeu_si512(ends, _mm512_maskz_compress_epi64((__mmask8)cut, places));
    if (size > 8)
        _mm512_storeu_si512(ends + first, _mm512_maskz_compress_epi64(
            (__mmask8)(cut >> 8), _mm512_add_epi64(places, _mm512_set1_epi64(24))));
    *pos = at + 3 * size;
    return (ptrdiff_t)_mm_popcnt_u32(cut);
}

/* Which of eight boundaries are cuts: those of `valid`, `at` places behind `from`, where `bytes` has
 * the text from four places before on. */
TC_CUTS_512 static inline __mmask8 tc_cuts_of_eight(const tc_cuts *cuts, const uint8_t *text,
                                                    ptrdiff_t n, ptrdiff_t from, __m512i bytes,
                                                    __m512i at, __mmask8 valid) {
    __mmask8 more;
    /* Eight bytes for each place: its number, and what is added to it. */
    __m512i around =
        _mm512_shuffle_epi8(at, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
    around = _mm512_permutexvar_epi8(
        _mm512_add_epi8(around, _mm512_set1_epi64(0x0706050403020100)), bytes);
    __mmask8 joins = tc_join_eight(cuts, around, valid, &more);
    for (unsigned left = more; left; left &= left - 1) {
        const unsigned lane = _tzcnt_u32(left);
        uint8_t places[8];
        _mm_storel_epi64((__m128i *)places, _mm512_cvtepi64_epi8(at));
        joins &= (__mmask8)~(1u << lane);
        joins |= (__mmask8)(tc_joins_at(cuts, text, n, from + places[lane]) << lane);
    }
    return (__mmask8)(valid & ~joins);
}

/* The boundaries after `pos`: sixteen at a time where all around are characters of three bytes,
 * else eight at a time, or one by one where all is ASCII. */
TC_CUTS_512 static ptrdiff_t tc_pieces_512(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                           ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    ptrdiff_t count = 0;
    int size;
    for (ptrdiff_t from = pos + 1; from < n; from += size) {
        const int roomy = room - count >= 16;
        if (roomy && (text[pos] & 0xF0) == 0xE0) {
            const ptrdiff_t more = tc_pieces_of_three(cuts, text, n, &pos, ends + count);
            if (more >= 0) {
                count += more;
                if (n - pos == 3) break;
                size = (int)(pos + 1 - from);
                continue;
            }
        }
        size = n - from < TC_NEAR ? (int)(n - from) : TC_NEAR;
        const __m512i bytes = tc_bytes_near(text, n, from - 4);
        /* Those from the last one before on; continuation bytes are, as signed numbers, small. */
        const uint64_t asked = ((1ull << size) - 1) << 4;
        uint64_t leads = ~_mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64)) & asked;
        if (!(_mm512_movepi8_mask(bytes) & (asked | 8)) && room - count > size) {
            for (ptrdiff_t at = from; at < from + size; at++) {
                ends[count] = at;
                count += !tc_joins_at(cuts, text, n, at);
            }
            pos = from + size - 1;
            continue;
        }
        /* What is all characters of three bytes from some place on is for the other way. */
        const uint64_t others = leads & ~tc_threes(bytes);
        uint64_t rest = leads;
        if (others) rest &= ~(~0ull >> __builtin_clzll(others));
        if (roomy && (rest & (rest - 1))) {
            /* The first of them is still one of these. */
            leads &= rest ^ (rest - 1);
            size = (int)_tzcnt_u64(rest) - 3;
        }
        const int total = (int)_mm_popcnt_u64(leads);
        uint8_t places[64];
        _mm512_storeu_si512(places, _mm512_maskz_compress_epi8(leads >> 4, tc_iota()));
        for (int i = 0; i < total; i += 8) {
            if (TC_UNLIKELY(room - count < 8)) {
                if (count == room) return count;
                return count + tc_pieces(cuts, text, n, pos, ends + count, room - count);
            }
            __mmask8 valid = (__mmask8)(total - i >= 8 ? 0xFF : (1 << (total - i)) - 1);
            __m512i at = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(places + i)));
            __mmask8 cut = tc_cuts_of_eight(cuts, text, n, from, bytes, at, valid);
            at = _mm512_add_epi64(at, _mm512_set1_epi64(from));
            _mm512_storeu_si512(ends + count, _mm512_maskz_compress_epi64(cut, at));
            count += (ptrdiff_t)_mm_popcnt_u32(cut);
            pos = from + places[i + 7 < total ? i + 7 : total - 1];
        }
    }
    if (count == room) return count;
    ends[count] = n;
    return count + 1;
}
#endif

/* The version for a level of windows.h, which the caller knows to run here. */
static inline tc_find_pieces tc_pieces_of(int level) {
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    if (level >= 2 && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
        return tc_pieces_512;
#endif
    (void)level;
    return tc_pieces_plain;
}

#endif
