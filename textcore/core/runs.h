/* Merging a word of repeated symbols: runs of them, not each by itself.
 *
 * In a run of one symbol all pairs are the same and so have the same rank. Where what the first
 * of these merges makes waits for nothing that comes before the others, they follow one after the
 * other from the left, and nothing else in between: the run becomes one of half as many, and the
 * one that is left over. So a million letters take some twenty steps. Between two runs a pair is
 * merged as any other.
 *
 * Where it is not so, or the runs become too many, the symbols are written out as they are by
 * then, and it goes on with them one by one: what merges next depends on what stands there alone. */
#ifndef TEXTCORE_RUNS_H
#define TEXTCORE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "minima.h"
#include "pairs.h"
#include "queue.h"

typedef struct {
    uint32_t symbol, count;
    uint32_t length;             /* of each symbol */
    uint32_t start;              /* of the first one, in lengths from the start of the word */
    int32_t previous, following; /* runs; -1 for none */
    int32_t inside, across;      /* ranks: of two of its own, and of its last and the one behind it */
} tc_run;

enum {
    TC_RUN_LENGTH = 12, /* symbols for each run, or it is not worth it */
    TC_RUN_BLOCK = 256,
};

typedef struct {
    const tc_pairs *pairs;
    const uint32_t *merged;
    uint32_t first;
    tc_queue *queue; /* what waits, by rank and place; the run it is in, twice, and 1 for `across` */
    tc_run *runs;
    int32_t used, room;
    int32_t free; /* the first of the runs that are no more, linked by `following`; -1 for none */
    int32_t head; /* the first run of the word */
} tc_runs;

/* Runs to make room for: those of a word of n symbols, and others that merging makes. */
static inline ptrdiff_t tc_runs_room(ptrdiff_t n) { return n / TC_RUN_LENGTH * 2 + 16; }

/* Whether a word is of long runs. Most are not, and that is seen soon. */
static inline int tc_has_runs(const uint32_t *symbols, ptrdiff_t n) {
    uint32_t runs = 1;
    for (ptrdiff_t from = 1; from < n;) {
        ptrdiff_t end = from + TC_RUN_BLOCK < n ? from + TC_RUN_BLOCK : n;
        for (; from < end; from++) runs += symbols[from] != symbols[from - 1];
        if ((ptrdiff_t)runs * TC_RUN_LENGTH > (end > n / 8 ? end : n / 8)) return 0;
    }
    return (ptrdiff_t)runs * TC_RUN_LENGTH <= n;
}

/* A run that is not in use; -1 where there is no room for one more. */
static inline int32_t tc_run_new(tc_runs *r) {
    int32_t at = r->free;
    if (at >= 0) r->free = r->runs[at].following;
    else if (r->used < r->room) at = r->used++;
    return at;
}

/* Where the last symbol of a run is. */
static inline uint32_t tc_run_last(const tc_run *run) {
    return run->start + (run->count - 1) * run->length;
}

static inline uint64_t tc_run_key(const tc_run *run, int across) {
    return across ? (uint64_t)(uint32_t)run->across << 32 | tc_run_last(run)
                  : (uint64_t)(uint32_t)run->inside << 32 | run->start;
}

/* Look up what waits at a run's end; 0 where there is no memory. */
static inline int tc_run_wait_across(tc_runs *r, int32_t at) {
    tc_run *run = r->runs + at;
    run->across = TC_NO_WAIT;
    if (run->following >= 0)
        run->across = tc_wait_of(r->pairs, run->symbol, r->runs[run->following].symbol);
    return run->across == TC_NO_WAIT ||
           tc_queue_push(r->queue, tc_run_key(run, 1), (uint32_t)at << 1 | 1);
}

/* The same of what waits in it, too. */
static inline int tc_run_wait(tc_runs *r, int32_t at) {
    tc_run *run = r->runs + at;
    run->inside = TC_NO_WAIT;
    if (run->count > 1) run->inside = tc_wait_of(r->pairs, run->symbol, run->symbol);
    if (run->inside != TC_NO_WAIT &&
        !tc_queue_push(r->queue, tc_run_key(run, 0), (uint32_t)at << 1))
        return 0;
    return tc_run_wait_across(r, at);
}

/* Take a run out of the word. */
static inline void tc_run_drop(tc_runs *r, int32_t at) {
    tc_run *run = r->runs + at;
    if (run->previous >= 0) r->runs[run->previous].following = run->following;
    else r->head = run->following;
    if (run->following >= 0) r->runs[run->following].previous = run->previous;
    run->inside = run->across = TC_NO_WAIT;
    run->following = r->free;
    r->free = at;
}

/* Put a run behind another, with that one's neighbour behind it. */
static inline void tc_run_insert(tc_runs *r, int32_t at, int32_t before, tc_run made) {
    made.previous = before;
    made.following = r->runs[before].following;
    r->runs[at] = made;
    if (made.following >= 0) r->runs[made.following].previous = at;
    r->runs[before].following = at;
}

/* Join a run to the one before it, if that is of the same symbol: the run that it is in now. */
static inline int32_t tc_run_join(tc_runs *r, int32_t at) {
    tc_run *run = r->runs + at, *before;
    const int32_t previous = run->previous;
    if (previous < 0) return at;
    before = r->runs + previous;
    if (before->symbol != run->symbol || before->length != run->length) return at;
    before->count += run->count;
    tc_run_drop(r, at);
    return previous;
}

