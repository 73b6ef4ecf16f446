/* The versions of windows.h, the choice between them, and a look at a chunk of text. */
#ifndef TEXTCORE_LEVELS_H
#define TEXTCORE_LEVELS_H

#include "windows.h"
#include "windows256.h"
#include "windows512.h"

#define TC_LEVELS 3

/* The versions of a level: 0 plain, 1 AVX2, 2 AVX-512; none where it can't run here. */
static inline tc_level tc_level_of(int level) {
    tc_level made = {0, 0, 0};
    if (level == 0) {
        made.classify = tc_classify_plain;
        made.judge = tc_judge_plain;
        made.spread = tc_spread_plain;
    }
#ifdef TC_X86
    __builtin_cpu_init();
    if (level == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
        __builtin_cpu_supports("popcnt")) {
        made.classify = tc_classify_avx2;
        made.judge = tc_judge_avx2;
        made.spread = tc_spread_avx2;
    }
    if (level == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt")) {
        made.classify = tc_classify_avx512;
        made.judge = tc_judge_avx512;
        made.spread = tc_spread_512;
    }
#endif
    return made;
}

/* Look at the `n` bytes at `text` (whole characters, TC_CHUNK at most) of a text that has
 * `before` bytes before them and `after` bytes after them: the number of characters. */
static inline int tc_look(const tc_tables *t, const tc_level *level, const uint8_t *text, int n,
                   size_t before, size_t after, tc_chunk *chunk) {
    uint8_t *groups = chunk->groups + 64;
    const uint8_t *at = text;
    int size, count = level->classify(t, text, n, (size_t)n + after, chunk);
    for (int i = 1; i <= TC_BEFORE; i++) {
        groups[-i] = TC_OUTSIDE;
        if ((size_t)(text - at) == before) continue;
        do at--;
        while ((*at & 0xC0) == TC_CONTINUATION);
        groups[-i] = *at < 0x80 ? t->groups[*at] : tc_group_of(t, at, &size);
    }
    at = text + n;
    /* Where the text goes on, a run of spaces has no end that is known. */
    memset(groups + count, after ? t->space : TC_OUTSIDE, 64 + TC_AFTER);
    if (after) groups[count] = *at < 0x80 ? t->groups[*at] : tc_group_of(t, at, &size);
    if (groups[count] == t->usual) groups[count] = t->space;
    level->judge(t, chunk, (count + 63) / 64);
    return count;
}

#endif
