# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Stop strings in a stream of text: what can be shown, and when to stop.

The text that is held back is always the automaton's own state, the longest suffix that
begins a stop, so none of it is stored: a prefix of a stop says it all.
"""

from cpython.unicode cimport (
    PyUnicode_Check,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
    PyUnicode_Substring,
)
from libc.stdint cimport int32_t

from textcore.core.matcher cimport Matcher
from textcore.core.textbuffer cimport TextBuffer


cdef class StopStream:
    """The state of one stream; see ``textcore.StopChecker``. Not to be shared by threads."""

    cdef Matcher matcher
    cdef TextBuffer shown
    cdef int32_t state
    cdef int32_t found          # the pattern that was found, or -1
    cdef bint include_stop
    cdef bint finished

    def __cinit__(self, Matcher matcher not None, bint include_stop=False):
        self.matcher = matcher
        self.shown = TextBuffer()
        self.found = -1
        self.include_stop = include_stop

    @property
    def stopped(self):
        """The stop that was found (a str), or None so far."""
        return None if self.found < 0 else self.matcher.patterns[self.found]

    @property
    def text(self):
        """All the text (a str) that ``add`` and ``finish`` have returned, joined."""
        return self.shown.text()

    def add(self, delta):
        """Take the stream's next piece and return the text that is now certain to be shown.

        After a stop this is ``""``, whatever comes.

        Raises:
            TypeError: ``delta`` is not a str.
            ValueError: the stream was finished without a stop.
        """
        cdef Matcher matcher = self.matcher
        cdef int32_t state = self.state, before = self.state, hit = -1
        cdef Py_ssize_t size, at = 0, release, held
        cdef int kind
        cdef void* data
        if not PyUnicode_Check(delta):
            raise TypeError(f"a delta is a str, not {type(delta).__name__}")
        if self.found >= 0:
            return ""
        if self.finished:
            raise ValueError("text added to a stop checker that has been finished")
        size = PyUnicode_GET_LENGTH(delta)
        kind = <int>PyUnicode_KIND(delta)
        data = PyUnicode_DATA(delta)
        while at < size:
            state = matcher.step(state, PyUnicode_READ(kind, data, at))
            at += 1
            if state != 0 and matcher.hit[state] >= 0:
                hit = matcher.hit[state]
                break
        held = matcher.depth[before]
        release = held + at
        if hit < 0:
            release -= matcher.depth[state]
        elif not self.include_stop:
            release -= len(<str>matcher.patterns[hit])
        self.state = state
        self.found = hit
        return self.show(before, held, delta, release)

    cdef object show(self, int32_t before, Py_ssize_t held, object delta, Py_ssize_t release):
        """The first ``release`` characters of what was held in state ``before`` and ``delta``."""
        cdef object text
        if release <= 0:
            return ""
        if held == 0:
            text = PyUnicode_Substring(delta, 0, release)
        elif release <= held:
            text = PyUnicode_Substring(self.matcher.prefix(before), 0, release)
        else:
            text = self.matcher.prefix(before) + PyUnicode_Substring(delta, 0, release - held)
        self.shown.extend(text, 0, PyUnicode_GET_LENGTH(text))
        return text

    def finish(self):
        """End the stream and return what was held back; ``""`` after a stop or a second time."""
        cdef int32_t state = self.state
        if self.found >= 0 or self.finished:
            self.finished = True
            return ""
        self.finished = True
        self.state = 0
        return self.show(state, self.matcher.depth[state], "", self.matcher.depth[state])
