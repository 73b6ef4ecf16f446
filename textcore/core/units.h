/* A batch of words: their keys and hashes, made in one pass, and their ids, taken from the
 * cache in another, by when the lines that the first asked for have come from memory.
 *
 * Three versions of each pass, as in windows.h; a cache is used by one of them only, since
 * the versions hash differently. */
#ifndef TEXTCORE_UNITS_H
#define TEXTCORE_UNITS_H

#include <stddef.h>

#include "words.h"

enum { TC_BATCH = 256 }; /* tc_lacking needs nine bits for twice as many */

typedef struct {
    tc_key keys[TC_BATCH];
    uint64_t hashes[TC_BATCH];
    ptrdiff_t ends[TC_BATCH];
    uint64_t turn; /* of any value; another one each time that ids are taken */
} tc_batch;

/* The key of what is no key: no word has it, since no text has 31 bytes of 255. */
static inline void tc_no_key(tc_batch *batch, ptrdiff_t number) {
    memset(batch->keys + number, 0xFF, sizeof(tc_key));
    batch->keys[number].w[3] &= 0x1FFFFFFFFFFFFFFFull;
    batch->hashes[number] = 0;
}

/* Add words that end at `ends`, the first beginning at `start`, until one is longer than
 * `limit` (31 at most; always that if no character has three bytes), or all `count` are done: how
 * many. `n` bytes of text may be read. */
typedef ptrdiff_t (*tc_make_units)(tc_batch *batch, ptrdiff_t from, const uint8_t *text,
                                   ptrdiff_t n, ptrdiff_t start, const ptrdiff_t *ends,
                                   ptrdiff_t count, ptrdiff_t limit, const tc_line *lines,
                                   uint64_t mask);

/* The ids of the words from number `from` on, up to the first that the cache lacks (or
 * `to`): its number. `*out` is moved on; eight more ids than there are may be written. Now and
 * then a word that is not in its first line is brought there: those that are met often come to be. */
typedef ptrdiff_t (*tc_take_units)(tc_batch *batch, ptrdiff_t from, ptrdiff_t to, tc_line *lines,
                                   uint64_t mask, uint32_t **out);

/* Places of ids, one of eight, where it is the time for that. They are others each time: a text that
 * comes again has the same words at the same places. */
static inline uintptr_t tc_turn(tc_batch *batch) {
    batch->turn = batch->turn * 0x5851F42D4C957F2Dull + 0x14057B7EF767814Full;
    return (uintptr_t)(batch->turn >> 61) << 2;
}

static inline int tc_is_turn(const uint32_t *at, uintptr_t turn) {
    return ((uintptr_t)at & 28) == turn;
}

/* Whether a word is for the cuts. They are many between characters of three bytes, and few between
 * others: there a word that a key can hold is better remembered as it is. */
static inline int tc_is_long(const uint8_t *word, ptrdiff_t size, ptrdiff_t limit) {
    uint64_t parts[4];
    if (TC_LIKELY(size <= limit)) return 0;
    if (size > TC_KEY_LIMIT || size < 16) return 1;
    memcpy(parts, word, 16);
    memcpy(parts + 2, word + size - 16, 16);
    /* Whether a byte has its upper three bits set. */
    for (int i = 0; i < 4; i++)
        if (parts[i] & parts[i] << 1 & parts[i] << 2 & 0x8080808080808080ull) return 1;
    return 0;
}

