# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Batches of texts: encoded by several threads, made lists by the one that asked.

Python objects can be made by one thread at a time only. So the calling thread makes the lists,
and encodes itself only while there is nothing to list; the others encode, without the
interpreter's lock. What a thread takes at a time is a run: neighbouring texts of a few thousand
bytes together.
"""

import _thread

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from .added cimport AddedMatcher
from .arrays cimport data_of, new_array
from .encode cimport Encoder, Worker, utf8_of

cdef extern from "Python.h":
    str PyUnicode_FromObject(object text)

cdef extern from "atomics.h" nogil:
    ctypedef long tc_shared
    long tc_take_number(tc_shared *next)
    void tc_set_shared(tc_shared *at, long value)
    long tc_get_shared(tc_shared *at)

cdef enum:
    # Runs of a thread: enough for all threads to end at about the same time.
    RUNS_A_THREAD = 8
    # A run of fewer bytes is not worth a thread's being started for it; one of more is no
    # better, and its ids leave the cache before they are a list.
    LEAST_RUN = 8192
    GREATEST_RUN = 65536


cdef struct Run:
    Py_ssize_t first            # text
    Py_ssize_t stop             # and that behind the last
    uint32_t *ids               # of all its texts
    Py_ssize_t count
    tc_shared done


@cython.final
cdef class Batch:
    """Some texts, and as much of their ids as there is by now; it gives them once.

    ``texts`` belongs to the batch. ``threads`` are how many there are to be, the calling one
    included. Raises TypeError for what is no str and UnicodeEncodeError for a lone surrogate,
    both with the text's number.
    """

    cdef Encoder encoder
    cdef AddedMatcher first
    cdef AddedMatcher second
    cdef list texts                 # which keep what `data` points to
    cdef Py_ssize_t count
    cdef const uint8_t **data
    cdef Py_ssize_t *sizes          # of texts in bytes; then of their ids
    cdef Run *runs
    cdef long n_runs
    cdef tc_shared next             # run that no thread has taken
    cdef long failed                # the first run that failed, and how
    cdef object error
    cdef Py_ssize_t threads
    cdef list helpers               # for each thread started here: a lock that it gives back

    def __cinit__(self, Encoder encoder not None, list texts not None, AddedMatcher first,
                  AddedMatcher second, Py_ssize_t threads):
        cdef Py_ssize_t i, total = 0
        self.encoder = encoder
        self.first = first
        self.second = second
        self.texts = texts
        self.helpers = []
        self.threads = threads
        self.count = len(texts)
        self.data = <const uint8_t **>malloc(max(1, self.count) * sizeof(void *))
        self.sizes = <Py_ssize_t *>malloc(max(1, self.count) * sizeof(Py_ssize_t))
        if self.data == NULL or self.sizes == NULL:
            raise MemoryError()
        for i in range(self.count):
            total += self._add(i)
        self._cut(total)

    def __dealloc__(self):
        cdef long i
        if self.runs != NULL:
            for i in range(self.n_runs):
                free(self.runs[i].ids)
        free(self.runs)
        free(self.data)
        free(self.sizes)

    cdef Py_ssize_t _add(self, Py_ssize_t number) except -1:
        """Note where a text is; its size."""
        text = self.texts[number]
        if type(text) is not str:
            if not isinstance(text, str):
                raise TypeError(f"texts[{number}] is not a str but {type(text).__name__}")
            text = self.texts[number] = PyUnicode_FromObject(text)
        try:
            self.data[number] = utf8_of(text, &self.sizes[number])
        except UnicodeEncodeError as error:
            error.add_note(f"in texts[{number}]") if hasattr(error, "add_note") else None
            raise
        return self.sizes[number]

    cdef int _cut(self, Py_ssize_t total) except -1:
        """Make runs of texts."""
        cdef Py_ssize_t goal = total // (RUNS_A_THREAD * max(1, self.threads)) + 1, size = 0, i
        cdef Run *run = NULL
        goal = min(max(goal, <Py_ssize_t>LEAST_RUN), <Py_ssize_t>GREATEST_RUN)
        # No more than these: each but the last reaches the goal.
        self.runs = <Run *>calloc(total // goal + 1, sizeof(Run))
        if self.runs == NULL:
            raise MemoryError()
        for i in range(self.count):
            if run == NULL or size >= goal:
                run = &self.runs[self.n_runs]
                run.first = i
                self.n_runs += 1
                size = 0
            size += self.sizes[i]
            run.stop = i + 1
        self.failed = self.n_runs
        return 0

    # ------------------------------------------------------------ encoding

    cdef int _encode(self, Worker worker, Run *run) except -1 nogil:
        """Encode a run's texts, and keep their ids."""
        cdef Py_ssize_t i, before
        worker.count = 0
        for i in range(run.first, run.stop):
            before = worker.count
            self.encoder.run_any(worker, self.data[i], self.sizes[i], self.first, self.second)
            self.sizes[i] = worker.count - before
        run.ids = <uint32_t *>malloc(max(1, worker.count) * sizeof(uint32_t))
        if run.ids == NULL:
            with gil:
                raise MemoryError()
        memcpy(run.ids, worker.out, worker.count * sizeof(uint32_t))
        run.count = worker.count
        tc_set_shared(&run.done, 1)
        return 0

    cdef int _encode_next(self, Worker worker, bint all_of_them) except -1:
        """Encode the next run, or every next one; 0 when all have been taken."""
        cdef long number = 0
        try:
            with nogil:
                while True:
                    number = tc_take_number(&self.next)
                    if number >= self.n_runs:
                        return 0
                    self._encode(worker, &self.runs[number])
                    if not all_of_them:
                        return 1
        except BaseException as error:
            # Of all errors, that of the first text counts; no more runs are begun. Those
            # before it have been taken, and will come to an end.
            with cython.critical_section(self):
                if number < self.failed:
                    self.failed = number
                    self.error = error
            tc_set_shared(&self.next, self.n_runs)
        return 0

    def help(self, lock):
        """What another thread does: encode, and give a lock back."""
        cdef Worker worker
        try:
            worker = self.encoder.acquire()
            try:
                self._encode_next(worker, 1)
            finally:
                self.encoder.release(worker)
        finally:
            lock.release()

    cdef int _start(self) except -1:
        """Start what threads there are to be besides this one, or as many as can be."""
        for _ in range(min(self.threads, self.n_runs) - 1):
            lock = _thread.allocate_lock()
            lock.acquire()
            try:
                _thread.start_new_thread(self.help, (lock,))
            except RuntimeError:
                break
            self.helpers.append(lock)
        return 0

    cdef int _join(self) except -1:
        """Wait for the other threads, which begin no more runs, and raise what they have met."""
        tc_set_shared(&self.next, self.n_runs)
        while self.helpers:
            self.helpers.pop().acquire()
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return 0

    # ------------------------------------------------------------ results

    cdef int _list(self, Run *run, list out) except -1:
        """Put the lists of a run's texts in their places."""
        cdef Py_ssize_t i
        cdef const uint32_t *ids = run.ids
        for i in range(run.first, run.stop):
            out[i] = self.encoder.list_of(ids, self.sizes[i])
            ids += self.sizes[i]
        free(run.ids)
        run.ids = NULL
        return 0

    def lists(self):
        """A list of the ids of each text."""
        cdef Worker worker = self.encoder.acquire()
        cdef list out = [None] * self.count
        cdef long made = 0
        try:
            self._start()
            while made < self.n_runs:
                if tc_get_shared(&self.runs[made].done):
                    self._list(&self.runs[made], out)
                    made += 1
                elif not self._encode_next(worker, 0):
                    self._join()
        finally:
            self._join()
            self.encoder.release(worker)
        return out

    def arrays(self):
        """All ids in one array (uint32), and where each text's begin and end (uint64)."""
        cdef Worker worker = self.encoder.acquire()
        cdef Py_ssize_t total = 0, i
        cdef long number
        cdef uint32_t *ids
        cdef uint64_t *offsets
        try:
            self._start()
            self._encode_next(worker, 1)
        finally:
            self._join()
            self.encoder.release(worker)
        for number in range(self.n_runs):
            total += self.runs[number].count
        made = new_array(total, 0), new_array(self.count + 1, 1)
        ids = <uint32_t *>data_of(made[0])
        offsets = <uint64_t *>data_of(made[1])
        for number in range(self.n_runs):
            memcpy(ids, self.runs[number].ids, self.runs[number].count * sizeof(uint32_t))
            ids += self.runs[number].count
        offsets[0] = 0
        for i in range(self.count):
            offsets[i + 1] = offsets[i] + <uint64_t>self.sizes[i]
        return made
