# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Many documents in one block of UTF-8, and their ids one after the other.

What a corpus is made of never becomes Python strings: documents are found in the bytes of a
file, checked and encoded without the GIL, so that threads do this work side by side.
"""

from cpython.buffer cimport PyBUF_CONTIG, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy

from .added cimport AddedMatcher
from .encode cimport Encoder
from .worker cimport Worker

cdef enum:
    # More prefix and suffix than any post-processor has.
    AFFIX_LIMIT = 64

cdef uint64_t NON_ASCII = 0x8080808080808080u


cdef inline bint _continues(uint8_t byte) noexcept nogil:
    return byte & 0xC0 == 0x80


cdef inline int _character(const uint8_t *s, Py_ssize_t n) noexcept nogil:
    """The length of the well-formed character at ``s``, which is no ASCII one; else 0."""
    cdef uint8_t first = s[0]
    if first < 0xC2 or first > 0xF4 or n < 2 or not _continues(s[1]):
        return 0
    if first < 0xE0:
        return 2
    if n < 3 or not _continues(s[2]):
        return 0
    if first < 0xF0:
        # No overlong forms, no surrogates.
        if (first == 0xE0 and s[1] < 0xA0) or (first == 0xED and s[1] > 0x9F):
            return 0
        return 3
    if n < 4 or not _continues(s[3]):
        return 0
    if (first == 0xF0 and s[1] < 0x90) or (first == 0xF4 and s[1] > 0x8F):
        return 0
    return 4


cdef Py_ssize_t valid_prefix(const uint8_t *s, Py_ssize_t n) noexcept nogil:
    """How many bytes there are before the first that is not well-formed UTF-8."""
    cdef Py_ssize_t i = 0
    cdef uint64_t word
    cdef int width
    while i < n:
        if s[i] < 0x80:
            i += 1
            while n - i >= 8:
                memcpy(&word, s + i, 8)
                if word & NON_ASCII:
                    break
                i += 8
            continue
        width = _character(s + i, n - i)
        if width == 0:
            return i
        i += width
    return n


cdef class Documents:
    """Texts in one buffer of UTF-8. Made by the functions of this module and of jsonlines.

    ``empty`` counts the texts without a character, which are left out.
    """

    def __dealloc__(self):
        free(self.items)
        free(self.own)

    def __len__(self):
        return self.count

    def __getitem__(self, Py_ssize_t index):
        """The UTF-8 of one document."""
        if not 0 <= index < self.count:
            raise IndexError(index)
        cdef Document *item = self.items + index
        return (<const char *>self.data)[item.start:item.end]

    cdef bint push(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        """Add a document; false without memory."""
        cdef Py_ssize_t capacity
        cdef Document *items
        if start == end:
            self.empty += 1
            return 1
        if self.count == self.capacity:
            capacity = max(256, 2 * self.capacity)
            items = <Document *>realloc(self.items, capacity * sizeof(Document))
            if items == NULL:
                return 0
            self.items = items
            self.capacity = capacity
        self.items[self.count].start = start
        self.items[self.count].end = end
        self.count += 1
        return 1


def invalid_utf8(const uint8_t[::1] data not None):
    """Where the first byte stands that is not well-formed UTF-8, or -1."""
    cdef Py_ssize_t n = data.shape[0], found
    if n == 0:
        return -1
    with nogil:
        found = valid_prefix(&data[0], n)
    return -1 if found == n else found


def split_documents(bytes data not None, bytes separator not None, bint lines=False):
    """The documents between the places where ``separator`` (not empty) stands.

    The separator belongs to none of them. With ``lines``, neither does one carriage return
    at a document's end.
    """
    cdef const uint8_t *s = <const uint8_t *>PyBytes_AS_STRING(data)
    cdef const uint8_t *wanted = <const uint8_t *>PyBytes_AS_STRING(separator)
    cdef Py_ssize_t n = PyBytes_GET_SIZE(data), width = PyBytes_GET_SIZE(separator)
    cdef Py_ssize_t start = 0, at = 0, end
    cdef const void *found
    cdef bint good = 1
    cdef Documents documents = Documents()
    if width == 0:
        raise ValueError("a separator has at least one byte")
    documents.owner = data
    documents.data = s
    with nogil:
        while good and start < n:
            found = memchr(s + at, wanted[0], n - at) if at < n else NULL
            end = n if found == NULL else <const uint8_t *>found - s
            if found != NULL and (n - end < width or memcmp(s + end, wanted, width) != 0):
                at = end + 1
                continue
            at = end + width
            good = documents.push(
                start, end - (lines and end > start and s[end - 1] == c"\r"))
            start = at
    if not good:
        raise MemoryError()
    return documents


def sliced_documents(data not None, const int64_t[::1] offsets not None):
    """The documents ``data[offsets[i]:offsets[i + 1]]``, as columns of text are stored.

    Raises ValueError for offsets that fall or lie outside.
    """
    cdef const uint8_t[::1] view = data
    cdef Py_ssize_t n = view.shape[0], count = offsets.shape[0] - 1, i
    cdef Documents documents = Documents()
    cdef bint good = 1
    documents.owner = data
    documents.data = &view[0] if n else NULL
    for i in range(count):
        if not 0 <= offsets[i] <= offsets[i + 1] <= n:
            raise ValueError("offsets must rise, and lie inside of the data")
    with nogil:
        for i in range(count):
            good = good and documents.push(offsets[i], offsets[i + 1])
    if not good:
        raise MemoryError()
    return documents


def first_invalid(Documents documents not None):
    """The first document that is not well-formed UTF-8, and where in it; or None."""
    cdef Py_ssize_t i, size, found = 0
    with nogil:
        for i in range(documents.count):
            size = documents.items[i].end - documents.items[i].start
            found = valid_prefix(documents.data + documents.items[i].start, size)
            if found < size:
                break
        else:
            i = -1
    return None if i < 0 else (i, found)


cdef class _Affix:
    """Ids that are put before or after a document's own."""
    cdef uint32_t ids[AFFIX_LIMIT]
    cdef Py_ssize_t count

    def __init__(self, ids):
        if len(ids) > AFFIX_LIMIT:
            raise ValueError(f"at most {AFFIX_LIMIT} ids can be put around each document")
        for self.count, value in enumerate(ids, 1):
            self.ids[self.count - 1] = value

    cdef bint add_to(self, Worker worker) noexcept nogil:
        if not worker.reserve(self.count):
            return 0
        memcpy(worker.out + worker.count, self.ids, self.count * sizeof(uint32_t))
        worker.count += self.count
        return 1


