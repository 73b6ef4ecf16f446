# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A text to ids: through added tokens, normalizer and pre-tokenizer, to words.

All of it runs without the interpreter's lock but for the two places where Python decides: a text
that a normalizer really changes, and a pre-tokenizer that is no sequence of automata.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from .added cimport AddedMatcher
from .normalize cimport clean_prefix
from .prompts cimport marks_push
from .scanner cimport Automaton
from .windows cimport ENDS_ROOM
from .wordencoder cimport WIDE_FROM, WordEncoder
from .worker cimport TC_WHOLE, Worker

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_COMPACT_ASCII(str text) noexcept
    void *PyUnicode_DATA(str text) noexcept

cdef enum:
    # The words of a text of so many bytes fit one batch, whatever they are.
    SHORT = 128


cdef const uint8_t *utf8_of(str text, Py_ssize_t *n) except NULL:
    """A string's UTF-8, kept by the string itself. Raises UnicodeEncodeError."""
    if PyUnicode_IS_COMPACT_ASCII(text):
        n[0] = PyUnicode_GET_LENGTH(text)
        return <const uint8_t *>PyUnicode_DATA(text)
    return <const uint8_t *>PyUnicode_AsUTF8AndSize(text, n)


cdef class TextEncoder(WordEncoder):
    """Encodes texts. It is made ready by what it is part of: see ``encode.Encoder``."""

    cdef int run_any(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                     AddedMatcher first, AddedMatcher second) except -1 nogil:
        """Add a text's ids, the fastest way there is for it."""
        if not self._run_short(worker, text, n, first, second):
            self.run(worker, text, n, first, second, 0)
        return 0

    cdef int _run_short(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                        AddedMatcher first, AddedMatcher second) except -1 nogil:
        """Encode a short text as one batch of words; 0, and nothing done, where it is not so.

        It may have no added token and nothing to normalize. It gives what ``run`` gives, which
        is made for texts of any size and kind.
        """
        cdef Py_ssize_t count, i = 0, start
        cdef Py_ssize_t *ends = worker.words.ends
        cdef uint32_t *out
        if n == 0 or n > SHORT or not self.plain or worker.cache.crowded():
            return 0
        if ((first is not None and first.may_match(text, n) != n)
                or (second is not None and second.may_match(text, n) != n)
                or (self.normalize is not None
                    and clean_prefix(self.form, text, n, self.level) != n)):
            return 0
        if not worker.reserve(n * self.model.fan_out):
            with gil:
                raise MemoryError()
        if self.levels > 1 or (self.scanners[0] != NULL and n >= WIDE_FROM):
            self._start(worker, n)
            count = self._fill(worker, text, self.levels - 1, ends, ENDS_ROOM)
        else:
            count = (<Automaton>self.splits[0]).scan(text, n, 0, ends, ENDS_ROOM)
        if ends[count - 1] != n:
            return 0
        memset(worker.kinds, TC_WHOLE, count)
        if self.passes.make(&worker.batch, 0, text, n, 0, ends, count, self.whole_limit,
                            worker.cache.lines, worker.cache.mask) != count:
            # Some word is long, and may be cut.
            worker.words.pos = worker.words.end = worker.words.next = 0
            worker.words.have = count
            count = self._next_units(worker, text, n, 1)
        while True:
            out = worker.out + worker.count
            i = self.passes.take(&worker.batch, i, count, worker.cache.lines,
                                 worker.cache.mask, &out)
            worker.count = out - worker.out
            if i == count:
                return 1
            start = worker.batch.ends[i - 1] if i else 0
            self._miss(worker, text + start, worker.batch.ends[i] - start, i)
            i += 1

    cdef int run(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                 AddedMatcher first, AddedMatcher second, Py_ssize_t begin) except -1 nogil:
        """Add a text's ids from ``begin`` on (0, or where an added token ends)."""
        cdef Py_ssize_t i
        cdef int64_t token
        if n == 0:
            return 0
        if first is None or first.may_match(text, n) == n:
            worker.read = n + 1
            return self._ordinary(worker, text + begin, n - begin, begin == 0, second)
        worker.spans.count = 0
        if not first.split(text, n, begin, &worker.spans,
                           &worker.trusted if worker.guarded else NULL, 0):
            with gil:
                raise MemoryError()
        for i in range(worker.spans.count):
            token = worker.spans.items[i].id
            if token < 0:
                if i + 1 < worker.spans.count:
                    worker.read = worker.spans.items[i + 1].read
                else:
                    worker.read = n + 1
                self._ordinary(worker, text + worker.spans.items[i].start,
                               worker.spans.items[i].end - worker.spans.items[i].start,
                               worker.spans.items[i].start == 0, second)
                continue
            self._added(worker, <uint32_t>token)
            if worker.marking:
                self._mark(worker, worker.spans.items[i].end, worker.spans.items[i].read)
        return 0

    cdef int _mark(self, Worker worker, Py_ssize_t at, Py_ssize_t read) except -1 nogil:
        """Note that the text encodes by itself from a place on, unless ``read`` is 0."""
        worker.marks.found += 1
        if read and not marks_push(&worker.marks, at, read, worker.count):
            with gil:
                raise MemoryError()
        return 0

    cdef int _mark_inner(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         Py_ssize_t at, Py_ssize_t read) except -1 nogil:
        """Note the same of a token in a piece of the text."""
        cdef Py_ssize_t before = text - worker.base
        at += before
        if read > n:
            # Where the piece ends was decided by what follows it.
            read = worker.read
        elif read:
            read += before
            if worker.outer is not None and worker.outer.may_reach(worker.base, at):
                read = max(read, min(at + worker.outer.longest, worker.size + 1))
        return self._mark(worker, at, read)

    cdef int _added(self, Worker worker, uint32_t token) except -1 nogil:
        """Add the id of an added token that was found."""
        if not worker.reserve(1):
            with gil:
                raise MemoryError()
        worker.out[worker.count] = token
        worker.count += 1
        worker.found += worker.guarded and is_control(worker, token)
        return 0

    cdef int _ordinary(self, Worker worker, const uint8_t *text, Py_ssize_t n, bint at_start,
                       AddedMatcher second) except -1 nogil:
        """Text between added tokens: normalize it, if it needs it."""
        cdef Py_ssize_t size, clean
        if self.direct is not None and second is None:
            return self.direct._piece(worker, text, n, 1)
        if self.normalize is None:
            return self._normalized(worker, text, n, at_start, second)
        if self.form >= 0:
            clean = clean_prefix(self.form, text, n, self.level)
            if clean == n:
                return self._normalized(worker, text, n, at_start, second)
            size = worker.formed.run(self.form, text, n, clean)
            if size < 0:
                with gil:
                    raise MemoryError()
            return self._normalized(worker, worker.formed.data, size, at_start, second)
        if self.rules is not None:
            size = self.rules.run(text, n, &worker.made)
            if size < 0:
                with gil:
                    raise MemoryError()
            return self._normalized(worker, worker.made.data, size, at_start, second)
        with gil:
            return self._python_normalized(worker, text, n, at_start, second)

    cdef int _python_normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint at_start, AddedMatcher second) except -1:
        """The same, normalized by Python.

        A function of its own: one with objects of its own takes the interpreter's lock whenever
        it returns, to let them go, and threads would wait for each other with every text.
        """
        cdef Py_ssize_t size
        cdef const uint8_t *data
        result = self.normalize(PyUnicode_DecodeUTF8(<const char *>text, n, NULL))
        data = utf8_of(result, &size)
        with nogil:
            self._normalized(worker, data, size, at_start, second)
        return 0

    cdef int _normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         bint at_start, AddedMatcher second) except -1 nogil:
        """Normalized text: find the added tokens that are looked for in it."""
        cdef Py_ssize_t i
        cdef int64_t token
        if n == 0:
            return 0
        if second is None or second.may_match(text, n) == n:
            return self._piece(worker, text, n, at_start)
        worker.inner.count = 0
        if not second.split(text, n, 0, &worker.inner,
                            &worker.trusted if worker.guarded else NULL, text - worker.base):
            with gil:
                raise MemoryError()
        for i in range(worker.inner.count):
            token = worker.inner.items[i].id
            if token < 0:
                self._piece(worker, text + worker.inner.items[i].start,
                            worker.inner.items[i].end - worker.inner.items[i].start,
                            at_start and worker.inner.items[i].start == 0)
                continue
            self._added(worker, <uint32_t>token)
            if worker.marking_inner:
                self._mark_inner(worker, text, n, worker.inner.items[i].end,
                                 worker.inner.items[i].read)
        return 0

    cdef int _piece(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint at_start) except -1 nogil:
        """Ordinary text: split it into words and encode each."""
        if self.pre_split is not None:
            with gil:
                return self._python_pieces(worker, text, n, at_start)
        cdef Py_ssize_t first
        if not worker.reserve(n * self.model.fan_out):
            with gil:
                raise MemoryError()
        if at_start and self.opening is not None:
            first = self._first_word(worker, text, n)
            text += first
            n -= first
        return self._words(worker, text, n, self.levels > 0)

    cdef int _python_pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            bint at_start) except -1:
        cdef Py_ssize_t size
        cdef const uint8_t *data
        piece = PyUnicode_DecodeUTF8(<const char *>text, n, NULL)
        for word, _ in self.pre_split([(piece, at_start)]):
            data = utf8_of(word, &size)
            if not worker.reserve(size * self.model.fan_out):
                raise MemoryError()
            with nogil:
                self._words(worker, data, size, 0)
        return 0
