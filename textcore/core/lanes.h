/* Merging short words side by side, for a word cache.
 *
 * A merge waits for the look-ups that the one before it made necessary. With some words in
 * hand, each takes a step in turn, and by its next turn what it asked for has come. The words
 * are those of a batch: their keys are their bytes, and what comes out goes into cache lines. */
#ifndef TEXTCORE_LANES_H
#define TEXTCORE_LANES_H

#include "characters.h"
#include "merging.h"
#include "units.h"

#if defined(__GNUC__) || defined(__clang__)
#define TC_INTO_CALLER __attribute__((always_inline))
#else
#define TC_INTO_CALLER
#endif

enum { TC_LANES = 4 };

/* A waiting merge is below this; see tc_waiting. */
#define TC_NONE_WAITS 0xFFFFFFE0u

typedef struct {
    const tc_pairs *pairs;        /* narrow */
    const uint32_t *merged;       /* what each rank makes; NULL: `first` plus the rank */
    uint32_t first;
    const uint32_t *ids;          /* of symbols */
    const uint32_t *byte_symbols; /* of all 256 bytes, */
    const uint32_t *byte_pairs;   /* and what waits for two of them, at place 0; or NULL, */
    const uint32_t *symbols;      /* and each word's first symbols, TC_SHORT_WORD apart, */
    const uint8_t *sizes;         /* and how many they are, 1 to TC_SHORT_WORD */
    const tc_characters *whole;   /* what to begin with in place of bytes; NULL: nothing */
} tc_merger;

typedef struct {
    uint32_t waiting[TC_SHORT_WORD];
    uint32_t symbols[TC_SHORT_WORD];
    uint32_t left; /* a bit for each symbol that is not merged away */
    int n;
    int unit;
    int unused[13]; /* a lane begins a cache line */
} tc_lane;

static inline uint32_t tc_look(const tc_pairs *pairs, uint32_t left, uint32_t right) {
    uint64_t rank = tc_narrow_rank(pairs, left, right);
    return rank >> pairs->rank_bits ? TC_NONE_WAITS : (uint32_t)rank << TC_PLACE_BITS;
}

/* Look up what waits between the first symbols. */
static inline void tc_lane_pairs(tc_lane *lane, const tc_merger *merger, int n) {
    for (int i = 0; i + 1 < n; i++)
        lane->waiting[i] =
            tc_look(merger->pairs, lane->symbols[i], lane->symbols[i + 1]) | (uint32_t)i;
}

static inline int tc_is_ascii(const tc_key *key) {
    return ((key->w[0] | key->w[1] | key->w[2] | key->w[3]) & 0x8080808080808080ull) == 0;
}

/* Begin with the word of a unit, the `number`th of those to merge. */
static inline void tc_lane_start(tc_lane *lane, const tc_merger *merger, const tc_batch *batch,
                                 int unit, ptrdiff_t number) {
    int n, i;
    memset(lane->waiting, 0xFF, sizeof(lane->waiting));
    if (merger->whole && !tc_is_ascii(batch->keys + unit)) {
        const uint8_t *word = (const uint8_t *)(batch->keys + unit);
        uint32_t lengths[TC_SHORT_WORD];
        n = (int)tc_first_symbols(merger->whole, merger->byte_symbols, word, word[TC_KEY_LIMIT],
                                  lane->symbols, lengths);
        tc_lane_pairs(lane, merger, n);
    } else if (merger->byte_pairs) {
        /* Eight at a time: where a word ends can't be foretold. Behind it a key has zeros. */
        const uint8_t *word = (const uint8_t *)(batch->keys + unit);
        n = word[TC_KEY_LIMIT];
        for (i = 0; i < n; i += 8) {
            for (int k = i; k < i + 8; k++) {
                lane->symbols[k] = merger->byte_symbols[word[k]];
                lane->waiting[k] = merger->byte_pairs[word[k] << 8 | word[(k + 1) & 31]] | (uint32_t)k;
            }
        }
        for (i = n - 1; i < ((n + 7) & ~7); i++) lane->waiting[i] = TC_NO_MERGE;
    } else {
        const uint32_t *symbols = merger->symbols + number * TC_SHORT_WORD;
        n = merger->sizes[number];
        memcpy(lane->symbols, symbols, (size_t)n * sizeof(*symbols));
        tc_lane_pairs(lane, merger, n);
    }
    lane->n = n;
    lane->unit = unit;
    lane->left = 0xFFFFFFFFu >> (32 - n);
}

