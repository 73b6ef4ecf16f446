# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Running the automaton of a split pattern over UTF-8.

One transition a character. A move carries "a match ends before this character", so the
character after a match has to be read before the match is known to end; the fused table
makes that one character the first of the next match, and the loop over a text that the
matches tile has no branch that depends on where the matches end.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc

cdef enum:
    # Bits of an entry of the cutting table, as textcore.pipeline.patterns.cutting has them.
    CUT = 1
    BACK = 2
    RECORD = 4
    SLOW = 8
    SHIFT = 4
    # A memo is consulted and filled at positions that are a multiple of this.
    STRIDE = 16


cdef uint32_t* _new(Py_ssize_t count) except NULL:
    cdef uint32_t* memory = <uint32_t*>calloc(max(count, 1), sizeof(uint32_t))
    if memory == NULL:
        raise MemoryError
    return memory


cdef Py_ssize_t _characters(
    const unsigned char* text, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """How many characters begin in ``text[start:end]``."""
    cdef Py_ssize_t count = 0, at
    for at in range(start, end):
        count += text[at] & 0xC0 != 0x80
    return count


cdef inline Py_ssize_t _slot(Memo* memo, unsigned long long key) noexcept nogil:
    """Where a key is in a memo, or where it belongs."""
    cdef unsigned long long mixed = key * 0x9E3779B97F4A7C15ULL
    cdef Py_ssize_t slot = <Py_ssize_t>(mixed >> 20) & (memo.size - 1)
    while memo.keys[slot] and memo.keys[slot] != key:
        slot = (slot + 1) & (memo.size - 1)
    return slot


cdef inline unsigned long long _key(Py_ssize_t pos, uint32_t state) noexcept nogil:
    return (<unsigned long long>pos << 16 | state) + 1


cdef bint _known(Memo* memo, Py_ssize_t pos, uint32_t state) noexcept nogil:
    """Whether a memo says that from there no match ends."""
    return memo.size > 0 and memo.keys[_slot(memo, _key(pos, state))] != 0


cdef void _note(Memo* memo, Py_ssize_t pos, uint32_t state) noexcept nogil:
    """Add to a memo; without memory it stays as it is, which costs time only."""
    cdef Memo larger
    cdef Py_ssize_t slot
    if memo.used * 2 >= memo.size:
        larger.size = memo.size * 2 if memo.size else 1024
        larger.keys = <unsigned long long*>calloc(larger.size, sizeof(unsigned long long))
        if larger.keys == NULL:
            return
        for slot in range(memo.size):
            if memo.keys[slot]:
                larger.keys[_slot(&larger, memo.keys[slot])] = memo.keys[slot]
        free(memo.keys)
        memo.keys = larger.keys
        memo.size = larger.size
    slot = _slot(memo, _key(pos, state))
    if memo.keys[slot] == 0:
        memo.keys[slot] = _key(pos, state)
        memo.used += 1


cdef class Automaton:
    def __cinit__(self, block_of, bytes blocks, moves, starts, cuts=(), *, bint covers=False,
                  bint linear=False):
        cdef Py_ssize_t state, symbol, width, states = len(moves)
        cdef long long value
        width = len(moves[0]) if states else 0
        if not 2 <= width <= 256 or not 1 <= states <= 0xFFFF or len(starts) != width:
            raise ValueError("an automaton without states or with too many classes")
        if len(block_of) != BLOCKS or len(blocks) % 256 or max(blocks, default=255) > width - 2:
            raise ValueError("the classes of an automaton are inconsistent")
        self.width = width
        self.states = states
        self.covers = covers
        self.linear = linear
        self.block_of = _new(BLOCKS)
        self.blocks = <unsigned char*>malloc(len(blocks))
        self.moves = _new(states * width)
        self.cuts = NULL
        if len(cuts):
            self.cuts = <Cut*>calloc(len(cuts) * width, sizeof(Cut))
            if self.cuts == NULL:
                raise MemoryError
        self.starts = _new(width)
        if self.blocks == NULL:
            raise MemoryError
        for symbol in range(len(blocks)):
            self.blocks[symbol] = blocks[symbol]
        for symbol in range(BLOCKS):
            value = block_of[symbol]
            if not 0 <= value < len(blocks) // 256:
                raise ValueError("a block of an automaton's classes is missing")
            self.block_of[symbol] = value * 256
        for symbol in range(128):
            self.ascii[symbol] = self.blocks[self.block_of[0] + symbol]
        for state in range(states):
            row = moves[state]
            if len(row) != width:
                raise ValueError("a row of an automaton has another length")
            for symbol in range(width):
                value = row[symbol]
                if not 0 <= value >> 1 < states or (state == 0 and value):
                    raise ValueError("a move of an automaton is out of range")
                self.moves[state * width + symbol] = (value >> 1) * width * 2 + (value & 1)
        for state in range(len(cuts)):
            row = cuts[state]
            if len(row) != width:
                raise ValueError("a row of a cutting table has another length")
            for symbol in range(width):
                value = row[symbol]
                if not 0 <= value >> SHIFT < min(len(cuts), 0xFFFF):
                    raise ValueError("a move of a cutting table is out of range")
                self.cuts[state * width + symbol] = Cut(
                    self.cuts + (value >> SHIFT) * width,
                    <uint32_t>(value & (1 << SHIFT) - 1),
                )
        for symbol in range(width):
            value = starts[symbol]
            if not 0 <= value < states:
                raise ValueError("a start of an automaton is out of range")
            self.starts[symbol] = value * width
        self.by_context = len(set(starts)) > 1

    def __dealloc__(self):
        free(self.block_of)
        free(self.blocks)
        free(self.moves)
        free(self.cuts)
        free(self.starts)

    @property
    def size(self):
        return self.states, self.width - 1

    def find_spans(self, str text):
        cdef bytes encoded = text.encode("utf-8")
        cdef const unsigned char* data = <const unsigned char*>PyBytes_AS_STRING(encoded)
        cdef Py_ssize_t n = PyBytes_GET_SIZE(encoded)
        cdef Py_ssize_t start = 0, end = 0, pos = 0, last = -1, chars = 0, counted = 0, first
        cdef bint ascii = len(text) == n
        cdef Memo memo
        cdef Memo* used = NULL if self.linear else &memo
        cdef list spans = []
        memo.keys = NULL
        memo.size = memo.used = 0
        try:
            while pos <= n and self.search(data, n, pos, &start, &end, used):
                if start == end == last:
                    pos += 1
                    while pos < n and data[pos] & 0xC0 == 0x80:
                        pos += 1
                    continue
                pos = last = end
                if ascii:
                    spans.append((start, end))
                    continue
                chars += _characters(data, counted, start)
                first = chars
                chars += _characters(data, start, end)
                counted = end
                spans.append((first, chars))
        finally:
            free(memo.keys)
        return spans

    def find_cuts(self, str text, Py_ssize_t batch=256):
        cdef bytes encoded = text.encode("utf-8")
        cdef const unsigned char* data = <const unsigned char*>PyBytes_AS_STRING(encoded)
        cdef Py_ssize_t n = PyBytes_GET_SIZE(encoded)
        cdef Py_ssize_t pos = 0, chars = 0, count, index
        cdef Py_ssize_t* ends
        cdef list cuts = []
        if batch < 2:
            raise ValueError("a batch holds two cuts at least")
        ends = <Py_ssize_t*>malloc(batch * sizeof(Py_ssize_t))
        if ends == NULL:
            raise MemoryError
        try:
            while pos < n:
                with nogil:
                    count = self.scan(data, n, pos, ends, batch)
                for index in range(count):
                    chars += _characters(data, pos, ends[index])
                    pos = ends[index]
                    cuts.append(chars)
        finally:
            free(ends)
        return cuts

    def parts(self, str before, str after):
        cdef bytes first = before.encode("utf-8"), second = after.encode("utf-8")
        cdef Py_ssize_t size = 0, state
        cdef uint32_t left, right, move, end = self.width - 1
        cdef bint is_cut = self.covers
        if len(before) != 1 or len(after) != 1:
            raise ValueError("expected one character before the place, and one after it")
        left = self.symbol(<const unsigned char*>PyBytes_AS_STRING(first), &size)
        right = self.symbol(<const unsigned char*>PyBytes_AS_STRING(second), &size)
        if self.starts[left] != self.starts[end]:
            return None
        for state in range(1, self.states):
            move = self.moves[state * self.width + left] >> 1
            # A match that has read the first character must end behind it, and would end so
            # where the text does.
            if move and (self.moves[move + right] != 1 or self.moves[move + end] == 0):
                return None
        return is_cut

    cdef inline uint32_t symbol(
        self, const unsigned char* at, Py_ssize_t* size
    ) noexcept nogil:
        """The class of the character at ``at``, and its number of bytes."""
        cdef uint32_t first = at[0], code
        if first < 0x80:
            size[0] = 1
            return self.ascii[first]
        if first < 0xE0:
            size[0] = 2
            code = (first & 0x1F) << 6 | (at[1] & 0x3F)
        elif first < 0xF0:
            size[0] = 3
            code = (first & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
        else:
            size[0] = 4
            code = (
                (first & 0x07) << 18 | (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 | (at[3] & 0x3F)
            )
        return self.blocks[self.block_of[code >> 8] + (code & 0xFF)]

    cdef uint32_t start_state(
        self, const unsigned char* text, Py_ssize_t pos
    ) noexcept nogil:
        """The state in which a match begins at ``pos``."""
        cdef Py_ssize_t before = pos, size
        if not self.by_context or pos == 0:
            return self.starts[self.width - 1]
        before -= 1
        while text[before] & 0xC0 == 0x80:
            before -= 1
        return self.starts[self.symbol(text + before, &size)]

    cdef Py_ssize_t match_at(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos, uint32_t state,
        Memo* memo,
    ) noexcept nogil:
        """Where the match that begins at ``pos`` ends, or -1."""
        cdef Py_ssize_t at = pos, end = -1, size = 0, marked = pos
        cdef uint32_t move, state_there = state
        while at < n:
            if memo != NULL and at % STRIDE == 0 and _known(memo, at, state // self.width):
                break
            move = self.moves[state + self.symbol(text + at, &size)]
            if move & 1:
                end = marked = at
                state_there = state
            state = move >> 1
            if state == 0:
                break
            at += size
        else:
            if self.moves[state + self.width - 1]:
                return n
        if memo != NULL and at - marked > STRIDE:
            self.forget(text, marked, at, state_there, memo)
        return end

    cdef void forget(
        self, const unsigned char* text, Py_ssize_t pos, Py_ssize_t stop, uint32_t state,
        Memo* memo,
    ) noexcept nogil:
        """Note that from ``pos``, in ``state``, up to ``stop`` no further match ends."""
        cdef Py_ssize_t size = 0
        while pos < stop:
            state = self.moves[state + self.symbol(text + pos, &size)] >> 1
            pos += size
            if pos % STRIDE == 0 and pos < stop:
                _note(memo, pos, state // self.width)

    cdef bint search(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t* start, Py_ssize_t* end, Memo* memo,
    ) noexcept nogil:
        cdef uint32_t state = self.start_state(text, pos), symbol
        cdef Py_ssize_t size = 0
        while True:
            end[0] = self.match_at(text, n, pos, state, memo)
            if end[0] >= 0:
                start[0] = pos
                return 1
            if pos >= n:
                return 0
            symbol = self.symbol(text + pos, &size)
            state = self.starts[symbol]
            pos += size

    cdef bint find(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t* start, Py_ssize_t* end,
    ) noexcept nogil:
        return self.search(text, n, pos, start, end, NULL)

    cdef Py_ssize_t scan(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos,
        Py_ssize_t* ends, Py_ssize_t max,
    ) noexcept nogil:
        cdef const Cut* state = self.cuts
        cdef const Cut* move
        cdef Py_ssize_t count = 0, at = pos, before = pos, found = pos, size = 1, done, stop
        cdef uint32_t says
        while count + 2 <= max and pos < n:
            if state != NULL:
                # No more characters than there is room for cuts, one a character at most.
                stop = min(n, at + (max - 1 - count))
                while at < stop:
                    move = state + self.symbol(text + at, &size)
                    state = move.next
                    says = move.says
                    if says & SLOW:
                        break
                    ends[count] = before if says & BACK else at
                    count += says & CUT
                    if says & RECORD:
                        found = at
                    before = at
                    at += size
                else:
                    if at < n:
                        continue
                    if state[self.width - 1].says & CUT:
                        ends[count] = n
                        return count + 1
            done = ends[count - 1] if count else pos
            if found > done:
                ends[count] = found
                count += 1
            else:
                count += self.cut(text, n, done, ends + count)
            pos = at = found = before = ends[count - 1]
            state = self.cuts
        return count

    cdef Py_ssize_t piece_end(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos
    ) noexcept nogil:
        cdef const Cut* state = self.cuts
        cdef const Cut* move
        cdef Py_ssize_t at = pos, before = pos, found = pos, size = 1
        cdef Py_ssize_t ends[2]
        while at < n:
            move = state + self.symbol(text + at, &size)
            if move.says:
                if move.says & SLOW:
                    break
                if move.says & CUT:
                    return before if move.says & BACK else at
                found = at
            state = move.next
            before = at
            at += size
        else:
            if state[self.width - 1].says & CUT:
                return n
        if found > pos:
            return found
        self.cut(text, n, pos, ends)
        return ends[0]

    cdef Py_ssize_t cut(
        self, const unsigned char* text, Py_ssize_t n, Py_ssize_t pos, Py_ssize_t* ends
    ) noexcept nogil:
        """Cut before and after the first match from ``pos``, or at the end: one or two cuts."""
        cdef Py_ssize_t start = 0, end = 0, at = pos
        while at <= n and self.search(text, n, at, &start, &end, NULL):
            if end > pos:
                ends[0] = start
                ends[start > pos] = end
                return 1 + (pos < start < end)
            # An empty match where a piece begins anyway.
            at += 1
            while at < n and text[at] & 0xC0 == 0x80:
                at += 1
        ends[0] = n
        return 1
