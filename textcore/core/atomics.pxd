"""The few atomic steps by which threads share work without a lock."""

from libc.stdint cimport int64_t

cdef extern from "atomics.h" nogil:
    ctypedef long tc_shared
    long tc_take_number(tc_shared *next)
    void tc_set_shared(tc_shared *at, long value)
    long tc_get_shared(tc_shared *at)
    # Wait for a value that another thread is about to set, for some tens of microseconds at
    # most: whether it has come.
    bint tc_spin(tc_shared *at, long value)
    # The same of one that may come soon, for so many nanoseconds, yielding to others.
    bint tc_linger(tc_shared *at, long value, int64_t nanoseconds)
    # Nanoseconds since some moment.
    int64_t tc_clock()
