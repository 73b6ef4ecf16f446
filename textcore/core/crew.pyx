"""Threads that wait for work: starting one takes as long as encoding 30,000 characters.

A crew belongs to an encoder. Its first threads are started when a call asks for them; when that
is over, they wait for the next one, without the interpreter's lock, and need none to begin: awake
at first, for as long as the last one took, since batches come one after the other. A call takes
helpers for its own, so that any number of calls may run at once, and gives them back.

They end with their crew, and before the interpreter does. A forked process has none of them:
helpers know where they were started, and are left alone elsewhere.
"""

import _thread
from os import getpid
from weakref import finalize

from libc.stdint cimport int64_t

from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    NOWAIT_LOCK, WAIT_LOCK,
)

from .atomics cimport tc_clock, tc_linger, tc_set_shared, tc_spin

cdef enum:
    # Nanoseconds that a helper stays awake after a job, at least and at most: until the results
    # have been used and let go, which takes longer the more they are. A job's own time is in
    # between, so that no more than that is lost if there is no next one.
    LEAST_AWAKE = 100_000
    MOST_AWAKE = 1_000_000


cdef class Job:

    cdef int work(self, object own) except -1 nogil:
        return 0

    cdef void fail(self, object own, object error):
        pass


cdef class Helper:

    def __cinit__(self):
        self.go = PyThread_allocate_lock()
        self.done = PyThread_allocate_lock()
        if self.go == NULL or self.done == NULL:
            raise MemoryError()
        PyThread_acquire_lock(self.go, WAIT_LOCK)
        PyThread_acquire_lock(self.done, WAIT_LOCK)
        self.process = getpid()

    def __dealloc__(self):
        if self.go != NULL:
            PyThread_free_lock(self.go)
        if self.done != NULL:
            PyThread_free_lock(self.done)

    def run(self):
        """What the thread does until it is dismissed."""
        while not self.leaving:
            try:
                with nogil:
                    self._run()
            except BaseException as error:
                self.job.fail(self.own, error)
                self._tell()

    cdef int _run(self) except -1 nogil:
        cdef int64_t begun, took
        while True:
            PyThread_acquire_lock(self.go, WAIT_LOCK)
            if self.leaving:
                return 0
            begun = tc_clock()
            tc_set_shared(&self.called, 0)
            self.job.work(self.own)
            self._tell()
            took = tc_clock() - begun
            # Being woken takes as long as encoding 5,000 characters, of both threads.
            tc_linger(&self.called, 1, min(max(took, <int64_t>LEAST_AWAKE), <int64_t>MOST_AWAKE))

    cdef void _tell(self) noexcept nogil:
        tc_set_shared(&self.finished, 1)
        PyThread_release_lock(self.done)

    cdef void _call(self) noexcept nogil:
        tc_set_shared(&self.called, 1)
        PyThread_release_lock(self.go)

    cdef void begin(self, Job job, object own) noexcept:
        self.job = job
        self.own = own
        tc_set_shared(&self.finished, 0)
        self._call()

    cdef void wait(self) noexcept:
        """Until the job is done, or not at all where the thread has not come to begin it.

        Mostly it is done, or nearly: sleeping would take longer.
        """
        if not PyThread_acquire_lock(self.go, NOWAIT_LOCK):
            with nogil:
                tc_spin(&self.finished, 1)
                PyThread_acquire_lock(self.done, WAIT_LOCK)
        self.job = None
        self.own = None


def _dismiss(list idle):
    """End the threads that wait, of a crew that is gone."""
    cdef Helper helper
    while idle:
        helper = idle.pop()
        if helper.process == getpid():
            helper.leaving = 1
            helper._call()


cdef class Crew:

    def __cinit__(self):
        self.idle = []

    cdef Helper call(self, Job job, object own):
        cdef Helper helper = self._free()
        if helper is None:
            helper = Helper()
            try:
                _thread.start_new_thread(helper.run, ())
            except RuntimeError:
                return None
            if self.dismissal is None:
                self.dismissal = finalize(self, _dismiss, self.idle)
        helper.begin(job, own)
        return helper

    def _free(self):
        """A helper that waits, or None."""
        cdef Helper helper
        process = getpid()
        while self.idle:
            try:
                helper = self.idle.pop()
            except IndexError:
                break
            if helper.process == process:
                return helper
        return None

    cdef void take_back(self, Helper helper):
        self.idle.append(helper)
