# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Places of tokens in a text, found out from the ids.

The encoder gives ids alone. Their words are found again by the same splits, and inside a word
the lengths of tokens say where each one is; the model is asked again only for a word with a
token that has no length of its own. Where a normalizer changed the text, its alignment leads
back to the original characters. Whatever does not add up is left to the caller, who has a
slower way.
"""

cimport cython
from cpython.array cimport array, clone
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from .added cimport AddedMatcher
from .alignment cimport Alignment, Place
from .encode cimport Encoder
from .lengths cimport TokenLengths, tc_holds, tc_place_word, tc_place_words
from .metaspace cimport Spaced
from .model cimport WordModel
from .normalize cimport clean_prefix
from .unigram cimport Unigram
from .windows cimport ENDS_ROOM
from .worker cimport Worker

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    UNTOLD = 0
    FOUND = 1

cdef array _no_places = array("q")
cdef array _no_ids = array("I")


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


cdef bint lead_back(Segment *segment, Tokens *tokens, Py_ssize_t count,
                    int64_t characters) noexcept nogil:
    """Turn the places of the next tokens, in changed text, into those in the original.

    0, where they don't fit: ``characters`` is where the last one ends.
    """
    cdef int64_t *starts = tokens.starts + tokens.at
    cdef int64_t *ends = tokens.ends + tokens.at
    cdef Py_ssize_t i
    if segment.places == NULL:
        return 1
    if characters > segment.characters or starts[0] < 0:
        return 0
    for i in range(count):
        starts[i] = segment.base + segment.places[starts[i]].start
        ends[i] = segment.base + segment.places[ends[i] - 1].end
    return 1


# It has no object but a list of ints and texts, so there are no cycles.
@cython.no_gc
@cython.freelist(4)
cdef class Places:
    """For each token its word (-1: none) and the characters that it stands for.

    ``odd`` has (index, token) for those that the vocabulary spells otherwise.
    """

    def __dealloc__(self):
        free(self.words)

    def arrays(self):
        """Words, starts and ends: arrays of typecode "q"."""
        cdef Py_ssize_t n = self.count
        return copied(self.words, n), copied(self.starts, n), copied(self.ends, n)


cdef array copied(const int64_t *column, Py_ssize_t count):
    cdef array out = clone(_no_places, count, zero=False)
    memcpy(out.data.as_longlongs, column, count * sizeof(int64_t))
    return out


cdef Places room_for(Py_ssize_t count):
    """Places of so many tokens, which the caller fills."""
    cdef Places new = Places.__new__(Places)
    new.words = <int64_t *>malloc(max(1, 3 * count) * sizeof(int64_t))
    if new.words == NULL:
        raise MemoryError()
    new.starts = new.words + count
    new.ends = new.starts + count
    new.count = count
    new.odd = []
    return new


cdef void put_nowhere(Places places, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Put some tokens at no place, in no word."""
    cdef Py_ssize_t i
    for i in range(start, end):
        places.words[i] = -1
        places.starts[i] = places.ends[i] = 0


# Its objects refer to nothing that could refer to it.
@cython.no_gc
@cython.freelist(4)
cdef class Encoded:
    """A text's ids, between ``front`` and ``back`` others, and how they came about.

    Made by :func:`encoded`; immutable. ``ids`` is an array of typecode "I".
    """

    @property
    def count(self):
        """How many ids the text has."""
        return len(self.ids) - self.front - self.back


cpdef Encoded encoded(Encoder encoder, str text, AddedMatcher first, AddedMatcher second,
                      array before, array after):
    """A text encoded, its ids put between others (arrays of typecode "I").

    Raises UnicodeEncodeError for a lone surrogate.
    """
    cdef Encoded new = Encoded.__new__(Encoded)
    cdef Worker worker
    cdef array ids
    if encoder is None or text is None:
        raise TypeError("an encoder and a text are needed")
    if before.ob_descr.typecode != c"I" or after.ob_descr.typecode != c"I":
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


