# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""One text field out of each line of JSON, without a Python object a line.

Strict: what is taken is what ``json.loads`` takes, and the text is the one that it gives.
Whatever is rare (an error, a field of another type or none, a key or a surrogate written as
an escape, deep nesting, NaN) is left to Python, which decides, and words the error.
"""

import sys

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memchr, memcmp, memcpy

from .documents cimport Documents

cdef enum:
    # Deeper nesting, and longer numbers, are left to Python, which limits both.
    DEPTH_LIMIT = 64
    NUMBER_LIMIT = 1000

cdef uint64_t LOW = 0x0101010101010101u
cdef uint64_t HIGH = 0x8080808080808080u
cdef bint LITTLE_ENDIAN = sys.byteorder == "little"


cdef struct Field:
    # The last value of the wanted key: a string between its quotes, or something else.
    Py_ssize_t start
    Py_ssize_t end
    bint found
    bint escaped


cdef inline Py_ssize_t _space(const uint8_t *s, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    while i < n and (s[i] == c" " or s[i] == c"\t" or s[i] == c"\r" or s[i] == c"\n"):
        i += 1
    return i


cdef inline int _to_first(uint64_t found) noexcept nogil:
    """How many bytes there are before the first whose highest bit is set (little-endian)."""
    # The bits below the lowest one that is set, seven and then eight a byte, counted by the
    # multiplication in the highest byte.
    cdef uint64_t below = (found ^ (found - 1)) & HIGH
    return <int>(((below >> 7) * LOW >> 56)) - 1


cdef inline uint64_t _ends_run(uint64_t word) noexcept nogil:
    """The highest bit of the first byte that is a quote, a backslash or a control character.

    There may be such bits in later bytes, right or wrong; 0 where no byte is one.
    """
    cdef uint64_t quote = word ^ 0x2222222222222222u
    cdef uint64_t backslash = word ^ 0x5C5C5C5C5C5C5C5Cu
    return ((quote - LOW) & ~quote | (backslash - LOW) & ~backslash
            | (word - 0x2020202020202020u) & ~word) & HIGH


cdef inline int _hex(const uint8_t *s) noexcept nogil:
    """The number that four hexadecimal digits write, or -1."""
    cdef int value = 0, i, digit
    for i in range(4):
        digit = s[i]
        if c"0" <= digit <= c"9":
            digit -= c"0"
        elif c"a" <= digit | 0x20 <= c"f":
            digit = (digit | 0x20) - c"a" + 10
        else:
            return -1
        value = value << 4 | digit
    return value


cdef inline Py_ssize_t _string(const uint8_t *s, Py_ssize_t i, Py_ssize_t n,
                               bint *escaped) noexcept nogil:
    """Behind the quote that ends a string whose text begins at ``i``, or -1."""
    cdef uint64_t word
    cdef uint8_t byte
    escaped[0] = 0
    while i < n:
        if n - i >= 8:
            memcpy(&word, s + i, 8)
            word = _ends_run(word)
            if word == 0:
                i += 8
                continue
            i += _to_first(word) if LITTLE_ENDIAN else 0
        byte = s[i]
        if byte == c'"':
            return i + 1
        if byte < 0x20:
            return -1
        i += 1
        if byte != c"\\":
            continue
        escaped[0] = 1
        if i == n:
            return -1
        byte = s[i]
        i += 1
        if byte == c"u":
            if n - i < 4 or _hex(s + i) < 0:
                return -1
            i += 4
        elif memchr(b'"\\/bfnrt', byte, 8) == NULL:
            return -1
    return -1


cdef inline Py_ssize_t _digits(const uint8_t *s, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Behind one digit or more, or -1."""
    cdef Py_ssize_t start = i
    while i < n and c"0" <= s[i] <= c"9":
        i += 1
    return -1 if i == start else i


