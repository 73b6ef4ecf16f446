/* Places that the windows don't decide, told by what stands before the run of one group that they
 * follow (textcore.pipeline.patterns.lookback makes the tables). */
#ifndef TEXTCORE_LOOKBACK_H
#define TEXTCORE_LOOKBACK_H

#include "windows.h"

enum {
    TC_LONGEST_RUN = 31,
    TC_ROW = 64 /* bytes: two bits for each pair of groups */
};

/* How many groups before `at` are as the one right before it, of the 32 that are looked at. */
static inline int tc_run_before(const uint8_t *at) {
#ifdef TC_WINDOWS_SSE2
    const __m128i group = _mm_set1_epi8((char)at[-1]);
    uint32_t others = (uint32_t)_mm_movemask_epi8(
        _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at - 16)), group));
    others = others << 16 | (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(
                                _mm_loadu_si128((const __m128i *)(at - 32)), group));
    others = ~others;
    return others ? 31 - tc_last_bit(others) : 32;
#else
    int run = 1;
    while (run < 32 && at[-1 - run] == at[-1]) run++;
    return run;
#endif
}

/* What is said of the place before `at`, as by the verdicts of the windows. `read`: how many groups
 * before it there are. */
static inline int tc_look_back(const tc_tables *t, const uint8_t *at, int read) {
    const int run = tc_run_before(at);
    size_t before, row, pair, next = at[1];
    if (run > TC_LONGEST_RUN || run >= read) return TC_SAY_UNKNOWN;
    before = t->plain[at[-1 - run]];
    row = t->row_of[(before << 4 | at[-1]) << 4 | t->lengths[run]];
    if (next == t->space && t->ends[at[2]]) next = t->ends[at[2]];
    pair = (size_t)t->plain[at[0]] << 4 | next;
    return t->rows[row * TC_ROW + (pair >> 2)] >> 2 * (pair & 3) & 3;
}

/* Decides what can be decided of the unknown places of a block, some 64 characters of a chunk. */
static inline void tc_look_back_at(const tc_tables *t, tc_chunk *chunk, int block) {
    const uint8_t *groups = chunk->groups + 64 + 64 * block;
    /* Some versions say both of a place, which is to mean that it is not known. */
    uint64_t cuts = chunk->cuts[block] & ~chunk->unknown[block], unknown = 0;
    for (uint64_t asked = chunk->unknown[block]; asked; asked &= asked - 1) {
        const int place = tc_first_bit(asked);
        const int said = tc_look_back(t, groups + place, 64 * block + place + TC_BEFORE);
        cuts |= (uint64_t)(said & TC_SAY_CUT) << place;
        unknown |= (uint64_t)(said >> 1) << place;
    }
    chunk->cuts[block] = cuts;
    chunk->unknown[block] = unknown;
}

#endif
