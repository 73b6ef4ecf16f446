# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Unicode normalization as the `tokenizers` normalizers do it, whatever Python runs.

The algorithm is that of The Unicode Standard (section 3.11) and of Unicode Standard Annex 15;
the data is the reference's (``normalize_data.h``, made by ``scripts/make_unicode_tables.py``),
which is older than that of any Python. Every function returns its argument itself when there
is nothing to do, and takes time linear in the text, also for a million combining marks.

The module has no state: its functions are safe to call from any number of threads.
"""

from cpython.array cimport array, clone
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from .codepoint cimport code_point

cdef extern from "Python.h":
    object PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)
    bint PyUnicode_IS_ASCII(object text)

cdef extern from "normalize_data.h" nogil:
    const int NORM_BLOCK
    const int NORM_PAIRS
    const int NORM_RANKS
    const uint16_t norm_properties[]
    const uint8_t norm_index[]
    const uint8_t norm_blocks[]
    const uint8_t norm_map_index[]
    const uint16_t norm_map_blocks[]
    const uint32_t norm_words[]
    const uint32_t norm_first[]
    const uint32_t norm_second[]
    const uint32_t norm_composed[]

cdef extern from "quiet.h" nogil:
    enum:
        TC_QUIET_BUCKETS
    ctypedef struct tc_quiet:
        pass
    ctypedef Py_ssize_t (*tc_quiet_run)(const tc_quiet* quiet, const uint8_t* s, Py_ssize_t n,
                                        Py_ssize_t i) noexcept nogil
    void tc_quiet_add(tc_quiet* quiet, uint32_t code)
    void tc_quiet_done(tc_quiet* quiet)
    tc_quiet_run tc_quiet_run_of(int level)

# A character's properties: the rank of its combining class in the low byte (0: a starter),
# above it one bit for each form that changes it, and three more.
cdef enum:
    RANK = 0xFF
    CHANGED = 1 << 8  # << form
    COMPOSES = 1 << 12  # may compose with a character before it
    LOWERED = 1 << 13
    MARK = 1 << 14

cdef enum:
    HANGUL_FIRST = 0xAC00
    HANGUL_LAST = 0xD7A3
    L_BASE = 0x1100
    V_BASE = 0x1161
    T_BASE = 0x11A7
    L_COUNT = 19
    V_COUNT = 21
    T_COUNT = 28

cdef struct Item:
    uint32_t char
    int32_t change  # as in the reference's NormalizedString::transform
    uint32_t rank


cdef inline uint32_t properties(uint32_t char) noexcept nogil:
    # Every caller's `char` is below 0x110000, which the index covers.
    return norm_properties[
        norm_blocks[norm_index[char // NORM_BLOCK] * NORM_BLOCK + char % NORM_BLOCK]
    ]


cdef inline const uint32_t* mapping(uint32_t char) noexcept nogil:
    """The lengths and characters of what `char` becomes; lengths 0 if it has no mapping."""
    return norm_words + norm_map_blocks[
        norm_map_index[char // NORM_BLOCK] * NORM_BLOCK + char % NORM_BLOCK
    ]


cdef inline uint32_t read(int kind, const void* data, Py_ssize_t i) noexcept nogil:
    if kind == 1:
        return (<const uint8_t*> data)[i]
    if kind == 2:
        return (<const uint16_t*> data)[i]
    return (<const uint32_t*> data)[i]


cdef inline uint32_t stop_bits(int form) noexcept nogil:
    """The properties that keep a character from being in `form` for certain."""
    return (CHANGED << form) | (0 if form & 1 else COMPOSES)


cdef uint32_t compose(uint32_t first, uint32_t second) noexcept nogil:
    """The canonical composition of two characters, or 0."""
    cdef Py_ssize_t low = 0, high = NORM_PAIRS, middle
    if L_BASE <= first < L_BASE + L_COUNT and V_BASE <= second < V_BASE + V_COUNT:
        return HANGUL_FIRST + ((first - L_BASE) * V_COUNT + (second - V_BASE)) * T_COUNT
    if HANGUL_FIRST <= first <= HANGUL_LAST and T_BASE < second < T_BASE + T_COUNT:
        return first + (second - T_BASE) if (first - HANGUL_FIRST) % T_COUNT == 0 else 0
    while low < high:
        middle = (low + high) >> 1
        if norm_first[middle] < first or (
            norm_first[middle] == first and norm_second[middle] < second
        ):
            low = middle + 1
        else:
            high = middle
    if low < NORM_PAIRS and norm_first[low] == first and norm_second[low] == second:
        return norm_composed[low]
    return 0


cdef class _Work:
    """The characters of one stretch of text while it is normalized, and the output so far.

    Not shared between threads. Methods return -1 when memory runs out, without raising.
    """

    cdef Item* items
    cdef Item* spare
    cdef Py_ssize_t count, room, spare_room
    cdef uint32_t* out
    cdef Py_ssize_t out_count, out_room

    def __dealloc__(self):
        PyMem_RawFree(self.items)
        PyMem_RawFree(self.spare)
        PyMem_RawFree(self.out)

    cdef int grow(self) noexcept nogil:
        cdef Py_ssize_t room = 64 + self.room * 2
        cdef void* items = PyMem_RawRealloc(self.items, room * sizeof(Item))
        if items == NULL:
            return -1
        self.items = <Item*> items
        self.room = room
        return 0

    cdef int reserve_out(self, Py_ssize_t more) noexcept nogil:
        cdef Py_ssize_t room
        cdef void* out
        if self.out_count + more <= self.out_room:
            return 0
        room = (self.out_count + more) * 3 // 2 + 64
        out = PyMem_RawRealloc(self.out, room * sizeof(uint32_t))
        if out == NULL:
            return -1
        self.out = <uint32_t*> out
        self.out_room = room
        return 0

    cdef int copy(
        self, int kind, const void* data, Py_ssize_t start, Py_ssize_t end
    ) noexcept nogil:
        """Append characters of the text to the output as they are."""
        cdef Py_ssize_t i
        if self.reserve_out(end - start) < 0:
            return -1
        for i in range(start, end):
            self.out[self.out_count] = read(kind, data, i)
            self.out_count += 1
        return 0

    cdef int emit(self) noexcept nogil:
        """Append the items to the output and forget them."""
        cdef Py_ssize_t i
        if self.reserve_out(self.count) < 0:
            return -1
        for i in range(self.count):
            self.out[self.out_count + i] = self.items[i].char
        self.out_count += self.count
        self.count = 0
        return 0

    cdef inline int push(self, uint32_t char, int32_t change) noexcept nogil:
        if self.count == self.room and self.grow() < 0:
            return -1
        self.items[self.count].char = char
        self.items[self.count].change = change
        self.items[self.count].rank = properties(char) & RANK
        self.count += 1
        return 0

    cdef int push_decomposed(self, uint32_t char, int form) noexcept nogil:
        """Append the full decomposition of `char`, canonical or compatible as `form` wants."""
        cdef const uint32_t* words
        cdef uint32_t length, skipped = 0, i, index
        cdef bint compatible = form >= 2
        if HANGUL_FIRST <= char <= HANGUL_LAST:
            index = char - HANGUL_FIRST
            if self.push(L_BASE + index // (V_COUNT * T_COUNT), 0) < 0:
                return -1
            if self.push(V_BASE + index % (V_COUNT * T_COUNT) // T_COUNT, 1) < 0:
                return -1
            return self.push(T_BASE + index % T_COUNT, 1) if index % T_COUNT else 0
        words = mapping(char)
        length = words[0] & 0xFF
        if compatible and words[0] >> 8 & 0xFF:
            skipped = length
            length = words[0] >> 8 & 0xFF
        if length == 0:
            return self.push(char, 0)
        for i in range(length):
            if self.push(words[1 + skipped + i], 1 if i else 0) < 0:
                return -1
        return 0

    cdef int sort(self, Py_ssize_t start) noexcept nogil:
        """Put the items from `start` on, non-starters, into canonical order: by rank, stable."""
        cdef Py_ssize_t counts[64]
        cdef Py_ssize_t n = self.count - start, i, j, total = 0, size
        cdef Item* items = self.items + start
        cdef Item moved
        if n <= 16:
            for i in range(1, n):
                moved = items[i]
                j = i
                while j > 0 and items[j - 1].rank > moved.rank:
                    items[j] = items[j - 1]
                    j -= 1
                items[j] = moved
            return 0
        if self.spare_room < n:
            PyMem_RawFree(self.spare)
            self.spare_room = 0
            self.spare = <Item*> PyMem_RawMalloc(n * sizeof(Item))
            if self.spare == NULL:
                return -1
            self.spare_room = n
        for i in range(NORM_RANKS):
            counts[i] = 0
        for i in range(n):
            counts[items[i].rank] += 1  # a rank is below NORM_RANKS: the script checks
        for i in range(NORM_RANKS):
            size = counts[i]
            counts[i] = total
            total += size
        for i in range(n):
            self.spare[counts[items[i].rank]] = items[i]
            counts[items[i].rank] += 1
        memcpy(items, self.spare, n * sizeof(Item))
        return 0

    cdef int decompose(
        self, int kind, const void* data, Py_ssize_t start, Py_ssize_t end, int form
    ) noexcept nogil:
        """Set the items to the decomposition of a stretch of the text, in canonical order."""
        cdef Py_ssize_t i, seen = 0, pending = 0
        cdef uint32_t char
        cdef bint sorted_ = True
        self.count = 0
        for i in range(start, end):
            char = read(kind, data, i)
            if properties(char) & (CHANGED << (form | 1)):
                if self.push_decomposed(char, form) < 0:
                    return -1
            elif self.push(char, 0) < 0:
                return -1
            while seen < self.count:
                if self.items[seen].rank == 0:
                    if not sorted_ and self.sort_span(pending, seen) < 0:
                        return -1
                    pending = seen + 1
                    sorted_ = True
                elif seen > pending and self.items[seen - 1].rank > self.items[seen].rank:
                    sorted_ = False
                seen += 1
        if not sorted_:
            return self.sort(pending)
        return 0

    cdef int sort_span(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t count = self.count
        cdef int status
        self.count = end
        status = self.sort(start)
        self.count = count
        return status

    cdef void recompose(self) noexcept nogil:
        """Compose the items, in canonical order, in place."""
        cdef Py_ssize_t i, kept = 0, starter = -1
        cdef int last = -1  # the rank of the last item kept since the starter, -1: none
        cdef Item item
        cdef uint32_t composed
        for i in range(self.count):
            item = self.items[i]
            if starter >= 0 and last < <int> item.rank and properties(item.char) & COMPOSES:
                composed = compose(self.items[starter].char, item.char)
                if composed:
                    self.items[starter].char = composed
                    self.items[starter].change += item.change - 1
                    continue
            if item.rank == 0:
                starter = kept
                last = -1
            elif starter >= 0:
                last = item.rank
            self.items[kept] = item
            kept += 1
        self.count = kept

    cdef int run(
        self, int kind, const void* data, Py_ssize_t start, Py_ssize_t end, int form
    ) noexcept nogil:
        """Set the items to a stretch of the text in `form`."""
        if self.decompose(kind, data, start, end, form) < 0:
            return -1
        if not form & 1:
            self.recompose()
        return 0


cdef Py_ssize_t clean_until(
    int form, int kind, const void* data, Py_ssize_t start, Py_ssize_t n, Py_ssize_t* at
) noexcept nogil:
    """As `clean_prefix`, for the characters of a str from `start` on.

    `at` is set to the character that may not be in the form. The result, where it is not `n`,
    is a starter that doesn't compose with what is before it, or `start`.
    """
    cdef Py_ssize_t i, safe = start
    cdef uint32_t values, stop = stop_bits(form), last = 0
    for i in range(start, n):
        values = properties(read(kind, data, i))
        if values & (stop | RANK) == 0:
            safe = i
            last = 0
            continue
        if values & stop or last > values & RANK:
            at[0] = i
            return safe
        last = values & RANK
    at[0] = n
    return n


cdef Py_ssize_t dirty_until(
    int form, int kind, const void* data, Py_ssize_t start, Py_ssize_t n
) noexcept nogil:
    """The first starter from `start` on that neither changes nor composes backwards, or `n`."""
    cdef uint32_t stop = stop_bits(form) | RANK
    cdef Py_ssize_t i = start
    while i < n and properties(read(kind, data, i)) & stop:
        i += 1
    return i


cdef int normalize_into(
    _Work work, int form, int kind, const void* data, Py_ssize_t n, Py_ssize_t clean, Py_ssize_t at
) noexcept nogil:
    """Write the text in `form` to the output. `clean` and `at` are what `clean_until` found."""
    cdef Py_ssize_t start = 0, end
    while True:
        if work.copy(kind, data, start, clean) < 0:
            return -1
        if clean == n:
            return 0
        end = dirty_until(form, kind, data, at + 1, n)
        if work.run(kind, data, clean, end, form) < 0 or work.emit() < 0:
            return -1
        start = end
        clean = clean_until(form, kind, data, start, n, &at)


cdef str normalized(str text, int form):
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), clean, at = 0
    cdef _Work work
    cdef int status
    cdef str result
    if PyUnicode_IS_ASCII(text) or (kind == 1 and form == Form.NFC):
        return text  # all of Latin-1 is in NFC
    with nogil:
        clean = clean_until(form, kind, data, 0, n, &at)
    if clean == n:
        return text
    work = _Work()
    with nogil:
        status = normalize_into(work, form, kind, data, n, clean, at)
    if status < 0:
        raise MemoryError
    result = PyUnicode_FromKindAndData(4, work.out, work.out_count)
    return text if result == text else result


cdef array _no_changes = array("i")


cdef tuple taken(_Work work):
    """The items as a text and their changes (an array, typecode "i")."""
    cdef array changes = clone(_no_changes, work.count, zero=False)
    cdef int *change = changes.data.as_ints
    cdef Py_ssize_t i
    if work.reserve_out(work.count) < 0:
        raise MemoryError
    for i in range(work.count):
        work.out[i] = work.items[i].char
        change[i] = work.items[i].change
    return PyUnicode_FromKindAndData(4, work.out, work.count), changes


cdef tuple with_changes(str text, int form):
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    cdef _Work work = _Work()
    cdef int status
    with nogil:
        status = work.run(kind, data, 0, n, form)
    if status < 0:
        raise MemoryError
    return taken(work)


def normalize(str text not None, str form not None) -> str:
    """`text` in a form ("NFC", "NFD", "NFKC" or "NFKD"); ValueError for another form."""
    if form == "NFC":
        return normalized(text, Form.NFC)
    if form == "NFD":
        return normalized(text, Form.NFD)
    if form == "NFKC":
        return normalized(text, Form.NFKC)
    if form == "NFKD":
        return normalized(text, Form.NFKD)
    raise ValueError(f"unknown normalization form {form!r}")


def nfc(str text not None) -> str:
    """`text` in Normalization Form C, `text` itself if it is already."""
    return normalized(text, Form.NFC)


def nfd(str text not None) -> str:
    """`text` in Normalization Form D, `text` itself if it is already."""
    return normalized(text, Form.NFD)


def nfkc(str text not None) -> str:
    """`text` in Normalization Form KC, `text` itself if it is already."""
    return normalized(text, Form.NFKC)


def nfkd(str text not None) -> str:
    """`text` in Normalization Form KD, `text` itself if it is already."""
    return normalized(text, Form.NFKD)


def nfc_with_changes(str text not None) -> tuple:
    """`nfc(text)`, and an array (typecode "i") with the change of each character.

    Changes are those of the reference's ``NormalizedString::transform``: 0, the character
    replaces the next one of `text`; 1, it is new, and aligned as the one before it; -N, it
    replaces the next one, and the N after that go.
    """
    return with_changes(text, Form.NFC)


def nfd_with_changes(str text not None) -> tuple:
    """`nfd(text)`, and an array with the change of each character (see `nfc_with_changes`)."""
    return with_changes(text, Form.NFD)


def nfkc_with_changes(str text not None) -> tuple:
    """`nfkc(text)`, and an array with the change of each character (see `nfc_with_changes`)."""
    return with_changes(text, Form.NFKC)


def nfkd_with_changes(str text not None) -> tuple:
    """`nfkd(text)`, and an array with the change of each character (see `nfc_with_changes`)."""
    return with_changes(text, Form.NFKD)


cdef int lower_into(
    _Work work, int kind, const void* data, Py_ssize_t start, Py_ssize_t n
) noexcept nogil:
    """Append the items of the lower-cased text from `start` on."""
    cdef Py_ssize_t i
    cdef uint32_t char, length, j
    cdef const uint32_t* words
    for i in range(start, n):
        char = read(kind, data, i)
        if not properties(char) & LOWERED:
            if work.push(char, 0) < 0:
                return -1
            continue
        words = mapping(char)
        length = words[0] >> 16
        words += 1 + (words[0] & 0xFF) + (words[0] >> 8 & 0xFF)
        for j in range(length):
            if work.push(words[j], 1 if j else 0) < 0:
                return -1
    return 0


cdef Py_ssize_t first_with(
    uint32_t wanted, int kind, const void* data, Py_ssize_t n
) noexcept nogil:
    """The first character that has one of the properties, or `n`."""
    cdef Py_ssize_t i = 0
    while i < n and not properties(read(kind, data, i)) & wanted:
        i += 1
    return i


def lowercase(str text not None) -> str:
    """`text` with every character lower-cased by itself (no final sigma), or `text` itself.

    As Rust's ``char::to_lowercase`` does it: only U+0130 becomes two characters.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), start
    cdef _Work work
    cdef int status
    with nogil:
        start = first_with(LOWERED, kind, data, n)
    if start == n:
        return text
    if PyUnicode_IS_ASCII(text):
        return text.lower()
    work = _Work()
    with nogil:
        status = work.copy(kind, data, 0, start)
        if status == 0:
            status = lower_into(work, kind, data, start, n)
        if status == 0:
            status = work.emit()
    if status < 0:
        raise MemoryError
    return PyUnicode_FromKindAndData(4, work.out, work.out_count)


