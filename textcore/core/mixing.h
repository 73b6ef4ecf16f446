/* Hashing of short keys: one 64x64 -> 128 bit multiply folds two words into one. */
#ifndef TEXTCORE_MIXING_H
#define TEXTCORE_MIXING_H

#include <stdint.h>
#include <string.h>

/* What begins a cache line. */
#if defined(__GNUC__) || defined(__clang__)
#define TC_ALIGNED __attribute__((aligned(64)))
#else
#define TC_ALIGNED
#endif

/* The first cache line that begins in some memory, which has 63 bytes more than is needed. */
static inline void *tc_next_line(void *memory) {
    return (void *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

static inline uint64_t tc_mix(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    /* Written so, no compiler takes the product through memory to halve it. */
    return a * b ^ (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high;
    uint64_t low = _umul128(a, b, &high);
    return low ^ high;
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    uint64_t middle = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    uint64_t low = (middle << 32) | (uint32_t)ll;
    uint64_t high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
    return low ^ high;
#endif
}

#define TC_K0 0x9E3779B97F4A7C15ull
#define TC_K1 0xD6E8FEB86659FD93ull
#define TC_K2 0xA0761D6478BD642Full
#define TC_K3 0xE7037ED1A0B428DBull

static inline uint64_t tc_hash_bytes(const uint8_t *s, size_t n) {
    uint64_t h = TC_K2 ^ (uint64_t)n, a, b;
    while (n > 16) {
        memcpy(&a, s, 8);
        memcpy(&b, s + 8, 8);
        h = tc_mix(a ^ TC_K0 ^ h, b ^ TC_K1);
        s += 16;
        n -= 16;
    }
    a = b = 0;
    if (n > 8) {
        memcpy(&a, s, 8);
        memcpy(&b, s + 8, n - 8);
    } else {
        memcpy(&a, s, n);
    }
    return tc_mix(a ^ TC_K0 ^ h, b ^ TC_K3 ^ h);
}

#if defined(__GNUC__) || defined(__clang__)
#define TC_PREFETCH(p) __builtin_prefetch(p)
#define TC_LIKELY(x) __builtin_expect(!!(x), 1)
#define TC_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TC_PREFETCH(p) ((void)(p))
#define TC_LIKELY(x) (x)
#define TC_UNLIKELY(x) (x)
#endif

#endif
