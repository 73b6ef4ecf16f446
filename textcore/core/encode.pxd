from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from .added cimport AddedMatcher
from .charset cimport CharSet
from .crew cimport Crew
from .cuts cimport Cuts, tc_find_pieces
from .cutunits cimport tc_make_cut_units
from .model cimport WordModel
from .piecerules cimport PieceRules
from .prompts cimport Prompt, PromptCache
from .quick cimport tc_quick, tc_quick_ids
from .scanner cimport Automaton
from .units cimport tc_passes
from .worker cimport MAX_LEVELS, Worker


# A string's UTF-8, kept by the string itself. Raises UnicodeEncodeError.
cdef const uint8_t *utf8_of(str text, Py_ssize_t *n) except NULL


cdef class Encoder:
    cdef readonly WordModel model
    cdef readonly WordModel opening     # for a word at the start of the text; None: `model`
    cdef readonly CharSet drop          # words that begin so are none; None: there are none
    cdef readonly Cuts cuts
    cdef readonly tuple automata
    cdef readonly tuple windows             # in place of automata, or None
    cdef readonly object normalize
    cdef readonly PieceRules rules          # the same, compiled; None: `normalize`
    cdef readonly object pre_split
    cdef readonly Py_ssize_t cache_lines
    cdef tc_passes passes
    cdef tc_find_pieces find_pieces         # of the same version
    cdef tc_make_cut_units make_cut         # NULL: long words leave the loop over words
    cdef int level                          # which version of the passes that is
    cdef int form
    cdef int levels
    cdef void *splits[MAX_LEVELS]       # borrowed from `automata`
    cdef void *scanners[MAX_LEVELS]     # borrowed from `windows`; NULL for none
    cdef bint drop_ascii[128]
    cdef uint32_t fused                 # neighbours with this id are one; NONE: there is none
    cdef Py_ssize_t whole_limit         # longer words are cut first
    cdef readonly PromptCache prompts   # None: every text is encoded anew
    cdef readonly Encoder direct        # for text that need not be normalized first, or None
    cdef bint plain                     # splits are all that comes before the model
    cdef bint always_cut                # texts are, however short they are
    cdef tc_quick_ids quick             # a way for short texts; NULL: there is none
    cdef tc_quick quick_way
    cdef readonly Crew crew             # threads that help
    cdef list _idle                     # workers that no call has
    cdef PyObject *_spare               # another one, which is taken first; or NULL
    cdef Py_ssize_t shared              # ids whose ints are made once
    cdef list _ints                     # these, once one of them is needed

    cdef Worker acquire(self)
    cdef void release(self, Worker worker)
    cdef int run_any(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                     AddedMatcher first, AddedMatcher second) except -1 nogil
    cdef int _run_short(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                        AddedMatcher first, AddedMatcher second) except -1 nogil
    cdef int run(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                 AddedMatcher first, AddedMatcher second, Py_ssize_t begin) except -1 nogil
    cdef int _mark(self, Worker worker, Py_ssize_t at, Py_ssize_t read) except -1 nogil
    cdef int _mark_inner(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         Py_ssize_t at, Py_ssize_t read) except -1 nogil
    cdef int _added(self, Worker worker, uint32_t token) except -1 nogil
    cdef int _ordinary(self, Worker worker, const uint8_t *text, Py_ssize_t n, bint at_start,
                       AddedMatcher second) except -1 nogil
    cdef int _python_normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint at_start, AddedMatcher second) except -1
    cdef int _normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         bint at_start, AddedMatcher second) except -1 nogil
    cdef int _piece(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint at_start) except -1 nogil
    cdef int _python_pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            bint at_start) except -1
    cdef void _start(self, Worker worker, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _fill(self, Worker worker, const uint8_t *text, int level,
                          Py_ssize_t *ends, Py_ssize_t room) noexcept nogil
    cdef Py_ssize_t _next_units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint split) noexcept nogil
    cdef Py_ssize_t _units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                           Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t _other_word(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                Py_ssize_t count, bint dropping) noexcept nogil
    cdef Py_ssize_t _pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t count) noexcept nogil
    cdef void _keys(self, Worker worker, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                    Py_ssize_t count, Py_ssize_t more) noexcept nogil
    cdef int _words(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint split) except -1 nogil
    cdef Py_ssize_t _stretch(self, Worker worker, const uint8_t *text, Py_ssize_t start,
                             Py_ssize_t *unit, Py_ssize_t count) except -1 nogil
    cdef void _learn(self, Worker worker, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef void _fuse(self, Worker worker, Py_ssize_t first) noexcept nogil
    cdef int _stream(self, Worker worker, const uint8_t *text, Py_ssize_t n) except -1 nogil
    cdef int _miss(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   Py_ssize_t unit) except -1 nogil
    cdef Py_ssize_t _merge_out(self, Worker worker, WordModel model, const uint8_t *word,
                               Py_ssize_t n, bint whole) except -1 nogil
    cdef bint _drops(self, const uint8_t *word) noexcept nogil
    cdef Py_ssize_t _first_word(self, Worker worker, const uint8_t *text,
                                Py_ssize_t n) except -1 nogil
    cdef int _open(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   bint whole) except -1 nogil
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
