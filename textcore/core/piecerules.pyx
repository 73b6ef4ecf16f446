# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How a SentencePiece model normalizes a text: its rules, its symbols, its spaces.

At each place the longest symbol stays as it is; else the longest rule that fits replaces what
it fits; else a character stays. Most places of most texts are told from two bytes to begin
neither. Source: SentencePiece 0.2 (``normalizer.cc``).
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from .tables cimport table_bytes, table_copy
from .trie cimport NOWHERE, Trie, trie_restore, trie_step

cdef extern from "mixing.h" nogil:
    bint TC_LIKELY(bint x)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef const uint8_t *MARK = b"\xe2\x96\x81"


cdef void made_free(Made *made) noexcept nogil:
    free(made.data)
    memset(made, 0, sizeof(Made))


cdef bint _room(Made *out, Py_ssize_t more) noexcept nogil:
    """Room for ``more`` bytes; 0 where there is no memory."""
    cdef Py_ssize_t size = out.size + more
    cdef uint8_t *data
    if size <= out.room:
        return 1
    size = max(size, 2 * out.room, <Py_ssize_t>256)
    data = <uint8_t *>realloc(out.data, size)
    if data == NULL:
        return 0
    out.data = data
    out.room = size
    return 1


cdef inline int _width(uint8_t lead) noexcept nogil:
    """The bytes of a character, by its first."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


cdef Py_ssize_t _longest(Trie trie, const uint8_t *text, Py_ssize_t n,
                         uint32_t *value) noexcept nogil:
    """The length of the longest key that a text begins with, and its number; 0 for none."""
    cdef uint32_t node = 0
    cdef Py_ssize_t i, found = 0
    for i in range(n):
        node = trie_step(trie.units, node, text[i])
        if node == NOWHERE:
            break
        if trie.units[node].value != NOWHERE:
            value[0] = trie.units[node].value
            found = i + 1
    return found


cdef class PieceRules:
    """The rules of one model; immutable once made.

    Parameters
    ----------
    rules : dict of str to str
        What texts are replaced by.
    symbols : list of str
        User-defined symbols, which stay as they are.
    add_dummy_prefix : bool
        Put a space before a text (after it, if ``as_suffix``).
    remove_extra_whitespaces : bool
        No space at the ends of a text, and one for several.
    escape_whitespaces : bool
        Write a space as U+2581.
    as_suffix : bool
        ``treat_whitespace_as_suffix``.
    """

    def __init__(self, dict rules not None, list symbols not None, *, bint add_dummy_prefix,
                 bint remove_extra_whitespaces, bint escape_whitespaces, bint as_suffix):
        cdef uint32_t at = 0
        cdef Py_ssize_t i
        if self.first != NULL:
            raise RuntimeError("PieceRules is built once")
        self.first = <uint8_t *>calloc(65536, 1)
        self.starts = <uint32_t *>malloc((len(rules) + 1) * sizeof(uint32_t))
        if self.first == NULL or self.starts == NULL:
            raise MemoryError()
        texts = [made.encode() for made in rules.values()]
        if sum(map(len, texts)) > 0x7FFFFFFF:
            raise ValueError("rules with more than 2**31 bytes of text")
        for i, text in enumerate(texts):
            self.starts[i] = at
            at += <uint32_t>len(text)
        self.starts[len(texts)] = at
        self.count = len(texts)
        self._texts = b"".join(texts)
        self.texts = self._texts
        self.rules = Trie({key.encode(): i for i, key in enumerate(rules)})
        self.symbols = None
        if symbols:
            self.symbols = Trie({key.encode(): i for i, key in enumerate(symbols)})
        for key in [*rules, *symbols]:
            self._note(key.encode())
        self._flags(add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, as_suffix)

    cdef void _flags(self, bint prefix, bint squeeze, bint escape, bint suffix) noexcept:
        self.prefix = prefix
        self.squeeze = squeeze
        self.escape = escape
        self.suffix = suffix

    def tables(self):
        """What :meth:`restore` makes the same rules from: tables as bytes, by name."""
        return {
            "texts": self._texts,
            "starts": table_bytes(self.starts, (self.count + 1) * sizeof(uint32_t)),
            "first": table_bytes(self.first, 65536),
            "rules": self.rules.table(),
            "symbols": b"" if self.symbols is None else self.symbols.table(),
        }

    @staticmethod
    def restore(dict tables not None, *, bint add_dummy_prefix, bint remove_extra_whitespaces,
                bint escape_whitespaces, bint as_suffix):
        """Rules from their tables. Raises ValueError where they don't fit together."""
        cdef PieceRules made = PieceRules.__new__(PieceRules)
        cdef Py_ssize_t i
        made._texts = bytes(tables["texts"])
        made._texts.decode()
        made.texts = made._texts
        made.count = len(tables["starts"]) // sizeof(uint32_t) - 1
        if made.count < 0:
            raise ValueError("starts: an empty table")
        made.starts = <uint32_t *>table_copy(tables, "starts", made.count + 1, sizeof(uint32_t))
        made.first = <uint8_t *>table_copy(tables, "first", 65536, 1)
        for i in range(made.count):
            if made.starts[i] > made.starts[i + 1]:
                raise ValueError(f"starts[{i}]: behind the next one")
        if made.starts[made.count] != len(made._texts):
            raise ValueError("starts: not of these texts")
        made.rules = trie_restore(tables, "rules", made.count)
        made.symbols = None
        if len(tables["symbols"]):
            made.symbols = trie_restore(tables, "symbols", NOWHERE)
        made._flags(add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, as_suffix)
        return made

    def __dealloc__(self):
        free(self.first)
        free(self.starts)

    def _note(self, bytes key not None):
        """Note what a rule or a symbol begins with."""
        cdef const uint8_t *data = key
        if len(key) == 1:
            memset(self.first + (<Py_ssize_t>data[0] << 8), 1, 256)
        else:
            self.first[(<Py_ssize_t>data[0] << 8) | data[1]] = 1

    cdef Py_ssize_t _step(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t at,
                          const uint8_t **made, Py_ssize_t *size) noexcept nogil:
        """What the text at ``at`` begins with becomes; how many bytes that takes."""
        cdef uint32_t value = 0
        cdef Py_ssize_t taken
        made[0] = text + at
        if self.symbols is not None:
            taken = _longest(self.symbols, text + at, n - at, &value)
            if taken:
                size[0] = taken
                return taken
        taken = _longest(self.rules, text + at, n - at, &value)
        if taken:
            made[0] = self.texts + self.starts[value]
            size[0] = self.starts[value + 1] - self.starts[value]
            return taken
        taken = min(_width(text[at]), n - at)
        size[0] = taken
        return taken

    cdef Py_ssize_t run(self, const uint8_t *text, Py_ssize_t n, Made *out) noexcept nogil:
        """Normalize a text into ``out``; its size, or -1 where there is no memory."""
        cdef Py_ssize_t at = 0, start, taken, size, i
        cdef const uint8_t *made
        cdef Py_ssize_t mark = 3 if self.escape else 1
        cdef const uint8_t *space = MARK if self.escape else <const uint8_t *>b" "
        cdef bint after_space = self.squeeze
        out.size = 0
        if self.squeeze:
            # What is a space as a whole does not begin a text.
            while at < n:
                taken = self._step(text, n, at, &made, &size)
                if size != 1 or made[0] != 0x20:
                    break
                at += taken
        if at == n:
            return 0
        if not _room(out, n - at + n // 2 + 2 * mark):
            return -1
        if self.prefix and not self.suffix:
            memcpy(out.data + out.size, space, mark)
            out.size += mark
        while at < n:
            start = at
            # The last byte is stepped over, so that two can be read here.
            while at < n - 1 and not self.first[(<Py_ssize_t>text[at] << 8) | text[at + 1]]:
                if text[at] == 0x20:
                    break
                at += 1
            if at > start:
                if not _room(out, at - start + mark):
                    return -1
                memcpy(out.data + out.size, text + start, at - start)
                out.size += at - start
                after_space = 0
                if text[at] != 0x20 or at == n - 1:
                    continue
                if self.first[(<Py_ssize_t>0x20 << 8) | text[at + 1]]:
                    continue
                memcpy(out.data + out.size, space, mark)
                out.size += mark
                after_space = self.squeeze
                at += 1
                continue
            taken = self._step(text, n, at, &made, &size)
            at += taken
            while after_space and size and made[0] == 0x20:
                made += 1
                size -= 1
            if size == 0:
                continue
            if not _room(out, size * mark):
                return -1
            after_space = self.squeeze and made[size - 1] == 0x20
            for i in range(size):
                if made[i] == 0x20:
                    memcpy(out.data + out.size, space, mark)
                    out.size += mark
                else:
                    out.data[out.size] = made[i]
                    out.size += 1
        if self.squeeze:
            while (out.size >= mark
                   and memcmp(out.data + out.size - mark, space, mark) == 0):
                out.size -= mark
        if self.prefix and self.suffix:
            if not _room(out, mark):
                return -1
            memcpy(out.data + out.size, space, mark)
            out.size += mark
        return out.size

    def normalize(self, str text not None):
        """A text normalized. Raises UnicodeEncodeError for a lone surrogate."""
        cdef Py_ssize_t n
        cdef const uint8_t *data = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &n)
        cdef Made out
        memset(&out, 0, sizeof(Made))
        try:
            if self.run(data, n, &out) < 0:
                raise MemoryError()
            if out.size == 0:
                return ""
            return PyUnicode_DecodeUTF8(<const char *>out.data, out.size, NULL)
        finally:
            made_free(&out)
