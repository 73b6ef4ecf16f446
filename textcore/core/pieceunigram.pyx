# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The Unigram model as SentencePiece itself runs it: sums of 32 bits along a whole text.

There are no words here: the best way is that through the whole text, and its score so far
decides by rounding between ways that nearly tie. So a text is divided only where no piece
reaches across, and what a unit between two such places becomes is remembered together with
the score up to which rounding can't change it. Only where the score may be larger, or about
to be set back (as it is at 100,000), it is summed up, and if need be the unit searched again.

The bound: each sum of the search is off by at most 2**-24 of the largest of them, and a way
has at most as many sums as the unit has characters. A choice with a larger margin than twice
that is the same for every score that comes before it.

A line of the cache holds up to six pieces, that limit, and what the unit adds to the score's
magnitude at most; the last three bits of that number are how many pieces there are, its sign
whether unknown text is among them.

Source: SentencePiece 0.2.3 (``unigram_model.cc``, ``sentencepiece_processor.cc``).
"""

from libc.math cimport fabs, fabsf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from .cuts cimport Cuts
from .model cimport (
    NO_MEMORY, NONE, Scratch, Step, WordModel, scratch_free, scratch_init, scratch_reserve,
    scratch_reserve_steps,
)
from .tables cimport table_bytes, table_copy, table_fill
from .trie cimport NOWHERE, Trie, Unit, trie_restore, trie_step
from .words cimport (
    IDS_LIMIT, KEY_LIMIT, tc_find_line, tc_hash_key, tc_key, tc_line, tc_load_key, tc_store_line,
)

cdef extern from "marks.h" nogil:
    bint tc_is_mark(const uint8_t *at)
    Py_ssize_t tc_next_mark(const uint8_t *text, Py_ssize_t n, Py_ssize_t at)

cdef extern from "mixing.h" nogil:
    void TC_PREFETCH(const void *address)
    bint TC_LIKELY(bint x)

cdef enum:
    BATCH = 64
    # A text is taken in segments of at least so many bytes.
    SEGMENT = 1 << 15
    # A line's pieces, and the places of its limit and its size.
    PIECES = 6
    LIMIT = 6
    SIZE = 7
    UNKNOWN = 1 << 31
    # So many symbols may pass before their sum is made. `bound` rounds too, but over so few
    # by less than what limits are to the safe side.
    UNSUMMED = 4096

cdef float RESET = 100000.0


cdef inline int _width(uint8_t lead) noexcept nogil:
    """The bytes of a character, by its first."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


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
        self.unk = NONE if unk_id is None else unk_id
        self.unk_score = unk_score
        if unk_id is not None:
            self.scores[self.unk] = unk_score
        self.use_bytes = byte_ids is not None
        memset(self.bytes, 0, sizeof(self.bytes))
        if self.use_bytes:
            if len(byte_ids) != 256:
                raise ValueError(f"{len(byte_ids)} byte pieces; expected 256")
            for i in range(256):
                self.bytes[i] = byte_ids[i]
                # A character's bytes together score what the character does.
                self.scores[self.bytes[i]] = 0.0 if i & 0xC0 == 0x80 else unk_score
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
        while at + 3 <= n and tc_is_mark(text + at):
            at += 3
        at = tc_next_mark(text, n, at)
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

    cdef void _study(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                     uint32_t *line) noexcept nogil:
        """A unit's line for the cache. Its limit is below 0 where only a search will do."""
        cdef double best[KEY_LIMIT + 1]
        cdef double gap[KEY_LIMIT + 1]
        cdef Step *steps = w.steps
        cdef const Unit *units = self.pieces.units
        cdef Py_ssize_t at = 0, i, width, characters = 0
        cdef uint32_t node, value
        cdef double sum, largest = 0.0
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
        self._note(text, n, steps, gap, characters, largest, line)

    cdef void _note(self, const uint8_t *text, Py_ssize_t n, const Step *steps,
                    const double *gap, Py_ssize_t characters, double largest,
                    uint32_t *line) noexcept nogil:
        """The line of a unit's best way, given the margin of each choice."""
        cdef uint32_t backward[PIECES]
        cdef Py_ssize_t at = n, i, used = 0
        cdef double margin = 1e30
        cdef uint32_t flag = 0
        line[LIMIT] = _to_bits(-1.0)
        line[SIZE] = 0
        while at > 0:
            margin = min(margin, gap[at])
            if steps[at].symbol == self.unk and self.use_bytes:
                for i in range(at - 1, steps[at].start - 1, -1):
                    if used == PIECES:
                        return
                    backward[used] = self.bytes[text[i]]
                    used += 1
            else:
                if used == PIECES:
                    return
                if steps[at].symbol == self.unk:
                    flag = UNKNOWN
                backward[used] = steps[at].symbol
                used += 1
            at = steps[at].start
        for i in range(used):
            line[i] = backward[used - 1 - i]
        margin = (margin - 1e-9) * <double>(1 << 23) / <double>characters
        # Both ways a little to the safe side, for what these sums round themselves.
        line[LIMIT] = _to_bits(<float>min(0.99 * margin - largest, 0.99 * RESET - largest))
        line[SIZE] = ((_to_bits(<float>(largest * 1.01)) & ~<uint32_t>7) + 8) | <uint32_t>used | flag

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

    cdef bint _search(self, const uint8_t *text, Py_ssize_t n, Way *way,
                      Scratch *w) noexcept nogil:
        """Encode a unit by searching it; 0 where there is no memory."""
        if not scratch_reserve_steps(w, n + 1):
            return 0
        self._sum_up(way, w)
        way.score = self._find_way(text, n, way.score, w)
        self._put_way(text, n, way, w)
        way.summed = way.count
        way.bound = fabsf(way.score)
        return 1

    cdef void _sum_up(self, Way *way, Scratch *w) noexcept nogil:
        """Bring the score up to the last symbol."""
        cdef Py_ssize_t i
        cdef float score = way.score
        for i in range(way.summed, way.count):
            score += self.scores[w.symbols[i]]
        way.score = score
        way.summed = way.count
        way.bound = fabsf(score)

    cdef void _put_unknown(self, const tc_line *line, Way *way, Scratch *w) noexcept nogil:
        """Put a line with unknown text, of which neighbours are one piece."""
        cdef uint32_t i, symbol
        for i in range(line.ids[SIZE] & 7):
            symbol = line.ids[i]
            if symbol == self.unk and way.unknown:
                # The symbols don't show this one, so the score has to be up to date.
                self._sum_up(way, w)
                way.score += self.unk_score
                continue
            w.symbols[way.count] = symbol
            way.count += 1
            way.unknown = symbol == self.unk

    cdef bint _cached(self, const uint8_t *text, const Batched *unit, Py_ssize_t n, Way *way,
                      Scratch *w) noexcept nogil:
        """Put a unit's pieces if the cache knows them, or learns them; else 0."""
        cdef uint32_t made[IDS_LIMIT]
        cdef const tc_line *line = tc_find_line(w.lines, w.line_mask, unit.hashed, &unit.key)
        cdef float limit
        if line == NULL:
            if not scratch_reserve_steps(w, n + 1):
                return 0
            self._study(text, n, w, made)
            tc_store_line(w.lines, w.line_mask, unit.hashed, &unit.key, made, IDS_LIMIT)
            line = tc_find_line(w.lines, w.line_mask, unit.hashed, &unit.key)
        limit = _from_bits(line.ids[LIMIT])
        if not TC_LIKELY(way.bound <= limit):
            self._sum_up(way, w)
            if not way.bound <= limit:
                return 0
        if line.ids[SIZE] & UNKNOWN:
            self._put_unknown(line, way, w)
            way.bound += _from_bits(line.ids[SIZE] & ~<uint32_t>UNKNOWN)
            return 1
        memcpy(w.symbols + way.count, line.ids, sizeof(line.ids))
        way.count += line.ids[SIZE] & 7
        way.bound += _from_bits(line.ids[SIZE])
        way.unknown = 0
        return 1

    cdef bint _parts(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t readable, Way *way,
                     Scratch *w) noexcept nogil:
        """Encode a unit that the cache can't hold: by its parts, or by searching it."""
        cdef Batched part
        cdef Py_ssize_t start = 0
        while start < n:
            part.end = self.joints.next(text, n, start)
            if part.end - start > KEY_LIMIT or part.end - start == n or w.lines == NULL:
                if not self._search(text + start, part.end - start, way, w):
                    return 0
            else:
                tc_load_key(&part.key, text + start, part.end - start, readable - start)
                part.hashed = tc_hash_key(&part.key)
                if not self._cached(text + start, &part, part.end - start, way, w):
                    if not self._search(text + start, part.end - start, way, w):
                        return 0
            start = part.end
        return 1

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        """See WordModel. Only ``w.symbols`` is filled."""
        cdef Batched units[BATCH]
        cdef Way way
        cdef Py_ssize_t start = 0, pos = 0, end, taken, k
        if n == 0:
            return 0
        if not scratch_reserve(w, n + IDS_LIMIT):
            return NO_MEMORY
        way.count = way.summed = 0
        way.score = 0.0 if whole else w.carried
        way.bound = fabsf(way.score)
        way.unknown = 0 if whole else w.carried_unknown
        while start < n:
            taken = 0
            while taken < BATCH and pos < n:
                end = self._unit_end(text, n, pos)
                units[taken].end = end
                if TC_LIKELY(end - pos <= KEY_LIMIT and w.lines != NULL):
                    tc_load_key(&units[taken].key, text + pos, end - pos, n - pos)
                    units[taken].hashed = tc_hash_key(&units[taken].key)
                    TC_PREFETCH(w.lines + (units[taken].hashed & w.line_mask))
                taken += 1
                pos = end
            for k in range(taken):
                end = units[k].end
                if not TC_LIKELY(end - start <= KEY_LIMIT and w.lines != NULL and self._cached(
                        text + start, &units[k], end - start, &way, w)):
                    if not self._parts(text + start, end - start, n - start, &way, w):
                        return NO_MEMORY
                start = end
            if way.count - way.summed > UNSUMMED:
                self._sum_up(&way, w)
        if n >= SEGMENT:
            # Another segment may follow.
            self._sum_up(&way, w)
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

    def tables(self):
        """What :meth:`restore` makes the same model from: tables as bytes, by name."""
        cdef uint32_t numbers[3]
        numbers[0] = self.unk
        numbers[1] = self.use_bytes
        numbers[2] = self.spaced
        return {
            "numbers": table_bytes(numbers, sizeof(numbers)),
            "unk_score": table_bytes(&self.unk_score, sizeof(float)),
            "scores": table_bytes(self.scores, self.size * sizeof(float)),
            "bytes": table_bytes(self.bytes, sizeof(self.bytes)),
            "pieces": self.pieces.table(),
            **self.joints.tables("joint"),
        }

    @staticmethod
    def restore(dict tables not None):
        """A model from its tables. Raises ValueError where they don't fit together."""
        cdef PieceUnigram model = PieceUnigram.__new__(PieceUnigram)
        cdef uint32_t numbers[3]
        cdef Py_ssize_t i
        table_fill(tables, "numbers", numbers, sizeof(numbers))
        table_fill(tables, "unk_score", &model.unk_score, sizeof(float))
        table_fill(tables, "bytes", model.bytes, sizeof(model.bytes))
        model.size = len(tables["scores"]) // sizeof(float)
        model.scores = <float *>table_copy(tables, "scores", model.size, sizeof(float))
        model.ids = <uint32_t *>malloc(max(1, model.size) * sizeof(uint32_t))
        if model.ids == NULL:
            raise MemoryError()
        for i in range(model.size):
            model.ids[i] = <uint32_t>i
        model.unk = numbers[0]
        model.use_bytes = numbers[1] != 0
        model.spaced = numbers[2] != 0
        model.streams = 1
        if model.unk >= <uint64_t>model.size and not (model.unk == NONE and model.use_bytes):
            raise ValueError(f"numbers: unknown piece {model.unk} of {model.size}")
        for i in range(256 * model.use_bytes):
            if model.bytes[i] >= <uint64_t>model.size:
                raise ValueError(f"bytes[{i}]: {model.bytes[i]} of {model.size}")
        model.pieces = trie_restore(tables, "pieces", model.size)
        model.joints = Cuts.restore(tables, "joint")
        return model

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
