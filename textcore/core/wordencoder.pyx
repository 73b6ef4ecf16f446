# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The hot loop: words of a text, in batches, to ids through the cache and the model.

Splits give the words; keys are made of a batch of them, and their cache lines asked for; then the
ids are taken from the lines that have come. What the cache lacks is encoded several words at a
time. All of it runs without the interpreter's lock.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from .codepoint cimport code_point
from .longwords cimport LONG_BYTES, LongWord, ids_of
from .model cimport NO_UNK, NONE, WordModel
from .scanner cimport Automaton
from .units cimport tc_batch, tc_no_key
from .windows cimport ENDS_ROOM, SCAN_ROOM, WindowScanner
from .words cimport (
    IDS_LIMIT, KEY_LIMIT, tc_find_line, tc_key, tc_line, tc_line_count, tc_store_line,
)
from .worker cimport (
    BATCH, Level, TC_DROPPED, TC_LAST_PIECE, TC_PIECE, TC_WHOLE, Words, Worker, tc_met,
)

cdef extern from "stretches.h" nogil:
    Py_ssize_t tc_stretch_end(const tc_batch *batch, const uint8_t *kinds, Py_ssize_t first,
                              Py_ssize_t to, Py_ssize_t start)
    bint tc_stretch_is_new(tc_met *met, const tc_batch *batch, const uint16_t *units,
                           Py_ssize_t count, const uint8_t *text, Py_ssize_t first, Py_ssize_t to,
                           Py_ssize_t start)

cdef enum:
    # With so many new words in a batch, the rest of it, and the next, are asked for new ones.
    LEARN_FROM = 3


