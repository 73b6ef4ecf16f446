/* Exact cuts with AVX-512, and the choice of a version. */
#ifndef TEXTCORE_CUTS512_H
#define TEXTCORE_CUTS512_H

#include "cuts.h"
#include "iota512.h"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

#define TC_CUTS_512                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,"          \
                          "avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))

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

/* Bytes of a text from `at` on; those outside of it are 0. */
TC_CUTS_512 static inline __m512i tc_bytes_near(const uint8_t *text, ptrdiff_t n, ptrdiff_t at) {
    uint64_t inside = n - at >= 64 ? ~0ull : (1ull << (n - at)) - 1;
    if (at < 0) inside &= ~0ull << -at;
    return _mm512_maskz_loadu_epi8(inside, text + at);
}

/* Boundaries whose surroundings fit 64 bytes: four of them before the first, and four behind the
 * last one. In masks each has the bit of the byte after it. */
enum { TC_NEAR = 56 };

typedef struct {
    const uint8_t *text;
    ptrdiff_t n;
    ptrdiff_t at;   /* of the first byte */
    __m512i bytes;
    __m512i before; /* each byte's neighbour */
} tc_near;

#define TC_LOOK_UP_128(table, index)                                                         \
    _mm512_permutex2var_epi8(_mm512_loadu_si512(table), index,                                \
                             _mm512_loadu_si512((table) + 64))

/* Where an ASCII character joins the one before it, if that is one, too. */
TC_CUTS_512 static inline uint64_t tc_ascii_joins(const tc_neighbours *t, const tc_near *near) {
    const __m512i bits = _mm512_set1_epi64((long long)0x8040201008040201ull);
    const __m512i kind = TC_LOOK_UP_128(t->classes, near->before);
    const __m512i group = _mm512_and_si512(_mm512_srli_epi16(kind, 3), _mm512_set1_epi8(15));
    const __m512i bit = _mm512_shuffle_epi8(bits, _mm512_and_si512(kind, _mm512_set1_epi8(7)));
    __m512i row = _mm512_setzero_si512();
    for (int i = 0; i < t->groups; i++)
        row = _mm512_mask_mov_epi8(row, _mm512_cmpeq_epi8_mask(group, _mm512_set1_epi8((char)i)),
                                   TC_LOOK_UP_128(t->rows[i], near->bytes));
    return _mm512_test_epi8_mask(row, bit);
}

/* Where two characters, not both of ASCII, may be joined. */
TC_CUTS_512 static inline uint64_t tc_may_join(const tc_neighbours *t, const tc_near *near,
                                               uint64_t foreign) {
    __m512i kind = _mm512_mask_permutexvar_epi8(
        TC_LOOK_UP_128(tc_ascii_kinds, near->bytes), foreign, near->bytes,
        _mm512_loadu_si512(tc_lead_kinds));
    __m512i kinds = TC_LOOK_UP_128(t->ascii_lead, near->before);
    const uint64_t after = foreign << 1;
    kinds = _mm512_mask_permutexvar_epi8(kinds, after & foreign, near->before,
                                         _mm512_loadu_si512(t->inside_lead));
    kinds = _mm512_mask_permutexvar_epi8(kinds, after & ~foreign, near->before,
                                         _mm512_loadu_si512(t->inside));
    return _mm512_test_epi8_mask(kinds, kind);
}

/* Where characters of three bytes begin. */
TC_CUTS_512 static inline uint64_t tc_threes(__m512i bytes) {
    return _mm512_cmpeq_epi8_mask(_mm512_and_si512(bytes, _mm512_set1_epi8((char)0xF0)),
                                  _mm512_set1_epi8((char)0xE0));
}

/* What a table of `cuts` has of boundaries after some bytes, and before others that begin characters
 * of three bytes. */
TC_CUTS_512 static inline uint64_t tc_noted(const uint8_t *table, __m512i before, __m512i bytes) {
    const __m512i bits =
        _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)tc_lead_bits));
    return _mm512_test_epi8_mask(_mm512_permutexvar_epi8(before, _mm512_loadu_si512(table)),
                                 _mm512_permutexvar_epi8(bytes, bits));
}

