# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""WordPiece, which takes the longest token that fits again and again, and WordLevel, which
takes whole words only.

Their symbols are the vocabulary's tokens by their place in it. Sources: Schuster & Nakajima
2012 and Wu et al. 2016 (arXiv:1609.08144) for WordPiece; the behaviour of Hugging Face
``tokenizers`` for unknown and overlong words.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport malloc

from .model cimport NO_MEMORY, NO_UNK, NONE, Scratch, WordModel, scratch_reserve
from .tables cimport table_bytes, table_copy, table_fill
from .trie cimport NOWHERE, Trie, Unit, trie_restore, trie_step


cdef int _number(WordModel model, dict vocab) except -1:
    """Make the symbols: token i of the vocabulary is symbol i."""
    cdef Py_ssize_t i = 0
    model.size = len(vocab)
    model.ids = <uint32_t *>malloc(max(1, model.size) * sizeof(uint32_t))
    if model.ids == NULL:
        raise MemoryError()
    for token_id in vocab.values():
        model.ids[i] = token_id
        i += 1
    return 0


cdef dict _tables(WordModel model):
    return {
        "unk": table_bytes(&model.unk, sizeof(uint32_t)),
        "ids": table_bytes(model.ids, model.size * sizeof(uint32_t)),
    }


cdef int _restore(WordModel model, dict tables) except -1:
    cdef Py_ssize_t i
    model.size = len(tables["ids"]) // sizeof(uint32_t)
    model.ids = <uint32_t *>table_copy(tables, "ids", model.size, sizeof(uint32_t))
    for i in range(model.size):
        if model.ids[i] >= 0x80000000:
            raise ValueError(f"ids[{i}]: {model.ids[i]}")
    table_fill(tables, "unk", &model.unk, sizeof(uint32_t))
    if model.unk != NONE and model.unk >= <uint64_t>model.size:
        raise ValueError(f"unk: {model.unk} of {model.size}")
    return 0


cdef Py_ssize_t _one(uint32_t symbol, Py_ssize_t n, Scratch *w) noexcept nogil:
    """The whole word as one symbol."""
    if symbol == NONE:
        return NO_UNK
    if not scratch_reserve(w, 1):
        return NO_MEMORY
    w.symbols[0] = symbol
    w.lengths[0] = <uint32_t>n
    return 1


cdef class WordPiece(WordModel):
    """A WordPiece model; immutable once made.

    Parameters
    ----------
    vocab : dict of str to int
        Token to id, ids in [0, 2**31).
    unk_token : str
        What a word becomes that no tokens make up; it may be missing from the vocabulary,
        which is an error only when it is needed.
    prefix : str
        What tokens that do not begin a word begin with.
    max_chars : int
        A word of more characters is ``unk_token``.
    """

    def __init__(self, dict vocab not None, str unk_token not None, str prefix not None,
                 max_chars):
        if self.ids != NULL:
            raise RuntimeError("WordPiece is built once")
        _number(self, vocab)
        self.prefix = prefix
        self.max_chars = min(max_chars, <Py_ssize_t>0x7FFFFFFFFFFFFFFF)
        entries = {token.encode(): i for i, token in enumerate(vocab)}
        self.words = Trie(entries)
        start = prefix.encode()
        self.rest = self.words if not start else Trie({
            token[len(start):]: i for token, i in entries.items() if token.startswith(start)
        })
        self.unk = entries.get(unk_token.encode(), <uint32_t>NONE)

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        cdef Py_ssize_t at = 0, i, best, count = 0
        cdef uint32_t node, symbol
        cdef const Unit *units = self.words.units
        if n > self.max_chars and _characters(text, n) > self.max_chars:
            return _one(self.unk, n, w)
        if not scratch_reserve(w, n):
            return NO_MEMORY
        while at < n:
            node = 0
            best = 0
            symbol = NONE
            for i in range(at, n):
                node = trie_step(units, node, text[i])
                if node == NOWHERE:
                    break
                if units[node].value != NOWHERE:
                    symbol = units[node].value
                    best = i + 1
            if best == 0:
                return _one(self.unk, n, w)
            w.symbols[count] = symbol
            w.lengths[count] = <uint32_t>(best - at)
            count += 1
            at = best
            units = self.rest.units
        return count


    def tables(self):
        """What :meth:`restore` makes the same model from: tables as bytes, by name."""
        return {
            **_tables(self),
            "prefix": self.prefix.encode(),
            "max_chars": table_bytes(&self.max_chars, sizeof(Py_ssize_t)),
            "words": self.words.table(),
            "rest": b"" if self.rest is self.words else self.rest.table(),
        }

    @staticmethod
    def restore(dict tables not None):
        """A model from its tables. Raises ValueError where they don't fit together."""
        cdef WordPiece model = WordPiece.__new__(WordPiece)
        _restore(model, tables)
        model.prefix = bytes(tables["prefix"]).decode()
        table_fill(tables, "max_chars", &model.max_chars, sizeof(Py_ssize_t))
        model.words = trie_restore(tables, "words", model.size)
        model.rest = model.words
        if len(tables["rest"]):
            model.rest = trie_restore(tables, "rest", model.size)
        return model


cdef class WordLevel(WordModel):
    """A WordLevel model: a word is a token of ``vocab``, or ``unk_token``; immutable."""

    def __init__(self, dict vocab not None, str unk_token not None):
        if self.ids != NULL:
            raise RuntimeError("WordLevel is built once")
        _number(self, vocab)
        entries = {token.encode(): i for i, token in enumerate(vocab)}
        self.words = Trie(entries)
        self.unk = entries.get(unk_token.encode(), <uint32_t>NONE)

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        cdef uint32_t symbol = self.words.get(text, n)
        return _one(self.unk if symbol == NOWHERE else symbol, n, w)

    def tables(self):
        """What :meth:`restore` makes the same model from: tables as bytes, by name."""
        return {**_tables(self), "words": self.words.table()}

    @staticmethod
    def restore(dict tables not None):
        """A model from its tables. Raises ValueError where they don't fit together."""
        cdef WordLevel model = WordLevel.__new__(WordLevel)
        _restore(model, tables)
        model.words = trie_restore(tables, "words", model.size)
        return model


cdef Py_ssize_t _characters(const uint8_t *text, Py_ssize_t n) noexcept nogil:
    """How many characters a text in UTF-8 has."""
    cdef Py_ssize_t count = 0, i
    for i in range(n):
        count += (text[i] & 0xC0) != 0x80
    return count