cdef class WordEncoder:
    """Encodes words. It is made ready by what it is part of: see ``encode.Encoder``."""

    cdef bint _drops(self, const uint8_t *word) noexcept nogil:
        """Whether a piece, not empty, is left out."""
        cdef int width
        if word[0] < 0x80:
            return self.drop_ascii[word[0]]
        return self.drop is not None and self.drop.has(code_point(word, &width))

    cdef Py_ssize_t _first_word(self, Worker worker, const uint8_t *text,
                                Py_ssize_t n) except -1 nogil:
        """Encode the first word, or its first piece, with the model for it; its length."""
        cdef Py_ssize_t end = n
        cdef bint is_split = self.levels > 0
        if is_split:
            self._start(worker, n)
            self._fill(worker, text, self.levels - 1, worker.words.ends, ENDS_ROOM)
            end = worker.words.ends[0]
        elif self.cuts is not None and not self.model.exceptions:
            # A text that is not split: what is put before it reaches no further than a cut.
            end = self.cuts.next(text, n, 0)
        self._open(worker, text, end, is_split or end == n)
        return end

    cdef int _open(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   bint whole) except -1 nogil:
        """Encode the first word of a text, from the cache where that has it.

        There it begins with a byte that no text has: as a first word it may be others than it
        is inside.
        """
        cdef tc_key key
        cdef const tc_line *line
        cdef uint64_t hashed
        cdef Py_ssize_t count
        if n >= KEY_LIMIT or self.opening.exceptions:
            self._merge_out(worker, self.opening, word, n, whole)
            return 0
        memset(&key, 0, sizeof(key))
        (<uint8_t *>&key)[0] = 0xFF
        memcpy(<uint8_t *>&key + 1, word, n)
        (<uint8_t *>&key)[KEY_LIMIT] = <uint8_t>(n + 1)
        hashed = self.passes.hash(&key)
        line = tc_find_line(worker.cache.lines, worker.cache.mask, hashed, &key)
        if line != NULL:
            count = tc_line_count(line)
            memcpy(worker.out + worker.count, line.ids, count * sizeof(uint32_t))
            worker.count += count
            return 0
        count = self._merge_out(worker, self.opening, word, n, whole)
        if 1 <= count <= IDS_LIMIT:
            worker.cache.used += tc_store_line(
                worker.cache.lines, worker.cache.mask, hashed, &key,
                worker.out + worker.count - count, count)
        return 0

    cdef void _start(self, Worker worker, Py_ssize_t n) noexcept nogil:
        """Set the splits to the start of a text of ``n`` bytes."""
        memset(worker.levels, 0, self.levels * sizeof(Level))
        worker.levels[0].end = n

    cdef Py_ssize_t _fill(self, Worker worker, const uint8_t *text, int level,
                          Py_ssize_t *ends, Py_ssize_t room) noexcept nogil:
        """The ends of the next pieces that the splits up to ``level`` make: how many.

        0 when the text is used up. Each split sees a piece of the one before as a text of
        its own.
        """
        cdef Level *at = &worker.levels[level]
        cdef Py_ssize_t count = 0, more, i
        cdef void *scanner = self.scanners[level]
        while count + SCAN_ROOM <= room:
            if at.pos >= at.end:
                if level == 0:
                    break
                if at.next == at.have:
                    at.have = self._fill(worker, text, level - 1, worker.above[level],
                                         ENDS_ROOM)
                    at.next = 0
                    if at.have == 0:
                        break
                at.base = at.pos = at.end
                at.end = worker.above[level][at.next]
                at.next += 1
            if scanner != NULL and at.end - at.pos >= WIDE_FROM:
                more = (<WindowScanner>scanner).scan(
                    text + at.base, at.end - at.base, at.pos - at.base, ends + count,
                    room - count)
            else:
                more = (<Automaton>self.splits[level]).scan(
                    text + at.base, at.end - at.base, at.pos - at.base, ends + count,
                    room - count)
            if at.base:
                for i in range(count, count + more):
                    ends[i] += at.base
            count += more
            at.pos = ends[count - 1]
        return count

    cdef Py_ssize_t _next_units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint split) noexcept nogil:
        """The next words of a text, or pieces of long ones between cuts: how many.

        Their keys are made and their cache lines asked for: when they are used, after the
        whole batch, the lines have come from memory.
        """
        cdef Words *at = &worker.words
        cdef Py_ssize_t count = 0, more
        cdef bint dropping = split and self.drop is not None
        while count < BATCH:
            if at.pos < at.end:
                count += self._pieces(worker, text, n, count)
                continue
            if at.next == at.have:
                if at.pos == n:
                    break
                at.next = 0
                if split:
                    at.have = self._fill(worker, text, self.levels - 1, at.ends, ENDS_ROOM)
                else:
                    at.ends[0] = n
                    at.have = 1
            more = 0
            if not dropping and not self.always_cut:
                more = self._units(worker, text, n, count)
            if more == 0:
                more = self._other_word(worker, text, n, count, dropping)
            count += more
        return count

    cdef Py_ssize_t _units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                           Py_ssize_t count) noexcept nogil:
        """Words, up to one that is cut elsewhere, as units from ``count`` on: how many."""
        cdef Words *at = &worker.words
        cdef Py_ssize_t words = at.have - at.next, more
        if self.make_cut != NULL:
            more = self.make_cut(
                &self.cuts.cuts, &worker.batch, worker.kinds, count, text, at.pos,
                at.ends + at.next, &words, self.whole_limit, worker.cache.lines,
                worker.cache.mask)
        else:
            more = words = self.passes.make(
                &worker.batch, count, text, n, at.pos, at.ends + at.next,
                min(words, BATCH - count), self.whole_limit, worker.cache.lines,
                worker.cache.mask)
            memset(worker.kinds + count, TC_WHOLE, more)
        if more:
            at.next += words
            at.pos = at.end = at.ends[at.next - 1]
        return more

    cdef Py_ssize_t _other_word(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                Py_ssize_t count, bint dropping) noexcept nogil:
        """The next word, which may be long, or dropped, as units from ``count`` on: how many."""
        cdef Words *at = &worker.words
        cdef Py_ssize_t start = at.pos, end = at.ends[at.next], more
        at.next += 1
        at.end = end
        if dropping and self._drops(text + start):
            worker.kinds[count] = TC_DROPPED
            worker.batch.ends[count] = at.pos = end
            tc_no_key(&worker.batch, count)
            return 1
        if self.always_cut or (end - start > self.whole_limit and self.cuts is not None):
            more = self._pieces(worker, text, n, count)
            if more == 1 and at.pos == end:
                worker.kinds[count] = TC_WHOLE
            return more
        worker.kinds[count] = TC_WHOLE
        worker.batch.ends[count] = at.pos = end
        self._keys(worker, text, n, start, count, 1)
        return 1

    cdef Py_ssize_t _pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t count) noexcept nogil:
        """Pieces of the word that is being cut, as units from ``count`` on: how many."""
        cdef Words *at = &worker.words
        cdef Py_ssize_t start = at.pos, more
        more = self.find_pieces(&self.cuts.cuts, text, at.end, start, worker.batch.ends + count,
                                BATCH - count)
        at.pos = worker.batch.ends[count + more - 1]
        memset(worker.kinds + count, TC_PIECE, more)
        if at.pos == at.end:
            worker.kinds[count + more - 1] = TC_LAST_PIECE
        self._keys(worker, text, n, start, count, more)
        return more

    cdef void _keys(self, Worker worker, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                    Py_ssize_t count, Py_ssize_t more) noexcept nogil:
        """Make the keys of ``more`` units from ``count`` on, whose ends are there."""
        cdef Py_ssize_t stop = count + more
        while count < stop:
            count += self.passes.make(
                &worker.batch, count, text, n, start, worker.batch.ends + count, stop - count,
                KEY_LIMIT, worker.cache.lines, worker.cache.mask)
            if count < stop:
                tc_no_key(&worker.batch, count)
                count += 1
                start = worker.batch.ends[count - 1]

    cdef int _words(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint split) except -1 nogil:
        """Encode the words of a text; without ``split``, it is one word."""
        if self.model.streams and not split:
            return self._stream(worker, text, n)
        cdef Py_ssize_t count, i, judged, start = 0, first, before = worker.count
        cdef bint learning, learned
        cdef uint32_t *out
        worker.words.pos = worker.words.end = worker.words.next = worker.words.have = 0
        if split:
            self._start(worker, n)
        while start < n:
            if worker.cache.crowded():
                worker.cache.grow(self.passes.hash)
                worker.lend_cache()
            count = self._next_units(worker, text, n, split)
            i = 0
            learning = worker.fresh >= LEARN_FROM
            worker.fresh = learned = judged = 0
            while True:
                out = worker.out + worker.count
                i = self.passes.take(&worker.batch, i, count, worker.cache.lines,
                                     worker.cache.mask, &out)
                worker.count = out - worker.out
                if i == count:
                    break
                first = worker.batch.ends[i - 1] if i else start
                if i >= judged and worker.kinds[i] == TC_PIECE:
                    judged = self._stretch(worker, text, first, &i, count)
                    if i == judged:
                        continue
                if not learned and (learning or worker.fresh >= LEARN_FROM):
                    learned = 1
                    self._learn(worker, i, count)
                    continue
                if worker.kinds[i] != TC_DROPPED:
                    self._miss(worker, text + first, worker.batch.ends[i] - first, i)
                i += 1
            start = worker.batch.ends[count - 1]
        if self.fused != NONE:
            self._fuse(worker, before)
        return 0

    cdef Py_ssize_t _stretch(self, Worker worker, const uint8_t *text, Py_ssize_t start,
                             Py_ssize_t *unit, Py_ssize_t count) except -1 nogil:
        """Merge pieces of a word at once, from one at ``start`` on, if they are new.

        The number of the first unit that this says nothing about, of ``count``. Where it was
        done, ``unit`` is moved there.
        """
        cdef uint16_t units[BATCH]
        cdef Py_ssize_t found, first = unit[0]
        cdef Py_ssize_t end = tc_stretch_end(&worker.batch, worker.kinds, first, count, start)
        if end <= first + 1:
            return first + 1
        found = self.passes.lacking(&worker.batch, first, end, worker.cache.lines,
                                    worker.cache.mask, units)
        if tc_stretch_is_new(&worker.met, &worker.batch, units, found, text, first, end, start):
            self._merge_out(worker, self.model, text + start, worker.batch.ends[end - 1] - start,
                            0)
            unit[0] = end
        return end

    cdef void _learn(self, Worker worker, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        """Encode what the cache lacks of a batch, from unit ``first`` on, and remember it.

        Several words at a time, which not every model can; what is left is for _miss, and so
        are the exceptions of ignore_merges.
        """
        cdef uint16_t units[BATCH]
        cdef Py_ssize_t found, i, kept = 0
        cdef const uint8_t *word
        found = self.passes.lacking(&worker.batch, first, count, worker.cache.lines,
                                    worker.cache.mask, units)
        worker.fresh += found
        if self.model.exceptions:
            for i in range(found):
                word = <const uint8_t *>&worker.batch.keys[units[i]]
                if self.model.whole_word(word, word[KEY_LIMIT]) == NONE:
                    units[kept] = units[i]
                    kept += 1
            found = kept
        if worker.cache.watches():
            for i in range(found):
                worker.cache.note(worker.batch.hashes[units[i]])
        if found:
            worker.cache.used += self.model.remember(
                &worker.batch, &worker.batch, units, found, &worker.scratch,
                worker.cache.lines, worker.cache.mask, self.level)

    cdef void _fuse(self, Worker worker, Py_ssize_t first) noexcept nogil:
        """Make one of neighbouring unknown ids, from the worker's id ``first`` on."""
        cdef Py_ssize_t i, kept = first
        for i in range(first, worker.count):
            if worker.out[i] != self.fused or i == first or worker.out[i - 1] != self.fused:
                worker.out[kept] = worker.out[i]
                kept += 1
        worker.count = kept

    cdef int _stream(self, Worker worker, const uint8_t *text, Py_ssize_t n) except -1 nogil:
        """Encode a text by a model that takes it in segments."""
        cdef Py_ssize_t start = 0, end
        while start < n:
            end = self.model.segment(text, n, start)
            self._merge_out(worker, self.model, text + start, end - start, start == 0)
            start = end
        return 0

    cdef int _miss(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   Py_ssize_t unit) except -1 nogil:
        """Encode a word that the cache lacks, and remember it where that is allowed.

        An exception of ignore_merges is one id as a word and others as a piece of one, so
        it is never remembered.
        """
        cdef Py_ssize_t count
        cdef const LongWord *known = NULL
        if n <= LONG_BYTES:
            known = worker.long_words.find(word, n)
        if known != NULL:
            memcpy(worker.out + worker.count, ids_of(known), known.count * sizeof(uint32_t))
            worker.count += known.count
            return 0
        count = self._merge_out(worker, self.model, word, n, worker.kinds[unit] == TC_WHOLE)
        if self.model.exceptions and self.model.whole_word(word, n) != NONE:
            return 0
        if (1 <= count <= IDS_LIMIT and n <= KEY_LIMIT
                and worker.cache.takes(worker.batch.hashes[unit])):
            worker.cache.used += tc_store_line(
                worker.cache.lines, worker.cache.mask, worker.batch.hashes[unit],
                &worker.batch.keys[unit], worker.out + worker.count - count, count)
            worker.fresh += 1
        else:
            worker.long_words.store(word, n, worker.out + worker.count - count, count)
        return 0

    cdef Py_ssize_t _merge_out(self, Worker worker, WordModel model, const uint8_t *word,
                               Py_ssize_t n, bint whole) except -1 nogil:
        """Encode a word by merging; how many ids that made."""
        cdef Py_ssize_t count, i
        cdef uint32_t *out
        count = model.encode(word, n, &worker.scratch, whole)
        if count < 0:
            with gil:
                if count == NO_UNK:
                    raise ValueError("model.unk_token is needed here and is not in the vocabulary")
                raise MemoryError()
        out = worker.out + worker.count
        for i in range(count):
            out[i] = model.ids[worker.scratch.symbols[i]]
        worker.count += count
        return count