/* Those of some such boundaries that have parts of characters noted, and what is behind the first
 * bytes of the second ones. */
TC_CUTS_512 static inline uint64_t tc_noted_odd(const tc_cuts *cuts, __m512i before,
                                                __m512i bytes, __m512i seconds) {
    const __m512i bits = _mm512_set1_epi64((long long)0x8040201008040201ull);
    const uint64_t odd = tc_noted(cuts->near->odd, before, bytes);
    if (!odd) return 0;
    return odd & _mm512_test_epi8_mask(
        _mm512_permutexvar_epi8(before, _mm512_loadu_si512(cuts->near->odd_second)),
        _mm512_shuffle_epi8(bits, _mm512_and_si512(seconds, _mm512_set1_epi8(7))));
}

/* Surroundings of eight boundaries, `at` places behind the first byte: the bytes at some places
 * from there on, which are the same for all. */
TC_CUTS_512 static inline __m512i tc_around(const tc_near *near, __m512i at, uint64_t places) {
    const __m512i eight = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);
    const __m512i index =
        _mm512_add_epi8(_mm512_shuffle_epi8(at, eight), _mm512_set1_epi64((long long)places));
    return _mm512_permutexvar_epi8(index, near->bytes);
}

/* Which of eight boundaries between characters of three bytes aren't cuts. */
TC_CUTS_512 static inline __mmask8 tc_threes_join(const tc_cuts *cuts, const tc_near *near,
                                                  __m512i at, __mmask8 valid) {
    __m512i both = tc_around(near, at, 0x00FFFEFD00020100);
    both = _mm512_maskz_mov_epi8(0x7777777777777777, both);
    return tc_whole_eight(cuts, both, valid);
}

/* Which of eight boundaries between any characters aren't. */
TC_CUTS_512 static inline __mmask8 tc_others_join(const tc_cuts *cuts, const tc_near *near,
                                                  __m512i at, __mmask8 valid) {
    __mmask8 more;
    __mmask8 joins =
        tc_join_eight(cuts, tc_around(near, at, 0x03020100FFFEFDFC), valid, &more);
    for (unsigned left = more; left; left &= left - 1) {
        const unsigned lane = _tzcnt_u32(left);
        uint8_t places[8];
        _mm_storel_epi64((__m128i *)places, _mm512_cvtepi64_epi8(at));
        joins &= (__mmask8)~(1u << lane);
        joins |= (__mmask8)(tc_joins_at(cuts, near->text, near->n, near->at + places[lane]) << lane);
    }
    return joins & valid;
}

typedef __mmask8 (*tc_eight_join)(const tc_cuts *cuts, const tc_near *near, __m512i at,
                                  __mmask8 valid);

/* Those of some boundaries that are no cuts, found out eight at a time. */
TC_CUTS_512 __attribute__((always_inline)) static inline uint64_t tc_ask(
        const tc_cuts *cuts, const tc_near *near, uint64_t asked, tc_eight_join eight_join) {
    __m512i places = _mm512_maskz_compress_epi8(asked, TC_IOTA_512);
    uint64_t joined = 0;
    for (int left = (int)_mm_popcnt_u64(asked), i = 0; left > 0; left -= 8, i += 8) {
        const __mmask8 valid = (__mmask8)(left >= 8 ? 0xFF : (1 << left) - 1);
        const __m512i at = _mm512_cvtepu8_epi64(_mm512_castsi512_si128(places));
        joined |= (uint64_t)eight_join(cuts, near, at, valid) << i;
        places = _mm512_alignr_epi64(places, places, 1);
    }
    return _pdep_u64(joined, asked);
}

