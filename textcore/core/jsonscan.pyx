# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""One JSON value in a stream, checked and delimited without building any object.

RFC 8259, strictly: no NaN, no leading zeros, no control characters in strings. Lone
surrogates are characters like others. There is no recursion: an open object or array
costs one bit, so nesting is bounded by memory alone, and a number may have any length.

A scanner that mends reads on where the text is no JSON but can only be meant in one way, and
says what would have to stand there. Every change is made where it is noticed, or behind it, so
that all text before it can be passed on.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.unicode cimport (
    PyUnicode_Check,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
    PyUnicode_READ_CHAR,
)
from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    KEY_LIMIT = 64              # the longest key that can be asked for
    KEPT_LEVELS = 4096          # bytes of nesting that are kept for the next value
    EDITS = 4096                # so many edits are made before they have to be taken

cdef enum State:
    VALUE                       # a value must come
    FIRST_VALUE                 # behind "[": a value or "]"
    FIRST_KEY                   # behind "{": a key or "}"
    KEY                         # behind "," in an object
    COLON
    AFTER                       # behind a value in an object or array
    STRING
    ESCAPE
    HEX
    LITERAL                     # within true, false or null
    MINUS                       # a digit must come
    ZERO                        # behind a leading 0
    INTEGER
    POINT                       # a digit must come
    FRACTION
    EXPONENT                    # a digit or sign must come
    SIGN                        # a digit must come
    POWER
    SLASH                       # behind a backslash outside strings


ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}


cdef inline bint is_space(uint32_t c) noexcept nogil:
    return c == 32 or c == 10 or c == 13 or c == 9


cdef inline bint is_digit(uint32_t c) noexcept nogil:
    return 48 <= c <= 57


