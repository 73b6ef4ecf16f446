from libc.stdint cimport int32_t, uint32_t

cdef class Matcher:
    cdef readonly tuple patterns
    cdef Py_ssize_t states
    # One entry a state, states in breadth-first order, so that the children of a state
    # are neighbours: first[s] .. first[s + 1] - 1, by ascending label.
    cdef int32_t* first
    cdef uint32_t* label        # the character that leads here from the parent
    cdef int32_t* parent
    cdef int32_t* depth         # how many characters of a pattern are matched
    cdef int32_t* fail          # the state of the longest proper suffix that is a prefix
    cdef int32_t* prefix_of     # a pattern that begins with this state's characters
    cdef int32_t* hit           # the longest pattern that ends here, or -1
    cdef int32_t root[256]      # the root's children for characters below 256, else 0
    cdef bint root_wide         # whether the root has children for any other character

    cdef int allocate(self, Py_ssize_t total) except -1
    cdef int build_trie(self, list order, Py_ssize_t total) except -1
    cdef void link(self) noexcept nogil
    cdef void index_root(self) noexcept nogil
    cdef int32_t child(self, int32_t state, uint32_t c) noexcept nogil
    cdef int32_t step(self, int32_t state, uint32_t c) noexcept nogil
    cdef object prefix(self, int32_t state)