/* Those of some boundaries after characters of three bytes, before such, that are no cuts. */
TC_CUTS_512 static inline uint64_t tc_between_threes(const tc_cuts *cuts, const tc_near *near,
                                                     uint64_t threes) {
    uint64_t joined = tc_noted(cuts->near->whole, near->before, near->bytes) & threes;
    const __m512i one_on = _mm512_add_epi8(TC_IOTA_512, _mm512_set1_epi8(1));
    uint64_t odd = threes & tc_noted_odd(cuts, near->before, near->bytes,
                                         _mm512_permutexvar_epi8(one_on, near->bytes));
    if (joined) joined = tc_ask(cuts, near, joined, tc_threes_join);
    for (; TC_UNLIKELY(odd); odd &= odd - 1) {
        const int place = (int)_tzcnt_u64(odd);
        joined &= ~(1ull << place);
        joined |= (uint64_t)tc_joins_at(cuts, near->text, near->n, near->at + place) << place;
    }
    return joined;
}

/* Which of `asked` boundaries are cuts. */
TC_CUTS_512 static inline uint64_t tc_cuts_near(const tc_cuts *cuts, const tc_near *near,
                                                uint64_t asked) {
    const tc_neighbours *t = cuts->near;
    const uint64_t foreign = _mm512_movepi8_mask(near->bytes), beside = foreign | foreign << 1;
    uint64_t ascii = asked & ~beside, joined = 0, others;
    if (ascii) {
        if (TC_UNLIKELY(t->asks >= 0)) {
            const __m512i space = _mm512_set1_epi8((char)t->asks);
            ascii &= ~(_mm512_cmpeq_epi8_mask(near->bytes, space) |
                       _mm512_cmpeq_epi8_mask(near->before, space));
        }
        joined = tc_ascii_joins(t, near) & ascii;
        if (ascii == asked) return asked & ~joined;
    }
    /* Continuation bytes are, as signed numbers, small. */
    asked &= ~_mm512_cmplt_epi8_mask(near->bytes, _mm512_set1_epi8(-64));
    const uint64_t three = tc_threes(near->bytes), threes = three & three << 3 & asked;
    if (threes) joined |= tc_between_threes(cuts, near, threes);
    others = asked & ~(ascii | threes);
    if (others) {
        uint64_t maybe = others & ~beside;
        maybe |= tc_may_join(t, near, foreign) & others;
        if (maybe) joined |= tc_ask(cuts, near, maybe, tc_others_join);
    }
    return asked & ~joined;
}

/* Write up to `room` places of a mask: how many. */
TC_CUTS_512 static inline ptrdiff_t tc_put_places(uint64_t mask, ptrdiff_t base, ptrdiff_t *ends,
                                                  ptrdiff_t room) {
    const ptrdiff_t total = (ptrdiff_t)_mm_popcnt_u64(mask);
    __m512i places = _mm512_maskz_compress_epi8(mask, TC_IOTA_512);
    ptrdiff_t some[64], *out = room >= 64 ? ends : some;
    for (ptrdiff_t i = 0; i < total; i += 8) {
        const __m512i eight = _mm512_cvtepu8_epi64(_mm512_castsi512_si128(places));
        _mm512_storeu_si512(out + i, _mm512_add_epi64(eight, _mm512_set1_epi64(base)));
        places = _mm512_alignr_epi64(places, places, 1);
    }
    if (out == ends) return total;
    const ptrdiff_t kept = total < room ? total : room;
    memcpy(ends, some, (size_t)kept * sizeof(*ends));
    return kept;
}

/* The first bytes of 21 characters of three bytes. */
#define TC_THREES 0x1249249249249249ull

/* Where the bytes of a character of three are, and above them those of the one before it. */
#define TC_BOTH(i) (0x0002010000050403 + (i) * 0x0003030300030303)

/* The boundaries after `pos` of a word of 2 to 17 characters of three bytes, up to its end `n`: how
 * many, or -1 if it is no such word. Seventeen may be written. */
