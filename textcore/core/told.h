/* What tokens tell of the words that they are in, and words placed by that alone. */
#ifndef TEXTCORE_TOLD_H
#define TEXTCORE_TOLD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of a token: its size in bytes of the text, and how many characters begin in it. A mark for a
 * space counts as the space. `size` is 0 where the token does not tell. */
typedef struct {
    uint16_t size;
    uint8_t characters;
    uint8_t flags;
} tc_told;

enum {
    TC_TOLD_INSIDE = 1,     /* its first byte does not begin a character */
    TC_TOLD_LATER = 2,      /* it never begins a word, and all that don't are like that */
    TC_TOLD_LAST = 4,       /* it ends a word */
    TC_TOLD_MARKED = 8,     /* it begins with a mark */
};

/* What a word is placed by. */
typedef struct {
    const tc_told *told;
    uint32_t known;         /* ids below this are in `told` */
    uint8_t affixed;        /* tokens that are not first in a word say so */
} tc_telling;

/* Place the tokens of a word of n bytes: their ids, of which there are `have`, and where in the
 * text its first character is. Gives how many tokens that are, or 0 where they don't tell; then
 * nothing counts that was written. `added`: the first begins with a mark that stands for nothing.
 */
static inline ptrdiff_t tc_place_word(const tc_telling *by, const uint32_t *ids, ptrdiff_t have,
                                      ptrdiff_t n, int added, int64_t *count, int64_t *starts,
                                      int64_t *ends) {
    ptrdiff_t at = 0, i = 0;
    int64_t low, high = *count;
    while (at < n) {
        if (i == have || ids[i] >= by->known) return 0;
        const tc_told told = by->told[ids[i]];
        ptrdiff_t size = told.size;
        if (size == 0) return 0;
        if (by->affixed && ((i > 0) != ((told.flags & TC_TOLD_LATER) != 0))) return 0;
        low = high - (told.flags & TC_TOLD_INSIDE);
        high += told.characters;
        if (added && i == 0) {
            if (!(told.flags & TC_TOLD_MARKED)) return 0;
            size--;
            high--;
        }
        at += size;
        if ((told.flags & TC_TOLD_LAST) && at != n) return 0;
        starts[i] = low;
        ends[i] = high > low ? high : low + 1;
        i++;
    }
    if (at != n) return 0;
    *count = high;
    return i;
}

/* The same of words one after the other, which end at `stops` and begin at `at`, as far as tokens
 * tell: token i is in word `word` + the number of words before it. Gives how many tokens that are;
 * `passed` is how many words, all of them placed whole. */
static inline ptrdiff_t tc_place_words(const tc_telling *by, const uint32_t *ids, ptrdiff_t have,
                                       const ptrdiff_t *stops, ptrdiff_t count, ptrdiff_t at,
                                       int64_t *characters, int64_t word, int64_t *words,
                                       int64_t *starts, int64_t *ends, ptrdiff_t *passed) {
    ptrdiff_t i = 0, w = 0;
    int64_t high = *characters;
    /* Which word comes next is no branch: how many tokens a word has can't be foretold. */
    while (w < count) {
        if (i == have || ids[i] >= by->known) break;
        const tc_told told = by->told[ids[i]];
        const ptrdiff_t stop = stops[w], next = at + told.size;
        if (told.size == 0 || next > stop) break;
        if (by->affixed) {
            const int first = i == 0 || words[i - 1] != word + w;
            if (first == ((told.flags & TC_TOLD_LATER) != 0)) break;
        }
        if ((told.flags & TC_TOLD_LAST) && next != stop) break;
        starts[i] = high - (told.flags & TC_TOLD_INSIDE);
        high += told.characters;
        ends[i] = high;
        words[i] = word + w;
        i++;
        at = next;
        w += next == stop;
    }
    if (w < count) {
        /* Nothing of the word that stopped it. */
        while (i && words[i - 1] == word + w) {
            i--;
            high = starts[i] + (by->told[ids[i]].flags & TC_TOLD_INSIDE);
        }
    }
    *passed = w;
    *characters = high;
    return i;
}

/* Whether some bytes hold a text. */
static inline int tc_holds(const uint8_t *data, ptrdiff_t n, const uint8_t *text, ptrdiff_t size) {
    const uint8_t *end = data + n - size + 1;
    while (data < end) {
        data = (const uint8_t *)memchr(data, text[0], (size_t)(end - data));
        if (!data) return 0;
        if (memcmp(data, text, (size_t)size) == 0) return 1;
        data++;
    }
    return 0;
}

#endif
