/* The AVX2 version of windows.h: 32 places at a time, by byte shuffles of sixteen entries. */
#ifndef TEXTCORE_WINDOWS256_H
#define TEXTCORE_WINDOWS256_H

#include "windows.h"

#ifdef TC_X86

#define TC_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define TC_AVX2_INLINE TC_AVX2 __attribute__((always_inline)) static inline

TC_AVX2_INLINE __m256i tc_twice(const uint8_t *bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* The groups of 32 ASCII characters: eight rows of sixteen, chosen by three bits of each. A shuffle
 * does not look at these bits, and a blend looks at the highest bit only. */
TC_AVX2_INLINE __m256i tc_ascii_groups(const uint8_t *groups, __m256i bytes) {
    const __m256i bit4 = _mm256_slli_epi16(bytes, 3), bit5 = _mm256_slli_epi16(bytes, 2);
    const __m256i bit6 = _mm256_add_epi8(bytes, bytes);
    __m256i rows[8];
    for (int i = 0; i < 8; i++) rows[i] = _mm256_shuffle_epi8(tc_twice(groups + 16 * i), bytes);
    for (int i = 0; i < 4; i++) rows[i] = _mm256_blendv_epi8(rows[2 * i], rows[2 * i + 1], bit4);
    rows[0] = _mm256_blendv_epi8(rows[0], rows[1], bit5);
    rows[2] = _mm256_blendv_epi8(rows[2], rows[3], bit5);
    return _mm256_blendv_epi8(rows[0], rows[2], bit6);
}

TC_AVX2 static int tc_classify_avx2(const tc_tables *t, const uint8_t *text, int n,
                                    size_t readable, tc_chunk *chunk) {
    const __m256i step = _mm256_set1_epi16(16);
    const __m256i first = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint8_t *groups = chunk->groups + 64;
    uint16_t *offsets = chunk->offsets;
    int count = 0, at = 0, size;
    while (at < n) {
        if ((size_t)at + 32 <= readable) {
            /* The ASCII characters up to the first other one; what is beyond is written over. */
            __m256i bytes = _mm256_loadu_si256((const __m256i *)(text + at));
            __m256i here = _mm256_add_epi16(first, _mm256_set1_epi16((short)at));
            uint32_t foreign = (uint32_t)_mm256_movemask_epi8(bytes);
            _mm256_storeu_si256((__m256i *)(groups + count), tc_ascii_groups(t->groups, bytes));
            _mm256_storeu_si256((__m256i *)(offsets + count), here);
            _mm256_storeu_si256((__m256i *)(offsets + count + 16), _mm256_add_epi16(here, step));
            int ascii = n - at < 32 ? n - at : 32;
            /* Foretold, so that the next ones need not wait for what these are. */
            if (TC_LIKELY(!foreign)) {
                count += ascii;
                at += ascii;
                continue;
            }
            if ((int)_tzcnt_u32(foreign) < ascii) ascii = (int)_tzcnt_u32(foreign);
            count += ascii;
            at += ascii;
        } else if (text[at] < 0x80) {
            offsets[count] = (uint16_t)at;
            groups[count++] = t->groups[text[at++]];
        }
        /* Where there is one, others follow, with few ASCII characters among them. */
        for (int after = 0; at < n && after < 2;) {
            offsets[count] = (uint16_t)at;
            if (text[at] < 0x80) {
                groups[count++] = t->groups[text[at++]];
                after++;
            } else {
                groups[count++] = tc_group_of(t, text + at, &size);
                at += size;
                after = 0;
            }
        }
    }
    return count;
}

TC_AVX2_INLINE uint64_t tc_mask_64(__m256i low, __m256i high) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 |
           (uint32_t)_mm256_movemask_epi8(low);
}

