# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Batches of texts: encoded by several threads, made lists by the one that asked.

Python objects can be made by one thread at a time only. So the calling thread makes the lists,
and encodes itself only while there is nothing to list; the others encode, without the
interpreter's lock. What a thread takes at a time is a run: neighbouring texts of a few thousand
bytes together.
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from .added cimport AddedMatcher
from .arrays cimport data_of, new_array
from .atomics cimport tc_get_shared, tc_set_shared, tc_shared, tc_spin, tc_take_number
from .crew cimport Helper, Job
from .encode cimport Encoder
from .textencoder cimport utf8_of
from .worker cimport Worker

cdef extern from "Python.h":
    str PyUnicode_FromObject(object text)

cdef extern from "mixing.h" nogil:
    void TC_PREFETCH(const void *place)

cdef enum:
    # Runs of a thread: enough for all threads to end at about the same time.
    RUNS_A_THREAD = 16
    # A run of fewer bytes is not worth a thread's being woken for it; one of more is no
    # better, and its ids leave the cache before they are a list.
    LEAST_RUN = 8192
    GREATEST_RUN = 65536


cdef struct Run:
    Py_ssize_t first            # text
    Py_ssize_t stop             # and that behind the last
    uint32_t *ids               # of all its texts
    Py_ssize_t count
    void *taker                 # the worker of the thread that has it
    tc_shared done


@cython.final
cdef class Batch(Job):
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
    cdef list helpers               # and those that help

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

    cdef int _encode_next(self, Worker worker, bint all_of_them) except -1 nogil:
        """Encode the next run, or every next one; 0 when all have been taken."""
        cdef long number
        while True:
            number = tc_take_number(&self.next)
            if number >= self.n_runs:
                return 0
            self.runs[number].taker = <void *>worker
            self._encode(worker, &self.runs[number])
            if not all_of_them:
                return 1

    cdef int _encode_here(self, Worker worker, bint all_of_them) except -1:
        """The same in the calling thread; after a failure there are no more."""
        try:
            with nogil:
                return self._encode_next(worker, all_of_them)
        except BaseException as error:
            self.fail(worker, error)
        return 0

    cdef int work(self, object own) except -1 nogil:
        """What another thread does."""
        self._encode_next(<Worker>own, 1)
        return 0

    cdef void fail(self, object own, object error):
        """Note the failure of a thread's run.

        Of all errors, that of the first text counts; no more runs are begun. Those before it
        have been taken, and will come to an end.
        """
        cdef long number
        with cython.critical_section(self):
            for number in range(self.failed):
                if self.runs[number].taker == <void *>own and not self.runs[number].done:
                    self.failed = number
                    self.error = error
                    break
        tc_set_shared(&self.next, self.n_runs)

    cdef int _start(self) except -1:
        """Let as many threads help as there are to be besides this one, or as can be."""
        cdef Helper helper
        for _ in range(min(self.threads, self.n_runs) - 1):
            worker = self.encoder.acquire()
            helper = self.encoder.crew.call(self, worker)
            if helper is None:
                self.encoder.release(worker)
                break
            self.helpers.append((helper, worker))
        return 0

    cdef int _join(self) except -1:
        """Wait for the other threads, which begin no more runs, and raise what they have met."""
        cdef Helper helper
        tc_set_shared(&self.next, self.n_runs)
        while self.helpers:
            helper, worker = self.helpers.pop()
            helper.wait()
            self.encoder.crew.take_back(helper)
            self.encoder.release(worker)
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return 0

    # ------------------------------------------------------------ results

    cdef int _list(self, Run *run, list out) except -1:
        """Put the lists of a run's texts in their places."""
        cdef Py_ssize_t i
        cdef const uint32_t *ids = run.ids
        # Another thread has written them mostly: that takes a while to come here.
        for i in range(0, run.count, 64 // sizeof(uint32_t)):
            TC_PREFETCH(ids + i)
        for i in range(run.first, run.stop):
            out[i] = self.encoder.list_of(ids, self.sizes[i])
            ids += self.sizes[i]
        free(run.ids)
        run.ids = NULL
        return 0

    cdef bint _comes(self, long number) noexcept:
        """Wait a little for a run that another thread has: whether it is there."""
        cdef bint come
        with nogil:
            come = tc_spin(&self.runs[number].done, 1)
        return come

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
                elif not self._encode_here(worker, 0) and not self._comes(made):
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
            self._encode_here(worker, 1)
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
