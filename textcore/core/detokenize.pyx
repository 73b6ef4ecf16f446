"""From token ids to bytes and text: a table of every token's bytes, and streams over it."""

cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy

from textcore.core.bytelevel cimport byte_of
from textcore.core.ids cimport IdArray, one_id
from textcore.core.utf8 cimport Utf8Decoder, decode_utf8


cdef extern from "Python.h":
    int PyUnicode_KIND(object)
    void* PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)
    str PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors)
    uint32_t PyUnicode_READ(int kind, const void* data, Py_ssize_t index) noexcept nogil


cdef extern from "mixing.h":
    void TC_PREFETCH(const void* address) noexcept nogil

cdef extern from "ints.h":
    long long tc_small_int(object value) noexcept

cdef enum:
    # The low bits of Entry.sized.
    KNOWN = 1       # the id stands for a token, if maybe for one without bytes
    SPECIAL = 2     # left out where special tokens are skipped
    BYTE = 4        # a byte token of byte fallback, such as <0x0A>
    SIZE_SHIFT = 3

    # Tokens are copied this many bytes at a time: most need one step, without a call.
    # Every buffer therefore has as many to spare.
    STEP = 16

    AHEAD = 16      # tokens that a token is asked for ahead: it comes from memory

    BLOCK = 4096    # pieces of a stream's text that are joined into one

cdef uint32_t LARGEST_TOKEN = 0xFFFFFFFFu >> SIZE_SHIFT
cdef uint32_t LARGEST_TABLE = 0xFFFFFF00u
cdef unsigned char* SHOWN = b"\xef\xbf\xbd"    # U+FFFD


cdef int _reserve(Bytes* out, size_t more) noexcept nogil:
    """Room for ``more`` bytes and a step; -1 when there is no memory."""
    cdef size_t room
    cdef unsigned char* data
    if out.size + more + STEP <= out.room:
        return 0
    room = out.room + out.room // 2 + more + 64 * STEP
    data = <unsigned char*>realloc(out.data, room)
    if data == NULL:
        return -1
    out.data = data
    out.room = room
    return 0


cdef int _append_utf8(Bytes* out, str text) except -1:
    """The UTF-8 of ``text``, without CPython's keeping a copy of it inside the string."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    cdef Py_ssize_t i
    cdef uint32_t c
    cdef unsigned char* to
    if _reserve(out, 4 * n) < 0:
        raise MemoryError
    to = out.data + out.size
    for i in range(n):
        c = PyUnicode_READ(kind, data, i)
        if c < 0x80:
            to[0] = c
            to += 1
        elif c < 0x800:
            to[0] = 0xC0 | (c >> 6)
            to[1] = 0x80 | (c & 0x3F)
            to += 2
        elif c < 0x10000:
            if 0xD800 <= c <= 0xDFFF:
                raise ValueError(f"the token {text!r} has a lone surrogate")
            to[0] = 0xE0 | (c >> 12)
            to[1] = 0x80 | ((c >> 6) & 0x3F)
            to[2] = 0x80 | (c & 0x3F)
            to += 3
        else:
            to[0] = 0xF0 | (c >> 18)
            to[1] = 0x80 | ((c >> 12) & 0x3F)
            to[2] = 0x80 | ((c >> 6) & 0x3F)
            to[3] = 0x80 | (c & 0x3F)
            to += 4
    out.size = to - out.data
    return 0


cdef int _append_stand_ins(Bytes* out, str text) except -1:
    """The bytes that ``text``'s characters stand for; its UTF-8 if one is no stand-in."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    cdef Py_ssize_t i
    cdef int byte
    if _reserve(out, n) < 0:
        raise MemoryError
    for i in range(n):
        byte = byte_of(PyUnicode_READ(kind, data, i))
        if byte < 0:
            return _append_utf8(out, text)
        out.data[out.size + i] = byte
    out.size += n
    return 0


cdef inline int _hex_digit(uint32_t c) noexcept nogil:
    if 0x30 <= c <= 0x39:
        return c - 0x30
    c |= 0x20
    return c - 0x61 + 10 if 0x61 <= c <= 0x66 else -1


