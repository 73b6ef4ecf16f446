# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bytes to numbers in a trie whose nodes lie in one array (Aoe 1989, "An Efficient Digital
Search Algorithm by Using a Double-Array Structure").

One step is one load: the child of node ``s`` by byte ``b`` stands at ``base[s] + b``, if
``check`` there says ``s``. Built once from sorted keys; immutable after that.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from .tables cimport table_bytes, table_copy

cdef enum:
    # The first 256 units stay empty, so that a node without children (base 0) has none.
    FIRST = 256
    # So many free places are tried for a node's children; then they go to the end. This
    # keeps building linear, whatever the keys.
    TRIES = 128


cdef struct Job:
    Py_ssize_t low          # keys low to high share the bytes above
    Py_ssize_t high
    Py_ssize_t depth
    uint32_t node


cdef class Trie:
    """The trie of ``entries``, bytes to numbers below 2**32 - 1. Raises MemoryError."""

    def __init__(self, dict entries not None):
        cdef Py_ssize_t count = len(entries), i
        cdef const uint8_t **keys
        cdef Py_ssize_t *sizes
        cdef uint32_t *values
        cdef bytes key
        if self.units != NULL:
            raise RuntimeError("Trie is built once")
        ordered = sorted(entries)
        keys = <const uint8_t **>malloc(max(1, count) * sizeof(void *))
        sizes = <Py_ssize_t *>malloc(max(1, count) * sizeof(Py_ssize_t))
        values = <uint32_t *>malloc(max(1, count) * sizeof(uint32_t))
        try:
            if keys == NULL or sizes == NULL or values == NULL:
                raise MemoryError()
            for i in range(count):
                key = ordered[i]
                keys[i] = key
                sizes[i] = len(key)
                values[i] = entries[key]
            self._build(keys, sizes, values, count)
        finally:
            free(keys)
            free(sizes)
            free(values)

    def __dealloc__(self):
        free(self.units)
        free(self.next_free)
        free(self.previous_free)

    cdef int _grow(self, Py_ssize_t size) except -1:
        """Make at least ``size`` units, the new ones free, at the end of the ring."""
        cdef Py_ssize_t at, old = self.capacity, new = max(size, 2 * self.capacity)
        cdef uint32_t last
        if new >= NOWHERE:
            raise MemoryError("a vocabulary too large for a trie")
        units = <Unit *>realloc(self.units, new * sizeof(Unit))
        if units == NULL:
            raise MemoryError()
        self.units = units
        following = <uint32_t *>realloc(self.next_free, new * sizeof(uint32_t))
        if following == NULL:
            raise MemoryError()
        self.next_free = following
        previous = <uint32_t *>realloc(self.previous_free, new * sizeof(uint32_t))
        if previous == NULL:
            raise MemoryError()
        self.previous_free = previous
        self.capacity = new
        memset(self.units + old, 0, (new - old) * sizeof(Unit))
        for at in range(old, new):
            self.units[at].check = NOWHERE
            self.units[at].value = NOWHERE
            if at == 0:
                self.next_free[0] = self.previous_free[0] = 0
            elif at >= FIRST:
                last = self.previous_free[0]
                self.next_free[last] = <uint32_t>at
                self.previous_free[at] = last
                self.next_free[at] = 0
                self.previous_free[0] = <uint32_t>at
        return 0

    cdef void _take(self, uint32_t at) noexcept nogil:
        self.next_free[self.previous_free[at]] = self.next_free[at]
        self.previous_free[self.next_free[at]] = self.previous_free[at]
        if at >= self.top:
            self.top = at + 1

    cdef Py_ssize_t _place(self, const uint8_t *labels, Py_ssize_t count) except -1:
        """A base for a node's children, whose bytes are ``labels`` in rising order."""
        cdef uint32_t at = self.next_free[0]
        cdef Py_ssize_t base, i
        cdef int tries = 0
        while at and tries < TRIES:
            base = <Py_ssize_t>at - labels[0]
            if base + 256 > self.capacity:
                break
            for i in range(1, count):
                if self.units[base + labels[i]].check != NOWHERE:
                    break
            else:
                return base
            at = self.next_free[at]
            tries += 1
        base = max(self.top, <Py_ssize_t>FIRST)
        if base + 256 > self.capacity:
            self._grow(base + 256)
        return base

    cdef int _build(self, const uint8_t **keys, const Py_ssize_t *sizes,
                    const uint32_t *values, Py_ssize_t count) except -1:
        cdef Job *jobs = NULL
        cdef Job *more
        cdef Job job
        cdef Py_ssize_t waiting = 0, room = 0, i, children, base, child
        cdef uint8_t labels[256]
        cdef Py_ssize_t lows[257]
        self._grow(4096)
        self.top = FIRST
        try:
            job.low = job.depth = 0
            job.high = count
            job.node = 0
            while True:
                # The key that ends here sorts before those that go on.
                if job.low < job.high and sizes[job.low] == job.depth:
                    self.units[job.node].value = values[job.low]
                    job.low += 1
                children = 0
                for i in range(job.low, job.high):
                    if children == 0 or keys[i][job.depth] != labels[children - 1]:
                        labels[children] = keys[i][job.depth]
                        lows[children] = i
                        children += 1
                lows[children] = job.high
                if children:
                    base = self._place(labels, children)
                    self.units[job.node].base = <uint32_t>base
                    if waiting + children > room:
                        room = max(2 * room, waiting + children, <Py_ssize_t>64)
                        more = <Job *>realloc(jobs, room * sizeof(Job))
                        if more == NULL:
                            raise MemoryError()
                        jobs = more
                    for i in range(children):
                        child = base + labels[i]
                        self._take(<uint32_t>child)
                        self.units[child].check = job.node
                        jobs[waiting].low = lows[i]
                        jobs[waiting].high = lows[i + 1]
                        jobs[waiting].depth = job.depth + 1
                        jobs[waiting].node = <uint32_t>child
                        waiting += 1
                if waiting == 0:
                    break
                waiting -= 1
                job = jobs[waiting]
        finally:
            free(jobs)
            free(self.next_free)
            free(self.previous_free)
            self.next_free = self.previous_free = NULL
        self._trim()
        return 0

    cdef void _trim(self) noexcept:
        """Give back what lies beyond the last base's reach."""
        cdef Py_ssize_t size = self.top + 256
        if size < self.capacity:
            units = <Unit *>realloc(self.units, size * sizeof(Unit))
            if units != NULL:
                self.units = units
                self.capacity = size

    cdef uint32_t get(self, const uint8_t *key, Py_ssize_t n) noexcept nogil:
        """The number of a key, or NOWHERE."""
        cdef uint32_t node = 0
        cdef Py_ssize_t i
        for i in range(n):
            node = trie_step(self.units, node, key[i])
            if node == NOWHERE:
                return NOWHERE
        return self.units[node].value

    cdef bytes table(self):
        """The units as they are in memory."""
        return table_bytes(self.units, self.capacity * sizeof(Unit))

    def find(self, bytes key not None):
        """The number of a key, or None."""
        cdef uint32_t value = self.get(key, len(key))
        return None if value == NOWHERE else value

    def prefixes(self, bytes text not None):
        """The keys that ``text`` begins with, as (length, number), the shortest first."""
        cdef const uint8_t *data = text
        cdef uint32_t node = 0
        cdef Py_ssize_t i, n = len(text)
        found = []
        for i in range(n + 1):
            if self.units[node].value != NOWHERE:
                found.append((i, self.units[node].value))
            if i == n:
                break
            node = trie_step(self.units, node, data[i])
            if node == NOWHERE:
                break
        return found


cdef Trie trie_restore(dict tables, str name, Py_ssize_t limit):
    """A trie from its table, whose steps stay inside of it and whose numbers are in range."""
    cdef Trie trie = Trie.__new__(Trie)
    cdef Py_ssize_t i
    trie.capacity = len(tables[name]) // sizeof(Unit)
    if trie.capacity < FIRST:
        raise ValueError(f"{name}: shorter than a trie")
    trie.units = <Unit *>table_copy(tables, name, trie.capacity, sizeof(Unit))
    for i in range(trie.capacity):
        if (trie.units[i].base > trie.capacity - 256
                or (trie.units[i].value != NOWHERE and trie.units[i].value >= <uint64_t>limit)):
            raise ValueError(f"{name}[{i}]: leads out of the table")
    return trie
