# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The hot loop: text to ids, through added tokens, normalizer, split, cache and model.

Everything here runs without the GIL but for the two places where Python decides: a text
that a normalizer really changes, and a pre-tokenizer that is no sequence of automata.

An encoder is immutable; what a call writes to lives in a Worker, and each call takes one of
its own. So one encoder serves any number of threads without a lock.
"""

cimport cython
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF, PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH, PyUnicode_Substring
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from .added cimport AddedMatcher, Spans, spans_in_bytes
from .arrays cimport id_array
from .charset cimport CharSet
from .codepoint cimport code_point
from .crew cimport Crew
from .cuts cimport Cuts, tc_pieces_of
from .cutunits cimport tc_make_cut_of
from .longwords cimport LONG_BYTES, LongWord, ids_of
from .model cimport NO_UNK, NONE, WordModel, scratch_prepare
from .normalize cimport clean_prefix
from .piecerules cimport PieceRules
from .prompts cimport Prompt, PromptCache, TURNS, marks_push
from .quick cimport TC_QUICK, tc_has_utf8, tc_quick, tc_quick_of, tc_quick_tables
from .scanner cimport Automaton
from .units cimport tc_batch, tc_no_key, tc_passes_of
from .windows cimport ENDS_ROOM, SCAN_ROOM, WindowScanner
from .words cimport (
    IDS_LIMIT, KEY_LIMIT, tc_find_line, tc_key, tc_line, tc_line_count, tc_store_line,
)
from .worker cimport (
    BATCH, Level, MAX_LEVELS, TC_DROPPED, TC_LAST_PIECE, TC_PIECE, TC_WHOLE, Words, Worker, tc_met,
)
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
    Py_ssize_t tc_stretch_end(const tc_batch *batch, const uint8_t *kinds, Py_ssize_t first,
                              Py_ssize_t to, Py_ssize_t start)
    bint tc_stretch_is_new(tc_met *met, const tc_batch *batch, const uint16_t *units,
                           Py_ssize_t count, const uint8_t *text, Py_ssize_t first, Py_ssize_t to,
                           Py_ssize_t start)

cdef enum:
    # Words longer than this are cached by their pieces between cuts, where there are cuts: if they
    # have characters of three bytes or are too long for a key.
    CUT_FROM = 15
    # In a piece of fewer bytes, the automaton is faster than a look through windows.
    WIDE_FROM = 48
    # The words of a text of so many bytes fit one batch, whatever they are.
    SHORT = 128
    # With so many new words in a batch, the rest of it, and the next, are asked for new ones.
    LEARN_FROM = 3
    # A text at least so long is worth giving up the GIL for.
    RELEASE_FROM = 2048


cdef inline bint _is_control(Worker worker, uint32_t token) noexcept nogil:
    token -= worker.control_base
    return token < <size_t>worker.control_size and worker.control[token]


cdef const uint8_t *utf8_of(str text, Py_ssize_t *n) except NULL:
    """A string's UTF-8, kept by the string itself. Raises UnicodeEncodeError."""
    if PyUnicode_IS_COMPACT_ASCII(text):
        n[0] = PyUnicode_GET_LENGTH(text)
        return <const uint8_t *>PyUnicode_DATA(text)
    return <const uint8_t *>PyUnicode_AsUTF8AndSize(text, n)


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