static ptrdiff_t tc_make_plain(tc_batch *batch, ptrdiff_t from, const uint8_t *text, ptrdiff_t n,
                               ptrdiff_t start, const ptrdiff_t *ends, ptrdiff_t count,
                               ptrdiff_t limit, const tc_line *lines, uint64_t mask) {
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t end = ends[i], size = end - start;
        tc_key *key = batch->keys + from + i;
        if (tc_is_long(text + start, size, limit)) return i;
        uint64_t hash;
#ifdef TC_SSE2
        if (TC_LIKELY(n - start >= 32)) {
            const uint8_t *word = text + start, *keep = tc_keep + 32 - size;
            __m128i low = _mm_loadu_si128((const __m128i *)word);
            __m128i high = _mm_loadu_si128((const __m128i *)(word + 16));
            low = _mm_and_si128(low, _mm_loadu_si128((const __m128i *)keep));
            high = _mm_and_si128(high, _mm_loadu_si128((const __m128i *)(keep + 16)));
            _mm_storeu_si128((__m128i *)key->w, low);
            _mm_storeu_si128((__m128i *)(key->w + 2), high);
            ((uint8_t *)key)[TC_KEY_LIMIT] = (uint8_t)size;
            hash = tc_hash_halves(low, high);
        } else
#endif
        {
            tc_load_key(key, text + start, (size_t)size, (size_t)(n - start));
            hash = tc_hash_key(key);
        }
        batch->hashes[from + i] = hash;
        batch->ends[from + i] = end;
        TC_PREFETCH(lines + (hash & mask));
        start = end;
    }
    return count;
}

static ptrdiff_t tc_take_plain(tc_batch *batch, ptrdiff_t from, ptrdiff_t to, tc_line *lines,
                               uint64_t mask, uint32_t **out) {
    const uintptr_t turn = tc_turn(batch);
    uint32_t *at = *out;
    for (; from < to; from++) {
        const uint64_t place = batch->hashes[from] & mask;
        const tc_line *line = tc_find_line(lines, mask, place, batch->keys + from);
        if (!TC_LIKELY(line != NULL)) break;
        const int count = tc_line_count(line);
        memcpy(at, line->ids, sizeof(line->ids));
        if (TC_UNLIKELY(line != lines + place) && tc_is_turn(at, turn))
            tc_bring_first(lines, place, (uint64_t)(line - lines) ^ place);
        at += count;
    }
    *out = at;
    return from;
}

/* Of the words that are not in the first line where they may be, those that the cache lacks, each
 * word once: how many. */
static inline ptrdiff_t tc_keep_lacking(const tc_batch *batch, const tc_line *lines,
                                        uint64_t mask, uint16_t *units, ptrdiff_t count) {
    uint16_t seen[2 * TC_BATCH] = {0}; /* one more than a number, by the hash's upper bits */
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t unit = units[i];
        const tc_key *key = batch->keys + unit;
        uint16_t *same = seen + (batch->hashes[unit] >> 55);
        if (tc_find_line(lines, mask, batch->hashes[unit], key) || key->w[0] == ~(uint64_t)0)
            continue;
        if (*same && memcmp(batch->keys + *same - 1, key, sizeof(*key)) == 0) continue;
        *same = (uint16_t)(unit + 1);
        units[kept++] = (uint16_t)unit;
    }
    return kept;
}

/* The numbers, from `from` on, of the words that the cache lacks, each word once. */
typedef ptrdiff_t (*tc_find_lacking)(const tc_batch *batch, ptrdiff_t from, ptrdiff_t to,
                                     const tc_line *lines, uint64_t mask, uint16_t *units);

static ptrdiff_t tc_lacking_plain(const tc_batch *batch, ptrdiff_t from, ptrdiff_t to,
                                  const tc_line *lines, uint64_t mask, uint16_t *units) {
    ptrdiff_t count = 0;
    /* Which are new can't be foretold: there is no branch for it. */
    for (; from < to; from++) {
        units[count] = (uint16_t)from;
        count += !tc_line_holds(lines + (batch->hashes[from] & mask), batch->keys + from);
    }
    return tc_keep_lacking(batch, lines, mask, units, count);
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

#define TC_WIDE __attribute__((target("avx2")))
#define TC_WIDE_AES __attribute__((target("avx2,aes")))
#define TC_WIDEST \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,aes")))
#define TC_ALWAYS __attribute__((always_inline)) static inline

/* Three rounds of AES: less work than a product of 64 bits, and no bytes leave the vectors. Of a
 * word's bytes alone: its length is stored into the key meanwhile. */
TC_WIDE_AES TC_ALWAYS uint64_t tc_mixed_aes(__m256i word) {
    const __m128i salt = _mm_set_epi64x((long long)TC_K0, (long long)TC_K1);
    __m128i mixed = _mm_xor_si128(_mm256_castsi256_si128(word), salt);
    mixed = _mm_aesenc_si128(mixed, _mm256_extracti128_si256(word, 1));
    mixed = _mm_aesenc_si128(mixed, salt);
    mixed = _mm_aesenc_si128(mixed, salt);
    return (uint64_t)_mm_cvtsi128_si64(mixed);
}

/* The bytes of a key without the length. */
TC_WIDE TC_ALWAYS __m256i tc_word_of(const tc_key *key) {
    const __m256i bytes = _mm256_setr_epi64x(-1, -1, -1, 0x00FFFFFFFFFFFFFFll);
    return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)key), bytes);
}

