# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Places of tokens in a text, found out from the ids.

The encoder gives ids alone. Their words are found again by the same splits, and inside a word
the lengths of tokens say where each one is; the model is asked again only for a word with a
token that has no length of its own. Where a normalizer changed the text, its alignment leads
back to the original characters. Whatever does not add up is left to the caller, who has a
slower way.
"""

from cpython.array cimport array, clone
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from .added cimport AddedMatcher
from .alignment cimport Alignment, Place
from .encode cimport Encoder, Worker
from .lengths cimport TokenLengths
from .metaspace cimport Spaced
from .model cimport WordModel
from .normalize cimport clean_prefix
from .unigram cimport Unigram
from .windows cimport ENDS_ROOM

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    UNTOLD = 0
    FOUND = 1

cdef array _no_places = array("q")
cdef array _no_ids = array("I")


cdef struct Cursor:
    # A place in a text in UTF-8: `count` characters begin before byte `at`.
    const uint8_t *data
    bint ascii
    Py_ssize_t at
    Py_ssize_t count
    # Of a mark that stands for the space before `at`: bytes not taken yet. `added`: it stands
    # for no space, but was put before the character at `at`.
    Py_ssize_t left
    bint added


cdef struct Segment:
    # A part of the original text without added tokens, as it is normalized.
    Cursor cursor
    const uint8_t *data
    Py_ssize_t n
    const Place *places         # of its characters; NULL: character i is base + i
    Py_ssize_t characters
    Py_ssize_t base             # the character of the whole text that it begins with


cdef struct Tokens:
    # The ids, how far they are placed, and where to.
    const uint32_t *ids
    Py_ssize_t count
    Py_ssize_t at
    int64_t word
    int64_t *words
    int64_t *starts
    int64_t *ends


cdef inline bint begins(uint8_t byte) noexcept nogil:
    """Whether a character begins with this byte."""
    return (byte & 0xC0) != 0x80


cdef void point(Cursor *cursor, const uint8_t *data, bint ascii) noexcept nogil:
    cursor.data = data
    cursor.ascii = ascii
    cursor.at = cursor.count = cursor.left = 0
    cursor.added = 0


cdef void seek(Cursor *cursor, Py_ssize_t to) noexcept nogil:
    """Go to a byte, before or after this one."""
    cdef Py_ssize_t i
    if cursor.ascii:
        cursor.count = to
    else:
        for i in range(cursor.at, to):
            cursor.count += begins(cursor.data[i])
        for i in range(to, cursor.at):
            cursor.count -= begins(cursor.data[i])
    cursor.at = to
    cursor.left = 0
    cursor.added = 0


cdef void take(Cursor *cursor, Py_ssize_t size, Py_ssize_t mark, Py_ssize_t *start,
               Py_ssize_t *end) noexcept nogil:
    """Pass ``size`` bytes of a word: the characters that they are in.

    ``mark`` is the size of what stands for a space in the word; 0 where a space is a space.
    """
    cdef Py_ssize_t stop, part
    if cursor.ascii and mark == 0:
        start[0] = cursor.at
        cursor.at += size
        cursor.count = end[0] = cursor.at
        return
    if cursor.left:
        start[0] = cursor.count if cursor.added else cursor.count - 1
    else:
        start[0] = cursor.count if begins(cursor.data[cursor.at]) else cursor.count - 1
    if mark == 0:
        stop = cursor.at + size
        while cursor.at < stop:
            cursor.count += begins(cursor.data[cursor.at])
            cursor.at += 1
    else:
        while size:
            if cursor.left:
                part = min(size, cursor.left)
                cursor.left -= part
                size -= part
                cursor.added = cursor.added and cursor.left
            elif cursor.data[cursor.at] == 0x20:
                cursor.count += 1
                cursor.at += 1
                cursor.left = mark
            else:
                cursor.count += begins(cursor.data[cursor.at])
                cursor.at += 1
                size -= 1
    end[0] = max(cursor.count, start[0] + 1)


cdef inline void put(Segment *segment, Tokens *tokens, Py_ssize_t start,
                     Py_ssize_t end) noexcept nogil:
    """Place the next token, at these characters of the segment."""
    cdef Py_ssize_t at = tokens.at
    tokens.words[at] = tokens.word
    if segment.places == NULL:
        tokens.starts[at] = segment.base + start
        tokens.ends[at] = segment.base + end
    else:
        tokens.starts[at] = segment.base + segment.places[start].start
        tokens.ends[at] = segment.base + segment.places[end - 1].end
    tokens.at = at + 1


cdef void nowhere(Tokens *tokens, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Put some tokens at no place."""
    cdef Py_ssize_t i
    for i in range(start, end):
        tokens.words[i] = -1
        tokens.starts[i] = tokens.ends[i] = 0