cdef int _fallback_byte(str text) noexcept:
    """The byte of a token such as ``<0x0A>`` (or ``<0x+A>``); -1 for any other."""
    cdef int kind, high, low
    cdef const void* data
    if PyUnicode_GET_LENGTH(text) != 6:
        return -1
    kind = PyUnicode_KIND(text)
    data = PyUnicode_DATA(text)
    if (
        PyUnicode_READ(kind, data, 0) != 0x3C or PyUnicode_READ(kind, data, 1) != 0x30
        or PyUnicode_READ(kind, data, 2) != 0x78 or PyUnicode_READ(kind, data, 5) != 0x3E
    ):
        return -1
    low = _hex_digit(PyUnicode_READ(kind, data, 4))
    if PyUnicode_READ(kind, data, 3) == 0x2B:
        return low
    high = _hex_digit(PyUnicode_READ(kind, data, 3))
    return -1 if high < 0 or low < 0 else 16 * high + low


cdef inline bint _is_utf8(const unsigned char* data, size_t size) noexcept nogil:
    """Whether the bytes are well-formed UTF-8 (Unicode Standard, table 3-7)."""
    cdef size_t i = 0
    cdef size_t more
    cdef unsigned char lead, low, high
    while i < size:
        lead = data[i]
        i += 1
        if lead < 0x80:
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= lead <= 0xDF:
            more = 1
        elif 0xE0 <= lead <= 0xEF:
            more = 2
            if lead == 0xE0:
                low = 0xA0
            elif lead == 0xED:
                high = 0x9F
        elif 0xF0 <= lead <= 0xF4:
            more = 3
            if lead == 0xF0:
                low = 0x90
            elif lead == 0xF4:
                high = 0x8F
        else:
            return False
        if size - i < more or not low <= data[i] <= high:
            return False
        i += 1
        while more > 1:
            if data[i] & 0xC0 != 0x80:
                return False
            i += 1
            more -= 1
    return True


cdef int _close_run(Bytes* out, size_t start) noexcept nogil:
    """A run of byte tokens ends: one U+FFFD for each of its bytes, if they aren't UTF-8."""
    cdef size_t size = out.size - start
    cdef size_t i
    if _is_utf8(out.data + start, size):
        return 0
    if _reserve(out, 2 * size) < 0:
        return -1
    for i in range(size):
        memcpy(out.data + start + 3 * i, SHOWN, 3)
    out.size = start + 3 * size
    return 0