TC_WIDE_AES static uint64_t tc_hash_aes(const tc_key *key) {
    return tc_mixed_aes(tc_word_of(key));
}

/* The hash of a key, whose bytes without the length are in a vector, too. */
typedef uint64_t (*tc_hash_made)(const tc_key *key, __m256i word);

TC_WIDE TC_ALWAYS uint64_t tc_hash_product(const tc_key *key, __m256i word) {
    (void)word;
    return tc_hash_key(key);
}

TC_WIDE_AES TC_ALWAYS uint64_t tc_hash_rounds(const tc_key *key, __m256i word) {
    (void)key;
    return tc_mixed_aes(word);
}

TC_WIDE TC_ALWAYS ptrdiff_t tc_make_256(tc_batch *batch, ptrdiff_t from, const uint8_t *text,
                                        ptrdiff_t n, ptrdiff_t start, const ptrdiff_t *ends,
                                        ptrdiff_t count, ptrdiff_t limit, const tc_line *lines,
                                        uint64_t mask, tc_hash_made hash_made) {
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t end = ends[i], size = end - start;
        tc_key *key = batch->keys + from + i;
        __m256i word;
        if (tc_is_long(text + start, size, limit)) return i;
        if (TC_LIKELY(n - start >= 32)) {
            word = _mm256_loadu_si256((const __m256i *)(text + start));
            word = _mm256_and_si256(word,
                                    _mm256_loadu_si256((const __m256i *)(tc_keep + 32 - size)));
            _mm256_storeu_si256((__m256i *)key, word);
            ((uint8_t *)key)[TC_KEY_LIMIT] = (uint8_t)size;
        } else {
            tc_load_key(key, text + start, (size_t)size, (size_t)(n - start));
            word = tc_word_of(key);
        }
        uint64_t hash = hash_made(key, word);
        batch->hashes[from + i] = hash;
        batch->ends[from + i] = end;
        TC_PREFETCH(lines + (hash & mask));
        start = end;
    }
    return count;
}

TC_WIDE static ptrdiff_t tc_make_wide(tc_batch *batch, ptrdiff_t from, const uint8_t *text,
                                      ptrdiff_t n, ptrdiff_t start, const ptrdiff_t *ends,
                                      ptrdiff_t count, ptrdiff_t limit, const tc_line *lines,
                                      uint64_t mask) {
    return tc_make_256(batch, from, text, n, start, ends, count, limit, lines, mask,
                       tc_hash_product);
}

TC_WIDE_AES static ptrdiff_t tc_make_aes(tc_batch *batch, ptrdiff_t from, const uint8_t *text,
                                         ptrdiff_t n, ptrdiff_t start, const ptrdiff_t *ends,
                                         ptrdiff_t count, ptrdiff_t limit, const tc_line *lines,
                                         uint64_t mask) {
    return tc_make_256(batch, from, text, n, start, ends, count, limit, lines, mask,
                       tc_hash_rounds);
}

TC_WIDE static inline int tc_holds_wide(const tc_line *line, __m256i key) {
    const __m256i bits = _mm256_setr_epi64x(-1, -1, -1, 0x1FFFFFFFFFFFFFFFll);
    __m256i apart = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)line->w), key);
    return _mm256_testz_si256(apart, bits);
}

