from cpython.pythread cimport PyThread_type_lock

from .atomics cimport tc_shared


cdef class Job:
    # What several threads do at once. `own` is what the thread was given for itself.
    cdef int work(self, object own) except -1 nogil
    # Called with what a thread has raised.
    cdef void fail(self, object own, object error)


cdef class Helper:
    # A thread that waits for a job. It belongs to one call, or to a crew and then to no call.
    cdef PyThread_type_lock go          # given back when there is something to do
    cdef PyThread_type_lock done        # and when that has been done
    cdef tc_shared called               # the same of `go`, to look at
    cdef tc_shared finished             # and of `done`
    cdef bint leaving
    cdef Job job
    cdef object own
    cdef readonly object process        # where the thread is: a fork has none

    cdef void _call(self) noexcept nogil
    cdef int _run(self) except -1 nogil
    cdef void _tell(self) noexcept nogil
    cdef void begin(self, Job job, object own) noexcept
    cdef void wait(self) noexcept


cdef class Crew:
    cdef readonly list idle
    cdef object dismissal
    cdef object __weakref__

    # A helper that has begun a job, or None where no thread can be started.
    cdef Helper call(self, Job job, object own)
    # Take a helper back that a call has waited for.
    cdef void take_back(self, Helper helper)
