# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From texts to lists, arrays and counts of ids, by workers and the cache of prompts.

An encoder is immutable; what a call writes to lives in a Worker, and each call takes one of
its own. So one encoder serves any number of threads without a lock. How a text becomes ids is in
``textencoder``, how its words do in ``wordencoder``.
"""

cimport cython
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF, PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH, PyUnicode_Substring
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from .added cimport AddedMatcher, spans_in_bytes
from .arrays cimport id_array
from .charset cimport CharSet
from .crew cimport Crew
from .cuts cimport Cuts, tc_pieces_of
from .cutunits cimport tc_make_cut_of
from .model cimport NONE, WordModel, scratch_prepare
from .piecerules cimport PieceRules
from .prompts cimport Prompt, PromptCache, TURNS
from .quick cimport TC_QUICK, tc_has_utf8, tc_quick, tc_quick_of, tc_quick_tables
from .scanner cimport Automaton
from .textencoder cimport TextEncoder, is_control, utf8_of
from .units cimport tc_passes_of
from .windows cimport ENDS_ROOM, WindowScanner
from .words cimport IDS_LIMIT, KEY_LIMIT
from .worker cimport MAX_LEVELS, Worker
from .written cimport Ranges

from .windows import levels

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_COMPACT_ASCII(str text) noexcept
    void *PyUnicode_DATA(str text) noexcept

cdef extern from "lists.h":
    list tc_list_making(list shared, const uint32_t *ids, Py_ssize_t n)
    object tc_short_list(list shared, const uint32_t *ids, Py_ssize_t n)

cdef extern from "spare.h":
    PyObject *tc_exchange(PyObject **place, PyObject *value) noexcept
    void tc_drop(PyObject *value) noexcept
    PyObject *tc_borrow(PyObject **place) noexcept
    PyObject *tc_give_back(PyObject **place, PyObject *value) noexcept

cdef extern from "stretches.h" nogil:
    enum: TC_LONG_STRETCH

cdef enum:
    # Words longer than this are cached by their pieces between cuts, where there are cuts: if they
    # have characters of three bytes or are too long for a key.
    CUT_FROM = 15
    # A text at least so long is worth giving up the GIL for.
    RELEASE_FROM = 2048


cdef inline Py_ssize_t _quick_ids(Encoder self, object text, AddedMatcher first,
                                  AddedMatcher second, uint32_t *ids) except? -1:
    """The ids of a short text, if nothing about the text is rare: how many; else -1.

    Nothing is set up that would have to be put away. Up to TC_QUICK ids, and IDS_LIMIT more.
    """
    cdef PyObject *spare
    cdef const uint8_t *data
    cdef Py_ssize_t n, count
    if self.quick == NULL or type(text) is not str or self._ints is None:
        return -1
    if self.direct is not None and second is not None:
        return -1
    if PyUnicode_IS_COMPACT_ASCII(<str>text):
        data = <const uint8_t *>PyUnicode_DATA(<str>text)
        n = PyUnicode_GET_LENGTH(<str>text)
    elif self.quick_way.tables != NULL or not tc_has_utf8(text):
        return -1
    else:
        data = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &n)
    if <size_t>(n - 1) >= TC_QUICK:
        return -1
    spare = tc_borrow(&self._spare)
    if spare == NULL:
        return -1
    count = self.quick(
        &self.quick_way, &first.firsts if first is not None else NULL,
        &second.firsts if second is not None else NULL,
        (<Worker>spare).cache.lines, (<Worker>spare).cache.mask, data, n, ids)
    spare = tc_give_back(&self._spare, spare)
    if spare != NULL:
        self._idle.append(<Worker>spare)
        tc_drop(spare)
    return count


cdef class Encoder(TextEncoder):
    """From text to ids.

    Parameters
    ----------
    model : WordModel
    cuts : Cuts or None
        Where long words may be cut; None where the model allows none.
    automata : tuple of Automaton
        Splits applied in turn, each piece and each gap a piece of the next (behaviour
        Isolated); at most 8. Ignored where ``pre_split`` is given.
    windows : tuple of (WindowScanner or None)
        For each automaton a faster way to the same cuts, where there is one.
    form : int
        The Unicode form (of ``textcore.core.normalize``) that ``normalize`` gives, so that a
        scan can prove it needless; -1 where it does anything else.
    normalize : callable (str) -> str, or None
    pre_split : callable (list of (str, bool)) -> list of (str, bool), or None
        A pre-tokenizer that is no sequence of automata.
    cache_lines : int
        The bound of each word cache: lines of 64 bytes, a power of two. It begins with fewer.
    max_id : int
        The largest id that can come out.
    opening : WordModel or None
        The model of a word at the very start of the text, where that is another.
    drop : CharSet or None
        Pieces that begin with one of these characters are left out: what a split removes.
    level : int
        Which version of the passes over words runs: one of ``textcore.core.windows.levels()``.
    rules : PieceRules or None
        What ``normalize`` does, compiled.
    prompts : PromptCache or None
        Remembers long texts with added tokens.
    direct : TextEncoder or None
        Does what ``normalize`` and the model do to a text between added tokens, the text not
        being normalized first.
    """

    def __init__(self, WordModel model not None, Cuts cuts, tuple automata not None,
                 tuple windows not None, int form,
                 normalize, pre_split, Py_ssize_t cache_lines, Py_ssize_t max_id,
                 WordModel opening=None, CharSet drop=None, int level=0,
                 PieceRules rules=None, PromptCache prompts=None, TextEncoder direct=None):
        cdef int i
        if level not in levels():
            raise ValueError(f"level {level} can't run here; it is one of {levels()}")
        self.passes = tc_passes_of(level)
        self.find_pieces = tc_pieces_of(level)
        self.make_cut = NULL if cuts is None else tc_make_cut_of(level)
        self.level = level
        if len(automata) > MAX_LEVELS:
            raise ValueError(f"at most {MAX_LEVELS} splits in turn, not {len(automata)}")
        if len(windows) != len(automata):
            raise ValueError("there are not as many windows as automata")
        for automaton, scanner in zip(automata, windows):
            if not isinstance(automaton, Automaton):
                raise TypeError("automata must be Automaton objects")
            if scanner is not None and (<WindowScanner?>scanner).automaton is not automaton:
                raise ValueError("windows are of another automaton")
        if model.streams and (automata or pre_split is not None):
            raise ValueError("a model of whole texts takes no words")
        self.model = model
        self.opening = opening
        self.drop = drop
        for i in range(128):
            self.drop_ascii[i] = drop is not None and drop.has(i)
        self.cuts = cuts
        self.automata = automata
        self.windows = windows
        self.levels = <int>len(automata)
        for i in range(self.levels):
            self.splits[i] = <void *>automata[i]
            self.scanners[i] = NULL if windows[i] is None else <void *>windows[i]
        # Words are not told apart afterwards, so the whole text has to be one.
        self.fused = NONE
        if cuts is not None and cuts is model.fusing:
            if automata or pre_split is not None:
                raise ValueError("cuts that need fusing are for texts that are not split")
            self.fused = model.ids[model.unk]
        self.whole_limit = KEY_LIMIT if cuts is None else CUT_FROM
        self.form = form
        self.normalize = normalize
        self.rules = rules
        self.pre_split = pre_split
        self.cache_lines = cache_lines
        self.prompts = prompts
        self.direct = direct
        self.plain = (0 < self.levels and pre_split is None and drop is None and opening is None
                      and direct is None and (normalize is None or form >= 0))
        self._idle = []
        self.crew = Crew()
        # Ids that are far apart are made as they come.
        self.shared = max_id + 1 if max_id <= 4 * model.size + 65536 else 0
        self.always_cut = self._is_cut()
        self._find_quick_way()

    def __dealloc__(self):
        tc_drop(self._spare)
        free(self.quick_way.memory)

    cdef int _find_quick_way(self) except -1:
        """The way for short texts, if such an encoder has one."""
        cdef WindowScanner scanner
        cdef TextEncoder cutting
        free(self.quick_way.memory)
        memset(&self.quick_way, 0, sizeof(tc_quick))
        self.quick = NULL
        if self.shared == 0 or (self.prompts is not None and self.prompts.shortest <= TC_QUICK):
            return 0
        if self.plain and self.levels == 1 and self.windows[0] is not None:
            scanner = self.windows[0]
            if self.model.fan_out > 1 or scanner.level != self.level:
                return 0
            if not tc_quick_tables(&self.quick_way, &scanner.tables):
                raise MemoryError()
        elif self.always_cut or (self.direct is not None and self.direct.always_cut
                                 and self.direct.level == self.level):
            cutting = self if self.always_cut else self.direct
            self.quick_way.cuts = &cutting.cuts.cuts
            self.quick_way.opening = cutting.opening is not None
        else:
            return 0
        self.quick = tc_quick_of(&self.passes, self.level)
        return 0

    def _is_cut(self):
        """Whether cutting a text into pieces is all that comes before the model."""
        return (self.cuts is not None and self.fused == NONE and self.levels == 0
                and self.pre_split is None and self.normalize is None and self.direct is None
                and self.drop is None and not self.model.streams and not self.model.exceptions
                and (self.opening is None or not self.opening.exceptions))

    # ------------------------------------------------------------ workers

    cdef Worker acquire(self):
        """A worker for one call: the spare one, else an idle one, else a new one."""
        cdef PyObject *spare = tc_exchange(&self._spare, NULL)
        cdef Worker worker
        if spare != NULL:
            worker = <Worker>spare
            tc_drop(spare)  # the reference that the place held
            return worker
        try:
            return <Worker>self._idle.pop()
        except IndexError:
            worker = Worker(self.cache_lines)
            return worker

    def get_ready(self):
        """Make the first worker now: fresh memory takes longer than most texts do.

        Tables that were made some time ago are read once, so that the first texts find them in
        the processor's caches.
        """
        cdef Worker worker = Worker(self.cache_lines)
        # And a bit more, which splitting a word leaves room for.
        scratch_prepare(&worker.scratch, TC_LONG_STRETCH + 64)
        self.release(worker)
        if self.shared:
            self._make_ints()
        self.model.touch()

    cdef void release(self, Worker worker):
        """Take a worker back: the spare one from now on, which the next call gets fastest."""
        cdef PyObject *before
        worker.shrink()
        Py_INCREF(worker)
        before = tc_exchange(&self._spare, <PyObject *>worker)
        if before != NULL:
            self._idle.append(<Worker>before)
            tc_drop(before)

    # ------------------------------------------------------------ results

    cdef list _make_ints(self):
        """Places for every id as an int; set by one thread, and never again.

        An int is put there when a list needs it, and is shared by all lists from then on.
        """
        with cython.critical_section(self):
            if self._ints is None:
                self._ints = [None] * self.shared
        return self._ints

    cdef list list_of(self, const uint32_t *ids, Py_ssize_t n):
        cdef list ints = self._ints
        cdef list out
        cdef Py_ssize_t i
        cdef object value
        if self.shared:
            return tc_list_making(ints if ints is not None else self._make_ints(), ids, n)
        out = PyList_New(n)
        for i in range(n):
            value = ids[i]
            Py_INCREF(value)
            PyList_SET_ITEM(out, i, value)
        return out

    def encode(self, str text not None, AddedMatcher first, AddedMatcher second):
        """Ids of a text as a list of int.

        ``first`` finds added tokens in the text as it is, ``second`` in normalized text.
        Raises UnicodeEncodeError for a lone surrogate.
        """
        return self.to_list(text, first, second)

    cdef object quick_list(self, object text, AddedMatcher first, AddedMatcher second):
        """What ``to_list`` gives, of a short text of which nothing is rare; else None."""
        cdef uint32_t ids[TC_QUICK + IDS_LIMIT]
        cdef Py_ssize_t count = _quick_ids(self, text, first, second, ids)
        return tc_short_list(self._ints, ids, count) if count >= 0 else None

    cdef Py_ssize_t quick_count(self, object text, AddedMatcher first,
                                AddedMatcher second) except? -1:
        """How many ids a text has, if it is such a text; else -1."""
        cdef uint32_t ids[TC_QUICK + IDS_LIMIT]
        return _quick_ids(self, text, first, second, ids)

    @property
    def has_quick_way(self):
        """Whether some short texts are encoded in one step."""
        return self.quick != NULL

    def encode_at_once(self, str text not None, AddedMatcher first, AddedMatcher second):
        """The ids of a text, where they are found in one step; else None (for tests)."""
        return self.quick_list(text, first, second)

    cdef list to_list(self, str text, AddedMatcher first, AddedMatcher second):
        cdef Worker worker = self.acquire()
        cdef Prompt prompt
        try:
            prompt = self._remembered(worker, text, first, second)
            if prompt is None:
                return self.list_of(worker.out, worker.count)
            ids = self._list_of_prompt(worker, prompt)
            self.prompts.keep(prompt)
            return ids
        finally:
            self.release(worker)

    def encode_guarded(self, str text not None, AddedMatcher first, AddedMatcher second,
                       Ranges trusted not None, bytes control not None, uint32_t least):
        """Ids of a text in which control tokens count only in ``trusted`` ranges.

        Where the text may be normalized, ``second`` may have no control tokens: the ranges
        are about the text as it is. ``control`` has a byte for each id from ``least``, 1 for
        that of a control token. None is returned where such an id came out of ordinary text.
        """
        cdef Py_ssize_t n, i, found = 0
        cdef const uint8_t *data = utf8_of(text, &n)
        cdef Worker worker = self.acquire()
        try:
            spans_in_bytes(data, n, len(text), trusted, &worker.trusted)
            worker.base = data
            worker.guarded = 1
            worker.control = control
            worker.control_size = len(control)
            worker.control_base = least
            worker.found = 0
            with nogil:
                self.run(worker, data, n, first, second, 0)
                for i in range(worker.count):
                    found += is_control(worker, worker.out[i])
            if found != worker.found:
                return None
            return self.list_of(worker.out, worker.count)
        finally:
            self.release(worker)

    def count(self, str text not None, AddedMatcher first, AddedMatcher second):
        """How many ids a text has."""
        return self.count_ids(text, first, second)

    cdef Py_ssize_t count_ids(self, str text, AddedMatcher first,
                              AddedMatcher second) except -1:
        cdef Worker worker = self.acquire()
        cdef Prompt prompt
        cdef Py_ssize_t count
        try:
            prompt = self._remembered(worker, text, first, second)
            if prompt is None:
                return worker.count
            count = prompt.count
            self.prompts.keep(prompt)
            return count
        finally:
            self.release(worker)

    cdef object to_array(self, str text, AddedMatcher first, AddedMatcher second):
        cdef Worker worker = self.acquire()
        cdef Prompt prompt
        try:
            prompt = self._remembered(worker, text, first, second)
            if prompt is None:
                return id_array(worker.out, worker.count)
            ids = id_array(prompt.ids, prompt.count)
            self.prompts.keep(prompt)
            return ids
        finally:
            self.release(worker)

    cdef Prompt _remembered(self, Worker worker, str text, AddedMatcher first,
                            AddedMatcher second):
        """Encode a text, what is new of it if there is a prompt cache.

        None where all ids are the worker's. Otherwise the text and its ids, to be given to
        the cache once they have been used.
        """
        cdef Prompt prompt
        if (self.prompts is None or PyUnicode_GET_LENGTH(text) < self.prompts.shortest
                or (first is None and second is None)):
            self._run_text(worker, text, first, second)
            return None
        prompt = self.prompts.take(text, first, second)
        self._rest(worker, prompt)
        return prompt if prompt.count else None

    cdef list _list_of_prompt(self, Worker worker, Prompt prompt):
        """All ids of a text as a list of int."""
        cdef list ints = self._ints, ids = None
        if self.shared:
            if ints is None:
                ints = self._make_ints()
            ids = prompt.list_of_ids(ints, worker.reserve_places(self.shared))
        return ids if ids is not None else self.list_of(prompt.ids, prompt.count)

    cdef int _rest(self, Worker worker, Prompt prompt) except -1:
        """Encode what has no ids yet, and add those if the text is worth remembering.

        One character before it is looked at, too: an added token may need to stand alone.
        """
        cdef Py_ssize_t n, begin = 0, length = PyUnicode_GET_LENGTH(prompt.text)
        cdef const uint8_t *data
        cdef str rest = prompt.text
        if prompt.start == length:
            return 0
        if prompt.start:
            rest = PyUnicode_Substring(prompt.text, prompt.start - 1, length)
        try:
            data = utf8_of(rest, &n)
        except UnicodeEncodeError:
            # With its place in the whole text.
            utf8_of(prompt.text, &n)
            raise
        if prompt.start:
            begin = 1
            while begin < n and (data[begin] & 0xC0) == 0x80:
                begin += 1
        worker.marking = 1
        worker.marks.spacing = prompt.marks.spacing
        worker.base = data
        worker.size = n
        worker.outer = prompt.first
        worker.marking_inner = (
            self.normalize is None and prompt.second is not None
            and not prompt.second.has_single_word
            and (prompt.first is None
                 or not (prompt.first.has_single_word or prompt.first.has_lstrip)))
        if n < RELEASE_FROM:
            self.run(worker, data, n, prompt.first, prompt.second, begin)
        else:
            with nogil:
                self.run(worker, data, n, prompt.first, prompt.second, begin)
        if prompt.start or worker.marks.found >= TURNS:
            prompt.add_marks(&worker.marks, data, n, begin)
            prompt.add_ids(worker.out, worker.count)
        return 0

    cdef int _run_text(self, Worker worker, str text, AddedMatcher first,
                       AddedMatcher second) except -1:
        cdef Py_ssize_t n
        cdef const uint8_t *data = utf8_of(text, &n)
        if n < RELEASE_FROM:
            return self.run_any(worker, data, n, first, second)
        with nogil:
            self.run(worker, data, n, first, second, 0)
        return 0

    def encode_words(self, list words not None):
        """Ids of words that are already split, one after the other, as a list of int."""
        cdef Worker worker = self.acquire()
        cdef Py_ssize_t n
        cdef const uint8_t *data
        try:
            for word in words:
                data = utf8_of(word, &n)
                if not worker.reserve(n * self.model.fan_out):
                    raise MemoryError()
                self._words(worker, data, n, 0)
            return self.list_of(worker.out, worker.count)
        finally:
            self.release(worker)

    def split(self, str text not None):
        """The words that the automata make of a text (for tests and for explaining)."""
        cdef Worker worker = self.acquire()
        cdef Py_ssize_t *ends = worker.words.ends
        cdef Py_ssize_t n, i, count, start = 0
        cdef const uint8_t *data = utf8_of(text, &n)
        words = []
        try:
            if self.levels == 0:
                return [text] if text else []
            self._start(worker, n)
            while start < n:
                count = self._fill(worker, data, self.levels - 1, ends, ENDS_ROOM)
                for i in range(count):
                    if self._drops(data + start):
                        start = ends[i]
                        continue
                    words.append(PyUnicode_DecodeUTF8(<const char *>data + start,
                                                      ends[i] - start, NULL))
                    start = ends[i]
            return words
        finally:
            self.release(worker)
