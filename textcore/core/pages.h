/* Large tables in large pages, where the system has them: fewer of their addresses have to be
 * looked up. Asked for before the first touch, which is made here. */
#ifndef TEXTCORE_PAGES_H
#define TEXTCORE_PAGES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define TC_LARGE_PAGE ((size_t)1 << 21)

/* Zeroed memory, aligned to a cache line at least; NULL where there is none. `*base` is what
 * free() takes. */
static inline void *tc_zeroed(size_t size, void **base) {
    size_t align = size >= TC_LARGE_PAGE ? TC_LARGE_PAGE : 64;
    uintptr_t at;
    if (size > SIZE_MAX - align) return NULL;
    *base = malloc(size + align);
    if (*base == NULL) return NULL;
    at = ((uintptr_t)*base + align - 1) & ~(uintptr_t)(align - 1);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= TC_LARGE_PAGE) madvise((void *)at, size, MADV_HUGEPAGE);
#endif
    memset((void *)at, 0, size);
    return (void *)at;
}

/* Uninitialized memory for free(), in large pages where it is large; NULL where there is
 * none. */
static inline void *tc_room(size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= TC_LARGE_PAGE && size < SIZE_MAX - TC_LARGE_PAGE) {
        void *at = NULL;
        size = (size + TC_LARGE_PAGE - 1) & ~(TC_LARGE_PAGE - 1);
        if (posix_memalign(&at, TC_LARGE_PAGE, size)) return NULL;
        madvise(at, size, MADV_HUGEPAGE);
        return at;
    }
#endif
    return malloc(size);
}

/* Read memory once, so that it is in the processor's caches. */
static inline void tc_touch(const void *memory, size_t size) {
    const volatile uint8_t *at = (const volatile uint8_t *)memory;
    for (size_t i = 0; i < size; i += 64) (void)at[i];
}

#endif