def marks_of(Encoder encoder not None):
    """What an encoder's models put for a space; "" where they put nothing."""
    model = encoder.model if encoder.direct is None else encoder.direct.model
    return (<Spaced>model)._mark.decode() if isinstance(model, Spaced) else ""


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
    contents : dict of int to bytes
        What the vocabulary has for each added token.
    """

    def __init__(self, Encoder encoder not None, TokenLengths lengths not None, int form, align,
                 dict contents not None):
        if encoder.pre_split is not None:
            raise ValueError("the splits of this encoder are not automata")
        self.encoder = encoder
        self.lengths = lengths
        self.form = form
        self.align = align
        self.contents = contents
        self.marked = bool(marks_of(encoder))
        self.prefixing = isinstance(encoder.model, Spaced) and (<Spaced>encoder.model).always
        model = encoder.model
        self.spaced = isinstance(model, Spaced)
        inner = (<Spaced>model).inner if self.spaced else model
        self.unigram = inner if isinstance(inner, Unigram) else None

    def find(self, Encoded piece not None):
        """Where the ids of a text are, as :class:`Places`; None where they don't tell.

        The ids around those of the text are in no word, at no place.
        """
        cdef Places places = room_for(len(piece.ids))
        put_nowhere(places, 0, piece.front)
        put_nowhere(places, places.count - piece.back, places.count)
        return places if self.place(piece, places, piece.front) else None

    cdef bint place(self, Encoded piece, Places places, Py_ssize_t at) except -1:
        """Put the ids of a text, those around them left out, at ``at`` of some places."""
        cdef AddedMatcher first = piece.first
        cdef Py_ssize_t n, i
        cdef const uint8_t *data = <const uint8_t *>PyUnicode_AsUTF8AndSize(piece.text, &n)
        cdef Cursor cursor
        cdef Tokens tokens
        cdef Worker worker
        tokens.ids = <const uint32_t *>piece.ids.data.as_uints + piece.front
        tokens.count = len(piece.ids) - piece.front - piece.back
        tokens.at = 0
        tokens.first = at
        tokens.word = 0
        tokens.words = places.words + at
        tokens.starts = places.starts + at
        tokens.ends = places.ends + at
        if n == 0:
            return tokens.count == 0
        point(&cursor, data, n == len(piece.text))
        worker = self.encoder.acquire()
        try:
            if first is None or first.may_match(data, n) == n:
                if not self._part(worker, &tokens, &cursor, 0, n, piece.second, places.odd):
                    return False
            else:
                worker.spans.count = 0
                if not first.split(data, n, 0, &worker.spans, NULL, 0):
                    raise MemoryError()
                for i in range(worker.spans.count):
                    if not self._span(worker, &tokens, &cursor, i, piece.second, places.odd):
                        return False
            return tokens.at == tokens.count
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
        return self._added(tokens, &whole, cursor, worker.spans.items[index].id, start, end, odd)

    cdef bint _part(self, Worker worker, Tokens *tokens, Cursor *cursor, Py_ssize_t start,
                    Py_ssize_t end, AddedMatcher second, list odd) except -1:
        """Place the ids of text between added tokens."""
        cdef Segment segment
        cdef Alignment places = None
        cdef const uint8_t *data = cursor.data + start
        cdef Py_ssize_t n = end - start, characters
        seek(cursor, start)
        if second is None and self._direct_part(tokens, cursor, data, n):
            return FOUND
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
        # A mark of the text's own is as long as itself, and not as a space.
        segment.told = not self.marked or (self.spaced and not tc_holds(
            data, n, (<Spaced>self.encoder.model).mark, (<Spaced>self.encoder.model).mark_size))
        return self._segment(worker, tokens, &segment, start == 0, second, odd)

    cdef bint _direct_part(self, Tokens *tokens, Cursor *cursor, const uint8_t *data,
                           Py_ssize_t n) noexcept:
        """Place the ids of text that is not normalized because the model puts its marks."""
        cdef Encoder direct = self.encoder.direct
        cdef Spaced model
        cdef Py_ssize_t count, i
        cdef int64_t at = cursor.count
        if direct is None or n == 0:
            return UNTOLD
        model = <Spaced>direct.model
        if direct.opening is not None:
            if (<Spaced>direct.opening)._prefix != model._mark:
                return UNTOLD
        if tc_holds(data, n, model.mark, model.mark_size):
            return UNTOLD
        count = tc_place_word(
            &self.lengths.telling, tokens.ids + tokens.at, tokens.count - tokens.at, n,
            direct.opening is not None, &at, tokens.starts + tokens.at, tokens.ends + tokens.at)
        if count == 0:
            return UNTOLD
        for i in range(tokens.at, tokens.at + count):
            tokens.words[i] = tokens.word
        tokens.at += count
        tokens.word += 1
        cursor.count = at
        cursor.at += n
        return FOUND

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
                found = self._added(tokens, segment, &segment.cursor, token, start, end, odd)
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
        segment.dropping = self.encoder.drop is not None
        while at < n:
            count = self.encoder._fill(worker, text, self.encoder.levels - 1, ends, ENDS_ROOM)
            if not self._words(worker, tokens, segment, start, at, ends, count, odd):
                return UNTOLD
            at = ends[count - 1]
        return FOUND

    cdef int _words(self, Worker worker, Tokens *tokens, Segment *segment, Py_ssize_t start,
                    Py_ssize_t at, const Py_ssize_t *ends, Py_ssize_t count,
                    list odd) except -1 nogil:
        """Place the ids of words one after the other, ``at`` bytes behind ``start``."""
        cdef Py_ssize_t i = 0
        cdef bint together = segment.told and not segment.dropping and not self.prefixing
        while i < count:
            if together:
                i += self._told_words(tokens, segment, start, at, ends + i, count - i)
                if i == count:
                    break
                if i:
                    at = ends[i - 1]
            if segment.dropping and self.encoder._drops(segment.data + start + at):
                seek(&segment.cursor, start + ends[i])
            elif not self._word(worker, self.encoder.model, tokens, segment, start + at,
                                start + ends[i], odd):
                return UNTOLD
            at = ends[i]
            i += 1
        return FOUND

    cdef Py_ssize_t _told_words(self, Tokens *tokens, Segment *segment, Py_ssize_t start,
                                Py_ssize_t at, const Py_ssize_t *ends,
                                Py_ssize_t count) noexcept nogil:
        """Place the ids of words as far as they tell: how many words that are."""
        cdef Py_ssize_t passed, placed
        cdef int64_t characters = segment.cursor.count
        if segment.places == NULL:
            characters += segment.base
        placed = tc_place_words(
            &self.lengths.telling, tokens.ids + tokens.at, tokens.count - tokens.at, ends, count,
            at, &characters, tokens.word, tokens.words + tokens.at, tokens.starts + tokens.at,
            tokens.ends + tokens.at, &passed)
        if passed == 0 or not lead_back(segment, tokens, placed, characters):
            return 0
        tokens.at += placed
        tokens.word += passed
        segment.cursor.at = start + ends[passed - 1]
        segment.cursor.count = characters
        if segment.places == NULL:
            segment.cursor.count -= segment.base
        return passed

    cdef int _word(self, Worker worker, WordModel model, Tokens *tokens, Segment *segment,
                   Py_ssize_t start, Py_ssize_t end, list odd) except -1 nogil:
        """Place the ids of one word: bytes ``start`` to ``end`` of the segment."""
        cdef Cursor before
        cdef Py_ssize_t at = 0, first = tokens.at, size, low, high, mark = 0, n = end - start
        if segment.told and self._told_word(model, tokens, segment, start, n):
            return FOUND
        before = segment.cursor
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

    cdef bint _told_word(self, WordModel model, Tokens *tokens, Segment *segment,
                                Py_ssize_t start, Py_ssize_t n) noexcept nogil:
        """Place the ids of one word by what they tell; 0, and nothing done, if that is not all."""
        cdef Py_ssize_t i, count
        cdef bint before = self.spaced and (<Spaced>model).always and segment.data[start] != 0x20
        cdef int64_t at = segment.cursor.count
        if segment.places == NULL:
            at += segment.base
        count = tc_place_word(
            &self.lengths.telling, tokens.ids + tokens.at, tokens.count - tokens.at, n, before,
            &at, tokens.starts + tokens.at, tokens.ends + tokens.at)
        if count == 0 or not lead_back(segment, tokens, count, at):
            return 0
        if segment.places == NULL:
            at -= segment.base
        for i in range(tokens.at, tokens.at + count):
            tokens.words[i] = tokens.word
        tokens.at += count
        tokens.word += 1
        segment.cursor.at = start + n
        segment.cursor.count = at
        return 1

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
                    odd.append((tokens.first + tokens.at, PyUnicode_DecodeUTF8(
                        <const char *>word + from_, size, NULL)))
            put(segment, tokens, low, high)
        tokens.word += 1
        return at == n

    cdef bint _added(self, Tokens *tokens, Segment *segment, Cursor *cursor, int64_t token,
                     Py_ssize_t start, Py_ssize_t end, list odd) except -1:
        """Place the id of an added token: bytes ``start`` to ``end`` of the cursor's text."""
        cdef Py_ssize_t low
        cdef bytes content
        cdef const char *text = <const char *>cursor.data + start
        if tokens.at == tokens.count or tokens.ids[tokens.at] != token:
            return UNTOLD
        seek(cursor, start)
        low = cursor.count
        seek(cursor, end)
        content = self.contents.get(token)
        if content is None or PyBytes_GET_SIZE(content) != end - start or memcmp(
                PyBytes_AS_STRING(content), text, end - start) != 0:
            odd.append((tokens.first + tokens.at,
                        PyUnicode_DecodeUTF8(text, end - start, NULL)))
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
