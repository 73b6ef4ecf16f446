"""A double-array trie over bytes, for the modules that walk it without the GIL."""

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    NOWHERE = 0xFFFFFFFF    # no such node, no value


cdef struct Unit:
    uint32_t base       # a child by byte b stands at base + b
    uint32_t check      # the parent
    uint32_t value      # NOWHERE where no key ends


cdef inline uint32_t trie_step(const Unit *units, uint32_t node, uint8_t byte) noexcept nogil:
    """The child of a node (the root is 0) by a byte, or NOWHERE."""
    cdef uint32_t at = units[node].base + byte
    return at if units[at].check == node else NOWHERE


cdef class Trie:
    cdef Unit *units
    cdef Py_ssize_t capacity            # units; 256 beyond the last base
    cdef Py_ssize_t top                 # one past the last unit in use
    cdef uint32_t *next_free            # a ring of the free units, while building
    cdef uint32_t *previous_free

    cdef uint32_t get(self, const uint8_t *key, Py_ssize_t n) noexcept nogil
    cdef int _grow(self, Py_ssize_t size) except -1
    cdef void _take(self, uint32_t at) noexcept nogil
    cdef Py_ssize_t _place(self, const uint8_t *labels, Py_ssize_t count) except -1
    cdef void _trim(self) noexcept
    cdef bytes table(self)
    cdef int _build(self, const uint8_t **keys, const Py_ssize_t *sizes,
                    const uint32_t *values, Py_ssize_t count) except -1


# A trie from its table, with numbers below `limit`. Raises ValueError.
cdef Trie trie_restore(dict tables, str name, Py_ssize_t limit)
