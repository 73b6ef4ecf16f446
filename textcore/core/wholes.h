/* The words that are one token, found before they are merged.
 *
 * Of the new words of a text a third to half are one token, and merging one takes several times as
 * long as looking it up. Here are the tokens that merging gives back, of at most twelve bytes: with
 * their symbol that is sixteen bytes, four to a cache line, so that a look-up is one of memory. A
 * line that is full takes no more: what comes late in a vocabulary is rare. */
#ifndef TEXTCORE_WHOLES_H
#define TEXTCORE_WHOLES_H

#include "lanes.h"
#include "pages.h"

enum { TC_WHOLE_LIMIT = 12, TC_WHOLES_A_LINE = 4, TC_NO_LENGTH = 15 };

/* Eight bytes of a token; four more, above these its symbol, and above that its length. */
typedef struct {
    uint64_t low, high;
} tc_whole_token;

typedef struct {
    tc_whole_token *tokens; /* a length of 0: none; NULL: words are not looked for */
    uint64_t mask;          /* of the lines */
} tc_wholes;

#define TC_WHOLE_TEXT 0xF0000000FFFFFFFFull /* of the upper half: text and length */
#define TC_WHOLE_SYMBOLS ((uint32_t)1 << 28)

static inline void tc_wholes_free(tc_wholes *w) {
    free(w->tokens);
    memset(w, 0, sizeof(*w));
}

/* How many places there are for so many symbols: few lines are full where that takes little. */
static inline uint64_t tc_wholes_places(uint64_t symbols) {
    uint64_t places = 16;
    while (places < symbols || (places < 4 * symbols && places < 32768)) places *= 2;
    return places;
}

/* Empty; 0 where there is no memory. */
static inline int tc_wholes_init(tc_wholes *w, uint64_t places) {
    w->tokens = (tc_whole_token *)tc_room((size_t)places * sizeof(*w->tokens));
    w->mask = places / TC_WHOLES_A_LINE - 1;
    if (w->tokens) memset(w->tokens, 0, (size_t)places * sizeof(*w->tokens));
    return w->tokens != NULL;
}

/* A word as it would stand there, without a symbol. A longer one is like none that does. */
static inline tc_whole_token tc_whole_of(const tc_key *key) {
    const uint64_t length = key->w[3] >> 56;
    tc_whole_token made = {key->w[0], (uint32_t)key->w[1]};
    made.high |= (length > TC_WHOLE_LIMIT ? (uint64_t)TC_NO_LENGTH : length) << 60;
    return made;
}

/* The first place of its line. */
static inline size_t tc_whole_place(const tc_wholes *w, tc_whole_token word) {
    return (size_t)(tc_mix(word.low ^ TC_K0, word.high ^ TC_K1) & w->mask) * TC_WHOLES_A_LINE;
}

/* Add a token of 1 to TC_WHOLE_LIMIT bytes that is not there, if its line has room. */
static inline void tc_wholes_add(tc_wholes *w, const uint8_t *text, size_t size, uint32_t symbol) {
    tc_key key = {{0}};
    tc_whole_token word, *line;
    memcpy(&key, text, size);
    key.w[3] = (uint64_t)size << 56;
    word = tc_whole_of(&key);
    line = w->tokens + tc_whole_place(w, word);
    word.high |= (uint64_t)symbol << 32;
    for (int i = 0; i < TC_WHOLES_A_LINE; i++) {
        if (line[i].high >> 60) continue;
        line[i] = word;
        return;
    }
}

/* The symbol of a word in its line, or TC_WHOLE_SYMBOLS. */
static inline uint32_t tc_find_whole(const tc_whole_token *line, tc_whole_token word) {
    uint32_t found = TC_WHOLE_SYMBOLS;
    for (int i = 0; i < TC_WHOLES_A_LINE; i++) {
        const uint64_t other = (line[i].low ^ word.low) | ((line[i].high ^ word.high) & TC_WHOLE_TEXT);
        found = other ? found : (uint32_t)(line[i].high >> 32) & (TC_WHOLE_SYMBOLS - 1);
    }
    return found;
}

/* Remember those of some words of a batch that are one token; the others are `left`: how many.
 * `used` counts the free lines that took. */
