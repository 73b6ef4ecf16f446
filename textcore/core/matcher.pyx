# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Several strings searched for at once in a stream: the automaton of Aho and Corasick.

A. V. Aho, M. J. Corasick, "Efficient string matching: an aid to bibliographic search",
Communications of the ACM 18 (1975). Over code points; transitions are kept sparse, as
sorted neighbours, so memory is linear in the patterns and no choice of patterns makes
a look-up slower than a binary search.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_READ_CHAR, PyUnicode_Substring
from libc.stdint cimport INT32_MAX


cdef class Matcher:
    """The automaton of a tuple of non-empty, distinct strings. Immutable, so shareable.

    Raises:
        TypeError: a pattern is not exactly a str.
        ValueError: a pattern is empty, or the patterns have 2**31 characters or more.
    """

    def __cinit__(self, tuple patterns not None):
        cdef Py_ssize_t total = 1
        for pattern in patterns:
            if type(pattern) is not str:
                raise TypeError(f"a pattern is a str, not {type(pattern).__name__}")
            if not pattern:
                raise ValueError("a pattern is empty")
            total += PyUnicode_GET_LENGTH(pattern)
        if total >= INT32_MAX:
            raise ValueError(f"the patterns have {total - 1} characters; 2**31 are too many")
        self.patterns = patterns
        self.allocate(total)
        self.build_trie(sorted(range(len(patterns)), key=patterns.__getitem__), total)
        self.link()
        self.index_root()

    def __dealloc__(self):
        PyMem_Free(self.first)
        PyMem_Free(self.label)
        PyMem_Free(self.parent)
        PyMem_Free(self.depth)
        PyMem_Free(self.fail)
        PyMem_Free(self.prefix_of)
        PyMem_Free(self.hit)

    cdef int allocate(self, Py_ssize_t total) except -1:
        self.first = <int32_t*>PyMem_Calloc(total + 1, sizeof(int32_t))
        self.label = <uint32_t*>PyMem_Calloc(total, sizeof(uint32_t))
        self.parent = <int32_t*>PyMem_Calloc(total, sizeof(int32_t))
        self.depth = <int32_t*>PyMem_Calloc(total, sizeof(int32_t))
        self.fail = <int32_t*>PyMem_Calloc(total, sizeof(int32_t))
        self.prefix_of = <int32_t*>PyMem_Calloc(total, sizeof(int32_t))
        self.hit = <int32_t*>PyMem_Calloc(total, sizeof(int32_t))
        if (self.first == NULL or self.label == NULL or self.parent == NULL or self.depth == NULL
                or self.fail == NULL or self.prefix_of == NULL or self.hit == NULL):
            raise MemoryError
        return 0

    cdef int build_trie(self, list order, Py_ssize_t total) except -1:
        """Number the trie's states breadth first; ``order`` is the patterns, sorted.

        A state stands for the run of sorted patterns that begin with its characters.
        """
        cdef int32_t* low = <int32_t*>PyMem_Calloc(2 * total, sizeof(int32_t))
        cdef int32_t* high = low + total
        cdef int32_t state = 0, count = 1, at, end, deep
        cdef uint32_t c
        cdef object pattern
        if low == NULL:
            raise MemoryError
        try:
            high[0] = <int32_t>len(order)
            while state < count:
                at, end, deep = low[state], high[state], self.depth[state]
                self.first[state] = count
                self.hit[state] = -1
                if at < end:
                    self.prefix_of[state] = order[at]
                # Of a run, only the first pattern (and its equals) can be this short.
                while at < end and len(<str>self.patterns[<Py_ssize_t>order[at]]) == deep:
                    if self.hit[state] < 0:
                        self.hit[state] = order[at]
                    at += 1
                while at < end:
                    pattern = self.patterns[<Py_ssize_t>order[at]]
                    c = PyUnicode_READ_CHAR(pattern, deep)
                    low[count] = at
                    while at < end:
                        pattern = self.patterns[<Py_ssize_t>order[at]]
                        if PyUnicode_READ_CHAR(pattern, deep) != c:
                            break
                        at += 1
                    high[count] = at
                    self.label[count] = c
                    self.parent[count] = state
                    self.depth[count] = deep + 1
                    count += 1
                state += 1
            self.first[count] = count
            self.states = count
        finally:
            PyMem_Free(low)
        return 0

    cdef void link(self) noexcept nogil:
        """Set each state's longest proper suffix, and the hits that come with it."""
        cdef int32_t state, back, target
        for state in range(1, <int32_t>self.states):
            back = self.parent[state]
            target = -1
            while back != 0 and target < 0:
                back = self.fail[back]
                target = self.child(back, self.label[state])
            self.fail[state] = target if target > 0 else 0
            if self.hit[state] < 0:
                self.hit[state] = self.hit[self.fail[state]]

    cdef void index_root(self) noexcept nogil:
        cdef int32_t state
        for state in range(self.first[0], self.first[1]):
            if self.label[state] < 256:
                self.root[self.label[state]] = state
            else:
                self.root_wide = True

    cdef int32_t child(self, int32_t state, uint32_t c) noexcept nogil:
        """The state that ``c`` leads to within the trie, or -1."""
        cdef int32_t low = self.first[state], high = self.first[state + 1], middle
        while low < high:
            middle = low + ((high - low) >> 1)
            if self.label[middle] < c:
                low = middle + 1
            elif self.label[middle] > c:
                high = middle
            else:
                return middle
        return -1

    cdef int32_t step(self, int32_t state, uint32_t c) noexcept nogil:
        """The state after ``c``: the longest suffix read that begins a pattern."""
        cdef int32_t target
        while state != 0:
            target = self.child(state, c)
            if target >= 0:
                return target
            state = self.fail[state]
        if c < 256:
            return self.root[c]
        if not self.root_wide:
            return 0
        target = self.child(0, c)
        return target if target > 0 else 0

    cdef object prefix(self, int32_t state):
        """The characters that ``state`` stands for."""
        if state == 0:
            return ""
        return PyUnicode_Substring(self.patterns[self.prefix_of[state]], 0, self.depth[state])
