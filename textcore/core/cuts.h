/* Exact cuts: looking a boundary between two characters up, and the pieces of a text.
 *
 * Two bytes at a boundary are looked up in a table first. It says which parts of the two
 * characters some entry has side by side, usually all of both, if any; those are looked up in a
 * Bloom filter whose two bits lie in one word. The loop over a text has no branch that depends
 * on whether a boundary is a cut: that can't be foretold. */
#ifndef TEXTCORE_CUTS_H
#define TEXTCORE_CUTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mixing.h"

#if defined(__GNUC__) || defined(__clang__)
#define TC_COLD __attribute__((noinline, unused))
#else
#define TC_COLD
#endif

/* No cut, whatever the characters are. */
#define TC_JOINED 0xFFFF

typedef struct {
    /* 65,536, by the two bytes at a boundary: a bit (tc_part_bit) for each pair of parts, the last
     * bytes of one character and the first of the next, that some entry has there. */
    uint16_t *parts;
    uint64_t *pairs;  /* a Bloom filter of the parts at a boundary */
    uint64_t mask;    /* of the words of `pairs` */
    /* The character that stands for a space, or a space itself. */
    uint32_t space;
    int space_size;
} tc_cuts;

/* The bit for the last `before` bytes of a character and the first `after` of the next. */
static inline uint16_t tc_part_bit(int before, int after) {
    return (uint16_t)(1 << (4 * (before - 1) + after - 1));
}

/* Bytes of the character that starts with `lead`; 0 for a byte inside one. */
static inline int tc_character_size(uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC0) return 0;
    if (lead < 0xE0) return 2;
    return lead < 0xF0 ? 3 : 4;
}

static inline uint32_t tc_bytes(const uint8_t *at, int size) {
    uint32_t bytes = 0;
    for (int i = 0; i < size; i++) bytes |= (uint32_t)at[i] << (8 * i);
    return bytes;
}

/* One that vectors have, too: the lower half of a product, its upper bits folded in. */
static inline uint64_t tc_pair_hash(uint32_t left, uint32_t right) {
    uint64_t hash = ((uint64_t)left << 32 | right) * TC_K1;
    return hash ^ hash >> 32;
}

static inline uint64_t tc_pair_bits(uint64_t hash) {
    return 1ull << (hash & 63) | 1ull << (hash >> 6 & 63);
}

static inline int tc_joins(const tc_cuts *cuts, uint32_t left, uint32_t right) {
    uint64_t hash = tc_pair_hash(left, right), bits = tc_pair_bits(hash);
    return (cuts->pairs[hash >> 12 & cuts->mask] & bits) == bits;
}

static inline void tc_join(tc_cuts *cuts, uint32_t left, uint32_t right) {
    uint64_t hash = tc_pair_hash(left, right);
    cuts->pairs[hash >> 12 & cuts->mask] |= tc_pair_bits(hash);
}

/* Whether an entry may reach over the boundary at `at`, with any of some parts. Rarely called, and
 * kept out of the loop that calls it, which needs the registers. */
