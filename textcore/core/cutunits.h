/* Words as units of a batch, long ones by their pieces between cuts, in one pass.
 *
 * Texts of Chinese and Japanese are mostly words too long to be remembered whole, a few pieces each:
 * to leave the loop over words for each of them takes as long as to cut it. Only for AVX-512;
 * elsewhere long words leave it. */
#ifndef TEXTCORE_CUTUNITS_H
#define TEXTCORE_CUTUNITS_H

#include "cuts512.h"
#include "stretches.h"
#include "units.h"

/* Add words as tc_make_units does, and short ones of those that are for the cuts as their pieces:
 * how many units. `kinds` gets what each of them is; `*words` is how many there are, and
 * becomes how many were taken. */
typedef ptrdiff_t (*tc_make_cut_units)(const tc_cuts *cuts, tc_batch *batch, uint8_t *kinds,
                                       ptrdiff_t from, const uint8_t *text, ptrdiff_t start,
                                       const ptrdiff_t *ends, ptrdiff_t *words, ptrdiff_t limit,
                                       const tc_line *lines, uint64_t mask);

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define TC_CUT_UNITS                                                                         \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,"          \
                          "avx512vbmi2,bmi,bmi2,lzcnt,popcnt,aes")))

/* The pieces of a word as units from `unit` on, if it is one of those that are cut at once: how many;
 * else 0. */
TC_CUT_UNITS static inline ptrdiff_t tc_cut_short(const tc_cuts *cuts, tc_batch *batch,
                                                  uint8_t *kinds, ptrdiff_t unit,
                                                  const uint8_t *text, ptrdiff_t start,
                                                  ptrdiff_t end, const tc_line *lines,
                                                  uint64_t mask) {
    ptrdiff_t *ends = batch->ends + unit, pieces;
    if (TC_BATCH - unit <= TC_CUT_AT_ONCE || !tc_is_short(text, end, start)) return 0;
    pieces = tc_short_word(cuts, text, end, start, ends);
    for (ptrdiff_t i = 0; i < pieces; i++) {
        kinds[unit + i] = TC_PIECE;
        if (TC_UNLIKELY(ends[i] - start > TC_KEY_LIMIT)) tc_no_key(batch, unit + i);
        else tc_put_key(batch, unit + i, text + start, ends[i] - start, lines, mask);
        start = ends[i];
    }
    if (pieces <= 0) return 0;
    kinds[unit + pieces - 1] = pieces == 1 ? TC_WHOLE : TC_LAST_PIECE;
    return pieces;
}

TC_CUT_UNITS static ptrdiff_t tc_make_cut_512(const tc_cuts *cuts, tc_batch *batch,
                                              uint8_t *kinds, ptrdiff_t from,
                                              const uint8_t *text, ptrdiff_t start,
                                              const ptrdiff_t *ends, ptrdiff_t *words,
                                              ptrdiff_t limit, const tc_line *lines,
                                              uint64_t mask) {
    const ptrdiff_t count = *words;
    ptrdiff_t unit = from, word = 0;
    while (word < count && unit < TC_BATCH) {
        const ptrdiff_t end = ends[word], room = TC_BATCH - unit, left = count - word;
        ptrdiff_t more;
        if (tc_is_long(text + start, end - start, limit)) {
            more = tc_cut_short(cuts, batch, kinds, unit, text, start, end, lines, mask);
            if (!more) break;
            word++;
        } else {
            /* The loop that texts of other languages stay in: it needs the registers for itself. */
            more = tc_make_widest(batch, unit, text, 0, start, ends + word,
                                  left < room ? left : room, limit, lines, mask);
            memset(kinds + unit, TC_WHOLE, (size_t)more);
            word += more;
        }
        unit += more;
        start = ends[word - 1];
    }
    *words = word;
    return unit - from;
}
#endif

/* The version for a level of windows.h, which the caller knows to run here; or NULL. */
static inline tc_make_cut_units tc_make_cut_of(int level) {
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    if (tc_pieces_of(level) == tc_pieces_512 && tc_passes_of(level).make == tc_make_widest)
        return tc_make_cut_512;
#endif
    (void)level;
    return NULL;
}

#endif