def lowercase_with_changes(str text not None) -> tuple:
    """`lowercase(text)`, and an array with its characters' changes (see `nfc_with_changes`)."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    cdef _Work work = _Work()
    cdef int status
    with nogil:
        status = lower_into(work, kind, data, 0, n)
    if status < 0:
        raise MemoryError
    return taken(work)


def strip_accents(str text not None) -> str:
    """`text` without its combining marks (general category M), or `text` itself.

    Nothing is decomposed: an accent that is part of a character stays.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), start, i
    cdef _Work work
    cdef int status
    cdef uint32_t char
    if kind == 1:
        return text  # there are no marks in Latin-1
    with nogil:
        start = first_with(MARK, kind, data, n)
    if start == n:
        return text
    work = _Work()
    with nogil:
        status = work.copy(kind, data, 0, start)
        if status == 0:
            status = work.reserve_out(n - start)
        if status == 0:
            for i in range(start, n):
                char = read(kind, data, i)
                if not properties(char) & MARK:
                    work.out[work.out_count] = char
                    work.out_count += 1
    if status < 0:
        raise MemoryError
    return PyUnicode_FromKindAndData(4, work.out, work.out_count)


cdef inline int decode(const unsigned char* s, Py_ssize_t n, uint32_t* char) noexcept nogil:
    """The length of the character that `s`, `n` > 0 bytes, starts with; 0 if invalid."""
    if s[0] < 0x80:
        char[0] = s[0]
        return 1
    if 0xC2 <= s[0] < 0xE0:
        if n < 2 or s[1] >> 6 != 2:
            return 0
        char[0] = (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu)
        return 2
    if 0xE0 <= s[0] < 0xF0:
        if n < 3 or s[1] >> 6 != 2 or s[2] >> 6 != 2:
            return 0
        char[0] = (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu)
        return 3
    if 0xF0 <= s[0] < 0xF5:
        if n < 4 or s[1] >> 6 != 2 or s[2] >> 6 != 2 or s[3] >> 6 != 2:
            return 0
        char[0] = (s[0] & 7u) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu)
        return 4 if char[0] < 0x110000 else 0
    return 0


