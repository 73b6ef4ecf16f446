/* The ids of a text of one window, where nothing about it is rare.
 *
 * A call for a few words is over before the passes over a batch of words are worth their setting
 * up: here the words of up to 64 ASCII characters are found at once (windows512.h), and each is
 * looked up in the cache as it is found, so that the look-ups wait for nothing but the cuts. */
#ifndef TEXTCORE_QUICK_H
#define TEXTCORE_QUICK_H

#include "firsts.h"
#include "levels.h"
#include "units.h"

enum { TC_QUICK = 64 }; /* bytes of a text, and ids of it */

/* The ids of the `n` ASCII characters at `text` (1 to TC_QUICK), how many; or -1, where the text
 * may have an added token of either kind, where the tables don't decide a cut, or where the cache
 * lacks a word: all that is for the general way. TC_IDS_LIMIT more ids may be written. */
typedef ptrdiff_t (*tc_quick_ids)(const tc_tables *t, const tc_firsts *first,
                                  const tc_firsts *second, const tc_line *lines, uint64_t mask,
                                  const uint8_t *text, ptrdiff_t n, uint32_t *ids);

#ifdef TC_X86

#define TC_QUICK_512                                                                            \
    __attribute__((target(                                                                      \
        "avx2,aes,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))

/* Whether an added token may begin in a text, of which `bytes` are the `present` ones. */
TC_QUICK_512 static inline int tc_quick_first(const tc_firsts *firsts, __m512i bytes,
                                              uint64_t present, const uint8_t *text, ptrdiff_t n) {
    uint64_t any = 0;
    if (!firsts || !firsts->count) return 0;
    if (TC_LIKELY(firsts->count <= TC_FEW_FIRSTS)) {
        any = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)firsts->bytes[0]));
        for (int i = 1; i < firsts->count; i++)
            any |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)firsts->bytes[i]));
        if (TC_LIKELY(!(any & present))) return 0;
    }
    return tc_find_first(firsts, text, 0, n) != n;
}

/* The groups `by` places on, beyond `outside` of which there is nothing. */
TC_QUICK_512 TC_ALWAYS __m512i tc_moved(__m512i groups, int by, uint64_t inside) {
    const __m512i iota = _mm512_loadu_si512(tc_numbers_512);
    return _mm512_mask_permutexvar_epi8(_mm512_set1_epi8(TC_OUTSIDE), inside,
                                        _mm512_add_epi8(iota, _mm512_set1_epi8((char)by)), groups);
}

/* Where the words of a text of one window begin, but for the first; all ones where that is not
 * known. What tc_judge_avx512 does, with no more of the text before and after. */
TC_QUICK_512 TC_ALWAYS uint64_t tc_quick_cuts(const tc_tables *t, __m512i bytes,
                                              uint64_t present) {
    __m512i groups = _mm512_mask_permutex2var_epi8(_mm512_loadu_si512(t->groups), present, bytes,
                                                   _mm512_loadu_si512(t->groups + 64));
    TC_LOAD_512(second);
    TC_LOAD_512(third);
    TC_LOAD_512(right);
    TC_LOAD_512(verdicts);
    __m512i next, state, verdict;
    uint64_t spaces;
    groups = _mm512_mask_mov_epi8(_mm512_set1_epi8(TC_OUTSIDE), present, groups);
    next = tc_moved(groups, 1, ~0ull >> 1);
    spaces = _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8((char)t->space));
    if (spaces) {
        __m512i kinds = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)t->ends));
        if (TC_UNLIKELY(spaces & spaces >> 1)) return ~0ull;
        kinds = _mm512_shuffle_epi8(kinds, tc_moved(groups, 2, ~0ull >> 2));
        next = _mm512_mask_mov_epi8(next, spaces & _mm512_test_epi8_mask(kinds, kinds), kinds);
    }
    state = TC_LOOK_UP_512(second, tc_moved(groups, -3, ~7ull), tc_moved(groups, -2, ~3ull));
    state = TC_LOOK_UP_512(third, state, tc_moved(groups, -1, ~1ull));
    verdict = TC_LOOK_UP_512(verdicts, state, TC_LOOK_UP_512(right, groups, next));
    present &= ~1ull;
    if (TC_UNLIKELY(_mm512_test_epi8_mask(verdict, _mm512_set1_epi8(2)) & present)) return ~0ull;
    return _mm512_test_epi8_mask(verdict, _mm512_set1_epi8(1)) & present;
}

