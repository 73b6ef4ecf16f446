# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The Unigram model as SentencePiece itself runs it: sums of 32 bits along a whole text.

There are no words here: the best way is that through the whole text, and its score so far
decides by rounding between ways that nearly tie. So a text is divided only where no piece
reaches across, the score is carried on, and what a unit between two such places becomes is
remembered together with the score up to which rounding can't change it. Where the score is
larger, or is about to be set back (as it is at 100,000), the unit is searched again.

The bound: each sum of the search is off by at most 2**-24 of the largest of them, and a way
has at most as many sums as the unit has characters. A choice with a larger margin than twice
that is the same for every score that comes before it.

Source: SentencePiece 0.2.3 (``unigram_model.cc``, ``sentencepiece_processor.cc``).
"""

from libc.math cimport fabs, fabsf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from .cuts cimport Cuts
from .model cimport (
    NO_MEMORY, Scratch, Step, WordModel, scratch_free, scratch_init, scratch_reserve,
    scratch_reserve_steps,
)
from .trie cimport NOWHERE, Trie, Unit, trie_step
from .words cimport (
    IDS_LIMIT, KEY_LIMIT, tc_find_line, tc_hash_key, tc_key, tc_line, tc_line_count, tc_load_key,
    tc_store_line,
)

cdef extern from "mixing.h" nogil:
    void TC_PREFETCH(const void *address)
    bint TC_LIKELY(bint x)

cdef enum:
    BATCH = 64
    # A text is taken in segments of at least so many bytes.
    SEGMENT = 1 << 15

cdef float RESET = 100000.0
cdef const uint8_t *MARK = b"\xe2\x96\x81"


cdef struct Batched:
    tc_key key
    uint64_t hashed
    Py_ssize_t end


cdef inline int _width(uint8_t lead) noexcept nogil:
    """The bytes of a character, by its first."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


cdef inline bint _marked(const uint8_t *text, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
    return at + 3 <= n and text[at] == 0xE2 and memcmp(text + at, MARK, 3) == 0


cdef inline float _from_bits(uint32_t bits) noexcept nogil:
    cdef float value
    memcpy(&value, &bits, 4)
    return value


cdef inline uint32_t _to_bits(float value) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &value, 4)
    return bits