static inline ptrdiff_t tc_take_wholes(const tc_wholes *w, const uint32_t *ids,
                                       const tc_batch *batch, const uint16_t *units,
                                       ptrdiff_t count, uint16_t *left, tc_line *lines,
                                       uint64_t mask, ptrdiff_t *used) {
    const tc_whole_token *at[TC_BATCH];
    uint16_t wholes[TC_BATCH];
    uint32_t symbols[TC_BATCH];
    ptrdiff_t found = 0, others = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        at[i] = w->tokens + tc_whole_place(w, tc_whole_of(batch->keys + units[i]));
        TC_PREFETCH(at[i]);
    }
    /* Without a branch: which words are tokens can't be foretold. */
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint32_t symbol = tc_find_whole(at[i], tc_whole_of(batch->keys + units[i]));
        symbols[found] = symbol;
        wholes[found] = left[others] = units[i];
        found += symbol != TC_WHOLE_SYMBOLS;
        others += symbol == TC_WHOLE_SYMBOLS;
    }
    for (ptrdiff_t i = 0; i < found; i++)
        *used += tc_store_line(lines, mask, batch->hashes[wholes[i]], batch->keys + wholes[i],
                               ids + symbols[i], 1);
    return others;
}

/* How a token is made: of which two, and by which rank; and what its text is in bytes (0: not known).
 * A byte's rank is 0, those of merges are one more than they are. */
typedef struct {
    uint32_t left, right, rank, size;
} tc_making;

/* The symbols at one end of a token, up to itself, in the order in which they are made there: how
 * many. Its size is at most TC_WHOLE_LIMIT, and so is that. */
static inline int tc_end_symbols(const tc_making *makings, uint32_t token, int right,
                                 uint32_t *symbols) {
    int count = 0, at = TC_WHOLE_LIMIT;
    uint32_t made[TC_WHOLE_LIMIT];
    for (;; token = right ? makings[token].right : makings[token].left) {
        made[--at] = token;
        if (makings[token].size == 1) break;
    }
    for (; at < TC_WHOLE_LIMIT; at++) symbols[count++] = made[at];
    return count;
}

/* Whether two tokens that merging gives back come about as they do by themselves where one follows the
 * other. All that meets between them are the symbols at their ends, each until the next merge makes
 * a longer one; and no merge may join two that meet before that. */
static inline int tc_come_about(const tc_pairs *pairs, const tc_making *makings, uint32_t left,
                                uint32_t right) {
    uint32_t before[TC_WHOLE_LIMIT], after[TC_WHOLE_LIMIT];
    const int lasts = tc_end_symbols(makings, left, 1, before);
    const int firsts = tc_end_symbols(makings, right, 0, after);
    for (int i = 0, k = 0;;) {
        const uint32_t mine = i + 1 < lasts ? makings[before[i + 1]].rank : TC_NO_RANK;
        const uint32_t its = k + 1 < firsts ? makings[after[k + 1]].rank : TC_NO_RANK;
        const uint32_t next = mine < its ? mine : its;
        uint32_t rank;
        if (next == TC_NO_RANK) return 1;
        rank = tc_pair_rank(pairs, before[i], after[k]);
        if (rank != TC_NO_RANK && rank + 1 <= next) return 0;
        if (mine <= its) i++;
        else k++;
    }
}

/* Find tokens of at most TC_WHOLE_LIMIT bytes that merging gives back, and set their `sizes`: all for
 * which that follows from how they are made, by one merge of two such tokens of lower rank. `sure`: a
 * token is made by a merge only if merging gives it back (see lastmerges.h). 0 where there is no memory. */
static inline int tc_find_wholes(const tc_pairs *pairs, const uint32_t *merged, uint64_t ranks,
                                 uint64_t symbols, const uint32_t *byte_symbols, int sure,
                                 uint8_t *sizes) {
    tc_making *makings = (tc_making *)calloc((size_t)symbols + 1, sizeof(*makings));
    uint32_t left, right, rank;
    if (!makings) return 0;
    for (uint64_t at = 0; at < tc_pairs_slots(pairs); at++) {
        if (!tc_pair_at(pairs, at, &left, &right, &rank)) continue;
        tc_making *making = makings + merged[rank];
        /* By more than one merge: then it is left out. */
        const tc_making once = {left, right, making->rank ? TC_NO_RANK : rank + 1, 0};
        *making = once;
    }
    for (int byte = 0; byte < 256; byte++) {
        const tc_making making = {0, 0, 0, 1};
        makings[byte_symbols[byte]] = making;
    }
    for (rank = 1; rank <= ranks; rank++) {
        tc_making *making = makings + merged[rank - 1];
        const tc_making *one = makings + making->left, *other = makings + making->right;
        const uint32_t size = one->size + other->size;
        if (making->rank != rank || making->size || !one->size || !other->size ||
            size > TC_WHOLE_LIMIT || one->rank >= rank || other->rank >= rank)
            continue;
        if (sure || tc_come_about(pairs, makings, making->left, making->right)) making->size = size;
    }
    for (uint64_t symbol = 0; symbol < symbols; symbol++) sizes[symbol] = (uint8_t)makings[symbol].size;
    free(makings);
    return 1;
}

#endif