cdef tc_quiet _quiet[4]     # by form


cdef int _fill_quiet() except -1:
    """Find the characters that a form leaves alone, and that nothing before them changes."""
    cdef uint32_t code, values
    cdef int form
    memset(_quiet, 0, sizeof(_quiet))
    for code in range(64 * TC_QUIET_BUCKETS):
        values = properties(code)
        for form in range(4):
            if values & (stop_bits(form) | RANK) == 0:
                tc_quiet_add(&_quiet[form], code)
    for form in range(4):
        tc_quiet_done(&_quiet[form])
    return 0


_fill_quiet()


cdef Py_ssize_t clean_prefix(
    int form, const unsigned char* s, Py_ssize_t n, int level
) noexcept nogil:
    cdef Py_ssize_t i = 0, safe = 0, calm = 0, end
    cdef uint32_t char = 0, values, stop = stop_bits(form), last = 0
    cdef tc_quiet_run run = tc_quiet_run_of(level)
    cdef int size
    while i < n:
        if i >= calm:
            end = run(&_quiet[form], s, n, i)
            if end > i:
                i = end
                safe = end - 1
                while s[safe] & 0xC0 == 0x80 and safe > 0:
                    safe -= 1
                last = 0
                continue
            # Where one is not quiet, others follow: to look far ahead is not worth it.
            calm = i + 32
        size = decode(s + i, n - i, &char)
        if size == 0:
            return safe
        values = properties(char)
        if values & (stop | RANK) == 0:
            safe = i
            last = 0
        elif values & stop or last > values & RANK:
            return safe
        else:
            last = values & RANK
        i += size
    return n