TC_WIDE static ptrdiff_t tc_take_wide(tc_batch *batch, ptrdiff_t from, ptrdiff_t to,
                                      tc_line *lines, uint64_t mask, uint32_t **out) {
    const uintptr_t turn = tc_turn(batch);
    uint32_t *at = *out;
    for (; from < to; from++) {
        uint64_t place = batch->hashes[from] & mask, other = 0;
        __m256i key = _mm256_loadu_si256((const __m256i *)(batch->keys + from));
        const tc_line *line = lines + place;
        while (!TC_LIKELY(tc_holds_wide(line, key))) {
            if (other == 3 || !line->w[3]) goto lacking;
            line = lines + (place ^ ++other);
        }
        const int count = tc_line_count(line);
        _mm256_storeu_si256((__m256i *)at, _mm256_loadu_si256((const __m256i *)line->ids));
        if (TC_UNLIKELY(other) && tc_is_turn(at, turn)) tc_bring_first(lines, place, other);
        at += count;
    }
lacking:
    *out = at;
    return from;
}

TC_WIDE static ptrdiff_t tc_lacking_wide(const tc_batch *batch, ptrdiff_t from, ptrdiff_t to,
                                         const tc_line *lines, uint64_t mask, uint16_t *units) {
    ptrdiff_t count = 0;
    for (; from < to; from++) {
        __m256i key = _mm256_loadu_si256((const __m256i *)(batch->keys + from));
        units[count] = (uint16_t)from;
        count += !tc_holds_wide(lines + (batch->hashes[from] & mask), key);
    }
    return tc_keep_lacking(batch, lines, mask, units, count);
}

/* A word of up to 31 bytes, and zeros. What is masked out is not read, so the end of the text is no
 * matter. */
TC_WIDEST TC_ALWAYS __m256i tc_word_at(const uint8_t *at, ptrdiff_t size) {
    return _mm256_maskz_loadu_epi8(_bzhi_u32(~0u, (unsigned)size), at);
}

/* Its key. */
TC_WIDEST TC_ALWAYS __m256i tc_key_with(__m256i word, ptrdiff_t size) {
    return _mm256_mask_set1_epi8(word, 1u << TC_KEY_LIMIT, (char)size);
}

/* A word of up to 31 bytes as a unit. */
TC_WIDEST TC_ALWAYS void tc_put_key(tc_batch *batch, ptrdiff_t unit, const uint8_t *at,
                                    ptrdiff_t size, const tc_line *lines, uint64_t mask) {
    __m256i word = tc_word_at(at, size);
    _mm256_storeu_si256((__m256i *)(batch->keys + unit), tc_key_with(word, size));
    uint64_t hash = tc_mixed_aes(word);
    batch->hashes[unit] = hash;
    TC_PREFETCH(lines + (hash & mask));
}

TC_WIDEST static ptrdiff_t tc_make_widest(tc_batch *batch, ptrdiff_t from, const uint8_t *text,
                                          ptrdiff_t n, ptrdiff_t start, const ptrdiff_t *ends,
                                          ptrdiff_t count, ptrdiff_t limit,
                                          const tc_line *lines, uint64_t mask) {
    (void)n;
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t end = ends[i], size = end - start;
        if (tc_is_long(text + start, size, limit)) return i;
        tc_put_key(batch, from + i, text + start, size, lines, mask);
        batch->ends[from + i] = end;
        start = end;
    }
    return count;
}
#endif

typedef struct {
    tc_make_units make;
    tc_take_units take;
    tc_find_lacking lacking;
    uint64_t (*hash)(const tc_key *key); /* of a key, as `make` does it */
} tc_passes;

/* The passes of a level of windows.h, which the caller knows to run here. */
static inline tc_passes tc_passes_of(int level) {
    tc_passes made = {tc_make_plain, tc_take_plain, tc_lacking_plain, tc_hash_key};
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    if (level >= 1) {
        made.make = tc_make_wide;
        made.take = tc_take_wide;
        made.lacking = tc_lacking_wide;
    }
    if (level >= 1 && __builtin_cpu_supports("aes")) {
        made.make = tc_make_aes;
        made.hash = tc_hash_aes;
        if (level >= 2 && __builtin_cpu_supports("avx512dq")) made.make = tc_make_widest;
    }
#else
    (void)level;
#endif
    return made;
}

#endif
