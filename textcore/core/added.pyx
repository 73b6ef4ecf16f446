# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The added-token matcher: leftmost-longest occurrences of many strings in one pass.

An Aho-Corasick automaton (Aho & Corasick 1975) over UTF-8 bytes. Each node knows the
leftmost, and there the longest, token inside the text that leads to it; its failure link is
cut where it would drop that token's first byte, since whatever is found from there on
starts later. So a text is read once, whatever the tokens are.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from .codepoint cimport code_point
from .written cimport Ranges

cdef extern from "firsts.h" nogil:
    void tc_set_firsts(tc_firsts *firsts, const uint32_t *is_first)
    void tc_set_second(tc_firsts *firsts, uint8_t first, uint8_t second)
    Py_ssize_t tc_find_first(const tc_firsts *firsts, const uint8_t *text, Py_ssize_t at,
                             Py_ssize_t n)

cdef extern from "mixing.h" nogil:
    uint64_t TC_K0
    bint TC_LIKELY(bint x)

cdef enum:
    ROOT = 0
    DEAD = 0xFFFFFFFF
    SINGLE_WORD = 1
    LSTRIP = 2
    RSTRIP = 4
    CONTROL = 8

cdef uint64_t ONES = 0x0101010101010101


cdef void spans_free(Spans *spans) noexcept nogil:
    free(spans.items)
    spans.items = NULL
    spans.count = spans.capacity = 0


cdef bint spans_push(Spans *spans, Py_ssize_t start, Py_ssize_t end, int64_t id) noexcept nogil:
    """Add one span; 0 where there is no memory."""
    cdef Py_ssize_t size
    cdef Span *items
    if spans.count == spans.capacity:
        size = max(16, 2 * spans.capacity)
        items = <Span *>realloc(spans.items, size * sizeof(Span))
        if items == NULL:
            return 0
        spans.items = items
        spans.capacity = size
    spans.items[spans.count].start = start
    spans.items[spans.count].end = end
    spans.items[spans.count].id = id
    spans.items[spans.count].read = 0
    spans.count += 1
    return 1


cdef int spans_in_bytes(const uint8_t *text, Py_ssize_t n, Py_ssize_t characters, Ranges ranges,
                        Spans *spans) except -1:
    """Add ranges of characters as spans of bytes."""
    cdef Py_ssize_t at = 0, count = 0, i, first, last, start
    for i in range(ranges.count):
        first = ranges.bounds[2 * i]
        last = ranges.bounds[2 * i + 1]
        if last > characters:
            raise ValueError("a range ends outside the text")
        if n == characters:
            start, at = first, last
        else:
            start = _forward(text, n, at, first - count)
            at = _forward(text, n, start, last - first)
        count = last
        if not spans_push(spans, start, at, -1):
            raise MemoryError()
    return 0


cdef Py_ssize_t _forward(const uint8_t *text, Py_ssize_t n, Py_ssize_t at,
                         Py_ssize_t characters) noexcept nogil:
    """Where so many characters after ``at`` end."""
    cdef uint64_t word, inner
    # Eight bytes at a time: those that go on with a character are 10xxxxxx.
    while characters >= 8 and at + 8 <= n:
        memcpy(&word, text + at, 8)
        inner = (word >> 7) & (~word >> 6) & ONES
        characters -= 8 - <Py_ssize_t>((inner * ONES) >> 56)
        at += 8
    while at < n and (text[at] & 0xC0) == 0x80:
        at += 1
    while characters > 0 and at < n:
        at += 1
        while at < n and (text[at] & 0xC0) == 0x80:
            at += 1
        characters -= 1
    return at


