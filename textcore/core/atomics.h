/* The few atomic steps by which threads share work without a lock. */
#ifndef TEXTCORE_ATOMICS_H
#define TEXTCORE_ATOMICS_H

#include <stdint.h>

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

#endif
