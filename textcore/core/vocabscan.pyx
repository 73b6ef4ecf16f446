# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The vocabulary and merges of a tokenizer.json, read from its text straight into tables.

They are nearly all of such a file, and hundreds of thousands of Python strings and lists if
a general reader makes them. Here they become a few arrays. What is read is the usual case:
``vocab`` an object of ids that rise, no key twice, ``merges`` all of one spelling and all of
tokens in the vocabulary, UTF-8 and JSON without faults. Anything else is left to the general
reader, whose errors have words.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from .bytelevel cimport byte_of
from .codepoint cimport code_point
from .model cimport NONE

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef extern from "mixing.h" nogil:
    uint64_t tc_hash_bytes(const uint8_t *s, size_t n)

cdef enum:
    ID_LIMIT = 0x7FFFFFFF


cdef struct Part:
    # A part of a text.
    const uint8_t *start
    const uint8_t *end


# ---------------------------------------------------------------- JSON

cdef inline const uint8_t *_blank(const uint8_t *p, const uint8_t *end) noexcept nogil:
    while p < end and (p[0] == 0x20 or p[0] == 0x0A or p[0] == 0x0D or p[0] == 0x09):
        p += 1
    return p


cdef const uint8_t *_after_string(const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Where a string that opens at ``p`` ends; NULL if it doesn't."""
    p += 1
    while p < end:
        if p[0] == 0x22:
            return p + 1
        p += 2 if p[0] == 0x5C else 1
    return NULL


cdef const uint8_t *_after_value(const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Where a value ends, not checked further; NULL if it doesn't."""
    cdef Py_ssize_t depth = 0
    cdef const uint8_t *start = p
    while p < end:
        if p[0] == 0x22:
            p = _after_string(p, end)
            if p == NULL:
                return NULL
            if depth == 0:
                return p
            continue
        if p[0] == 0x7B or p[0] == 0x5B:
            depth += 1
        elif p[0] == 0x7D or p[0] == 0x5D:
            if depth == 0:
                return p if p > start else NULL
            depth -= 1
            if depth == 0:
                return p + 1
        elif depth == 0 and p[0] == 0x2C:
            return p if p > start else NULL
        p += 1
    return NULL


cdef bint _members(const uint8_t *p, const uint8_t *end, Py_ssize_t count,
                   const char **names, Part *found) noexcept nogil:
    """The values of some keys of the object at ``p``, each there once; 0 if it is not so."""
    cdef const uint8_t *key
    cdef const uint8_t *key_end
    cdef const uint8_t *value
    cdef Py_ssize_t i, missing = count
    p = _blank(p, end)
    if p == end or p[0] != 0x7B:
        return 0
    p = _blank(p + 1, end)
    while p < end and p[0] == 0x22:
        key = p + 1
        p = _after_string(p, end)
        if p == NULL:
            return 0
        key_end = p - 1
        if memchr(key, 0x5C, key_end - key) != NULL:
            return 0
        p = _blank(p, end)
        if p == end or p[0] != 0x3A:
            return 0
        value = _blank(p + 1, end)
        p = _after_value(value, end)
        if p == NULL:
            return 0
        for i in range(count):
            if _is_name(key, key_end - key, names[i]):
                if found[i].start != NULL:
                    return 0
                found[i].start = value
                found[i].end = p
                missing -= 1
        p = _blank(p, end)
        if p == end:
            return 0
        if p[0] == 0x7D:
            return missing == 0
        if p[0] != 0x2C:
            return 0
        p = _blank(p + 1, end)
    return 0


cdef bint _is_name(const uint8_t *key, Py_ssize_t n, const char *name) noexcept nogil:
    cdef Py_ssize_t i = 0
    while i < n and name[i] and key[i] == <uint8_t>name[i]:
        i += 1
    return i == n and name[i] == 0


cdef inline int _valid(const uint8_t *p, Py_ssize_t n) noexcept nogil:
    """Bytes of the character at ``p`` if it is well-formed UTF-8, else 0."""
    if p[0] < 0xC2:
        return 0
    if p[0] < 0xE0:
        return 2 if n >= 2 and p[1] & 0xC0 == 0x80 else 0
    if p[0] < 0xF0:
        if n < 3 or p[1] & 0xC0 != 0x80 or p[2] & 0xC0 != 0x80:
            return 0
        if (p[0] == 0xE0 and p[1] < 0xA0) or (p[0] == 0xED and p[1] >= 0xA0):
            return 0
        return 3
    if p[0] > 0xF4 or n < 4 or p[1] & 0xC0 != 0x80 or p[2] & 0xC0 != 0x80 or p[3] & 0xC0 != 0x80:
        return 0
    if (p[0] == 0xF0 and p[1] < 0x90) or (p[0] == 0xF4 and p[1] >= 0x90):
        return 0
    return 4


cdef int _hex(const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Four hexadecimal digits, or -1."""
    cdef int i, value = 0
    cdef uint8_t c
    if end - p < 4:
        return -1
    for i in range(4):
        c = p[i]
        if 0x30 <= c <= 0x39:
            value = 16 * value + c - 0x30
        elif 0x61 <= (c | 0x20) <= 0x66:
            value = 16 * value + (c | 0x20) - 0x61 + 10
        else:
            return -1
    return value


cdef uint8_t *_put(uint8_t *to, uint32_t c) noexcept nogil:
    """A character's UTF-8, and where the next one goes."""
    if c < 0x80:
        to[0] = <uint8_t>c
        return to + 1
    if c < 0x800:
        to[0] = <uint8_t>(0xC0 | c >> 6)
        to[1] = <uint8_t>(0x80 | (c & 0x3F))
        return to + 2
    if c < 0x10000:
        to[0] = <uint8_t>(0xE0 | c >> 12)
        to[1] = <uint8_t>(0x80 | (c >> 6 & 0x3F))
        to[2] = <uint8_t>(0x80 | (c & 0x3F))
        return to + 3
    to[0] = <uint8_t>(0xF0 | c >> 18)
    to[1] = <uint8_t>(0x80 | (c >> 12 & 0x3F))
    to[2] = <uint8_t>(0x80 | (c >> 6 & 0x3F))
    to[3] = <uint8_t>(0x80 | (c & 0x3F))
    return to + 4


cdef const uint8_t *_escape(const uint8_t *p, const uint8_t *end, uint8_t **to) noexcept nogil:
    """One escape, its backslash left out, into ``to``; where it ends, or NULL."""
    cdef int high, low
    cdef uint8_t c
    if p == end:
        return NULL
    c = p[0]
    p += 1
    if c == 0x75:
        high = _hex(p, end)
        if high < 0 or 0xDC00 <= high < 0xE000:
            return NULL
        p += 4
        if high >= 0xD800 and high < 0xDC00:
            if end - p < 6 or p[0] != 0x5C or p[1] != 0x75:
                return NULL
            low = _hex(p + 2, end)
            if not 0xDC00 <= low < 0xE000:
                return NULL
            high = 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00
            p += 6
        to[0] = _put(to[0], high)
        return p
    if c == 0x62:
        c = 0x08
    elif c == 0x66:
        c = 0x0C
    elif c == 0x6E:
        c = 0x0A
    elif c == 0x72:
        c = 0x0D
    elif c == 0x74:
        c = 0x09
    elif c != 0x22 and c != 0x5C and c != 0x2F:
        return NULL
    to[0][0] = c
    to[0] += 1
    return p


cdef const uint8_t *_string(const uint8_t *p, const uint8_t *end, uint8_t **to) noexcept nogil:
    """The text of the string at ``p`` into ``to``; where the string ends, or NULL."""
    cdef uint8_t *out = to[0]
    cdef int width
    if p >= end or p[0] != 0x22:
        return NULL
    p += 1
    while p < end:
        if p[0] == 0x22:
            to[0] = out
            return p + 1
        if p[0] == 0x5C:
            p = _escape(p + 1, end, &out)
            if p == NULL:
                return NULL
        elif p[0] >= 0x80:
            width = _valid(p, end - p)
            if width == 0:
                return NULL
            memcpy(out, p, width)
            out += width
            p += width
        elif p[0] < 0x20:
            return NULL
        else:
            out[0] = p[0]
            out += 1
            p += 1
    return NULL


cdef const uint8_t *_number(const uint8_t *p, const uint8_t *end, uint32_t *value) noexcept nogil:
    """An id; where it ends, or NULL."""
    cdef uint64_t number = 0
    cdef const uint8_t *start = p
    while p < end and 0x30 <= p[0] <= 0x39 and p - start < 11:
        number = 10 * number + p[0] - 0x30
        p += 1
    if p == start or (start[0] == 0x30 and p - start > 1) or number > ID_LIMIT:
        return NULL
    value[0] = <uint32_t>number
    return p


# ---------------------------------------------------------------- tables

cdef class Vocabulary:
    """Tokens and their ids, which rise; made by :func:`scan_model`."""

    def __dealloc__(self):
        free(self.blob)
        free(self.starts)
        free(self.ids)
        free(self.slots)

    def __len__(self):
        return self.count

    @property
    def max_id(self):
        """The largest id, or -1."""
        return self.ids[self.count - 1] if self.count else -1

    cdef uint32_t find(self, const uint8_t *text, Py_ssize_t n) noexcept nogil:
        """The place of a text, or NONE."""
        cdef uint64_t slot = tc_hash_bytes(text, n) & self.mask
        cdef uint32_t at = self.slots[slot], start
        while at != NONE:
            start = self.starts[at]
            if (<Py_ssize_t>(self.starts[at + 1] - start) == n
                    and memcmp(self.blob + start, text, n) == 0):
                return at
            slot = (slot + 1) & self.mask
            at = self.slots[slot]
        return NONE

    cdef bint index(self) noexcept nogil:
        """Make texts findable; 0 where one is there twice, or there is no memory."""
        cdef uint64_t size = 16, slot
        cdef Py_ssize_t i
        cdef const uint8_t *text
        while size < <uint64_t>(2 * self.count):
            size <<= 1
        self.mask = size - 1
        self.slots = <uint32_t *>malloc(size * sizeof(uint32_t))
        if self.slots == NULL:
            return 0
        memset(self.slots, 0xFF, size * sizeof(uint32_t))
        for i in range(self.count):
            text = self.blob + self.starts[i]
            if self.find(text, self.starts[i + 1] - self.starts[i]) != NONE:
                return 0
            slot = tc_hash_bytes(text, self.starts[i + 1] - self.starts[i]) & self.mask
            while self.slots[slot] != NONE:
                slot = (slot + 1) & self.mask
            self.slots[slot] = <uint32_t>i
        return 1

    cdef str _text(self, Py_ssize_t at):
        return PyUnicode_DecodeUTF8(<const char *>self.blob + self.starts[at],
                                    self.starts[at + 1] - self.starts[at], NULL)

    def get(self, str token not None):
        """The id of a token, or None."""
        cdef Py_ssize_t n
        cdef const char *text
        cdef uint32_t at
        try:
            text = PyUnicode_AsUTF8AndSize(token, &n)
        except UnicodeEncodeError:
            return None
        at = self.find(<const uint8_t *>text, n)
        return None if at == NONE else self.ids[at]

    def token(self, long long token_id):
        """The token of an id, or None."""
        cdef Py_ssize_t low = 0, high = self.count, middle
        while low < high:
            middle = (low + high) >> 1
            if self.ids[middle] < token_id:
                low = middle + 1
            else:
                high = middle
        return self._text(low) if low < self.count and self.ids[low] == token_id else None

    def as_dict(self):
        """A new dict of token to id."""
        cdef Py_ssize_t i
        return {self._text(i): self.ids[i] for i in range(self.count)}

    def symbols(self, list tokens not None):
        """The places of those of some tokens that are there: a dict of token to place."""
        cdef bytes data
        cdef uint32_t at
        found = {}
        for token in tokens:
            data = token.encode()
            at = self.find(data, len(data))
            if at != NONE:
                found[token] = at
        return found

    def characters(self):
        """The tokens of one character, and their places."""
        cdef Py_ssize_t i, n
        cdef int width
        found = {}
        for i in range(self.count):
            n = self.starts[i + 1] - self.starts[i]
            if n <= 4:
                code_point(self.blob + self.starts[i], &width)
                if width == n:
                    found[self._text(i)] = i
        return found


cdef class Merges:
    """What merges in which order; made by :func:`scan_model`."""

    def __dealloc__(self):
        free(self.parts)

    def __len__(self):
        return self.count

    def as_list(self):
        """A new list of pairs of tokens."""
        cdef Py_ssize_t i
        return [(self.vocabulary._text(self.parts[3 * i]),
                 self.vocabulary._text(self.parts[3 * i + 1])) for i in range(self.count)]


cdef class Contents:
    """The bytes of a vocabulary's tokens: their UTF-8, or what they are stand-ins for."""

    def __init__(self, Vocabulary vocabulary not None, bint byte_level):
        self.vocabulary = vocabulary
        self.count = vocabulary.count
        self.blob = vocabulary.blob
        self.starts = vocabulary.starts
        if byte_level:
            self.own = <uint8_t *>malloc(max(1, <Py_ssize_t>self.starts[self.count]))
            self.own_starts = <uint32_t *>malloc((self.count + 1) * sizeof(uint32_t))
            self.missing = <uint8_t *>calloc(max(1, self.count), 1)
            if self.own == NULL or self.own_starts == NULL or self.missing == NULL:
                raise MemoryError()
            self._translate()
            self.blob = self.own
            self.starts = self.own_starts

    def __dealloc__(self):
        free(self.own)
        free(self.own_starts)
        free(self.missing)

    cdef bint has(self, Py_ssize_t symbol) noexcept nogil:
        return self.missing == NULL or not self.missing[symbol]

    cdef void _translate(self) noexcept nogil:
        cdef uint32_t at = 0, p, end
        cdef Py_ssize_t i
        cdef int width, byte
        for i in range(self.count):
            self.own_starts[i] = at
            p = self.starts[i]
            end = self.starts[i + 1]
            while p < end:
                byte = byte_of(code_point(self.blob + p, &width))
                if byte < 0:
                    self.missing[i] = 1
                    at = self.own_starts[i]
                    break
                self.own[at] = <uint8_t>byte
                at += 1
                p += width
        self.own_starts[self.count] = at

    def bytes_of(self, Py_ssize_t symbol):
        """What a token stands for, or None."""
        if not 0 <= symbol < self.count or not self.has(symbol):
            return None
        return (<const char *>self.blob + self.starts[symbol])[
            :self.starts[symbol + 1] - self.starts[symbol]]

    def single(self):
        """The tokens that stand for one byte: a dict of token to its byte, as bytes."""
        cdef Py_ssize_t i
        return {self.vocabulary._text(i): self.bytes_of(i) for i in range(self.count)
                if self.has(i) and self.starts[i + 1] - self.starts[i] == 1}


# ---------------------------------------------------------------- reading

cdef bint _read_vocabulary(Vocabulary v, Part span) noexcept nogil:
    """Read an object of tokens and ids; 0 where it is not of the usual kind."""
    cdef const uint8_t *p = _blank(span.start + 1, span.end)
    cdef uint8_t *to
    cdef Py_ssize_t room = 0
    cdef uint32_t token_id
    # A text is never longer than its spelling.
    v.blob = <uint8_t *>malloc(span.end - span.start)
    if v.blob == NULL or span.end - span.start > ID_LIMIT:
        return 0
    to = v.blob
    while True:
        if v.count + 1 >= room:
            room = max(1024, 2 * room)
            if not _resize(v, room):
                return 0
        v.starts[v.count] = <uint32_t>(to - v.blob)
        p = _string(p, span.end, &to)
        if p == NULL or to == v.blob + v.starts[v.count]:
            return 0
        p = _blank(p, span.end)
        if p == span.end or p[0] != 0x3A:
            return 0
        p = _number(_blank(p + 1, span.end), span.end, &token_id)
        if p == NULL or (v.count and token_id <= v.ids[v.count - 1]):
            return 0
        v.ids[v.count] = token_id
        v.count += 1
        p = _blank(p, span.end)
        if p == span.end:
            return 0
        if p[0] == 0x7D:
            if p + 1 != span.end:
                return 0
            break
        if p[0] != 0x2C:
            return 0
        p = _blank(p + 1, span.end)
    v.starts[v.count] = <uint32_t>(to - v.blob)
    # Give back what the spelling took and the texts don't.
    to = <uint8_t *>realloc(v.blob, max(1, to - v.blob))
    if to != NULL:
        v.blob = to
    return _resize(v, v.count + 1) and v.index()


cdef bint _resize(Vocabulary v, Py_ssize_t room) noexcept nogil:
    cdef uint32_t *starts = <uint32_t *>realloc(v.starts, room * sizeof(uint32_t))
    cdef uint32_t *ids
    if starts == NULL:
        return 0
    v.starts = starts
    ids = <uint32_t *>realloc(v.ids, room * sizeof(uint32_t))
    if ids == NULL:
        return 0
    v.ids = ids
    return 1


cdef const uint8_t *_merge(const uint8_t *p, const uint8_t *end, bint spaced, uint8_t *joined,
                           uint8_t **middle, uint8_t **last) noexcept nogil:
    """One merge: both tokens one behind the other; where it ends, or NULL."""
    cdef uint8_t *to = joined
    if spaced:
        p = _string(p, end, &to)
        if p == NULL:
            return NULL
        if to - joined >= 8 and memcmp(joined, <const char *>"#version", 8) == 0:
            # No merge at all.
            return NULL
        middle[0] = <uint8_t *>memchr(joined, 0x20, to - joined)
        if middle[0] == NULL:
            return NULL
        to -= 1
        memmove(middle[0], middle[0] + 1, to - middle[0])
        last[0] = to
        return p if memchr(middle[0], 0x20, to - middle[0]) == NULL else NULL
    if p >= end or p[0] != 0x5B:
        return NULL
    p = _string(_blank(p + 1, end), end, &to)
    if p == NULL:
        return NULL
    middle[0] = to
    p = _blank(p, end)
    if p == end or p[0] != 0x2C:
        return NULL
    p = _string(_blank(p + 1, end), end, &to)
    if p == NULL:
        return NULL
    last[0] = to
    p = _blank(p, end)
    return p + 1 if p < end and p[0] == 0x5D else NULL


cdef bint _read_merges(Merges merges, Vocabulary v, Part span,
                       uint8_t *joined) noexcept nogil:
    """Read an array of merges; 0 where it is not of the usual kind."""
    cdef const uint8_t *p = _blank(span.start + 1, span.end)
    cdef uint8_t *middle
    cdef uint8_t *last
    cdef uint32_t *parts
    cdef Py_ssize_t room = 0
    cdef bint spaced = p[0] == 0x22
    if p[0] == 0x5D:
        return p + 1 == span.end
    while True:
        p = _merge(p, span.end, spaced, joined, &middle, &last)
        if p == NULL:
            return 0
        if merges.count == room:
            room = max(1024, 2 * room)
            parts = <uint32_t *>realloc(merges.parts, 3 * room * sizeof(uint32_t))
            if parts == NULL:
                return 0
            merges.parts = parts
        parts = merges.parts + 3 * merges.count
        parts[0] = v.find(joined, middle - joined)
        parts[1] = v.find(middle, last - middle)
        parts[2] = v.find(joined, last - joined)
        if parts[0] == NONE or parts[1] == NONE or parts[2] == NONE:
            return 0
        merges.count += 1
        p = _blank(p, span.end)
        if p == span.end:
            return 0
        if p[0] == 0x5D:
            return p + 1 == span.end
        if p[0] != 0x2C:
            return 0
        p = _blank(p + 1, span.end)


cdef bint _is_object(Part span, uint8_t opening) noexcept nogil:
    return span.end - span.start >= 2 and span.start[0] == opening


def scan_model(bytes text not None):
    """Read ``model.vocab`` and ``model.merges`` of a tokenizer.json.

    Returns (the text with null in their places, Vocabulary, Merges); None where the text is
    not of the usual kind, which says nothing about whether it is valid.
    """
    cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef Py_ssize_t n = PyBytes_GET_SIZE(text)
    cdef const char *model_name[1]
    cdef const char *names[2]
    cdef Part model[1]
    cdef Part found[2]
    cdef Vocabulary vocabulary = Vocabulary()
    cdef Merges merges = Merges()
    cdef uint8_t *joined = NULL
    cdef int done = 0
    model_name[0] = "model"
    names[0] = "vocab"
    names[1] = "merges"
    memset(model, 0, sizeof(model))
    memset(found, 0, sizeof(found))
    merges.vocabulary = vocabulary
    with nogil:
        if (_members(start, start + n, 1, model_name, model)
                and _members(model[0].start, model[0].end, 2, names, found)
                and _is_object(found[0], 0x7B) and _is_object(found[1], 0x5B)
                and _read_vocabulary(vocabulary, found[0])):
            joined = <uint8_t *>malloc(found[1].end - found[1].start)
            if joined != NULL:
                done = _read_merges(merges, vocabulary, found[1], joined)
            free(joined)
    if not done:
        return None
    parts = sorted([(found[0].start - start, found[0].end - start),
                    (found[1].start - start, found[1].end - start)])
    (a, b), (c, d) = parts
    return b"null".join([text[:a], text[b:c], text[d:]]), vocabulary, merges