TC_COLD static int tc_any_joins(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n, ptrdiff_t at,
                               uint32_t parts) {
    int space = cuts->space_size;
    for (int i = 0; i < 16; i++) {
        int before = (i >> 2) + 1, after = (i & 3) + 1;
        uint32_t left, right;
        if (!(parts >> i & 1)) continue;
        if (before > (text[at - 1] == 0x20 ? space : at)) continue;
        if (after > (text[at] == 0x20 ? space : n - at)) continue;
        left = text[at - 1] == 0x20 ? cuts->space >> (8 * (space - before))
                                    : tc_bytes(text + at - before, before);
        right = text[at] == 0x20 ? cuts->space & 0xFFFFFFFFu >> (32 - 8 * after)
                                 : tc_bytes(text + at, after);
        if (tc_joins(cuts, left, right)) return 1;
    }
    return 0;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (defined(__GNUC__) || defined(__clang__))
#define TC_LOADS 1
#define TC_LOWEST(bits) __builtin_ctz(bits)
#else
#define TC_LOADS 0
#define TC_LOWEST(bits) 0
#endif

/* The same of the parts for one bit, of four bytes that end and four that begin there. */
static inline int tc_part_joins(const tc_cuts *cuts, uint32_t left, uint32_t right, int bit) {
    return tc_joins(cuts, left >> (24 - 2 * (bit & 12)), right & 0xFFFFFFFFu >> (24 - 8 * (bit & 3)));
}

/* The cuts of a valid text after `pos` (where a character starts), and its end: up to `room`
 * of them (1 or more), and how many. */
static inline ptrdiff_t tc_pieces(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                  ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    const int marked = cuts->space != 0x20;
    ptrdiff_t count = 0, at;
    if (pos >= n) return 0;
    for (at = pos + tc_character_size(text[pos]); at < n; at += tc_character_size(text[at])) {
        uint32_t parts = cuts->parts[(uint32_t)text[at - 1] << 8 | text[at]];
        int joins;
        ends[count] = at;
        if ((text[at - 1] | text[at]) < 0x80 && (uint16_t)(parts + 1) <= 1) {
            /* It is known of nearly all characters of ASCII, which of both can't be foretold. */
            count += parts == 0;
            if (count == room) return count;
            continue;
        }
        if (parts == TC_JOINED) continue;
        if (TC_UNLIKELY(!TC_LOADS || at < 4 ||
                        (marked && (text[at - 1] == 0x20 || text[at] == 0x20)))) {
            joins = tc_any_joins(cuts, text, n, at, parts);
        } else {
            /* Nothing is read from the end of the text on. */
            ptrdiff_t over = n - at < 4 ? at + 4 - n : 0;
            uint32_t left, right;
            memcpy(&left, text + at - 4, 4);
            memcpy(&right, text + at - over, 4);
            right >>= 8 * over;
            /* One pair of parts or none, but rarely: asked in any case, without a branch. */
            joins = tc_part_joins(cuts, left, right, TC_LOWEST(parts | 1u << 16)) & (parts != 0);
            while (TC_UNLIKELY(parts &= parts - 1))
                joins |= tc_part_joins(cuts, left, right, TC_LOWEST(parts));
        }
        count += !joins;
        if (count == room) return count;
    }
    ends[count] = n;
    return count + 1;
}

typedef ptrdiff_t (*tc_find_pieces)(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                    ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room);

static ptrdiff_t tc_pieces_plain(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                 ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    return tc_pieces(cuts, text, n, pos, ends, room);
}

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

/* The same of the boundary at `at` alone. */
static inline int tc_joins_at(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                              ptrdiff_t at) {
    uint32_t parts = cuts->parts[(uint32_t)text[at - 1] << 8 | text[at]];
    if ((uint16_t)(parts + 1) <= 1) return parts != 0;
    return tc_any_joins(cuts, text, n, at, parts);
}

/* Bytes of a text from `at` on; those outside of it are 0. */
TC_CUTS_512 static inline __m512i tc_bytes_near(const uint8_t *text, ptrdiff_t n, ptrdiff_t at) {
    uint64_t inside = n - at >= 64 ? ~0ull : (1ull << (n - at)) - 1;
    if (at < 0) inside &= ~0ull << -at;
    return _mm512_maskz_loadu_epi8(inside, text + at);
}

enum { TC_NEAR = 56 }; /* boundaries whose surroundings fit 64 bytes */

/* The boundaries after `pos`, eight at a time, or one by one where all is ASCII. */
TC_CUTS_512 static ptrdiff_t tc_pieces_512(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                           ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    const __m512i iota = _mm512_set_epi64(0x3F3E3D3C3B3A3938, 0x3736353433323130,
                                          0x2F2E2D2C2B2A2928, 0x2726252423222120,
                                          0x1F1E1D1C1B1A1918, 0x1716151413121110,
                                          0x0F0E0D0C0B0A0908, 0x0706050403020100);
    ptrdiff_t count = 0;
    for (ptrdiff_t from = pos + 1; from < n; from += TC_NEAR) {
        const int size = n - from < TC_NEAR ? (int)(n - from) : TC_NEAR;
        const __m512i bytes = tc_bytes_near(text, n, from - 4);
        /* Those from the last one before on; continuation bytes are, as signed numbers, small. */
        const uint64_t asked = ((1ull << size) - 1) << 4;
        const uint64_t leads =
            ~_mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64)) & asked;
        if (!(_mm512_movepi8_mask(bytes) & (asked | 8)) && room - count > size) {
            for (ptrdiff_t at = from; at < from + size; at++) {
                ends[count] = at;
                count += !tc_joins_at(cuts, text, n, at);
            }
            pos = from + size - 1;
            continue;
        }
        const int total = (int)_mm_popcnt_u64(leads);
        uint8_t places[64];
        _mm512_storeu_si512(places, _mm512_maskz_compress_epi8(leads >> 4, iota));
        for (int i = 0; i < total; i += 8) {
            if (TC_UNLIKELY(room - count < 8)) {
                if (count == room) return count;
                return count + tc_pieces(cuts, text, n, pos, ends + count, room - count);
            }
            __mmask8 valid = (__mmask8)(total - i >= 8 ? 0xFF : (1 << (total - i)) - 1), more;
            __m512i at = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(places + i)));
            /* Eight bytes for each place: its number, and what is added to it. */
            __m512i around = _mm512_shuffle_epi8(
                at, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
            around = _mm512_permutexvar_epi8(
                _mm512_add_epi8(around, _mm512_set1_epi64(0x0706050403020100)), bytes);
            __mmask8 joins = tc_join_eight(cuts, around, valid, &more);
            for (unsigned left = more; left; left &= left - 1) {
                int lane = (int)_tzcnt_u32(left);
                joins &= (__mmask8)~(1 << lane);
                joins |= (__mmask8)(tc_joins_at(cuts, text, n, from + places[i + lane]) << lane);
            }
            __mmask8 cut = (__mmask8)(valid & ~joins);
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
