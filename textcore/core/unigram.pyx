# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Unigram language model: of all ways to cut a word into pieces, the one of the best score.

Viterbi over the bytes of a word: for each place, the best way to get there. Scores are summed
from the left in doubles, and of equal ways the one found first stays: the one whose last piece
begins first, so that rounding and ties come out as in the reference.

Sources: Kudo 2018 (arXiv:1804.10959) for the model; the behaviour of Hugging Face
``tokenizers``' Unigram for unknown characters, their fusing and byte fallback.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from .model cimport (
    NO_MEMORY, NO_UNK, NONE, Scratch, Step, WordModel, scratch_free, scratch_init,
    scratch_reserve, scratch_reserve_steps,
)
from .tables cimport table_bytes, table_copy, table_fill
from .trie cimport NOWHERE, Trie, Unit, trie_restore, trie_step

cdef extern from "mixing.h" nogil:
    bint TC_LIKELY(bint x)

# An unknown character scores so much less than the worst piece.
cdef double UNK_PENALTY = 10.0


cdef inline int _width(uint8_t lead) noexcept nogil:
    """The bytes of a character, by its first."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


cdef inline void _put(Scratch *w, Py_ssize_t at, uint32_t symbol, Py_ssize_t start,
                      Py_ssize_t end, bint is_byte) noexcept nogil:
    w.symbols[at] = symbol
    w.lengths[at] = <uint32_t>(end - start)
    w.previous[at] = <int32_t>start
    w.following[at] = is_byte


cdef void _reverse(Scratch *w, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(count // 2):
        j = count - 1 - i
        w.symbols[i], w.symbols[j] = w.symbols[j], w.symbols[i]
        w.lengths[i], w.lengths[j] = w.lengths[j], w.lengths[i]
        w.previous[i], w.previous[j] = w.previous[j], w.previous[i]
        w.following[i], w.following[j] = w.following[j], w.following[i]


cdef class Unigram(WordModel):
    """A Unigram model; immutable once made.

    Parameters
    ----------
    pieces : list of (str, float)
        Pieces and their scores (log probabilities, finite); a piece's place is its id. Of
        equal pieces the last counts.
    unk_id : int or None
        The id of an unknown character; without one, such a character is an error.
    byte_fallback : bool
        Unknown characters become the pieces ``<0x00>`` to ``<0xFF>`` where all that are
        needed exist.
    """

    def __init__(self, list pieces not None, unk_id, bint byte_fallback):
        cdef Py_ssize_t i
        cdef double lowest = float("inf")
        cdef int value
        if self.ids != NULL:
            raise RuntimeError("Unigram is built once")
        self.size = len(pieces)
        self.ids = <uint32_t *>malloc(max(1, self.size) * sizeof(uint32_t))
        self.scores = <double *>malloc(max(1, self.size) * sizeof(double))
        if self.ids == NULL or self.scores == NULL:
            raise MemoryError()
        entries = {}
        for i in range(self.size):
            piece, score = pieces[i]
            self.ids[i] = <uint32_t>i
            self.scores[i] = score
            entries[piece.encode()] = i
            if self.scores[i] < lowest:
                lowest = self.scores[i]
        self.unk_score = lowest - UNK_PENALTY
        self.unk = NONE if unk_id is None else unk_id
        if self.unk != NONE and self.unk >= self.size:
            raise ValueError(f"unk_id {unk_id} is not below {self.size}")
        self.pieces = Trie(entries)
        self.use_fallback = byte_fallback
        for value in range(256):
            self.fallback[value] = entries.get(b"<0x%02X>" % value, <uint32_t>NONE)

    def __dealloc__(self):
        free(self.scores)

    cdef bint _find_way(self, const uint8_t *text, Py_ssize_t n, Scratch *w) noexcept nogil:
        """The best way to each place, in ``w.steps``; 0 where an unknown token is missing."""
        cdef Step *steps = w.steps
        cdef Step *to
        cdef const Unit *units = self.pieces.units
        cdef const double *scores = self.scores
        cdef Py_ssize_t at = 0, i, width
        cdef uint32_t node, value
        cdef double here, score
        cdef bint single
        for i in range(n + 1):
            steps[i].start = -1
        steps[0].score = 0.0
        while at < n:
            here = steps[at].score
            width = _width(text[at])
            single = 0
            node = 0
            i = at
            while i < n:
                node = trie_step(units, node, text[i])
                if node == NOWHERE:
                    break
                i += 1
                value = units[node].value
                if value == NOWHERE:
                    continue
                to = steps + i
                score = scores[value] + here
                if to.start < 0 or score > to.score:
                    to.score = score
                    to.start = <int32_t>at
                    to.symbol = value
                single |= i - at == width
            if not single:
                to = steps + at + width
                score = self.unk_score + here
                if to.start < 0 or score > to.score:
                    if self.unk == NONE:
                        return 0
                    to.score = score
                    to.start = <int32_t>at
                    to.symbol = self.unk
            at += width
        return 1

    cdef Py_ssize_t _unknown(self, const uint8_t *text, Py_ssize_t start, Py_ssize_t end,
                             Scratch *w, Py_ssize_t count) noexcept nogil:
        """Put what unknown text becomes, the last first; the number of symbols then."""
        cdef uint32_t symbol = self.pieces.get(text + start, end - start)
        cdef Py_ssize_t i
        cdef bint complete = self.use_fallback and symbol == NOWHERE
        if complete:
            for i in range(start, end):
                complete &= self.fallback[text[i]] != NONE
        if complete:
            for i in range(end - 1, start - 1, -1):
                _put(w, count, self.fallback[text[i]], start, end, 1)
                count += 1
            return count
        _put(w, count, self.unk if symbol == NOWHERE else symbol, start, end, 0)
        return count + 1

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        """See WordModel; also each symbol's start (``previous``), and whether it is a byte's."""
        cdef Py_ssize_t end = n, start, count = 0
        if n == 0:
            return 0
        if not scratch_reserve(w, n) or not scratch_reserve_steps(w, n + 1):
            return NO_MEMORY
        if not self._find_way(text, n, w):
            return NO_UNK
        while end > 0:
            start = w.steps[end].start
            if TC_LIKELY(w.steps[end].symbol != self.unk):
                _put(w, count, w.steps[end].symbol, start, end, 0)
                count += 1
            else:
                # Neighbours are one unknown piece, and may together be a known one.
                while start > 0 and w.steps[start].symbol == self.unk:
                    start = w.steps[start].start
                count = self._unknown(text, start, end, w, count)
            end = start
        _reverse(w, count)
        return count

    def scores_list(self):
        """The score of every piece, by id."""
        return [self.scores[i] for i in range(self.size)]

    def tables(self):
        """What :meth:`restore` makes the same model from: tables as bytes, by name."""
        cdef uint32_t numbers[2]
        numbers[0] = self.unk
        numbers[1] = self.use_fallback
        return {
            "numbers": table_bytes(numbers, sizeof(numbers)),
            "unk_score": table_bytes(&self.unk_score, sizeof(double)),
            "scores": table_bytes(self.scores, self.size * sizeof(double)),
            "fallback": table_bytes(self.fallback, sizeof(self.fallback)),
            "pieces": self.pieces.table(),
        }

    @staticmethod
    def restore(dict tables not None):
        """A model from its tables. Raises ValueError where they don't fit together."""
        cdef Unigram model = Unigram.__new__(Unigram)
        cdef uint32_t numbers[2]
        cdef Py_ssize_t i
        table_fill(tables, "numbers", numbers, sizeof(numbers))
        table_fill(tables, "unk_score", &model.unk_score, sizeof(double))
        table_fill(tables, "fallback", model.fallback, sizeof(model.fallback))
        model.size = len(tables["scores"]) // sizeof(double)
        model.scores = <double *>table_copy(tables, "scores", model.size, sizeof(double))
        model.ids = <uint32_t *>malloc(max(1, model.size) * sizeof(uint32_t))
        if model.ids == NULL:
            raise MemoryError()
        for i in range(model.size):
            model.ids[i] = <uint32_t>i
        model.unk = numbers[0]
        model.use_fallback = numbers[1] != 0
        for i in range(256):
            if model.fallback[i] != NONE and model.fallback[i] >= <uint64_t>model.size:
                raise ValueError(f"fallback[{i}]: {model.fallback[i]} of {model.size}")
        if model.unk != NONE and model.unk >= <uint64_t>model.size:
            raise ValueError(f"numbers: unknown token {model.unk} of {model.size}")
        model.pieces = trie_restore(tables, "pieces", model.size)
        return model

    def tokenize(self, bytes word not None):
        """One word: a list of (id, start, end, is_byte), in bytes of ``word``.

        ``is_byte`` says that the token stands for one byte of an unknown text; its start and
        end are those of the text. Raises ValueError where an unknown token is needed and
        there is none.
        """
        cdef Scratch w
        cdef Py_ssize_t count, i, n = len(word)
        cdef const uint8_t *text = word
        scratch_init(&w)
        try:
            with nogil:
                count = self.encode(text, n, &w, 1)
            if count == NO_MEMORY:
                raise MemoryError("a word is too long to encode")
            if count == NO_UNK:
                raise ValueError("unk_id is missing, and an unknown token is needed")
            return [(w.symbols[i], w.previous[i], w.previous[i] + <Py_ssize_t>w.lengths[i],
                     bool(w.following[i])) for i in range(count)]
        finally:
            scratch_free(&w)