/* What a step changes: `at` takes `gone` in and becomes `symbol`; to be looked up are the merges
 * with the symbol behind it, unless it is the last one, and with `previous`, if there is one. */
typedef struct {
    uint32_t at, gone, previous; /* a bit each; `previous` may be none */
    uint32_t symbol, left, right;
    uint32_t place, before; /* of `at` and `previous` */
    uint32_t is_last;       /* all bits, or none */
} tc_step;

/* Merge what waits as `least`. There is no branch for a symbol without neighbours: it is
 * looked up with whatever stands at the other end, and that forgotten. */
static inline tc_step tc_lane_merge(tc_lane *lane, const tc_merger *merger, uint32_t least) {
    uint32_t at = least & (TC_SHORT_WORD - 1), rank = least >> TC_PLACE_BITS;
    uint32_t before = lane->left & ((1u << at) - 1), after = lane->left & ~((2u << at) - 1);
    tc_step step;
    step.symbol = merger->merged ? merger->merged[rank] : merger->first + rank;
    step.place = at;
    step.at = 1u << at;
    step.gone = after & (0 - after);
    after ^= step.gone;
    step.before = (uint32_t)tc_highest(before | 1);
    step.previous = before & 1u << step.before;
    step.is_last = 0u - !after;
    lane->symbols[at] = step.symbol;
    lane->left ^= step.gone;
    step.left = lane->symbols[step.before];
    step.right = lane->symbols[tc_lowest(after | 1u << (TC_SHORT_WORD - 1))];
    return step;
}

/* One merge; 0 where there is none left. */
typedef int (*tc_lane_step)(tc_lane *lane, const tc_merger *merger);

static inline int tc_step_plain(tc_lane *lane, const tc_merger *merger) {
    uint32_t least = tc_least(lane->waiting, lane->n);
    if (least >= TC_NONE_WAITS) return 0;
    tc_step step = tc_lane_merge(lane, merger, least);
    uint32_t mine = tc_look(merger->pairs, step.symbol, step.right) | step.place | step.is_last;
    uint32_t its = tc_look(merger->pairs, step.left, step.symbol) | step.before;
    lane->waiting[tc_lowest(step.gone)] = TC_NO_MERGE;
    lane->waiting[step.before] = its;
    lane->waiting[step.place] = mine;
    return 1;
}

/* The ids of a word that is done into its cache line, if it has room: whether that was free. */
static inline int tc_lane_store(const tc_lane *lane, const tc_merger *merger,
                                const tc_batch *batch, tc_line *lines, uint64_t mask) {
    uint32_t ids[TC_IDS_LIMIT], left = lane->left;
    size_t count = 0;
    for (; left && count < TC_IDS_LIMIT; left &= left - 1)
        ids[count++] = merger->ids[lane->symbols[tc_lowest(left)]];
    if (left) return 0;
    return tc_store_line(lines, mask, batch->hashes[lane->unit], batch->keys + lane->unit, ids,
                         count);
}

/* Merge the words of `count` units, and store them: how many free lines that took. */
TC_INTO_CALLER static inline ptrdiff_t tc_run_lanes(const tc_merger *merger,
                                                    const tc_batch *batch,
                                                    const uint16_t *units, ptrdiff_t count,
                                                    tc_line *lines, uint64_t mask,
                                                    tc_lane_step step) {
    TC_ALIGNED tc_lane lanes[TC_LANES];
    ptrdiff_t next = 0, used = 0;
    int running = 0;
    for (; running < TC_LANES && next < count; next++)
        tc_lane_start(lanes + running++, merger, batch, units[next], next);
    while (running) {
        for (int i = 0; i < running; i++) {
            if (step(lanes + i, merger)) continue;
            used += tc_lane_store(lanes + i, merger, batch, lines, mask);
            if (next < count) {
                tc_lane_start(lanes + i, merger, batch, units[next], next);
                next++;
            } else if (i < --running) {
                lanes[i] = lanes[running];
                i--;
            }
        }
    }
    return used;
}