cdef class JsonScanner:
    """Finds the end of one JSON value, and where the values of some of its keys stand.

    ``keys`` are keys of the value itself, if it is an object; an object further in is not
    looked at. Keys compare unescaped; of a key that comes twice the last counts, as it does
    for nearly every reader, or with ``first`` the first, which a reader that passes values
    on as they come can't take back. Not to be shared by threads.

    With ``mends``, these are read: control characters in strings, strings and keys in single
    quotes, escapes that JSON does not know (the backslash is one), Python's words, a comma that
    is missing between members, doubled braces, and an escaped newline between tokens.

    Attributes:
        done: the value is complete.
        bad: the text is not JSON.
        member: the index of the key whose value is being read, or -1.

    Raises:
        ValueError: a key of more than 64 characters.
    """

    cdef readonly tuple keys
    cdef readonly bint done
    cdef readonly bint bad
    cdef State state
    cdef uint8_t* levels        # a bit for each open level: 1 for an object
    cdef Py_ssize_t capacity    # of `levels`, in bytes
    cdef Py_ssize_t depth
    cdef Py_ssize_t offset      # characters of the value in earlier feeds
    cdef const char* literal    # what is left of true, false or null
    cdef bint is_key            # the string being read is a key
    cdef bint watched           # ... of the outermost object, so its characters are kept
    cdef uint32_t key[KEY_LIMIT]
    cdef Py_ssize_t key_size    # above KEY_LIMIT for a key that is too long to be one of ours
    cdef bint high_escaped      # the key's last character is an escaped high surrogate
    cdef int hex_digits
    cdef uint32_t hex_value
    cdef readonly int member    # the key whose value is being read, or -1
    cdef bint first             # of equal keys, the first counts
    cdef Py_ssize_t* spans      # start and end of each key's value; -1 where there is none
    cdef readonly bint mends    # read what can only be meant in one way
    cdef readonly list edits    # those that have not been taken
    cdef uint32_t quote         # what the string being read stands between
    cdef Py_ssize_t top         # the level of the outermost object's members
    cdef list doubled           # the levels around doubled braces, but for the innermost
    cdef Py_ssize_t inmost      # the innermost of them, or -2
    cdef bint is_none           # the word is None
    cdef State behind           # the state before a backslash outside strings

    def __cinit__(self, tuple keys not None=(), bint first=False, bint mends=False):
        for key in keys:
            if not isinstance(key, str):
                raise TypeError(f"a key is a str, not {type(key).__name__}")
            if len(key) > KEY_LIMIT:
                raise ValueError(f"a key of more than {KEY_LIMIT} characters: {key[:80]!r}")
        self.keys = keys
        self.first = first
        self.mends = mends
        self.spans = <Py_ssize_t*>PyMem_Calloc(2 * len(keys) + 1, sizeof(Py_ssize_t))
        if self.spans == NULL:
            raise MemoryError
        self.start()

    def __dealloc__(self):
        PyMem_Free(self.levels)
        PyMem_Free(self.spans)

    def start(self):
        """Forget everything; the next character begins a value."""
        cdef Py_ssize_t i
        self.done = self.bad = False
        self.state = VALUE
        self.depth = self.offset = 0
        self.member = -1
        self.is_key = self.watched = False
        self.quote = 34
        self.top = 1
        self.doubled = []
        self.inmost = -2
        self.edits = []
        for i in range(2 * len(self.keys)):
            self.spans[i] = -1
        if self.capacity > KEPT_LEVELS:
            PyMem_Free(self.levels)
            self.levels = NULL
            self.capacity = 0

    def span(self, int key):
        """Where the value of ``keys[key]`` stands: (start, end), counted from the value's start.

        None so far; ``end`` is -1 until it is complete.
        """
        if not 0 <= key < len(self.keys):
            raise IndexError(key)
        if self.spans[2 * key] < 0:
            return None
        return self.spans[2 * key], self.spans[2 * key + 1]

    def take_edits(self):
        """The edits since the last time, in their order: (position in the value, how many of its
        characters to leave out, what to put in their place)."""
        edits = self.edits
        self.edits = []
        return edits

    def feed(self, text, Py_ssize_t position=0):
        """Read on at ``text[position]``; return the position behind what belongs to the value.

        That is the text's end while the value goes on, or the place where many edits have been
        made. Where the text stops being JSON it is the position of the first character that
        cannot stand there.

        Raises:
            TypeError: ``text`` is not a str.
            ValueError: ``position`` is outside the text.
        """
        cdef Py_ssize_t size, end
        if not PyUnicode_Check(text):
            raise TypeError(f"a text is a str, not {type(text).__name__}")
        size = PyUnicode_GET_LENGTH(text)
        if position < 0 or position > size:
            raise ValueError(f"position {position} is outside a text of {size} characters")
        if self.done or self.bad:
            return position
        end = self.scan(<int>PyUnicode_KIND(text), PyUnicode_DATA(text), position, size)
        self.offset += end - position
        return end

    def finish(self):
        """Say that the text ends here, which completes a number; return ``done``."""
        if not self.bad and self.depth == 0 and self.state in (ZERO, INTEGER, FRACTION, POWER):
            self.done = True
        return self.done

    cdef Py_ssize_t scan(self, int kind, const void* data, Py_ssize_t start,
                         Py_ssize_t size) except -1:
        cdef Py_ssize_t at = start
        cdef uint32_t c
        while at < size:
            c = PyUnicode_READ(kind, data, at)
            if self.state == STRING:
                if not self.watched and self.quote == 34:
                    while c != 34 and c != 92 and c >= 32:
                        at += 1
                        if at == size:
                            return at
                        c = PyUnicode_READ(kind, data, at)
                self.in_string(c, self.offset + at - start)
            elif self.state == SLASH:
                self.behind_slash(c, self.offset + at - start)
            elif self.state >= MINUS:
                if self.in_number(c, self.offset + at - start):
                    if self.done:
                        return at
                    continue        # the number is over; its successor is read again
            elif self.state == ESCAPE:
                self.in_escape(c, self.offset + at - start)
            elif self.state == HEX:
                self.in_hex(c, self.offset + at - start)
            elif self.state == LITERAL:
                self.in_literal(c, self.offset + at - start)
            elif not is_space(c) or (self.depth == 0):
                self.in_structure(c, self.offset + at - start)
            if self.bad:
                return at
            at += 1
            if self.done:
                return at
            if self.mends and len(self.edits) >= EDITS:
                return at
        return at

    cdef int edit(self, Py_ssize_t at, Py_ssize_t size, str text) except -1:
        """Note that ``text`` is to stand in the place of ``size`` characters."""
        self.edits.append((at, size, text))
        return 0

    cdef int behind_slash(self, uint32_t c, Py_ssize_t at) except -1:
        """The second character of an escape outside strings: whitespace or nothing."""
        self.state = self.behind
        self.bad = c != 110 and c != 114 and c != 116
        if not self.bad:
            self.edit(at, 1, "\n")
        return 0

    cdef int in_structure(self, uint32_t c, Py_ssize_t at) except -1:
        """A character outside strings, numbers and literals, at ``at`` of the value."""
        if self.mends and c == 92 and self.depth:
            self.behind = self.state
            self.state = SLASH
            return self.edit(at, 1, "")
        if self.state == VALUE or self.state == FIRST_VALUE:
            if c == 93 and self.state == FIRST_VALUE:
                self.close(False, at)
            else:
                self.begin(c, at)
        elif self.state == AFTER:
            if c == 44:
                self.state = KEY if self.in_object() else VALUE
            elif c == 125 or c == 93:
                self.close(c == 125, at)
            elif self.mends and (c == 34 or c == 39) and self.in_object() and not self.is_doubled():
                self.edit(at, 0, ", ")
                self.state = KEY
                return self.in_structure(c, at)
            else:
                self.bad = True
        elif self.state == COLON:
            self.state = VALUE
            self.bad = c != 58
        elif c == 34 or (c == 39 and self.mends):
            self.begin_string(c, at)
            self.is_key = True
            self.watched = self.depth == self.top and len(self.keys) > 0
            self.key_size = 0
            self.high_escaped = False
        elif c == 125 and self.state == FIRST_KEY:
            self.close(True, at)
        elif c == 123 and self.mends and self.state == FIRST_KEY and not self.is_doubled():
            if self.depth == 1:
                self.top = 2
            self.doubled.append(self.inmost)
            self.inmost = self.depth
            self.open(True)
            self.edit(at, 1, "")
        else:
            self.bad = True
        return 0

    cdef bint is_doubled(self) noexcept:
        """Whether the innermost level is the one within doubled braces, or around them."""
        return self.inmost >= self.depth - 1

    cdef int begin_string(self, uint32_t c, Py_ssize_t at) except -1:
        self.state = STRING
        self.quote = c
        if c == 39:
            self.edit(at, 1, '"')
        return 0

    cdef int begin(self, uint32_t c, Py_ssize_t at) except -1:
        """The first character of a value."""
        if self.depth == self.top and self.member >= 0:
            self.spans[2 * self.member] = at
            self.spans[2 * self.member + 1] = -1
        if c == 34 or (c == 39 and self.mends and self.depth):
            self.begin_string(c, at)
            self.is_key = False
        elif c == 123 or c == 91:
            self.open(c == 123)
        elif c == 45:
            self.state = MINUS
        elif c == 48:
            self.state = ZERO
        elif is_digit(c):
            self.state = INTEGER
        elif c == 116 or c == 102 or c == 110:
            self.state = LITERAL
            self.is_none = False
            if c == 116:
                self.literal = "rue"
            elif c == 102:
                self.literal = "alse"
            else:
                self.literal = "ull"
        elif self.mends and self.depth and (c == 84 or c == 70 or c == 78):
            self.state = LITERAL
            self.is_none = c == 78
            self.edit(at, 1, "t" if c == 84 else "f" if c == 70 else "n")
            self.literal = "rue" if c == 84 else "alse" if c == 70 else "one"
        else:
            self.bad = True
        return 0

    cdef bint in_object(self) noexcept:
        """Whether the innermost open level is an object; there is one."""
        cdef Py_ssize_t level = self.depth - 1
        return self.levels[level >> 3] >> (level & 7) & 1

    cdef int open(self, bint is_object) except -1:
        """Enter an object or an array."""
        cdef Py_ssize_t level = self.depth, capacity
        cdef uint8_t* levels
        if level >> 3 >= self.capacity:
            capacity = max(<Py_ssize_t>16, 2 * self.capacity)
            levels = <uint8_t*>PyMem_Realloc(self.levels, capacity)
            if levels == NULL:
                raise MemoryError
            self.levels = levels
            self.capacity = capacity
        if is_object:
            self.levels[level >> 3] |= 1 << (level & 7)
        else:
            self.levels[level >> 3] &= ~(1 << (level & 7))
        self.depth += 1
        self.state = FIRST_KEY if is_object else FIRST_VALUE
        return 0

    cdef int close(self, bint is_object, Py_ssize_t at) except -1:
        """Leave an object or an array by its closing character."""
        if self.in_object() != is_object:
            self.bad = True
            return 0
        self.depth -= 1
        if self.inmost == self.depth and self.depth:
            self.edit(at, 1, "")
            self.state = AFTER
            if not self.in_object():
                self.bad = True
            return 0
        if self.inmost == self.depth + 1:
            self.inmost = self.doubled.pop()
        self.complete(at + 1)
        return 0

    cdef void complete(self, Py_ssize_t end) noexcept:
        """A value has ended."""
        if self.depth == 0:
            self.done = True
            return
        self.state = AFTER
        if self.depth == self.top and self.member >= 0:
            self.spans[2 * self.member + 1] = end
            self.member = -1

    cdef int in_string(self, uint32_t c, Py_ssize_t at) except -1:
        if c == self.quote:
            if c == 39:
                self.edit(at, 1, '"')
            if not self.is_key:
                self.complete(at + 1)
                return 0
            self.state = COLON
            if self.watched:
                self.watched = False
                self.member = self.find_key()
            return 0
        if c == 92:
            self.state = ESCAPE
            return 0
        if c < 32:
            self.bad = not self.mends
            if self.mends:
                self.edit(at, 1, ESCAPES.get(c) or f"\\u{c:04x}")
        elif c == 34:
            self.edit(at, 1, '\\"')
        if self.watched:
            self.keep(c, False)
        return 0

    cdef int in_escape(self, uint32_t c, Py_ssize_t at) except -1:
        cdef uint32_t meant
        self.state = STRING
        if c == 34 or c == 92 or c == 47:
            meant = c
        elif c == 98:
            meant = 8
        elif c == 102:
            meant = 12
        elif c == 110:
            meant = 10
        elif c == 114:
            meant = 13
        elif c == 116:
            meant = 9
        elif c == 117:
            self.state = HEX
            self.hex_digits = 0
            self.hex_value = 0
            return 0
        elif self.mends and c == 39:
            self.edit(at, 1, "u0027")
            meant = c
        elif self.mends:
            # The backslash before it was meant, and what is here is read as it stands.
            self.edit(at, 0, "\\")
            if self.watched:
                self.keep(92, False)
            return self.in_string(c, at)
        else:
            self.bad = True
            return 0
        if self.watched:
            self.keep(meant, False)
        return 0

    cdef int in_hex(self, uint32_t c, Py_ssize_t at) except -1:
        cdef uint32_t digit
        if is_digit(c):
            digit = c - 48
        elif 97 <= c <= 102:
            digit = c - 87
        elif 65 <= c <= 70:
            digit = c - 55
        elif self.mends and self.hex_digits == 0:
            # A backslash and a "u": both are in what now stands before this character.
            self.edit(at, 0, "005cu")
            self.state = STRING
            if self.watched:
                self.keep(92, False)
                self.keep(117, False)
            return self.in_string(c, at)
        else:
            self.bad = True
            return 0
        self.hex_value = self.hex_value << 4 | digit
        self.hex_digits += 1
        if self.hex_digits == 4:
            self.state = STRING
            if self.watched:
                self.keep(self.hex_value, True)
        return 0

    cdef void keep(self, uint32_t c, bint escaped) noexcept:
        """Note a key's next character; two escaped surrogates that make a pair are one."""
        if escaped and self.high_escaped and 0xDC00 <= c < 0xE000:
            if self.key_size <= KEY_LIMIT:
                self.key[self.key_size - 1] = (
                    0x10000 + ((self.key[self.key_size - 1] - 0xD800) << 10) + (c - 0xDC00)
                )
            self.high_escaped = False
            return
        self.high_escaped = escaped and 0xD800 <= c < 0xDC00
        if self.key_size < KEY_LIMIT:
            self.key[self.key_size] = c
        if self.key_size <= KEY_LIMIT:
            self.key_size += 1

    cdef int find_key(self) noexcept:
        """Which of ``keys`` has just been read, or -1."""
        cdef Py_ssize_t i, which
        cdef object key
        for which in range(len(self.keys)):
            key = self.keys[which]
            if PyUnicode_GET_LENGTH(key) != self.key_size:
                continue
            for i in range(self.key_size):
                if PyUnicode_READ_CHAR(key, i) != self.key[i]:
                    break
            else:
                if self.first and self.spans[2 * which] >= 0:
                    return -1
                return <int>which
        return -1

    cdef int in_literal(self, uint32_t c, Py_ssize_t at) except -1:
        if c != <uint8_t>self.literal[0]:
            self.bad = True
            return 0
        if self.is_none:
            self.edit(at, 1, "ull" if c == 111 else "")
        self.literal += 1
        if self.literal[0] == 0:
            self.complete(at + 1)
        return 0

    cdef bint in_number(self, uint32_t c, Py_ssize_t at) noexcept:
        """A number's next character; True when ``c`` is not one, but what follows it."""
        cdef State state = self.state
        if is_digit(c):
            if state == MINUS:
                self.state = ZERO if c == 48 else INTEGER
            elif state == POINT:
                self.state = FRACTION
            elif state == EXPONENT or state == SIGN:
                self.state = POWER
            elif state == ZERO:
                self.bad = True
        elif c == 46 and (state == ZERO or state == INTEGER):
            self.state = POINT
        elif (c == 101 or c == 69) and (state == ZERO or state == INTEGER or state == FRACTION):
            self.state = EXPONENT
        elif (c == 43 or c == 45) and state == EXPONENT:
            self.state = SIGN
        elif state == ZERO or state == INTEGER or state == FRACTION or state == POWER:
            self.complete(at)
            return True
        else:
            self.bad = True
        return False