cdef class Encoded:
    """A text's ids, between ``front`` and ``back`` others, and how they came about.

    Made by :func:`encoded`; immutable. ``ids`` is an array of typecode "I".
    """

    cdef readonly str text
    cdef readonly array ids
    cdef readonly AddedMatcher first
    cdef readonly AddedMatcher second
    cdef readonly Py_ssize_t front, back

    @property
    def count(self):
        """How many ids the text has."""
        return len(self.ids) - self.front - self.back


def encoded(Encoder encoder not None, str text not None, AddedMatcher first,
            AddedMatcher second, array before not None, array after not None):
    """A text encoded, its ids put between others (arrays of typecode "I").

    Raises UnicodeEncodeError for a lone surrogate.
    """
    cdef Encoded new = Encoded.__new__(Encoded)
    cdef Worker worker
    cdef array ids
    if before.typecode != "I" or after.typecode != "I":
        raise TypeError("ids have the typecode I")
    new.text, new.first, new.second = text, first, second
    new.front, new.back = len(before), len(after)
    worker = encoder.acquire()
    try:
        encoder._run_text(worker, text, first, second)
        ids = clone(_no_ids, new.front + worker.count + new.back, zero=False)
        memcpy(ids.data.as_uints, before.data.as_uints, new.front * sizeof(uint32_t))
        memcpy(ids.data.as_uints + new.front, worker.out, worker.count * sizeof(uint32_t))
        memcpy(ids.data.as_uints + new.front + worker.count, after.data.as_uints,
               new.back * sizeof(uint32_t))
    finally:
        encoder.release(worker)
    new.ids = ids
    return new


