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
            int ascii = (int)_tzcnt_u32((uint32_t)_mm256_movemask_epi8(bytes));
            if (ascii > n - at) ascii = n - at;
            _mm256_storeu_si256((__m256i *)(groups + count), tc_ascii_groups(t->groups, bytes));
            _mm256_storeu_si256((__m256i *)(offsets + count), here);
            _mm256_storeu_si256((__m256i *)(offsets + count + 16), _mm256_add_epi16(here, step));
            count += ascii;
            at += ascii;
            if (ascii == 32) continue;
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

/* A byte of ones for each bit of 32. */
TC_AVX2_INLINE __m256i tc_bits_to_bytes(uint32_t bits) {
    const __m256i from = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
                                            0x0303030303030303);
    const __m256i single = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), from);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, single), single);
}

TC_AVX2_INLINE uint64_t tc_mask_64(__m256i low, __m256i high) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 |
           (uint32_t)_mm256_movemask_epi8(low);
}

/* In runs of spaces, what stands at the last one at all of them. As many runs start as end:
 * those of the ends of one kind are the starts in the same order, and a difference is all the
 * bits between. */
TC_AVX2 static inline void tc_spread_ends_avx2(uint64_t spaces, uint8_t *groups) {
    const uint64_t all = spaces & ~(spaces >> 1), starts = spaces & ~(spaces << 1);
    __m256i low = _mm256_loadu_si256((const __m256i *)groups);
    __m256i high = _mm256_loadu_si256((const __m256i *)(groups + 32));
    for (uint64_t ends = all; ends;) {
        __m256i kind = _mm256_set1_epi8((char)groups[_tzcnt_u64(ends)]);
        uint64_t alike = tc_mask_64(_mm256_cmpeq_epi8(low, kind), _mm256_cmpeq_epi8(high, kind));
        alike &= ends;
        uint64_t run = (alike << 1) - _pdep_u64(_pext_u64(alike, all), starts);
        low = _mm256_blendv_epi8(low, kind, tc_bits_to_bytes((uint32_t)run));
        high = _mm256_blendv_epi8(high, kind, tc_bits_to_bytes((uint32_t)(run >> 32)));
        ends ^= alike;
    }
    _mm256_storeu_si256((__m256i *)groups, low);
    _mm256_storeu_si256((__m256i *)(groups + 32), high);
}

/* Runs of spaces turned into what they are: the last space of each by what follows it, the others
 * by the last one. From the last block on, so that a run goes on over blocks. */
TC_AVX2 static void tc_end_runs_avx2(const tc_tables *t, uint8_t *groups, int blocks) {
    const __m256i space = _mm256_set1_epi8((char)t->space), ended = tc_twice(t->ended);
    for (uint8_t *g = groups + 64 * (blocks - 1); g >= groups; g -= 64) {
        __m256i low = _mm256_loadu_si256((const __m256i *)g);
        __m256i high = _mm256_loadu_si256((const __m256i *)(g + 32));
        __m256i is_low = _mm256_cmpeq_epi8(low, space), is_high = _mm256_cmpeq_epi8(high, space);
        uint64_t spaces = tc_mask_64(is_low, is_high);
        if (!spaces) continue;
        __m256i kinds = _mm256_loadu_si256((const __m256i *)(g + 1));
        low = _mm256_blendv_epi8(low, _mm256_shuffle_epi8(ended, kinds), is_low);
        kinds = _mm256_loadu_si256((const __m256i *)(g + 33));
        high = _mm256_blendv_epi8(high, _mm256_shuffle_epi8(ended, kinds), is_high);
        _mm256_storeu_si256((__m256i *)g, low);
        _mm256_storeu_si256((__m256i *)(g + 32), high);
        if (spaces & spaces >> 1) tc_spread_ends_avx2(spaces, g);
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
    const uint8_t *g = chunk->groups + 64;
    for (int block = 0; block < blocks; block++) {
        uint64_t cut = 0, open = 0;
        for (int half = 0; half < 64; half += 32, g += 32) {
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
    /* Eight at a time, whether there are so many or not. */
    for (ptrdiff_t count = 0; count < total; count += 8)
        for (int i = 0; i < 8; i++) {
            /* Without a bit, the number is 64: there is an offset. */
            ends[count + i] = base + offsets[_tzcnt_u64(cuts)];
            cuts = _blsr_u64(cuts);
        }
    return total;
}

#endif
#endif