cdef Py_ssize_t _number(const uint8_t *s, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Behind a number, or -1."""
    cdef Py_ssize_t start = i
    if i < n and s[i] == c"-":
        i += 1
    if i < n and s[i] == c"0":
        i += 1
    else:
        i = _digits(s, i, n)
    if 0 <= i < n and s[i] == c".":
        i = _digits(s, i + 1, n)
    if 0 <= i < n and s[i] | 0x20 == c"e":
        i += 1
        if i < n and (s[i] == c"+" or s[i] == c"-"):
            i += 1
        i = _digits(s, i, n)
    return -1 if i - start > NUMBER_LIMIT else i


cdef Py_ssize_t _scalar(const uint8_t *s, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Behind a string, number or literal, or -1."""
    cdef bint escaped
    if i == n:
        return -1
    if s[i] == c'"':
        return _string(s, i + 1, n, &escaped)
    if n - i >= 4 and (memcmp(s + i, b"true", 4) == 0 or memcmp(s + i, b"null", 4) == 0):
        return i + 4
    if n - i >= 5 and memcmp(s + i, b"false", 5) == 0:
        return i + 5
    return _number(s, i, n)


cdef Py_ssize_t _value(const uint8_t *s, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Behind a value of any kind that begins at ``i``, or -1."""
    cdef uint8_t closing[DEPTH_LIMIT]   # what ends each value that is open
    cdef int depth = 0
    cdef bint escaped, opened
    while True:
        i = _space(s, i, n)
        opened = i < n and (s[i] == c"{" or s[i] == c"[")
        if opened:
            if depth == DEPTH_LIMIT:
                return -1
            closing[depth] = c"}" if s[i] == c"{" else c"]"
            depth += 1
            i += 1
        else:
            i = _scalar(s, i, n)
            if i < 0:
                return -1
        # Ends, and a comma before the next member.
        while depth:
            i = _space(s, i, n)
            if i == n:
                return -1
            if s[i] == closing[depth - 1]:
                depth -= 1
                opened = 0
                i += 1
                continue
            if not opened:
                if s[i] != c",":
                    return -1
                i = _space(s, i + 1, n)
            if closing[depth - 1] == c"}":
                if i == n or s[i] != c'"':
                    return -1
                i = _string(s, i + 1, n, &escaped)
                if i < 0:
                    return -1
                i = _space(s, i, n)
                if i == n or s[i] != c":":
                    return -1
                i += 1
            break
        if depth == 0:
            return i


cdef bint _object(const uint8_t *s, Py_ssize_t i, Py_ssize_t n, const uint8_t *key,
                  Py_ssize_t key_size, Field *field) noexcept nogil:
    """Read a line that is one object; false where that is left to Python."""
    cdef Py_ssize_t start
    cdef bint escaped, wanted
    field.found = field.escaped = 0
    field.start = field.end = 0
    i = _space(s, i, n)
    if i == n or s[i] != c"{":
        return 0
    i = _space(s, i + 1, n)
    if i < n and s[i] == c"}":
        return 0
    while True:
        if i == n or s[i] != c'"':
            return 0
        start = i + 1
        i = _string(s, start, n, &escaped)
        if i < 0 or escaped:
            return 0
        wanted = i - 1 - start == key_size and memcmp(s + start, key, key_size) == 0
        i = _space(s, i, n)
        if i == n or s[i] != c":":
            return 0
        i = _space(s, i + 1, n)
        if wanted:
            if i == n or s[i] != c'"':
                return 0
            field.start = i + 1
            i = _string(s, i + 1, n, &field.escaped)
            field.end = i - 1
            field.found = 1
        else:
            i = _value(s, i, n)
        if i < 0:
            return 0
        i = _space(s, i, n)
        if i < n and s[i] == c"}":
            return field.found and _space(s, i + 1, n) == n
        if i == n or s[i] != c",":
            return 0
        i = _space(s, i + 1, n)


cdef inline Py_ssize_t _put(uint32_t code, uint8_t *out) noexcept nogil:
    """Write a character of at most U+FFFF in UTF-8; how many bytes."""
    if code < 0x80:
        out[0] = code
        return 1
    if code < 0x800:
        out[0] = 0xC0 | code >> 6
        out[1] = 0x80 | code & 0x3F
        return 2
    out[0] = 0xE0 | code >> 12
    out[1] = 0x80 | code >> 6 & 0x3F
    out[2] = 0x80 | code & 0x3F
    return 3


cdef Py_ssize_t _pair(const uint8_t *s, Py_ssize_t n, uint32_t high, uint8_t *out) noexcept nogil:
    """Write the character of a surrogate pair whose second half is due at ``s``; or -1."""
    cdef int low
    if n < 6 or s[0] != c"\\" or s[1] != c"u":
        return -1
    low = _hex(s + 2)
    if not 0xDC00 <= low <= 0xDFFF:
        return -1
    cdef uint32_t code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
    out[0] = 0xF0 | code >> 18
    out[1] = 0x80 | code >> 12 & 0x3F
    out[2] = 0x80 | code >> 6 & 0x3F
    out[3] = 0x80 | code & 0x3F
    return 4


cdef Py_ssize_t _unescape(const uint8_t *s, Py_ssize_t n, uint8_t *out) noexcept nogil:
    """Write the text of a checked string, never longer than it; -1 for a lone surrogate."""
    cdef Py_ssize_t i = 0, size = 0, wrote
    cdef uint64_t word
    cdef uint32_t code
    while i < n:
        if n - i >= 8:
            # No more is written than has been read, so there is room for eight bytes.
            memcpy(&word, s + i, 8)
            memcpy(out + size, &word, 8)
            word ^= 0x5C5C5C5C5C5C5C5Cu
            word = (word - LOW) & ~word & HIGH
            wrote = 8 if word == 0 else _to_first(word) if LITTLE_ENDIAN else 0
            size += wrote
            i += wrote
            if word == 0:
                continue
        if s[i] != c"\\":
            out[size] = s[i]
            size += 1
            i += 1
            continue
        code = s[i + 1]
        i += 2
        if code == c"u":
            code = _hex(s + i)
            i += 4
            if 0xD800 <= code <= 0xDFFF:
                wrote = _pair(s + i, n - i, code, out + size) if code < 0xDC00 else -1
                if wrote < 0:
                    return -1
                size += wrote
                i += 6
                continue
        elif code == c"n":
            code = 10
        elif code == c"t":
            code = 9
        elif code == c"r":
            code = 13
        elif code == c"b":
            code = 8
        elif code == c"f":
            code = 12
        size += _put(code, out + size)
    return size


def json_documents(bytes data not None, bytes key not None, Py_ssize_t start=0):
    """The strings at ``key`` of lines of JSON objects: (documents, where it stopped).

    ``data`` is well-formed UTF-8 in whole lines, read from ``start`` on; blank ones are passed
    over. The second is -1, or where the first line begins that is left to Python: the documents
    are then those before it.
    """
    cdef const uint8_t *s = <const uint8_t *>PyBytes_AS_STRING(data)
    cdef const uint8_t *wanted = <const uint8_t *>PyBytes_AS_STRING(key)
    cdef Py_ssize_t n = PyBytes_GET_SIZE(data), key_size = PyBytes_GET_SIZE(key)
    cdef Py_ssize_t end, size = 0, wrote
    cdef const void *found
    cdef Field field
    cdef bint good = 1
    cdef Documents documents = Documents()
    if not 0 <= start <= n:
        raise ValueError(f"start is outside of the data: {start}")
    documents.own = <uint8_t *>malloc(max(n - start, 1))
    if documents.own == NULL:
        raise MemoryError()
    documents.data = documents.own
    with nogil:
        while good and start < n:
            found = memchr(s + start, c"\n", n - start)
            end = n if found == NULL else <const uint8_t *>found - s
            if _space(s, start, end) < end:
                if not _object(s, start, end, wanted, key_size, &field):
                    break
                wrote = field.end - field.start
                if field.escaped:
                    wrote = _unescape(s + field.start, wrote, documents.own + size)
                    if wrote < 0:
                        break
                else:
                    memcpy(documents.own + size, s + field.start, wrote)
                good = documents.push(size, size + wrote)
                size += wrote
            start = end + 1
    if not good:
        raise MemoryError()
    return documents, (start if start < n else -1)
