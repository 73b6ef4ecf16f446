from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from .written cimport Ranges


cdef extern from "firsts.h" nogil:
    ctypedef struct tc_firsts:
        pass


cdef struct Span:
    # A part of a text in bytes: an added token with its id, or ordinary text with id -1.
    Py_ssize_t start
    Py_ssize_t end
    int64_t id
    # Of a token: how much of the text decided all up to its end; 0 where what comes after it
    # is not what would come if the text started there.
    Py_ssize_t read


cdef struct Inside:
    # The leftmost-longest token in the text that leads to a node: token -1 for none.
    int32_t token
    uint32_t start
    uint32_t end


cdef struct Spans:
    Span *items
    Py_ssize_t count
    Py_ssize_t capacity


cdef int spans_in_bytes(const uint8_t *text, Py_ssize_t n, Py_ssize_t characters, Ranges ranges,
                        Spans *spans) except -1
cdef void spans_free(Spans *spans) noexcept nogil
cdef bint spans_push(Spans *spans, Py_ssize_t start, Py_ssize_t end, int64_t id) noexcept nogil


cdef class AddedMatcher:
    cdef Py_ssize_t nodes
    # The trie: edges in an open-addressing table keyed by (node, byte); the root's apart.
    cdef uint32_t root[256]
    cdef tc_firsts firsts           # the bytes that begin a token, for a fast search
    cdef uint64_t *edge_keys
    cdef uint32_t *edge_nodes
    cdef uint64_t edge_mask
    cdef int edge_shift
    cdef uint32_t *fail             # DEAD where no later match may replace an earlier one
    cdef uint32_t *depth
    cdef Inside *inside             # what the text that leads to the node holds
    cdef int32_t *token             # which token ends at the node, or -1
    cdef Py_ssize_t count
    cdef int64_t *ids
    cdef uint8_t *flags
    cdef uint32_t *word_ranges      # pairs of first and last code point
    cdef Py_ssize_t word_count
    cdef uint32_t *space_ranges
    cdef Py_ssize_t space_count
    cdef readonly Py_ssize_t longest    # bytes of the longest token
    cdef readonly bint has_single_word  # some token looks at the characters around it
    cdef readonly bint has_lstrip       # some token takes whitespace before it

    cdef int _build(self, list contents) except -1
    cdef void _begin(self) noexcept nogil
    cdef int _grow(self, list contents, uint32_t *parents, uint8_t *entered) except -1
    cdef void _connect(self, Py_ssize_t room, uint32_t *parents,
                       const uint8_t *entered) noexcept nogil
    cdef uint32_t _child(self, uint32_t node, uint8_t byte) noexcept nogil
    cdef void _link(self, uint32_t node, uint8_t byte, uint32_t child) noexcept nogil
    cdef bint _is_word(self, uint32_t c) noexcept nogil
    cdef bint _is_space(self, uint32_t c) noexcept nogil
    cdef bint _stands_alone(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                            Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t may_match(self, const uint8_t *text, Py_ssize_t n) noexcept nogil
    cdef int32_t find(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t pos,
                      Py_ssize_t *start, Py_ssize_t *end, Py_ssize_t *read) noexcept nogil
    cdef bint may_reach(self, const uint8_t *text, Py_ssize_t end) noexcept nogil
    cdef int32_t _shorter(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                          Py_ssize_t *end, const Spans *trusted, Py_ssize_t base) noexcept nogil
    cdef bint split(self, const uint8_t *text, Py_ssize_t n, Py_ssize_t begin, Spans *spans,
                    const Spans *trusted, Py_ssize_t base) noexcept nogil
