/* The ids of a text of one window, where nothing about it is rare.
 *
 * A call for a few words is over before the passes over a batch of words are worth their setting
 * up: here the words of up to 64 ASCII characters are found at once (windows512.h), and each is
 * looked up in the cache as it is found, so that the look-ups wait for nothing but the cuts. */
#ifndef TEXTCORE_QUICK_H
#define TEXTCORE_QUICK_H

#include <Python.h>
#include <stdlib.h>

#include "cuts.h"
#include "firsts.h"
#include "levels.h"
#include "units.h"

enum { TC_QUICK = 64 }; /* bytes of a text, and ids of it */

/* How an encoder's texts become words: by the tables of its only split, or, where that is NULL, by
 * cuts alone. */
typedef struct {
    const tc_tables *tables;
    void *memory; /* that they are in, NULL or to be freed */
    const tc_cuts *cuts;
    int opening; /* whether the first word is cached as one that begins a text */
} tc_quick;

/* Whether a string keeps its UTF-8 by now, so that asking for it can't fail. */
static inline int tc_has_utf8(PyObject *text) {
#if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION) || defined(Py_LIMITED_API)
    (void)text;
    return 0;
#else
    return PyUnicode_IS_COMPACT(text) && ((PyCompactUnicodeObject *)text)->utf8 != NULL;
#endif
}

/* The ids of the `n` bytes at `text` (1 to TC_QUICK; ASCII, if there is a split), how many; or -1,
 * where the text may have an added token of either kind, where the tables don't decide a cut, or
 * where the cache lacks a word: all that is for the general way. TC_IDS_LIMIT more ids may be
 * written. */
typedef ptrdiff_t (*tc_quick_ids)(const tc_quick *quick, const tc_firsts *first,
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

/* Which of 64 groups stands `by` places on, from 64 on for none. */
#define TC_EIGHT_ON(at, by)                                                                     \
    TC_ON(at, by), TC_ON(at + 1, by), TC_ON(at + 2, by), TC_ON(at + 3, by), TC_ON(at + 4, by),  \
        TC_ON(at + 5, by), TC_ON(at + 6, by), TC_ON(at + 7, by)
#define TC_ON(at, by) ((at) + (by) < 0 || (at) + (by) > 63 ? 64 : (at) + (by))
#define TC_ALL_ON(by)                                                                           \
    {TC_EIGHT_ON(0, by),  TC_EIGHT_ON(8, by),  TC_EIGHT_ON(16, by), TC_EIGHT_ON(24, by),        \
     TC_EIGHT_ON(32, by), TC_EIGHT_ON(40, by), TC_EIGHT_ON(48, by), TC_EIGHT_ON(56, by)}
static const uint8_t tc_moves[5][64] __attribute__((aligned(64))) = {
    TC_ALL_ON(-3), TC_ALL_ON(-2), TC_ALL_ON(-1), TC_ALL_ON(1), TC_ALL_ON(2)};

/* The groups some places on, by one of these rows; nothing beyond them. */
TC_QUICK_512 TC_ALWAYS __m512i tc_moved(__m512i groups, __m512i outside, int row) {
    return _mm512_permutex2var_epi8(groups, _mm512_load_si512(tc_moves[row]), outside);
}

/* Where the words of a text of one window begin, but for the first; all ones where that is not
 * known. What tc_judge_avx512 does, with no more of the text before and after. */
TC_QUICK_512 TC_ALWAYS uint64_t tc_quick_cuts(const tc_tables *t, __m512i bytes,
                                              uint64_t present) {
    const __m512i outside = _mm512_set1_epi8(TC_OUTSIDE);
    __m512i groups = _mm512_permutex2var_epi8(_mm512_loadu_si512(t->groups), bytes,
                                              _mm512_loadu_si512(t->groups + 64));
    TC_LOAD_512(second);
    TC_LOAD_512(third);
    TC_LOAD_512(right);
    TC_LOAD_512(verdicts);
    __m512i next, state, verdict;
    uint64_t spaces;
    groups = _mm512_mask_mov_epi8(outside, present, groups);
    next = tc_moved(groups, outside, 3);
    spaces = _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8((char)t->space));
    if (spaces) {
        __m512i kinds = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)t->ends));
        if (TC_UNLIKELY(spaces & spaces >> 1)) return ~0ull;
        kinds = _mm512_shuffle_epi8(kinds, tc_moved(groups, outside, 4));
        next = _mm512_mask_mov_epi8(next, spaces & _mm512_test_epi8_mask(kinds, kinds), kinds);
    }
    state = TC_LOOK_UP_512(second, tc_moved(groups, outside, 0), tc_moved(groups, outside, 1));
    state = TC_LOOK_UP_512(third, state, tc_moved(groups, outside, 2));
    verdict = TC_LOOK_UP_512(verdicts, state, TC_LOOK_UP_512(right, groups, next));
    present &= ~1ull;
    /* Bit 1 says unknown, bit 0 a cut. */
    if (TC_UNLIKELY(_mm512_movepi8_mask(_mm512_slli_epi16(verdict, 6)) & present)) return ~0ull;
    return _mm512_movepi8_mask(_mm512_slli_epi16(verdict, 7)) & present;
}

/* Hide from the compiler what it knows of a value. */
#define TC_KEEP(value) __asm__("" : "+r"(value))