cdef class SpanFinder:
    """Finds the places of the ids that ``encoder`` gives.

    Parameters
    ----------
    encoder : Encoder
        One whose splits are automata: without ``pre_split``.
    lengths : TokenLengths
        Of its model.
    form : int
        As the encoder's.
    align : callable (str) -> (str, Alignment or None), or None
        What a part of a text is normalized to, and its way back.
    """

    cdef Encoder encoder
    cdef TokenLengths lengths
    cdef int form
    cdef object align
    cdef bint spaced            # the encoder's models put marks for spaces
    cdef Unigram unigram        # None: the model is another

    def __init__(self, Encoder encoder not None, TokenLengths lengths not None, int form, align):
        if encoder.pre_split is not None:
            raise ValueError("the splits of this encoder are not automata")
        self.encoder = encoder
        self.lengths = lengths
        self.form = form
        self.align = align
        model = encoder.model
        self.spaced = isinstance(model, Spaced)
        inner = (<Spaced>model).inner if self.spaced else model
        self.unigram = inner if isinstance(inner, Unigram) else None

    def find(self, Encoded piece not None):
        """Where the ids of a text are; None where they don't tell.

        The ids around those of the text are in no word, at no place. A tuple of arrays
        (typecode "q") of words, starts and ends, and a list of (index, token) for those
        tokens that the vocabulary spells otherwise.
        """
        cdef str text = piece.text
        cdef AddedMatcher first = piece.first, second = piece.second
        cdef array ids = piece.ids
        cdef Py_ssize_t count = len(ids), n, i
        cdef const uint8_t *data = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &n)
        cdef array words = clone(_no_places, count, zero=False)
        cdef array starts = clone(_no_places, count, zero=False)
        cdef array ends = clone(_no_places, count, zero=False)
        cdef list odd = []
        cdef Cursor cursor
        cdef Tokens tokens
        cdef Worker worker
        tokens.ids = <const uint32_t *>ids.data.as_uints
        tokens.count = count - piece.back
        tokens.at = piece.front
        tokens.word = 0
        tokens.words = <int64_t *>words.data.as_longlongs
        tokens.starts = <int64_t *>starts.data.as_longlongs
        tokens.ends = <int64_t *>ends.data.as_longlongs
        nowhere(&tokens, 0, piece.front)
        nowhere(&tokens, count - piece.back, count)
        point(&cursor, data, n == len(text))
        worker = self.encoder.acquire()
        try:
            if n == 0:
                pass
            elif first is None or first.may_match(data, n) == n:
                if not self._part(worker, &tokens, &cursor, 0, n, second, odd):
                    return None
            else:
                worker.spans.count = 0
                if not first.split(data, n, 0, &worker.spans, NULL, 0):
                    raise MemoryError()
                for i in range(worker.spans.count):
                    if not self._span(worker, &tokens, &cursor, i, second, odd):
                        return None
            return (words, starts, ends, odd) if tokens.at == tokens.count else None
        finally:
            self.encoder.release(worker)

    cdef bint _span(self, Worker worker, Tokens *tokens, Cursor *cursor, Py_ssize_t index,
                    AddedMatcher second, list odd) except -1:
        """Place the ids of an added token, or of the text between two."""
        cdef Segment whole
        cdef Py_ssize_t start = worker.spans.items[index].start
        cdef Py_ssize_t end = worker.spans.items[index].end
        if worker.spans.items[index].id < 0:
            return self._part(worker, tokens, cursor, start, end, second, odd)
        whole.places = NULL
        whole.base = 0
        return added(tokens, &whole, cursor, worker.spans.items[index].id, start, end, odd)

    cdef bint _part(self, Worker worker, Tokens *tokens, Cursor *cursor, Py_ssize_t start,
                    Py_ssize_t end, AddedMatcher second, list odd) except -1:
        """Place the ids of text between added tokens."""
        cdef Segment segment
        cdef Alignment places = None
        cdef const uint8_t *data = cursor.data + start
        cdef Py_ssize_t n = end - start, characters
        seek(cursor, start)
        segment.base = cursor.count
        if self.align is not None and not (
                self.form >= 0 and clean_prefix(self.form, data, n, self.encoder.level) == n):
            normalized, places = self.align(PyUnicode_DecodeUTF8(<const char *>data, n, NULL))
            data = <const uint8_t *>PyUnicode_AsUTF8AndSize(normalized, &n)
            characters = len(normalized)
            point(&segment.cursor, data, n == characters)
        else:
            seek(cursor, end)
            characters = cursor.count - segment.base
            point(&segment.cursor, data, n == characters)
        segment.data = data
        segment.n = n
        segment.characters = characters
        segment.places = NULL
        if places is not None:
            if places.count != characters:
                return UNTOLD
            segment.places = places.places
        return self._segment(worker, tokens, &segment, start == 0, second, odd)

    cdef bint _segment(self, Worker worker, Tokens *tokens, Segment *segment, bint at_start,
                       AddedMatcher second, list odd) except -1:
        """Place the ids of normalized text."""
        cdef Py_ssize_t i, start, end
        cdef int64_t token
        cdef int found
        if segment.n == 0:
            return FOUND
        if second is None or second.may_match(segment.data, segment.n) == segment.n:
            with nogil:
                found = self._piece(worker, tokens, segment, 0, segment.n, at_start, odd)
            return found
        worker.inner.count = 0
        if not second.split(segment.data, segment.n, 0, &worker.inner, NULL, 0):
            raise MemoryError()
        for i in range(worker.inner.count):
            start, end = worker.inner.items[i].start, worker.inner.items[i].end
            token = worker.inner.items[i].id
            if token >= 0:
                found = added(tokens, segment, &segment.cursor, token, start, end, odd)
            else:
                seek(&segment.cursor, start)
                with nogil:
                    found = self._piece(worker, tokens, segment, start, end,
                                        at_start and start == 0, odd)
            if not found:
                return UNTOLD
        return FOUND

    cdef int _piece(self, Worker worker, Tokens *tokens, Segment *segment, Py_ssize_t start,
                    Py_ssize_t end, bint at_start, list odd) except -1 nogil:
        """Place the ids of text without added tokens, word by word, as the encoder goes."""
        cdef Py_ssize_t *ends = worker.words.ends
        cdef const uint8_t *text = segment.data + start
        cdef Py_ssize_t n = end - start, count, i, at = 0
        if at_start and self.encoder.opening is not None:
            count = n
            if self.encoder.levels:
                self.encoder._start(worker, n)
                self.encoder._fill(worker, text, self.encoder.levels - 1, ends, ENDS_ROOM)
                count = ends[0]
            if not self._word(worker, self.encoder.opening, tokens, segment, start,
                              start + count, odd):
                return UNTOLD
            start += count
            text += count
            n -= count
        if self.encoder.levels == 0:
            return n == 0 or self._word(worker, self.encoder.model, tokens, segment, start, end,
                                        odd)
        self.encoder._start(worker, n)
        while at < n:
            count = self.encoder._fill(worker, text, self.encoder.levels - 1, ends, ENDS_ROOM)
            for i in range(count):
                if self.encoder._drops(text + at):
                    seek(&segment.cursor, start + ends[i])
                elif not self._word(worker, self.encoder.model, tokens, segment, start + at,
                                    start + ends[i], odd):
                    return UNTOLD
                at = ends[i]
        return FOUND

    cdef int _word(self, Worker worker, WordModel model, Tokens *tokens, Segment *segment,
                   Py_ssize_t start, Py_ssize_t end, list odd) except -1 nogil:
        """Place the ids of one word: bytes ``start`` to ``end`` of the segment."""
        cdef Cursor before = segment.cursor
        cdef Py_ssize_t at = 0, first = tokens.at, size, low, high, mark = 0, n = end - start
        if self.spaced:
            mark = (<Spaced>model).mark_size
            n = marked(<Spaced>model, segment.data + start, n, &segment.cursor)
        while at < n:
            if tokens.at == tokens.count:
                return UNTOLD
            size = self.lengths.length(tokens.ids[tokens.at], at, n)
            if size == 0:
                tokens.at = first
                segment.cursor = before
                return self._asked(worker, model, tokens, segment, start, end, odd)
            if at + size > n:
                return UNTOLD
            take(&segment.cursor, size, mark, &low, &high)
            put(segment, tokens, low, high)
            at += size
        tokens.word += 1
        return FOUND

    cdef int _asked(self, Worker worker, WordModel model, Tokens *tokens, Segment *segment,
                    Py_ssize_t start, Py_ssize_t end, list odd) except -1 nogil:
        """Place the ids of a word by what the model says of them."""
        cdef Py_ssize_t n = end - start, mark = 0, at = 0, from_, size, i, count, low = 0, high = 0
        cdef const uint32_t *symbols
        cdef const uint8_t *word = segment.data + start
        count = model.encode(word, n, &worker.scratch, 1)
        if count < 0 or count > tokens.count - tokens.at:
            return UNTOLD
        if self.spaced:
            mark = (<Spaced>model).mark_size
            n = marked(<Spaced>model, word, n, &segment.cursor)
            word = worker.scratch.text
        symbols = worker.scratch.symbols
        for i in range(count):
            if model.ids[symbols[i]] != tokens.ids[tokens.at]:
                return UNTOLD
            size = worker.scratch.lengths[i]
            from_ = worker.scratch.previous[i] if self.unigram is not None else at
            if size == 0 or from_ + size > n or from_ > at:
                return UNTOLD
            if from_ == at:
                take(&segment.cursor, size, mark, &low, &high)
                at += size
            elif from_ + size != at:
                # Not one more byte of the same unknown text.
                return UNTOLD
            if (self.unigram is not None and symbols[i] == self.unigram.unk
                    and not worker.scratch.following[i]):
                with gil:
                    odd.append((tokens.at, PyUnicode_DecodeUTF8(
                        <const char *>word + from_, size, NULL)))
            put(segment, tokens, low, high)
        tokens.word += 1
        return at == n


