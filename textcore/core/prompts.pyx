# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The prompt cache: long texts with added tokens, so that a longer one costs what is new.

The text after an added token encodes by itself: no merge, split or normalizer sees what came
before. So a conversation that has grown by a turn has the ids that it had up to the last added
token which both have, and only what follows is encoded. Remembered are whole texts, in an order
in which neighbours have the longest beginnings in common; a text is looked for by binary search,
comparing each character once. Nothing is hashed, so nothing can be mistaken.

An added token is a place to go on from only if the text up to there decides that it is one:
whether a longer one would have matched, or whether it stands alone as a word, may depend on
what follows. So each mark knows how far that has been read, and counts only where the texts
are the same up to there.

The cache is bounded in bytes; a hand goes round and drops what was not used since it came by
last. Calls share it: a critical section is entered twice in a call, for the time of a
comparison. What a call takes for its own is out of the cache until it is given back.
"""

cimport cython
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport uint8_t, uint32_t, uintptr_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from .added cimport AddedMatcher

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)

cdef extern from "common.h" nogil:
    size_t tc_common(const uint8_t *a, const uint8_t *b, size_t n)

cdef extern from "tally.h":
    enum: TC_TALLIES
    void tc_tally_free(tc_tally *tally) noexcept
    size_t tc_tally_size(const tc_tally *tally) noexcept
    bint tc_tally_extend(tc_tally *tally, uint32_t *places, list shared, const uint32_t *ids,
                         size_t n) noexcept
    void tc_tally_cut(tc_tally *tally, list shared, const uint32_t *ids, size_t n) noexcept
    list tc_tally_list(tc_tally *tally, list shared, const uint32_t *ids)

cdef enum:
    # Parts of the shortest text that is remembered: how far marks are apart, but for the last
    # one, and how much in common with a text is worth using.
    SPACINGS = 16
    USEFUL = 4
    # What an object and its place cost at least.
    OVERHEAD = 512


cdef void marks_free(Marks *marks) noexcept nogil:
    free(marks.items)
    memset(marks, 0, sizeof(Marks))


cdef bint marks_push(Marks *marks, Py_ssize_t at, Py_ssize_t read, Py_ssize_t ids) noexcept nogil:
    """Add a mark, or put it in the place of the last one; 0 where there is no memory."""
    cdef Py_ssize_t size
    cdef Mark *items
    cdef Mark *last = marks.items + marks.count - 1
    if marks.count >= 2 and last.at - (last - 1).at < marks.spacing:
        marks.count -= 1
    if marks.count == marks.capacity:
        size = max(16, 2 * marks.capacity)
        items = <Mark *>realloc(marks.items, size * sizeof(Mark))
        if items == NULL:
            return 0
        marks.items = items
        marks.capacity = size
    marks.items[marks.count].at = at
    marks.items[marks.count].read = read
    marks.items[marks.count].ids = ids
    marks.count += 1
    return 1


cdef inline Py_ssize_t _characters(const uint8_t *text, Py_ssize_t start,
                                   Py_ssize_t end) noexcept nogil:
    """How many characters start between two places."""
    cdef Py_ssize_t i, count = 0
    for i in range(start, end):
        count += (text[i] & 0xC0) != 0x80
    return count


# It refers to what was there before it, so there are no cycles; and its tally gives references
# back, for which `shared` must still be there at the end.
@cython.no_gc
cdef class Prompt:

    def __cinit__(self):
        memset(&self.marks, 0, sizeof(Marks))
        memset(&self.tally, 0, sizeof(tc_tally))

    def __dealloc__(self):
        free(self.ids)
        tc_tally_free(&self.tally)
        marks_free(&self.marks)

    cdef Py_ssize_t compare(self, Prompt other, Py_ssize_t *same) noexcept:
        """Below, at or above 0 as this one comes before, with or after the other.

        ``same`` is how many characters from the start are known to be the same; set to how
        many are. Texts with other added tokens, or of other storage, have none in common.
        """
        cdef uintptr_t a = <uintptr_t><void *>self.first
        cdef uintptr_t b = <uintptr_t><void *>other.first
        cdef int kind = PyUnicode_KIND(self.text)
        cdef Py_ssize_t known = same[0] * kind, n = PyUnicode_GET_LENGTH(self.text)
        cdef Py_ssize_t m = PyUnicode_GET_LENGTH(other.text), shorter
        cdef const uint8_t *mine
        cdef const uint8_t *others
        same[0] = 0
        if a == b:
            a = <uintptr_t><void *>self.second
            b = <uintptr_t><void *>other.second
        if a == b:
            a = kind
            b = PyUnicode_KIND(other.text)
        if a != b:
            return -1 if a < b else 1
        mine = <const uint8_t *>PyUnicode_DATA(self.text)
        others = <const uint8_t *>PyUnicode_DATA(other.text)
        shorter = min(n, m) * kind
        known += <Py_ssize_t>tc_common(mine + known, others + known, shorter - known)
        same[0] = known // kind
        if known == shorter:
            return n - m
        return <Py_ssize_t>mine[known] - <Py_ssize_t>others[known]

    cdef int add_ids(self, const uint32_t *ids, Py_ssize_t count) except -1:
        cdef Py_ssize_t size = self.count + count
        cdef uint32_t *grown
        if size > self.capacity:
            # Room for the next turn, too.
            size += size >> 3
            grown = <uint32_t *>realloc(self.ids, max(1, size) * sizeof(uint32_t))
            if grown == NULL:
                raise MemoryError()
            self.ids = grown
            self.capacity = size
        if count:
            memcpy(self.ids + self.count, ids, count * sizeof(uint32_t))
        self.count += count
        return 0

    cdef list list_of_ids(self, list shared, uint32_t *places):
        """The ids as a new list of ints; None where they are better made one by one.

        That is the first time: most texts never come again, and what makes it fast for those
        that do takes as long as a list of them. ``shared`` has each int that can be in a list,
        with the same one always, by its id. ``places`` is as many numbers as that has, of any
        value, for this to use, or NULL.
        """
        if not TC_TALLIES or places == NULL:
            return None
        if self.shared is not shared:
            tc_tally_free(&self.tally)
            self.shared = shared
            return None
        if not tc_tally_extend(&self.tally, places, shared, self.ids, self.count):
            return None
        return tc_tally_list(&self.tally, shared, self.ids)

    cdef int add_marks(self, const Marks *marks, const uint8_t *text, Py_ssize_t n,
                       Py_ssize_t begin) except -1:
        """Add marks given in bytes of a text whose byte ``begin`` is character ``start``.

        Called before the ids that they are about are added.
        """
        cdef Py_ssize_t length = PyUnicode_GET_LENGTH(self.text), i
        cdef Py_ssize_t at = begin, read = begin, character = self.start, seen = self.start
        cdef bint ascii = n - begin == length - self.start
        cdef const Mark *mark
        for i in range(marks.count):
            mark = marks.items + i
            character += mark.at - at if ascii else _characters(text, at, mark.at)
            at = mark.at
            if mark.read > n:
                seen = length + 1
            elif mark.read > read:
                seen += mark.read - read if ascii else _characters(text, read, mark.read)
                read = mark.read
            if not marks_push(&self.marks, character, seen, self.count + mark.ids):
                raise MemoryError()
        self.marks.found += marks.found
        return 0

    cdef int copy(self, Prompt other, Py_ssize_t marks) except -1:
        """Take what another one has up to its mark of this number."""
        cdef Py_ssize_t i
        cdef Mark *mark
        self.add_ids(other.ids, other.marks.items[marks - 1].ids)
        for i in range(marks):
            mark = other.marks.items + i
            if not marks_push(&self.marks, mark.at, mark.read, mark.ids):
                raise MemoryError()
        self.marks.found = other.marks.found
        self.start = other.marks.items[marks - 1].at
        return 0

    cdef Py_ssize_t usable(self, Py_ssize_t same, Py_ssize_t least) noexcept:
        """How many marks a text has that is the same up to there; 0 if all are before ``least``.
        """
        cdef Py_ssize_t marks = self.marks.count
        while marks and self.marks.items[marks - 1].read > same:
            marks -= 1
        return marks if marks and self.marks.items[marks - 1].at >= least else 0

    cdef Py_ssize_t length_after(self, Py_ssize_t marks) noexcept:
        return PyUnicode_GET_LENGTH(self.text) - self.marks.items[marks - 1].at

    cdef Py_ssize_t size(self) noexcept:
        """Bytes that it takes, about."""
        cdef Py_ssize_t text = PyUnicode_GET_LENGTH(self.text) * PyUnicode_KIND(self.text)
        if not PyUnicode_IS_ASCII(self.text):
            # A text keeps its UTF-8, once made.
            text += text
        return (OVERHEAD + text + self.capacity * <Py_ssize_t>sizeof(uint32_t)
                + self.marks.capacity * <Py_ssize_t>sizeof(Mark)
                + <Py_ssize_t>tc_tally_size(&self.tally))

    cdef void cut(self, Py_ssize_t marks):
        """Forget what comes after the mark of this number."""
        cdef Mark *mark = self.marks.items + marks - 1
        tc_tally_cut(&self.tally, self.shared, self.ids, mark.ids)
        self.marks.count = marks
        self.start = mark.at
        self.count = mark.ids


cdef class PromptCache:
    """Remembers texts with added tokens and their ids.

    Parameters
    ----------
    bound : int
        Bytes that they may take, about.
    shortest : int
        The length of texts worth remembering, in characters.
    """

    def __init__(self, Py_ssize_t bound, Py_ssize_t shortest):
        if bound < 0 or shortest < 0:
            raise ValueError(f"neither bound nor shortest is negative: {bound}, {shortest}")
        self.bound = bound
        self.shortest = shortest
        self.prompts = []

    def __len__(self):
        return len(self.prompts)

    cdef Py_ssize_t place(self, Prompt prompt, Py_ssize_t *best, Py_ssize_t *same):
        """Where a text belongs, and which one has most of its beginning in common (-1: none).

        If a text is there already, its own place is both.
        """
        cdef Py_ssize_t low = 0, high = len(self.prompts), middle, order, common
        # What the text has in common with those just below and above of where it can be: all
        # between them have the lesser of these in common with it.
        cdef Py_ssize_t below = 0, above = 0
        best[0] = -1
        same[0] = 0
        while low < high:
            middle = (low + high) >> 1
            common = min(below, above)
            order = prompt.compare(<Prompt>self.prompts[middle], &common)
            if common > same[0] or order == 0:
                best[0] = middle
                same[0] = common
            if order == 0:
                return middle
            if order < 0:
                high = middle
                above = common
            else:
                low = middle + 1
                below = common
        return low

    cdef Prompt take(self, str text, AddedMatcher first, AddedMatcher second):
        """A Prompt for a text, with the ids that are known up to its ``start``.

        It is the caller's own, to add the rest and to give to ``keep``.
        """
        cdef Prompt prompt = Prompt()
        cdef Prompt known
        cdef Py_ssize_t same, best, index, marks, length = PyUnicode_GET_LENGTH(text)
        cdef Py_ssize_t least = max(1, self.shortest // USEFUL)
        prompt.marks.spacing = self.shortest // SPACINGS
        prompt.text = text
        prompt.first = first
        prompt.second = second
        with cython.critical_section(self):
            index = self.place(prompt, &best, &same)
            prompt.index = index
            prompt.version = self.version
            if same < least:
                return prompt
            known = <Prompt>self.prompts[best]
            known.recent = 1
            if same == length == PyUnicode_GET_LENGTH(known.text):
                self.remove(best)
                known.start = length
            else:
                marks = known.usable(same, least)
                if marks == 0:
                    return prompt
                if known.length_after(marks) > PyUnicode_GET_LENGTH(known.text) >> 3:
                    # Another conversation, with the same beginning: both are kept.
                    prompt.copy(known, marks)
                    return prompt
                self.remove(best)
                known.cut(marks)
                known.text = text
            known.index = index - (best < index)
            known.version = self.version
        return known

    cdef int keep(self, Prompt prompt) except -1:
        """Remember a text, or let it go where that is not worth it."""
        cdef Py_ssize_t best, same, index
        cdef list dropped = []
        prompt.cost = prompt.size()
        if prompt.cost > self.bound or prompt.marks.found < TURNS:
            return 0
        with cython.critical_section(self):
            index = prompt.index
            if prompt.version != self.version:
                index = self.place(prompt, &best, &same)
                if best == index and prompt.compare(<Prompt>self.prompts[index], &same) == 0:
                    # Another call was faster; it may have made no list.
                    dropped.append(self.remove(index))
            self.prompts.insert(index, prompt)
            self.version += 1
            self.used += prompt.cost
            if index <= self.hand:
                self.hand += 1
            while self.used > self.bound:
                if self.hand >= len(self.prompts):
                    self.hand = 0
                if (<Prompt>self.prompts[self.hand]).recent:
                    (<Prompt>self.prompts[self.hand]).recent = 0
                    self.hand += 1
                else:
                    dropped.append(self.remove(self.hand))
        return 0

    cdef Prompt remove(self, Py_ssize_t index):
        cdef Prompt prompt = <Prompt>self.prompts.pop(index)
        self.used -= prompt.cost
        self.version += 1
        if index < self.hand:
            self.hand -= 1
        return prompt