/* A guess where they begin, that needs less of the text and of time: at spaces, and behind letters. */
TC_QUICK_512 TC_ALWAYS uint64_t tc_quick_guess(__m512i bytes, uint64_t present) {
    const __m512i lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const uint64_t spaces = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '));
    const uint64_t letters = _mm512_cmplt_epu8_mask(
        _mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    return (spaces | (~letters & letters << 1)) & present & ~1ull;
}

/* Add the ids of a word, whose key this is and the same without the length: where the next go; NULL
 * where the cache lacks it. */
TC_QUICK_512 TC_ALWAYS uint32_t *tc_quick_word(const tc_line *lines, uint64_t mask, __m256i word,
                                               __m256i key, uint32_t *ids) {
    const uint64_t place = tc_mixed_aes(word) & mask;
    const tc_line *line = lines + place;
    for (uint64_t other = 0; !TC_LIKELY(tc_holds_wide(line, key)); line = lines + (place ^ other))
        if (++other == 4 || !line->w[3]) return NULL;
    _mm256_storeu_si256((__m256i *)ids, _mm256_loadu_si256((const __m256i *)line->ids));
    /* One id is the rule: a branch that is foretold, where the next would wait for the number. */
    if (TC_LIKELY(tc_line_count(line) == 1)) {
        __asm__ volatile("");
        return ids + 1;
    }
    return ids + tc_line_count(line);
}

/* The words of a text of one window, each looked up as it is found. */
TC_QUICK_512 TC_ALWAYS ptrdiff_t tc_quick_words(const tc_quick *quick, __m512i bytes,
                                                uint64_t present, const tc_line *lines,
                                                uint64_t mask, const uint8_t *text, ptrdiff_t n,
                                                uint32_t *ids) {
    const uint32_t *const begin = ids;
    uint64_t ends, guess, same, start = 0;
    ends = tc_quick_cuts(quick->tables, bytes, present);
    /* Where the guess is right, which a branch foretells, the words need not wait for the tables. */
    same = guess = tc_quick_guess(bytes, present);
    TC_KEEP(same);
    if (TC_LIKELY(ends == guess)) {
        __asm__ volatile("");
        ends = same;
    }
    if (ends & 1) return -1;
    if (n < 64) ends |= 1ull << n; /* else, where there are no more bits, that is 64 */
    while (start < (uint64_t)n) {
        const uint64_t end = _tzcnt_u64(ends), size = end - start;
        __m256i word;
        if (TC_UNLIKELY(size > TC_KEY_LIMIT)) return -1;
        word = tc_word_at(text + start, (ptrdiff_t)size);
        ids = tc_quick_word(lines, mask, word, tc_key_with(word, (ptrdiff_t)size), ids);
        if (TC_UNLIKELY(!ids)) return -1;
        start = end;
        ends &= ends - 1;
    }
    return ids - begin;
}

/* The pieces between cuts of a text that is not split. They are few: looking for many at once would
 * take longer. */
TC_QUICK_512 TC_ALWAYS ptrdiff_t tc_quick_pieces(const tc_quick *quick, const tc_line *lines,
                                                 uint64_t mask, const uint8_t *text, ptrdiff_t n,
                                                 uint32_t *ids) {
    const uint32_t *const begin = ids;
    ptrdiff_t ends[2 * TC_QUICK], count, start = 0;
    count = tc_pieces(quick->cuts, text, n, 0, ends, 2 * TC_QUICK);
    for (ptrdiff_t i = 0; i < count; i++) {
        const unsigned before = quick->opening && !i; /* a byte that no text has */
        const ptrdiff_t size = ends[i] - start + before;
        __m256i word;
        if (TC_UNLIKELY(size > TC_KEY_LIMIT || ids - begin > TC_QUICK)) return -1;
        word = _mm256_maskz_loadu_epi8(_bzhi_u32(~0u, (unsigned)size) & ~before,
                                       text + start - before);
        word = _mm256_mask_set1_epi8(word, before, (char)0xFF);
        ids = tc_quick_word(lines, mask, word, tc_key_with(word, size), ids);
        if (TC_UNLIKELY(!ids)) return -1;
        start = ends[i];
    }
    return ids - begin;
}

/* Either, where no added token may begin. */
TC_QUICK_512 static ptrdiff_t tc_quick_512(const tc_quick *quick, const tc_firsts *first,
                                           const tc_firsts *second, const tc_line *lines,
                                           uint64_t mask, const uint8_t *text, ptrdiff_t n,
                                           uint32_t *ids) {
    const uint64_t present = _bzhi_u64(~0ull, (unsigned)n);
    const __m512i bytes = _mm512_maskz_loadu_epi8(present, text);
    if (tc_quick_first(first, bytes, present, text, n)) return -1;
    if (tc_quick_first(second, bytes, present, text, n)) return -1;
    if (!quick->tables) return tc_quick_pieces(quick, lines, mask, text, n, ids);
    return tc_quick_words(quick, bytes, present, lines, mask, text, n, ids);
}
#endif

/* Use a copy of tables that begins a cache line, as all that is read at once of them then does; 0
 * where there is no memory. */
static inline int tc_quick_tables(tc_quick *quick, const tc_tables *tables) {
    if (!(quick->memory = malloc(sizeof(*tables) + 63))) return 0;
    quick->tables = (const tc_tables *)memcpy(tc_next_line(quick->memory), tables, sizeof(*tables));
    return 1;
}

/* What does so on this processor, where words are cached as `passes` has them; or NULL. */
static inline tc_quick_ids tc_quick_of(const tc_passes *passes, int level) {
#ifdef TC_X86
    if (level == 2 && passes->make == tc_make_widest && tc_level_of(level).judge)
        return tc_quick_512;
#else
    (void)passes;
    (void)level;
#endif
    return 0;
}

#endif
