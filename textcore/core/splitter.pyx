# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""A stream of text cut at delimiters, without the formatting that surrounds them.

What is held back is the longest suffix that begins a delimiter and, before it, the run of
formatting characters (newlines, say), which go with the delimiter if one comes.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport (
    PyUnicode_Check,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
    PyUnicode_READ_CHAR,
    PyUnicode_Substring,
)
from libc.stdint cimport int32_t, uint8_t, uint32_t

from textcore.core.matcher cimport Matcher
from textcore.core.textbuffer cimport TextBuffer


cdef class Splitter:
    """One region of a stream, up to the first of its delimiters. Not shared by threads.

    Attributes:
        hit: after ``feed``, the index of the delimiter that was found, or -1.
        position: where in the text given to ``feed`` the stream goes on: behind the
            delimiter, or the text's end.
        before: the formatting that stood before that delimiter and was not released.
    """

    cdef Matcher matcher
    cdef TextBuffer held
    cdef readonly object before
    cdef readonly Py_ssize_t position
    cdef readonly int hit
    cdef object formatting
    cdef int32_t state
    cdef Py_ssize_t lead        # formatting characters directly before the state's own
    cdef bint skipping
    cdef int32_t* run           # for each state, the formatting that its characters end with
    cdef uint8_t busy[256]      # characters that are formatting or begin a delimiter
    cdef bint busy_wide         # whether any other character is or does

    def __cinit__(self, Matcher matcher not None, str formatting not None=""):
        cdef int32_t state
        self.matcher = matcher
        self.formatting = formatting
        self.held = TextBuffer()
        self.before = ""
        self.hit = -1
        self.run = <int32_t*>PyMem_Calloc(matcher.states, sizeof(int32_t))
        if self.run == NULL:
            raise MemoryError
        for state in range(1, <int32_t>matcher.states):
            if self.is_formatting(matcher.label[state]):
                self.run[state] = self.run[matcher.parent[state]] + 1
        self.busy_wide = matcher.root_wide
        for c in range(256):
            self.busy[c] = matcher.root[c] != 0
        for character in formatting:
            if ord(character) < 256:
                self.busy[<int>ord(character)] = True
            else:
                self.busy_wide = True

    def __dealloc__(self):
        PyMem_Free(self.run)

    cdef bint is_formatting(self, uint32_t c) noexcept:
        cdef Py_ssize_t i
        for i in range(PyUnicode_GET_LENGTH(self.formatting)):
            if PyUnicode_READ_CHAR(self.formatting, i) == c:
                return True
        return False

    cdef Py_ssize_t lead_within(self, int32_t state, Py_ssize_t lead, Py_ssize_t start) noexcept:
        """The formatting that ends ``start`` characters into ``state``'s own.

        ``lead`` formatting characters stand before the state's first; ``start`` >= 1.
        """
        cdef Py_ssize_t length = self.matcher.depth[state]
        while length > start:
            state = self.matcher.parent[state]
            length -= 1
        return self.run[state] + (lead if self.run[state] == start else 0)

    cdef Py_ssize_t lead_after(self, int32_t old, Py_ssize_t lead, uint32_t c,
                               int32_t new) noexcept:
        """``lead`` once ``c`` has led from state ``old`` to ``new``."""
        cdef Py_ssize_t was = self.matcher.depth[old], now = self.matcher.depth[new]
        if now == was + 1:
            return lead
        if now:
            return self.lead_within(old, lead, was + 1 - now)
        if not self.is_formatting(c):
            return 0
        return (self.lead_within(old, lead, was) if was else lead) + 1

    @property
    def tag(self):
        """The delimiter (a str) that was found, or None."""
        return None if self.hit < 0 else self.matcher.patterns[self.hit]

    def start(self, bint skip=False):
        """Begin a region, directly behind a delimiter if ``skip``: formatting is dropped there."""
        self.held.reset()
        self.state = 0
        self.lead = 0
        self.skipping = skip

    def feed(self, text, Py_ssize_t position=0):
        """Take ``text`` from ``position``, to its end or the first delimiter's.

        Returns what is now certain to be the region's text; ``hit``, ``position`` and
        ``before`` say the rest.

        Raises:
            TypeError: ``text`` is not a str.
            ValueError: ``position`` is outside the text.
        """
        cdef Matcher matcher = self.matcher
        cdef int32_t state = self.state, new
        cdef Py_ssize_t lead = self.lead, at = position, size
        cdef uint32_t c
        cdef int kind
        cdef void* data
        if not PyUnicode_Check(text):
            raise TypeError(f"a text is a str, not {type(text).__name__}")
        size = PyUnicode_GET_LENGTH(text)
        if position < 0 or position > size:
            raise ValueError(f"position {position} is outside a text of {size} characters")
        kind = <int>PyUnicode_KIND(text)
        data = PyUnicode_DATA(text)
        self.hit = -1
        while at < size:
            c = PyUnicode_READ(kind, data, at)
            at += 1
            if state == 0 and lead == 0 and not (self.busy[c] if c < 256 else self.busy_wide):
                continue
            new = matcher.step(state, c)
            lead = self.lead_after(state, lead, c, new)
            state = new
            if state != 0 and matcher.hit[state] >= 0:
                return self.found(text, position, at, state, lead)
        self.state = state
        self.lead = lead
        self.position = size
        return self.release(text, position, size, lead + matcher.depth[state])

    cdef object release(self, object text, Py_ssize_t position, Py_ssize_t end, Py_ssize_t keep):
        """What was held and ``text[position:end]``, but for the last ``keep`` characters."""
        cdef Py_ssize_t total = self.held.length + end - position
        cdef object released
        if self.held.length == 0:
            released = PyUnicode_Substring(text, position, end - keep)
            self.held.extend(text, end - keep, end)
        else:
            self.held.extend(text, position, end)
            if keep == total:
                return ""
            released = self.held.pull(total - keep)
        return self.unformatted(released) if self.skipping else released

    cdef object unformatted(self, object released):
        """``released`` without the formatting that follows the region's opening delimiter."""
        if self.formatting:
            released = (<str>released).lstrip(self.formatting)
        if released:
            self.skipping = False
        return released

    cdef object found(self, object text, Py_ssize_t position, Py_ssize_t end, int32_t state,
                      Py_ssize_t lead):
        """End the region at the delimiter that ends at ``end``."""
        cdef Py_ssize_t size
        cdef object released
        self.hit = self.matcher.hit[state]
        size = PyUnicode_GET_LENGTH(self.matcher.patterns[self.hit])
        if size < self.matcher.depth[state]:
            lead = self.lead_within(state, lead, self.matcher.depth[state] - size)
        released = self.release(text, position, end, lead + size)
        self.before = "" if self.skipping else self.held.slice(0, lead)
        self.held.reset()
        self.position = end
        self.state = 0
        self.lead = 0
        return released

    def finish(self):
        """Return what was held back, as the stream ends here."""
        cdef object released = self.held.pull(self.held.length)
        self.state = 0
        self.lead = 0
        return self.unformatted(released) if self.skipping else released
