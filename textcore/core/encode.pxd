from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from .added cimport AddedMatcher
from .crew cimport Crew
from .prompts cimport Prompt, PromptCache
from .quick cimport tc_quick, tc_quick_ids
from .textencoder cimport TextEncoder
from .worker cimport Worker


cdef class Encoder(TextEncoder):
    cdef readonly Py_ssize_t cache_lines
    cdef readonly PromptCache prompts   # None: every text is encoded anew
    cdef tc_quick_ids quick             # a way for short texts; NULL: there is none
    cdef tc_quick quick_way
    cdef readonly Crew crew             # threads that help
    cdef list _idle                     # workers that no call has
    cdef PyObject *_spare               # another one, which is taken first; or NULL
    cdef Py_ssize_t shared              # ids whose ints are made once
    cdef list _ints                     # these, once one of them is needed

    cdef Worker acquire(self)
    cdef void release(self, Worker worker)
    cdef Prompt _remembered(self, Worker worker, str text, AddedMatcher first,
                            AddedMatcher second)
    cdef int _rest(self, Worker worker, Prompt prompt) except -1
    cdef int _find_quick_way(self) except -1
    cdef object quick_list(self, object text, AddedMatcher first, AddedMatcher second)
    cdef Py_ssize_t quick_count(self, object text, AddedMatcher first,
                                AddedMatcher second) except? -1
    cdef list to_list(self, str text, AddedMatcher first, AddedMatcher second)
    cdef Py_ssize_t count_ids(self, str text, AddedMatcher first,
                              AddedMatcher second) except -1
    cdef object to_array(self, str text, AddedMatcher first, AddedMatcher second)
    cdef int _run_text(self, Worker worker, str text, AddedMatcher first,
                       AddedMatcher second) except -1
    cdef list _make_ints(self)
    cdef list _list_of_prompt(self, Worker worker, Prompt prompt)
    cdef list list_of(self, const uint32_t *ids, Py_ssize_t n)