/* As tc_end_runs_plain. */
TC_AVX2 static void tc_end_runs_avx2(const tc_tables *t, uint8_t *groups, int blocks) {
    const __m256i usual = _mm256_set1_epi8((char)t->usual), odd_end = tc_twice(t->is_odd_end);
    uint64_t later = t->is_odd_end[groups[64 * blocks]] & 1;
    for (int at = 64 * (blocks - 1); at >= 0; at -= 64) {
        __m256i low = _mm256_loadu_si256((const __m256i *)(groups + at));
        __m256i high = _mm256_loadu_si256((const __m256i *)(groups + at + 32));
        uint64_t runs = tc_mask_64(_mm256_cmpeq_epi8(low, usual), _mm256_cmpeq_epi8(high, usual));
        uint64_t odd = tc_mask_64(_mm256_shuffle_epi8(odd_end, low),
                                  _mm256_shuffle_epi8(odd_end, high));
        uint64_t ends = runs & (odd >> 1 | later << 63);
        if (TC_UNLIKELY(ends)) tc_end_runs_at(t, groups, at, ends);
        later = odd & 1;
    }
}

/* Which products hold each of 32 places, eight products a byte. */
TC_AVX2_INLINE __m256i tc_hold_32(const uint8_t (*allows)[16], const __m256i *around) {
    __m256i held = _mm256_shuffle_epi8(tc_twice(allows[0]), around[0]);
    for (int i = 1; i < TC_AROUND; i++)
        held = _mm256_and_si256(held, _mm256_shuffle_epi8(tc_twice(allows[i]), around[i]));
    return held;
}

TC_AVX2_INLINE void tc_judge_layers(const tc_tables *t, tc_chunk *chunk, int blocks, int layers) {
    const __m256i zero = _mm256_setzero_si256();
    /* From the last one on, as they were written: what was just written can't be read at once. */
    for (int block = blocks - 1; block >= 0; block--) {
        uint64_t cut = 0, open = 0;
        for (int half = 0; half < 64; half += 32) {
            const uint8_t *g = chunk->groups + 64 + 64 * block + half;
            __m256i around[TC_AROUND], cuts = zero, unknown = zero;
            for (int i = 0; i < TC_AROUND; i++)
                around[i] = _mm256_loadu_si256((const __m256i *)(g + i - TC_BEFORE));
            for (int layer = 0; layer < layers; layer++) {
                const __m256i say_cut = _mm256_set1_epi8((char)t->say_cut[layer]);
                __m256i held = tc_hold_32(t->allows[layer], around);
                cuts = _mm256_or_si256(cuts, _mm256_and_si256(say_cut, held));
                unknown = _mm256_or_si256(unknown, _mm256_andnot_si256(say_cut, held));
            }
            uint32_t none = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(cuts, zero));
            cut |= (uint64_t)~none << half;
            none = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(unknown, zero));
            open |= (uint64_t)~none << half;
        }
        chunk->cuts[block] = cut;
        chunk->unknown[block] = open;
    }
}

TC_AVX2 static void tc_judge_avx2(const tc_tables *t, tc_chunk *chunk, int blocks) {
    tc_end_runs_avx2(t, chunk->groups + 64, blocks);
    /* The usual numbers are written out, so that nothing is left of the loop. */
    if (t->layers <= 3)
        tc_judge_layers(t, chunk, blocks, 3);
    else
        tc_judge_layers(t, chunk, blocks, t->layers);
}

TC_AVX2 static ptrdiff_t tc_spread_avx2(uint64_t cuts, const uint16_t *offsets, ptrdiff_t base,
                                        ptrdiff_t *ends) {
    const ptrdiff_t total = (ptrdiff_t)_mm_popcnt_u64(cuts);
    /* Sixteen and then eight at a time, whether there are so many or not. Without a bit, its number
     * is 64: there is an offset. */
    ptrdiff_t count = 0;
    for (; count < 16; count++, cuts = _blsr_u64(cuts))
        ends[count] = base + offsets[_tzcnt_u64(cuts)];
    while (count < total)
        for (int i = 0; i < 8; i++, count++, cuts = _blsr_u64(cuts))
            ends[count] = base + offsets[_tzcnt_u64(cuts)];
    return total;
}

#endif
#endif
