# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""One JSON value in a stream, checked and delimited without building any object.

RFC 8259, strictly: no NaN, no leading zeros, no control characters in strings. Lone
surrogates are characters like others. There is no recursion: an open object or array
costs one bit, so nesting is bounded by memory alone, and a number may have any length.
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

    def __cinit__(self, tuple keys not None=(), bint first=False):
        for key in keys:
            if not isinstance(key, str):
                raise TypeError(f"a key is a str, not {type(key).__name__}")
            if len(key) > KEY_LIMIT:
                raise ValueError(f"a key of more than {KEY_LIMIT} characters: {key[:80]!r}")
        self.keys = keys
        self.first = first
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

    def feed(self, text, Py_ssize_t position=0):
        """Read on at ``text[position]``; return the position behind what belongs to the value.

        That is the text's end while the value goes on. Where the text stops being JSON it is
        the position of the first character that cannot stand there.

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
                if not self.watched:
                    while c != 34 and c != 92 and c >= 32:
                        at += 1
                        if at == size:
                            return at
                        c = PyUnicode_READ(kind, data, at)
                self.in_string(c, self.offset + at - start)
            elif self.state >= MINUS:
                if self.in_number(c, self.offset + at - start):
                    if self.done:
                        return at
                    continue        # the number is over; its successor is read again
            elif self.state == ESCAPE:
                self.in_escape(c)
            elif self.state == HEX:
                self.in_hex(c)
            elif self.state == LITERAL:
                self.in_literal(c, self.offset + at - start)
            elif not is_space(c) or (self.depth == 0):
                self.in_structure(c, self.offset + at - start)
            if self.bad:
                return at
            at += 1
            if self.done:
                return at
        return at

    cdef int in_structure(self, uint32_t c, Py_ssize_t at) except -1:
        """A character outside strings, numbers and literals, at ``at`` of the value."""
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
            else:
                self.bad = True
        elif self.state == COLON:
            self.state = VALUE
            self.bad = c != 58
        elif c == 34:
            self.state = STRING
            self.is_key = True
            self.watched = self.depth == 1 and len(self.keys) > 0
            self.key_size = 0
            self.high_escaped = False
        elif c == 125 and self.state == FIRST_KEY:
            self.close(True, at)
        else:
            self.bad = True
        return 0

    cdef int begin(self, uint32_t c, Py_ssize_t at) except -1:
        """The first character of a value."""
        if self.depth == 1 and self.member >= 0:
            self.spans[2 * self.member] = at
            self.spans[2 * self.member + 1] = -1
        if c == 34:
            self.state = STRING
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
            if c == 116:
                self.literal = "rue"
            elif c == 102:
                self.literal = "alse"
            else:
                self.literal = "ull"
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

    cdef void close(self, bint is_object, Py_ssize_t at) noexcept:
        """Leave an object or an array by its closing character."""
        if self.in_object() != is_object:
            self.bad = True
            return
        self.depth -= 1
        self.complete(at + 1)

    cdef void complete(self, Py_ssize_t end) noexcept:
        """A value has ended."""
        if self.depth == 0:
            self.done = True
            return
        self.state = AFTER
        if self.depth == 1 and self.member >= 0:
            self.spans[2 * self.member + 1] = end
            self.member = -1

    cdef void in_string(self, uint32_t c, Py_ssize_t at) noexcept:
        if c == 34:
            if not self.is_key:
                self.complete(at + 1)
                return
            self.state = COLON
            if self.watched:
                self.watched = False
                self.member = self.find_key()
        elif c == 92:
            self.state = ESCAPE
        elif c < 32:
            self.bad = True
        elif self.watched:
            self.keep(c, False)

    cdef void in_escape(self, uint32_t c) noexcept:
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
            return
        else:
            self.bad = True
            return
        if self.watched:
            self.keep(meant, False)

    cdef void in_hex(self, uint32_t c) noexcept:
        cdef uint32_t digit
        if is_digit(c):
            digit = c - 48
        elif 97 <= c <= 102:
            digit = c - 87
        elif 65 <= c <= 70:
            digit = c - 55
        else:
            self.bad = True
            return
        self.hex_value = self.hex_value << 4 | digit
        self.hex_digits += 1
        if self.hex_digits == 4:
            self.state = STRING
            if self.watched:
                self.keep(self.hex_value, True)

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

    cdef void in_literal(self, uint32_t c, Py_ssize_t at) noexcept:
        if c != <uint8_t>self.literal[0]:
            self.bad = True
            return
        self.literal += 1
        if self.literal[0] == 0:
            self.complete(at + 1)

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