cdef bint _covers(const Spans *trusted, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether one of the spans (in rising order) holds all of this one."""
    cdef Py_ssize_t low = 0, high = trusted.count, middle
    while low < high:
        middle = (low + high) >> 1
        if trusted.items[middle].end < end:
            low = middle + 1
        else:
            high = middle
    return low < trusted.count and trusted.items[low].start <= start


cdef bint _in_ranges(const uint32_t *ranges, Py_ssize_t count, uint32_t c) noexcept nogil:
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) >> 1
        if c > ranges[2 * middle + 1]:
            low = middle + 1
        else:
            high = middle
    return low < count and c >= ranges[2 * low]


cdef uint32_t *_ranges(object pairs, Py_ssize_t *count) except NULL:
    cdef uint32_t *out = <uint32_t *>malloc(max(1, len(pairs)) * 2 * sizeof(uint32_t))
    cdef Py_ssize_t i = 0
    if out == NULL:
        raise MemoryError()
    for first, last in pairs:
        out[2 * i] = first
        out[2 * i + 1] = last
        i += 1
    count[0] = i
    return out


cdef inline Py_ssize_t _char_start(const uint8_t *text, Py_ssize_t end) noexcept nogil:
    """Where the character that ends before ``end`` starts (``end`` > 0, valid UTF-8)."""
    cdef Py_ssize_t at = end - 1
    while at > 0 and (text[at] & 0xC0) == 0x80:
        at -= 1
    return at


cdef class AddedMatcher:
    """Finds added tokens in a text.

    Parameters
    ----------
    tokens : list of (bytes, int, bool, bool, bool)
        The token's text in UTF-8 (not empty, no two alike), its id, and its single_word,
        lstrip and rstrip flags.
    word_ranges, space_ranges : sequences of (int, int)
        Code points that count as word characters and as whitespace, in inclusive ranges in
        rising order.
    control_ids : a set of int
        The tokens of these ids count only where a caller says that the text is trusted.
    """

    def __init__(self, list tokens not None, word_ranges, space_ranges, control_ids=frozenset()):
        cdef Py_ssize_t i
        if self.ids != NULL:
            raise RuntimeError("AddedMatcher is built once")
        self.count = len(tokens)
        self.ids = <int64_t *>malloc(max(1, self.count) * sizeof(int64_t))
        self.flags = <uint8_t *>malloc(max(1, self.count))
        if self.ids == NULL or self.flags == NULL:
            raise MemoryError()
        contents = []
        for i in range(self.count):
            content, token_id, single_word, lstrip, rstrip = tokens[i]
            contents.append(content)
            self.ids[i] = token_id
            self.flags[i] = ((SINGLE_WORD if single_word else 0) | (LSTRIP if lstrip else 0)
                             | (RSTRIP if rstrip else 0)
                             | (CONTROL if token_id in control_ids else 0))
            self.has_single_word |= bool(single_word)
            self.has_lstrip |= bool(lstrip)
            self.longest = max(self.longest, len(content))
        self.word_ranges = _ranges(word_ranges, &self.word_count)
        self.space_ranges = _ranges(space_ranges, &self.space_count)
        self._build(contents)

    def __dealloc__(self):
        free(self.edge_keys)
        free(self.edge_nodes)
        free(self.fail)
        free(self.depth)
        free(self.inside)
        free(self.token)
        free(self.ids)
        free(self.flags)
        free(self.word_ranges)
        free(self.space_ranges)

    cdef int _build(self, list contents) except -1:
        cdef Py_ssize_t total = 1
        cdef int bits = 4
        cdef bytes content
        for content in contents:
            if not content:
                raise ValueError("an added token is empty")
            total += len(content)
        if total > INT32_MAX:
            raise ValueError(f"added tokens of {total} bytes together are too many")
        while (<Py_ssize_t>1 << bits) < 2 * total:
            bits += 1
        self.edge_shift = 64 - bits
        self.edge_mask = (<uint64_t>1 << bits) - 1
        self.edge_keys = <uint64_t *>malloc((<size_t>1 << bits) * sizeof(uint64_t))
        self.edge_nodes = <uint32_t *>malloc((<size_t>1 << bits) * sizeof(uint32_t))
        self.fail = <uint32_t *>malloc(total * sizeof(uint32_t))
        self.depth = <uint32_t *>malloc(total * sizeof(uint32_t))
        self.inside = <Inside *>malloc(total * sizeof(Inside))
        self.token = <int32_t *>malloc(total * sizeof(int32_t))
        if (self.edge_keys == NULL or self.edge_nodes == NULL or self.fail == NULL
                or self.depth == NULL or self.inside == NULL or self.token == NULL):
            raise MemoryError()
        memset(self.edge_keys, 0xFF, (<size_t>1 << bits) * sizeof(uint64_t))
        memset(self.root, 0, sizeof(self.root))
        memset(self.token, 0xFF, total * sizeof(int32_t))
        # What only the building needs of each node: five numbers and a byte, and one more.
        cdef uint32_t *work = <uint32_t *>malloc(5 * (total + 1) * sizeof(uint32_t))
        cdef uint8_t *entered = <uint8_t *>malloc(total)
        try:
            if work == NULL or entered == NULL:
                raise MemoryError()
            self._grow(contents, work, entered)
            self._connect(total + 1, work, entered)
        finally:
            free(work)
            free(entered)
        return 0

    cdef int _grow(self, list contents, uint32_t *parents, uint8_t *entered) except -1:
        """The trie of the tokens; each node's parent, and the byte that leads to it."""
        cdef Py_ssize_t number
        cdef uint32_t node, child
        cdef uint8_t byte
        cdef bytes content
        self.depth[ROOT] = 0
        self.fail[ROOT] = DEAD
        self.nodes = 1
        for number in range(self.count):
            content = contents[number]
            node = ROOT
            for byte in content:
                child = self._child(node, byte)
                if child == ROOT:
                    child = <uint32_t>self.nodes
                    self.nodes += 1
                    self.depth[child] = self.depth[node] + 1
                    self._link(node, byte, child)
                    parents[child] = node
                    entered[child] = byte
                node = child
            if self.token[node] >= 0:
                raise ValueError(f"two added tokens read {content.decode()!r}")
            self.token[node] = <int32_t>number
        self._begin()
        return 0

    cdef void _begin(self) noexcept nogil:
        """Note which two bytes may begin a token."""
        cdef int first, second
        cdef uint32_t node
        tc_set_firsts(&self.firsts, self.root)
        for first in range(256):
            node = self.root[first]
            if node == ROOT:
                continue
            for second in range(256):
                if self.token[node] >= 0 or self._child(node, <uint8_t>second) != ROOT:
                    tc_set_second(&self.firsts, <uint8_t>first, <uint8_t>second)

    cdef void _connect(self, Py_ssize_t room, uint32_t *parents,
                       const uint8_t *entered) noexcept nogil:
        """Failure links and what each node has inside, breadth first.

        ``parents`` is the first of five arrays of ``room`` numbers, one behind the other.
        """
        cdef uint32_t *links = parents + room
        # Of each node: the longest token that ends there, as that token's own node.
        cdef uint32_t *endings = links + room
        cdef uint32_t *order = endings + room
        cdef uint32_t *starts = order + room
        cdef uint32_t node, parent, back, ends
        cdef uint8_t byte
        cdef Py_ssize_t i
        cdef Inside inside
        # Nodes by depth: how many are less deep is where those of a depth start.
        memset(starts, 0, room * sizeof(uint32_t))
        for i in range(self.nodes):
            starts[self.depth[i] + 1] += 1
        for i in range(1, room):
            starts[i] += starts[i - 1]
        for i in range(self.nodes):
            order[starts[self.depth[i]]] = <uint32_t>i
            starts[self.depth[i]] += 1
        links[ROOT] = endings[ROOT] = ROOT
        self.inside[ROOT].token = -1
        for i in range(1, self.nodes):
            node = order[i]
            parent = parents[node]
            byte = entered[node]
            back = ROOT
            if parent != ROOT:
                back = links[parent]
                while back != ROOT and self._child(back, byte) == ROOT:
                    back = links[back]
                back = self._child(back, byte)
            links[node] = back
            ends = node if self.token[node] >= 0 else endings[back]
            endings[node] = ends
            inside = self.inside[parent]
            if ends and (inside.token < 0
                         or self.depth[node] - self.depth[ends] <= inside.start):
                inside.token = self.token[ends]
                inside.start = self.depth[node] - self.depth[ends]
                inside.end = self.depth[node]
            self.inside[node] = inside
            if inside.token >= 0 and self.depth[node] - self.depth[back] > inside.start:
                back = DEAD
            self.fail[node] = back

    cdef uint32_t _child(self, uint32_t node, uint8_t byte) noexcept nogil:
        cdef uint64_t key, at
        if node == ROOT:
            return self.root[byte]
        key = (<uint64_t>node << 8) | byte
        at = (key * TC_K0) >> self.edge_shift
        while self.edge_keys[at] != key:
            if self.edge_keys[at] == <uint64_t>-1:
                return ROOT
            at = (at + 1) & self.edge_mask
        return self.edge_nodes[at]

    cdef void _link(self, uint32_t node, uint8_t byte, uint32_t child) noexcept nogil:
        cdef uint64_t key = (<uint64_t>node << 8) | byte, at
        if node == ROOT:
            self.root[byte] = child
            return
        at = (key * TC_K0) >> self.edge_shift
        while self.edge_keys[at] != <uint64_t>-1:
            at = (at + 1) & self.edge_mask
        self.edge_keys[at] = key
        self.edge_nodes[at] = child

    cdef bint _is_word(self, uint32_t c) noexcept nogil:
        return _in_ranges(self.word_ranges, self.word_count, c)

    cdef bint _is_space(self, uint32_t c) noexcept nogil:
        return _in_ranges(self.space_ranges, self.space_count, c)

    cdef Py_ssize_t may_match(self, const uint8_t *text, Py_ssize_t n) noexcept nogil:
        """The first place where some token may begin, or ``n``."""
        return tc_find_first(&self.firsts, text, 0, n)

    cdef bint may_reach(self, const uint8_t *text, Py_ssize_t end) noexcept nogil:
        """Whether some token that starts before ``end`` could go on beyond it."""
        cdef Py_ssize_t i, at
        cdef uint32_t state
        for i in range(max(0, end - self.longest + 1), end):
            state = self.root[text[i]]
            at = i + 1
            while state != ROOT and at < end:
                state = self._child(state, text[at])
                at += 1
            if state != ROOT:
                return 1
        return 0

    cdef int32_t find(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                      Py_ssize_t *start, Py_ssize_t *end, Py_ssize_t *read) noexcept nogil:
        """The leftmost, and there the longest, token at or after ``pos``; -1 for none.

        ``read`` is how much of the text has been looked at: n + 1 where its end has.
        """
        cdef uint32_t state = ROOT, child
        cdef int32_t found = -1
        cdef Py_ssize_t i = pos
        while True:
            if state == ROOT:
                i = tc_find_first(&self.firsts, text, i, n)
                if i >= n:
                    return found
                state = self.root[text[i]]
                i += 1
            else:
                child = self._child(state, text[i]) if i < n else ROOT
                if child != ROOT:
                    state = child
                    i += 1
                else:
                    state = self.fail[state]
                    if state == DEAD:
                        read[0] = i + 1
                        return found
            if self.inside[state].token >= 0:
                found = self.inside[state].token
                start[0] = i - self.depth[state] + self.inside[state].start
                end[0] = i - self.depth[state] + self.inside[state].end

    cdef bint _stands_alone(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                            Py_ssize_t end) noexcept nogil:
        cdef int width
        if start > 0 and self._is_word(code_point(text + _char_start(text, start), &width)):
            return 0
        return end == n or not self._is_word(code_point(text + end, &width))

    cdef int32_t _shorter(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                          Py_ssize_t *end, const Spans *trusted, Py_ssize_t base) noexcept nogil:
        """The longest token at ``start`` that counts there, and its end; -1 for none."""
        cdef uint32_t state = ROOT
        cdef int32_t found = -1
        cdef int32_t number
        cdef Py_ssize_t i = start
        while i < n:
            state = self._child(state, text[i])
            if state == ROOT:
                break
            i += 1
            number = self.token[state]
            if number >= 0 and (not self.flags[number] & CONTROL
                                or _covers(trusted, base + start, base + i)):
                found = number
                end[0] = i
        return found

    cdef bint split(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t begin, Spans *spans,
                    const Spans *trusted, Py_ssize_t base) noexcept nogil:
        """Cut a text into spans that cover it from ``begin`` on; 0 where there is no memory.

        An added token ends at ``begin``, or it is 0.

        A token that is passed over (single_word) is not looked into again. One that was
        swallowed by the whitespace of its predecessor still counts, so spans may overlap,
        unless it takes whitespace on its left and so has nothing left: all as the reference
        does.

        Where ``trusted`` is given (not NULL), control tokens count only inside its spans;
        ``base`` is where the text starts in what they are about.
        """
        cdef Py_ssize_t pos = begin, done = begin, start, end, at, read = 0
        # How much of the text has decided what was found so far; n + 1 with its end.
        cdef Py_ssize_t seen = 0
        # Where the whitespace that was read last ends: none of it is read twice.
        cdef Py_ssize_t blank = 0
        cdef int32_t number
        cdef int width
        while True:
            number = self.find(text, n, pos, &start, &end, &read)
            if number < 0:
                break
            if (trusted != NULL and self.flags[number] & CONTROL
                    and not _covers(trusted, base + start, base + end)):
                number = self._shorter(text, n, start, &end, trusted, base)
                if number < 0:
                    pos = start + 1
                    continue
            pos = end
            seen = max(seen, read)
            if self.flags[number] & SINGLE_WORD:
                seen = max(seen, min(end + 4, n + 1))
                if not self._stands_alone(text, n, start, end):
                    continue
            if self.flags[number] & LSTRIP:
                while start > done:
                    at = _char_start(text, start)
                    if not self._is_space(code_point(text + at, &width)):
                        break
                    start = at
                start = max(start, done)
            if self.flags[number] & RSTRIP:
                end = max(end, blank)
                while end < n and self._is_space(code_point(text + end, &width)):
                    end += width
                blank = end
                seen = max(seen, min(end + 4, n + 1))
            if done < start and not spans_push(spans, done, start, -1):
                return 0
            if start >= end:
                continue
            if not spans_push(spans, start, end, self.ids[number]):
                return 0
            if end == pos:
                spans.items[spans.count - 1].read = seen
            done = end
        return done >= n or spans_push(spans, done, n, -1)

    def spans(self, str text not None, list trusted=None):
        """Spans of ``text`` as a list of (start, end, id or None), in characters.

        Where ``trusted`` is given, control tokens count only inside these ranges of
        characters: pairs in rising order.
        """
        cdef bytes data = text.encode()
        cdef const uint8_t *s = data
        cdef Py_ssize_t n = len(data), i
        cdef Spans spans, inside
        cdef Spans *only = NULL
        cdef bint done
        memset(&spans, 0, sizeof(Spans))
        memset(&inside, 0, sizeof(Spans))
        try:
            if trusted is not None:
                spans_in_bytes(s, n, len(text), Ranges(trusted), &inside)
                only = &inside
            with nogil:
                done = self.split(s, n, 0, &spans, only, 0)
            if not done:
                raise MemoryError()
            return _in_characters(s, &spans)
        finally:
            spans_free(&spans)
            spans_free(&inside)


cdef list _in_characters(const uint8_t *s, Spans *spans):
    """Spans as (start, end, id or None), counted in characters.

    One starts where the one before ends, or in it; then what both cover is not counted
    again, where there may be much of it.
    """
    cdef Py_ssize_t i, at = 0, first = 0, count = 0, start = 0
    cdef Span *span
    out = []
    for i in range(spans.count):
        span = &spans.items[i]
        start = count if span.start == at else start + _characters(s, first, span.start)
        if span.end >= at:
            count += _characters(s, at, span.end)
        else:
            count = start + _characters(s, span.start, span.end)
        first = span.start
        at = span.end
        out.append((start, count, None if span.id < 0 else span.id))
    return out


cdef Py_ssize_t _characters(const uint8_t *s, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef Py_ssize_t i, count = 0
    for i in range(first, last):
        count += (s[i] & 0xC0) != 0x80
    return count
