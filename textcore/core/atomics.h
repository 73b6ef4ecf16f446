/* The few atomic steps by which threads share work without a lock. */
#ifndef TEXTCORE_ATOMICS_H
#define TEXTCORE_ATOMICS_H

#include <stdint.h>

#if defined(_WIN32)
#include <windows.h>
#define TC_YIELD() SwitchToThread()
/* Nanoseconds since some moment. */
static inline int64_t tc_clock(void) {
    LARGE_INTEGER ticks, second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&second);
    return (int64_t)((double)ticks.QuadPart / (double)second.QuadPart * 1e9);
}
#else
#include <sched.h>
#include <time.h>
#define TC_YIELD() sched_yield()
static inline int64_t tc_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
#endif

#if defined(__x86_64__) || defined(_M_X64)
#include <emmintrin.h>
#define TC_PAUSE() _mm_pause()
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#define TC_PAUSE() __asm__ __volatile__("yield")
#else
#define TC_PAUSE() ((void)0)
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
typedef volatile long tc_shared;
static inline long tc_take_number(tc_shared *next) { return _InterlockedExchangeAdd(next, 1); }
static inline void tc_set_shared(tc_shared *at, long value) { _InterlockedExchange(at, value); }
static inline long tc_get_shared(tc_shared *at) { return _InterlockedOr(at, 0); }
#else
typedef long tc_shared;
/* The next number: each is given once. */
static inline long tc_take_number(tc_shared *next) {
    return __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
}
/* What was written before `tc_set_shared` is there for who has read the value. */
static inline void tc_set_shared(tc_shared *at, long value) {
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}
static inline long tc_get_shared(tc_shared *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
#endif

/* Wait for a value that another thread is about to set: whether it came within some tens of
 * microseconds, which is what going to sleep and being woken takes. */
enum { TC_SPINS = 2000 };

static inline int tc_spin(tc_shared *at, long value) {
    for (int i = 0; i < TC_SPINS; i++) {
        if (tc_get_shared(at) == value) return 1;
        TC_PAUSE();
    }
    return 0;
}

/* Wait for a value that may come soon, as the next batch mostly does, for so many nanoseconds: any
 * other thread may have the processor meanwhile. */
static inline int tc_linger(tc_shared *at, long value, int64_t nanoseconds) {
    const int64_t end = tc_clock() + nanoseconds;
    do {
        for (int k = 0; k < 32; k++) {
            if (tc_get_shared(at) == value) return 1;
            TC_PAUSE();
        }
        TC_YIELD();
    } while (tc_clock() < end);
    return 0;
}

#endif