@cython.final
cdef class ByteTable:
    """The bytes of every token of a vocabulary, by id; immutable.

    ``ids`` (from 0 to 2**32 - 1) and ``strings`` are parallel lists, ``special_ids`` a
    collection of the ids that are left out where special tokens are skipped. A string
    stands for its UTF-8; with ``stand_ins`` for the bytes its characters are GPT-2's
    printable stand-ins of, where all of them are; with ``byte_fallback`` a string such as
    ``<0x0A>`` stands for that byte. Up to ``strip_count`` characters ``strip`` are taken
    from the start of a text. ``first``, if given, is called with the id of the first token
    of a text, and returns its bytes there.

    The tokens' bytes lie in one buffer, and 8 bytes more for each id say where: by position
    where ids are dense (``is_dense``), else sorted by id, 4 bytes more. Ids are distinct;
    those without a token are ignored, as the reference does.

    Raises ``ValueError`` for a string with a lone surrogate and for ids out of range.
    """

    def __cinit__(
        self, list ids not None, list strings not None, special_ids=(), *, bint stand_ins=False,
        bint byte_fallback=False, str strip="", strip_count=0, first=None,
    ):
        self.texts = [None, None]
        self.n_tokens = len(ids)
        if len(strings) != self.n_tokens:
            raise ValueError("as many ids as strings, please")
        if self.n_tokens >= 2**30:
            raise ValueError("more than 2**30 tokens")
        self.max_id = -1
        self.first = first
        if strip:
            head = strip.encode()
            if len(strip) != 1:
                raise ValueError(f"one character is stripped, not {strip!r}")
            self.strip_size = len(head)
            memcpy(self.strip_utf8, <const char*>head, self.strip_size)
            # No text has more characters than this.
            self.strip_count = min(strip_count, 2**62)
        self._load(ids, strings, frozenset(special_ids), stand_ins, byte_fallback)
        self._index(ids)

    def __dealloc__(self):
        free(self.buffer)
        free(self.entries)
        free(self.shorts)
        free(self.keys)

    cdef int _load(
        self, list ids, list strings, object special, bint stand_ins, bint fallback
    ) except -1:
        """Puts the strings' bytes into the buffer and their entries in the lists' order."""
        cdef Bytes out
        cdef Py_ssize_t i
        cdef int byte
        cdef size_t start, size
        cdef uint32_t flags
        cdef frozenset specials = special
        cdef str text
        out.data, out.size, out.room = NULL, 0, 0
        self.entries = <Entry*>calloc(self.n_tokens + 1, sizeof(Entry))
        if self.entries == NULL:
            raise MemoryError
        try:
            if _reserve(&out, 8 * self.n_tokens) < 0:
                raise MemoryError
            for i in range(self.n_tokens):
                text = strings[i]
                if text is None:
                    raise TypeError("a token is a str, not None")
                flags = KNOWN | (SPECIAL if specials and ids[i] in specials else 0)
                start = out.size
                byte = _fallback_byte(text) if fallback else -1
                if byte >= 0:
                    flags |= BYTE
                    self.n_byte_tokens += 1
                    if _reserve(&out, 1) < 0:
                        raise MemoryError
                    out.data[out.size] = byte
                    out.size += 1
                elif stand_ins:
                    _append_stand_ins(&out, text)
                else:
                    _append_utf8(&out, text)
                size = out.size - start
                if size > LARGEST_TOKEN or out.size > LARGEST_TABLE:
                    raise ValueError(f"the tokens take more than {LARGEST_TABLE} bytes")
                if size == 0:
                    self.has_empty_text = True
                self.entries[i].start = start
                self.entries[i].sized = <uint32_t>size << SIZE_SHIFT | flags
        finally:
            self.buffer = out.data
        return 0

    cdef int _index(self, list ids) except -1:
        """Puts the entries where ``find`` looks for them."""
        cdef IdArray array = IdArray(ids)
        cdef Entry* placed
        cdef Py_ssize_t i, n = array.n
        for i in range(n):
            self.max_id = max(self.max_id, array.data[i])
        self.is_dense = self.max_id < 2 * <long long>n + 1024
        self.n_entries = self.max_id + 1 if self.is_dense else n
        placed = <Entry*>calloc(self.n_entries + 1, sizeof(Entry))
        if placed == NULL:
            raise MemoryError
        try:
            if self.is_dense:
                for i in range(n):
                    placed[array.data[i]] = self.entries[i]
            else:
                # Sorted rather than hashed: no choice of ids makes a search slow.
                self.keys = <uint32_t*>malloc(n * sizeof(uint32_t))
                if self.keys == NULL:
                    raise MemoryError
                for i, position in enumerate(sorted(range(n), key=ids.__getitem__)):
                    self.keys[i] = array.data[position]
                    placed[i] = self.entries[position]
        finally:
            free(self.entries)
            self.entries = placed
        if self.is_dense:
            self._lay_shorts()
        return 0

    cdef int _lay_shorts(self) except -1:
        """Lays short tokens' bytes beside their sizes: one place in memory to go to, not two."""
        cdef Inline* made = <Inline*>calloc(self.n_entries + 1, sizeof(Inline))
        cdef uint32_t i
        if made == NULL:
            raise MemoryError
        for i in range(self.n_entries):
            made[i].sized = self.entries[i].sized
            memcpy(made[i].data, self.buffer + self.entries[i].start,
                   min(self.entries[i].sized >> SIZE_SHIFT, <uint32_t>INLINE))
        self.shorts = made
        return 0

    cdef Entry* search(self, uint32_t token) noexcept nogil:
        """The entry of an id in the sparse form; of no token, the empty one at the end."""
        cdef size_t low = 0
        cdef size_t high = self.n_entries
        cdef size_t middle
        while low < high:
            middle = (low + high) // 2
            if self.keys[middle] < token:
                low = middle + 1
            else:
                high = middle
        if low < self.n_entries and self.keys[low] == token:
            return &self.entries[low]
        return &self.entries[self.n_entries]

    cdef inline Entry find(self, uint32_t token) noexcept nogil:
        """The entry of an id; without a token, one whose flags are 0."""
        if self.is_dense:
            return self.entries[token if token < self.n_entries else self.n_entries]
        return self.search(token)[0]

    cdef list whole_texts(self, bint skip):
        """What each id adds to a stream that holds nothing back, by id: its text, "" for none.

        None stands for what has not been asked for yet, False for a token that is not whole
        characters. There is none of this in the sparse form.
        """
        if not self.is_dense:
            return None
        with cython.critical_section(self):
            if self.texts[skip] is None:
                self.texts[skip] = [None] * self.n_entries
            return self.texts[skip]

    cdef object make_text(self, uint32_t token, bint skip):
        """Puts an id's text, or False, where ``whole_texts`` has a place for it."""
        cdef Entry entry = self.entries[token]
        cdef uint32_t wanted = KNOWN | SPECIAL if skip else KNOWN
        cdef list texts = self.texts[skip]
        cdef object text = ""
        if entry.sized & wanted == KNOWN:
            try:
                text = PyUnicode_DecodeUTF8(
                    <const char*>self.buffer + entry.start, entry.sized >> SIZE_SHIFT, NULL
                )
            except UnicodeDecodeError:
                text = False
        with cython.critical_section(texts):
            # Another thread may have been first: a text is one object, once it is there.
            if texts[token] is None:
                texts[token] = text
            return texts[token]

    cdef int append(
        self, Bytes* out, const uint32_t* ids, Py_ssize_t n, bint skip
    ) noexcept nogil:
        """Appends the bytes of ``ids``; -1 when there is no memory."""
        cdef uint32_t wanted = KNOWN | SPECIAL if skip else KNOWN
        cdef Py_ssize_t i
        cdef size_t size
        # In variables of its own: what is behind a pointer may be what was just written, to a
        # compiler, and would be read again for each token.
        cdef const Inline* known = self.shorts
        cdef const Inline* token
        cdef uint32_t n_entries = self.n_entries
        cdef unsigned char* data = out.data
        cdef size_t at = out.size
        cdef size_t room = out.room
        if not self.is_dense:
            return self._append_sparse(out, ids, n, skip)
        for i in range(n):
            if i + AHEAD < n:
                TC_PREFETCH(known + min(ids[i + AHEAD], n_entries))
            token = known + min(ids[i], n_entries)
            if token.sized & wanted != KNOWN:
                continue
            size = token.sized >> SIZE_SHIFT
            if at + size + STEP > room:
                out.size = at
                if _reserve(out, size) < 0:
                    return -1
                data = out.data
                room = out.room
            if size <= INLINE:
                memcpy(data + at, token, STEP)
            else:
                memcpy(data + at, self.buffer + self.entries[token - known].start, size)
            at += size
        out.size = at
        return 0

    cdef int _append_sparse(
        self, Bytes* out, const uint32_t* ids, Py_ssize_t n, bint skip
    ) noexcept nogil:
        cdef uint32_t wanted = KNOWN | SPECIAL if skip else KNOWN
        cdef Py_ssize_t i
        cdef Entry* entry
        cdef size_t size
        for i in range(n):
            entry = self.search(ids[i])
            if entry.sized & wanted != KNOWN:
                continue
            size = entry.sized >> SIZE_SHIFT
            if _reserve(out, size) < 0:
                return -1
            memcpy(out.data + out.size, self.buffer + entry.start, size)
            out.size += size
        return 0

    cdef int append_runs(
        self, Bytes* out, const uint32_t* ids, Py_ssize_t n, bint skip
    ) noexcept nogil:
        """As ``append``, with U+FFFD for every byte of a run of byte tokens not in UTF-8."""
        cdef uint32_t wanted = KNOWN | SPECIAL if skip else KNOWN
        cdef Py_ssize_t i
        cdef Entry entry
        cdef size_t size, start = 0
        cdef bint running = False
        for i in range(n):
            entry = self.find(ids[i])
            if entry.sized & wanted != KNOWN:
                continue
            size = entry.sized >> SIZE_SHIFT
            if entry.sized & BYTE:
                if not running:
                    running = True
                    start = out.size
            elif running:
                running = False
                if _close_run(out, start) < 0:
                    return -1
            if _reserve(out, size) < 0:
                return -1
            if size <= STEP:
                memcpy(out.data + out.size, self.buffer + entry.start, STEP)
            else:
                memcpy(out.data + out.size, self.buffer + entry.start, size)
            out.size += size
        return _close_run(out, start) if running else 0

    cdef int fill(self, Bytes* out, object ids, bint skip, bint runs) except -1:
        """Appends the bytes of the text of ``ids``, not yet stripped."""
        cdef IdArray array = IdArray(ids)
        cdef uint32_t wanted = KNOWN | SPECIAL if skip else KNOWN
        cdef Py_ssize_t i = 0
        cdef int failed
        cdef bytes head
        if self.first is not None:
            while i < array.n and self.find(array.data[i]).sized & wanted != KNOWN:
                i += 1
            if i < array.n:
                head = self.first(array.data[i])
                if _reserve(out, len(head)) < 0:
                    raise MemoryError
                memcpy(out.data, <const char*>head, len(head))
                out.size = len(head)
                i += 1
        with nogil:
            if _reserve(out, 4 * (array.n - i)) < 0:
                failed = -1
            elif runs:
                failed = self.append_runs(out, array.data + i, array.n - i, skip)
            else:
                failed = self.append(out, array.data + i, array.n - i, skip)
        if failed < 0:
            raise MemoryError
        return 0

    cdef size_t stripped(self, const Bytes* out) noexcept nogil:
        """How many bytes are stripped from the start."""
        cdef size_t start = 0
        cdef Py_ssize_t count = self.strip_count
        while count > 0 and out.size - start >= self.strip_size:
            if memcmp(out.data + start, self.strip_utf8, self.strip_size) != 0:
                break
            start += self.strip_size
            count -= 1
        return start

    def join(self, ids, bint skip_special_tokens=False):
        """The bytes of the tokens ``ids`` (see :class:`~textcore.core.ids.IdArray`), joined.

        Byte tokens give their byte, whether it is part of valid UTF-8 or not.
        """
        cdef Bytes out
        cdef size_t start
        out.data, out.size, out.room = NULL, 0, 0
        try:
            self.fill(&out, ids, skip_special_tokens, False)
            start = self.stripped(&out)
            return out.data[start:out.size]
        finally:
            free(out.data)

    def decode(self, ids, bint skip_special_tokens=False):
        """The text of the tokens ``ids``.

        A run of byte tokens that is not UTF-8 shows as one U+FFFD for each of its bytes;
        otherwise each maximal subpart of an ill-formed character shows as one.
        """
        cdef Bytes out
        cdef size_t start
        out.data, out.size, out.room = NULL, 0, 0
        try:
            self.fill(&out, ids, skip_special_tokens, self.n_byte_tokens > 0)
            start = self.stripped(&out)
            return decode_utf8(out.data + start, out.size - start)
        finally:
            free(out.data)

    def token(self, token, bint skip_special_tokens=False):
        """The bytes of one token inside a text; empty for ids without a token."""
        cdef Entry entry = self.find(one_id(token))
        if entry.sized & SPECIAL and skip_special_tokens:
            return b""
        return self.buffer[entry.start : entry.start + (entry.sized >> SIZE_SHIFT)]

    def tokens(self, bint skip_special_tokens=False):
        """The bytes of every id from 0 to ``max_id``, as ``token`` gives them."""
        cdef list listed = []
        cdef uint32_t unwanted = SPECIAL if skip_special_tokens else 0
        cdef long long i
        cdef Entry entry
        for i in range(self.max_id + 1):
            entry = self.find(<uint32_t>i)
            if entry.sized & unwanted:
                listed.append(b"")
            else:
                listed.append(
                    self.buffer[entry.start : entry.start + (entry.sized >> SIZE_SHIFT)]
                )
        return listed


