/* The merges of a model that can ever be applied.
 *
 * Files made from a list of ranks have a merge for every two tokens that together spell one,
 * three for a token on average. But where two symbols come to stand next to each other, all
 * merges inside of what they spell have been applied in the order in which they are applied to
 * that text alone: a merge has the least rank of all, so of those inside, too, and none reached
 * out of it. So a token is only ever made by the merge that makes it of its own text, and the
 * others need not be in the table.
 *
 * That asks for first symbols that are the same wherever a byte or a character stands, and for
 * merges of symbols that spell their text: none of an unknown token, or of a byte's name. */
#ifndef TEXTCORE_LASTMERGES_H
#define TEXTCORE_LASTMERGES_H

#include "merging.h"

/* What is known of a token: nothing, that merging its text gives it back, or something else. */
enum { TC_UNKNOWN_TOKEN = 0, TC_GIVEN_BACK = 1, TC_NOT_GIVEN_BACK = 2 };

typedef struct {
    const tc_pairs *pairs;
    const uint32_t *merged; /* by rank */
    uint64_t symbols, ranks;
    uint8_t *tokens;        /* what is known of each symbol */
    uint32_t *parts;        /* of each that is given back, the two that it is made of */
} tc_last_merges;

static inline void tc_last_merges_free(tc_last_merges *l) {
    free(l->tokens);
    free(l->parts);
    memset(l, 0, sizeof(*l));
}

/* 0 where there is no memory. */
static inline int tc_last_merges_init(tc_last_merges *l, const tc_pairs *pairs,
                                      const uint32_t *merged, uint64_t symbols,
                                      uint64_t ranks) {
    l->pairs = pairs;
    l->merged = merged;
    l->symbols = symbols;
    l->ranks = ranks;
    l->tokens = (uint8_t *)calloc((size_t)symbols + 1, 1);
    l->parts = (uint32_t *)malloc(2 * ((size_t)symbols + 1) * sizeof(uint32_t));
    return l->tokens && l->parts;
}

/* Note what came of a token's first symbols: `count` others, the first of them `made`, after a
 * last merge of the two in `last`. */
static inline void tc_note_token(tc_last_merges *l, uint32_t symbol, ptrdiff_t count,
                                 uint32_t made, const uint32_t *last) {
    uint32_t *parts = l->parts + 2 * (size_t)symbol;
    parts[0] = last[0];
    parts[1] = last[1];
    l->tokens[symbol] = count == 1 && made == symbol ? TC_GIVEN_BACK : TC_NOT_GIVEN_BACK;
}

static inline int tc_is_last(const tc_last_merges *l, uint32_t left, uint32_t right,
                             uint32_t rank) {
    const uint32_t symbol = l->merged[rank], *parts = l->parts + 2 * (size_t)symbol;
    if (l->tokens[symbol] == TC_UNKNOWN_TOKEN) return 1;
    return l->tokens[symbol] == TC_GIVEN_BACK && parts[0] == left && parts[1] == right;
}

/* New ranks for those merges that `rank_of` has a 1 for, in the same order, and what each makes:
 * how many ranks. Where each makes a later symbol than the one before, the symbols give the ranks,
 * which then leave some out: so nobody has to look up what a rank makes. */
static inline uint32_t tc_rank_anew(const tc_last_merges *l, uint32_t *rank_of, uint32_t *made) {
    uint32_t kept = 0, first;
    int rising = 1;
    for (uint64_t at = 0; at < l->ranks; at++) {
        if (!rank_of[at]) continue;
        rising = rising && (!kept || l->merged[at] > made[kept - 1]);
        rank_of[at] = kept;
        made[kept++] = l->merged[at];
    }
    if (!kept || !rising || made[kept - 1] - made[0] >= l->ranks) return kept;
    first = made[0];
    kept = made[kept - 1] - first + 1;
    for (uint64_t at = 0; at < l->ranks; at++) rank_of[at] = l->merged[at] - first;
    for (uint32_t at = 0; at < kept; at++) made[at] = first + at;
    return kept;
}

/* A table of the merges that may be applied, with ranks in the same order, and what each rank
 * makes: how many. A negative number where there is no memory, and nothing is made. */
static inline int64_t tc_keep_last(const tc_last_merges *l, tc_pairs *pairs, uint32_t **merged) {
    uint32_t *rank_of = (uint32_t *)malloc(((size_t)l->ranks + 1) * sizeof(uint32_t));
    uint32_t *made = (uint32_t *)malloc(((size_t)l->ranks + 1) * sizeof(uint32_t));
    uint32_t kept = 0, left, right, rank;
    uint64_t at, count = 0;
    int done = rank_of && made;
    memset(pairs, 0, sizeof(*pairs));
    if (done) memset(rank_of, 0, (size_t)l->ranks * sizeof(uint32_t));
    for (at = 0; done && at < tc_pairs_slots(l->pairs); at++)
        if (tc_pair_at(l->pairs, at, &left, &right, &rank) && tc_is_last(l, left, right, rank))
            count += rank_of[rank] = 1;
    if (done) kept = tc_rank_anew(l, rank_of, made);
    done = done && tc_pairs_init(pairs, count, l->symbols, kept);
    for (at = 0; done && at < tc_pairs_slots(l->pairs); at++)
        if (tc_pair_at(l->pairs, at, &left, &right, &rank) && tc_is_last(l, left, right, rank))
            done = tc_pair_put(pairs, left, right, rank_of[rank]);
    free(rank_of);
    if (done) {
        *merged = made;
        return kept;
    }
    free(made);
    tc_pairs_free(pairs);
    return -1;
}

#endif
