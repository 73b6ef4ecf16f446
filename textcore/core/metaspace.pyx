# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Metaspace as part of the model: spaces are rewritten in the words that the cache lacks.

The encoder then splits, hashes and caches the text as it is; only a word that is new pays
for its mark.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport malloc
from libc.string cimport memcmp, memcpy

from .cuts cimport Cuts
from .model cimport NO_MEMORY, Scratch, WordModel, scratch_reserve_text


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