cdef class TokenStream:
    """Text of token ids that arrive one by one or several at a time.

    ``table`` gives their bytes, and what of them is complete becomes text; ``pipeline``
    rewrites that text by ``feed_text``. Without a table, ``pipeline`` gets lists of ids by
    ``feed_ids``. In both cases its ``finish`` gives the rest.

    One object is one stream; it is not to be used by two threads at a time.
    """

    def __cinit__(self, *arguments, **keywords):
        self.utf8 = Utf8Decoder()
        self.pieces = []
        self.blocks = []

    def __init__(self, ByteTable table=None, pipeline=None, bint skip_special_tokens=True):
        if table is None and pipeline is None:
            raise ValueError("a stream needs a table or a pipeline")
        self.table = table
        self.pipeline = pipeline
        self.skip = skip_special_tokens
        self.started = table is None or table.first is None
        self.flushed = False
        self.strip_left = 0 if table is None else table.strip_count
        self.strip = "" if table is None else table.strip_utf8[:table.strip_size].decode()
        self.texts = None if table is None else table.whole_texts(self.skip)
        self._settle()

    def add(self, ids):
        """The text that one more token id, or several, complete.

        ``ids`` is an int or anything that :class:`~textcore.core.ids.IdArray` takes. Raises
        ``ValueError`` after ``flush``; after an error in ``ids`` the stream is unchanged.
        """
        cdef object text
        cdef long long token
        with cython.critical_section(self):
            # Most calls are these: one more id, of whole characters, and nothing held back.
            if self.plain and type(ids) is int:
                token = tc_small_int(ids)
                if 0 <= token < self.n_texts:
                    text = self.texts[token]
                    if text is None:
                        text = self.table.make_text(<uint32_t>token, self.skip)
                    if text is not False:
                        self._keep(<str>text)
                        return text
            return self._add(ids)

    def flush(self):
        """The text that was held back, now that no more ids come; ends the stream."""
        with cython.critical_section(self):
            return self._flush()

    @property
    def text(self):
        """All text so far: what ``add`` and ``flush`` have returned, joined."""
        if self.pieces:
            self.blocks.append("".join(self.pieces))
            self.pieces = []
        if len(self.blocks) > 1:
            self.blocks = ["".join(self.blocks)]
        return self.blocks[0] if self.blocks else ""

    cdef str _add(self, object ids):
        cdef IdArray array
        cdef str text
        cdef long long small
        if self.flushed:
            raise ValueError("the stream has been flushed; a new text needs a new one")
        if self.table is not None:
            if type(ids) is int:
                small = tc_small_int(ids)
                text = self._one(<uint32_t>small if small >= 0 else one_id(ids))
            else:
                array = _ids_of(ids)
                text = self._many(array.data, array.n)
            if self.pipeline is not None:
                text = self.pipeline.feed_text(text)
        else:
            array = IdArray((ids,)) if type(ids) is int else _ids_of(ids)
            text = self.pipeline.feed_ids(array.tolist())
        self._keep(text)
        self._settle()
        return text

    cdef void _settle(self) noexcept:
        """Finds out whether an id of whole characters adds its text, whatever came before."""
        self.plain = (self.texts is not None and self.pipeline is None and self.started
                      and not self.flushed and self.strip_left == 0 and self.utf8.n_held == 0)
        self.n_texts = len(self.texts) if self.plain else 0

    cdef str _flush(self):
        cdef str text = ""
        if self.flushed:
            return text
        self.flushed = True
        self._settle()
        if self.table is not None:
            text = self._stripped(self.utf8.finish())
        if self.pipeline is not None:
            text = self.pipeline.finish(text)
        self._keep(text)
        return text

    cdef int _keep(self, str text) except -1:
        """Remembers a piece; what is joined is never joined again before ``text`` is read."""
        if text:
            self.pieces.append(text)
            if len(self.pieces) >= BLOCK:
                self.blocks.append("".join(self.pieces))
                self.pieces = []
        return 0

    cdef str _one(self, uint32_t token):
        cdef Entry entry = self.table.find(token)
        cdef uint32_t wanted = KNOWN | SPECIAL if self.skip else KNOWN
        cdef bytes head
        cdef str text
        cdef str before = ""
        if entry.sized & wanted != KNOWN:
            return ""
        if not self.started:
            head = self.table.first(token)
            self.started = True
            text = self.utf8.feed(head, len(head))
        else:
            if self.utf8.n_held and self.table.n_byte_tokens and not entry.sized & BYTE:
                # Any other token ends a run of byte tokens, be it one without bytes.
                before = self.utf8.finish()
            text = self.utf8.feed(
                self.table.buffer + entry.start, entry.sized >> SIZE_SHIFT
            )
            if before:
                text = before + text
        return self._stripped(text) if self.strip_left else text

    cdef str _many(self, const uint32_t* ids, Py_ssize_t n):
        cdef Bytes out
        cdef Py_ssize_t i = 0
        cdef int failed
        cdef list texts
        cdef str text
        if not self.started or (self.table.has_empty_text and self.table.n_byte_tokens):
            texts = [self._one(ids[i]) for i in range(n)]
            return "".join(texts)
        out.data, out.size, out.room = NULL, 0, 0
        try:
            with nogil:
                failed = self.table.append(&out, ids, n, self.skip)
            if failed < 0:
                raise MemoryError
            text = self.utf8.feed(out.data, out.size)
        finally:
            free(out.data)
        return self._stripped(text) if self.strip_left else text

    cdef str _stripped(self, str text):
        """``text`` at the start of the whole, without what is stripped there."""
        cdef Py_ssize_t start = 0
        cdef Py_ssize_t n = len(text)
        while self.strip_left and start < n:
            if text[start] != self.strip:
                self.strip_left = 0
                break
            start += 1
            self.strip_left -= 1
        return text[start:] if start else text


cdef IdArray _ids_of(object ids):
    """``ids`` as an array; whatever counts as a single integer, as one of length 1."""
    try:
        return IdArray(ids)
    except TypeError:
        try:
            return IdArray((ids.__index__(),))
        except (AttributeError, TypeError):
            pass
        raise
