# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What one call of an encoder needs to itself.

An encoder is immutable, so that any number of threads can use it; all that a call writes to is
here. A call takes a worker and gives it back, with the words that it has come to know.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from .added cimport Spans, spans_free
from .longwords cimport LongWords
from .model cimport scratch_free, scratch_init
from .normalize cimport FormText
from .piecerules cimport made_free
from .prompts cimport Marks, marks_free
from .words cimport IDS_LIMIT, WordCache

cdef enum:
    # A worker keeps no more than this between calls.
    KEEP_IDS = 1 << 18
    KEEP_SCRATCH = 1 << 16


cdef class Worker:
    """One call's own memory; see the module."""

    def __cinit__(self, Py_ssize_t cache_lines):
        scratch_init(&self.scratch)
        memset(&self.spans, 0, sizeof(Spans))
        memset(&self.inner, 0, sizeof(Spans))
        memset(&self.trusted, 0, sizeof(Spans))
        memset(&self.marks, 0, sizeof(Marks))
        memset(&self.met, 0, sizeof(tc_met))
        self.formed = FormText()
        self.cache = WordCache(cache_lines)
        # A quarter of the memory that the other cache begins with, at most.
        self.long_words = LongWords(min(8192, max(1, cache_lines >> 4)))
        self.lend_cache()

    def __dealloc__(self):
        scratch_free(&self.scratch)
        made_free(&self.made)
        spans_free(&self.spans)
        spans_free(&self.inner)
        spans_free(&self.trusted)
        marks_free(&self.marks)
        free(self.places)
        free(self.out)

    cdef void lend_cache(self) noexcept nogil:
        """Let a model that keeps a cache use the worker's."""
        self.scratch.lines = self.cache.lines
        self.scratch.line_mask = self.cache.mask

    cdef bint reserve(self, Py_ssize_t more) noexcept nogil:
        """Room for ``more`` ids and a cache line's worth beyond them."""
        cdef Py_ssize_t size = self.count + more + IDS_LIMIT
        cdef uint32_t *out
        if size <= self.capacity:
            return 1
        size = max(size, 2 * self.capacity)
        out = <uint32_t *>realloc(self.out, size * sizeof(uint32_t))
        if out == NULL:
            return 0
        self.out = out
        self.capacity = size
        return 1

    cdef uint32_t *reserve_places(self, Py_ssize_t ids) noexcept nogil:
        """A number for each of so many ids, the same memory always; NULL where there is none."""
        if self.places == NULL and ids:
            self.places = <uint32_t *>calloc(ids, sizeof(uint32_t))
        return self.places

    cdef void shrink(self) noexcept nogil:
        """Give back what one large text needed."""
        self.count = self.trusted.count = self.marks.count = self.marks.found = 0
        self.guarded = self.marking = self.marking_inner = 0
        if self.capacity > KEEP_IDS:
            free(self.out)
            self.out = NULL
            self.capacity = 0
        if self.scratch.capacity > KEEP_SCRATCH or self.scratch.text_capacity > KEEP_SCRATCH:
            scratch_free(&self.scratch)
            self.lend_cache()
        if self.made.room > KEEP_SCRATCH:
            made_free(&self.made)
        if self.formed.room > KEEP_SCRATCH:
            self.formed.forget()
        if self.spans.capacity > KEEP_SCRATCH:
            spans_free(&self.spans)
        if self.inner.capacity > KEEP_SCRATCH:
            spans_free(&self.inner)
        if self.trusted.capacity > KEEP_SCRATCH:
            spans_free(&self.trusted)
        if self.marks.capacity > KEEP_SCRATCH:
            marks_free(&self.marks)
