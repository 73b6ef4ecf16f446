/* Stretches of new pieces: pieces of a long word that are best merged at once.
 *
 * Cuts make pieces that the cache may have. Of random letters it has few: each is new, looked for,
 * merged by itself and remembered for nothing. Nothing is merged across a cut, so the pieces of a
 * stretch may as well be merged as one word; then there is always something to do while another
 * merge waits for memory. Pieces that have been met before are left to the cache: a word that comes
 * again is remembered by its pieces the second time. */
#ifndef TEXTCORE_STRETCHES_H
#define TEXTCORE_STRETCHES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "units.h"

enum {
    TC_STRETCH = 512,       /* bytes, at least */
    TC_LONG_STRETCH = 2048, /* at most, but for a longer piece: what merging needs fits the caches */
    TC_MET_BITS = 1 << 16,
};

/* What a unit of a batch is. */
enum {
    TC_PIECE = 0, /* of a word between cuts, which goes on */
    TC_WHOLE = 1, /* a word */
    TC_DROPPED = 2, /* no ids come of it */
    TC_LAST_PIECE = 3,
};

/* What pieces have been met: a bit for each, by its hash. Forgotten when it has many. */
typedef struct {
    uint64_t bits[TC_MET_BITS / 64];
    ptrdiff_t noted;
} tc_met;

/* Note a piece: whether it has been met. */
static inline int tc_meet(tc_met *met, uint64_t hash) {
    uint64_t *word = met->bits + (hash >> 40 & (TC_MET_BITS / 64 - 1)), bit = 1ull << (hash >> 58);
    const int known = (*word & bit) != 0;
    *word |= bit;
    met->noted += !known;
    return known;
}

/* The unit behind the last of the pieces of one word, from unit `from` on, which starts at `start`;
 * `from` itself where they are no stretch. */
static inline ptrdiff_t tc_stretch_end(const tc_batch *batch, const uint8_t *kinds, ptrdiff_t from,
                                       ptrdiff_t to, ptrdiff_t start) {
    ptrdiff_t end = from;
    while (end < to && batch->ends[end] - start <= TC_LONG_STRETCH &&
           (kinds[end] == TC_PIECE || kinds[end] == TC_LAST_PIECE))
        if (kinds[end++] == TC_LAST_PIECE) break;
    return end > from && batch->ends[end - 1] - start >= TC_STRETCH ? end : from;
}

/* Whether nearly all of a stretch is new to the cache, and has not been met, either: `count` of
 * `units`, each piece once, and the pieces too long for a key. */
static inline int tc_stretch_is_new(tc_met *met, const tc_batch *batch, const uint16_t *units,
                                    ptrdiff_t count, const uint8_t *text, ptrdiff_t from,
                                    ptrdiff_t to, ptrdiff_t start) {
    ptrdiff_t fresh = 0, known = 0, at = start, i, size;
    for (i = from; i < to; at = batch->ends[i++]) {
        size = batch->ends[i] - at;
        if (size > TC_KEY_LIMIT) fresh += size;
    }
    for (i = 0; i < count; i++) fresh += batch->keys[units[i]].w[3] >> 56;
    if (fresh * 8 < (at - start) * 7) return 0;
    if (met->noted > TC_MET_BITS / 8) memset(met, 0, sizeof(*met));
    for (i = 0; i < count; i++) known += tc_meet(met, batch->hashes[units[i]]);
    for (at = start, i = from; i < to; at = batch->ends[i++]) {
        size = batch->ends[i] - at;
        if (size <= TC_KEY_LIMIT) continue;
        known += tc_meet(met, tc_hash_bytes(text + at, (size_t)size));
        count++;
    }
    return 2 * known < count;
}

#endif