TC_CUTS_512 static inline ptrdiff_t tc_word_of_threes(const tc_cuts *cuts, const uint8_t *text,
                                                      ptrdiff_t n, ptrdiff_t pos,
                                                      ptrdiff_t *ends) {
    const __m512i both = _mm512_set_epi64(TC_BOTH(7), TC_BOTH(6), TC_BOTH(5), TC_BOTH(4),
                                          TC_BOTH(3), TC_BOTH(2), TC_BOTH(1), TC_BOTH(0));
    const __mmask64 three = 0x7777777777777777;
    const uint64_t inside = (1ull << (n - pos)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, text + pos);
    const int size = (int)(n - pos) / 3 - 1;
    if (tc_threes(bytes) != (TC_THREES & inside) || size < 1) return -1;
    const unsigned valid = (1u << size) - 1;
    const uint64_t asked = TC_THREES << 2 & ((1ull << 3 * size) - 1);
    const __m512i next = _mm512_maskz_loadu_epi8(inside >> 1, text + pos + 1);
    const uint64_t whole = tc_noted(cuts->near->whole, bytes, next) & asked;
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
    uint64_t odd = asked & tc_noted_odd(cuts, bytes, next,
                                        _mm512_maskz_loadu_epi8(inside >> 2, text + pos + 2));
    for (; TC_UNLIKELY(odd); odd &= odd - 1) {
        int place = (int)_tzcnt_u64(odd) / 3;
        joins &= ~(1u << place);
        joins |= (unsigned)tc_joins_at(cuts, text, n, pos + 3 * place + 3) << place;
    }
    const unsigned cut = valid & ~joins;
    const __m512i places = _mm512_add_epi64(_mm512_set1_epi64(pos),
                                            _mm512_set_epi64(24, 21, 18, 15, 12, 9, 6, 3));
    const ptrdiff_t first = (ptrdiff_t)_mm_popcnt_u32(cut & 0xFF);
    const ptrdiff_t count = (ptrdiff_t)_mm_popcnt_u32(cut);
    _mm512_storeu_si512(ends, _mm512_maskz_compress_epi64((__mmask8)cut, places));
    if (size > 8)
        _mm512_storeu_si512(ends + first, _mm512_maskz_compress_epi64(
            (__mmask8)(cut >> 8), _mm512_add_epi64(places, _mm512_set1_epi64(24))));
    ends[count] = n;
    return count + 1;
}

/* The same of one that may begin with a character of ASCII: many words of Chinese and Japanese. */
TC_CUTS_512 static inline ptrdiff_t tc_short_word(const tc_cuts *cuts, const uint8_t *text,
                                                  ptrdiff_t n, ptrdiff_t pos, ptrdiff_t *ends) {
    ptrdiff_t before = 0, more;
    if (text[pos] < 0x80) {
        *ends = ++pos;
        before = !tc_joins_at(cuts, text, n, pos);
    }
    more = tc_word_of_threes(cuts, text, n, pos, ends + before);
    return more < 0 ? more : before + more;
}

enum { TC_CUT_AT_ONCE = 17 }; /* characters of three bytes, after one of ASCII */

/* Whether it is worth a try: its size, and its last byte. */
static inline int tc_is_short(const uint8_t *text, ptrdiff_t n, ptrdiff_t pos) {
    return n - pos <= 3 * TC_CUT_AT_ONCE && text[n - 1] & 0x80;
}

TC_CUTS_512 static ptrdiff_t tc_pieces_512(const tc_cuts *cuts, const uint8_t *text, ptrdiff_t n,
                                           ptrdiff_t pos, ptrdiff_t *ends, ptrdiff_t room) {
    ptrdiff_t count = 0;
    if (room > TC_CUT_AT_ONCE && tc_is_short(text, n, pos)) {
        count = tc_short_word(cuts, text, n, pos, ends);
        if (count >= 0) return count;
        count = 0;
    }
    for (ptrdiff_t from = pos + 1; from < n; from += TC_NEAR) {
        const ptrdiff_t size = n - from < TC_NEAR ? n - from : TC_NEAR;
        const tc_near near = {text, n, from - 4, tc_bytes_near(text, n, from - 4),
                              tc_bytes_near(text, n, from - 5)};
        const uint64_t cut = tc_cuts_near(cuts, &near, ((1ull << size) - 1) << 4);
        count += tc_put_places(cut, near.at, ends + count, room - count);
        if (count == room) return count;
    }
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