typedef ptrdiff_t (*tc_merge_words)(const tc_merger *merger, const tc_batch *batch,
                                    const uint16_t *units, ptrdiff_t count, tc_line *lines,
                                    uint64_t mask);

static ptrdiff_t tc_merge_words_plain(const tc_merger *merger, const tc_batch *batch,
                                      const uint16_t *units, ptrdiff_t count, tc_line *lines,
                                      uint64_t mask) {
    return tc_run_lanes(merger, batch, units, count, lines, mask, tc_step_plain);
}

#ifdef TC_WIDEST
/* As tc_look, each bucket in a vector; the result is in the lowest number of one. */
TC_WIDEST static inline __m128i tc_look_widest(const tc_pairs *pairs, uint32_t left,
                                               uint32_t right) {
    uint64_t key = tc_pair_key(pairs, left, right), one, other;
    tc_pair_places(pairs, key, &one, &other);
    const __m128i keys = _mm_set1_epi64x((long long)(key << pairs->rank_bits));
    __m128i a = _mm_xor_si128(keys, _mm_loadu_si128((const __m128i *)(pairs->entries + one)));
    __m128i b = _mm_xor_si128(keys, _mm_loadu_si128((const __m128i *)(pairs->entries + other)));
    a = _mm_min_epu64(a, b);
    a = _mm_min_epu64(a, _mm_unpackhi_epi64(a, a));
    b = _mm_srl_epi64(a, _mm_cvtsi32_si128(pairs->rank_bits));
    return _mm_mask_mov_epi32(_mm_slli_epi32(a, TC_PLACE_BITS), _mm_test_epi64_mask(b, b),
                              _mm_set1_epi32((int)TC_NONE_WAITS));
}

/* The same number everywhere: the lowest of a vector, with bits of another. */
TC_WIDEST static inline __m512i tc_everywhere(__m128i found, uint32_t bits) {
    return _mm512_broadcastd_epi32(_mm_or_si128(found, _mm_cvtsi32_si128((int)bits)));
}

/* A vector is stored as it is loaded: numbers stored into it would have to be waited for. */
TC_WIDEST static inline int tc_step_widest(tc_lane *lane, const tc_merger *merger) {
    const __m512i none = _mm512_set1_epi32(-1);
    __m512i low = _mm512_loadu_si512(lane->waiting), high = none;
    uint32_t least;
    if (lane->n > 16) high = _mm512_loadu_si512(lane->waiting + 16);
    least = _mm512_reduce_min_epu32(_mm512_min_epu32(low, high));
    if (least >= TC_NONE_WAITS) return 0;
    tc_step step = tc_lane_merge(lane, merger, least);
    const __m512i mine = tc_everywhere(tc_look_widest(merger->pairs, step.symbol, step.right),
                                       step.place | step.is_last);
    const __m512i its = tc_everywhere(tc_look_widest(merger->pairs, step.left, step.symbol),
                                      step.before);
    low = _mm512_mask_mov_epi32(low, (__mmask16)step.gone, none);
    low = _mm512_mask_mov_epi32(low, (__mmask16)step.previous, its);
    low = _mm512_mask_mov_epi32(low, (__mmask16)step.at, mine);
    _mm512_storeu_si512(lane->waiting, low);
    if (lane->n > 16) {
        high = _mm512_mask_mov_epi32(high, (__mmask16)(step.gone >> 16), none);
        high = _mm512_mask_mov_epi32(high, (__mmask16)(step.previous >> 16), its);
        high = _mm512_mask_mov_epi32(high, (__mmask16)(step.at >> 16), mine);
        _mm512_storeu_si512(lane->waiting + 16, high);
    }
    return 1;
}

TC_WIDEST static ptrdiff_t tc_merge_words_widest(const tc_merger *merger, const tc_batch *batch,
                                                 const uint16_t *units, ptrdiff_t count,
                                                 tc_line *lines, uint64_t mask) {
    return tc_run_lanes(merger, batch, units, count, lines, mask, tc_step_widest);
}
#endif

/* The version for a level of windows.h, which the caller knows to run here. */
static inline tc_merge_words tc_merge_words_of(int level) {
#ifdef TC_WIDEST
    if (level >= 2) return tc_merge_words_widest;
#endif
    (void)level;
    return tc_merge_words_plain;
}

#endif