cdef bint added(Tokens *tokens, Segment *segment, Cursor *cursor, int64_t token,
                Py_ssize_t start, Py_ssize_t end, list odd) except -1:
    """Place the id of an added token: bytes ``start`` to ``end`` of the cursor's text."""
    cdef Py_ssize_t low
    if tokens.at == tokens.count or tokens.ids[tokens.at] != token:
        return UNTOLD
    seek(cursor, start)
    low = cursor.count
    seek(cursor, end)
    odd.append((tokens.at, PyUnicode_DecodeUTF8(
        <const char *>cursor.data + start, end - start, NULL)))
    put(segment, tokens, low, cursor.count)
    tokens.word += 1
    return FOUND


cdef Py_ssize_t marked(Spaced model, const uint8_t *word, Py_ssize_t n,
                       Cursor *cursor) noexcept nogil:
    """The size of a word with marks for spaces; the cursor learns of a mark before it."""
    cdef Py_ssize_t size = n, i
    for i in range(n):
        if word[i] == 0x20:
            size += model.mark_size - 1
    if n and model.always and word[0] != 0x20 and (
            n < model.mark_size or memcmp(word, model.mark, model.mark_size) != 0):
        size += model.mark_size
        cursor.left = model.mark_size
        cursor.added = 1
    return size