/* Merge all pairs of a run, of which there are several or one; 0 where they may not follow each
 * other, or there is no room. `*at` is the run then. */
static inline int tc_run_halve(tc_runs *r, int32_t *at, uint32_t made) {
    tc_run *run = r->runs + *at, rest = *run;
    const int32_t rank = run->inside;
    const uint32_t before = run->previous < 0 ? made : r->runs[run->previous].symbol;
    if (run->count > 3 &&
        (tc_wait_of(r->pairs, made, made) <= rank || tc_wait_of(r->pairs, before, made) <= rank ||
         tc_wait_of(r->pairs, made, run->symbol) <= rank))
        return 0;
    if (run->count & 1) {
        const int32_t other = tc_run_new(r);
        if (other < 0) return 0;
        rest.start = tc_run_last(run);
        rest.count = 1;
        tc_run_insert(r, other, *at, rest);
    }
    run->symbol = made;
    run->count >>= 1;
    run->length *= 2;
    *at = tc_run_join(r, *at);
    return 1;
}

/* Merge the last symbol of a run with the first of the next; 0 where there is no room. `*at` is
 * the run of what that makes. */
static inline int tc_run_meet(tc_runs *r, int32_t *at, uint32_t symbol) {
    tc_run *run = r->runs + *at, *next = r->runs + run->following;
    tc_run made = {symbol, 1, run->length + next->length, tc_run_last(run), -1, -1, 0, 0};
    int32_t place = tc_run_new(r);
    if (place < 0) return 0;
    tc_run_insert(r, place, *at, made);
    next->start += next->length;
    if (!--next->count) tc_run_drop(r, (int32_t)(next - r->runs));
    if (--run->count == 1) run->inside = TC_NO_WAIT;
    if (!run->count) tc_run_drop(r, *at);
    *at = tc_run_join(r, place);
    return 1;
}

/* Merge what waits, until nothing does (1), or it can't go on with runs (0). */
static inline int tc_runs_merge(tc_runs *r) {
    tc_candidate next;
    while (tc_queue_pop(r->queue, &next)) {
        int32_t at = (int32_t)(next.symbol >> 1), following, previous;
        const int across = (int)(next.symbol & 1);
        const uint32_t rank = (uint32_t)(next.order >> 32);
        const uint32_t made = r->merged ? r->merged[rank] : r->first + rank;
        if (tc_run_key(r->runs + at, across) != next.order) continue;
        if (!(across ? tc_run_meet(r, &at, made) : tc_run_halve(r, &at, made))) return 0;
        following = r->runs[at].following;
        if (following >= 0) {
            const int32_t joined = tc_run_join(r, following);
            if (joined == following && !tc_run_wait(r, joined)) return 0;
        }
        if (!tc_run_wait(r, at)) return 0;
        previous = r->runs[at].previous;
        if (previous >= 0 && !tc_run_wait_across(r, previous)) return 0;
    }
    return 1;
}

/* The runs of a word: 0 where there are too many, of which those of different lengths are some. */
static inline int tc_runs_read(tc_runs *r, const uint32_t *symbols, const uint32_t *lengths,
                               ptrdiff_t n) {
    uint32_t start = 0;
    for (ptrdiff_t i = 0, end; i < n; i = end) {
        if (r->used == r->room) return 0;
        for (end = i + 1; end < n && symbols[end] == symbols[i] && lengths[end] == lengths[i];)
            end++;
        tc_run run = {symbols[i], (uint32_t)(end - i), lengths[i], start,
                      r->used - 1, end < n ? r->used + 1 : -1, 0, 0};
        r->runs[r->used++] = run;
        start += run.count * run.length;
    }
    for (int32_t at = 0; at < r->used; at++)
        if (!tc_run_wait(r, at)) return 0;
    return 1;
}

/* Write the symbols of all runs out: how many. */
static inline ptrdiff_t tc_runs_write(const tc_runs *r, uint32_t *symbols, uint32_t *lengths) {
    ptrdiff_t count = 0;
    for (int32_t at = r->head; at >= 0; at = r->runs[at].following) {
        const tc_run *run = r->runs + at;
        for (uint32_t i = 0; i < run->count; i++) {
            symbols[count] = run->symbol;
            lengths[count++] = run->length;
        }
    }
    return count;
}

/* Merge as far as it goes by runs: how many symbols are left, and whether that is all. */
static inline ptrdiff_t tc_merge_runs(const tc_pairs *pairs, const uint32_t *merged,
                                      uint32_t first, tc_queue *queue, void *room,
                                      uint32_t *symbols, uint32_t *lengths, ptrdiff_t n,
                                      int *done) {
    tc_runs r = {pairs, merged, first, queue, (tc_run *)room, 0, (int32_t)tc_runs_room(n), -1,
                 0};
    *done = 0;
    tc_queue_clear(queue);
    if (!tc_runs_read(&r, symbols, lengths, n)) return n;
    *done = tc_runs_merge(&r);
    return tc_runs_write(&r, symbols, lengths);
}

#endif