cdef class Encoder:
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
    direct : Encoder or None
        Does what ``normalize`` and the model do to a text between added tokens, the text not
        being normalized first.
    """

    def __init__(self, WordModel model not None, Cuts cuts, tuple automata not None,
                 tuple windows not None, int form,
                 normalize, pre_split, Py_ssize_t cache_lines, Py_ssize_t max_id,
                 WordModel opening=None, CharSet drop=None, int level=0,
                 PieceRules rules=None, PromptCache prompts=None, Encoder direct=None):
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
        cdef Encoder cutting
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

    # ------------------------------------------------------------ a text

    cdef int run_any(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                     AddedMatcher first, AddedMatcher second) except -1 nogil:
        """Add a text's ids, the fastest way there is for it."""
        if not self._run_short(worker, text, n, first, second):
            self.run(worker, text, n, first, second, 0)
        return 0

    cdef int _run_short(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                        AddedMatcher first, AddedMatcher second) except -1 nogil:
        """Encode a short text as one batch of words; 0, and nothing done, where it is not so.

        It may have no added token and nothing to normalize. It gives what ``run`` gives, which
        is made for texts of any size and kind.
        """
        cdef Py_ssize_t count, i = 0, start
        cdef Py_ssize_t *ends = worker.words.ends
        cdef uint32_t *out
        if n == 0 or n > SHORT or not self.plain or worker.cache.crowded():
            return 0
        if ((first is not None and first.may_match(text, n) != n)
                or (second is not None and second.may_match(text, n) != n)
                or (self.normalize is not None
                    and clean_prefix(self.form, text, n, self.level) != n)):
            return 0
        if not worker.reserve(n * self.model.fan_out):
            with gil:
                raise MemoryError()
        if self.levels > 1 or (self.scanners[0] != NULL and n >= WIDE_FROM):
            self._start(worker, n)
            count = self._fill(worker, text, self.levels - 1, ends, ENDS_ROOM)
        else:
            count = (<Automaton>self.splits[0]).scan(text, n, 0, ends, ENDS_ROOM)
        if ends[count - 1] != n:
            return 0
        memset(worker.kinds, TC_WHOLE, count)
        if self.passes.make(&worker.batch, 0, text, n, 0, ends, count, self.whole_limit,
                            worker.cache.lines, worker.cache.mask) != count:
            # Some word is long, and may be cut.
            worker.words.pos = worker.words.end = worker.words.next = 0
            worker.words.have = count
            count = self._next_units(worker, text, n, 1)
        while True:
            out = worker.out + worker.count
            i = self.passes.take(&worker.batch, i, count, worker.cache.lines,
                                 worker.cache.mask, &out)
            worker.count = out - worker.out
            if i == count:
                return 1
            start = worker.batch.ends[i - 1] if i else 0
            self._miss(worker, text + start, worker.batch.ends[i] - start, i)
            i += 1

    cdef int run(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                 AddedMatcher first, AddedMatcher second, Py_ssize_t begin) except -1 nogil:
        """Add a text's ids from ``begin`` on (0, or where an added token ends)."""
        cdef Py_ssize_t i
        cdef int64_t token
        if n == 0:
            return 0
        if first is None or first.may_match(text, n) == n:
            worker.read = n + 1
            return self._ordinary(worker, text + begin, n - begin, begin == 0, second)
        worker.spans.count = 0
        if not first.split(text, n, begin, &worker.spans,
                           &worker.trusted if worker.guarded else NULL, 0):
            with gil:
                raise MemoryError()
        for i in range(worker.spans.count):
            token = worker.spans.items[i].id
            if token < 0:
                if i + 1 < worker.spans.count:
                    worker.read = worker.spans.items[i + 1].read
                else:
                    worker.read = n + 1
                self._ordinary(worker, text + worker.spans.items[i].start,
                               worker.spans.items[i].end - worker.spans.items[i].start,
                               worker.spans.items[i].start == 0, second)
                continue
            self._added(worker, <uint32_t>token)
            if worker.marking:
                self._mark(worker, worker.spans.items[i].end, worker.spans.items[i].read)
        return 0

    cdef int _mark(self, Worker worker, Py_ssize_t at, Py_ssize_t read) except -1 nogil:
        """Note that the text encodes by itself from a place on, unless ``read`` is 0."""
        worker.marks.found += 1
        if read and not marks_push(&worker.marks, at, read, worker.count):
            with gil:
                raise MemoryError()
        return 0

    cdef int _mark_inner(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         Py_ssize_t at, Py_ssize_t read) except -1 nogil:
        """Note the same of a token in a piece of the text."""
        cdef Py_ssize_t before = text - worker.base
        at += before
        if read > n:
            # Where the piece ends was decided by what follows it.
            read = worker.read
        elif read:
            read += before
            if worker.outer is not None and worker.outer.may_reach(worker.base, at):
                read = max(read, min(at + worker.outer.longest, worker.size + 1))
        return self._mark(worker, at, read)

    cdef int _added(self, Worker worker, uint32_t token) except -1 nogil:
        """Add the id of an added token that was found."""
        if not worker.reserve(1):
            with gil:
                raise MemoryError()
        worker.out[worker.count] = token
        worker.count += 1
        worker.found += worker.guarded and _is_control(worker, token)
        return 0

    cdef int _ordinary(self, Worker worker, const uint8_t *text, Py_ssize_t n, bint at_start,
                       AddedMatcher second) except -1 nogil:
        """Text between added tokens: normalize it, if it needs it."""
        cdef Py_ssize_t size, clean
        if self.direct is not None and second is None:
            return self.direct._piece(worker, text, n, 1)
        if self.normalize is None:
            return self._normalized(worker, text, n, at_start, second)
        if self.form >= 0:
            clean = clean_prefix(self.form, text, n, self.level)
            if clean == n:
                return self._normalized(worker, text, n, at_start, second)
            size = worker.formed.run(self.form, text, n, clean)
            if size < 0:
                with gil:
                    raise MemoryError()
            return self._normalized(worker, worker.formed.data, size, at_start, second)
        if self.rules is not None:
            size = self.rules.run(text, n, &worker.made)
            if size < 0:
                with gil:
                    raise MemoryError()
            return self._normalized(worker, worker.made.data, size, at_start, second)
        with gil:
            return self._python_normalized(worker, text, n, at_start, second)

    cdef int _python_normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint at_start, AddedMatcher second) except -1:
        """The same, normalized by Python.

        A function of its own: one with objects of its own takes the interpreter's lock whenever
        it returns, to let them go, and threads would wait for each other with every text.
        """
        cdef Py_ssize_t size
        cdef const uint8_t *data
        result = self.normalize(PyUnicode_DecodeUTF8(<const char *>text, n, NULL))
        data = utf8_of(result, &size)
        with nogil:
            self._normalized(worker, data, size, at_start, second)
        return 0

    cdef int _normalized(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                         bint at_start, AddedMatcher second) except -1 nogil:
        """Normalized text: find the added tokens that are looked for in it."""
        cdef Py_ssize_t i
        cdef int64_t token
        if n == 0:
            return 0
        if second is None or second.may_match(text, n) == n:
            return self._piece(worker, text, n, at_start)
        worker.inner.count = 0
        if not second.split(text, n, 0, &worker.inner,
                            &worker.trusted if worker.guarded else NULL, text - worker.base):
            with gil:
                raise MemoryError()
        for i in range(worker.inner.count):
            token = worker.inner.items[i].id
            if token < 0:
                self._piece(worker, text + worker.inner.items[i].start,
                            worker.inner.items[i].end - worker.inner.items[i].start,
                            at_start and worker.inner.items[i].start == 0)
                continue
            self._added(worker, <uint32_t>token)
            if worker.marking_inner:
                self._mark_inner(worker, text, n, worker.inner.items[i].end,
                                 worker.inner.items[i].read)
        return 0

    cdef int _piece(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint at_start) except -1 nogil:
        """Ordinary text: split it into words and encode each."""
        if self.pre_split is not None:
            with gil:
                return self._python_pieces(worker, text, n, at_start)
        cdef Py_ssize_t first
        if not worker.reserve(n * self.model.fan_out):
            with gil:
                raise MemoryError()
        if at_start and self.opening is not None:
            first = self._first_word(worker, text, n)
            text += first
            n -= first
        return self._words(worker, text, n, self.levels > 0)

    cdef int _python_pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            bint at_start) except -1:
        cdef Py_ssize_t size
        cdef const uint8_t *data
        piece = PyUnicode_DecodeUTF8(<const char *>text, n, NULL)
        for word, _ in self.pre_split([(piece, at_start)]):
            data = utf8_of(word, &size)
            if not worker.reserve(size * self.model.fan_out):
                raise MemoryError()
            with nogil:
                self._words(worker, data, size, 0)
        return 0

    # ------------------------------------------------------------ words

    cdef bint _drops(self, const uint8_t *word) noexcept nogil:
        """Whether a piece, not empty, is left out."""
        cdef int width
        if word[0] < 0x80:
            return self.drop_ascii[word[0]]
        return self.drop is not None and self.drop.has(code_point(word, &width))

    cdef Py_ssize_t _first_word(self, Worker worker, const uint8_t *text,
                                Py_ssize_t n) except -1 nogil:
        """Encode the first word, or its first piece, with the model for it; its length."""
        cdef Py_ssize_t end = n
        cdef bint is_split = self.levels > 0
        if is_split:
            self._start(worker, n)
            self._fill(worker, text, self.levels - 1, worker.words.ends, ENDS_ROOM)
            end = worker.words.ends[0]
        elif self.cuts is not None and not self.model.exceptions:
            # A text that is not split: what is put before it reaches no further than a cut.
            end = self.cuts.next(text, n, 0)
        self._open(worker, text, end, is_split or end == n)
        return end

    cdef int _open(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   bint whole) except -1 nogil:
        """Encode the first word of a text, from the cache where that has it.

        There it begins with a byte that no text has: as a first word it may be others than it
        is inside.
        """
        cdef tc_key key
        cdef const tc_line *line
        cdef uint64_t hashed
        cdef Py_ssize_t count
        if n >= KEY_LIMIT or self.opening.exceptions:
            self._merge_out(worker, self.opening, word, n, whole)
            return 0
        memset(&key, 0, sizeof(key))
        (<uint8_t *>&key)[0] = 0xFF
        memcpy(<uint8_t *>&key + 1, word, n)
        (<uint8_t *>&key)[KEY_LIMIT] = <uint8_t>(n + 1)
        hashed = self.passes.hash(&key)
        line = tc_find_line(worker.cache.lines, worker.cache.mask, hashed, &key)
        if line != NULL:
            count = tc_line_count(line)
            memcpy(worker.out + worker.count, line.ids, count * sizeof(uint32_t))
            worker.count += count
            return 0
        count = self._merge_out(worker, self.opening, word, n, whole)
        if 1 <= count <= IDS_LIMIT:
            worker.cache.used += tc_store_line(
                worker.cache.lines, worker.cache.mask, hashed, &key,
                worker.out + worker.count - count, count)
        return 0

    cdef void _start(self, Worker worker, Py_ssize_t n) noexcept nogil:
        """Set the splits to the start of a text of ``n`` bytes."""
        memset(worker.levels, 0, self.levels * sizeof(Level))
        worker.levels[0].end = n

    cdef Py_ssize_t _fill(self, Worker worker, const uint8_t *text, int level,
                          Py_ssize_t *ends, Py_ssize_t room) noexcept nogil:
        """The ends of the next pieces that the splits up to ``level`` make: how many.

        0 when the text is used up. Each split sees a piece of the one before as a text of
        its own.
        """
        cdef Level *at = &worker.levels[level]
        cdef Py_ssize_t count = 0, more, i
        cdef void *scanner = self.scanners[level]
        while count + SCAN_ROOM <= room:
            if at.pos >= at.end:
                if level == 0:
                    break
                if at.next == at.have:
                    at.have = self._fill(worker, text, level - 1, worker.above[level],
                                         ENDS_ROOM)
                    at.next = 0
                    if at.have == 0:
                        break
                at.base = at.pos = at.end
                at.end = worker.above[level][at.next]
                at.next += 1
            if scanner != NULL and at.end - at.pos >= WIDE_FROM:
                more = (<WindowScanner>scanner).scan(
                    text + at.base, at.end - at.base, at.pos - at.base, ends + count,
                    room - count)
            else:
                more = (<Automaton>self.splits[level]).scan(
                    text + at.base, at.end - at.base, at.pos - at.base, ends + count,
                    room - count)
            if at.base:
                for i in range(count, count + more):
                    ends[i] += at.base
            count += more
            at.pos = ends[count - 1]
        return count

    cdef Py_ssize_t _next_units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                bint split) noexcept nogil:
        """The next words of a text, or pieces of long ones between cuts: how many.

        Their keys are made and their cache lines asked for: when they are used, after the
        whole batch, the lines have come from memory.
        """
        cdef Words *at = &worker.words
        cdef Py_ssize_t count = 0, more
        cdef bint dropping = split and self.drop is not None
        while count < BATCH:
            if at.pos < at.end:
                count += self._pieces(worker, text, n, count)
                continue
            if at.next == at.have:
                if at.pos == n:
                    break
                at.next = 0
                if split:
                    at.have = self._fill(worker, text, self.levels - 1, at.ends, ENDS_ROOM)
                else:
                    at.ends[0] = n
                    at.have = 1
            more = 0
            if not dropping and not self.always_cut:
                more = self._units(worker, text, n, count)
            if more == 0:
                more = self._other_word(worker, text, n, count, dropping)
            count += more
        return count

    cdef Py_ssize_t _units(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                           Py_ssize_t count) noexcept nogil:
        """Words, up to one that is cut elsewhere, as units from ``count`` on: how many."""
        cdef Words *at = &worker.words
        cdef Py_ssize_t words = at.have - at.next, more
        if self.make_cut != NULL:
            more = self.make_cut(
                &self.cuts.cuts, &worker.batch, worker.kinds, count, text, at.pos,
                at.ends + at.next, &words, self.whole_limit, worker.cache.lines,
                worker.cache.mask)
        else:
            more = words = self.passes.make(
                &worker.batch, count, text, n, at.pos, at.ends + at.next,
                min(words, BATCH - count), self.whole_limit, worker.cache.lines,
                worker.cache.mask)
            memset(worker.kinds + count, TC_WHOLE, more)
        if more:
            at.next += words
            at.pos = at.end = at.ends[at.next - 1]
        return more

    cdef Py_ssize_t _other_word(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                                Py_ssize_t count, bint dropping) noexcept nogil:
        """The next word, which may be long, or dropped, as units from ``count`` on: how many."""
        cdef Words *at = &worker.words
        cdef Py_ssize_t start = at.pos, end = at.ends[at.next], more
        at.next += 1
        at.end = end
        if dropping and self._drops(text + start):
            worker.kinds[count] = TC_DROPPED
            worker.batch.ends[count] = at.pos = end
            tc_no_key(&worker.batch, count)
            return 1
        if self.always_cut or (end - start > self.whole_limit and self.cuts is not None):
            more = self._pieces(worker, text, n, count)
            if more == 1 and at.pos == end:
                worker.kinds[count] = TC_WHOLE
            return more
        worker.kinds[count] = TC_WHOLE
        worker.batch.ends[count] = at.pos = end
        self._keys(worker, text, n, start, count, 1)
        return 1

    cdef Py_ssize_t _pieces(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                            Py_ssize_t count) noexcept nogil:
        """Pieces of the word that is being cut, as units from ``count`` on: how many."""
        cdef Words *at = &worker.words
        cdef Py_ssize_t start = at.pos, more
        more = self.find_pieces(&self.cuts.cuts, text, at.end, start, worker.batch.ends + count,
                                BATCH - count)
        at.pos = worker.batch.ends[count + more - 1]
        memset(worker.kinds + count, TC_PIECE, more)
        if at.pos == at.end:
            worker.kinds[count + more - 1] = TC_LAST_PIECE
        self._keys(worker, text, n, start, count, more)
        return more

    cdef void _keys(self, Worker worker, const uint8_t *text, Py_ssize_t n, Py_ssize_t start,
                    Py_ssize_t count, Py_ssize_t more) noexcept nogil:
        """Make the keys of ``more`` units from ``count`` on, whose ends are there."""
        cdef Py_ssize_t stop = count + more
        while count < stop:
            count += self.passes.make(
                &worker.batch, count, text, n, start, worker.batch.ends + count, stop - count,
                KEY_LIMIT, worker.cache.lines, worker.cache.mask)
            if count < stop:
                tc_no_key(&worker.batch, count)
                count += 1
                start = worker.batch.ends[count - 1]

    cdef int _words(self, Worker worker, const uint8_t *text, Py_ssize_t n,
                    bint split) except -1 nogil:
        """Encode the words of a text; without ``split``, it is one word."""
        if self.model.streams and not split:
            return self._stream(worker, text, n)
        cdef Py_ssize_t count, i, judged, start = 0, first, before = worker.count
        cdef bint learning, learned
        cdef uint32_t *out
        worker.words.pos = worker.words.end = worker.words.next = worker.words.have = 0
        if split:
            self._start(worker, n)
        while start < n:
            if worker.cache.crowded():
                worker.cache.grow(self.passes.hash)
                worker.lend_cache()
            count = self._next_units(worker, text, n, split)
            i = 0
            learning = worker.fresh >= LEARN_FROM
            worker.fresh = learned = judged = 0
            while True:
                out = worker.out + worker.count
                i = self.passes.take(&worker.batch, i, count, worker.cache.lines,
                                     worker.cache.mask, &out)
                worker.count = out - worker.out
                if i == count:
                    break
                first = worker.batch.ends[i - 1] if i else start
                if i >= judged and worker.kinds[i] == TC_PIECE:
                    judged = self._stretch(worker, text, first, &i, count)
                    if i == judged:
                        continue
                if not learned and (learning or worker.fresh >= LEARN_FROM):
                    learned = 1
                    self._learn(worker, i, count)
                    continue
                if worker.kinds[i] != TC_DROPPED:
                    self._miss(worker, text + first, worker.batch.ends[i] - first, i)
                i += 1
            start = worker.batch.ends[count - 1]
        if self.fused != NONE:
            self._fuse(worker, before)
        return 0

    cdef Py_ssize_t _stretch(self, Worker worker, const uint8_t *text, Py_ssize_t start,
                             Py_ssize_t *unit, Py_ssize_t count) except -1 nogil:
        """Merge pieces of a word at once, from one at ``start`` on, if they are new.

        The number of the first unit that this says nothing about, of ``count``. Where it was
        done, ``unit`` is moved there.
        """
        cdef uint16_t units[BATCH]
        cdef Py_ssize_t found, first = unit[0]
        cdef Py_ssize_t end = tc_stretch_end(&worker.batch, worker.kinds, first, count, start)
        if end <= first + 1:
            return first + 1
        found = self.passes.lacking(&worker.batch, first, end, worker.cache.lines,
                                    worker.cache.mask, units)
        if tc_stretch_is_new(&worker.met, &worker.batch, units, found, text, first, end, start):
            self._merge_out(worker, self.model, text + start, worker.batch.ends[end - 1] - start,
                            0)
            unit[0] = end
        return end

    cdef void _learn(self, Worker worker, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        """Encode what the cache lacks of a batch, from unit ``first`` on, and remember it.

        Several words at a time, which not every model can; what is left is for _miss, and so
        are the exceptions of ignore_merges.
        """
        cdef uint16_t units[BATCH]
        cdef Py_ssize_t found, i, kept = 0
        cdef const uint8_t *word
        found = self.passes.lacking(&worker.batch, first, count, worker.cache.lines,
                                    worker.cache.mask, units)
        worker.fresh += found
        if self.model.exceptions:
            for i in range(found):
                word = <const uint8_t *>&worker.batch.keys[units[i]]
                if self.model.whole_word(word, word[KEY_LIMIT]) == NONE:
                    units[kept] = units[i]
                    kept += 1
            found = kept
        if worker.cache.watches():
            for i in range(found):
                worker.cache.note(worker.batch.hashes[units[i]])
        if found:
            worker.cache.used += self.model.remember(
                &worker.batch, &worker.batch, units, found, &worker.scratch,
                worker.cache.lines, worker.cache.mask, self.level)

    cdef void _fuse(self, Worker worker, Py_ssize_t first) noexcept nogil:
        """Make one of neighbouring unknown ids, from the worker's id ``first`` on."""
        cdef Py_ssize_t i, kept = first
        for i in range(first, worker.count):
            if worker.out[i] != self.fused or i == first or worker.out[i - 1] != self.fused:
                worker.out[kept] = worker.out[i]
                kept += 1
        worker.count = kept

    cdef int _stream(self, Worker worker, const uint8_t *text, Py_ssize_t n) except -1 nogil:
        """Encode a text by a model that takes it in segments."""
        cdef Py_ssize_t start = 0, end
        while start < n:
            end = self.model.segment(text, n, start)
            self._merge_out(worker, self.model, text + start, end - start, start == 0)
            start = end
        return 0

    cdef int _miss(self, Worker worker, const uint8_t *word, Py_ssize_t n,
                   Py_ssize_t unit) except -1 nogil:
        """Encode a word that the cache lacks, and remember it where that is allowed.

        An exception of ignore_merges is one id as a word and others as a piece of one, so
        it is never remembered.
        """
        cdef Py_ssize_t count
        cdef const LongWord *known = NULL
        if n <= LONG_BYTES:
            known = worker.long_words.find(word, n)
        if known != NULL:
            memcpy(worker.out + worker.count, ids_of(known), known.count * sizeof(uint32_t))
            worker.count += known.count
            return 0
        count = self._merge_out(worker, self.model, word, n, worker.kinds[unit] == TC_WHOLE)
        if self.model.exceptions and self.model.whole_word(word, n) != NONE:
            return 0
        if (1 <= count <= IDS_LIMIT and n <= KEY_LIMIT
                and worker.cache.takes(worker.batch.hashes[unit])):
            worker.cache.used += tc_store_line(
                worker.cache.lines, worker.cache.mask, worker.batch.hashes[unit],
                &worker.batch.keys[unit], worker.out + worker.count - count, count)
            worker.fresh += 1
        else:
            worker.long_words.store(word, n, worker.out + worker.count - count, count)
        return 0

    cdef Py_ssize_t _merge_out(self, Worker worker, WordModel model, const uint8_t *word,
                               Py_ssize_t n, bint whole) except -1 nogil:
        """Encode a word by merging; how many ids that made."""
        cdef Py_ssize_t count, i
        cdef uint32_t *out
        count = model.encode(word, n, &worker.scratch, whole)
        if count < 0:
            with gil:
                if count == NO_UNK:
                    raise ValueError("model.unk_token is needed here and is not in the vocabulary")
                raise MemoryError()
        out = worker.out + worker.count
        for i in range(count):
            out[i] = model.ids[worker.scratch.symbols[i]]
        worker.count += count
        return count

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
                    found += _is_control(worker, worker.out[i])
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
