/* How many bytes two pieces of memory have in common from their starts. */
#ifndef TEXTCORE_COMMON_H
#define TEXTCORE_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline size_t tc_common(const uint8_t *a, const uint8_t *b, size_t n) {
    size_t at = 0;
#if defined(__GLIBC__) || defined(__APPLE__)
    /* Theirs uses the widest vectors there are; others may compare byte by byte. */
    while (n - at >= 2048 && !memcmp(a + at, b + at, 2048)) at += 2048;
#endif
    while (n - at >= 128) {
        uint64_t differ = 0;
        /* In vectors, on whatever machine. */
        for (int i = 0; i < 16; i++) {
            uint64_t x, y;
            memcpy(&x, a + at + 8 * i, 8);
            memcpy(&y, b + at + 8 * i, 8);
            differ |= x ^ y;
        }
        if (differ) break;
        at += 128;
    }
    while (at < n && a[at] == b[at]) at++;
    return at;
}

#endif