cdef int _encode(Encoder encoder, Worker worker, AddedMatcher first, AddedMatcher second,
                 Documents documents, _Affix prefix, _Affix suffix, bint goes_on, bint stays_open,
                 int32_t *lengths) except -1 nogil:
    """Ids of all documents into the worker, and how many each has; -2: too many."""
    cdef Py_ssize_t i, before
    cdef const Document *item
    cdef bint good = 1
    for i in range(documents.count):
        item = documents.items + i
        before = worker.count
        if i > 0 or not goes_on:
            good = prefix.add_to(worker)
        encoder.run(worker, documents.data + item.start, item.end - item.start, first, second,
                    0)
        if i + 1 < documents.count or not stays_open:
            good = good and suffix.add_to(worker)
        if not good:
            with gil:
                raise MemoryError()
        if worker.count - before > 0x7FFFFFFF:
            return -2
        lengths[i] = <int32_t>(worker.count - before)
    return 0


def encode_documents(Encoder encoder not None, AddedMatcher first, AddedMatcher second,
                     Documents documents not None, prefix, suffix, make_ids, make_lengths,
                     Py_ssize_t width, bint goes_on=False, bint stays_open=False):
    """The ids of documents (well-formed UTF-8), one after the other, and how many each has.

    Parameters
    ----------
    first, second : AddedMatcher or None
        As for ``Encoder.encode``.
    prefix, suffix : sequence of int
        Ids put before and after each document's own.
    make_ids, make_lengths : callable (int) -> buffer
        New writable contiguous buffers of so many unsigned integers of ``width`` bytes, and
        of so many int32.
    width : 2 or 4
    goes_on, stays_open : bool
        The first document has begun in an earlier block; the last ends in a later one.

    Returns both buffers. Raises OverflowError where an id has no room in ``width`` bytes.
    """
    cdef Worker worker
    cdef _Affix before = _Affix(prefix), after = _Affix(suffix)
    cdef Py_buffer view
    cdef int state
    lengths = make_lengths(documents.count)
    if width != 2 and width != 4:
        raise ValueError(f"ids take 2 or 4 bytes, not {width}")
    PyObject_GetBuffer(lengths, &view, PyBUF_CONTIG)
    worker = encoder.acquire()
    try:
        if view.len != documents.count * <Py_ssize_t>sizeof(int32_t):
            raise ValueError("the buffer for lengths has another size than there are documents")
        with nogil:
            state = _encode(encoder, worker, first, second, documents, before, after, goes_on,
                            stays_open, <int32_t *>view.buf)
        if state == -2:
            raise OverflowError("a document has more than 2**31 - 1 ids")
        return _filled(make_ids(worker.count), worker, width), lengths
    finally:
        PyBuffer_Release(&view)
        encoder.release(worker)


cdef object _filled(object made, Worker worker, Py_ssize_t width):
    """A new buffer, filled with the worker's ids."""
    cdef Py_buffer view
    cdef Py_ssize_t i
    cdef uint32_t together = 0
    cdef uint16_t *narrow
    PyObject_GetBuffer(made, &view, PyBUF_CONTIG)
    try:
        if view.len != worker.count * width:
            raise ValueError("the buffer for ids has another size than the ids")
        if worker.count and width == 4:
            memcpy(view.buf, worker.out, view.len)
        elif worker.count:
            narrow = <uint16_t *>view.buf
            with nogil:
                for i in range(worker.count):
                    together |= worker.out[i]
                    narrow[i] = <uint16_t>worker.out[i]
            if together > 0xFFFF:
                raise OverflowError("an id is above 65535 and has no room in 2 bytes")
    finally:
        PyBuffer_Release(&view)
    return made