#define TC_KEEP(x) __asm__("" : "+r"(x))
TC_QUICK_512 TC_ALWAYS uint64_t tc_quick_guess(__m512i bytes, uint64_t present) {
    __m512i low = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    uint64_t spaces = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '));
    uint64_t letters = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(low, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    return (spaces | (~letters & letters << 1)) & present & ~1ull;
}

/* The line of a word in the cache, whose key and bytes without the length these are; or NULL. */
TC_QUICK_512 TC_ALWAYS const tc_line *tc_quick_line(const tc_line *lines, uint64_t mask,
                                                    __m256i word, __m256i key) {
    const uint64_t place = tc_mixed_aes(word) & mask;
    const tc_line *line = lines + place;
    for (uint64_t other = 0; !TC_LIKELY(tc_holds_wide(line, key)); line = lines + (place ^ other))
        if (++other == 4 || !line->w[3]) return NULL;
    return line;
}

TC_QUICK_512 static ptrdiff_t tc_quick_avx512(const tc_tables *t, const tc_firsts *first,
                                              const tc_firsts *second, const tc_line *lines,
                                              uint64_t mask, const uint8_t *text, ptrdiff_t n,
                                              uint32_t *ids) {
    const uint64_t present = _bzhi_u64(~0ull, (unsigned)n);
    const __m512i bytes = _mm512_maskz_loadu_epi8(present, text);
    const uint32_t *const begin = ids;
    uint64_t ends, guess, likely, start = 0;
    if (tc_quick_first(first, bytes, present, text, n)) return -1;
    if (tc_quick_first(second, bytes, present, text, n)) return -1;
    ends = tc_quick_cuts(t, bytes, present);
    guess = likely = tc_quick_guess(bytes, present);
    TC_KEEP(likely);
    if (TC_LIKELY(ends == guess)) {
        __asm__ volatile("");
        ends = likely;
    }
    if (ends & 1) return -1;
    if (n < 64) ends |= 1ull << n; /* or that of no bit is 64 */
    while (start < (uint64_t)n) {
        const uint64_t end = _tzcnt_u64(ends), size = end - start;
        const tc_line *line;
        __m256i word, key;
        if (TC_UNLIKELY(size > TC_KEY_LIMIT)) return -1;
        word = _mm256_maskz_loadu_epi8(_bzhi_u32(~0u, (unsigned)size), text + start);
        key = _mm256_mask_set1_epi8(word, 1u << 31, (char)size);
        line = tc_quick_line(lines, mask, word, key);
        if (TC_UNLIKELY(!line)) return -1;
        _mm256_storeu_si256((__m256i *)ids, _mm256_loadu_si256((const __m256i *)line->ids));
        /* One id is the rule: what comes next need not wait for the line to say so. */
        if (TC_LIKELY(tc_line_count(line) == 1)) {
            __asm__ volatile("");
            ids++;
        } else {
            ids += tc_line_count(line);
        }
        start = end;
        ends &= ends - 1;
    }
    return ids - begin;
}
#endif

/* What does so on this processor, where words are cached as `passes` has them; or NULL. */
static inline tc_quick_ids tc_quick_of(const tc_passes *passes, int level) {
#ifdef TC_X86
    if (level == 2 && passes->make == tc_make_widest && tc_level_of(level).judge)
        return tc_quick_avx512;
#else
    (void)passes;
    (void)level;
#endif
    return 0;
}

#endif