cdef inline uint8_t* write(uint8_t* to, uint32_t char) noexcept nogil:
    """Append a character as UTF-8; where the next one goes."""
    if char < 0x80:
        to[0] = <uint8_t>char
        return to + 1
    if char < 0x800:
        to[0] = <uint8_t>(0xC0 | char >> 6)
        to[1] = <uint8_t>(0x80 | char & 0x3F)
        return to + 2
    if char < 0x10000:
        to[0] = <uint8_t>(0xE0 | char >> 12)
        to[1] = <uint8_t>(0x80 | char >> 6 & 0x3F)
        to[2] = <uint8_t>(0x80 | char & 0x3F)
        return to + 3
    to[0] = <uint8_t>(0xF0 | char >> 18)
    to[1] = <uint8_t>(0x80 | char >> 12 & 0x3F)
    to[2] = <uint8_t>(0x80 | char >> 6 & 0x3F)
    to[3] = <uint8_t>(0x80 | char & 0x3F)
    return to + 4


# The work is cast in place: a variable for it would be a reference, and take the lock.
cdef class FormText:

    def __cinit__(self):
        self._work = _Work()

    def __dealloc__(self):
        PyMem_RawFree(self.data)
        PyMem_RawFree(self._chars)

    cdef void forget(self) noexcept nogil:
        PyMem_RawFree(self.data)
        PyMem_RawFree(self._chars)
        PyMem_RawFree((<_Work>self._work).out)
        self.data = NULL
        self._chars = NULL
        (<_Work>self._work).out = NULL
        (<_Work>self._work).out_room = 0
        self.room = self._chars_room = 0

    cdef bint _reserve(self, Py_ssize_t chars, Py_ssize_t size) noexcept nogil:
        if chars > self._chars_room:
            PyMem_RawFree(self._chars)
            self._chars = <uint32_t*> PyMem_RawMalloc(chars * sizeof(uint32_t))
            self._chars_room = chars if self._chars != NULL else 0
        if size > self.room:
            PyMem_RawFree(self.data)
            self.data = <uint8_t*> PyMem_RawMalloc(size)
            self.room = size if self.data != NULL else 0
        return chars <= self._chars_room and size <= self.room

    cdef Py_ssize_t run(self, int form, const unsigned char* s, Py_ssize_t n,
                        Py_ssize_t clean) noexcept nogil:
        cdef Py_ssize_t count = 0, i = clean, at = 0, safe
        cdef uint8_t* to
        cdef int width
        if not self._reserve(n - clean, 0):
            return -1
        while i < n:
            self._chars[count] = code_point(s + i, &width)
            count += 1
            i += width
        (<_Work>self._work).out_count = 0
        safe = clean_until(form, 4, self._chars, 0, count, &at)
        if (normalize_into(<_Work>self._work, form, 4, self._chars, count, safe, at) < 0
                or not self._reserve(0, clean + 4 * (<_Work>self._work).out_count + 1)):
            return -1
        memcpy(self.data, s, clean)
        to = self.data + clean
        for i in range((<_Work>self._work).out_count):
            to = write(to, (<_Work>self._work).out[i])
        return to - self.data


def utf8_normalized(str text not None, int form) -> bytes:
    """The UTF-8 of ``text`` in a form (a value of `Form`), as the encoder makes it (for tests)."""
    if not 0 <= form <= 3:
        raise ValueError(f"unknown normalization form {form}")
    cdef FormText made = FormText()
    cdef bytes data = text.encode()
    cdef Py_ssize_t n = len(data), size
    size = made.run(form, data, n, clean_prefix(form, data, n, 0))
    if size < 0:
        raise MemoryError
    return PyBytes_FromStringAndSize(<char*> made.data, size)


def utf8_clean_prefix(bytes data not None, int form, int level=0) -> int:
    """The length of a prefix of UTF-8 `data` that is in a form (a value of `Form`) already.

    Normalizing the rest by itself and appending it gives what normalizing the whole gives.
    `level` is one of `textcore.core.windows.levels()`; all give the same.
    """
    if not 0 <= form <= 3:
        raise ValueError(f"unknown normalization form {form}")
    return clean_prefix(form, data, len(data), level)
