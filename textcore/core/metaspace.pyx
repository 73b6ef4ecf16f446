# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Metaspace as part of the model: spaces are rewritten in the words that the cache lacks.

The encoder then splits, hashes and caches the text as it is; only a word that is new pays
for its mark.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcmp, memcpy, memset

from .cuts cimport Cuts
from .model cimport NO_MEMORY, Scratch, WordModel, scratch_reserve_text
from .units cimport TC_BATCH, tc_batch
from .words cimport KEY_LIMIT, tc_key, tc_line


cdef class Spaced(WordModel):
    """``inner`` seeing words with ``mark`` in place of each space; immutable.

    ``always``: a word that begins with neither a space nor the mark gets one in front.
    ``prefix``: what every word gets in front instead.
    """

    def __init__(self, WordModel inner not None, str mark not None, bint always,
                 str prefix not None=""):
        if self.ids != NULL:
            raise RuntimeError("Spaced is built once")
        if len(mark) != 1:
            raise ValueError(f"a mark is one character, not {mark!r}")
        self.inner = inner
        self._mark = mark.encode()
        self.mark = self._mark
        self.mark_size = len(self._mark)
        self.always = always
        self._prefix = prefix.encode()
        self.prefix = self._prefix
        self.prefix_size = len(self._prefix)
        self.size = inner.size
        # One byte may become two marks, or itself after one, or after the prefix.
        self.fan_out = inner.fan_out * (1 + self.mark_size + self.prefix_size)
        self.ids = <uint32_t *>malloc(max(1, self.size) * sizeof(uint32_t))
        if self.ids == NULL:
            raise MemoryError()
        memcpy(self.ids, inner.ids, self.size * sizeof(uint32_t))
        # A piece that is no word's first one gets no mark, so it has to look like none.
        if inner.cuts is not None and not (always or prefix or inner.exceptions):
            self.cuts = Cuts.spaced(inner.cuts, self._mark)

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        cdef Py_ssize_t i, at = 0
        if n == 0:
            return 0
        if not scratch_reserve_text(w, (n + 1) * self.mark_size + self.prefix_size):
            return NO_MEMORY
        if self.prefix_size:
            memcpy(w.text, self.prefix, self.prefix_size)
            at = self.prefix_size
        if self.always and text[0] != 0x20 and (
                n < self.mark_size or memcmp(text, self.mark, self.mark_size) != 0):
            memcpy(w.text, self.mark, self.mark_size)
            at = self.mark_size
        for i in range(n):
            if text[i] == 0x20:
                memcpy(w.text + at, self.mark, self.mark_size)
                at += self.mark_size
            else:
                w.text[at] = text[i]
                at += 1
        return self.inner.encode(w.text, at, w, whole)

    cdef Py_ssize_t remember(self, const tc_batch *batch, const tc_batch *spelled,
                             const uint16_t *units, Py_ssize_t count, Scratch *w,
                             tc_line *lines, uint64_t mask, int level) noexcept nogil:
        cdef tc_batch marked
        cdef uint16_t chosen[TC_BATCH]
        cdef Py_ssize_t i, kept = 0
        # Which word is the first of a text, or an exception, can't be told from it.
        if self.always or self.prefix_size or self.inner.exceptions:
            return 0
        for i in range(count):
            chosen[kept] = units[i]
            kept += self._mark_key(&marked.keys[units[i]], &spelled.keys[units[i]])
        return self.inner.remember(batch, &marked, chosen, kept, w, lines, mask, level)

    cdef bint _mark_key(self, tc_key *marked, const tc_key *key) noexcept nogil:
        """A word with its marks, as a key; 0 where it has no room in one."""
        cdef const uint8_t *word = <const uint8_t *>key
        cdef uint8_t *out = <uint8_t *>marked
        cdef Py_ssize_t i, at = 0, n = word[KEY_LIMIT]
        memset(marked, 0, sizeof(tc_key))
        for i in range(n):
            if word[i] != 0x20:
                out[at] = word[i]
                at += 1
            elif at + self.mark_size > KEY_LIMIT:
                return 0
            else:
                memcpy(out + at, self.mark, self.mark_size)
                at += self.mark_size
            if at > KEY_LIMIT - 1 and i + 1 < n:
                return 0
        out[KEY_LIMIT] = <uint8_t>at
        return 1