cdef class PieceUnigram(WordModel):
    """A Unigram model; immutable once made.

    Parameters
    ----------
    pieces : dict of str to int
        The ids of normal and user-defined pieces, below ``len(scores)``.
    scores : list of float
        The score of every id, values of 32 bits.
    unk_id : int or None
    unk_score : float
        The score of an unknown character.
    byte_ids : list of int, or None
        The ids of the 256 byte pieces that unknown characters become.
    """

    def __init__(self, dict pieces not None, list scores not None, unk_id, float unk_score,
                 byte_ids):
        cdef Py_ssize_t i
        if self.ids != NULL:
            raise RuntimeError("PieceUnigram is built once")
        if unk_id is None and byte_ids is None:
            raise ValueError("neither an unknown piece nor byte pieces")
        self.size = len(scores)
        self.ids = <uint32_t *>malloc(max(1, self.size) * sizeof(uint32_t))
        self.scores = <float *>malloc(max(1, self.size) * sizeof(float))
        if self.ids == NULL or self.scores == NULL:
            raise MemoryError()
        for i in range(self.size):
            self.ids[i] = <uint32_t>i
            self.scores[i] = scores[i]
        for symbol in (*pieces.values(), *(byte_ids or ()), 0 if unk_id is None else unk_id):
            if not 0 <= symbol < self.size:
                raise ValueError(f"the id {symbol} is not below {self.size}")
        self.unk = <uint32_t>self.size if unk_id is None else unk_id
        self.unk_score = unk_score
        self.use_bytes = byte_ids is not None
        if self.use_bytes:
            if len(byte_ids) != 256:
                raise ValueError(f"{len(byte_ids)} byte pieces; expected 256")
            for i in range(256):
                self.bytes[i] = byte_ids[i]
        self.pieces = Trie({piece.encode(): symbol for piece, symbol in pieces.items()})
        self.joints = Cuts([piece.encode() for piece in pieces if len(piece) > 1])
        self.spaced = all("\u2581" not in piece.lstrip("\u2581") for piece in pieces)
        self.streams = 1

    def __dealloc__(self):
        free(self.scores)

    cdef Py_ssize_t _unit_end(self, const uint8_t *text, Py_ssize_t n,
                              Py_ssize_t start) noexcept nogil:
        """Where the unit that starts at ``start`` ends: no piece reaches across there."""
        cdef Py_ssize_t at = start
        if not self.spaced:
            return self.joints.next(text, n, start)
        while _marked(text, n, at):
            at += 3
        while at < n and not (text[at] == 0xE2 and _marked(text, n, at)):
            at += 1
        return at if at - start <= KEY_LIMIT else self.joints.next(text, at, start)

    cdef Py_ssize_t segment(self, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t start) noexcept nogil:
        """See WordModel."""
        cdef Py_ssize_t at = start + SEGMENT
        if at >= n:
            return n
        while at < n and (text[at] & 0xC0) == 0x80:
            at += 1
        return self.joints.next(text, n, at)

    cdef float _find_way(self, const uint8_t *text, Py_ssize_t n, float score,
                         Scratch *w) noexcept nogil:
        """The best way to each place of a unit, in ``w.steps``; its score at the end.

        The scores in the steps are values of 32 bits.
        """
        cdef Step *steps = w.steps
        cdef Step *to
        cdef const Unit *units = self.pieces.units
        cdef Py_ssize_t at = 0, i, width, frontier = 0
        cdef uint32_t node, value
        cdef float here, sum
        cdef bint single
        for i in range(n + 1):
            steps[i].start = -1
        steps[0].score = score
        while at < n:
            here = <float>steps[at].score
            if fabsf(here) > RESET:
                for i in range(at, frontier + 1):
                    if i == at or steps[i].start != -1:
                        steps[i].score = <float>(<float>steps[i].score - here)
                here = 0.0
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
                frontier = max(frontier, i)
                to = steps + i
                sum = self.scores[value] + here
                if to.start < 0 or sum > <float>to.score:
                    to.score = sum
                    to.start = <int32_t>at
                    to.symbol = value
                single |= i - at == width
            if not single:
                frontier = max(frontier, at + width)
                to = steps + at + width
                sum = self.unk_score + here
                if to.start < 0 or sum > <float>to.score:
                    to.score = sum
                    to.start = <int32_t>at
                    to.symbol = self.unk
            at += width
        return <float>steps[n].score

    cdef float _limit(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                      uint32_t *ids, Py_ssize_t *count) noexcept nogil:
        """The pieces of a unit, and up to which score before it they are its pieces.

        Below 0 where that can't be told: unknown text, too many pieces, or a tie.
        """
        cdef double best[KEY_LIMIT + 1]
        cdef double gap[KEY_LIMIT + 1]
        cdef Step *steps = w.steps
        cdef const Unit *units = self.pieces.units
        cdef Py_ssize_t at = 0, i, width, characters = 0, used = 0
        cdef uint32_t node, value
        cdef double sum, largest = 0.0, margin = 1e30
        cdef bint single, known
        for i in range(n + 1):
            steps[i].start = -1
            gap[i] = 1e30
        best[0] = 0.0
        while at < n:
            width = _width(text[at])
            single = 0
            node = 0
            i = at
            while True:
                known = i < n
                if known:
                    node = trie_step(units, node, text[i])
                    known = node != NOWHERE
                if known:
                    i += 1
                    value = units[node].value
                    if value == NOWHERE:
                        continue
                    sum = best[at] + self.scores[value]
                    single |= i - at == width
                elif single:
                    break
                else:
                    i = at + width
                    value = self.unk
                    sum = best[at] + self.unk_score
                largest = max(largest, fabs(sum))
                if steps[i].start < 0 or sum > best[i]:
                    if steps[i].start >= 0:
                        gap[i] = sum - best[i]
                    best[i] = sum
                    steps[i].start = <int32_t>at
                    steps[i].symbol = value
                else:
                    gap[i] = min(gap[i], best[i] - sum)
                if not known:
                    break
            characters += 1
            at += width
        at = n
        while at > 0:
            if used == IDS_LIMIT - 1 or steps[at].symbol == self.unk:
                return -1.0
            ids[IDS_LIMIT - 2 - used] = steps[at].symbol
            used += 1
            margin = min(margin, gap[at])
            at = steps[at].start
        for i in range(used):
            ids[i] = ids[IDS_LIMIT - 1 - used + i]
        count[0] = used
        sum = (margin - 1e-9) * <double>(1 << 23) / <double>characters * 0.99 - largest
        return <float>min(sum, 0.99 * RESET - largest)

    cdef void _put_way(self, const uint8_t *text, Py_ssize_t n, Way *way,
                       Scratch *w) noexcept nogil:
        """Put the pieces of the way that was found after the symbols of the text so far."""
        cdef Py_ssize_t start, end = n, i
        cdef uint32_t symbol
        # Each step's end by its start; then from the left.
        while end > 0:
            start = w.steps[end].start
            w.following[start] = <int32_t>end
            end = start
        while end < n:
            start = end
            end = w.following[start]
            symbol = w.steps[end].symbol
            if symbol != self.unk:
                w.symbols[way.count] = symbol
                way.count += 1
                way.unknown = 0
            elif self.use_bytes:
                for i in range(start, end):
                    w.symbols[way.count] = self.bytes[text[i]]
                    way.count += 1
            elif not way.unknown:
                # Neighbours are one unknown piece.
                w.symbols[way.count] = symbol
                way.count += 1
                way.unknown = 1

    cdef bint _unit(self, const uint8_t *text, Py_ssize_t n, Way *way,
                    Scratch *w) noexcept nogil:
        """Encode a unit by searching it; 0 where there is no memory."""
        if not scratch_reserve_steps(w, n + 1):
            return 0
        way.score = self._find_way(text, n, way.score, w)
        self._put_way(text, n, way, w)
        return 1

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        """See WordModel. Only ``w.symbols`` is filled."""
        cdef Batched units[BATCH]
        cdef uint32_t ids[IDS_LIMIT]
        cdef Way way
        cdef Py_ssize_t start = 0, pos = 0, taken, size, i, k, count
        cdef const tc_line *line
        cdef float limit
        if n == 0:
            return 0
        if not scratch_reserve(w, n):
            return NO_MEMORY
        way.count = 0
        way.score = 0.0 if whole else w.carried
        way.unknown = 0 if whole else w.carried_unknown
        while start < n:
            taken = 0
            while taken < BATCH and pos < n:
                size = -pos
                units[taken].end = self._unit_end(text, n, pos)
                size += units[taken].end
                if TC_LIKELY(size <= KEY_LIMIT and w.lines != NULL):
                    tc_load_key(&units[taken].key, text + pos, size, n - pos)
                    units[taken].hashed = tc_hash_key(&units[taken].key)
                    TC_PREFETCH(w.lines + (units[taken].hashed & w.line_mask))
                pos = units[taken].end
                taken += 1
            for k in range(taken):
                size = units[k].end - start
                if TC_LIKELY(size <= KEY_LIMIT and w.lines != NULL):
                    line = tc_find_line(w.lines, w.line_mask, units[k].hashed, &units[k].key)
                    if TC_LIKELY(line != NULL):
                        count = tc_line_count(line) - 1
                        if TC_LIKELY(fabsf(way.score) <= _from_bits(line.ids[count])):
                            for i in range(count):
                                w.symbols[way.count + i] = line.ids[i]
                                way.score += self.scores[line.ids[i]]
                            way.count += count
                            way.unknown = 0
                            start = units[k].end
                            continue
                    elif scratch_reserve_steps(w, size + 1):
                        limit = self._limit(text + start, size, w, ids, &count)
                        if limit > 0.0:
                            ids[count] = _to_bits(limit)
                            tc_store_line(w.lines, w.line_mask, units[k].hashed, &units[k].key,
                                          ids, count + 1)
                if not self._unit(text + start, size, &way, w):
                    return NO_MEMORY
                start = units[k].end
        w.carried = way.score
        w.carried_unknown = way.unknown
        return way.count

    def tokenize(self, bytes text not None):
        """A whole text: a list of (id, start, end, is_byte), in bytes of ``text``.

        ``is_byte`` says that the token stands for one byte of an unknown character; its
        start and end are those of the character.
        """
        cdef Scratch w
        cdef Py_ssize_t end, start, i, n = len(text)
        cdef const uint8_t *data = text
        cdef uint32_t symbol, last = NOWHERE
        scratch_init(&w)
        found = []
        try:
            if n and not scratch_reserve_steps(&w, n + 1):
                raise MemoryError("a text is too long to encode")
            if n:
                self._find_way(data, n, 0.0, &w)
            end = n
            while end > 0:
                start = w.steps[end].start
                symbol = w.steps[end].symbol
                if symbol == self.unk and self.use_bytes:
                    found += [(self.bytes[data[i]], start, end, True)
                              for i in range(end - 1, start - 1, -1)]
                elif symbol == self.unk and last == symbol:
                    _, _, stop, _ = found.pop()
                    found.append((symbol, start, stop, False))
                else:
                    found.append((symbol, start, end, False))
                last = symbol
                end = start
            return found[::-1]
        finally:
            scratch_free(&w)

    def symbols(self, bytes word not None):
        """See WordModel; a byte's symbol has the length of its whole character."""
        return [(symbol, end - start) for symbol, start, end, _ in self.tokenize(word)]

    def units(self, bytes text not None):
        """What a text is divided into (for tests and for explaining)."""
        cdef Py_ssize_t at = 0, end
        cdef const uint8_t *data = text
        found = []
        while at < len(text):
            end = self._unit_end(data, len(text), at)
            found.append(text[at:end])
            at = end
        return found
