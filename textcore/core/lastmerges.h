/* The merges of a byte-level model that can ever be applied.
 *
 * Files made from a list of ranks have a merge for every two tokens that together spell one,
 * three for a token on average. But where two symbols come to stand next to each other, all
 * merges inside of what they spell have been applied in the order in which they are applied to
 * that text alone: a merge has the least rank of all, so of those inside, too, and none reached
 * out of it. So a token is only ever made by the merge that makes it of its own text, and the
 * others need not be in the table. */
#ifndef TEXTCORE_LASTMERGES_H
#define TEXTCORE_LASTMERGES_H

#include "merging.h"

/* What is known of a token: nothing, that merging its text gives it back, or something else. */
enum { TC_UNKNOWN_TOKEN = 0, TC_GIVEN_BACK = 1, TC_NOT_GIVEN_BACK = 2 };

typedef struct {
    const tc_pairs *pairs;
    const uint32_t *merged;       /* by rank */
    const uint32_t *byte_symbols; /* TC_NO_RANK: a byte that is left out */
    uint64_t symbols, ranks;
    uint8_t *tokens;              /* what is known of each symbol */
    uint32_t *parts;              /* of each that is given back, the two that it is made of */
} tc_last_merges;

static inline void tc_last_merges_free(tc_last_merges *l) {
    free(l->tokens);
    free(l->parts);
    memset(l, 0, sizeof(*l));
}

/* 0 where there is no memory. */
static inline int tc_last_merges_init(tc_last_merges *l, const tc_pairs *pairs,
                                      const uint32_t *merged, const uint32_t *byte_symbols,
                                      uint64_t symbols, uint64_t ranks) {
    l->pairs = pairs;
    l->merged = merged;
    l->byte_symbols = byte_symbols;
    l->symbols = symbols;
    l->ranks = ranks;
    l->tokens = (uint8_t *)calloc((size_t)symbols + 1, 1);
    l->parts = (uint32_t *)malloc(2 * ((size_t)symbols + 1) * sizeof(uint32_t));
    return l->tokens && l->parts;
}

/* Merge the text of a token. Of one that is too long for this, nothing gets known. */
static inline void tc_last_merge_of(tc_last_merges *l, uint32_t symbol, const uint8_t *text,
                                    size_t n) {
    uint32_t symbols[TC_SHORT_WORD], lengths[TC_SHORT_WORD];
    uint32_t *parts = l->parts + 2 * (size_t)symbol;
    ptrdiff_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (l->byte_symbols[text[i]] == TC_NO_RANK) continue;
        if (count == TC_SHORT_WORD) return;
        lengths[count] = 1;
        symbols[count++] = l->byte_symbols[text[i]];
    }
    parts[0] = parts[1] = TC_NO_RANK;
    if (count) count = tc_merge_short(l->pairs, l->merged, 0, symbols, lengths, count, parts);
    l->tokens[symbol] =
        count == 1 && symbols[0] == symbol ? TC_GIVEN_BACK : TC_NOT_GIVEN_BACK;
}

static inline int tc_is_last(const tc_last_merges *l, uint32_t left, uint32_t right,
                             uint32_t rank) {
    const uint32_t symbol = l->merged[rank], *parts = l->parts + 2 * (size_t)symbol;
    if (l->tokens[symbol] == TC_UNKNOWN_TOKEN) return 1;
    return l->tokens[symbol] == TC_GIVEN_BACK && parts[0] == left && parts[1] == right;
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
    for (at = 0; done && at < l->ranks; at++) {
        if (!rank_of[at]) continue;
        rank_of[at] = kept;
        made[kept++] = l->merged[at];
    }
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
